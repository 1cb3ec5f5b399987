import LuaBridge

/// The way to what runs effects for what Lua keeps. Inside a worker.
///
/// Not a weak reference: an object that has one pays for each strong one that is taken, and those of the runner are
/// taken with each effect.
final class SchedulerLink {
  // Proof: who sets it takes it away in its `deinit`.
  private unowned(unsafe) var runner: EffectRunner?

  func connect(_ runner: EffectRunner) { self.runner = runner }
  func disconnect() { runner = nil }

  func running() throws(ScriptError) -> EffectRunner {
    if let runner { return runner }
    throw ScriptError("nothing can be waited for: the host is gone")
  }
}
