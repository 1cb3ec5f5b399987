/// An object of a state, with the semantics of a Swift dictionary that preserves insertion order.
///
/// Up to 32 keys it is a flat ``ObjectNode`` with a shared ``Shape``, beyond that a
/// ``DictionaryNode``. A copy is O(1) and shares all nodes. A write changes a node in place if it is
/// not shared; otherwise it copies the flat node, or the path to the change, and adds the bytes of the
/// copies to `copied`, if there is such a pointer.
///
/// Functions identify a key by its position in `0..<positionLimit`:
/// 1. A flat object has no gaps. Removing a key moves the keys after it down by one position.
/// 2. In a dictionary, positions do not change until ``compact()``. A removed position is absent.
///
/// `@unchecked Sendable`. Proof: a node is immutable while it is shared. It is changed only after an
/// atomic check that the changing thread holds its only reference.
@usableFromInline
package struct ObjectTree: @unchecked Sendable {
  /// At most one of `flat` and `dictionary` is set.
  @usableFromInline var flat: ObjectNode?
  @usableFromInline var dictionary: DictionaryNode?
  /// The kind of the empty object. It is meaningful only while there are no keys.
  @usableFromInline package internal(set) var emptyKind: EmptyKind

  @inlinable
  package init() { emptyKind = .formerObject }

  init(dictionary: DictionaryNode) {
    self.dictionary = dictionary
    emptyKind = .formerObject
  }

  /// Consumes an owned slot (+1) of an object, a dictionary or an empty container.
  @inlinable
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

  /// Retains a borrowed slot (+0) of an object, a dictionary or an empty container.
  @inlinable
  package init(borrowing slot: Slot) {
    self.init(owning: slot.retained())
  }

  /// The object as a borrowed slot (+0). It is valid until this object is changed or released.
  @inlinable @inline(__always)
  package var borrowedSlot: Slot {
    if let flat { return Slot(tag: .object, address: Unmanaged.passUnretained(flat).toOpaque()) }
    if let dictionary {
      return Slot(tag: .dictionary, address: Unmanaged.passUnretained(dictionary).toOpaque())
    }
    return .empty(emptyKind)
  }

  /// The object as an owned slot (+1).
  @inlinable @inline(__always)
  package func ownedSlot() -> Slot { borrowedSlot.retained() }

  @inlinable @inline(__always)
  var flatAddress: NodeAddress? {
    guard let flat else { return nil }
    return Unmanaged.passUnretained(flat).toOpaque()
  }

  /// The number of keys. O(1).
  @inlinable @inline(__always)
  package var count: Int {
    if let address = flatAddress { return ObjectNode.count(of: address) }
    return dictionary?.count ?? 0
  }

  @inlinable @inline(__always)
  package var isEmpty: Bool { flat == nil && dictionary == nil }

  /// One more than the last position.
  @inlinable @inline(__always)
  package var positionLimit: Int {
    if let address = flatAddress { return ObjectNode.count(of: address) }
    return dictionary?.keys.count ?? 0
  }

  /// The address of a flat object's shape, for caches. Two objects with the same address here have
  /// the same keys at the same positions. Nil for dictionaries and empty objects.
  @inlinable @inline(__always)
  package var shapeAddress: NodeAddress? {
    guard let address = flatAddress else { return nil }
    return ObjectNode.shapeAddress(of: address)
  }

  /// Returns the position of the key with these bytes, or nil. O(1) in a flat object, O(log n) in a
  /// dictionary.
  @inlinable @inline(__always)
  package func position(of key: UnsafeRawBufferPointer) -> Int? {
    if let address = flatAddress {
      return ObjectNode.withShape(of: address) { $0.position(of: key) }
    }
    return dictionary?.position(of: key)
  }

  /// The value at `position`, or absent at a removed position of a dictionary. Borrowed (+0), and
  /// valid until this object is changed or released.
  @inlinable @inline(__always)
  package func borrow(_ position: Int) -> Slot {
    if let address = flatAddress {
      precondition(position >= 0 && position < ObjectNode.count(of: address))
      return ObjectNode.slot(of: address, at: position)
    }
    guard let dictionary else { preconditionFailure("an empty object has no positions") }
    return dictionary.values.borrow(position)
  }

  /// The value (+0) of the key with these bytes, or nil.
  @inlinable @inline(__always)
  package func borrow(key: UnsafeRawBufferPointer) -> Slot? {
    position(of: key).map { borrow($0) }
  }

  /// The key at `position` as a string slot (+0), or absent at a removed position of a dictionary.
  @inlinable @inline(__always)
  package func keySlot(_ position: Int) -> Slot {
    if let address = flatAddress {
      return Slot(
        tag: .string,
        address: ObjectNode.withShape(of: address) { $0.keyAddress(at: position) })
    }
    guard let dictionary else { preconditionFailure("an empty object has no positions") }
    return dictionary.keys.borrow(position)
  }

  /// The first position at or after `position` that is not removed, or nil. O(1) in a flat object;
  /// in a dictionary it passes over each tombstone.
  @inlinable
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

  /// Calls `body` with each key and value (both +0) in order.
  @inlinable
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

  /// Replaces the value at `position`, which must not be removed, by an owned slot (+1). Releases
  /// the old value.
  package mutating func set(_ position: Int, _ owned: Slot, _ copied: CopiedBytes? = nil) {
    if let address = flatAddress {
      precondition(position >= 0 && position < ObjectNode.count(of: address))
      if isKnownUniquelyReferenced(&flat) {
        ObjectNode.replace(address, at: position, by: owned)
      } else {
        copied?.pointee += ObjectNode.size(count: ObjectNode.count(of: address))
        replaceFlat(by: ObjectNode.copy(address, replacing: position, by: owned))
      }
    } else {
      uniqueDictionary(copied).set(position, owned, copied)
    }
  }

  /// Appends a key, which is borrowed (+0) and not present yet, with its owned value (+1). Returns
  /// the position. O(n) in a flat object, whose n is at most 32; O(log n) in a dictionary.
  @discardableResult
  package mutating func append(
    key: NodeAddress, _ owned: Slot, _ copied: CopiedBytes? = nil
  ) -> Int {
    guard dictionary == nil else {
      return uniqueDictionary(copied).append(key, owned, copied)
    }
    guard let address = flatAddress else {
      let shape = Shape.none.appending(key)
      withUnsafePointer(to: owned) { replaceFlat(by: ObjectNode.make(shape: shape, owning: $0)) }
      emptyKind = .formerObject
      return 0
    }
    let count = ObjectNode.count(of: address)
    countCopy(copied)
    guard count < Shape.maximumCount else {
      let node = DictionaryNode()
      copied?.pointee += DictionaryNode.size(count: count)
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

  /// Removes the key at `position`, which must not be removed already, and returns its value (+1).
  /// In a flat object, the keys after it move down by one position; in a dictionary, positions do
  /// not change.
  package mutating func remove(_ position: Int, _ copied: CopiedBytes? = nil) -> Slot {
    guard let address = flatAddress else {
      let node = uniqueDictionary(copied)
      let removed = node.remove(position, copied)
      if node.count == 0 { self = ObjectTree() }
      return removed
    }
    let count = ObjectNode.count(of: address)
    precondition(position >= 0 && position < count)
    countCopy(copied)
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

  /// Removes a dictionary's tombstones if there are many, or makes the object flat if it has fewer
  /// than 16 keys. Positions change. Call it when no caller uses a position any more, for example
  /// when a draft is committed.
  package mutating func compact() {
    guard let node = dictionary else { return }
    if node.count < 16 {
      var flat = Builder()
      node.visit { key, value in flat.append(key: key.retained().address, value.retained()) }
      self = flat.finish()
    } else if node.isSparse {
      dictionary = node.compacted()
    }
  }

  private mutating func replaceFlat(by owned: NodeAddress) {
    flat = Unmanaged<ObjectNode>.fromOpaque(owned).takeRetainedValue()
  }

  /// Adds the bytes of the flat node, which is about to be replaced by another one, if others hold it too.
  private mutating func countCopy(_ copied: CopiedBytes?) {
    guard let copied, let address = flatAddress, !isKnownUniquelyReferenced(&flat) else { return }
    copied.pointee += ObjectNode.size(count: ObjectNode.count(of: address))
  }

  private mutating func uniqueDictionary(_ copied: CopiedBytes?) -> DictionaryNode {
    if !isKnownUniquelyReferenced(&dictionary), let shared = dictionary {
      copied?.pointee += DictionaryNode.size
      dictionary = DictionaryNode(copying: shared)
    }
    guard let dictionary else { preconditionFailure("an empty object has no positions") }
    return dictionary
  }
}

extension ObjectTree {
  /// The keys whose values differ between two dictionaries (+0) that have the same keys at the same
  /// positions. Nil for any other two slots. The cost is that of the change.
  package static func changedKeys(from old: Slot, to new: Slot) -> [String]? {
    guard old.tag == .dictionary, new.tag == .dictionary else { return nil }
    let before = ObjectTree(borrowing: old)
    let after = ObjectTree(borrowing: new)
    guard let (oldValues, values) = before.valuesAtSamePositions(as: after) else { return nil }
    var changed: [String] = []
    values.forEachDifference(from: oldValues) { index, _, _ in
      let key = after.keySlot(index)
      if !key.isAbsent { changed.append(key.text) }
      return true
    }
    return changed
  }

  /// Calls `body` with each key (+0, a string of the old object) that `old` has and `new` does not
  /// have. A slot that is not an object counts as an empty object. The cost is that of the change,
  /// or O(n) if a dictionary was rebuilt.
  package static func forEachRemovedKey(
    from old: Slot, to new: Slot, _ body: (_ key: Slot) -> Void
  ) {
    guard old.isObject, !old.isIdentical(to: new) else { return }
    let before = ObjectTree(borrowing: old)
    guard new.isObject else {
      before.visit { key, _ in body(key) }
      return
    }
    let after = ObjectTree(borrowing: new)
    if let shape = before.shapeAddress, shape == after.shapeAddress { return }
    func look(at key: Slot) {
      if !key.isAbsent, after.position(of: key.stringBytes) == nil { body(key) }
    }
    // Adding or removing a key of a dictionary does not change the positions of the other keys.
    guard let keys = before.dictionary?.keys, let newKeys = after.dictionary?.keys else {
      before.visit { key, _ in look(at: key) }
      return
    }
    newKeys.forEachDifference(from: keys) { _, key, _ in
      look(at: key)
      return true
    }
    for position in min(newKeys.count, keys.count)..<keys.count { look(at: keys.borrow(position)) }
  }
}
