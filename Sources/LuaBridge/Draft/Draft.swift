/// The mutable version of one container of the state while an action is reduced, and its position
/// in the tree of drafts. See ``DraftArena`` for the invariants.
package struct Draft {
  /// A list, object, dictionary or empty container. Newer values of its children are in their own
  /// drafts until ``DraftArena/synchronize(_:committing:allowingHoles:)`` stores them here.
  package var container: Slot
  /// True: the draft owns the container (+1). False: the container is borrowed (+0) from the state
  /// before the action, which outlives the drafts, and must not be changed in place.
  var isOwned: Bool
  /// The parent's index in the arena; -1 for the root, for a detached draft, and for one whose
  /// value was removed or overwritten.
  var parent: Int32 = -1
  /// The position in the parent's container (a 0-based list index, or an object's position), plus
  /// the parent's `origin`.
  var place: Int32 = 0
  /// The value of `place` that means position 0 for the children of this draft. An insertion or
  /// removal near the start changes `origin` and the `place` of the few children before it, instead
  /// of the `place` of all children behind it.
  var origin: Int32 = 0
  /// First and number of the children; `next` and `previous` link a child with its siblings.
  var firstChild: Int32 = -1
  var childCount: Int32 = 0
  var next: Int32 = -1
  var previous: Int32 = -1
  /// The index of the newest ``Cursor`` that still has keys which were removed since; `next`
  /// continues from such keys. -1: no key was removed.
  var order: Int32 = -1
  /// The parent's container does not have this draft's value yet.
  var isUnsynchronized = false
  /// A descendant has `isUnsynchronized`.
  var isStaleBelow = false
  /// The action changed more than scalars that replace scalars: the keys, the elements, which
  /// containers are in this one, or the id of an element. Unlike `isUnsynchronized` and
  /// `isStaleBelow`, it stays set until the action ends.
  package var isReshaped = false
  /// A descendant has `isReshaped`.
  package var isReshapedBelow = false
  /// The children are also in the arena's ``ChildIndex``.
  var isIndexed = false
  /// A list that may have absent elements before its end.
  var mayHaveHoles = false
  /// False: the container is up to date and can be stored in its parent's container as it is.
  var needsSynchronizing: Bool { isStaleBelow || mayHaveHoles || container.tag == .dictionary }
  /// Only while the parent's list is rearranged: this draft already has a position in the new list.
  var isMoving = false
}

/// A copy of an object (owned, +1) from when an iteration began, or from before a key was removed.
/// It fixes the order in which `next` visits the keys.
struct Cursor {
  var slot: Slot
  /// The index of an older cursor of the same draft that has other removed keys; -1: none.
  var previous: Int32 = -1
}

/// The reason why a read or a write of state was refused. It becomes a Lua error at the script
/// line.
package struct DraftError: Error {
  package var message: String
}

/// Maps a parent draft and a child's `place` to the draft of the child. A hash table with open
/// addressing and linear probing.
///
/// Invariants:
/// 1. Only entries of the current epoch count, so ``removeAll()`` is O(1): it begins a new epoch.
/// 2. A removed entry stays as a tombstone (`child` is `removed`), so that probing continues behind
///    it.
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
  private static func key(_ parent: Int32, _ position: Int) -> UInt64 {
    UInt64(UInt32(bitPattern: parent)) << 32 | UInt64(UInt32(truncatingIfNeeded: position))
  }

  @inline(__always)
  private func start(_ key: UInt64) -> Int {
    let mixed = key &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: mixed >> 32) & (capacity - 1)
  }

  @inline(__always)
  private func place(_ key: UInt64) -> Int? {
    var place = start(key)
    while entries[place].epoch == epoch {
      if entries[place].key == key && entries[place].child != ChildIndex.removed { return place }
      place = (place + 1) & (capacity - 1)
    }
    return nil
  }

  @inline(__always)
  func child(of parent: Int32, at place: Int) -> Int32? {
    guard used > 0, let place = self.place(ChildIndex.key(parent, place)) else { return nil }
    return entries[place].child
  }

  mutating func insert(_ child: Int32, of parent: Int32, at position: Int) {
    if (used + 1) * 4 > capacity * 3 { grow() }
    add(Entry(key: ChildIndex.key(parent, position), child: child, epoch: epoch))
  }

  mutating func remove(of parent: Int32, at position: Int) {
    if let place = place(ChildIndex.key(parent, position)) {
      entries[place].child = ChildIndex.removed
    }
  }

  private mutating func add(_ entry: Entry) {
    var place = start(entry.key)
    while entries[place].epoch == epoch { place = (place + 1) & (capacity - 1) }
    entries[place] = entry
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
    for place in 0..<oldCapacity
    where old[place].epoch == epoch && old[place].child != ChildIndex.removed {
      add(old[place])
    }
    old.deallocate()
  }
}

