import LuaBridge

/// A part of what an action started: a node in the tree of what is in flight.
///
/// A job is alive from ``Group/add(_:)`` or ``beginAlone()`` until it ends; the tree keeps it. Links count no
/// references, which would cost more than all the rest. Proof: from the one to the other a job is in the lists of its
/// parent and of its place and it takes itself out of both when it ends; a parent does not end before its jobs, and a
/// place does not go before it is empty.
class Job: Timed {
  // The small ones first: they fit behind those of `Timed`.
  final private(set) var isCancelled = false
  final private(set) var hasEnded = false
  /// Where threads outside find it, -1 if none knows it.
  final var known: Int32 = -1
  fileprivate final var parentLink: Unmanaged<Group>?
  private final var previous: Unmanaged<Job>?
  fileprivate final var next: Unmanaged<Job>?
  private final let placeLink: Unmanaged<EffectPlace>
  final var previousAtPlace: Unmanaged<Job>?
  final var nextAtPlace: Unmanaged<Job>?
  /// By which it can be cancelled there, if it can.
  final let id: Value?
  /// Where it is with the others of that id, while it is in flight.
  fileprivate final var list: Unmanaged<ScopeList>?
  fileprivate final var newer: Unmanaged<Job>?
  final fileprivate(set) var older: Unmanaged<Job>?
  /// Counts up in the order in which jobs are made.
  final let number: UInt64

  init(at place: EffectPlace, id: Value? = nil, _ number: UInt64) {
    placeLink = .passUnretained(place)
    self.id = id
    self.number = number
  }

  /// Where it was returned, until it has ended.
  final var place: EffectPlace { placeLink.takeUnretainedValue() }

  /// What waits for this one; nil for all that an action started.
  final var parent: Group? { parentLink?.takeUnretainedValue() }

  /// Ends it as soon as it lets itself be ended. Whoever calls this, or ``end()``, holds it.
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
    list?._withUnsafeGuaranteedRef { $0.remove(self) }
    placeLink._withUnsafeGuaranteedRef { $0.remove(self) }
    guard let parentLink else {
      endedAlone()
      return Unmanaged.passUnretained(self).release()
    }
    let parent = parentLink.takeUnretainedValue()
    parent.remove(self)
    parent.endIfEmpty()
  }

  func didEnd() {}

  // MARK: Alone

  /// Begins as all that an action has started.
  final func beginAlone() { begin() }

  /// From now on the tree keeps it.
  fileprivate final func begin() {
    placeLink._withUnsafeGuaranteedRef { $0.add(self) }
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

/// What is in flight under one id at one place. Its store's effects keep it while something is.
final class ScopeList {
  let key: ScopeKey
  private unowned(unsafe) let effects: StoreEffects
  /// The others follow it.
  private var newest: Unmanaged<Job>?

  init(_ key: ScopeKey, of effects: StoreEffects) {
    self.key = key
    self.effects = effects
  }

  var isEmpty: Bool { newest == nil }

  func add(_ job: Job) {
    job.list = .passUnretained(self)
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

  func cancelAll() {
    guard let newest = newest?.takeUnretainedValue() else { return }
    if newest.older == nil { return newest.cancel() }
    for job in jobs { job.cancel() }
  }
}

/// Jobs that are waited for, or cancelled, together.
class Group: Job {
  fileprivate final var first: Unmanaged<Job>?
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
    job.begin()
  }

  /// The same of one that is in flight.
  fileprivate final func takeOver(_ job: Job) {
    job.parentLink = .passUnretained(self)
    job.link(before: first)
    first = .passUnretained(job)
  }

  fileprivate final func remove(_ job: Job) {
    job.unlink(from: self)
    job.parentLink = nil
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
  unowned(unsafe) let effects: StoreEffects

  init(of effects: StoreEffects) {
    self.effects = effects
    super.init(at: effects.places, effects.runner.makeSerial())
  }

  func whenEnded(_ waiter: @escaping @Sendable () -> Void) { waiters.append(waiter) }

  override func endedAlone() { effects.ended(self, waiters) }
}

/// Jobs that can be cancelled together by an id.
class Scope: Group {
  unowned(unsafe) let effects: StoreEffects

  init(_ id: Value?, at place: EffectPlace, of effects: StoreEffects) {
    self.effects = effects
    super.init(at: place, id: id, effects.runner.makeSerial())
  }

  override func endedAlone() { effects.ended(self, []) }
}

/// Effects one after the other.
final class Sequence: Group {
  private var rest: [EffectNode]
  let context: StartContext
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
