/// A job's place in a ``JobTable``.
struct JobKey: Sendable {
  fileprivate let index: Int32
  /// Tells it from others that had the place before.
  fileprivate let number: UInt64
}

/// The jobs that threads outside know. A key that is not in use any more leads nowhere, as none is given out twice.
/// Everything is O(1), without hashing.
struct JobTable {
  /// A free place has the next free one, or -1, for its number.
  private var entries: [(job: Job?, number: UInt64)] = []
  private var free: Int32 = -1
  private var lastNumber: UInt64 = 0

  /// Takes in a job, and retains it until it is removed.
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

  /// The key that is in use at a place.
  func key(at index: Int32) -> JobKey { JobKey(index: index, number: entries[Int(index)].number) }

  /// Leads the key that is in use at a place to another job.
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

extension JobKey {
  /// Where a job that is known by this key keeps it.
  var place: Int32 { index }
}
