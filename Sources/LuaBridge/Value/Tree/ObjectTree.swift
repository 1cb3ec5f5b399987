/// The object behind a state's object: flat with a shared ``Shape`` up to 32 keys, a
/// ``DictionaryNode`` beyond, with the value semantics of a dictionary that keeps insertion order.
/// A copy is O(1) and shares everything; a write copies one flat node, or a path, if somebody else
/// holds it, and changes it in place if nobody does.
///
/// A position stands for a key: `0..<positionLimit`. In a flat object there are no gaps and
/// removing a key shifts those behind it down by one; in a dictionary positions stay as they are
/// until ``compact()``, and removed ones are absent.
///
/// `@unchecked Sendable`: a node is only changed by the one owner that holds the only reference.
package struct ObjectTree: @unchecked Sendable {
  /// At most one of the two is there.
  private var flat: ObjectNode?
  private var dictionary: DictionaryNode?
  /// Which empty object it is while it has no key.
  package private(set) var emptyKind: EmptyKind

  package init(emptyKind: EmptyKind = .formerObject) {
    self.emptyKind = emptyKind
  }

  fileprivate init(dictionary: DictionaryNode) {
    self.dictionary = dictionary
    emptyKind = .formerObject
  }

  /// Takes over an owned object, dictionary or empty slot (+1).
  package init(owning slot: Slot) {
    emptyKind = .formerObject
    switch slot.tag {
    case .object: flat = Unmanaged<ObjectNode>.fromOpaque(slot.address).takeRetainedValue()
    case .dictionary:
      dictionary = Unmanaged<DictionaryNode>.fromOpaque(slot.address).takeRetainedValue()
    default:
      assert(slot.tag == .empty)
      emptyKind = slot.emptyKind
    }
  }

  /// Takes a reference of its own to an object, dictionary or empty slot (+0).
  package init(borrowing slot: Slot) {
    self.init(owning: slot.retained())
  }

  /// Takes over the values' references (+1 each); `slots` has one for each key of the shape.
  package init(shape: Shape, owning slots: UnsafePointer<Slot>) {
    emptyKind = .formerObject
    guard shape.count > 0 else { return }
    flat = Unmanaged<ObjectNode>.fromOpaque(ObjectNode.make(shape: shape, owning: slots))
      .takeRetainedValue()
  }

  /// The object as a slot (+0), valid while this object is neither changed nor dropped.
  @inline(__always)
  package var borrowedSlot: Slot {
    if let flat { return Slot(tag: .object, address: Unmanaged.passUnretained(flat).toOpaque()) }
    if let dictionary {
      return Slot(tag: .dictionary, address: Unmanaged.passUnretained(dictionary).toOpaque())
    }
    return .empty(emptyKind)
  }

  /// The object as an owned slot (+1).
  @inline(__always)
  package func ownedSlot() -> Slot { borrowedSlot.retained() }

  @inline(__always)
  private var flatAddress: NodeAddress? {
    guard let flat else { return nil }
    return Unmanaged.passUnretained(flat).toOpaque()
  }

  /// A dictionary's keys and values by position, with absent tombstones.
  var dictionaryKeys: PersistentList? { dictionary?.keys }
  var dictionaryValues: PersistentList? { dictionary?.values }

  /// Keys, O(1).
  @inline(__always)
  package var count: Int {
    if let address = flatAddress { return ObjectNode.count(of: address) }
    return dictionary?.count ?? 0
  }

  @inline(__always)
  package var isEmpty: Bool { flat == nil && dictionary == nil }

  /// One past the last position.
  @inline(__always)
  package var positionLimit: Int {
    if let address = flatAddress { return ObjectNode.count(of: address) }
    return dictionary?.keys.count ?? 0
  }

  /// The identity of a flat object's shape, for inline caches: two objects with the same address
  /// here have the same keys at the same positions. Nil for dictionaries and empties.
  @inline(__always)
  package var shapeAddress: NodeAddress? {
    guard let address = flatAddress else { return nil }
    return ObjectNode.shapeAddress(of: address)
  }

  /// The position of the key with these bytes. O(1) flat, O(log n) beyond.
  @inline(__always)
  package func position(of key: UnsafeRawBufferPointer) -> Int? {
    if let address = flatAddress {
      return ObjectNode.withShape(of: address) { $0.position(of: key) }
    }
    return dictionary?.position(of: key)
  }

  /// The value at `position` (+0: valid while this object is neither changed nor dropped), absent
  /// at a removed position of a dictionary.
  @inline(__always)
  package func borrow(_ position: Int) -> Slot {
    if let address = flatAddress {
      precondition(position >= 0 && position < ObjectNode.count(of: address))
      return ObjectNode.slot(of: address, at: position)
    }
    guard let dictionary else { preconditionFailure("an empty object has no positions") }
    return dictionary.values.borrow(position)
  }

  /// The value of the key with these bytes (+0), or nil.
  @inline(__always)
  package func borrow(key: UnsafeRawBufferPointer) -> Slot? {
    position(of: key).map { borrow($0) }
  }

  /// The key at `position`, a string slot (+0), absent at a removed position of a dictionary.
  @inline(__always)
  package func keySlot(_ position: Int) -> Slot {
    if let address = flatAddress {
      return Slot(
        tag: .string,
        address: ObjectNode.withShape(of: address) { $0.keyAddress(at: position) })
    }
    guard let dictionary else { preconditionFailure("an empty object has no positions") }
    return dictionary.keys.borrow(position)
  }

  /// The first position at or after `position` that is not removed, or nil.
  package func livePosition(from position: Int) -> Int? {
    if let address = flatAddress {
      return position < ObjectNode.count(of: address) ? position : nil
    }
    guard let dictionary else { return nil }
    var position = position
    while position < dictionary.keys.count {
      if !dictionary.keys.borrow(position).isAbsent { return position }
      position += 1
    }
    return nil
  }

  /// Calls `body` with each key and value (+0) in order.
  package func visit(_ body: (Slot, Slot) -> Void) {
    if let flat {
      withExtendedLifetime(flat) {
        let address = Unmanaged.passUnretained(flat).toOpaque()
        ObjectNode.withShape(of: address) { shape in
          for position in 0..<shape.count {
            body(
              Slot(tag: .string, address: shape.keyAddress(at: position)),
              ObjectNode.slot(of: address, at: position))
          }
        }
      }
    } else {
      dictionary?.visit(body)
    }
  }

  // MARK: Writing

  /// Replaces the value at a live `position` by an owned slot (+1) and releases the old one.
  package mutating func set(_ position: Int, _ owned: Slot) {
    if let address = flatAddress {
      precondition(position >= 0 && position < ObjectNode.count(of: address))
      if isKnownUniquelyReferenced(&flat) {
        ObjectNode.replace(address, at: position, by: owned)
      } else {
        replaceFlat(by: ObjectNode.copy(address, replacing: position, by: owned))
      }
    } else {
      uniqueDictionary().set(position, owned)
    }
  }

  /// Appends a key (+0, not there yet) and its owned value (+1); returns its position. O(n) flat,
  /// which is at most 32 keys, O(log n) beyond.
  @discardableResult
  package mutating func append(key: NodeAddress, _ owned: Slot) -> Int {
    guard dictionary == nil else { return uniqueDictionary().append(key, owned) }
    guard let address = flatAddress else {
      let shape = Shape.none.appending(key)
      withUnsafePointer(to: owned) { replaceFlat(by: ObjectNode.make(shape: shape, owning: $0)) }
      emptyKind = .formerObject
      return 0
    }
    let count = ObjectNode.count(of: address)
    guard count < Shape.maximumCount else {
      let node = DictionaryNode()
      visit { key, value in _ = node.append(key.address, value.retained()) }
      flat = nil
      dictionary = node
      return node.append(key, owned)
    }
    let shape = ObjectNode.withShape(of: address) { $0.appending(key) }
    let node = ObjectNode.allocate(
      shape: Unmanaged.passUnretained(shape).toOpaque(), count: count + 1)
    for position in 0..<count {
      ObjectNode.store(node, at: position, ObjectNode.slot(of: address, at: position).retained())
    }
    (node + ObjectNode.depthOffset).copyMemory(
      from: address + ObjectNode.depthOffset, byteCount: 1)
    ObjectNode.initialize(node, at: count, to: owned)
    replaceFlat(by: node)
    return count
  }

  /// Sets the value of a key, appending it if it is not there. Takes over `owned` (+1).
  package mutating func set(key: NodeAddress, _ owned: Slot) {
    if let position = position(of: StringNode.bytes(of: key)) {
      set(position, owned)
    } else {
      append(key: key, owned)
    }
  }

  /// Takes out the key at a live `position`; its value is the caller's now (+1). Positions behind it
  /// shift down by one in a flat object and stay in a dictionary.
  package mutating func remove(_ position: Int) -> Slot {
    guard let address = flatAddress else {
      let node = uniqueDictionary()
      let removed = node.remove(position)
      if node.count == 0 { self = ObjectTree() }
      return removed
    }
    let count = ObjectNode.count(of: address)
    precondition(position >= 0 && position < count)
    let removed = ObjectNode.slot(of: address, at: position).retained()
    guard count > 1 else {
      self = ObjectTree()
      return removed
    }
    let shape = ObjectNode.withShape(of: address) { $0.removing(at: position) }
    let node = ObjectNode.allocate(
      shape: Unmanaged.passUnretained(shape).toOpaque(), count: count - 1)
    for index in 0..<count where index != position {
      let slot = ObjectNode.slot(of: address, at: index).retained()
      ObjectNode.initialize(node, at: index < position ? index : index - 1, to: slot)
    }
    replaceFlat(by: node)
    return removed
  }

  /// Drops a dictionary's tombstones when they are the majority, or makes it flat when it has
  /// fewer than 16 keys. Positions change: call it when nobody holds one, as when a draft commits.
  package mutating func compact() {
    guard let node = dictionary else { return }
    if node.count < 16 {
      var flat = ObjectTree()
      node.visit { key, value in flat.append(key: key.address, value.retained()) }
      self = flat
    } else if node.isSparse {
      dictionary = node.compacted()
    }
  }

  private mutating func replaceFlat(by owned: NodeAddress) {
    flat = Unmanaged<ObjectNode>.fromOpaque(owned).takeRetainedValue()
  }

  private mutating func uniqueDictionary() -> DictionaryNode {
    if !isKnownUniquelyReferenced(&dictionary) {
      guard let shared = dictionary else { preconditionFailure("an empty object has no positions") }
      let copy = DictionaryNode(copying: shared)
      dictionary = copy
      return copy
    }
    guard let dictionary else { preconditionFailure("an empty object has no positions") }
    return dictionary
  }
}

