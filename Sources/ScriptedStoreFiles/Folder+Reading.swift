import Platform

extension Folder {
  /// The bytes of a file. Throws if the file is larger than the limit, or grows while it is read.
  /// O(size).
  ///
  /// - Parameter most: the limit for this file; nil for that of the folder.
  func contents(of path: FilePath, atMost most: Int? = nil) throws -> [UInt8] {
    try withParent(of: path) { parent, name in
      let descriptor = try Folder.openFile(name, in: parent, O_RDONLY)
      defer { close(descriptor) }
      let size = try Folder.file(descriptor).size
      guard size <= most ?? limit else { throw tooLarge(size, most) }
      // One byte more than the size reveals whether the file has grown.
      return try Array(unsafeUninitializedCapacity: size + 1) { buffer, count in
        while count < buffer.count {
          let rest = UnsafeMutableBufferPointer(rebasing: buffer[count...])
          let got = read(descriptor, rest.baseAddress, rest.count)
          if got == 0 { return }
          if got < 0 {
            if errno == EINTR { continue }
            throw FileFailure()
          }
          count += got
        }
        throw FileFailure("changed", "it was changed while it was read")
      }
    }
  }

  /// The descriptor of a file. The caller must check with ``file(_:)`` that it is a regular one.
  static func openFile(
    _ name: String, in parent: Int32, _ flags: Int32, permissions: mode_t = 0o666
  ) throws -> Int32 {
    // Without O_NONBLOCK, a pipe without a writer would block the folder's thread.
    let descriptor = uninterrupted {
      openat(parent, name, flags | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC, permissions)
    }
    guard descriptor < 0 else { return descriptor }
    let failure = FileFailure()
    try entry(name, in: parent)?.requireFile()
    throw failure
  }

  /// The entry of an open file. Throws unless it is a regular file.
  static func file(_ descriptor: Int32) throws -> FileEntry {
    var status = stat()
    guard uninterrupted({ fstat(descriptor, &status) }) == 0 else { throw FileFailure() }
    let entry = FileEntry(name: "", status)
    try entry.requireFile()
    return entry
  }

  func tooLarge(_ size: Int, _ most: Int? = nil) -> FileFailure {
    FileFailure("tooLarge", "it has \(size) bytes, and the host allows \(most ?? limit)")
  }

  /// Whether there is a file or a folder. False for a symbolic link.
  func exists(_ path: FilePath) throws -> Bool {
    guard !path.names.isEmpty else { return true }
    do {
      return try withParent(of: path) { parent, name in
        try Folder.entry(name, in: parent).map { $0.kind != .other } ?? false
      }
    } catch let failure as FileFailure
      where ["notFound", "notFolder", "link"].contains(failure.code)
    {
      return false
    }
  }

  /// The entries of a folder, sorted by the bytes of their names. Names that are not UTF-8 are left
  /// out, since scripts cannot use them. O(n log n).
  func list(_ path: FilePath) throws -> [FileEntry] {
    try withFolder(path.names) { folder in
      // The stream closes its own descriptor; `withFolder` closes `folder`.
      let descriptor = dup(folder)
      guard descriptor >= 0 else { throw FileFailure() }
      guard let stream = fdopendir(descriptor) else {
        let failure = FileFailure()
        close(descriptor)
        throw failure
      }
      defer { closedir(stream) }
      var entries: [FileEntry] = []
      errno = 0
      while let next = readdir(stream) {
        let name = withUnsafePointer(to: &next.pointee.d_name) { name in
          name.withMemoryRebound(to: CChar.self, capacity: 1) { String(validatingCString: $0) }
        }
        // Nil if the entry was removed meanwhile.
        if let name, name != ".", name != "..", let entry = try Folder.entry(name, in: folder) {
          entries.append(entry)
          guard entries.count <= Folder.longestList else {
            throw FileFailure("tooLarge", "it has more than \(Folder.longestList) entries")
          }
        }
        errno = 0
      }
      guard errno == 0 else { throw FileFailure() }
      return entries.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }
  }

  private static let longestList = 100_000
}
