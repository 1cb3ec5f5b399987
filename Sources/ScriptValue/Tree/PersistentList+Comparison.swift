extension PersistentList {
  /// Calls `body` with the index, the old element and the new element (both +0) where this list and
  /// an older version differ at the same index. Calls come in order, until `body` returns false.
  /// Only the first `min(count, old.count)` elements are compared.
  ///
  /// Skips shared nodes: O(changes × log n) if one list was made from the other by `set`.
  package func forEachDifference(
    from old: PersistentList, by isSame: (Slot, Slot) -> Bool = Slot.equal,
    _ body: (_ index: Int, _ old: Slot, _ new: Slot) -> Bool
  ) {
    guard let a = old.address, let b = address else { return }
    withExtendedLifetime((old.root, root)) {
      _ = ListNode.forEachDifference(a, b, by: isSame, body)
    }
  }

  /// The index of the only element that is not the same as in an older version; nil if there are none or several, or if more
  /// than that has changed. O(log n).
  package func onlyReplaced(from old: PersistentList) -> Int? {
    guard let a = old.address, let b = address, a != b else { return nil }
    return withExtendedLifetime((old.root, root)) { ListNode.onlyDifference(a, b) }
  }

  /// Calls `body` with the index of each element that is not the same as in an older version of as many elements.
  /// Containers are the same if they are one node. Calls come in order, until `body` returns false. Skips shared nodes.
  package func forEachReplaced(from old: PersistentList, _ body: (Int) -> Bool) {
    guard let a = old.address, let b = address else { return }
    withExtendedLifetime((old.root, root)) {
      _ = ListNode.forEachDifference(a, b, by: { $0.isIdentical(to: $1) }) { index, _, _ in
        body(index)
      }
    }
  }

  /// The number of equal elements at the start of both lists. Skips shared nodes.
  package func commonPrefix(
    with other: PersistentList, by isSame: (Slot, Slot) -> Bool = Slot.equal
  ) -> Int {
    guard let a = address, let b = other.address else { return 0 }
    return withExtendedLifetime((root, other.root)) { ListNode.commonPrefix(a, b, by: isSame) }
  }

  /// The number of equal elements at the end of both lists, at most `limit`. Skips shared nodes.
  package func commonSuffix(
    with other: PersistentList, limit: Int, by isSame: (Slot, Slot) -> Bool = Slot.equal
  ) -> Int {
    guard let a = address, let b = other.address, limit > 0 else { return 0 }
    return withExtendedLifetime((root, other.root)) {
      ListNode.commonSuffix(a, b, limit: limit, by: isSame)
    }
  }
}
