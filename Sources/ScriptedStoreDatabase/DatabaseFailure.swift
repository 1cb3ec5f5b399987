#if Database
import GRDB
import ScriptedStore

extension SharedStorageError {
  /// Calls `body`, and makes its errors ones of a storage.
  static func wrapping<R>(_ body: () throws -> R) throws(SharedStorageError) -> R {
    do {
      return try body()
    } catch let error as SharedStorageError {
      throw error
    } catch let error as DatabaseError {
      throw SharedStorageError(error)
    } catch {
      throw SharedStorageError(code: "failed", message: "\(error)")
    }
  }

  private init(_ error: DatabaseError) {
    let code =
      switch error.resultCode {
      case .SQLITE_FULL: "full"
      case .SQLITE_BUSY, .SQLITE_LOCKED: "locked"
      case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH, .SQLITE_CANTOPEN: "denied"
      case .SQLITE_CORRUPT, .SQLITE_NOTADB: "corrupt"
      case .SQLITE_TOOBIG: "tooLarge"
      default: "failed"
      }
    self.init(code: code, message: error.message ?? "SQLite error \(error.resultCode.rawValue)")
  }
}
#endif
