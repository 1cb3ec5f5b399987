extension Value {
  /// Whether both are the same scalar, or the same node of a tree. If false, the values may still
  /// be equal. O(1), or O(length) for strings.
  package func isIdentical(to other: Value) -> Bool {
    switch (self, other) {
    case (.array(let a), .array(let b)): a.isIdentical(to: b)
    case (.object(let a), .object(let b)):
      a.storage.borrowedSlot.isIdentical(to: b.storage.borrowedSlot)
    case (.array, _), (.object, _), (_, .array), (_, .object): false
    default: self == other
    }
  }
}

extension Value {
  /// Whether the value is an array or an object that is not empty, which is a node of a tree.
  var isFilledContainer: Bool { nodeAddress != nil }

  /// What identifies the node of an array or object while a value retains it; nil for a scalar and
  /// an empty container, which have none.
  var nodeAddress: UInt? {
    let slot: Slot
    switch self {
    case .array(let list): slot = list.storage.borrowedSlot
    case .object(let object): slot = object.storage.borrowedSlot
    default: return nil
    }
    return slot.isReference ? UInt(slot.bits) : nil
  }
}

extension Value {
  /// Whether both have elements with the same ids in the same order: in arrays the values of `field`,
  /// in objects the keys. O(changes × log n) for two versions of an array, O(keys) for objects.
  package func hasSameIDs(as other: Value, under field: String) -> Bool {
    switch (self, other) {
    case (.array(let a), .array(let b)):
      a.count == b.count
        && b.hunks(from: a).allSatisfy { hunk in
          hunk.removed.count == hunk.added.count
            && zip(hunk.removed, hunk.added).allSatisfy { a[$0][field] == b[$1][field] }
        }
    case (.object(let a), .object(let b)):
      a.keys.elementsEqual(b.keys) { TextKey($0) == TextKey($1) }
    default: self == other
    }
  }
}

extension Value.List {
  /// Whether both are the same node of a tree. If false, the lists may still be equal. O(1).
  package func isIdentical(to other: Value.List) -> Bool {
    storage.borrowedSlot.isIdentical(to: other.storage.borrowedSlot)
  }

  /// The index of the first element whose `id` is equal to this one, or nil. O(n).
  package func firstIndex(ofID id: Value) -> Int? {
    let key: StaticString = "id"
    return withExtendedLifetime(self) {
      id.withSlot { ElementIDs.position(of: $0, under: key.bytes, in: storage.borrowedSlot) }
    }
  }
}

extension Value.List {
  /// Calls `body` with each index at which an older list and this one differ, and both elements, up
  /// to the end of the shorter list.
  ///
  /// As for objects, an unchanged container is recognized by its node. Shared nodes of the lists
  /// are skipped: O(changes × log n), or O(n) if the lists share no nodes.
  package func forEachDifference(
    from old: Value.List, _ body: (_ index: Int, _ old: Value, _ new: Value) -> Void
  ) {
    storage.forEachDifference(from: old.storage, by: ListChange.isSame) { index, old, new in
      body(index, Value(borrowing: old), Value(borrowing: new))
      return true
    }
  }
}

extension Value.Object {
  /// Calls `body` with each key whose value differs between an older object and this one, with both
  /// values; nil if there is none.
  ///
  /// An unchanged container is recognized by its node: two that are equal, but not the same node,
  /// count as different. So a caller that goes on into them compares each level only once. O(keys).
  package func forEachDifference(
    from old: Value.Object, _ body: (_ key: String, _ old: Value?, _ new: Value?) -> Void
  ) {
    let (before, after) = (old.storage, storage)
    withExtendedLifetime((before, after)) {
      if let shape = before.shapeAddress, shape == after.shapeAddress {
        for position in 0..<after.count {
          let (a, b) = (before.borrow(position), after.borrow(position))
          guard !ListChange.isSame(a, b) else { continue }
          body(after.keySlot(position).text, Value(borrowing: a), Value(borrowing: b))
        }
        return
      }
      before.visit { key, value in
        if after.position(of: key.stringBytes) == nil {
          body(key.text, Value(borrowing: value), nil)
        }
      }
      after.visit { key, value in
        let previous = before.borrow(key: key.stringBytes)
        if let previous, ListChange.isSame(previous, value) { return }
        body(key.text, previous.map { Value(borrowing: $0) }, Value(borrowing: value))
      }
    }
  }
}
