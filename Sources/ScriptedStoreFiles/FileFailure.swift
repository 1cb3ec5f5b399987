import LuaBridge
import ScriptedStoreClients

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Why a file could not be used.
struct FileFailure: Error {
  /// What scripts tell it by.
  let code: String
  let reason: String

  init(_ code: String, _ reason: String) {
    self.code = code
    self.reason = reason
  }

  /// The system's error, `errno` where it is left out.
  init(system number: Int32 = errno) {
    let code =
      switch number {
      case ENOENT: "notFound"
      case ENOTDIR: "notFolder"
      case EISDIR: "isFolder"
      case ELOOP: "link"
      case EEXIST: "exists"
      case ENOTEMPTY: "notEmpty"
      case EACCES, EPERM, EROFS: "denied"
      case ENOSPC, EDQUOT: "full"
      default: "failed"
      }
    self.init(code, String(cString: strerror(number)))
  }

  static let link = FileFailure("link", "it is a link, and links are never followed")
  static let folder = FileFailure("isFolder", "it is a folder")
  static let special = FileFailure("notFile", "it is neither a file nor a folder")

  /// As scripts see it: `cannot read notes/a.txt: No such file or directory`.
  func error(_ verb: String, _ path: FilePath) -> ScriptError {
    let path = path.names.isEmpty ? "the folder of files" : path.text
    return .failure(code, "cannot \(verb) \(path): \(reason)", ["path": .string(path)])
  }
}
