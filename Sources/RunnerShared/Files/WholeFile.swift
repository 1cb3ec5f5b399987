import Platform

/// Reads and writes whole files.
package enum WholeFile {
  /// The most bytes of a file that people write by hand, or that the runner keeps for itself.
  private static let most = 16 << 20

  package static func read(_ path: String, atMost limit: Int = most) throws(FileFault) -> [UInt8] {
    try OrdinaryFile.contents(of: path, atMost: limit)
  }

  /// Creates a file; throws if it exists. After an error, the incomplete file is removed.
  package static func create(
    _ bytes: [UInt8], at path: String, mode: mode_t = 0o666
  ) throws(FileFault) {
    var stream = try DescriptorWriter(file: path, O_EXCL, mode: mode)
    stream.write(bytes)
    stream.close()
    guard let number = stream.failure else { return }
    unlink(path)
    throw .system(number)
  }

  /// Why ``create(_:at:mode:)`` has not made a file that a person has named.
  package static func refusal(of fault: FileFault, at path: String) -> String {
    guard case .system(EEXIST) = fault else { return "\(path): \(fault)" }
    return "\(path) is there, so it is not overwritten; name another file, or remove this one"
  }

  /// Makes a folder and its missing parent folders.
  package static func makeFolder(_ path: String) throws(FileFault) {
    let parent = Paths.folder(of: path)
    if !parent.isEmpty, Paths.real(parent) == nil { try makeFolder(parent) }
    guard mkdir(path, 0o777) != 0 else { return }
    let number = errno
    if number != EEXIST || !Paths.isFolder(path) { throw .system(number) }
  }
}
