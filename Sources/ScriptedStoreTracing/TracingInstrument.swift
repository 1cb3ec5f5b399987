import Metrics
import ScriptedStore
import Synchronization
import Tracing

/// Records a span of swift-distributed-tracing and a timer of swift-metrics for the reducers and
/// effects under a `signpost`.
///
/// ```swift
/// let host = try ScriptHost(
///   root: "scripts", configuration: .init(instrument: TracingInstrument()))
/// ```
///
/// - A reducer's span has the name `Todos: toggle` and the attributes `feature`, `action` and
///   `origin`. Its status is an error if the reducer raised.
/// - An effect's span has the same name, attributes and status. Its attribute `cancelled` is true
///   if the effect was cancelled.
/// - The timers are `scripted_store_reducer_duration` and `scripted_store_effect_duration`, with
///   the dimension `feature`.
///
/// A span is a child of the span of the task that sends the action (`ServiceContext.current`). If
/// no tracer or no metrics backend is bootstrapped, spans or timers do nothing.
public final class TracingInstrument: SignpostInstrument {
  private struct Series: Hashable {
    let kind: InstrumentedOperation.Kind
    let feature: String
  }

  private let tracer: (any Tracer)?
  private let factory: any MetricsFactory
  private let timers = Mutex<[Series: Metrics.Timer]>([:])

  /// - Parameters:
  ///   - tracer: nil for the tracer that the program has bootstrapped.
  ///   - factory: nil for the metrics backend that the program has bootstrapped by now; one that is
  ///     bootstrapped later is not used.
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
