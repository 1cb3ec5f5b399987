import LuaBridge
import Platform
import ScriptedStore

struct FileFailure: Error {
  /// The code by which scripts identify the failure.
  let code: String
  let reason: String

  init(_ code: String, _ reason: String) {
    self.code = code
    self.reason = reason
  }

  /// An error of the system, by default `errno`.
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

  /// The error for scripts, such as `cannot read notes/a.txt: No such file or directory`.
  func error(_ verb: String, _ path: FilePath) -> ScriptError {
    let path = path.names.isEmpty ? "the folder of files" : path.text
    return .failure(code, "cannot \(verb) \(path): \(reason)", ["path": .string(path)])
  }
}

extension SharedStorageError {
  init(_ failure: FileFailure) { self.init(code: failure.code, message: failure.reason) }

  /// Calls `body`, and makes its errors ones of a storage.
  static func wrapping<R>(_ body: () throws -> R) throws(SharedStorageError) -> R {
    do {
      return try body()
    } catch let failure as FileFailure {
      throw SharedStorageError(failure)
    } catch {
      throw SharedStorageError(code: "failed", message: "\(error)")
    }
  }
}
