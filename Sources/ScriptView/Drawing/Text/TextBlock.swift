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

  /// The number of characters in the last line, in columns.
  var lastWidth: Int { lines[lines.count - 1].reduce(0) { $0 + Int($1.width) } }

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
        character: character, width: UInt8(width), style: style, owner: -1,
        part: UInt32(clamping: part)))
  }

  /// The most scalars of one character that are drawn. Marks can be piled up without end.
  private static let scalarLimit = 16
}

/// How many columns a character takes on a terminal.
///
/// By Unicode's East Asian Width (UAX #11): 2 for wide characters and for emoji, 0 for marks that
/// join the character before them, otherwise 1. Ambiguous characters are narrow, as on all but old
/// East Asian terminals. A character that consists of several scalars is as wide as its widest one.
package enum CharacterWidth {
  package static func of(_ text: String) -> Int { text.reduce(0) { $0 + of($1) } }

  package static func of(_ character: Character) -> Int {
    let scalars = character.unicodeScalars
    guard let first = scalars.first else { return 0 }
    if scalars.index(after: scalars.startIndex) == scalars.endIndex { return of(first) }
    var width = 0
    for scalar in scalars {
      // U+FE0F asks for the picture of the character before it.
      if scalar.value == 0xFE0F, first.properties.isEmoji { return 2 }
      if isRegionalIndicator(scalar) { width += 1 } else { width = max(width, of(scalar)) }
    }
    return min(width, 2)
  }

  static func of(_ scalar: Unicode.Scalar) -> Int {
    let value = scalar.value
    if value < 0x300 { return value == 0xAD ? 0 : 1 }
    if isRegionalIndicator(scalar) { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    // Vowels and final consonants of Hangul, which join the consonant before them.
    if 0x1160...0x11FF ~= value || 0xD7B0...0xD7FF ~= value { return 0 }
    return isWide(value) || scalar.properties.isEmojiPresentation ? 2 : 1
  }

  private static func isRegionalIndicator(_ scalar: Unicode.Scalar) -> Bool {
    0x1F1E6...0x1F1FF ~= scalar.value
  }

  /// Whether the scalar is wide (W) or full-width (F), for those that are not shown as emoji. The
  /// ranges hold unassigned scalars, too, which Unicode has reserved for wide ones.
  private static func isWide(_ value: UInt32) -> Bool {
    switch value {
    // Hangul.
    case 0x1100...0x115F, 0xA960...0xA97F, 0xAC00...0xD7A3: true
    // Angle brackets; radicals, kana, bopomofo, enclosed letters, ideographs, Yi.
    case 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x3247, 0x3250...0x4DBF, 0x4E00...0xA4CF: true
    // Compatibility ideographs; vertical, small and full-width forms.
    case 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6: true
    // Tangut, Khitan; more kana, Nushu.
    case 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF: true
    // Enclosed ideographs.
    case 0x1F200...0x1F202, 0x1F210...0x1F23B, 0x1F240...0x1F248, 0x1F250...0x1F265: true
    // The planes of ideographs.
    case 0x20000...0x2FFFD, 0x30000...0x3FFFD: true
    default: false
    }
  }
}
