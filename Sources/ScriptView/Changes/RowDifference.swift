import ScriptValue

/// What happened to the rows of a `forEach`, by their ids. Only rows in the ranges that differ are
/// looked at: O(changes × log changes).
struct RowDifference {
  /// A row that is put somewhere.
  struct Placement {
    let row: ViewPath.Row
    /// The index in the new list.
    let index: Int
    /// Whether the old list does not have the row.
    let isNew: Bool
    /// The row after it, which is in its place when this one is put there; nil at the end.
    let before: ViewPath.Row?
  }

  /// Rows that the new list does not have.
  private(set) var removed: [ViewPath.Row] = []
  /// The rows that come or move, from the end of the new list to its start.
  private(set) var placements: [Placement] = []
  /// Rows of the ranges that both lists have, with both indices.
  private(set) var kept: [(row: ViewPath.Row, old: Int, new: Int)] = []
  /// Whether no row of the old list is in the new one.
  let sharesNothing: Bool

  /// Nil if a row has no id, or two rows of one list cannot be told apart.
  init?(_ hunks: [ListHunk], from old: Value.List, to new: Value.List) {
    var oldIndices: [ViewPath.Row: Int] = [:]
    for hunk in hunks {
      for index in hunk.removed {
        guard let row = ViewNode(old[index]).row,
          oldIndices.updateValue(index, forKey: row) == nil
        else { return nil }
      }
    }
    var added: [(row: ViewPath.Row, old: Int?, new: Int)] = []
    var newRows: Set<ViewPath.Row> = []
    for hunk in hunks {
      for index in hunk.added {
        guard let row = ViewNode(new[index]).row, newRows.insert(row).inserted else { return nil }
        added.append((row, oldIndices[row], index))
      }
    }
    kept = added.compactMap { row, old, new in old.map { (row, $0, new) } }
    sharesNothing = kept.isEmpty && oldIndices.count == old.count
    for hunk in hunks {
      for index in hunk.removed {
        if let row = ViewNode(old[index]).row, !newRows.contains(row) { removed.append(row) }
      }
    }
    guard let placements = RowDifference.placements(hunks, added, old.count, new) else {
      return nil
    }
    self.placements = placements
  }

  /// The rows that come or move. The rows between the ranges are in both lists in the same order,
  /// so each such run stays or moves as a whole. Nil if a row has no id.
  private static func placements(
    _ hunks: [ListHunk], _ added: [(row: ViewPath.Row, old: Int?, new: Int)], _ oldCount: Int,
    _ new: Value.List
  ) -> [Placement]? {
    var placed: [(index: Int, isNew: Bool)] = []
    // The runs in the order of the new list, and the index in the new list at which each begins.
    var runs: [StableRows.Run] = []
    var starts: [Int] = []
    var rest = added[...]
    var end = ListHunk(removed: 0..<0, added: 0..<0)
    for hunk in hunks + [ListHunk(removed: oldCount..<oldCount, added: new.count..<new.count)] {
      if end.removed.upperBound < hunk.removed.lowerBound {
        let count = hunk.removed.lowerBound - end.removed.upperBound
        runs.append(.init(oldIndex: end.removed.upperBound, count: count))
        starts.append(end.added.upperBound)
      }
      while let (_, old, index) = rest.first, index < hunk.added.upperBound {
        rest.removeFirst()
        if let old {
          runs.append(.init(oldIndex: old, count: 1))
          starts.append(index)
        } else {
          placed.append((index, true))
        }
      }
      end = hunk
    }
    for (run, stays) in StableRows.choose(runs).enumerated() where !stays {
      for index in starts[run]..<starts[run] + runs[run].count { placed.append((index, false)) }
    }

    placed.sort { $0.index > $1.index }
    var placements: [Placement] = []
    for (index, isNew) in placed {
      let before = index + 1 < new.count ? ViewNode(new[index + 1]).row : nil
      guard let row = ViewNode(new[index]).row, before != nil || index + 1 == new.count else {
        return nil
      }
      placements.append(Placement(row: row, index: index, isNew: isNew, before: before))
    }
    return placements
  }
}

/// Chooses the rows that stay where they are, so that the fewest others have to move.
///
/// Two versions of a list share rows. Runs of rows that are neighbours in both of them are in the
/// order of the new list; those whose old positions increase from run to run need not move. Of all
/// such choices it takes the one with the most rows: the heaviest increasing subsequence.
enum StableRows {
  /// Rows that follow one another in both lists.
  struct Run {
    /// The index of the first row in the old list.
    var oldIndex: Int
    var count: Int
  }

  /// Whether each run stays. O(runs × log runs) for the comparisons; each run is put into an array.
  static func choose(_ runs: [Run]) -> [Bool] {
    // The weight of the heaviest choice that ends with each run, and the run before it in that
    // choice.
    var weights = runs.map(\.count)
    var predecessors: [Int?] = Array(repeating: nil, count: runs.count)
    // The runs that end the choices which may still be continued, by old index. Each ends a heavier
    // choice than those before it: a run is dropped when a lower old index ends one as heavy.
    var ends: [Int] = []
    for (index, run) in runs.enumerated() {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if runs[ends[middle]].oldIndex < run.oldIndex { low = middle + 1 } else { high = middle }
      }
      if low > 0 {
        predecessors[index] = ends[low - 1]
        weights[index] += weights[ends[low - 1]]
      }
      let beaten = ends[low...].prefix { weights[$0] <= weights[index] }
      ends.replaceSubrange(beaten.indices, with: [index])
    }
    var stays = Array(repeating: false, count: runs.count)
    var next = ends.last
    while let index = next {
      stays[index] = true
      next = predecessors[index]
    }
    return stays
  }
}
