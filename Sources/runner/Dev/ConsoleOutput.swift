/// Where a console's text goes: standard output, and on a terminal above the line that is being edited.
final class ConsoleOutput {
  private var stream = OutputStream(1)
  /// Makes room for text; what is held back if there is none now.
  var makeRoom: () -> TerminalText? = { "" }
  private var held: TerminalText = ""

  var failure: Int32? { stream.failure }
  /// The reader has gone, which is its right.
  var isClosed: Bool { stream.isClosed }

  func write(_ text: TerminalText) {
    guard let room = makeRoom() else {
      held += text
      return
    }
    draw(room + held + text)
    held = ""
  }

  /// Writes what was held back.
  func writeHeld() {
    if !held.isEmpty { write("") }
  }

  /// Writes something that is no part of the text.
  func draw(_ text: TerminalText) {
    if !text.isEmpty { stream.write(text) }
  }
}
