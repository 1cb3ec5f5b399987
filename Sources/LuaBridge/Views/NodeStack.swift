import ScriptValue

/// The properties and children of the nodes that are being made, those of the innermost node last. A property that
/// equals that of the node before it is that very value.
///
/// It is kept between runs, empty, so that its memory is used again.
struct NodeStack: ~Copyable {
  /// A node whose properties are being collected.
  struct Node {
    /// The index of the first property.
    fileprivate let first: Int
    /// The node of the run before, borrowed (+0); not a container if there is none.
    fileprivate let old: Slot
    /// How many properties are those of the old node.
    fileprivate var same = 0
  }

  /// Values are owned (+1).
  private var properties: [RecordEntry] = []
  private var nodes: [Slot] = []

  static var children: UnsafeRawBufferPointer { ("children" as StaticString).bytes }

  func beginNode(_ old: Slot) -> Node { Node(first: properties.count, old: old) }

  /// The node (+1): the old one if it has the same properties. All that was added since ``beginNode(_:)`` is gone.
  mutating func endNode(_ node: Node, _ records: inout RecordShapes) -> Slot {
    let range = node.first..<properties.count
    defer { properties.removeSubrange(range) }
    if node.same == range.count, node.old.isObject,
      ObjectTree(borrowing: node.old).count == range.count
    {
      for property in properties[range] { property.value.release() }
      return node.old.retained()
    }
    return properties.withUnsafeMutableBufferPointer {
      records.object(UnsafeMutableBufferPointer(rebasing: $0[range]))
    }
  }

  /// An object (+1) of the properties that a node has so far.
  mutating func copy(of node: Node, _ records: inout RecordShapes) -> Slot {
    var copies = Array(properties[node.first...])
    for copy in copies { copy.value.retain() }
    return copies.withUnsafeMutableBufferPointer { records.object($0) }
  }

  // MARK: Properties

  /// What the old node has under a key, borrowed (+0); absent for nothing.
  @inline(__always)
  func before(_ key: UnsafeRawBufferPointer, in node: Node) -> Slot {
    node.old.field(key)
  }

  /// Adds a property (+1) that the node does not have yet. Returns the value that it got, borrowed (+0).
  @discardableResult
  mutating func append(_ key: UnsafeRawBufferPointer, _ owned: Slot, to node: inout Node) -> Slot {
    let old = before(key, in: node)
    guard !old.isAbsent, !old.isIdentical(to: owned) else { return push(key, owned, old, &node) }
    defer { owned.release() }
    return push(key, Slot.reusing(old, in: owned), old, &node)
  }

  /// Adds a text. Otherwise as ``append(_:_:to:)``.
  mutating func append(
    _ key: UnsafeRawBufferPointer, text: UnsafeRawBufferPointer, to node: inout Node,
    _ strings: inout StringCache
  ) -> Slot {
    let old = before(key, in: node)
    let isSame = old.tag == .string && UTF8Text.equals(old.stringBytes, text)
    return push(key, isSame ? old.retained() : strings.string(text), old, &node)
  }

  private mutating func push(
    _ key: UnsafeRawBufferPointer, _ owned: Slot, _ old: Slot, _ node: inout Node
  ) -> Slot {
    if old.isIdentical(to: owned) { node.same += 1 }
    properties.append(RecordEntry(key: key, value: owned))
    return owned
  }

  /// Adds a property (+1). It takes the place of one that the script has set.
  mutating func add(_ name: StaticString, _ owned: Slot, to node: inout Node) {
    let key = name.bytes
    if let index = properties[node.first...].firstIndex(where: { UTF8Text.equals($0.key, key) }) {
      let value = properties.remove(at: index).value
      if before(key, in: node).isIdentical(to: value) { node.same -= 1 }
      value.release()
    }
    append(key, owned, to: &node)
  }

  // MARK: Children

  func beginChildren() -> Int { nodes.count }

  /// Adds a child (+1).
  mutating func addChild(_ node: Slot) { nodes.append(node) }

  /// Adds the children that were added since ``beginChildren()`` as a property. `old` (+0) are those of the node before.
  mutating func endChildren(from first: Int, _ old: Slot, of node: inout Node) {
    let list = NodeStack.list(of: nodes[first...], old)
    nodes.removeSubrange(first...)
    _ = push(NodeStack.children, list, old, &node)
  }

  /// The list (+1) of children (+1), which shares with the old one what is the same.
  private static func list(of children: ArraySlice<Slot>, _ old: Slot) -> Slot {
    var builder = PersistentList.Builder()
    for child in children { builder.append(child) }
    let list = builder.finish()
    return Slot.reusing(old, in: list.borrowedSlot)
  }

  /// Releases everything that an error has left.
  mutating func removeAll() {
    for property in properties { property.value.release() }
    for node in nodes { node.release() }
    properties.removeAll(keepingCapacity: true)
    nodes.removeAll(keepingCapacity: true)
  }
}

/// Short strings that were read last, so that nodes with equal texts share one.
struct StringCache: ~Copyable {
  private static let size = 512
  private static let longest = 40
  private var entries: [StringNode?] = Array(repeating: nil, count: size)

  /// The string (+1) of these bytes, which are UTF-8.
  @inline(__always)
  mutating func string(_ bytes: UnsafeRawBufferPointer) -> Slot {
    guard bytes.count <= StringCache.longest else { return .string(trustedUTF8: bytes) }
    let index = Int(truncatingIfNeeded: UTF8Text.hash(bytes)) & (StringCache.size - 1)
    if let known = entries[index], UTF8Text.equals(known.bytes, bytes) { return .owning(known) }
    let new = StringNode.make(trustedUTF8: bytes)
    entries[index] = new
    return .owning(new)
  }
}
