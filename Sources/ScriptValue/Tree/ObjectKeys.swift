/// The keys of an object in their order: what an iteration follows.
package enum ObjectKeys {
  case none
  case flat(Shape)
  case dictionary(DictionaryNode)

  /// The keys of a slot (+0); none if it is not an object. Retains a dictionary with its values, so it is
  /// for a short use. O(1).
  package init(of slot: Slot) {
    switch slot.tag {
    case .object: self = ObjectNode.withShape(of: slot.address) { .flat($0) }
    case .dictionary:
      self = .dictionary(
        Unmanaged<DictionaryNode>.fromOpaque(slot.address).takeUnretainedValue())
    default: self = .none
    }
  }

  /// The same without the values. Retaining it makes no later write of a value copy anything.
  package init(copying slot: Slot) {
    self.init(of: slot)
    if case .dictionary(let node) = self {
      self = .dictionary(DictionaryNode(copying: node, hasValues: false))
    }
  }

  /// About the bytes that nothing else retains.
  package var size: Int {
    switch self {
    case .none: 0
    case .flat(let shape): shape.isPermanent ? 0 : shape.size
    case .dictionary: DictionaryNode.size
    }
  }

  /// Whether an object (+0) has the same keys at the same positions. True only for keys that it shares
  /// with these: the cost is O(1).
  @inline(__always)
  package func areThose(of slot: Slot) -> Bool {
    switch self {
    case .none: return false
    case .flat(let shape):
      return slot.tag == .object
        && ObjectNode.shapeAddress(of: slot.address) == Unmanaged.passUnretained(shape).toOpaque()
    case .dictionary(let node):
      guard slot.tag == .dictionary else { return false }
      return Unmanaged<DictionaryNode>.fromOpaque(slot.address)._withUnsafeGuaranteedRef {
        $0.keys.root === node.keys.root
      }
    }
  }

  /// The position of the key with these bytes, or nil.
  package func position(of key: UnsafeRawBufferPointer) -> Int? {
    switch self {
    case .none: nil
    case .flat(let shape): shape.position(of: key)
    case .dictionary(let node): node.position(of: key)
    }
  }

  /// The first position at or after `position` that has a key, or nil.
  package func livePosition(from position: Int) -> Int? {
    switch self {
    case .none: return nil
    case .flat(let shape): return position < shape.count ? position : nil
    case .dictionary(let node):
      return (position..<max(position, node.keys.count)).first { !node.keys.borrow($0).isAbsent }
    }
  }

  /// The key at a position that ``livePosition(from:)`` has returned, as a string slot (+0).
  package func slot(_ position: Int) -> Slot {
    switch self {
    case .none: .absent
    case .flat(let shape): Slot(tag: .string, address: shape.keyAddress(at: position))
    case .dictionary(let node): node.keys.borrow(position)
    }
  }
}
