import LuaBridge

/// Something in flight that a store's effects have started: a node in the tree of jobs.
///
/// ```
///   made --begin()--> in flight ----------end()----------> ended
///                         |                                  ^
///                         +--cancel()--> cancelled --end()---+
/// ```
///
/// Ownership:
///
/// 1. A job in flight, from ``begin()`` to ``end()``, has one reference (+1) to itself, which
///    `end()` releases. Only jobs in flight are in the lists of a group, a place and an id, so
///    these lists hold no references.
/// 2. A job retains what it points at: its group, its place, the list of its id. These references
///    form cycles with the references of rule 1; `end()` breaks them.
/// 3. Nothing is started in a group that was cancelled or has ended (``Group/isOpen``).
/// 4. Timers, the queue of turns and the ``JobTable`` retain their jobs.
/// 5. A caller of ``cancel()`` or ``end()`` holds a reference of its own. Those of rules 1 and 2
///    may be gone when the call returns.
///
/// The root job of an action is the one without a parent. It is the only job of the action, or a
/// ``RootGroup``.
class Job: TimerEntry {
  // Small fields first: they fill the padding after the fields of `TimerEntry`.
  final private(set) var isCancelled = false
  final private(set) var hasEnded = false
  /// The index of a root job in the ``JobTable``; -1 if threads outside have no key of it.
  final var known: Int32 = -1
  /// The group that waits for this job; nil for a root job, and after the end.
  final fileprivate(set) var parent: Group?
  /// The neighbours in the parent's list, borrowed (+0, rule 1).
  private final var previous: Unmanaged<Job>?
  fileprivate final var next: Unmanaged<Job>?
  /// The place of the reducer that returned the effect.
  final let place: EffectPlace
  /// The neighbours in the place's list, borrowed (+0, rule 1).
  final var previousAtPlace: Unmanaged<Job>?
  final var nextAtPlace: Unmanaged<Job>?
  /// The id by which it can be cancelled at its place; nil if it has none.
  final let id: Value?
  /// The list of the jobs with that id; nil while the job is not in it.
  fileprivate final var list: ScopeList?
  /// The neighbours in `list`, borrowed (+0, rule 1).
  fileprivate final var newer: Unmanaged<Job>?
  final fileprivate(set) var older: Unmanaged<Job>?
  /// Counts up in the order in which jobs are made.
  final let number: UInt64

  init(at place: EffectPlace, id: Value? = nil, _ number: UInt64) {
    self.place = place
    self.id = id
    self.number = number
  }

  /// The job as a group; nil for other jobs.
  var asGroup: Group? { nil }

  /// The link of the generation whose scripts the job needs until it ends; nil if it needs none.
  /// Must never change, because the generation counts its jobs.
  var code: SchedulerLink? { nil }

  /// Cancels the job. It ends at once, or when what it runs has reacted.
  final func cancel() {
    guard !isCancelled && !hasEnded else { return }
    isCancelled = true
    wasCancelled()
  }

  /// Called once, when the job is cancelled in flight.
  func wasCancelled() {}

  /// Called when the job's turn has come.
  func takeTurn(in runner: EffectRunner) {}

  /// Ends the job: it leaves its lists, and its group no longer waits for it.
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

  /// Called once, before the job leaves its lists.
  func didEnd() {}

  // MARK: Root jobs

  /// Begins as a root job.
  final func beginAlone() { begin() }

  fileprivate final func begin() {
    _ = Unmanaged.passRetained(self)
    code?.jobBegan()
    place.add(self)
  }

  /// Moves a root job into a group, because its action has started another job.
  final func becomePart(of root: RootGroup) { root.takeOver(self) }

  /// Called when a root job has ended.
  func endedAlone() {}

  /// The root job of the tree that this job is in; the job itself if it is the root. O(depth).
  final var origin: Job {
    guard var top = parent else { return self }
    while let parent = top.parent { top = parent }
    return top
  }

  /// The number of groups that the job is in. O(depth).
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

/// The jobs in flight with one id at one place. ``StoreEffects`` retains the list while it has a
/// job.
final class ScopeList {
  let key: ScopeKey
  private let effects: StoreEffects
  /// The head of the list; `older` leads to the next.
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

  /// Cancels all jobs with the id.
  ///
  /// - Parameter group: is spared, with all groups that contain it.
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

/// Jobs that are waited for, or cancelled, together. It ends when its last job has ended.
class Group: Job {
  /// The job that was added last, borrowed (+0, rule 1); `next` leads to the others.
  fileprivate final var first: Unmanaged<Job>?
  /// The number of ``holding(_:)`` calls that are running. While there is one, the group does not
  /// end, even if it is empty.
  private final var holds = 0

  final override var asGroup: Group? { self }

  final var isEmpty: Bool { first == nil }

  /// Whether jobs may be started in the group.
  final var isOpen: Bool { !isCancelled && !hasEnded }

  /// Whether `group` is this group, or is inside of it.
  final func contains(_ group: Group?) -> Bool {
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
    guard first == nil && holds == 0 && !hasEnded else { return }
    becameEmpty()
  }

  /// Called when no job of the group is in flight any more.
  func becameEmpty() { end() }

  override func wasCancelled() { cancelParts() }

  final func cancelParts() {
    // Collected first, because cancelling a job may end it, and others with it.
    var jobs: [Job] = []
    var job = first
    while let current = job?.takeUnretainedValue() {
      jobs.append(current)
      job = current.next
    }
    // The list begins with the job that was started last.
    for job in jobs.reversed() { job.cancel() }
  }
}

/// The root job of an action that has started more than one job.
final class RootGroup: Group {
  /// Called when the group has ended.
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

/// Effects that run one after the other.
final class Sequence: Group {
  /// The effects that have not started, the next one last.
  private var rest: [EffectNode]
  /// Whether an effect that has not started can be cancelled by an id.
  private let hasIDs: Bool
  let context: StartContext
  private let effects: StoreEffects

  init(
    _ rest: [EffectNode], _ context: StartContext, of effects: StoreEffects
  ) {
    // Reversed, because effects are taken from the end.
    self.rest = rest.reversed()
    hasIDs = rest.contains(where: \.hasID)
    self.context = context
    self.effects = effects
    super.init(at: context.place, effects.runner.makeSerial())
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

  /// Removes the effects with this id that have not started.
  func cancelQueued(_ id: Value) { rest = rest.compactMap { $0.without(id) } }

  /// Starts effects until one of them is in flight; ends the sequence when none is left.
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
