import HashTreeCollections

/// An object of more than 32 keys. A copy shares all of its parts, because they are persistent.
/// Invariants:
/// 1. `keys` and `values` are parallel lists in insertion order. A key's index in them is its
///    position.
/// 2. A removed key leaves an absent tombstone in both lists, so the positions of the other keys do
///    not change.
/// 3. `index` maps each present key to its position.
/// 4. `count` is the number of present keys.
///
/// `@unchecked Sendable`. Proof: a node is immutable while it is shared. It is changed only after an
/// atomic check that the changing thread holds its only reference.
@usableFromInline
package final class DictionaryNode: @unchecked Sendable {
  @usableFromInline var keys: PersistentList
  @usableFromInline var values: PersistentList
  var index: TreeDictionary<Key, Int>
  /// The number of keys, without tombstones.
  @usableFromInline var count: Int
  /// An upper bound.
  @usableFromInline var depth: UInt8

  init() {
    keys = PersistentList()
    values = PersistentList()
    index = [:]
    count = 0
    depth = 1
  }

  init(copying other: DictionaryNode) {
    keys = other.keys
    values = other.values
    index = other.index
    count = other.count
    depth = other.depth
  }

  /// A key of `index`, which retains its node. A key for a lookup has no node; the caller keeps its
  /// bytes alive.
  struct Key: Hashable {
    let address: UnsafeRawPointer?
    let count: Int
    let node: StringNode?

    init(_ node: StringNode) {
      self.node = node
      address = node.bytes.baseAddress
      count = node.bytes.count
    }

    init(lookingUp bytes: UnsafeRawBufferPointer) {
      node = nil
      address = bytes.baseAddress
      count = bytes.count
    }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: address, count: count) }

    static func == (a: Key, b: Key) -> Bool { UTF8Text.equals(a.bytes, b.bytes) }

    func hash(into hasher: inout Hasher) { hasher.combine(bytes: bytes) }
  }

  @usableFromInline
  func position(of key: UnsafeRawBufferPointer) -> Int? { index[Key(lookingUp: key)] }

  /// Appends a key, which is borrowed (+0) and not present yet, and its owned value (+1). Returns
  /// the position.
  func append(_ key: NodeAddress, _ owned: Slot) -> Int {
    let position = keys.count
    let node = Unmanaged<StringNode>.fromOpaque(key).takeUnretainedValue()
    index[Key(node)] = position
    keys.append(.owning(node))
    depth = Node.depth(depth, taking: owned)
    values.append(owned)
    count += 1
    return position
  }

  func set(_ position: Int, _ owned: Slot) {
    depth = Node.depth(depth, taking: owned)
    values.set(position, owned)
  }

  /// Removes the key at `position`, leaves tombstones, and returns the value (+1).
  func remove(_ position: Int) -> Slot {
    let key = keys.exchange(position, .absent)
    index[Key(lookingUp: key.stringBytes)] = nil
    key.release()
    count -= 1
    return values.exchange(position, .absent)
  }

  /// Whether the tombstones so outnumber the keys that removing them is worth O(n).
  var isSparse: Bool { keys.count > 2 * count + 16 }

  /// Returns a node with the same keys and values but without tombstones. Positions change. O(n).
  func compacted() -> DictionaryNode {
    let new = DictionaryNode()
    visit { key, value in _ = new.append(key.address, value.retained()) }
    return new
  }

  /// Calls `body` with each key and value (both +0) in insertion order.
  @inlinable
  func visit(_ body: (Slot, Slot) -> Void) {
    var position = 0
    keys.visit { key in
      if !key.isAbsent { body(key, values.borrow(position)) }
      position += 1
    }
  }
}
