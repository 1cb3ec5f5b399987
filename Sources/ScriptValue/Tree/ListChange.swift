/// The range of a list that differs from an older version: what remains after removing the common
/// start and the common end.
///
/// It borrows both lists (+0): the caller keeps them alive.
@usableFromInline
package struct ListChange {
  private let old: Slot
  private let new: Slot
  private let oldCount: Int
  let newCount: Int
  /// The changed range, as indices of the old list and as indices of the new list.
  package let removed: Range<Int>
  package let added: Range<Int>

  /// Whether an element is unchanged. A container is unchanged only if it is the same node.
  /// Comparing containers deeply would cost too much for callers that compare each level of a tree
  /// separately.
  package static func isSame(_ a: Slot, _ b: Slot) -> Bool {
    a.isIdentical(to: b) || !a.isContainer && Slot.equal(a, b)
  }

  /// Compares two slots (+0). A slot that is not a list counts as an empty list. The cost is that
  /// of the change.
  package init(
    from old: Slot, to new: Slot, by isSame: (Slot, Slot) -> Bool = ListChange.isSame
  ) {
    self.old = old
    self.new = new
    oldCount = PersistentList.count(old)
    newCount = PersistentList.count(new)
    guard oldCount > 0, newCount > 0 else {
      removed = 0..<oldCount
      added = 0..<newCount
      return
    }
    let prefix = ListNode.commonPrefix(new.address, old.address, by: isSame)
    let suffix = ListNode.commonSuffix(
      new.address, old.address, limit: min(oldCount, newCount) - prefix, by: isSame)
    removed = prefix..<(oldCount - suffix)
    added = prefix..<(newCount - suffix)
  }

  var shift: Int { newCount - oldCount }

  /// The indices in ``removed``. See ``addedIndices``.
  var removedIndices: [Int] { shift == 0 ? differences : Array(removed) }

  /// The indices in ``added``. If the lists have one length, those at which both have the same element are left out: two
  /// elements that have changed places are two indices, however far they are from each other.
  private var addedIndices: [Int] { shift == 0 ? differences : Array(added) }

  private var differences: [Int] {
    guard !added.isEmpty else { return [] }
    let (before, after) = (PersistentList(borrowing: old), PersistentList(borrowing: new))
    var indices: [Int] = []
    after.forEachDifference(from: before, by: ListChange.isSame) { index, _, _ in
      indices.append(index)
      return true
    }
    return indices
  }

  /// Whether the elements at `index` in the old and in the new list are both in the changed range
  /// and have the same id.
  func hasSameID(at index: Int, _ key: UnsafeRawBufferPointer) -> Bool {
    guard removed.contains(index), added.contains(index) else { return false }
    return Slot.equal(
      ListNode.element(old.address, index).field(key),
      ListNode.element(new.address, index).field(key))
  }

  /// Calls `body` with the index of each new or changed element, the old element and the new one
  /// (both +0). The old element is the one at the same index if it has the same id, otherwise
  /// absent. The cost is that of the change.
  package func forEachElement(_ key: UnsafeRawBufferPointer, _ body: (Int, Slot, Slot) -> Void) {
    for index in addedIndices {
      let element = ListNode.element(new.address, index)
      let previous =
        hasSameID(at: index, key) ? ListNode.element(old.address, index) : Slot.absent
      if previous.isAbsent || !previous.isIdentical(to: element) { body(index, previous, element) }
    }
  }

  /// Calls `body` once for each id (+0, from the old list) that no element has any more. These are
  /// the ids of removed elements for which `isPresent` returns false; `isPresent` says whether the
  /// new list has an id. The cost is that of the change.
  func forEachRemovedID(
    _ key: UnsafeRawBufferPointer, unless isPresent: (Slot) -> Bool, _ body: (Slot) -> Void
  ) {
    // Several removed elements may have one id.
    var reportedIDs: Set<Value> = []
    for index in removedIndices where !hasSameID(at: index, key) {
      let id = ListNode.element(old.address, index).field(key)
      guard !id.isAbsent, !isPresent(id) else { continue }
      if removed.count == 1 || reportedIDs.insert(Value(borrowing: id)).inserted { body(id) }
    }
  }
}
