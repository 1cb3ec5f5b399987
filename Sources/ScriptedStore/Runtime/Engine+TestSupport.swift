import LuaBridge

/// The way to test support. This is the only file outside of `Testing/` that names what is declared
/// there (docs/decisions/0030).
extension Engine {
  /// Lets scripts require `scripted.test`.
  func addTestSupport() { testSupport = TestSupport(self) }

  /// Loads a test file with the test framework. Its blocks run; its tests do not.
  func loadTestFile(_ path: String, _ watch: TimeoutWatch) throws(ScriptError) {
    let context = try makeTestContext(
      watch, SnapshotFile(beside: path, .never), measuring: nil)
    _ = try context.load(path, seed: nil)
  }
}

/// Observes an engine for the tests of its VM. It hears what a host hears in live stores.
protocol TestObserver: AnyObject {
  /// Whether a function of a test computes what the test expects. It must not send actions or let
  /// time pass.
  var isExpecting: Bool { get }
  /// Whether a `send` that a test itself calls too late raises there, instead of being a warning.
  var refusesLateSends: Bool { get }
  func report(_ warning: RuntimeWarning)
  /// A dependency was called that has no value in tests. The call then raises.
  func report(_ call: UnimplementedCall)
  /// `effect.result` has made a failure of a programming error, as of an index of nil.
  func reportCaught(_ error: String)
  /// A job of the worker has ended.
  func requestEnded()
  /// The engine is about to be deallocated.
  func end()
}

/// What tests add to an engine, which owns it.
protocol EngineTestSupport: AnyObject {
  /// Observes the engine; nil before the first test store.
  var observer: (any TestObserver)? { get }
}
