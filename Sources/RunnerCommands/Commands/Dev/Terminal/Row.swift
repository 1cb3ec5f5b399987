import ScriptValue

/// One terminal row of limited width. Text that does not fit is cut. Control characters are written
/// as escapes of a Lua string, so that they cannot move the cursor.
struct Row {
  private(set) var text: TerminalText = ""
  /// The number of occupied columns.
  private(set) var width = 0
  let limit: Int

  init(limit: Int) { self.limit = max(0, limit) }

  /// Adds styled text. Text that does not fit is replaced by an ellipsis.
  mutating func add(_ part: String, _ style: (TerminalText) -> TerminalText = { $0 }) {
    var fitting = ""
    var wanted = width
    let part = VisibleText.text(of: part, keeping: [])
    for character in part {
      let size = TextWidth.of(character)
      guard wanted + size <= limit else {
        cut(fitting, wanted, style)
        return
      }
      fitting.append(character)
      wanted += size
    }
    text += style(TerminalText(fitting))
    width = wanted
  }

  private mutating func cut(
    _ fitting: String, _ wanted: Int, _ style: (TerminalText) -> TerminalText
  ) {
    var (fitting, wanted) = (fitting, wanted)
    while wanted + 1 > limit, let last = fitting.popLast() { wanted -= TextWidth.of(last) }
    guard wanted < limit else { return }
    text += style(TerminalText(fitting + "…"))
    // The row counts as full, so that nothing follows the ellipsis.
    width = limit
  }

  /// Fills the rest of the row with blanks.
  mutating func fill() {
    guard width < limit else { return }
    text += TerminalText(String(repeating: " ", count: limit - width))
    width = limit
  }
}

/// The number of terminal columns that text occupies.
enum TextWidth {
  static func of(_ text: String) -> Int { text.reduce(0) { $0 + of($1) } }

  static func of(_ character: Character) -> Int {
    if let ascii = character.asciiValue { return ascii < 0x20 || ascii == 0x7F ? 0 : 1 }
    var width = 0
    for scalar in character.unicodeScalars {
      // U+FE0F selects the emoji form of the scalar before it, which is two columns wide.
      if scalar.value == 0xFE0F { return 2 }
      width = max(width, of(scalar))
    }
    return width
  }

  private static func of(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    if scalar.properties.isEmojiPresentation { return 2 }
    return wide.contains { $0.contains(scalar.value) } ? 2 : 1
  }

  /// Blocks that Unicode classifies as wide or fullwidth (UAX #11). Emoji are recognized by their
  /// own property.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
    0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
    0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18CFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F2FF,
    0x20000...0x3FFFD,
  ]
}
