#if DEBUG || SCRIPTED_STORE_CHECKS
import LuaBridge

/// Checks of the invariants of the jobs in flight, by the numbers that ``StoreEffects``, ``Job`` and
/// the classes around them list.
extension StoreEffects {
  /// Stops the process if an invariant does not hold. For any time at which no job is being started,
  /// cancelled or ended. O(jobs in flight × depth).
  func checkInvariants() {
    places.checkInvariants()
    let jobs = JobsInFlight(places.jobs)
    for job in jobs.all { job.checkInvariants(among: jobs) }
    checkRoots(jobs)
    checkCount(jobs)
    let alarms = places.allAlarms
    requireInvariant(
      self.alarms.count == alarms.count && alarms.allSatisfy(\.isSet),
      "invariant 1 of StoreAlarms: counts \(self.alarms.count), not \(alarms.count), or one is elsewhere"
    )
    runner.checkJobTable()
  }

  private func checkRoots(_ jobs: JobsInFlight) {
    let roots = jobs.all.count { $0.parent == nil }
    requireInvariant(
      rootCount == roots,
      "invariant 2 of StoreEffects: \(rootCount) root jobs are counted, \(roots) are in flight")
    for root in [turn.rootJob, turn.lastRootJob].compactMap(\.self) {
      requireInvariant(
        root.parent == nil, "invariant 3 of StoreTurn: a root job is inside of a group")
      requireInvariant(
        root.hasEnded || jobs.contains(root),
        "invariant 3 of StoreTurn: a root job is in flight, but in no place")
    }
  }

  private func checkCount(_ jobs: JobsInFlight) {
    let counted = jobs.all.count { $0 is EffectJob }
    let intervals = places.throttleIntervals
    requireInvariant(
      count == counted + intervals.count,
      "invariant 3 of StoreEffects: counts \(count), not \(counted) and \(intervals.count) intervals"
    )
    let held = intervals.compactMap(\.held)
    for action in held {
      requireInvariant(
        jobs.contains(action), "invariant 2 of Throttle: it holds an action that has ended")
    }
    let holding = jobs.all.count { $0 is ThrottledAction }
    requireInvariant(
      held.count == holding,
      "invariant 2 of Throttle: \(held.count) actions are held, \(holding) are in flight")
  }
}

/// All jobs in flight of a store, as its places list them.
private struct JobsInFlight {
  let all: [Job]
  private let identities: Set<ObjectIdentifier>
  /// The number of jobs by parent.
  let parts: [ObjectIdentifier: Int]

  init(_ jobs: [Job]) {
    all = jobs
    identities = Set(jobs.map { ObjectIdentifier($0) })
    parts = jobs.reduce(into: [:]) { parts, job in
      if let parent = job.parent { parts[ObjectIdentifier(parent), default: 0] += 1 }
    }
  }

  func contains(_ job: Job) -> Bool { identities.contains(ObjectIdentifier(job)) }
}

extension Job {
  fileprivate func checkInvariants(among jobs: JobsInFlight) {
    requireInvariant(!hasEnded, "invariant 1 of Job: a place lists a job that has ended")
    if let parent {
      requireInvariant(
        jobs.contains(parent), "invariant 2 of Job: its group has ended, or is in no place")
      requireInvariant(depth <= jobs.all.count, "invariant 7 of Job: it is inside of itself")
      requireInvariant(tableIndex < 0, "invariant 8 of Job: a part has a key as a root job has")
      requireInvariant(!(self is RootGroup), "invariant 7 of Job: a root group is in a group")
      requireInvariant(
        !parent.isCancelled || isCancelled, "invariant 3 of Job: its group was cancelled")
    } else {
      requireInvariant(
        linksInGroup.newer == nil && linksInGroup.older == nil,
        "invariant 7 of Job: a root job has neighbours")
      let table = effects.runner.jobTable
      requireInvariant(
        tableIndex < 0 || table[table.key(at: tableIndex)] === self,
        "invariant 8 of Job: its entry in the table is free, or is that of another job")
    }
    if let group = asGroup { group.checkParts(among: jobs) }
    if let body = self as? Body, case .joining(let join) = body.state {
      requireInvariant(
        jobs.contains(join) && join.waiter === body,
        "invariant 3 of Body: the join for which it waits has ended, or is of another body")
    }
    if holdsIDs {
      requireInvariant(
        place.queues.contains { $0 === self },
        "invariant 4 of EffectPlace: a job that holds effects with ids is not in `queues`")
    }
  }
}

extension JobGroup {
  fileprivate func checkParts(among jobs: JobsInFlight) {
    let expected = jobs.parts[ObjectIdentifier(self), default: 0]
    parts.checkLinks(\.linksInGroup, "invariant 1 of JobGroup: its parts")
    let parts = parts.jobs(\.linksInGroup)
    requireInvariant(
      parts.allSatisfy(jobs.contains),
      "invariant 1 of JobGroup: a part has ended, or is in no place")
    requireInvariant(
      parts.allSatisfy { $0.parent === self },
      "invariant 1 of JobGroup: a part has another parent")
    requireInvariant(
      parts.count == expected,
      "invariant 1 of JobGroup: \(parts.count) parts are linked, \(expected) have it as parent")
    requireInvariant(
      !isEmpty || holds > 0, "invariant 2 of JobGroup: it is empty and not held, but in flight")
    if let join = self as? Join {
      requireInvariant(
        !join.waiter.hasEnded, "invariant 3 of Body: it has ended before its join")
    }
  }
}

extension EffectRunner {
  fileprivate func checkJobTable() {
    let keys = jobTable.checkInvariants()
    requireInvariant(
      keys == tasks, "invariant 3 of EffectRunner: \(tasks) tasks are counted, \(keys) have keys")
  }
}
#endif
