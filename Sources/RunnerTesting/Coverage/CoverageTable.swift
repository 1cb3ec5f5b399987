import RunnerShared
import ScriptedStore

/// The coverage of each script, by lines.
struct CoverageTable: Sendable {
  struct Row: Sendable {
    /// The path of the script relative to the script root.
    let file: String
    let path: String
    /// How often each line with code ran, in the order of lines.
    let hits: [(line: Int, count: Int)]

    var covered: Int { hits.count { $0.count > 0 } }
    var share: CoverageShare { CoverageShare(of: [self]) }

    /// The lines that did not run, such as `3-5, 9`. Lines without code inside of a range belong to
    /// it.
    var missing: String {
      var ranges: [ClosedRange<Int>] = []
      var isRunning = true
      for (line, count) in hits {
        if count > 0 {
          isRunning = true
        } else if let last = ranges.last, !isRunning {
          ranges[ranges.count - 1] = last.lowerBound...line
        } else {
          ranges.append(line...line)
          isRunning = false
        }
      }
      return ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
        .joined(separator: ", ")
    }
  }

  let root: String
  /// The scripts, ordered by name.
  let rows: [Row]

  init(_ coverage: Coverage, root: String) {
    self.root = root
    rows = coverage.files.filter { !$0.hits.isEmpty }.map { file in
      Row(
        file: file.name, path: file.path,
        hits: file.hits.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }
  }

  var total: CoverageShare { CoverageShare(of: rows) }

  /// The table as text for people.
  func lines(_ style: TextStyle) -> [TerminalText] {
    let width = max(8, rows.map { ScriptPaths.path(of: $0.file).count }.max() ?? 0)
    func line(_ file: String, _ share: CoverageShare, _ missing: String) -> TerminalText {
      let percent = TerminalText(padded(share.text, to: 7))
      let colored =
        share.share >= 0.9
        ? style.green(percent) : share.share >= 0.5 ? style.yellow(percent) : style.red(percent)
      let name = file + String(repeating: " ", count: width - file.count)
      let counts = padded("\(share.covered)/\(share.count)", to: 11)
      let rest: TerminalText = missing.isEmpty ? "" : "\(style.dim("  not run: "))\(missing)"
      return "  \(name) \(colored)\(style.dim("\(counts)"))\(rest)"
    }
    let heading = style.bold("Coverage") + style.dim(" of lines")
    guard !rows.isEmpty else { return [heading, "  " + style.yellow("no script ran")] }
    return [heading]
      + rows.map { line(ScriptPaths.path(of: $0.file), $0.share, $0.missing) } + [
        line("in total", total, "")
      ]
  }
}

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