extension ObjectTree {
  /// Collects keys in order and their values; makes the flat node or the dictionary at the end.
  package struct Builder: ~Copyable {
    private var keys: [NodeAddress] = []
    private var slots: [Slot] = []
    private var large: ObjectTree?

    package init() {}

    /// How many keys it has.
    package var count: Int { large?.count ?? keys.count }

    /// The position of a key that was appended before. Linear up to 32 keys, hashed beyond.
    package func position(of key: UnsafeRawBufferPointer) -> Int? {
      if let large { return large.position(of: key) }
      return keys.firstIndex { StringNode.equals($0, key) }
    }

    /// Takes over a key (+1, not there yet) and a value (+1).
    package mutating func append(key: NodeAddress, _ owned: Slot) {
      if large == nil && keys.count < Shape.maximumCount {
        keys.append(key)
        slots.append(owned)
        return
      }
      if large == nil { large = takeLarge() }
      large?.append(key: key, owned)
      Node.release(key)
    }

    /// Replaces the value at `position` by an owned slot (+1) and releases the old one.
    package mutating func set(_ position: Int, _ owned: Slot) {
      if large != nil {
        large?.set(position, owned)
      } else {
        slots[position].release()
        slots[position] = owned
      }
    }

    /// The object of what was appended; the builder is empty again.
    package mutating func finish(emptyKind: EmptyKind = .formerObject) -> ObjectTree {
      if let object = large {
        large = nil
        return object
      }
      return keys.isEmpty ? ObjectTree(emptyKind: emptyKind) : takeFlat()
    }

    /// Straight to a dictionary: a shape that only this object passes through is not worth keeping.
    private mutating func takeLarge() -> ObjectTree {
      let node = DictionaryNode()
      for (key, slot) in zip(keys, slots) {
        _ = node.append(key, slot)
        Node.release(key)
      }
      keys.removeAll()
      slots.removeAll()
      return ObjectTree(dictionary: node)
    }

    private mutating func takeFlat() -> ObjectTree {
      let shape = keys.withUnsafeBufferPointer { Shape.of($0) }
      let object = slots.withUnsafeBufferPointer { slots in
        slots.baseAddress.map { ObjectTree(shape: shape, owning: $0) } ?? ObjectTree()
      }
      for key in keys { Node.release(key) }
      keys.removeAll(keepingCapacity: true)
      slots.removeAll(keepingCapacity: true)
      return object
    }

    deinit {
      for key in keys { Node.release(key) }
      for slot in slots { slot.release() }
    }
  }
}
