import LuaBridge

/// A part of what an action started: a node in the tree of what is in flight.
///
/// A job is alive from ``Group/add(_:)`` or ``beginAlone()`` until it ends; the tree keeps it.
class Job: Timed {
  // The small ones first: they fit behind those of `Timed`.
  final private(set) var isCancelled = false
  final private(set) var hasEnded = false
  /// Where threads outside find it, -1 if none knows it.
  final var known: Int32 = -1
  /// What waits for this one; nil for all that an action started.
  final fileprivate(set) unowned(unsafe) var parent: Group?
  private final unowned(unsafe) var previous: Job?
  fileprivate final unowned(unsafe) var next: Job?
  /// Where it was returned.
  final let place: EffectPlace
  final unowned(unsafe) var previousAtPlace: Job?
  final unowned(unsafe) var nextAtPlace: Job?
  /// Counts up in the order in which jobs are made.
  final let number: UInt64

  init(at place: EffectPlace, _ number: UInt64) {
    self.place = place
    self.number = number
  }

  /// Ends it as soon as it lets itself be ended.
  final func cancel() {
    guard !isCancelled && !hasEnded else { return }
    isCancelled = true
    wasCancelled()
  }

  /// What there is to cancel.
  func wasCancelled() {}

  /// Its turn has come.
  func takeTurn() {}

  /// It is over: its parent waits for it no longer.
  final func end() {
    guard !hasEnded else { return }
    hasEnded = true
    withExtendedLifetime(self) {
      didEnd()
      place.remove(self)
      if let parent {
        parent.remove(self)
        parent.endIfEmpty()
      } else {
        endedAlone()
        Unmanaged.passUnretained(self).release()
      }
    }
  }

  func didEnd() {}

  // MARK: Alone

  /// Begins as all that an action has started.
  final func beginAlone() {
    place.add(self)
    _ = Unmanaged.passRetained(self)
  }

  /// It turned out that there is more: from now on it is a part of that.
  final func becomePart(of root: RootGroup) { root.takeOver(self) }

  /// All that an action started is over.
  func endedAlone() {}

  /// All that the action started which started this; itself if it is that.
  final var origin: Job {
    guard var top = parent else { return self }
    while let parent = top.parent { top = parent }
    return top
  }

  // MARK: Siblings

  fileprivate final func link(before first: Job?) {
    next = first
    first?.previous = self
  }

  fileprivate final func unlink(from first: inout Job?) {
    if let previous { previous.next = next } else { first = next }
    next?.previous = previous
    (previous, next) = (nil, nil)
  }
}

/// Jobs that are waited for, or cancelled, together.
class Group: Job {
  private final unowned(unsafe) var first: Job?
  /// As long as its jobs are being started, it does not end for the lack of one.
  private final var holds = 0

  final var isEmpty: Bool { first == nil }

  /// Whether a group is this one or a part of it.
  final func contains(_ group: Group?) -> Bool {
    var group = group
    while let current = group {
      if current === self { return true }
      group = current.parent
    }
    return false
  }

  final func add(_ job: Job) {
    takeOver(job)
    job.place.add(job)
    _ = Unmanaged.passRetained(job)
  }

  /// The same of one that is in flight.
  fileprivate final func takeOver(_ job: Job) {
    job.parent = self
    job.link(before: first)
    first = job
  }

  fileprivate final func remove(_ job: Job) {
    job.unlink(from: &first)
    job.parent = nil
    Unmanaged.passUnretained(job).release()
  }

  /// Starts jobs in it; then it ends when they have.
  @inline(__always)
  final func fill(_ start: () -> Void) {
    holding(start)
    endIfEmpty()
  }

  /// Starts jobs in it, which does not end for the lack of one meanwhile.
  @inline(__always)
  final func holding(_ start: () -> Void) {
    holds += 1
    start()
    holds -= 1
  }

  final func endIfEmpty() {
    guard first == nil && holds == 0 && !hasEnded else { return }
    becameEmpty()
  }

  /// Nothing of it is in flight any more.
  func becameEmpty() { end() }

  override func wasCancelled() { cancelParts() }

  final func cancelParts() {
    if let only = first, only.next == nil { return only.cancel() }
    // Cancelling one may end it, and others with it.
    var jobs: [Job] = []
    var job = first
    while let current = job {
      jobs.append(current)
      job = current.next
    }
    // Those that were started first are at the end.
    for job in jobs.reversed() { job.cancel() }
  }
}

/// All that an action started, and what that started in turn, where that is more than one job.
final class RootGroup: Group {
  /// Called when nothing of it is in flight any more.
  private(set) var waiters: [@Sendable () -> Void] = []
  unowned(unsafe) let effects: StoreEffects

  init(of effects: StoreEffects) {
    self.effects = effects
    super.init(at: effects.places, effects.runner.makeSerial())
  }

  func whenEnded(_ waiter: @escaping @Sendable () -> Void) { waiters.append(waiter) }

  override func endedAlone() { effects.ended(self, waiters) }
}

/// What can be cancelled by an id.
class Scope: Group {
  final let id: Value
  /// Where it is with the others of the same id at the same place, while it is in flight.
  private final var list: ScopeList?
  private final unowned(unsafe) var newer: Scope?
  final private(set) unowned(unsafe) var older: Scope?
  unowned(unsafe) let effects: StoreEffects

  init(_ id: Value, at place: EffectPlace, of effects: StoreEffects) {
    self.id = id
    self.effects = effects
    super.init(at: place, effects.runner.makeSerial())
  }

  final func join(_ list: ScopeList) {
    self.list = list
    older = list.newest
    older?.newer = self
    list.newest = self
  }

  /// Leaves its list; that if nothing is in it any more.
  final func leaveList() -> ScopeList? {
    guard let list else { return nil }
    older?.newer = newer
    if let newer { newer.older = older } else { list.newest = older }
    (self.list, newer, older) = (nil, nil, nil)
    return list.newest == nil ? list : nil
  }

  override func didEnd() { effects.remove(self) }

  override func endedAlone() { effects.ended(self, []) }
}

/// Effects one after the other.
final class Sequence: Group {
  private var rest: [EffectNode]
  private let context: StartContext
  private unowned(unsafe) let effects: StoreEffects

  init(
    _ rest: [EffectNode], _ context: StartContext, of effects: StoreEffects
  ) {
    // Taken from the end.
    self.rest = rest.reversed()
    self.context = context
    self.effects = effects
    super.init(at: context.place, effects.runner.makeSerial())
    if rest.contains(where: \.hasID) { place.queues.append(Unmanaged.passUnretained(self)) }
  }

  override func didEnd() {
    if !place.queues.isEmpty {
      place.queues.removeAll { $0.toOpaque() == Unmanaged.passUnretained(self).toOpaque() }
    }
  }

  /// Takes out what could be cancelled by this id and has not started.
  func cancelQueued(_ id: Value) { rest = rest.compactMap { $0.without(id) } }

  /// Starts the next ones, as far as those before have ended.
  override func becameEmpty() {
    effects.asPart(of: origin) {
      while isEmpty, !isCancelled, let next = rest.popLast() {
        holding { effects.start(next, context, in: self) }
      }
    }
    if isEmpty { end() }
  }

  override func wasCancelled() {
    rest = []
    super.wasCancelled()
    endIfEmpty()
  }
}
