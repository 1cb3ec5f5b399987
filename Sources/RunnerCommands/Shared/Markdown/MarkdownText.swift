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
