import Synchronization

/// Numbers that are each given out once in a process.
enum SerialNumber {
  private static let last = Atomic<UInt64>(0)

  static func next() -> UInt64 { last.wrappingAdd(1, ordering: .relaxed).newValue }
}

/// Values that were made for objects, by the numbers of the objects.
///
/// 1. The memo does not retain its keys. A value must not retain its key, or the entry would never
///    be dropped.
/// 2. An entry is dropped some time after its key is gone. There are at most eight entries, or
///    twice as many as there were keys at the last clean-up.
struct WeakKeyCache<Key: AnyObject, Made> {
  private struct Entry {
    weak var key: Key?
    let made: Made
  }

  private var entries: [UInt64: Entry] = [:]
  private var limit = 8

  /// The value that was made for the object with this number. O(1).
  subscript(number: UInt64) -> Made? { entries[number]?.made }

  mutating func keep(_ made: Made, for key: Key, _ number: UInt64) {
    if entries.count >= limit {
      entries = entries.filter { $0.value.key != nil }
      limit = max(8, 2 * entries.count)
    }
    entries[number] = Entry(key: key, made: made)
  }
}
