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

  /// - Parameter hasValues: whether the copy has the values too, and not only the keys.
  init(copying other: DictionaryNode, hasValues: Bool = true) {
    keys = other.keys
    values = hasValues ? other.values : PersistentList()
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

  /// The bytes of a node without what it shares with a copy.
  static var size: Int { Node.header + 96 }
  /// About the bytes of a node with this many keys, without those of the keys and values themselves.
  package static func size(count: Int) -> Int { size + count * 96 }

  /// About the bytes of the nodes of `index` on the way to a key.
  private static var indexPath: Int { 1024 }

  /// Appends a key, which is borrowed (+0) and not present yet, and its owned value (+1). Returns
  /// the position.
  func append(_ key: NodeAddress, _ owned: Slot, _ copied: CopiedBytes? = nil) -> Int {
    let position = keys.count
    let node = Unmanaged<StringNode>.fromOpaque(key).takeUnretainedValue()
    let before = copied?.pointee
    keys.append(.owning(node), copied)
    // Where the keys are shared with another node, the index is, too.
    if copied?.pointee != before { copied?.pointee += DictionaryNode.indexPath }
    index[Key(node)] = position
    depth = Node.depth(depth, taking: owned)
    values.append(owned, copied)
    count += 1
    return position
  }

  func set(_ position: Int, _ owned: Slot, _ copied: CopiedBytes? = nil) {
    depth = Node.depth(depth, taking: owned)
    values.set(position, owned, copied)
  }

  /// Removes the key at `position`, leaves tombstones, and returns the value (+1).
  func remove(_ position: Int, _ copied: CopiedBytes? = nil) -> Slot {
    let before = copied?.pointee
    let key = keys.exchange(position, .absent, copied)
    if copied?.pointee != before { copied?.pointee += DictionaryNode.indexPath }
    index[Key(lookingUp: key.stringBytes)] = nil
    key.release()
    count -= 1
    return values.exchange(position, .absent, copied)
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
