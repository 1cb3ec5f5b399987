extension Slot {
  /// Deep equality with Lua's rules:
  /// - Numbers are compared by value, whatever their subtype: `1 == 1.0`, exact beyond 2^53.
  /// - Strings are compared by bytes and lists by elements.
  /// - Objects are equal with their keys in any order.
  /// - All empty containers are equal.
  ///
  /// It skips shared nodes, so the cost is that of the parts that differ.
  package static func equal(_ a: Slot, _ b: Slot) -> Bool {
    if a.tag == b.tag {
      switch a.tag {
      case .absent, .null, .empty: return true
      case .boolean, .integer: return a.bits == b.bits
      case .float: return a.float == b.float
      case .string: return a.bits == b.bits || StringNode.equals(a.address, b.stringBytes)
      case .list: return a.bits == b.bits || ListNode.equal(a.address, b.address)
      case .object: return a.bits == b.bits || equalFlat(a.address, b.address)
      case .dictionary: return a.bits == b.bits || equalObjects(a, b)
      }
    }
    switch (a.tag, b.tag) {
    case (.integer, .float): return equal(a.integer, b.float)
    case (.float, .integer): return equal(b.integer, a.float)
    case (.object, .dictionary), (.dictionary, .object): return equalObjects(a, b)
    default: return false
    }
  }

  /// Whether an integer and a float are exactly the same number.
  @inlinable @inline(__always)
  package static func equal(_ integer: Int64, _ float: Double) -> Bool {
    Int64(exactly: float) == integer
  }

  private static func equalFlat(_ a: NodeAddress, _ b: NodeAddress) -> Bool {
    let count = ObjectNode.count(of: a)
    guard count == ObjectNode.count(of: b) else { return false }
    if ObjectNode.shapeAddress(of: a) == ObjectNode.shapeAddress(of: b) {
      for position in 0..<count {
        guard equal(ObjectNode.slot(of: a, at: position), ObjectNode.slot(of: b, at: position))
        else { return false }
      }
      return true
    }
    return ObjectNode.withShape(of: a) { keys in
      ObjectNode.withShape(of: b) { others in
        for position in 0..<count {
          let key = keys.keyBytes(at: position)
          let guess =
            StringNode.equals(others.keyAddress(at: position), key)
            ? position : others.position(of: key)
          guard let guess,
            equal(ObjectNode.slot(of: a, at: position), ObjectNode.slot(of: b, at: guess))
          else { return false }
        }
        return true
      }
    }
  }

  /// Compares two objects of which at least one is a dictionary.
  private static func equalObjects(_ a: Slot, _ b: Slot) -> Bool {
    let left = ObjectTree(borrowing: a)
    let right = ObjectTree(borrowing: b)
    guard left.count == right.count else { return false }
    if let (a, b) = left.valuesAtSamePositions(as: right) { return PersistentList.equal(a, b) }
    var isEqual = true
    left.visit { key, value in
      guard isEqual else { return }
      guard let other = right.borrow(key: key.stringBytes), equal(value, other) else {
        isEqual = false
        return
      }
    }
    return isEqual
  }

  /// Whether both values are the same in JSON: equal, and with the same subtypes of numbers (1 and 1.0
  /// differ), kinds of empty containers (`{}` and `[]` differ) and order of keys.
  ///
  /// It skips shared nodes, as ``equal(_:_:)`` does.
  package static func isSameInJSON(_ a: Slot, _ b: Slot) -> Bool {
    if a.isIdentical(to: b) { return true }
    switch (a.tag, b.tag) {
    case (.empty, .empty): return a.emptyKind.isObject == b.emptyKind.isObject
    case (.list, .list):
      return ListNode.total(a.address) == ListNode.total(b.address)
        && ListNode.forEachDifference(a.address, b.address, by: isSameInJSON) { _, _, _ in false }
    case _ where a.isObject && b.isObject:
      return ObjectTree(borrowing: a).isSameInJSON(as: ObjectTree(borrowing: b))
    default: return a.tag == b.tag && equal(a, b)
    }
  }

  /// Feeds `hasher` consistently with ``equal(_:_:)``. O(n).
  package func hash(into hasher: inout Hasher) {
    switch tag {
    case .absent, .null: hasher.combine(0 as UInt8)
    case .boolean: hasher.combine(bits != 0)
    case .integer: hasher.combine(integer)
    case .float:
      if let integer = Int64(exactly: float) {
        hasher.combine(integer)
      } else {
        hasher.combine(float)
      }
    case .string: hasher.combine(bytes: stringBytes)
    case .empty: hasher.combine(8 as UInt8)
    case .list:
      hasher.combine(ListNode.total(address))
      ListNode.visit(address) { $0.hash(into: &hasher) }
    case .object, .dictionary:
      // The sum of the pairs' hashes does not depend on the order of the keys.
      var sum = 0
      let object = ObjectTree(borrowing: self)
      object.visit { key, value in
        var pair = Hasher()
        key.hash(into: &pair)
        value.hash(into: &pair)
        sum &+= pair.finalize()
      }
      hasher.combine(object.count)
      hasher.combine(sum)
    }
  }
}

extension ObjectTree {
  package static func equal(_ a: ObjectTree, _ b: ObjectTree) -> Bool {
    Slot.equal(a.borrowedSlot, b.borrowedSlot)
  }

  fileprivate func isSameInJSON(as other: ObjectTree) -> Bool {
    guard count == other.count else { return false }
    if let shape = shapeAddress, shape == other.shapeAddress {
      return (0..<count).allSatisfy { Slot.isSameInJSON(borrow($0), other.borrow($0)) }
    }
    if let (left, right) = valuesAtSamePositions(as: other) {
      return withExtendedLifetime((left, right)) {
        Slot.isSameInJSON(left.borrowedSlot, right.borrowedSlot)
      }
    }
    // Both have as many keys, so that the other one has a key for each.
    var (next, isSame) = (0, true)
    visit { key, value in
      guard isSame, let position = other.livePosition(from: next) else { return }
      next = position + 1
      isSame =
        Slot.equal(key, other.keySlot(position)) && Slot.isSameInJSON(value, other.borrow(position))
    }
    return isSame
  }

  /// The values of two dictionaries with the same keys at the same positions, as they have if one
  /// was made from the other by `set`. Nil for any other two objects.
  func valuesAtSamePositions(as other: ObjectTree) -> (PersistentList, PersistentList)? {
    guard let own = dictionary, let other = other.dictionary,
      PersistentList.equal(own.keys, other.keys)
    else { return nil }
    return (own.values, other.values)
  }
}

extension PersistentList {
  package static func equal(_ a: PersistentList, _ b: PersistentList) -> Bool {
    Slot.equal(a.borrowedSlot, b.borrowedSlot)
  }
}
