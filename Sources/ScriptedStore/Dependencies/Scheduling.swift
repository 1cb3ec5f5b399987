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

/// The way to a scheduler for what Lua keeps. Inside a worker.
///
/// Not a weak reference: an object that has one pays for each strong one that is taken, and those of a scheduler are
/// taken with each effect.
final class SchedulerLink {
  // Proof: who sets it takes it away in its `deinit`.
  private unowned(unsafe) var scheduler: (any Scheduling)?

  func connect(_ scheduler: any Scheduling) { self.scheduler = scheduler }
  func disconnect() { scheduler = nil }

  func running() throws(ScriptError) -> any Scheduling {
    if let scheduler { return scheduler }
    throw ScriptError("nothing can be waited for: the host is gone")
  }
}
