import LuaBridge

/// Refers to a job in a ``JobTable``.
package struct JobKey: Sendable {
  let index: Int32
  /// Distinguishes the job from others that had the same index before.
  fileprivate let number: UInt64
}

/// The jobs that threads outside the worker, and tasks, refer to.
///
/// 1. A key refers to an entry by index and number. No number is used twice, so an old key finds
///    nothing.
/// 2. The free entries form a list: `free` is the index of the first, and the `number` of a free
///    entry is the index of the next; -1 ends the list.
/// 3. A job that is in the table is retained, and has not ended.
/// 4. An entry is that of a root job, whose `tableIndex` is its index, or that of a task, whose key
///    the body in `calling` or the ``SwiftBody`` has.
///
/// All operations are O(1), without hashing.
struct JobTable {
  /// `job` is nil in a free entry (invariant 2).
  private var entries: [(job: Job?, number: UInt64)] = []
  private var free: Int32 = -1
  private var lastNumber: UInt64 = 0

  /// Adds a job, and retains it until it is removed.
  mutating func add(_ job: Job) -> JobKey {
    lastNumber += 1
    let entry = (job: job as Job?, number: lastNumber)
    guard free >= 0 else {
      entries.append(entry)
      return JobKey(index: Int32(entries.count - 1), number: lastNumber)
    }
    let index = free
    free = Int32(truncatingIfNeeded: Int64(bitPattern: entries[Int(index)].number))
    entries[Int(index)] = entry
    return JobKey(index: index, number: lastNumber)
  }

  subscript(key: JobKey) -> Job? {
    let entry = entries[Int(key.index)]
    return entry.number == key.number ? entry.job : nil
  }

  /// The key of the entry in use at an index.
  func key(at index: Int32) -> JobKey { JobKey(index: index, number: entries[Int(index)].number) }

  /// Makes the key of an entry refer to another job.
  mutating func set(_ job: Job, at index: Int32) {
    entries[Int(index)].job = job
  }

  mutating func remove(at index: Int32) {
    entries[Int(index)] = (nil, UInt64(bitPattern: Int64(free)))
    free = index
  }

  mutating func remove(_ key: JobKey) {
    if self[key] != nil { remove(at: key.index) }
  }
}

#if DEBUG || SCRIPTED_STORE_CHECKS
extension JobTable {
  /// Stops the process if an invariant does not hold. Returns the number of tasks with a key.
  func checkInvariants() -> Int {
    var isFree = [Bool](repeating: false, count: entries.count)
    var index = Int(free)
    while index >= 0 {
      requireInvariant(
        entries[index].job == nil && !isFree[index], "invariant 2: entry \(index) is not free")
      isFree[index] = true
      index = Int(Int64(bitPattern: entries[index].number))
    }
    var tasks = 0
    var numbers: Set<UInt64> = []
    for (index, entry) in entries.enumerated() {
      guard let job = entry.job else {
        requireInvariant(isFree[index], "invariant 2: entry \(index) is lost")
        continue
      }
      requireInvariant(
        entry.number <= lastNumber && numbers.insert(entry.number).inserted,
        "invariant 1: the number of entry \(index) is used twice")
      requireInvariant(!job.hasEnded, "invariant 3: the job of entry \(index) has ended")
      if Int(job.tableIndex) == index {
        requireInvariant(job.parent == nil, "invariant 4: the job of entry \(index) is no root job")
      } else {
        requireInvariant(
          JobTable.taskKey(of: job).map { $0.index == index && $0.number == entry.number } ?? false,
          "invariant 4: the job of entry \(index) has another key")
        tasks += 1
      }
    }
    return tasks
  }

  private static func taskKey(of job: Job) -> JobKey? {
    if let body = job as? Body, case .calling(let call) = body.state { return call.key }
    return (job as? SwiftBody)?.key
  }
}
#endif
