import Platform

/// Reads and writes whole files.
enum WholeFile {
  static func read(_ path: String) throws(ErrorNumber) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .last }
    defer { close(descriptor) }
    return try rest(of: descriptor)
  }

  /// Reads an open file from its current position to its end.
  static func rest(of descriptor: Int32) throws(ErrorNumber) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Platform.read(descriptor, &chunk, chunk.count)
      if count == 0 { return bytes }
      if count > 0 {
        bytes += chunk[..<count]
      } else if errno != EINTR {
        throw .last
      }
    }
  }

  /// Creates a file; throws if it exists. After an error, the incomplete file is removed.
  static func create(_ bytes: [UInt8], at path: String) throws(ErrorNumber) {
    var stream = try DescriptorWriter(file: path, O_EXCL)
    stream.write(bytes)
    stream.close()
    guard let number = stream.failure else { return }
    unlink(path)
    throw ErrorNumber(rawValue: number)
  }

  /// Replaces a file atomically: a reader, also after this process has crashed, finds the complete
  /// old or the complete new content.
  static func write(_ bytes: [UInt8], to path: String) throws(ErrorNumber) {
    let draft = "\(path).\(getpid())"
    var stream = try DescriptorWriter(file: draft, O_TRUNC)
    stream.write(bytes)
    stream.close()
    guard stream.failure == nil, rename(draft, path) == 0 else {
      let number = stream.failure ?? errno
      unlink(draft)
      throw ErrorNumber(rawValue: number)
    }
  }

  /// Removes a file. Errors are ignored, for example if it does not exist.
  static func remove(_ path: String) { unlink(path) }

  /// Makes a folder and its missing parent folders.
  static func makeFolder(_ path: String) throws(ErrorNumber) {
    if mkdir(path, 0o777) == 0 { return }
    let number = errno
    switch number {
    case EEXIST where Paths.isFolder(path): return
    case ENOENT:
      guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { break }
      try makeFolder(String(path[..<slash]))
      if mkdir(path, 0o777) == 0 || errno == EEXIST { return }
    default: break
    }
    throw ErrorNumber(rawValue: number)
  }
}
