/// Finds the changes between two lists.
///
/// 1. The ranges in which the lists differ are those of ``ListAlignment``: the walk skips nodes that
///    both lists share, even if their indices differ.
/// 2. In a range, the elements that are the same row or value in the same order (the longest such
///    sequence) are paired. The elements between two pairs are replaced, removed and added.
///
/// A row is identified by a scalar `id`.
struct ListDifference {
  private var changes: [Difference.ElementChange] = []
  private let isSame: Difference.Sameness

  /// The difference between two lists (+0), or nil if they are the same.
  static func between(
    _ old: Slot, _ new: Slot, _ isSame: Difference.Sameness
  ) -> Difference? {
    var found = ListDifference(isSame: isSame)
    let hunks = ListAlignment.hunks(from: old, to: new) { a, b in
      a.isIdentical(to: b) || !a.isContainer && isSame(a, b)
    }
    for hunk in hunks {
      found.align(
        hunk.removed.map { ListNode.element(old.address, $0) }, at: hunk.removed.lowerBound,
        hunk.added.map { ListNode.element(new.address, $0) }, at: hunk.added.lowerBound)
    }
    guard !found.changes.isEmpty else { return nil }
    let changed = found.changes.count { if case .added = $0.edit { false } else { true } }
    return .elements(found.changes, unchanged: PersistentList.count(old) - changed)
  }

  /// Records the changes that turn the elements `a` into `b`.
  private mutating func align(
    _ a: [Slot], at oldStart: Int, _ b: [Slot], at newStart: Int
  ) {
    var (i, j) = (0, 0)
    for (oldAnchor, newAnchor) in Self.anchors(a, b) + [(a.count, b.count)] {
      while i < oldAnchor, j < newAnchor {
        // Two different rows with an id are compared as a whole: one row was replaced by another
        // one, its `id` was not changed.
        let isRow = Difference.rowID(of: a[i]) != nil || Difference.rowID(of: b[j]) != nil
        let change = isRow ? .replaced(a[i], b[j]) : Difference.between(a[i], b[j], isSame)
        if let change { record(oldStart + i, newStart + j, .changed(change)) }
        i += 1
        j += 1
      }
      while i < oldAnchor {
        record(oldStart + i, newStart + j, .removed(a[i]))
        i += 1
      }
      while j < newAnchor {
        record(oldStart + i, newStart + j, .added(b[j]))
        j += 1
      }
      guard i < a.count, j < b.count else { continue }
      if let change = Difference.between(a[i], b[j], isSame) {
        record(oldStart + i, newStart + j, .changed(change))
      }
      i += 1
      j += 1
    }
  }

  private mutating func record(_ oldIndex: Int, _ newIndex: Int, _ edit: Difference.Edit) {
    changes.append(Difference.ElementChange(oldIndex: oldIndex, newIndex: newIndex, edit: edit))
  }

  /// Pairs of indices of matching elements that increase in both lists: the longest such sequence.
  private static func anchors(_ a: [Slot], _ b: [Slot]) -> [(Int, Int)] {
    if a.isEmpty || b.isEmpty { return [] }
    // The indices in `a` of each key, in descending order, so that the last one is the first to be
    // used.
    var indices: [HashableSlot: [Int]] = [:]
    for index in a.indices.reversed() {
      indices[rowOrValue(a[index]), default: []].append(index)
    }
    var pairs: [(old: Int, new: Int, before: Int)] = []
    // For each length: the index in `pairs` of the last pair of an increasing sequence of this
    // length, with the smallest old index.
    var ends: [Int] = []
    for index in b.indices {
      guard let old = indices[rowOrValue(b[index])]?.popLast() else { continue }
      var low = 0
      var high = ends.count
      while low < high {
        let middle = (low + high) / 2
        if pairs[ends[middle]].old < old { low = middle + 1 } else { high = middle }
      }
      pairs.append((old, index, low > 0 ? ends[low - 1] : -1))
      if low == ends.count { ends.append(pairs.count - 1) } else { ends[low] = pairs.count - 1 }
    }
    var anchors: [(Int, Int)] = []
    var next = ends.last ?? -1
    while next >= 0 {
      anchors.append((pairs[next].old, pairs[next].new))
      next = pairs[next].before
    }
    return anchors.reversed()
  }

  /// The `id` of a row, and the value of any other element.
  private static func rowOrValue(_ element: Slot) -> HashableSlot {
    HashableSlot(slot: Difference.rowID(of: element) ?? element)
  }
}
