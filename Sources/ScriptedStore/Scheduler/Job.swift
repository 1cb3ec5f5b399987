import LuaBridge

/// A part of what an action started: a node in the tree of jobs.
///
/// Who owns what:
///
/// 1. A job in flight, from ``begin()`` to ``end()``, has one reference (+1) of its own, which `end()` gives back. Only
///    jobs in flight are in the lists of a group, a place and an id; so these lists hold no references.
/// 2. A job retains what it points at: its group, its place, the list of its id. The cycles that this makes end with the
///    job, which leaves its group and its list.
/// 3. Nothing is started in a group that was cancelled or has ended (``Group/isOpen``).
/// 4. Timers, queues of turns and the table of jobs retain the jobs that they lead to.
///
/// Whoever calls ``cancel()`` or ``end()`` holds a reference: the tree's may be gone when they return.
class Job: Timed {
  // The small ones first: they fit behind those of `Timed`.
  final private(set) var isCancelled = false
  final private(set) var hasEnded = false
  /// The index in the table of jobs that other threads know, -1 if it is not in it.
  final var known: Int32 = -1
  /// The group that waits for this job; nil for all that an action started, and after the end.
  final fileprivate(set) var parent: Group?
  private final var previous: Unmanaged<Job>?
  fileprivate final var next: Unmanaged<Job>?
  /// The place of the reducer that returned it.
  final let place: EffectPlace
  final var previousAtPlace: Unmanaged<Job>?
  final var nextAtPlace: Unmanaged<Job>?
  /// By which it can be cancelled there, if it can.
  final let id: Value?
  /// The jobs of that id, while it is one of them.
  fileprivate final var list: ScopeList?
  fileprivate final var newer: Unmanaged<Job>?
  final fileprivate(set) var older: Unmanaged<Job>?
  /// Counts up in the order in which jobs are made.
  final let number: UInt64

  init(at place: EffectPlace, id: Value? = nil, _ number: UInt64) {
    self.place = place
    self.id = id
    self.number = number
  }

  /// The same object, if it is a group.
  var asGroup: Group? { nil }

  /// The scripts that the job needs until it has ended; nil if it needs none. Never changes.
  var code: SchedulerLink? { nil }

  /// Ends it as soon as it lets itself be ended.
  final func cancel() {
    guard !isCancelled && !hasEnded else { return }
    isCancelled = true
    wasCancelled()
  }

  /// What there is to cancel.
  func wasCancelled() {}

  /// Its turn has come.
  func takeTurn(in runner: EffectRunner) {}

  /// It is over: its parent waits for it no longer.
  final func end() {
    guard !hasEnded else { return }
    hasEnded = true
    didEnd()
    list?.remove(self)
    place.remove(self)
    code?.jobEnded()
    if let parent {
      parent.remove(self)
      parent.endIfEmpty()
    } else {
      endedAlone()
    }
    Unmanaged.passUnretained(self).release()
  }

  func didEnd() {}

  // MARK: Alone

  /// Begins as all that an action has started.
  final func beginAlone() { begin() }

  fileprivate final func begin() {
    _ = Unmanaged.passRetained(self)
    code?.jobBegan()
    place.add(self)
  }

  /// Makes it a part of a group, when its action has started more than this job.
  final func becomePart(of root: RootGroup) { root.takeOver(self) }

  /// All that an action started is over.
  func endedAlone() {}

  /// All that the action started which started this; itself if it is that. O(depth).
  final var origin: Job {
    guard var top = parent else { return self }
    while let parent = top.parent { top = parent }
    return top
  }

  /// How many groups it is in. O(depth).
  final var depth: Int {
    var depth = 0
    var group = parent
    while let current = group {
      depth += 1
      group = current.parent
    }
    return depth
  }

  // MARK: Siblings

  fileprivate final func link(before first: Unmanaged<Job>?) {
    next = first
    first?._withUnsafeGuaranteedRef { $0.previous = .passUnretained(self) }
  }

  fileprivate final func unlink(from group: Group) {
    if let previous {
      previous._withUnsafeGuaranteedRef { $0.next = next }
    } else {
      group.first = next
    }
    next?._withUnsafeGuaranteedRef { $0.previous = previous }
    (previous, next) = (nil, nil)
  }
}

