import RunnerShared
import ScriptValue

/// A block of the Markdown in which this package's documentation is written: headings, paragraphs,
/// lists, code and tables. Quotes, images and HTML are not among them.
enum MarkdownBlock: Equatable {
  case heading(level: Int, text: String)
  case paragraph(String)
  /// An item of a list; `indentation` counts the columns before its marker (`-` or `1.`).
  case item(indentation: Int, marker: String, text: String)
  case code([String])
  /// The cells of each row; the first row is the head.
  case table([[String]])

  /// The blocks of a text, in order. O(length).
  static func blocks(of text: String) -> [MarkdownBlock] {
    var reader = Reader()
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      reader.add(String(line))
    }
    reader.endBlock()
    return reader.blocks
  }

  private struct Reader {
    private(set) var blocks: [MarkdownBlock] = []
    /// The block whose next line may follow.
    private var open: MarkdownBlock?
    private var isFenced = false

    mutating func add(_ line: String) {
      if line.hasPrefix("```") {
        endBlock()
        isFenced.toggle()
        if isFenced { open = .code([]) }
      } else if isFenced {
        addCode(line)
      } else {
        addUnfenced(line)
      }
    }

    private mutating func addUnfenced(_ line: String) {
      let trimmed = line.trimmed
      let indentation = line.prefix { $0 == " " }.count
      let isInItem = if case .item = open { true } else { false }
      if trimmed.isEmpty {
        // Indented code goes on behind an empty line; `endBlock` drops those at its end.
        if case .code = open { addCode("") } else { endBlock() }
      } else if indentation >= 4, !isInItem, open == nil || isCode {
        addCode(String(line.dropFirst(4)))
      } else if line.hasPrefix("#"), let space = line.firstIndex(of: " ") {
        endBlock()
        let level = line.distance(from: line.startIndex, to: space)
        blocks.append(.heading(level: level, text: String(line[space...]).trimmed))
      } else if line.hasPrefix("|") {
        addRow(trimmed)
      } else if let marker = Self.marker(of: trimmed) {
        endBlock()
        open = .item(
          indentation: indentation, marker: marker,
          text: String(trimmed.dropFirst(marker.count)).trimmed)
      } else {
        addText(trimmed)
      }
    }

    private var isCode: Bool { if case .code = open { true } else { false } }

    private mutating func addCode(_ line: String) {
      guard case .code(let lines) = open else {
        open = .code([line])
        return
      }
      open = .code(lines + [line])
    }

    private mutating func addRow(_ line: String) {
      let cells = Self.cells(of: line)
      let isRule = cells.allSatisfy { $0.allSatisfy { "-: ".contains($0) } && $0.contains("-") }
      guard case .table(let rows) = open else {
        endBlock()
        open = .table([cells])
        return
      }
      if !isRule { open = .table(rows + [cells]) }
    }

    private mutating func addText(_ text: String) {
      switch open {
      case .paragraph(let start): open = .paragraph(start + " " + text)
      case .item(let indentation, let marker, let start):
        open = .item(indentation: indentation, marker: marker, text: start + " " + text)
      case .code, .table, .heading, nil:
        endBlock()
        open = .paragraph(text)
      }
    }

    mutating func endBlock() {
      switch open {
      case .code(var lines):
        while lines.last == "" { lines.removeLast() }
        blocks.append(.code(lines))
      case .some(let block): blocks.append(block)
      case nil: break
      }
      open = nil
    }

    private static func marker(of line: String) -> String? {
      if line.hasPrefix("- ") { return "-" }
      let digits = line.prefix { $0.isASCII && $0.isNumber }
      return !digits.isEmpty && line.dropFirst(digits.count).hasPrefix(". ") ? "\(digits)." : nil
    }

    /// The cells between bars. A bar inside of code, or behind a backslash, separates none.
    private static func cells(of line: String) -> [String] {
      var cells = [""]
      var isEscaped = false
      var isCode = false
      for character in line.dropFirst() {
        if isEscaped, character != "|" { cells[cells.count - 1] += "\\" }
        if character == "\\", !isEscaped {
          isEscaped = true
          continue
        }
        if character == "`" { isCode.toggle() }
        if character == "|", !isEscaped, !isCode {
          cells.append("")
        } else {
          cells[cells.count - 1].append(character)
        }
        isEscaped = false
      }
      if cells.last?.trimmed == "" { cells.removeLast() }
      return cells.map(\.trimmed)
    }
  }
}
