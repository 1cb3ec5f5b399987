import ScriptValue

/// A text that is broken into lines between words, or anywhere between wide characters.
struct TextBlock: Block {
  /// The lines as the text itself has them.
  private let lines: [[Canvas.Cell]]
  private let owner: ViewPath
  /// By how many columns the continuation of a broken line is indented.
  private let hanging: Int
  /// Whether what can be used in it stays in one piece, as long as that fits into a line.
  private let keepsControls: Bool
  let naturalWidth: Int
  let minimumWidth: Int

  init(_ text: StyledText, owner: ViewPath, hanging: Int = 0, keepsControls: Bool = false) {
    lines = text.lines
    self.owner = owner
    self.hanging = hanging
    self.keepsControls = keepsControls
    var natural = 0
    var longest = 0
    for line in lines {
      var total = 0
      var word = 0
      for cell in line {
        total += Int(cell.width)
        word = cell.character == " " || cell.width == 2 ? Int(cell.width) : word + 1
        longest = max(longest, word)
      }
      natural = max(natural, total)
    }
    naturalWidth = natural
    minimumWidth =
      keepsControls ? natural : min(longest + hanging, natural, TextBlock.longestWord)
  }

  /// A longer word does not keep other blocks from their room.
  private static let longestWord = 16

  func draw(on canvas: inout Canvas, x: Int, y: Int, width: Int) -> Int {
    let owner = canvas.owner(owner)
    var height = 0
    for line in lines {
      canvas.extend(toLine: y + height)
      if naturalWidth <= width {
        canvas.draw(line, x: x, y: y + height, owner: owner)
        height += 1
        continue
      }
      for (index, part) in broken(line, width: max(width, 1)).enumerated() {
        canvas.draw(part, x: x + (index == 0 ? 0 : indent(width)), y: y + height, owner: owner)
        height += 1
      }
    }
    return height
  }

  /// The indentation of continued lines, as long as something fits after it.
  private func indent(_ width: Int) -> Int { width >= hanging * 2 ? hanging : 0 }

  /// The lines of a line that may be too long. O(length).
  private func broken(_ line: [Canvas.Cell], width: Int) -> [ArraySlice<Canvas.Cell>] {
    var parts: [ArraySlice<Canvas.Cell>] = []
    var start = 0
    var used = 0
    // Where the line can be broken: after the last blank or wide character.
    var opportunity = 0
    var usedThere = 0
    var index = 0
    while index < line.count {
      let cell = line[index]
      let room = parts.isEmpty ? width : width - indent(width)
      if used + Int(cell.width) > room, cell.character != " ", index > start {
        let end = opportunity > start ? opportunity : index
        parts.append(line[start..<end].droppingBlanksAtEnd)
        used = opportunity > start ? used - usedThere : 0
        start = end
        opportunity = end
        usedThere = 0
        continue
      }
      used += Int(cell.width)
      index += 1
      if cell.character == " " || cell.width == 2, !isInsideControl(index, line) {
        opportunity = index
        usedThere = used
      }
    }
    parts.append(line[start...].droppingBlanksAtEnd)
    return parts
  }

  /// Whether an index is inside of a control that stays in one piece.
  private func isInsideControl(_ index: Int, _ line: [Canvas.Cell]) -> Bool {
    keepsControls && line.indices.contains(index) && line[index - 1].style.contains(.control)
      && line[index].style.contains(.control)
  }
}

extension ArraySlice<Canvas.Cell> {
  fileprivate var droppingBlanksAtEnd: Self {
    self[..<(lastIndex { $0.character != " " }.map { $0 + 1 } ?? startIndex)]
  }
}

/// Lines of cells that texts of a state and marks of the drawing are appended to.
struct StyledText {
  private(set) var lines: [[Canvas.Cell]] = [[]]

  init() {}

  /// A text of the drawing itself, or of a state.
  init(_ text: String, _ style: Canvas.Style = [], keepsLines: Bool = false) {
    append(text, style, keepsLines: keepsLines)
  }

  var isEmpty: Bool { lines.allSatisfy(\.isEmpty) }

  /// The columns of the last line.
  var lastWidth: Int { lines[lines.count - 1].columns }

  /// Appends a text, which is made visible and cut, with a note, if it is long.
  ///
  /// - Parameter part: which part of its node the text is; see ``Canvas/Cell/part``.
  mutating func append(
    _ text: String, _ style: Canvas.Style = [], keepsLines: Bool = false, part: Int = 0
  ) {
    let drawn = DrawnText(text, keepsLines: keepsLines)
    for character in drawn.text {
      if character == "\n" { lines.append([]) } else { append(character, style, part) }
    }
    if let note = drawn.note { append(" (\(note))", style.union(.placeholder)) }
  }

  mutating func removeLastBlank() {
    if lines[lines.count - 1].last?.character == " " { lines[lines.count - 1].removeLast() }
  }

  mutating func append(_ other: StyledText) {
    lines[lines.count - 1] += other.lines[0]
    lines += other.lines.dropFirst()
  }

  private mutating func append(_ character: Character, _ style: Canvas.Style, _ part: Int) {
    let width = CharacterWidth.of(character)
    let scalars = character.unicodeScalars
    guard width > 0 else {
      // A mark without a character that it could join.
      for scalar in scalars { append(VisibleText.escape(of: scalar), style) }
      return
    }
    var character = character
    if scalars.count > StyledText.scalarLimit {
      let first = String(String.UnicodeScalarView(scalars.prefix(StyledText.scalarLimit))).first
      character = first ?? "?"
    }
    lines[lines.count - 1].append(
      Canvas.Cell(
        character: character, width: UInt8(width), style: style,
        part: UInt32(clamping: part)))
  }

  /// The most scalars of one character that are drawn. Marks can be piled up without end.
  private static let scalarLimit = 16
}
