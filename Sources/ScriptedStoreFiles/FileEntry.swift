import LuaBridge
import Platform

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
