import ScriptValue

/// Jobs in flight that are linked in both directions, the newest first. It holds no references (invariant 1 of ``Job``).
///
/// A job is in up to three lists and has the links of each. Which ones are the list's is an argument of each call, and a literal:
/// the compiler then reads the links directly, as it could not by a key path that the list has stored.
struct JobList {
  /// The neighbours of a job in a list, borrowed (+0).
  struct Links {
    fileprivate(set) var newer: Unmanaged<Job>?
    fileprivate(set) var older: Unmanaged<Job>?
  }

  typealias Path = ReferenceWritableKeyPath<Job, Links>

  /// Borrowed (+0).
  private var newest: Unmanaged<Job>?

  var isEmpty: Bool { newest == nil }

  @inline(__always)
  mutating func add(_ job: Job, _ links: Path) {
    job[keyPath: links].older = newest
    newest?._withUnsafeGuaranteedRef { $0[keyPath: links].newer = .passUnretained(job) }
    newest = .passUnretained(job)
  }

  @inline(__always)
  mutating func remove(_ job: Job, _ links: Path) {
    let (newer, older) = (job[keyPath: links].newer, job[keyPath: links].older)
    if let newer {
      newer._withUnsafeGuaranteedRef { $0[keyPath: links].older = older }
    } else {
      newest = older
    }
    older?._withUnsafeGuaranteedRef { $0[keyPath: links].newer = newer }
    job[keyPath: links] = Links()
  }

  /// The jobs in the order in which they were added.
  @inline(__always)
  func jobs(_ links: Path) -> [Job] {
    var jobs: [Job] = []
    var next = newest
    while let job = next?.takeUnretainedValue() {
      jobs.append(job)
      next = job[keyPath: links].older
    }
    jobs.reverse()
    return jobs
  }

  #if DEBUG || SCRIPTED_STORE_CHECKS
  /// Stops the process if the jobs are not linked in both directions. `name` is that of the list, behind its invariant.
  func checkLinks(_ links: Path, _ name: String) {
    var (newer, next) = (nil as Job?, newest?.takeUnretainedValue())
    while let job = next {
      requireInvariant(
        job[keyPath: links].newer?.takeUnretainedValue() === newer,
        "\(name) are not linked in both directions")
      (newer, next) = (job, job[keyPath: links].older?.takeUnretainedValue())
    }
  }
  #endif
}
