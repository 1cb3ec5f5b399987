/// Maps a parent draft and a child's `offset` to the draft of the child. A hash table with open
/// addressing and linear probing.
///
/// Invariants:
/// 1. Only entries of the current epoch count, so ``removeAll()`` is O(1): it begins a new epoch.
/// 2. A removed entry stays as a tombstone (`child` is `removed`), so that probing continues behind
///    it.
/// 3. `used` is the number of entries of the current epoch, tombstones included. They take at most
///    three quarters of the table, so each probe ends.
struct ChildIndex: ~Copyable {
  private struct Entry {
    var key: UInt64 = 0
    var child: Int32 = 0
    var epoch: UInt32 = 0
  }

  private var entries: UnsafeMutablePointer<Entry>
  private var capacity = 64
  /// Entries of this epoch, tombstones included.
  private var used = 0
  private var epoch: UInt32 = 1

  private static let removed: Int32 = -1

  /// The bytes that a child takes, at most (3): the table is between three eighths and three quarters full.
  static var sizeOfChild: Int { MemoryLayout<Entry>.stride * 8 / 3 }

  init() {
    entries = .allocate(capacity: capacity)
    entries.initialize(repeating: Entry(), count: capacity)
  }

  deinit { entries.deallocate() }

  @inline(__always)
  mutating func removeAll() {
    if used == 0 { return }
    used = 0
    epoch &+= 1
    if epoch == 0 {
      epoch = 1
      entries.update(repeating: Entry(), count: capacity)
    }
  }

  @inline(__always)
  private static func key(_ parent: Int32, _ offset: Int) -> UInt64 {
    UInt64(UInt32(bitPattern: parent)) << 32 | UInt64(UInt32(truncatingIfNeeded: offset))
  }

  @inline(__always)
  private func start(_ key: UInt64) -> Int {
    let mixed = key &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: mixed >> 32) & (capacity - 1)
  }

  @inline(__always)
  private func index(of key: UInt64) -> Int? {
    var index = start(key)
    while entries[index].epoch == epoch {
      if entries[index].key == key && entries[index].child != ChildIndex.removed { return index }
      index = (index + 1) & (capacity - 1)
    }
    return nil
  }

  @inline(__always)
  func child(of parent: Int32, at offset: Int) -> Int32? {
    guard used > 0, let index = index(of: ChildIndex.key(parent, offset)) else { return nil }
    return entries[index].child
  }

  mutating func insert(_ child: Int32, of parent: Int32, at offset: Int) {
    if (used + 1) * 4 > capacity * 3 { grow() }
    add(Entry(key: ChildIndex.key(parent, offset), child: child, epoch: epoch))
  }

  mutating func remove(of parent: Int32, at offset: Int) {
    if let index = index(of: ChildIndex.key(parent, offset)) {
      entries[index].child = ChildIndex.removed
    }
  }

  private mutating func add(_ entry: Entry) {
    var index = start(entry.key)
    while entries[index].epoch == epoch { index = (index + 1) & (capacity - 1) }
    entries[index] = entry
    used += 1
  }

  /// Rehashes without the tombstones. Doubles the capacity if more than half of it is live entries.
  private mutating func grow() {
    let old = entries
    let oldCapacity = capacity
    let live = (0..<oldCapacity).count {
      old[$0].epoch == epoch && old[$0].child != ChildIndex.removed
    }
    if live * 2 > capacity { capacity *= 2 }
    used = 0
    entries = .allocate(capacity: capacity)
    entries.initialize(repeating: Entry(), count: capacity)
    for index in 0..<oldCapacity
    where old[index].epoch == epoch && old[index].child != ChildIndex.removed {
      add(old[index])
    }
    old.deallocate()
  }
}

#if DEBUG || SCRIPTED_STORE_CHECKS
extension ChildIndex {
  /// The number of entries that are not removed. O(capacity).
  var liveCount: Int {
    (0..<capacity).count {
      entries[$0].epoch == epoch && entries[$0].child != ChildIndex.removed
    }
  }

  /// Stops the process if an invariant does not hold. O(capacity).
  func checkInvariants() {
    let used = (0..<capacity).count { entries[$0].epoch == epoch }
    requireInvariant(
      self.used == used && used * 4 <= capacity * 3,
      "invariant 3: \(self.used) of \(capacity) entries are counted as used, \(used) are")
    for bucket in 0..<capacity
    where entries[bucket].epoch == epoch && entries[bucket].child != ChildIndex.removed {
      requireInvariant(
        index(of: entries[bucket].key) == bucket,
        "invariant 2: no probe reaches the entry of draft \(entries[bucket].child)")
    }
  }
}
#endif
