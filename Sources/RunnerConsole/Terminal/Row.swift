import RunnerShared
import ScriptValue
import ScriptView

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
      let size = CharacterWidth.of(character)
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
    while wanted + 1 > limit, let last = fitting.popLast() { wanted -= CharacterWidth.of(last) }
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
