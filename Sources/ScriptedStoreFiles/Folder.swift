import Dispatch
import LuaBridge
import Platform

/// A folder that scripts may use, or a server. It is open while this object exists.
///
/// Each path is opened name by name from the folder's descriptor, and no step follows a symbolic
/// link. So what another process does to the tree meanwhile can make an operation fail, but cannot
/// lead it outside.
package final class Folder: Sendable {
  let descriptor: Int32
  /// The largest size of a file, in bytes.
  let limit: Int
  /// Operations block, so they run on a thread of their own, one at a time.
  private let queue = DispatchQueue(label: "ScriptedStore.files")

  /// - Parameter name: what the folder is for, in the error if it cannot be opened.
  package init(
    _ path: String, limit: Int, named name: String = "the folder of files"
  ) throws(ScriptError) {
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    self.limit = limit
    guard descriptor >= 0 else {
      throw ScriptError("\(name), \(path): \(FileFailure().reason)")
    }
  }

  deinit { close(descriptor) }

  /// Whether the folder itself has been removed since it was opened.
  var isRemoved: Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_nlink == 0
  }

  /// Runs an operation on a path, on the folder's thread. `verb` is used in the message of a
  /// failure.
  func perform<Result: Sendable>(
    _ verb: String, _ path: String,
    _ operation: @escaping @Sendable (Folder, FilePath) throws -> Result
  ) async throws -> Result {
    let path = try FilePath(path)
    return try await withCheckedThrowingContinuation { continuation in
      queue.async {
        do {
          continuation.resume(returning: try operation(self, path))
        } catch let failure as FileFailure {
          continuation.resume(throwing: failure.error(verb, path))
        } catch {
          continuation.resume(throwing: error)
        }
      }
    }
  }
}

// MARK: Opening folders

extension Folder {
  /// Calls `body` with the descriptor of the folder that contains the last name of a path, and with
  /// that name.
  func withParent<Result>(
    of path: FilePath, _ body: (_ parent: Int32, _ name: String) throws -> Result
  ) throws -> Result {
    guard let last = path.names.last else { throw FileFailure.folder }
    return try withFolder(path.names.dropLast()) { try body($0, last) }
  }

  /// Calls `body` with a new descriptor of a folder. It has its own read position, so that listings
  /// do not disturb each other.
  func withFolder<Result>(
    _ names: some Sequence<String>, making: Bool = false, _ body: (Int32) throws -> Result
  ) throws -> Result {
    var current = try Folder.subfolder(".", in: descriptor)
    defer { close(current) }
    for name in names {
      if making, mkdirat(current, name, 0o777) != 0, errno != EEXIST { throw FileFailure() }
      let next = try Folder.subfolder(name, in: current)
      close(current)
      current = next
    }
    return try body(current)
  }

  private static func subfolder(_ name: String, in parent: Int32) throws -> Int32 {
    let descriptor = uninterrupted {
      openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    }
    guard descriptor >= 0 else {
      let failure = FileFailure()
      // Systems report a symbolic link with different error numbers here.
      if try entry(name, in: parent)?.isLink == true { throw FileFailure.link }
      throw failure
    }
    return descriptor
  }

  /// The entry of a name, without following a symbolic link; nil if there is none.
  static func entry(_ name: String, in parent: Int32) throws -> FileEntry? {
    var status = stat()
    guard uninterrupted({ fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) }) == 0 else {
      if errno == ENOENT { return nil }
      throw FileFailure()
    }
    return FileEntry(name: name, status)
  }
}

// MARK: Reading

extension Folder {
  /// The bytes of a file. Throws if the file is larger than the limit, or grows while it is read.
  /// O(size).
  ///
  /// - Parameter most: the limit for this file; nil for that of the folder.
  package func contents(of path: FilePath, atMost most: Int? = nil) throws -> [UInt8] {
    try withParent(of: path) { parent, name in
      let descriptor = try Folder.openFile(name, in: parent, O_RDONLY)
      defer { close(descriptor) }
      let size = try Folder.file(descriptor).size
      guard size <= most ?? limit else { throw tooLarge(size, most) }
      do throws(FileFault) {
        return try OrdinaryFile.rest(of: descriptor, atMost: size)
      } catch {
        if case .system(let number) = error { throw FileFailure(system: number) }
        throw FileFailure("changed", "it was changed while it was read")
      }
    }
  }

