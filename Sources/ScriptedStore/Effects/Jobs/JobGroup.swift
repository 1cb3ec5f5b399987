import LuaBridge

/// Jobs that are waited for, or cancelled, together. It ends when its last job has ended.
///
/// 1. The jobs whose `parent` is the group are its parts. They are in `parts`.
/// 2. A group in flight has a part, or a ``holding(_:)`` call is running.
class JobGroup: Job {
  final private(set) var parts = JobList()
  /// The number of ``holding(_:)`` calls that are running. While there is one, the group does not
  /// end, even if it is empty.
  final private(set) var holds = 0

  final override var asGroup: JobGroup? { self }

  final var isEmpty: Bool { parts.isEmpty }

  /// Whether jobs may be started in the group.
  final var isOpen: Bool { !isCancelled && !hasEnded }

  /// Whether `group` is this group, or is inside of it.
  final func contains(_ group: JobGroup?) -> Bool {
    var group = group
    while let current = group {
      if current === self { return true }
      group = current.parent
    }
    return false
  }

  /// Begins a job in the group.
  final func add(_ job: Job) {
    takeOver(job)
    job.begin()
  }

  /// Adds a job that is in flight.
  final func takeOver(_ job: Job) {
    assert(!hasEnded, "invariant 3 of Job: a group that has ended gets no more parts")
    assert(job.parent == nil, "invariant 1: a job is a part of one group")
    job.parent = self
    parts.add(job, \.linksInGroup)
  }

  final func remove(_ job: Job) {
    parts.remove(job, \.linksInGroup)
    job.parent = nil
  }

  /// Calls `start`, which starts jobs in the group. If it has none afterwards, the group ends.
  @inline(__always)
  final func fill(_ start: () -> Void) {
    holding(start)
    endIfEmpty()
  }

  /// Calls `start`, and does not let the group end meanwhile.
  @inline(__always)
  final func holding(_ start: () -> Void) {
    holds += 1
    start()
    holds -= 1
  }

  final func endIfEmpty() {
    guard isEmpty && holds == 0 && !hasEnded else { return }
    becameEmpty()
  }

  /// Called when no job of the group is in flight any more.
  func becameEmpty() { end() }

  override func wasCancelled() { cancelParts() }

  final func cancelParts() {
    // Collected first, because cancelling a job may end it, and others with it.
    for job in parts.jobs(\.linksInGroup) { job.cancel() }
  }
}

/// The root job of an action that has started more than one job.
final class RootGroup: JobGroup {
  /// Called when the group has ended.
  private(set) var waiters: [@Sendable () -> Void] = []

  init(of effects: StoreEffects) { super.init(at: effects.places, of: effects) }

  func whenEnded(_ waiter: @escaping @Sendable () -> Void) { waiters.append(waiter) }

  override func endedAlone() { effects.ended(self, waiters) }
}

/// How to measure an effect once it starts.
struct Measurement: Sendable {
  let instrument: any SignpostInstrument
  let operation: InstrumentedOperation
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

/// Effects that run one after the other.
final class JobSequence: JobGroup {
  /// The effects that have not started, the next one last.
  private var rest: [EffectNode]
  override var holdsIDs: Bool { hasIDs }
  private let hasIDs: Bool
  private(set) var context: StartContext

  init(
    _ rest: [EffectNode], _ context: StartContext, of effects: StoreEffects
  ) {
    // Reversed, because effects are taken from the end.
    self.rest = rest.reversed()
    hasIDs = rest.contains(where: \.hasID)
    self.context = context
    super.init(at: context.place, of: effects)
  }

  override var code: SchedulerLink? { context.code }

  /// Starts the first effect.
  func startRest() {
    if hasIDs { place.queues.append(self) }
    endIfEmpty()
  }

  override func didEnd() {
    if hasIDs { place.queues.removeAll { $0 === self } }
  }

  override func cancelQueued(_ id: Value) { rest = rest.compactMap { $0.without(id) } }

  /// Starts effects until one of them is in flight; ends the sequence when none is left.
  override func becameEmpty() {
    effects.turn.asPart(of: rootJob) {
      while isEmpty, !isCancelled, let next = rest.popLast() {
        holding { effects.start(next, context, in: self) }
      }
    }
    // The next one follows an effect that is in flight now.
    var job: Job? = self
    while let group = job?.asGroup { job = group.parts.jobs(\.linksInGroup).last }
    if let job { context.cause = .effect(Int(job.number)) }
    if isEmpty { end() }
  }

  override func wasCancelled() {
    rest = []
    super.wasCancelled()
    endIfEmpty()
  }
}
