import Dispatch
import LuaBridge

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The folder that scripts may use, open for as long as this lives.
///
/// Paths are walked name by name from its descriptor, and no step follows a link. What another process
/// does to the tree meanwhile can therefore make an operation fail, and never lead it outside.
final class Folder: Sendable {
  let descriptor: Int32
  /// Bytes that a file may have.
  let limit: Int
  /// Operations block, so they have a thread of their own, and run one at a time.
  private let queue = DispatchQueue(label: "ScriptedStore.files")

  init(_ path: String, limit: Int) throws(ScriptError) {
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    self.limit = limit
    guard descriptor >= 0 else {
      throw ScriptError("the folder of files, \(path): \(FileFailure().reason)")
    }
  }

  deinit { close(descriptor) }

  /// Runs an operation on a path on the folder's thread. `verb` is for the message of what it throws.
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

// MARK: Walking

extension Folder {
  /// Calls `body` with the descriptor of the folder that a path's last name is in, and that name.
  func withParent<Result>(
    of path: FilePath, _ body: (_ parent: Int32, _ name: String) throws -> Result
  ) throws -> Result {
    guard let last = path.names.last else { throw FileFailure.folder }
    return try withFolder(path.names.dropLast()) { try body($0, last) }
  }

  /// Calls `body` with the descriptor of a folder, whose position in its entries is nobody else's.
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
    let descriptor = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else {
      let failure = FileFailure()
      // Systems differ in what they call a link here.
      if try entry(name, in: parent)?.isLink == true { throw FileFailure.link }
      throw failure
    }
    return descriptor
  }

  /// What a name stands for, a link for itself; nil if there is nothing.
  static func entry(_ name: String, in parent: Int32) throws -> FileEntry? {
    var status = stat()
    guard fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      if errno == ENOENT { return nil }
      throw FileFailure()
    }
    return FileEntry(name: name, status)
  }
}
