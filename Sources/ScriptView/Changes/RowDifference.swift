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
/// such choices it takes the one with the most rows: the heaviest increasing subsequence, O(runs ×
/// log runs).
enum StableRows {
  /// Rows that follow one another in both lists.
  struct Run {
    /// The index of the first row in the old list.
    var oldIndex: Int
    var count: Int
  }

  /// Whether each run stays.
  static func choose(_ runs: [Run]) -> [Bool] {
    if zip(runs, runs.dropFirst()).allSatisfy({ $0.oldIndex < $1.oldIndex }) {
      return Array(repeating: true, count: runs.count)
    }
    // The position of each run in the old list.
    var ranks = Array(repeating: 0, count: runs.count)
    for (rank, index) in runs.indices.sorted(by: { runs[$0].oldIndex < runs[$1].oldIndex })
      .enumerated()
    {
      ranks[index] = rank
    }
    // The weight of the heaviest choice that ends with each run, and the run before it in that
    // choice.
    var weights = Array(repeating: 0, count: runs.count)
    var predecessors = Array(repeating: -1, count: runs.count)
    var heaviest = PrefixMaximum(count: runs.count)
    var last = 0
    for index in runs.indices {
      if let before = heaviest.index(below: ranks[index], weights) {
        weights[index] = weights[before]
        predecessors[index] = before
      }
      weights[index] += runs[index].count
      heaviest.add(index, at: ranks[index], weights)
      if weights[index] > weights[last] { last = index }
    }
    var stays = Array(repeating: false, count: runs.count)
    var index = last
    while index >= 0 {
      stays[index] = true
      index = predecessors[index]
    }
    return stays
  }

  /// A Fenwick tree: the run with the largest weight among those of the lowest ranks.
  private struct PrefixMaximum {
    private var indices: [Int]

    init(count: Int) { indices = Array(repeating: -1, count: count + 1) }

    /// The heaviest run with a rank below `rank`; nil if there is none. O(log n).
    func index(below rank: Int, _ weights: [Int]) -> Int? {
      var best = -1
      var position = rank
      while position > 0 {
        let index = indices[position]
        if index >= 0, best < 0 || weights[index] > weights[best] { best = index }
        position &= position - 1
      }
      return best < 0 ? nil : best
    }

    /// O(log n).
    mutating func add(_ index: Int, at rank: Int, _ weights: [Int]) {
      var position = rank + 1
      while position < indices.count {
        if indices[position] < 0 || weights[index] > weights[indices[position]] {
          indices[position] = index
        }
        position += position & -position
      }
    }
  }
}
