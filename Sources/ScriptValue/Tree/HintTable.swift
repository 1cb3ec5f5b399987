/// The hash table of an ``ElementIndex``, from hashes of ids to positions in a list. It uses open
/// addressing and linear probing.
///
/// An entry has a hash and a position (8 bytes) but no id. Several entries may therefore have one
/// hash, and the user of the table checks each of them against the list.
///
/// Invariants:
/// 1. Between the bucket that an entry's hash selects and the entry itself, there is no `empty`
///    entry. There may be `removed` ones.
/// 2. `used` is the number of entries that are not `empty`. They take at most three quarters of the
///    table, whose capacity is a power of two; so each probe ends.
struct HintTable: ~Copyable {
  private struct Entry {
    var hash: UInt32
    /// `empty`, `removed`, or an index of the list.
    var position: Int32
  }

  private static let empty: Int32 = -1
  private static let removed: Int32 = -2
  /// How many entries a probe may pass before the index is rebuilt. With random hashes the longest
  /// run of used entries is shorter: about 400 for a million elements.
  static let maximumProbe = 1024

  private var entries: UnsafeMutablePointer<Entry>
  private var capacity: Int
  /// The number of entries that are not empty.
  private var used = 0
  /// Whether a probe passed more entries than `maximumProbe`.
  var isCrowded = false

  /// Creates an empty table with room for `count` entries.
  init(roomFor count: Int) {
    capacity = HintTable.capacity(for: count)
    entries = HintTable.allocate(capacity)
  }

  deinit { entries.deallocate() }

  private static func capacity(for count: Int) -> Int {
    var capacity = 16
    while capacity * 3 < count * 4 + 8 { capacity *= 2 }
    return capacity
  }

  private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<Entry> {
    let entries = UnsafeMutablePointer<Entry>.allocate(capacity: capacity)
    entries.initialize(repeating: Entry(hash: 0, position: empty), count: capacity)
    return entries
  }

  /// The length of the longest run of used entries, which bounds the length of a probe.
  var longestRun: Int {
    var (longest, run) = (0, 0)
    // A run may wrap around from the end to the start.
    for bucket in 0..<2 * capacity {
      run = entries[bucket & (capacity - 1)].position == HintTable.empty ? 0 : run + 1
      longest = max(longest, run)
    }
    return longest
  }

  /// The bucket of the first entry with this hash, or nil.
  @inline(__always)
  func first(_ hash: UInt32) -> Int? { find(hash, from: Int(hash) & (capacity - 1)) }

  /// The bucket of the next entry with this hash after the one in `bucket`, or nil.
  @inline(__always)
  func next(_ hash: UInt32, after bucket: Int) -> Int? {
    find(hash, from: (bucket + 1) & (capacity - 1))
  }

  @inline(__always)
  private func find(_ hash: UInt32, from start: Int) -> Int? {
    var bucket = start
    while entries[bucket].position != HintTable.empty {
      if entries[bucket].hash == hash, entries[bucket].position >= 0 { return bucket }
      bucket = (bucket + 1) & (capacity - 1)
    }
    return nil
  }

  /// Whether there is an entry with this hash and position.
  func contains(_ hash: UInt32, _ position: Int) -> Bool {
    var entry = first(hash)
    while let bucket = entry, self.position(at: bucket) != position {
      entry = next(hash, after: bucket)
    }
    return entry != nil
  }

  /// The position of the entry in a bucket that a search returned.
  @inline(__always)
  func position(at bucket: Int) -> Int { Int(entries[bucket].position) }

  @inline(__always)
  mutating func setPosition(at bucket: Int, to position: Int) {
    entries[bucket].position = Int32(truncatingIfNeeded: position)
  }

  @inline(__always)
  mutating func remove(at bucket: Int) { entries[bucket].position = HintTable.removed }

  mutating func insert(_ hash: UInt32, _ position: Int) {
    if (used + 1) * 4 > capacity * 3 { grow() }
    var bucket = Int(hash) & (capacity - 1)
    var passed = 0
    while entries[bucket].position >= 0 {
      bucket = (bucket + 1) & (capacity - 1)
      passed += 1
    }
    if passed > HintTable.maximumProbe { isCrowded = true }
    // A removed entry is used again. Otherwise an id that is removed and added repeatedly would
    // make its run longer each time.
    if entries[bucket].position == HintTable.empty { used += 1 }
    entries[bucket] = Entry(hash: hash, position: Int32(truncatingIfNeeded: position))
  }

  private mutating func grow() {
    let old = UnsafeBufferPointer(start: entries, count: capacity)
    capacity = HintTable.capacity(for: old.count { $0.position >= 0 } + 1)
    entries = HintTable.allocate(capacity)
    used = 0
    for entry in old where entry.position >= 0 { insert(entry.hash, Int(entry.position)) }
    old.deallocate()
  }
}

#if DEBUG || SCRIPTED_STORE_CHECKS
extension HintTable {
  /// The number of entries with a position. O(capacity).
  var liveCount: Int { (0..<capacity).count { entries[$0].position >= 0 } }

  /// Stops the process if an invariant does not hold. O(capacity).
  func checkInvariants() {
    let used = (0..<capacity).count { entries[$0].position != HintTable.empty }
    requireInvariant(
      self.used == used && used * 4 <= capacity * 3 && capacity & (capacity - 1) == 0,
      "invariant 2: \(self.used) of \(capacity) entries are counted as used, \(used) are")
    for target in 0..<capacity where entries[target].position >= 0 {
      var bucket = Int(entries[target].hash) & (capacity - 1)
      while bucket != target {
        requireInvariant(
          entries[bucket].position != HintTable.empty,
          "invariant 1: the probe for the entry in bucket \(target) ends in bucket \(bucket)")
        bucket = (bucket + 1) & (capacity - 1)
      }
    }
  }
}
#endif
