import Platform
import ScriptedStore

/// Files of one folder that a library opens by their paths, as SQLite does. Names are those of
/// ``FolderStorage``: no `..`, and no links below the folder.
///
/// A link that another process makes between ``file(_:making:)`` and the library's `open` is
/// followed, so the folder has to be one that no stranger can write.
package final class LibraryFiles: Sendable {
  private let folder: Folder
  /// Without links.
  private let path: String
  private let changes = FolderChanges(eachWriteWithin: .milliseconds(50))

  /// - Parameter name: what the folder is for, in the error if it cannot be opened.
  package init(_ path: String, limit: Int, named name: String) throws(ScriptError) {
    folder = try Folder(path, limit: limit, named: name)
    guard let real = realPath(path) else {
      throw ScriptError("\(name), \(path): \(FileFailure().reason)")
    }
    self.path = real
  }

  package struct File: Sendable, Equatable {
    package let path: String
    /// The number of the file in its file system. It differs if the file was replaced.
    package let number: UInt64
    /// It differs also if the file was written.
    let stamp: FileStamp
  }

  /// A file by its name; nil if there is none.
  ///
  /// - Parameter making: whether the file is made, for its owner alone, if there is none.
  package func file(_ name: String, making: Bool) throws(SharedStorageError) -> File? {
    do throws(SharedStorageError) {
      return try SharedStorageError.wrapping { try find(FilePath(name), making: making) }
    } catch {
      if error.code == "notFound" && !making { return nil }
      throw error
    }
  }

  private func find(_ file: FilePath, making: Bool) throws -> File? {
    let path = "\(path)/\(file.names.joined(separator: "/"))"
    if making { try folder.makeParent(of: file) }
    return try folder.withParent(of: file) { parent, name in
      changes.watch(parent)
      if making { try LibraryFiles.make(name, in: parent) }
      guard let entry = try Folder.entry(name, in: parent) else { return nil }
      try entry.requireFile()
      guard entry.size <= folder.limit else { throw folder.tooLarge(entry.size) }
      return File(path: path, number: entry.stamp.number, stamp: entry.stamp)
    }
  }

  /// Makes an empty file, unless there is one. That one is not opened: closing it would end all
  /// locks that this process has on it.
  private static func make(_ name: String, in parent: Int32) throws {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let descriptor = openat(parent, name, flags, 0o600)
    guard descriptor >= 0 || errno == EEXIST else { throw FileFailure() }
    if descriptor >= 0 { close(descriptor) }
  }

  /// Calls `handler` 50 ms after changes of files in the folders of all files whose paths were
  /// asked for.
  package func watch(_ handler: @escaping @Sendable () -> Void) { changes.start(handler) }
}
