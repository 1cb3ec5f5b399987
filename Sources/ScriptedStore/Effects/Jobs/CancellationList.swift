import ScriptValue

/// The jobs in flight with one id at one place, which has the list among its `lists` while there is a job in it.
///
/// 1. The jobs whose `list` it is are linked in both directions, the newest first. They are in flight.
final class CancellationList {
  let id: Value
  private let place: EffectPlace
  /// The head of the list; `older` leads to the next.
  private var newest: Unmanaged<Job>?

  init(_ id: Value, at place: EffectPlace) { (self.id, self.place) = (id, place) }

  var isEmpty: Bool { newest == nil }

  func add(_ job: Job) {
    if isEmpty { place.lists[id] = self }
    job.list = self
    job.older = newest
    newest?._withUnsafeGuaranteedRef { $0.newer = .passUnretained(job) }
    newest = .passUnretained(job)
  }

  func remove(_ job: Job) {
    job.older?._withUnsafeGuaranteedRef { $0.newer = job.newer }
    if let newer = job.newer {
      newer._withUnsafeGuaranteedRef { $0.older = job.older }
    } else {
      newest = job.older
    }
    (job.list, job.newer, job.older) = (nil, nil, nil)
    if isEmpty { place.lists[id] = nil }
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
  func cancelAll(around group: JobGroup? = nil) {
    guard let newest = newest?.takeUnretainedValue() else { return }
    if newest.older == nil { return cancel(newest, around: group) }
    for job in jobs { cancel(job, around: group) }
  }

  private func cancel(_ job: Job, around group: JobGroup?) {
    if let group, let outer = job as? JobGroup, outer.contains(group) { return }
    job.cancel()
  }
}

#if DEBUG || SCRIPTED_STORE_CHECKS
extension CancellationList {
  /// Stops the process if the invariant does not hold.
  func checkInvariants() {
    var (newer, job) = (nil as Job?, newest?.takeUnretainedValue())
    while let current = job {
      requireInvariant(
        current.list === self && !current.hasEnded,
        "invariant 1: a job of another id, or one that has ended, is in the list of \(id)")
      requireInvariant(
        current.newer?.takeUnretainedValue() === newer,
        "invariant 1: the jobs with the id \(id) are not linked in both directions")
      (newer, job) = (current, current.older?.takeUnretainedValue())
    }
  }
}
#endif
