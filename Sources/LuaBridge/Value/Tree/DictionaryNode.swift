import HashTreeCollections

/// An object of more than 32 keys. Keys and values sit in two parallel lists in insertion order; a
/// removed key leaves an absent tombstone in both, so positions are stable; an index maps keys to
/// positions. All three are persistent, so a copy shares them.
///
/// `@unchecked Sendable`: changed in place only while one owner holds it.
package final class DictionaryNode: @unchecked Sendable {
  var keys: PersistentList
  var values: PersistentList
  var index: TreeDictionary<Key, Int>
  /// Keys that are there, without the tombstones.
  var count: Int
  /// An upper bound.
  var depth: UInt8

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

  /// A key in the index; or, without a node, one to look up whose bytes the caller keeps alive.
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

  func position(of key: UnsafeRawBufferPointer) -> Int? { index[Key(lookingUp: key)] }

  /// Appends a key (+0, not there yet) and an owned value (+1).
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

  /// Takes out the value at `position` (+1, the caller's now), leaving tombstones.
  func remove(_ position: Int) -> Slot {
    let key = keys.exchange(position, .absent)
    index[Key(lookingUp: key.stringBytes)] = nil
    key.release()
    count -= 1
    return values.exchange(position, .absent)
  }

  /// Whether more than half of the positions are tombstones.
  var isSparse: Bool { keys.count > 2 * count + 16 }

  /// A node with the same keys and values, without tombstones.
  func compacted() -> DictionaryNode {
    let new = DictionaryNode()
    visit { key, value in _ = new.append(key.address, value.retained()) }
    return new
  }

  /// Calls `body` with each key and value (+0) in insertion order.
  func visit(_ body: (Slot, Slot) -> Void) {
    var position = 0
    keys.visit { key in
      if !key.isAbsent { body(key, values.borrow(position)) }
      position += 1
    }
  }
}
