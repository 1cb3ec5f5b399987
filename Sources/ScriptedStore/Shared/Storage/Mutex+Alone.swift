import LuaBridge
import Synchronization

extension Mutex where Value == Void {
  /// Calls `body` while no other thread does the same. What it returns need not be sendable, because it does
  /// not come from the lock.
  func alone<R>(_ body: () throws(ScriptError) -> R) throws(ScriptError) -> R {
    let result = withLock { _ in
      do throws(ScriptError) {
        return Result<R, ScriptError>.success(try body())
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