/// The jobs in flight under one id at one place. The store's effects have it while there is one.
final class ScopeList {
  let key: ScopeKey
  private let effects: StoreEffects
  /// The others follow it.
  private var newest: Unmanaged<Job>?

  init(_ key: ScopeKey, of effects: StoreEffects) {
    self.key = key
    self.effects = effects
  }

  var isEmpty: Bool { newest == nil }

  func add(_ job: Job) {
    job.list = self
    job.older = newest
    newest?._withUnsafeGuaranteedRef { $0.newer = .passUnretained(job) }
    newest = .passUnretained(job)
  }

  fileprivate func remove(_ job: Job) {
    job.older?._withUnsafeGuaranteedRef { $0.newer = job.newer }
    if let newer = job.newer {
      newer._withUnsafeGuaranteedRef { $0.older = job.older }
    } else {
      newest = job.older
    }
    (job.list, job.newer, job.older) = (nil, nil, nil)
    if newest == nil { effects.remove(self) }
  }

  /// In the order in which they were started.
  var jobs: [Job] {
    var jobs: [Job] = []
    var next = newest
    while let job = next?.takeUnretainedValue() {
      jobs.append(job)
      next = job.older
    }
    return jobs.reversed()
  }

  /// Cancels the jobs of the id.
  ///
  /// - Parameter group: is spared, with the groups that it is in.
  func cancelAll(around group: Group? = nil) {
    guard let newest = newest?.takeUnretainedValue() else { return }
    if newest.older == nil { return cancel(newest, around: group) }
    for job in jobs { cancel(job, around: group) }
  }

  private func cancel(_ job: Job, around group: Group?) {
    if let group, let outer = job as? Group, outer.contains(group) { return }
    job.cancel()
  }
}

/// Jobs that are waited for, or cancelled, together.
class Group: Job {
  fileprivate final var first: Unmanaged<Job>?
  /// As long as its jobs are being started, it does not end for the lack of one.
  private final var holds = 0

  final override var asGroup: Group? { self }

  final var isEmpty: Bool { first == nil }

  /// Whether jobs may be started in it.
  final var isOpen: Bool { !isCancelled && !hasEnded }

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
    job.begin()
  }

  /// The same of one that is in flight.
  fileprivate final func takeOver(_ job: Job) {
    assert(!hasEnded, "a job cannot be added to a group that has ended")
    job.parent = self
    job.link(before: first)
    first = .passUnretained(job)
  }

  fileprivate final func remove(_ job: Job) {
    job.unlink(from: self)
    job.parent = nil
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
    // Cancelling one may end it, and others with it.
    var jobs: [Job] = []
    var job = first
    while let current = job?.takeUnretainedValue() {
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
  let effects: StoreEffects

  init(of effects: StoreEffects) {
    self.effects = effects
    super.init(at: effects.places, effects.runner.makeSerial())
  }

  func whenEnded(_ waiter: @escaping @Sendable () -> Void) { waiters.append(waiter) }

  override func endedAlone() { effects.ended(self, waiters) }
}

/// Jobs that can be cancelled together by an id.
class Scope: Group {
  let effects: StoreEffects

  init(_ id: Value?, at place: EffectPlace, of effects: StoreEffects) {
    self.effects = effects
    super.init(at: place, id: id, effects.runner.makeSerial())
  }

  override func endedAlone() { effects.ended(self, []) }
}

/// Effects one after the other.
final class Sequence: Group {
  private var rest: [EffectNode]
  /// Whether some of them can be cancelled by an id before they start.
  private let hasIDs: Bool
  let context: StartContext
  private let effects: StoreEffects

  init(
    _ rest: [EffectNode], _ context: StartContext, of effects: StoreEffects
  ) {
    // Taken from the end.
    self.rest = rest.reversed()
    hasIDs = rest.contains(where: \.hasID)
    self.context = context
    self.effects = effects
    super.init(at: context.place, effects.runner.makeSerial())
  }

  override var code: SchedulerLink? { context.code }

  /// Begins: starts the first ones.
  func startRest() {
    if hasIDs { place.queues.append(self) }
    endIfEmpty()
  }

  override func didEnd() {
    if hasIDs { place.queues.removeAll { $0 === self } }
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
