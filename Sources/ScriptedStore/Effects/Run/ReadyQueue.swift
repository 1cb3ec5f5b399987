/// The jobs whose turn has come, first in, first out, each owned (+1).
struct ReadyQueue {
  private var jobs: [Unmanaged<Job>] = []
  private var next = 0

  var count: Int { jobs.count - next }
  var isEmpty: Bool { next == jobs.count }

  mutating func append(_ job: Unmanaged<Job>) { jobs.append(job) }

  mutating func popFirst() -> Unmanaged<Job>? {
    guard next < jobs.count else { return nil }
    // The common case: it is the only one.
    if next == 0 && jobs.count == 1 { return jobs.removeLast() }
    let job = jobs[next]
    next += 1
    // Removes the finished part once it is most of the queue: amortized O(1) for each job.
    if next >= 1024 && next * 2 >= jobs.count {
      jobs.removeFirst(next)
      next = 0
    }
    return job
  }

  /// Starts again at index 0. The queue must be empty.
  mutating func removeAll() {
    if jobs.isEmpty && jobs.capacity <= 1024 { return }
    jobs.removeAll(keepingCapacity: jobs.capacity <= 1024)
    next = 0
  }
}
