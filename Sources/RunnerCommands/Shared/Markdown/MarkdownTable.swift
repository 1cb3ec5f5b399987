/// Renders a table in columns. Cells wrap where the table is wider than the terminal.
struct MarkdownTable {
  let rows: [[String]]
  let style: TextStyle
  let width: Int

  /// The blanks between two columns, and the columns below which no column is narrowed.
  private static let gap = 2, leastWidth = 10

  var lines: [TerminalText] {
    let count = rows.map(\.count).max() ?? 0
    let cells = rows.enumerated().map { index, row in
      (0..<count).map {
        MarkdownWords($0 < row.count ? row[$0] : "", style, isBold: index == 0)
      }
    }
    let widths = widths(of: cells, count)
    var lines: [TerminalText] = []
    for (index, row) in cells.enumerated() {
      lines += self.lines(of: row, widths)
      if index == 0 {
        let rules = widths.map { TerminalText(String(repeating: "─", count: $0)) }
        lines.append(rules.joined(separator: "  "))
      }
    }
    return lines
  }

  /// The width of each column: that of its widest cell, less where that is too much together.
  private func widths(of cells: [[MarkdownWords]], _ count: Int) -> [Int] {
    var widths = (0..<count).map { column in
      cells.map { row in row[column].lines(width: .max).first?.width ?? 0 }.max() ?? 0
    }
    var excess = widths.reduce(0, +) + Self.gap * max(count - 1, 0) - width
    while excess > 0, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
      widths[widest] > Self.leastWidth
    {
      let second = widths.indices.filter { $0 != widest }.map { widths[$0] }.max() ?? 0
      let step = min(excess, max(1, widths[widest] - max(second, Self.leastWidth)))
      widths[widest] -= step
      excess -= step
    }
    return widths
  }

  private func lines(of row: [MarkdownWords], _ widths: [Int]) -> [TerminalText] {
    let cells = zip(row, widths).map { $0.lines(width: $1) }
    return (0..<(cells.map(\.count).max() ?? 0)).map { index in
      var line: TerminalText = ""
      var missing = 0
      for (column, cell) in cells.enumerated() {
        if index < cell.count {
          line += "\(String(repeating: " ", count: missing))" + cell[index].text
          missing = 0
        }
        let shown = index < cell.count ? cell[index].width : 0
        missing += max(widths[column] - shown, 0) + Self.gap
      }
      return line
    }
  }
}
