import LuaBridge

/// What runs effects' bodies, as functions that scripts wait for see it.
protocol Scheduling: AnyObject {
  /// Starts a task and makes the body that runs wait until it is done: it goes on with the value, or with the error
  /// raised. Throws outside of `effect.run`, before the task is started.
  ///
  /// - Parameter name: what the body waits for, in messages.
  func wait(
    for name: String, _ operation: @escaping @Sendable () async throws -> Value?
  ) throws -> HostResult
}
