import ScriptValue

/// The text of a field of several lines, broken between words, with all of its blanks, so that the
/// caret has a cell before and after each character.
struct EditorBlock: Block {
  let text: [Character]
  /// How many characters are before the caret; nil for a field that is not edited.
  let caret: Int?
  let prompt: String?
  let style: Canvas.Style
  /// The least number of lines.
  let lines: Int
  let owner: ViewPath

  private static let usualWidth = 40
  /// The most characters around the caret that are drawn.
  private static let limit = 16_384

  var naturalWidth: Int {
    var longest = EditorBlock.usualWidth
    for line in shown.split(separator: "\n") { longest = max(longest, line.count * 2) }
    return min(longest, 1000)
  }
  var minimumWidth: Int { 8 }
  var grows: Bool { true }

  /// The part of the text that is drawn.
  private var shown: ArraySlice<Character> {
    let start = max((caret ?? 0) - EditorBlock.limit / 2, 0)
    return text[min(start, text.count)...].prefix(EditorBlock.limit)
  }

  func draw(on canvas: inout Canvas, x: Int, y: Int, width: Int) -> Int {
    let ownerIndex = canvas.owner(owner)
    if text.isEmpty, let prompt {
      let block = TextBlock(StyledText("(\(prompt))", style.union(.placeholder)), owner: owner)
      let height = block.draw(on: &canvas, x: x, y: y, width: width)
      if caret != nil { canvas.caret = Canvas.Position(column: x, line: y) }
      canvas.extend(toLine: y + max(height, lines) - 1)
      return max(height, lines)
    }
    var height = 0
    for line in broken(max(width - 1, 1)) {
      var column = x
      for cell in line {
        if let caret, Int(cell.part) == caret + 1, canvas.caret == nil {
          canvas.caret = Canvas.Position(column: column, line: y + height)
        }
        column += Int(cell.width)
      }
      canvas.draw(line, x: x, y: y + height, owner: ownerIndex)
      height += 1
    }
    canvas.extend(toLine: y + max(height, lines) - 1)
    return max(height, lines)
  }

  /// The lines, each of which ends with a blank cell for the caret after its last character.
  private func broken(_ width: Int) -> [[Canvas.Cell]] {
    var lines: [[Canvas.Cell]] = []
    var line: [Canvas.Cell] = []
    var used = 0
    func end(_ part: Int) -> Canvas.Cell {
      Canvas.Cell(character: " ", width: 1, style: [], part: UInt32(clamping: part + 1))
    }
    for index in shown.indices {
      let character = text[index]
      if character.isNewline {
        lines.append(line + [end(index)])
        (line, used) = ([], 0)
        continue
      }
      var cells = StyledText(String(character), style).lines[0]
      for position in cells.indices { cells[position].part = UInt32(clamping: index + 1) }
      if used + cells.columns > width, !line.isEmpty, character != " " {
        // The word that does not fit goes to the next line, unless it is a whole line long.
        let blank = line.lastIndex { $0.character == " " }
        let start = blank.map { $0 + 1 } ?? line.count
        lines.append(Array(line[..<start]))
        line = Array(line[start...])
        used = line.columns
      }
      line += cells
      used += cells.columns
    }
    lines.append(line + [end(shown.endIndex)])
    return lines
  }
}
