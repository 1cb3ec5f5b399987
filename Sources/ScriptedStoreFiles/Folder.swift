import Dispatch
import LuaBridge
import Platform

/// The folder that scripts may use. It is open while this object exists.
///
/// Each path is opened name by name from the folder's descriptor, and no step follows a symbolic
/// link. So what another process does to the tree meanwhile can make an operation fail, but cannot
/// lead it outside.
final class Folder: Sendable {
  let descriptor: Int32
  /// The largest size of a file, in bytes.
  let limit: Int
  /// Operations block, so they run on a thread of their own, one at a time.
  private let queue = DispatchQueue(label: "ScriptedStore.files")

  /// - Parameter name: what the folder is for, in the error if it cannot be opened.
  init(
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
