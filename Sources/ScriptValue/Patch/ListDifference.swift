/// Finds the changes between two lists.
///
/// 1. The common start and the common end are removed.
/// 2. The rest of both lists is walked in parallel.
/// 3. At a difference, up to `lookAhead` elements ahead are compared to find where the lists agree
///    again. If they do not, the remaining elements of both lists are aligned as a whole.
/// 4. Alignment pairs the elements that are the same row or value in the same order (the longest
///    such sequence). The elements between two pairs are replaced, removed and added.
///
/// A row is identified by a scalar `id`.
struct ListDifference {
  /// How many elements ahead are compared before the rest is aligned as a whole.
  private static var lookAhead: Int { 8 }

  private var changes: [Difference.ElementChange] = []
  private let isSame: Difference.Sameness

  /// The difference between two lists (+0), or nil if they are the same.
  static func between(
    _ old: Slot, _ new: Slot, _ isSame: Difference.Sameness
  ) -> Difference? {
    let change = ListChange(from: old, to: new, by: isSame.callAsFunction)
    if change.removed.isEmpty, change.added.isEmpty { return nil }
    var found = ListDifference(isSame: isSame)
    found.walk(ListWalk(old.address, change.removed, new.address, change.added))
    let changed = found.changes.count { if case .added = $0.edit { false } else { true } }
    return .elements(found.changes, unchanged: PersistentList.count(old) - changed)
  }

  private mutating func walk(_ walk: consuming ListWalk) {
    while walk.findDifference(by: isSame.callAsFunction) {
      let (before, after) = walk.ahead(Self.lookAhead)
      let isLast = walk.rest == (before.count, after.count)
      guard let (removed, added) = resynchronize(before, after, isLast: isLast) else { break }
      align(before[..<removed], after[..<added], at: walk)
      walk.advance(removed, added)
    }
    let (before, after) = walk.ahead()
    align(before[...], after[...], at: walk)
  }

  /// The smallest numbers of elements to pass in `a` and `b` after which both have an equal
  /// element. If `isLast`, the end of both is also such a point. Nil if there is none.
  private func resynchronize(_ a: [Slot], _ b: [Slot], isLast: Bool) -> (Int, Int)? {
    for distance in 1...(2 * Self.lookAhead) {
      // The order tries a replacement before a removal or an insertion.
      // One step more than the distance reaches the removal of that many elements.
      for step in 0...distance + 1 {
        let removed = distance / 2 + (step % 2 == 0 ? step / 2 : -(step + 1) / 2)
        let added = distance - removed
        guard removed >= 0, added >= 0, removed <= a.count, added <= b.count else { continue }
        if removed == a.count || added == b.count {
          if isLast, removed == a.count, added == b.count { return (removed, added) }
        } else if isSame(a[removed], b[added]) {
          return (removed, added)
        }
      }
    }
    return nil
  }

  /// Records the changes that turn the elements `a` into `b`, which begin where the walk is. Elements
  /// that are the same row in the same order are compared; the others are replaced, removed and added.
  private mutating func align(_ a: ArraySlice<Slot>, _ b: ArraySlice<Slot>, at walk: ListWalk) {
    let (oldStart, newStart) = (walk.left.position, walk.right.position)
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
  private static func anchors(_ a: ArraySlice<Slot>, _ b: ArraySlice<Slot>) -> [(Int, Int)] {
    if a.isEmpty || b.isEmpty { return [] }
    // The indices in `a` of each key, in descending order, so that the last one is the first to be
    // used.
    var indices: [ElementIdentity: [Int]] = [:]
    for index in a.indices.reversed() {
      indices[ElementIdentity(a[index]), default: []].append(index)
    }
    var pairs: [(old: Int, new: Int, before: Int)] = []
    // For each length: the index in `pairs` of the last pair of an increasing sequence of this
    // length, with the smallest old index.
    var ends: [Int] = []
    for index in b.indices {
      guard let old = indices[ElementIdentity(b[index])]?.popLast() else { continue }
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
}
