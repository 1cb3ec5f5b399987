/// A range of a list that differs from an older version of the list.
package struct ListHunk: Hashable, Sendable {
  /// The range in the old list.
  package var removed: Range<Int>
  /// The range in the new list that stands in its place.
  package var added: Range<Int>

  package init(removed: Range<Int>, added: Range<Int>) {
    self.removed = removed
    self.added = added
  }
}

extension Value.List {
  /// The ranges in which this list differs from `old`, in order and none beside another.
  ///
  /// The elements outside of them are the same in both lists, in the same order: the same scalar,
  /// or the same node of a tree. Two containers that are equal, but not the same node, count
  /// as different. So a caller that goes on into them compares each level only once.
  ///
  /// A row whose content differs, and whose `id` has stayed, takes the place of its older version. Ranges
  /// without an element between them are one. Shared nodes of the lists are skipped: O(changes × log n),
  /// or O(n) if the lists share no nodes.
  package func hunks(from old: Value.List) -> [ListHunk] {
    withExtendedLifetime((old, self)) {
      ListAlignment.hunks(from: old.storage.borrowedSlot, to: storage.borrowedSlot)
    }
  }
}

/// Walks two versions of a list in parallel and finds where they differ.
///
/// It borrows both lists (+0): the caller keeps them alive.
private struct ListAlignment {
  private var walk: ListWalk
  private var hunks: [ListHunk] = []

  /// Compares two slots (+0). A slot that is not a list counts as an empty list.
  static func hunks(from old: Slot, to new: Slot) -> [ListHunk] {
    if old.isIdentical(to: new) { return [] }
    let change = ListChange(from: old, to: new)
    let (removed, added) = (change.removed, change.added)
    if removed.isEmpty, added.isEmpty { return [] }
    if removed.isEmpty || added.isEmpty || removed.count + added.count == 2 {
      return [ListHunk(removed: removed, added: added)]
    }
    var alignment = ListAlignment(walk: ListWalk(old.address, removed, new.address, added))
    alignment.findHunks()
    return alignment.hunks
  }

  private mutating func findHunks() {
    while walk.findDifference(by: ListChange.isSame) {
      let (removed, added) = distanceToCommonElement()
      record(removed, added)
    }
    let (removed, added) = walk.rest
    if removed > 0 || added > 0 { record(removed, added) }
  }

  /// Records a range and moves both cursors behind it. Two ranges without an element between them
  /// become one.
  private mutating func record(_ removed: Int, _ added: Int) {
    let hunk = ListHunk(
      removed: walk.left.position..<walk.left.position + removed,
      added: walk.right.position..<walk.right.position + added)
    walk.advance(removed, added)
    if let last = hunks.last, last.removed.upperBound == hunk.removed.lowerBound,
      last.added.upperBound == hunk.added.lowerBound
    {
      hunks[hunks.count - 1].removed = last.removed.lowerBound..<hunk.removed.upperBound
      hunks[hunks.count - 1].added = last.added.lowerBound..<hunk.added.upperBound
    } else {
      hunks.append(hunk)
    }
  }

  /// How many elements of each list come before the nearest element that both have. If the first
  /// elements are two versions of one row, that is 1 and 1.
  ///
  /// It looks as far ahead as the elements that it passes, and at most twice as far: the look-ahead
  /// doubles until something is found. So the whole walk is O(changes).
  private func distanceToCommonElement() -> (removed: Int, added: Int) {
    if let id = Difference.rowID(of: walk.left.element),
      let other = Difference.rowID(of: walk.right.element), Slot.equal(id, other)
    {
      return (1, 1)
    }
    var length = 8
    while true {
      let (before, after) = walk.ahead(length)
      var offsets: [ElementIdentity: Int] = [:]
      for (offset, element) in before.enumerated() {
        let identity = ElementIdentity(element)
        if offsets[identity] == nil { offsets[identity] = offset }
      }
      var best: (removed: Int, added: Int)?
      for (added, element) in after.enumerated() {
        if let best, added >= best.removed + best.added { break }
        // Two empty tables at the cursors may have one identity and yet differ.
        guard let removed = offsets[ElementIdentity(element)], removed + added > 0 else { continue }
        if best.map({ removed + added < $0.removed + $0.added }) != false {
          best = (removed, added)
        }
      }
      if let best { return best }
      if walk.rest == (before.count, after.count) { return (before.count, after.count) }
      length *= 2
    }
  }
}
