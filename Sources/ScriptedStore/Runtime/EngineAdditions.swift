/// What is built on engines. An engine calls it and does not know it.
struct EngineAdditions: Sendable {
  /// Makes what tests add to an engine in their context, which owns it.
  var testSupport: @Sendable (Engine) -> AnyObject
  /// Called in a live engine after scripts ran out of memory, when the worker is free: only then is it known how much
  /// memory the scripts retain.
  var didRunOutOfMemory: @Sendable (Engine) -> Void = { _ in }
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
  /// A request of the worker has ended.
  func requestEnded()
  /// The engine is about to be deallocated.
  func end()
}