  /// The descriptor of a file. The caller must check with ``file(_:)`` that it is a regular one.
  static func openFile(
    _ name: String, in parent: Int32, _ flags: Int32, permissions: mode_t = 0o666
  ) throws -> Int32 {
    // Without O_NONBLOCK, a pipe without a writer would block the folder's thread. Without O_NOCTTY, a terminal could become
    // that of the process.
    let flags = flags | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC
    let descriptor = uninterrupted { openat(parent, name, flags, permissions) }
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
        let name = String(validatingCString: nameBytes(of: next))
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

// MARK: Writing

extension Folder {
  /// Replaces the content of a file, or keeps the old content if anything fails. A reader finds
  /// either the old or the new content, also at the same time and after a power failure.
  ///
  /// - Parameters:
  ///   - permissions: those of a new file; a replaced one keeps its own.
  ///   - temporary: the name of the file that is written first, which a crash leaves behind. By
  ///     default a new one each time. Else what has the name is removed, and only one caller may
  ///     write the file.
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
        // Nothing may fail after the rename, because the caller of a failed call takes the old file
        // to be there.
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

  /// Opens a file to append to it. It is made, for its owner alone, if there is none. Returns its
  /// size as well.
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

  /// Gives a file another name in the same folder, and replaces the file that has it. Does nothing
  /// if there is no such file.
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
    if let number = OrdinaryFile.put(bytes, into: descriptor) {
      throw FileFailure(system: number)
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

  func makeFolder(_ path: FilePath) throws {
    try withFolder(path.names, making: true) { _ in }
  }

  /// Makes the folder of a file, and its missing parents.
  func makeParent(of path: FilePath) throws {
    if path.names.count > 1 { try withFolder(path.names.dropLast(), making: true) { _ in } }
  }
}

/// A path relative to the folder, as a script gives it: names with `/` between them.
package struct FilePath: Sendable {
  /// As the script gave it, for messages.
  let text: String
  /// Empty for the folder itself. Never contains `..`, which could lead out of the folder.
  let names: [String]

  /// Throws for an absolute path, for `..` and for a zero byte.
  package init(_ text: String) throws(ScriptError) {
    self.text = text
    // Splits by bytes, as the system does: a slash followed by a combining accent is not the
    // `Character` "/".
    let bytes = text.utf8
    guard bytes.first != UInt8(ascii: "/") else {
      throw ScriptError("'\(text)' is an absolute path; paths begin in the folder of files")
    }
    guard !bytes.contains(0) else {
      throw ScriptError("a path may not have a zero byte in it")
    }
    let names = bytes.split(separator: UInt8(ascii: "/")).filter { !$0.elementsEqual(".".utf8) }
    guard !names.contains(where: { $0.elementsEqual("..".utf8) }) else {
      throw ScriptError("'\(text)' has '..' in it, which could lead out of the folder of files")
    }
    self.names = names.map { String(Substring($0)) }
  }
}

/// A name in a folder and the kind of file that it names. Symbolic links are not followed.
struct FileEntry: Sendable {
  enum Kind: String {
    case file, folder
    /// A link, a device or a pipe, which scripts cannot use.
    case other
  }

  let name: String
  let kind: Kind
  let isLink: Bool
  /// In bytes.
  let size: Int
  let permissions: mode_t
  let stamp: FileStamp

  init(name: String, _ status: stat) {
    self.name = name
    let type = status.st_mode & S_IFMT
    kind =
      switch type {
      case S_IFREG: .file
      case S_IFDIR: .folder
      default: .other
      }
    isLink = type == S_IFLNK
    size = Int(status.st_size)
    permissions = status.st_mode & 0o777
    stamp = FileStamp(status)
  }

  /// Throws unless the entry is a regular file.
  func requireFile() throws {
    switch kind {
    case .file: return
    case .folder: throw FileFailure.folder
    case .other: throw isLink ? FileFailure.link : FileFailure.special
    }
  }
}
