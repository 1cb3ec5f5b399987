import RunnerShared

/// Renders Markdown for a terminal, or for a file if there are no colours.
struct MarkdownText {
  let style: TextStyle
  /// The most columns of a line. Code is not wrapped.
  let width: Int

  func text(of blocks: [MarkdownBlock]) -> TerminalText {
    var text: TerminalText = ""
    var isAfterItem = false
    for (index, block) in blocks.enumerated() {
      let isItem = if case .item = block { true } else { false }
      // The items of a list are not separated.
      if index > 0, !(isItem && isAfterItem) { text += "\n" }
      for line in lines(of: block) { text += line + "\n" }
      isAfterItem = isItem
    }
    return text
  }

  private func lines(of block: MarkdownBlock) -> [TerminalText] {
    switch block {
    case .heading(let level, let text): heading(text, level)
    case .paragraph(let text): wrapped(text)
    case .item(let indentation, let marker, let text):
      item(text, marker == "-" ? "•" : marker, indentation)
    case .code(let lines): lines.map { $0.isEmpty ? "" : "    " + code($0) }
    case .table(let rows): MarkdownTable(rows: rows, style: style, width: width).lines
    }
  }

  private func heading(_ text: String, _ level: Int) -> [TerminalText] {
    let lines = MarkdownWords(text, style, isBold: true).lines(width: width)
    let longest = lines.map(\.width).max() ?? 0
    let rule: [TerminalText] =
      switch level {
      case 1: ["\(String(repeating: "═", count: longest))"]
      case 2: ["\(String(repeating: "─", count: longest))"]
      default: []
      }
    return lines.map(\.text) + rule
  }

  private func wrapped(_ text: String) -> [TerminalText] {
    MarkdownWords(text, style).lines(width: width).map(\.text)
  }

  private func item(_ text: String, _ marker: String, _ indentation: Int) -> [TerminalText] {
    let start = String(repeating: " ", count: indentation) + marker + " "
    let rest = String(repeating: " ", count: start.count)
    let lines = MarkdownWords(text, style).lines(width: max(width - start.count, 20))
    return lines.enumerated().map { index, line in "\(index == 0 ? start : rest)" + line.text }
  }

  /// Commands in a console block stand out from what they print.
  private func code(_ line: String) -> TerminalText {
    line.hasPrefix("$ ") || line.hasPrefix("› ") ? style.bold("\(line)") : "\(line)"
  }
}

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
