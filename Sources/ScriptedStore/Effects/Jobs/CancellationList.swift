import ScriptValue

/// The jobs in flight with one id at one place, which has the list among its `lists` while there is a job in it.
///
/// 1. The jobs whose `list` it is are in `linked`. They are in flight.
final class CancellationList {
  let id: Value
  private let place: EffectPlace
  private var linked = JobList()

  init(_ id: Value, at place: EffectPlace) { (self.id, self.place) = (id, place) }

  var isEmpty: Bool { linked.isEmpty }

  func add(_ job: Job) {
    if isEmpty { place.lists[id] = self }
    job.list = self
    linked.add(job, \.linksInList)
  }

  func remove(_ job: Job) {
    linked.remove(job, \.linksInList)
    job.list = nil
    if isEmpty { place.lists[id] = nil }
  }

  /// In the order in which they were started.
  var jobs: [Job] { linked.jobs(\.linksInList) }

  /// Cancels all jobs with the id.
  ///
  /// - Parameter group: is spared, with all groups that contain it.
  func cancelAll(around group: JobGroup? = nil) {
    for job in jobs {
      if let group, let outer = job as? JobGroup, outer.contains(group) { continue }
      job.cancel()
    }
  }
}

#if DEBUG || SCRIPTED_STORE_CHECKS
extension CancellationList {
  /// Stops the process if the invariant does not hold.
  func checkInvariants() {
    linked.checkLinks(\.linksInList, "invariant 1: the jobs with the id \(id)")
    requireInvariant(
      jobs.allSatisfy { $0.list === self && !$0.hasEnded },
      "invariant 1: a job of another id, or one that has ended, is in the list of \(id)")
  }
}
#endif
