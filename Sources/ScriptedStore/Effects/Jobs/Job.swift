import ScriptValue

/// Something in flight that a store's effects have started: a node in the tree of jobs.
///
/// ```
///   made --begin()--> in flight ----------end()----------> ended
///                         |                                  ^
///                         +--cancel()--> cancelled --end()---+
/// ```
///
/// Invariants, which ``StoreEffects/checkInvariants()`` checks where it can:
///
/// 1. A job in flight, from ``begin()`` to ``end()``, has one reference (+1) to itself, which
///    `end()` releases. Only jobs in flight are in the lists of a group, a place and an id, so
///    these lists hold no references.
/// 2. A job retains its group and its place. These references form cycles with the references of
///    invariant 1; `end()` breaks them.
/// 3. Nothing is started in a group that was cancelled or has ended (``JobGroup/isOpen``). So all
///    parts of a cancelled group are cancelled.
/// 4. Timers, the queue of turns and the ``JobTable`` retain their jobs.
/// 5. A caller of ``cancel()`` or ``end()`` holds a reference of its own. Those of invariants 1 and 2
///    may be gone when the call returns.
/// 6. A job in flight is in the list of its place, in the list of its group if it has a parent, and in
///    the list of its id at its place if it has one.
/// 7. Jobs and their parents form trees. The root job of an action is the one without a parent: the
///    first job that the action has started, or the ``RootGroup`` that was put around it.
/// 8. `tableIndex` is the index of a root job's entry in the ``JobTable``. A job with a parent has
///    none.
class Job: TimerEntry {
  // Small fields first: they fill the padding after the fields of `TimerEntry`.
  final private(set) var isCancelled = false
  final private(set) var hasEnded = false
  /// The index of a root job in the ``JobTable``; -1 if threads outside have no key of it.
  final var tableIndex: Int32 = -1
  /// The task-local values for later turns; kept by a root job for its tree.
  final var locals = RootLocals.current
  /// The group that waits for this job; nil for a root job, and after the end.
  final var parent: JobGroup?
  /// The neighbours in the parent's list.
  final var linksInGroup = JobList.Links()
  /// The effects of its store.
  final let effects: StoreEffects
  /// The place of the reducer that returned the effect.
  final let place: EffectPlace
  /// The neighbours in the place's list.
  final var linksAtPlace = JobList.Links()
  /// The id by which it can be cancelled at its place; nil if it has none.
  final let id: Value?
  /// The neighbours in the list of the jobs with that id.
  final var linksByID = JobList.Links()
  /// Counts up in the order in which jobs are made.
  final let number: UInt64

  init(at place: EffectPlace, id: Value? = nil, of effects: StoreEffects) {
    self.effects = effects
    self.place = place
    self.id = id
    number = effects.runner.makeJobNumber()
  }

  /// The job as a group; nil for other jobs.
  var asGroup: JobGroup? { nil }

  /// The link of the generation whose scripts the job needs until it ends; nil if it needs none.
  /// Must never change, because the generation counts its jobs.
  var code: SchedulerLink? { nil }

  /// Whether it holds effects that have not started, one of which has an id.
  var holdsIDs: Bool { false }

  /// Removes the effects with this id that have not started.
  func cancelQueued(_ id: Value) {}

  /// Describes the effect; nil for a job that is no effect of its own.
  ///
  /// - Parameter now: the time of the store's clock.
  func description(at now: Int64) -> EffectDescription? { nil }

  /// The feature whose handler returned the effect; nil if it is not a feature of a script.
  var feature: FeatureNode? { nil }

  final func begin() {
    _ = Unmanaged.passRetained(self)
    code?.jobBegan()
    effects.log?.began(self)
    place.add(self)
  }

  /// Cancels the job. It ends at once, or when what it runs has reacted.
  final func cancel() {
    guard !isCancelled && !hasEnded else { return }
    isCancelled = true
    wasCancelled()
  }

  /// Cancels the job from outside of all turns. What that starts belongs to the job's tree.
  final func cancelInTurn() {
    if !isCancelled && !hasEnded { effects.log?.willCancel(self) }
    effects.inTurn(of: rootJob) { cancel() }
  }

  /// Called once, when the job is cancelled in flight.
  func wasCancelled() {}

  /// Called when the job's turn has come.
  func proceed(in runner: EffectRunner) {}

  /// Ends the job: it leaves its lists, and its group no longer waits for it.
  final func end() {
    guard !hasEnded else { return }
    hasEnded = true
    didEnd()
    effects.log?.ended(self)
    place.remove(self)
    code?.jobEnded()
    if let parent {
      assert(tableIndex < 0, "invariant 8: only a root job has a key")
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

  /// Called when a root job has ended.
  func endedAlone() { effects.ended(self, []) }

  /// The root job of the tree that this job is in; the job itself if it is the root. O(depth).
  final var rootJob: Job {
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
}
