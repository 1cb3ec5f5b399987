extension ObjectTree {
  /// Collects keys in order with their values, then makes the flat node or the dictionary.
  @usableFromInline
  package struct Builder: ~Copyable {
    private var keys: [NodeAddress] = []
    private var slots: [Slot] = []
    private var large: ObjectTree?

    package init() {}

    package var count: Int { large?.count ?? keys.count }

    /// Returns the position of a key that was appended before, or nil. O(n) up to 32 keys, O(log n)
    /// beyond.
    package func position(of key: UnsafeRawBufferPointer) -> Int? {
      if let large { return large.position(of: key) }
      return keys.firstIndex { StringNode.equals($0, key) }
    }

    /// Consumes a key (+1), which must not be present yet, and a value (+1).
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

    /// Replaces the value at `position` by an owned slot (+1). Releases the old value.
    package mutating func set(_ position: Int, _ owned: Slot) {
      if large != nil {
        large?.set(position, owned)
      } else {
        slots[position].release()
        slots[position] = owned
      }
    }

    /// Returns the object of all appended keys. The builder is empty afterwards.
    package mutating func finish() -> ObjectTree {
      if let object = large {
        large = nil
        return object
      }
      return keys.isEmpty ? ObjectTree() : takeFlat()
    }

    /// Makes a dictionary directly. A flat object of the first 32 keys would intern a shape that no
    /// other object uses.
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
        guard let first = slots.baseAddress else { return ObjectTree() }
        return ObjectTree(
          owning: Slot(tag: .object, address: ObjectNode.make(shape: shape, owning: first)))
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
