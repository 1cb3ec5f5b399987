import Platform
import ScriptedStore
import Synchronization

/// Stores shared values as files of one folder. No path leads outside of it, and links are not followed.
///
/// ```swift
/// var configuration = ScriptHost.Configuration()
/// configuration.shared = try .folder("/var/lib/app")
/// ```
///
/// A file is replaced by writing a new one next to it, which is flushed to the disk and renamed. Bytes
/// that are appended outlive the process when the call returns; they are not flushed to the disk.
public final class FolderStorage: SharedStorage {
  private let folder: Folder
  /// The journals that were appended to last, open.
  private let appended = Mutex<[String: Int32]>([:])
  private static let mostOpen = 64

  /// - Parameters:
  ///   - path: the folder, which must exist.
  ///   - limit: the largest size in bytes of a file.
  /// - Throws: a ``ScriptError`` if the folder cannot be opened.
  public init(_ path: String, limit: Int = 10 << 20) throws {
    folder = try Folder(path, limit: limit)
  }

  deinit {
    appended.withLock { for descriptor in $0.values { close(descriptor) } }
  }

  private func closeFile(_ name: String) {
    appended.withLock { appended in
      if let descriptor = appended.removeValue(forKey: name) { close(descriptor) }
    }
  }

  private func perform<R>(
    _ name: String, _ operation: (FilePath) throws -> R
  ) throws(SharedStorageError) -> R {
    do {
      return try operation(try FilePath(name))
    } catch let failure as FileFailure {
      throw SharedStorageError(code: failure.code, message: failure.reason)
    } catch {
      throw SharedStorageError(code: "failed", message: "\(error)")
    }
  }

  public func read(_ name: String) throws(SharedStorageError) -> [UInt8]? {
    do throws(SharedStorageError) {
      return try perform(name) { try folder.contents(of: $0) }
    } catch {
      if error.code == "notFound" { return nil }
      throw error
    }
  }

  public func replace(_ name: String, with bytes: [UInt8]) throws(SharedStorageError) {
    try perform(name) { path in
      try makeParent(of: path)
      // Always the same name, so that the next write removes what a crash has left behind.
      try folder.replace(
        path, with: bytes, permissions: 0o600, temporary: ".\(path.names.last ?? "").tmp")
    }
  }

  public func append(_ bytes: [UInt8], to name: String) throws(SharedStorageError) {
    try perform(name) { path in
      // Locked while it writes, so that no other thread closes the file meanwhile.
      try appended.withLock { appended in
        let descriptor = try open(path, &appended)
        let size = try Folder.file(descriptor).size
        do {
          try Folder.put(bytes, into: descriptor)
        } catch {
          // A torn line would hide the lines behind it.
          ftruncate(descriptor, off_t(size))
          throw error
        }
      }
    }
  }

  private func open(_ path: FilePath, _ appended: inout [String: Int32]) throws -> Int32 {
    if let known = appended[path.text] { return known }
    try makeParent(of: path)
    let new = try folder.openToAppend(path)
    if appended.count >= FolderStorage.mostOpen {
      for descriptor in appended.values { close(descriptor) }
      appended = [:]
    }
    appended[path.text] = new
    return new
  }

  private func makeParent(of path: FilePath) throws {
    guard path.names.count > 1 else { return }
    try folder.makeFolder(try FilePath(path.names.dropLast().joined(separator: "/")))
  }

  public func move(_ name: String, to other: String) throws(SharedStorageError) {
    closeFile(name)
    closeFile(other)
    try perform(name) { path in try folder.rename(path, to: try FilePath(other)) }
  }

  public func remove(_ name: String) throws(SharedStorageError) {
    closeFile(name)
    do throws(SharedStorageError) {
      _ = try perform(name) { try folder.remove($0) }
    } catch {
      if error.code != "notFound" { throw error }
    }
  }
}

extension SharedStorage where Self == FolderStorage {
  /// Files in a folder, which must exist; see ``FolderStorage``.
  public static func folder(_ path: String) throws -> FolderStorage { try FolderStorage(path) }
}
