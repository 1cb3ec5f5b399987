/// The covered part of a number of lines.
struct CoverageShare: Sendable {
  let covered: Int
  let count: Int

  init(of rows: some Sequence<CoverageTable.Row>) {
    (covered, count) = rows.reduce((0, 0)) { ($0.0 + $1.covered, $0.1 + $1.hits.count) }
  }

  /// From 0 to 1; 0 if there are no lines.
  var share: Double { count == 0 ? 0 : Double(covered) / Double(count) }

  /// In percent, rounded down, so that only full coverage is 100 %.
  var text: String { "\(fixed((share * 1000).rounded(.down) / 10, 1)) %" }
}