/// Caches the position of a key in a shape, by the addresses of the shape and of the Lua string.
/// Direct-mapped: a new entry replaces the old one with the same hash.
///
/// Invariants:
/// 1. An entry owns its shape (+1), so the shape's address cannot be reused.
/// 2. Lua's anchor table holds the key of each entry, so the key's address cannot be reused. C
///    anchors a key after ``miss(_:in:position:)`` and before ``fill()``.
/// 3. `pending` is not found by ``position(of:in:)``, since its key may not be anchored.
struct KeyCache: ~Copyable {
  private struct Entry {
    var shape: NodeAddress?
    var key: UnsafePointer<CChar>?
    /// -1: the shape does not have the key.
    var position: Int
  }

  private static let size = 256
  private let entries: UnsafeMutablePointer<Entry>
  /// The last miss; it becomes an entry when its key is anchored. Owns its shape (+1).
  private var pending = Entry(shape: nil, key: nil, position: 0)

  init() {
    entries = .allocate(capacity: KeyCache.size)
    entries.initialize(
      repeating: Entry(shape: nil, key: nil, position: 0), count: KeyCache.size)
  }

  deinit {
    for index in 0..<KeyCache.size {
      if let shape = entries[index].shape { Node.release(shape) }
    }
    if let shape = pending.shape { Node.release(shape) }
    entries.deallocate()
  }

  @inline(__always)
  private static func index(_ shape: NodeAddress, _ key: UnsafePointer<CChar>) -> Int {
    let mixed = UInt(bitPattern: shape) >> 5 ^ UInt(bitPattern: key) >> 4
    return Int(bitPattern: mixed ^ mixed >> 8) & (size - 1)
  }

  /// The position of the key, -1 if the shape does not have it, nil if it is not cached.
  @inline(__always)
  func position(of key: UnsafePointer<CChar>, in shape: NodeAddress) -> Int? {
    let entry = entries + KeyCache.index(shape, key)
    guard entry.pointee.shape == shape && entry.pointee.key == key else { return nil }
    return entry.pointee.position
  }

  /// Records a position (-1: none) that C can cache after it has anchored the key. Retains the
  /// shape.
  mutating func miss(_ key: UnsafePointer<CChar>, in shape: NodeAddress, position: Int) {
    if let old = pending.shape { Node.release(old) }
    Node.retain(shape)
    pending = Entry(shape: shape, key: key, position: position)
  }

  /// Makes the last miss an entry. C has anchored its key.
  mutating func fill() {
    guard let shape = pending.shape, let key = pending.key else { return }
    let entry = entries + KeyCache.index(shape, key)
    if let old = entry.pointee.shape { Node.release(old) }
    entry.pointee = pending
    pending.shape = nil
  }

  /// Drops all entries. C calls it when it drops the anchor table.
  mutating func removeAll() {
    for index in 0..<KeyCache.size {
      if let shape = entries[index].shape { Node.release(shape) }
      entries[index].shape = nil
    }
  }
}
