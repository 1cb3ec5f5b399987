/// One place in the state while an action is reduced: what is there now, and where it belongs.
package struct Draft {
  /// What is there: a list, object, dictionary or empty. Its children's newer values are in their own
  /// drafts until ``DraftArena/synchronize(_:)`` puts them in.
  package var container: Slot
  /// Whether the container is the draft's own (+1). Else it is a part of the state before the action, which
  /// outlives the drafts (+0), and must not be changed in place.
  var isOwned: Bool
  /// Arena index; -1 for the root and for what was removed or overwritten.
  var parent: Int32 = -1
  /// In the parent: a list index from 0, or an object's position; plus the parent's `origin`.
  var place: Int32 = 0
  /// Where children count their places from, so that all behind an insertion or removal can move by moving
  /// those before it the other way.
  var origin: Int32 = 0
  var firstChild: Int32 = -1
  var childCount: Int32 = 0
  var next: Int32 = -1
  var previous: Int32 = -1
  /// The newest cursor with keys that were removed, for `next`; -1 without.
  var order: Int32 = -1
  /// The parent's container does not have this one's value yet.
  var isUnsynchronized = false
  /// So is some descendant.
  var isStaleBelow = false
  /// More of it changed than scalars in place of scalars: its keys, its elements, which containers are in it, or the
  /// id of one of them. Unlike the two before it stays until the action is over.
  package var isReshaped = false
  /// So is some descendant.
  package var isReshapedBelow = false
  /// Its children are in the arena's ``ChildIndex``.
  var isIndexed = false
  /// A list that may have absent elements.
  var mayHaveHoles = false
  /// Whether there is more to do than to hand its container to its parent.
  var needsSynchronizing: Bool { isStaleBelow || mayHaveHoles || container.tag == .dictionary }
  /// While its parent is rearranged: it has its new position.
  var isMoving = false
}

/// An object as it was (owned, +1) when an iteration began or a key was about to be removed: the order in
/// which its keys come.
struct Cursor {
  var slot: Slot
  /// An older one of the same draft with other removed keys; -1 without.
  var previous: Int32 = -1
}

/// Why a read or a write of state was refused. Becomes a Lua error at the script's line.
package struct DraftError: Error {
  package var message: String
}

/// Finds the draft of a child by its parent and position: open addressing, emptied in O(1) by
/// counting epochs.
struct ChildIndex: ~Copyable {
  private struct Entry {
    var key: UInt64 = 0
    var child: Int32 = 0
    var epoch: UInt32 = 0
  }

  private var entries: UnsafeMutablePointer<Entry>
  private var capacity = 64
  /// Entries in use this epoch, removed ones included.
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

  /// Makes room, or only drops what was removed where that is much.
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

/// Remembers where a key stands in a shape, by their addresses.
///
/// Safe because neither can be freed and its address reused: an entry holds its shape, and Lua's
/// anchor table the key (C anchors it before ``fill()``).
struct KeyCache: ~Copyable {
  private struct Entry {
    var shape: NodeAddress?
    var key: UnsafePointer<CChar>?
    /// -1: the shape does not have the key.
    var position: Int
  }

  private static let size = 256
  private let entries: UnsafeMutablePointer<Entry>
  /// The miss that is to be filled once its key is anchored. Owns its shape.
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

  /// Position, -1 for a key that is not there, nil if not remembered.
  @inline(__always)
  func position(of key: UnsafePointer<CChar>, in shape: NodeAddress) -> Int? {
    let entry = entries + KeyCache.index(shape, key)
    guard entry.pointee.shape == shape && entry.pointee.key == key else { return nil }
    return entry.pointee.position
  }

  mutating func miss(_ key: UnsafePointer<CChar>, in shape: NodeAddress, position: Int) {
    if let old = pending.shape { Node.release(old) }
    Node.retain(shape)
    pending = Entry(shape: shape, key: key, position: position)
  }

  /// Keeps the last miss: its key is anchored now.
  mutating func fill() {
    guard let shape = pending.shape, let key = pending.key else { return }
    let entry = entries + KeyCache.index(shape, key)
    if let old = entry.pointee.shape { Node.release(old) }
    entry.pointee = pending
    pending.shape = nil
  }

  /// The anchors are gone.
  mutating func removeAll() {
    for index in 0..<KeyCache.size {
      if let shape = entries[index].shape { Node.release(shape) }
      entries[index].shape = nil
    }
  }
}
