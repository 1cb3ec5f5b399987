import Platform
import ScriptedStore
import Synchronization

/// Stores shared values as files of one folder. No path leads outside of it, and links are not
/// followed.
///
/// ```swift
/// var configuration = ScriptHost.Configuration()
/// configuration.shared = try .folder("/var/lib/app")
/// ```
///
/// Several processes may use one folder. Each sees what the others write, and also what an editor
/// writes. While a process writes a file it holds a lock on the file `.lock` of the folder.
///
/// A file is replaced by writing a new one next to it, which is flushed to the disk and renamed.
/// Bytes that are appended outlive the process when the call returns; they are not flushed to the
/// disk.
public final class FolderStorage: SharedStorage {
  private let folder: Folder
  /// A file that was appended to, open.
  private final class Appended {
    let descriptor: Int32
    /// No other process appends to it.
    var size: Int
    /// Whether its name is on the disk as well.
    var isNamed = false

    init(_ file: (descriptor: Int32, size: Int)) { (descriptor, size) = file }

    deinit { close(descriptor) }
  }

  /// The journals that were appended to last.
  private let appended = Mutex<[String: Appended]>([:])
  private static let mostOpen = 64
  /// A journal is begun anew long before it has as many bytes: a file that has more is none.
  private static let longestJournal = 256 << 20
  public let isFirst: Bool
  /// The file `.lock`, once it is open. Held while this process has the lock.
  private let lock = Mutex<Int32>(-1)
  /// What the files were when they were read or replaced here last; nil for no file.
  private let stamps = Mutex<[String: FileStamp?]>([:])
  private let changes: FolderChanges

  /// - Parameters:
  ///   - path: the folder, which must exist.
  ///   - limit: the largest size in bytes of a file. Not of a journal, which has changes that
  ///     others have seen; it has 256 MiB at most.
  /// - Throws: a `ScriptError` if the folder cannot be opened.
  public init(_ path: String, limit: Int = 10 << 20) throws {
    folder = try Folder(path, limit: limit, named: "the folder of shared values")
    // A file system without locks has one process, as far as can be known.
    let descriptor = folder.descriptor
    isFirst =
      Folder.uninterrupted { flock(descriptor, LOCK_EX | LOCK_NB) } == 0 || errno != EWOULDBLOCK
    changes = FolderChanges()
  }

  deinit {
    lock.withLock { if $0 >= 0 { close($0) } }
  }

  private func closeFile(_ name: String) {
    appended.withLock { _ = $0.removeValue(forKey: name) }
  }

  private func perform<R>(
    _ name: String, _ operation: (FilePath) throws -> R
  ) throws(SharedStorageError) -> R {
    try SharedStorageError.wrapping { try operation(try FilePath(name)) }
  }

  public func read(_ name: String) throws(SharedStorageError) -> [UInt8]? {
    do throws(SharedStorageError) {
      return try perform(name) { path in
        removeLeftover(of: path)
        // Before it is read, so that a write in between is seen later.
        note(path, try stamp(of: path))
        // By bytes: a dot before a combining character is not the `Character` ".".
        let isJournal = path.names.last?.utf8.first == UInt8(ascii: ".")
        return try folder.contents(of: path, atMost: isJournal ? FolderStorage.longestJournal : nil)
      }
    } catch {
      // In a folder that is gone, no file was removed by itself.
      if error.code == "notFound" && !folder.isRemoved { return nil }
      throw error
    }
  }

  public func replace(_ name: String, with bytes: [UInt8]) throws(SharedStorageError) {
    try perform(name) { path in
      try folder.makeParent(of: path)
      // Always the same name, so that what a kill has left behind is found.
      let stamp = try folder.replace(
        path, with: bytes, permissions: 0o600, temporary: temporaryName(of: path))
      note(path, stamp)
    }
  }

  private func temporaryName(of path: FilePath) -> String { ".\(path.names.last ?? "").tmp" }

  /// Removes the temporary file that a kill has left behind, where the file has not been read
  /// before. Not if another process uses the folder, which may be writing it.
  private func removeLeftover(of path: FilePath) {
    guard isFirst, stamps.withLock({ $0[path.text] == nil }) else { return }
    // Its own descriptor, because this thread may hold the lock by the other one. Then nothing is
    // removed.
    let lock = openat(folder.descriptor, ".lock", O_RDWR | O_NOFOLLOW | O_CLOEXEC)
    guard lock >= 0 else { return }
    defer { close(lock) }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else { return }
    _ = try? folder.withParent(of: path) { parent, _ in
      unlinkat(parent, temporaryName(of: path), 0)
    }
  }

  /// What a file is now; nil if it is not there, or if its folder is not.
  private func stamp(of path: FilePath) throws -> FileStamp? {
    do {
      return try folder.withParent(of: path) { try Folder.entry($1, in: $0)?.stamp }
    } catch let failure as FileFailure where failure.code == "notFound" {
      return nil
    }
  }

