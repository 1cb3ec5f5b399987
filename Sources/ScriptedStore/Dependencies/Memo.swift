import Synchronization

/// Numbers that are given out once in a process.
enum SerialNumber {
  private static let last = Atomic<UInt64>(0)

  static func next() -> UInt64 { last.wrappingAdd(1, ordering: .relaxed).newValue }
}

/// What was made for each of some objects, by their numbers; what was made for those that are gone goes in time,
/// so that it is at most as much as for those that are not, or eight. What is made must not hold its key, which would never
/// go.
struct Memo<Key: AnyObject, Made> {
  private struct Entry {
    weak var key: Key?
    let made: Made
  }

  private var entries: [UInt64: Entry] = [:]
  private var limit = 8

  /// What was made for the object of a number. O(1).
  subscript(number: UInt64) -> Made? { entries[number]?.made }

  mutating func keep(_ made: Made, for key: Key, _ number: UInt64) {
    if entries.count >= limit {
      entries = entries.filter { $0.value.key != nil }
      limit = max(8, 2 * entries.count)
    }
    entries[number] = Entry(key: key, made: made)
  }
}
