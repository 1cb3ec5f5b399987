/// Which stretch of a list differs from an older version.
struct ListChange {
  private let old: Slot
  private let new: Slot
  private let oldCount: Int
  let newCount: Int
  /// Indices in the old and in the new list between what both have at their start and at their end.
  let removed: Range<Int>
  let added: Range<Int>

  /// Elements that are made anew count as changed, even if they are equal: how deep they are must not matter to those
  /// who look at each level of a tree.
  private static func isSame(_ a: Slot, _ b: Slot) -> Bool {
    a.isIdentical(to: b) || !a.isContainer && Slot.equal(a, b)
  }

  /// Two slots (+0); one that is no list counts as empty. Costs what changed.
  init(from old: Slot, to new: Slot) {
    self.old = old
    self.new = new
    oldCount = old.tag == .list ? ListNode.total(old.address) : 0
    newCount = new.tag == .list ? ListNode.total(new.address) : 0
    guard oldCount > 0, newCount > 0 else {
      removed = 0..<oldCount
      added = 0..<newCount
      return
    }
    let prefix = ListNode.commonPrefix(new.address, old.address, by: ListChange.isSame)
    let suffix = ListNode.commonSuffix(
      new.address, old.address, limit: min(oldCount, newCount) - prefix, by: ListChange.isSame)
    removed = prefix..<(oldCount - suffix)
    added = prefix..<(newCount - suffix)
  }

  var shift: Int { newCount - oldCount }

  /// Whether the element that was removed from `index` and the one that was added there have the same id.
  func keepsID(at index: Int, _ key: UnsafeRawBufferPointer) -> Bool {
    guard removed.contains(index), added.contains(index) else { return false }
    return Slot.equal(
      ElementIDs.id(of: ListNode.element(old.address, index), under: key),
      ElementIDs.id(of: ListNode.element(new.address, index), under: key))
  }

  /// Calls `body` with each new or changed element (+0) and the old one at the same index if it has the
  /// same id, else absent.
  func forEachElement(_ key: UnsafeRawBufferPointer, _ body: (Int, Slot, Slot) -> Void) {
    for index in added {
      let element = ListNode.element(new.address, index)
      let previous =
        keepsID(at: index, key) ? ListNode.element(old.address, index) : Slot.absent
      if previous.isAbsent || !previous.isIdentical(to: element) { body(index, previous, element) }
    }
  }

  /// Calls `body` with each id (+0, of the old list) that no element has any more, once: of the elements that
  /// went, those that `isThere` does not know in the new list. Costs what changed.
  func forEachRemovedID(
    _ key: UnsafeRawBufferPointer, unless isThere: (Slot) -> Bool, _ body: (Slot) -> Void
  ) {
    // Elements that have one id may go together.
    var told: Set<Value> = []
    for index in removed where !keepsID(at: index, key) {
      let id = ElementIDs.id(of: ListNode.element(old.address, index), under: key)
      guard !id.isAbsent, !isThere(id) else { continue }
      if removed.count == 1 || told.insert(Value(borrowing: id)).inserted { body(id) }
    }
  }
}