  /// Remembers what a file is, and watches the folder that it is in, if that is possible.
  private func note(_ path: FilePath, _ stamp: FileStamp?) {
    stamps.withLock { $0[path.text] = .some(stamp) }
    _ = try? folder.withFolder(path.names.dropLast()) { changes.watch($0) }
  }

  public func append(_ bytes: [UInt8], to name: String) throws(SharedStorageError) {
    try SharedStorageError.wrapping {
      // Locked while it writes, so that no other thread closes the file meanwhile.
      try appended.withLock { appended in
        let file = try open(name, &appended)
        do {
          try Folder.put(bytes, into: file.descriptor)
          file.size += bytes.count
        } catch {
          _ = Folder.uninterrupted { ftruncate(file.descriptor, off_t(file.size)) }
          // Its size is not known if that has failed as well.
          appended[name] = nil
          throw error
        }
      }
    }
  }

  public func synchronize(_ name: String) throws(SharedStorageError) {
    try SharedStorageError.wrapping {
      try appended.withLock { appended in
        let file = try open(name, &appended)
        guard Folder.uninterrupted({ Folder.flushData(file.descriptor) }) == 0 else {
          throw FileFailure()
        }
        if file.isNamed { return }
        // Some file systems do not support it and do not need it.
        _ = try folder.withParent(of: FilePath(name)) { parent, _ in fsync(parent) }
        file.isNamed = true
      }
    }
  }

  private func open(_ name: String, _ appended: inout [String: Appended]) throws -> Appended {
    if let known = appended[name] { return known }
    let path = try FilePath(name)
    try folder.makeParent(of: path)
    let new = Appended(try folder.openToAppend(path))
    if appended.count >= FolderStorage.mostOpen { appended = [:] }
    appended[name] = new
    return new
  }

  public func forget(_ name: String) {
    closeFile(name)
    stamps.withLock { _ = $0.removeValue(forKey: name) }
  }

  public func move(_ name: String, to other: String) throws(SharedStorageError) {
    closeFile(name)
    closeFile(other)
    try perform(name) { path in try folder.rename(path, to: try FilePath(other)) }
    noteRemoval(of: name)
  }

  public func remove(_ name: String) throws(SharedStorageError) {
    closeFile(name)
    do throws(SharedStorageError) {
      _ = try perform(name) { try folder.remove($0) }
    } catch {
      if error.code != "notFound" { throw error }
    }
    noteRemoval(of: name)
  }

  private func noteRemoval(of name: String) {
    stamps.withLock { stamps in
      if stamps[name] != nil { stamps[name] = .some(nil) }
    }
  }

  // MARK: Other processes

  public func alone(
    _ body: () throws(SharedStorageError) -> Void
  ) throws(SharedStorageError) {
    try lock.withLock { (descriptor) throws(SharedStorageError) in
      if descriptor < 0 { descriptor = try openLock() }
      let isLocked = descriptor >= 0 ? try FolderStorage.wait(for: descriptor) : false
      defer { if isLocked { flock(descriptor, LOCK_UN) } }
      try body()
    }
  }

  /// Opens the file of the lock. Less than 0 in a folder that may only be read, where no process
  /// writes.
  private func openLock() throws(SharedStorageError) -> Int32 {
    let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC
    let new = Folder.uninterrupted { openat(folder.descriptor, ".lock", flags, 0o600) }
    let failure = FileFailure()
    if new < 0, failure.code != "denied" { throw SharedStorageError(failure) }
    return new
  }

  /// Takes the lock. False on a file system without locks. Throws if another process holds it for
  /// ten seconds.
  private static func wait(for lock: Int32) throws(SharedStorageError) -> Bool {
    for _ in 0..<10_000 {
      if flock(lock, LOCK_EX | LOCK_NB) == 0 { return true }
      switch errno {
      case EWOULDBLOCK: usleep(1000)
      case EINTR: continue
      case ENOTSUP, ENOSYS, ENOLCK, EINVAL: return false
      default: throw SharedStorageError(FileFailure())
      }
    }
    throw SharedStorageError(
      code: "locked", message: "another process has held the lock on the folder for ten seconds")
  }

  public func mayHaveChanged(_ name: String) -> Bool {
    guard let known = stamps.withLock({ $0[name] }) else { return false }
    return (try? perform(name) { try stamp(of: $0) }) != known
  }

  public func watch(_ handler: @escaping @Sendable (_ name: String) -> Void) {
    changes.start { [weak self] in
      guard let self else { return }
      for name in stamps.withLock({ Array($0.keys) }) where mayHaveChanged(name) { handler(name) }
    }
  }
}

extension SharedStorage where Self == FolderStorage {
  /// Files in a folder, which must exist; see ``FolderStorage``.
  public static func folder(_ path: String) throws -> FolderStorage { try FolderStorage(path) }
}
