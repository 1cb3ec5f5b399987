import LuaBridge

/// How to measure an effect once it starts.
final class Measurement: Sendable {
  let instrument: any SignpostInstrument
  let operation: InstrumentedOperation

  init(_ instrument: any SignpostInstrument, _ operation: InstrumentedOperation) {
    self.instrument = instrument
    self.operation = operation
  }
}

/// A measured effect in flight.
final class MeasuredGroup: JobGroup {
  private let finish: @Sendable (InstrumentedOperation.Outcome) -> Void

  init(_ measurement: Measurement, at place: EffectPlace, of effects: StoreEffects) {
    finish = measurement.instrument.begin(measurement.operation)
    super.init(at: place, of: effects)
  }

  override func didEnd() { finish(isCancelled ? .cancelled : .finished) }
}
