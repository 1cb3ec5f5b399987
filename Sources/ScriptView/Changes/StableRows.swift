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
