import Metrics
import ScriptedStore
import Synchronization
import Tracing

/// Makes a span of swift-distributed-tracing and a timer of swift-metrics of what is under a `signpost`.
///
/// ```swift
/// let host = try ScriptHost(
///   root: "scripts", configuration: .init(instrument: TracingInstrument()))
/// ```
///
/// | | reducers | effects |
/// | --- | --- | --- |
/// | span | `Todos: toggle`, with attributes `feature`, `action`, `origin`; an error if the reducer raised | likewise; `cancelled` is true where it was |
/// | timer | `scripted_store_reducer_duration` with the dimension `feature` | `scripted_store_effect_duration` |
///
/// A span is a child of the task's that sends (`ServiceContext.current`). Where neither a tracer nor a metrics backend is
/// bootstrapped, both are those that do nothing.
public final class TracingInstrument: SignpostInstrument {
  private struct Series: Hashable {
    let kind: InstrumentedOperation.Kind
    let feature: String
  }

  private let tracer: (any Tracer)?
  private let factory: any MetricsFactory
  private let timers = Mutex<[Series: Metrics.Timer]>([:])

  /// - Parameters:
  ///   - tracer: nil for the one that the program bootstrapped.
  ///   - factory: nil likewise; what is bootstrapped after this was made is not seen.
  public init(tracer: (any Tracer)? = nil, metrics factory: (any MetricsFactory)? = nil) {
    self.tracer = tracer
    self.factory = factory ?? MetricsSystem.factory
  }

  public func begin(
    _ operation: InstrumentedOperation
  ) -> @Sendable (InstrumentedOperation.Outcome) -> Void {
    let span = startSpan(operation)
    span.updateAttributes { attributes in
      attributes["feature"] = operation.feature
      attributes["action"] = operation.action
      attributes["origin"] = operation.origin
    }
    let timer = timer(of: operation)
    let start = ContinuousClock.now
    return { outcome in
      timer.record(duration: ContinuousClock.now - start)
      switch outcome {
      case .finished: break
      case .cancelled: span.attributes["cancelled"] = true
      case .failed(let message):
        span.setStatus(SpanStatus(code: .error, message: message))
      }
      span.end()
    }
  }

  private func startSpan(_ operation: InstrumentedOperation) -> any Span {
    if let tracer { return tracer.startAnySpan(operation.name) }
    return Tracing.startSpan(operation.name)
  }

  private func timer(of operation: InstrumentedOperation) -> Metrics.Timer {
    timers.withLock { timers in
      let series = Series(kind: operation.kind, feature: operation.feature)
      if let known = timers[series] { return known }
      let timer = Metrics.Timer(
        label: "scripted_store_\(operation.kind)_duration",
        dimensions: [("feature", operation.feature)], factory: factory)
      timers[series] = timer
      return timer
    }
  }
}
