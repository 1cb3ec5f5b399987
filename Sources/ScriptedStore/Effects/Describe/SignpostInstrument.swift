/// Measures what is under a `signpost`: reducers, and the effects that they return.
///
/// The product `ScriptedStoreTracing` has an instrument that makes spans of
/// swift-distributed-tracing and timers of swift-metrics. A host on Apple's platforms may write one
/// with `OSSignposter`.
///
/// ```swift
/// struct Stopwatch: SignpostInstrument {
///   func begin(
///     _ operation: InstrumentedOperation
///   ) -> @Sendable (InstrumentedOperation.Outcome) -> Void {
///     let start = ContinuousClock.now
///     return { outcome in print(operation.name, outcome, ContinuousClock.now - start) }
///   }
/// }
/// ```
public protocol SignpostInstrument: Sendable {
  /// Called when an operation begins. The returned closure is called once, when it ends. Both run
  /// inside the VM's lock: they must be quick, and must not send.
  func begin(
    _ operation: InstrumentedOperation
  ) -> @Sendable (_ outcome: InstrumentedOperation.Outcome) -> Void
}

/// An operation that a ``SignpostInstrument`` measures.
public struct InstrumentedOperation: Sendable, Hashable {
  public enum Kind: String, Sendable, Hashable {
    /// A reducer, with all reducers below it, for one action.
    case reducer
    /// An effect, from its start to the end of all that it started.
    case effect
  }

  public enum Outcome: Sendable, Hashable {
    case finished
    /// The effect was cancelled.
    case cancelled
    /// The reducer raised this error.
    case failed(String)
  }

  public let kind: Kind
  /// The prefix that `signpost` was given.
  public let prefix: String?
  /// The name of the feature under `signpost`.
  public let feature: String
  /// The path of the action, as the feature gets it.
  public let action: String
  /// `signpost at app.lua:12`; for an effect, the source line of the handler that returned it.
  public let origin: String

  /// `App: todos[3].toggle`, after the prefix if there is one.
  public var name: String { (prefix.map { "\($0) " } ?? "") + "\(feature): \(action)" }
}
