import Platform

extension Folder {
  /// Replaces the content of a file, or keeps the old content if anything fails. A reader finds
  /// either the old or the new content, also at the same time and after a power failure.
  ///
  /// - Parameters:
  ///   - permissions: those of a new file; a replaced one keeps its own.
  ///   - temporary: the name of the file that is written first, which a crash leaves behind. By default a
  ///     new one each time. Else what has the name is removed, and only one caller may write the file.
  /// - Returns: the new file's stamp.
  @discardableResult
  func replace(
    _ path: FilePath, with bytes: [UInt8], permissions: mode_t = 0o666,
    temporary given: String? = nil
  ) throws -> FileStamp {
    guard bytes.count <= limit else { throw tooLarge(bytes.count) }
    return try withParent(of: path) { parent, name in
      let old = try Folder.entry(name, in: parent)
      try old?.requireFile()
      // Only a crash leaves a temporary file behind.
      let temporary = given ?? ".\(String(UInt64.random(in: 0 ... .max), radix: 36)).tmp"
      if given != nil, Folder.uninterrupted({ unlinkat(parent, temporary, 0) }) != 0,
        errno != ENOENT
      {
        throw FileFailure()
      }
      let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
      let descriptor = Folder.uninterrupted { openat(parent, temporary, flags, permissions) }
      guard descriptor >= 0 else { throw FileFailure() }
      let stamp: FileStamp
      do {
        defer { close(descriptor) }
        if let old, Folder.uninterrupted({ fchmod(descriptor, old.permissions) }) != 0 {
          throw FileFailure()
        }
        try Folder.put(bytes, into: descriptor)
        guard Folder.uninterrupted({ fsync(descriptor) }) == 0 else { throw FileFailure() }
        stamp = try Folder.file(descriptor).stamp
        // Nothing may fail behind it, because the caller of a failed call takes the old file to be there.
        guard Folder.uninterrupted({ renameat(parent, temporary, parent, name) }) == 0 else {
          throw FileFailure()
        }
      } catch {
        unlinkat(parent, temporary, 0)
        throw error
      }
      // The new name is on the disk only after this. Some file systems do not support it and do not
      // need it.
      _ = fsync(parent)
      return stamp
    }
  }

  /// Appends bytes to a file, which is made if there is none. If not all bytes fit, none are kept.
  func append(_ bytes: [UInt8], to path: FilePath) throws {
    guard bytes.count <= limit else { throw tooLarge(bytes.count) }
    try withParent(of: path) { parent, name in
      let descriptor = try Folder.openFile(name, in: parent, O_WRONLY | O_APPEND | O_CREAT)
      defer { close(descriptor) }
      let size = try Folder.file(descriptor).size
      guard size <= limit - bytes.count else { throw tooLarge(size + bytes.count) }
      do {
        try Folder.put(bytes, into: descriptor)
      } catch {
        ftruncate(descriptor, off_t(size))
        throw error
      }
      guard Folder.uninterrupted({ fsync(descriptor) }) == 0 else { throw FileFailure() }
    }
  }

  /// Opens a file to append to it. It is made, for its owner alone, if there is none. Returns its size as well.
  func openToAppend(_ path: FilePath) throws -> (descriptor: Int32, size: Int) {
    try withParent(of: path) { parent, name in
      let flags = O_WRONLY | O_APPEND | O_CREAT
      let descriptor = try Folder.openFile(name, in: parent, flags, permissions: 0o600)
      do {
        return (descriptor, try Folder.file(descriptor).size)
      } catch {
        close(descriptor)
        throw error
      }
    }
  }

  /// Gives a file another name in the same folder, and replaces the file that has it. Does nothing if
  /// there is no such file.
  func rename(_ path: FilePath, to other: FilePath) throws {
    try withParent(of: path) { parent, name in
      try withParent(of: other) { otherParent, otherName in
        let result = Folder.uninterrupted { renameat(parent, name, otherParent, otherName) }
        if result != 0, errno != ENOENT { throw FileFailure() }
      }
    }
  }

  /// Writes all bytes, with as many system calls as it takes.
  static func put(_ bytes: [UInt8], into descriptor: Int32) throws {
    try bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let part = UnsafeRawBufferPointer(rebasing: rest)
        let count = write(descriptor, part.baseAddress, part.count)
        if count >= 0 {
          rest = rest.dropFirst(count)
        } else if errno != EINTR {
          throw FileFailure()
        }
      }
    }
  }

  /// Removes a file, a symbolic link itself, or an empty folder. False if there is nothing.
  func remove(_ path: FilePath) throws -> Bool {
    try withParent(of: path) { parent, name in
      guard let entry = try Folder.entry(name, in: parent) else { return false }
      let flags = entry.kind == .folder ? Int32(AT_REMOVEDIR) : 0
      if Folder.uninterrupted({ unlinkat(parent, name, flags) }) == 0 { return true }
      if errno == ENOENT { return false }
      throw FileFailure()
    }
  }

  /// Returns when the bytes of a file are on the disk.
  static func flushData(_ descriptor: Int32) -> Int32 {
    #if os(Linux)
    fdatasync(descriptor)
    #else
    fsync(descriptor)
    #endif
  }

  /// Calls a function of the system again if a signal has interrupted it.
  static func uninterrupted(_ call: () -> Int32) -> Int32 {
    while true {
      let result = call()
      if result >= 0 || errno != EINTR { return result }
    }
  }

  /// Makes a folder, and its missing parents.
  func makeFolder(_ path: FilePath) throws {
    try withFolder(path.names, making: true) { _ in }
  }
}
