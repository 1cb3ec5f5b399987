import ScriptValue

/// The text of a field in one line, with room to write: `Milk____`. A longer text is cut, and
/// scrolls so far that its caret can be seen.
struct FieldBlock: Block {
  let text: [Character]
  /// How many characters are before the caret; nil for a field that is not edited.
  let caret: Int?
  let prompt: String?
  let isSecret: Bool
  let style: Canvas.Style
  /// Whether it takes all the room that it gets.
  let fills: Bool
  let owner: ViewPath

  /// The columns of a field with a short text, so that it does not grow with each letter.
  private static let usualWidth = 24
  /// More columns no terminal has, so that a text of any length is measured quickly.
  private static let widest = 1000

  var naturalWidth: Int {
    var width = 1
    for character in text where width < FieldBlock.widest { width += cells(of: character).columns }
    return max(width, (prompt?.count ?? 0) + 2, FieldBlock.usualWidth)
  }
  var minimumWidth: Int { 8 }
  var grows: Bool { fills }

  func draw(on canvas: inout Canvas, x: Int, y: Int, width: Int) -> Int {
    let width = max(fills ? width : min(width, naturalWidth), 1)
    let owner = canvas.owner(owner)
    var cells: [Canvas.Cell] = []
    if text.isEmpty, let prompt, width > 2 {
      cells = placeholder(prompt, width)
      if caret != nil { canvas.caret = Canvas.Position(column: x, line: y) }
    } else {
      cells = visible(width, &canvas, x, y)
    }
    let end = Canvas.Cell(
      character: "_", width: 1, style: style, part: UInt32(clamping: text.count + 1))
    cells += repeatElement(end, count: max(width - cells.columns, 0))
    canvas.draw(cells, x: x, y: y, owner: owner)
    return 1
  }

  private func placeholder(_ prompt: String, _ width: Int) -> [Canvas.Cell] {
    var cells = StyledText("(\(prompt))", style.union(.placeholder)).lines[0]
    while cells.columns > width { cells.removeLast() }
    for index in cells.indices { cells[index].part = 1 }
    return cells
  }

  /// The cells of the text that fit, from the first character that is shown on.
  private func visible(
    _ width: Int, _ canvas: inout Canvas, _ x: Int, _ y: Int
  ) -> [Canvas.Cell] {
    var cells: [Canvas.Cell] = []
    var used = 0
    var index = start(width)
    while index < text.count {
      let next = self.cells(of: text[index])
      if index == caret { canvas.caret = Canvas.Position(column: x + used, line: y) }
      guard used + next.columns <= width else { break }
      for var cell in next {
        cell.part = UInt32(clamping: index + 1)
        cells.append(cell)
      }
      used += next.columns
      index += 1
    }
    if index == text.count, caret == index {
      canvas.caret = Canvas.Position(column: min(x + used, x + width - 1), line: y)
    }
    return cells
  }

  /// The first character that is shown. The caret is kept away from the end, so that one sees what
  /// follows it.
  private func start(_ width: Int) -> Int {
    guard let caret else { return 0 }
    var start = min(caret, text.count)
    var room = width - 1
    if start < text.count { room = max(width * 3 / 4, 1) }
    // A text that fits does not scroll.
    var used = 0
    var rest = text[...]
    while used < width, let character = rest.popFirst() { used += cells(of: character).columns }
    if rest.isEmpty, used < width { return 0 }
    while start > 0 {
      room -= cells(of: text[start - 1]).columns
      if room < 0 { break }
      start -= 1
    }
    return start
  }

  /// A character as it is drawn: what controls a terminal is an escape of several cells.
  private func cells(of character: Character) -> [Canvas.Cell] {
    StyledText(isSecret ? "*" : String(character), style).lines[0]
  }
}
