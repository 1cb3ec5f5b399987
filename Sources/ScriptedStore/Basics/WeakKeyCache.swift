/// Values that were made for objects, by the numbers of the objects.
///
/// 1. The cache does not retain its keys. A value must not retain its key, or the entry would never
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

  mutating func store(_ made: Made, for key: Key, _ number: UInt64) {
    if entries.count >= limit {
      entries = entries.filter { $0.value.key != nil }
      limit = max(8, 2 * entries.count)
    }
    entries[number] = Entry(key: key, made: made)
  }
}
