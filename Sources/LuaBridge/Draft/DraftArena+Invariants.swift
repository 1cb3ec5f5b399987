#if DEBUG || SCRIPTED_STORE_CHECKS
/// Checks of the invariants that ``DraftArena`` lists.
extension DraftArena {
  /// Stops the process if an invariant of the drafts does not hold. For any time from
  /// ``begin(_:)`` to ``commit()`` at which no function of the arena runs. O(drafts, and the
  /// elements of their containers).
  package func checkInvariants() {
    var childCounts = [Int](repeating: 0, count: count)
    for index in 0..<count {
      let parent = Int(drafts[index].parent)
      requireInvariant(
        parent >= -1 && parent < index, "invariant 1: the parent of draft \(index) is \(parent)")
      if parent >= 0 { childCounts[parent] += 1 }
    }
    var indexed = 0
    for index in 0..<count {
      checkChildren(of: index, count: childCounts[index])
      if drafts[index].isIndexed { indexed += childCounts[index] }
      checkContainer(of: index)
      checkFlags(of: index)
    }
    requireInvariant(
      children.count == indexed,
      "invariant 4: \(children.count) entries for \(indexed) children that are indexed")
    if count > 0 { checkReshaping(of: 0, from: oldRoot) }
  }

  private func checkChildren(of index: Int, count: Int) {
    let draft = drafts[index]
    if draft.parent < 0 {
      requireInvariant(
        draft.next < 0 && draft.previous < 0, "invariant 5: unlinked draft \(index) has siblings")
    }
    var (previous, child, found) = (Int32(-1), draft.firstChild, 0)
    while child >= 0 {
      requireInvariant(
        Int(child) < self.count && Int(drafts[Int(child)].parent) == index,
        "invariant 4: draft \(child) is in the list of draft \(index), which is not its parent")
      requireInvariant(
        drafts[Int(child)].previous == previous,
        "invariant 4: draft \(child) is not linked to draft \(previous) before it")
      requireInvariant(
        existingChild(of: Int32(index), at: position(of: child)) == child,
        "invariant 4: draft \(child) is not found at its position in draft \(index)")
      found += 1
      requireInvariant(found <= count, "invariant 4: the children of draft \(index) form a cycle")
      (previous, child) = (child, drafts[Int(child)].next)
    }
    requireInvariant(
      found == count && Int(draft.childCount) == count,
      "invariant 4: of \(count) children, draft \(index) links \(found)")
    requireInvariant(
      count <= DraftArena.fewChildren || draft.isIndexed,
      "invariant 4: the \(count) children of draft \(index) are not indexed")
  }

  private func checkContainer(of index: Int) {
    let draft = drafts[index]
    requireInvariant(
      draft.isOwned || !draft.isUnsynchronized,
      "invariant 2: draft \(index) was written to, but does not own its container")
    if draft.container.tag == .list {
      ListNode.checkInvariants(draft.container.address)
      var hasHoles = false
      ListNode.visit(draft.container.address) { if $0.isAbsent { hasHoles = true } }
      requireInvariant(
        !hasHoles || draft.mayHaveHoles, "invariant 7: draft \(index) has holes that no flag shows")
    }
    requireInvariant(
      !draft.mayHaveHoles || draft.isUnsynchronized,
      "invariant 7: draft \(index) may have holes, but is synchronized")
    guard draft.parent >= 0 else { return }
    let holder = drafts[Int(draft.parent)].container
    let position = position(of: Int32(index))
    requireInvariant(
      DraftArena.isLive(position, in: holder),
      "invariant 6: the container of draft \(draft.parent) has no position \(position)")
    let stored = DraftArena.element(of: holder, at: position)
    requireInvariant(
      stored.isContainer, "invariant 6: a scalar is where draft \(draft.parent) has draft \(index)")
    requireInvariant(
      draft.isUnsynchronized || stored.isIdentical(to: draft.container),
      "invariant 6: draft \(draft.parent) contains another value than draft \(index) has")
  }

  private static func isLive(_ position: Int, in container: Slot) -> Bool {
    switch container.tag {
    case .list: position >= 0 && position < ListNode.total(container.address)
    case .object, .dictionary:
      position >= 0 && ObjectTree(borrowing: container).livePosition(from: position) == position
    default: false
    }
  }

  private func checkFlags(of index: Int) {
    let draft = drafts[index]
    var (cursor, newer) = (Int(draft.removalCursor), cursors.all.count)
    while cursor >= 0 {
      requireInvariant(cursor < newer, "invariant 8: cursor \(cursor) is not older than \(newer)")
      (cursor, newer) = (Int(cursors.all[cursor].previous), cursor)
    }
    guard draft.parent >= 0 else { return }
    let parent = drafts[Int(draft.parent)]
    requireInvariant(
      !draft.isUnsynchronized && !draft.isStaleBelow || parent.isStaleBelow,
      "invariant 3: draft \(index) was written to, but its parent is not stale below")
    requireInvariant(
      !isReshapedAnywhere(Int32(index)) || parent.isReshapedBelow,
      "invariant 4 of reshaping: the parent of draft \(index) does not know that it is reshaped")
  }

  /// Checks that a draft which is not reshaped has the shape of its value (+0) from before the
  /// action, and so on below it.
  private func checkReshaping(of index: Int32, from old: Slot) {
    let draft = drafts[Int(index)]
    if draft.isReshaped { return }
    requireInvariant(
      DraftArena.haveSameShape(draft.container, old),
      "invariant 1 of reshaping: draft \(index) has other keys, elements or containers than before")
    let mustBeUnchanged = isLongList(draft.container)
    requireInvariant(
      !mustBeUnchanged || draft.container.isIdentical(to: old) && !draft.isStaleBelow,
      "invariant 3 of reshaping: something changed below draft \(index), which is a long list")
    var child = draft.firstChild
    while child >= 0 {
      let before = DraftArena.element(of: old, at: position(of: child))
      for key in identityKeys {
        let isSame = key.withUnsafeBytes { key in
          Slot.equal(before.field(key), drafts[Int(child)].container.field(key))
        }
        requireInvariant(
          isSame, "invariant 2 of reshaping: draft \(child) has another id than before")
      }
      checkReshaping(of: child, from: before)
      child = drafts[Int(child)].next
    }
  }

  private static func haveSameShape(_ a: Slot, _ b: Slot) -> Bool {
    if a.isIdentical(to: b) { return true }
    guard a.tag == b.tag else { return false }
    switch a.tag {
    case .list:
      return ListNode.total(a.address) == ListNode.total(b.address)
        && (0..<ListNode.total(a.address)).allSatisfy {
          haveSameKind(ListNode.element(a.address, $0), ListNode.element(b.address, $0))
        }
    case .object, .dictionary:
      let (a, b) = (ObjectTree(borrowing: a), ObjectTree(borrowing: b))
      return a.positionLimit == b.positionLimit
        && (0..<a.positionLimit).allSatisfy {
          Slot.equal(a.keySlot($0), b.keySlot($0)) && haveSameKind(a.borrow($0), b.borrow($0))
        }
    default: return false
    }
  }

  private static func haveSameKind(_ a: Slot, _ b: Slot) -> Bool {
    a.isPlainScalar && b.isPlainScalar || a.isContainer && b.isContainer || a.tag == b.tag
  }
}
#endif
