/// Measures what is under a `signpost`: reducers, and the effects that they return.
///
/// The product `ScriptedStoreTracing` has one that makes swift-distributed-tracing's spans and swift-metrics' timers; a
/// host on Apple's platforms may write one with `OSSignposter`.
///
/// ```swift
/// struct Stopwatch: SignpostInstrument {
///   func begin(_ operation: InstrumentedOperation) -> @Sendable (InstrumentedOperation.Outcome) -> Void {
///     let start = ContinuousClock.now
///     return { outcome in print(operation.name, outcome, ContinuousClock.now - start) }
///   }
/// }
/// ```
public protocol SignpostInstrument: Sendable {
  /// Something begins; what is returned is called once, when it ends. Both run inside the VM's lock, where they must
  /// be quick, and must not send.
  func begin(
    _ operation: InstrumentedOperation
  ) -> @Sendable (_ outcome: InstrumentedOperation.Outcome) -> Void
}

/// What an ``SignpostInstrument`` measures.
public struct InstrumentedOperation: Sendable, Hashable {
  public enum Kind: String, Sendable, Hashable {
    /// A reducer with all below it, for one action.
    case reducer
    /// An effect, from its start to the end of all that it started.
    case effect
  }

  public enum Outcome: Sendable, Hashable {
    case finished
    /// An effect was cancelled.
    case cancelled
    /// A reducer raised this.
    case failed(String)
  }

  public let kind: Kind
  /// What `signpost` was given.
  public let prefix: String?
  /// The name of the feature under `signpost`.
  public let feature: String
  /// The path of the action, as the feature got it.
  public let action: String
  /// `signpost at app.lua:12`, or for an effect the line of the handler that returned it.
  public let origin: String

  /// `App: todos[3].toggle`, with the prefix in front if there is one.
  public var name: String { (prefix.map { "\($0) " } ?? "") + "\(feature): \(action)" }
}

/// An effect to be measured once it starts.
final class Measurement: Sendable {
  let instrument: any SignpostInstrument
  let operation: InstrumentedOperation

  init(_ instrument: any SignpostInstrument, _ operation: InstrumentedOperation) {
    self.instrument = instrument
    self.operation = operation
  }
}

/// An effect that is measured, while it is in flight.
final class MeasuredGroup: Group {
  private let finish: @Sendable (InstrumentedOperation.Outcome) -> Void
  private let effects: StoreEffects

  init(_ measurement: Measurement, at place: EffectPlace, of effects: StoreEffects) {
    finish = measurement.instrument.begin(measurement.operation)
    self.effects = effects
    super.init(at: place, effects.runner.makeSerial())
  }

  override func didEnd() { finish(isCancelled ? .cancelled : .finished) }

  override func endedAlone() { effects.ended(self, []) }
}
