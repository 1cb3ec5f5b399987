/// Writes the text of a console to standard output. On a terminal, the text goes above the line
/// that is being edited.
final class ConsoleOutput {
  private var stream = DescriptorWriter(1)
  /// Returns the escape sequences that clear the live rows before text is written; nil while a view
  /// covers the screen. Text is then held until ``writeHeld()``.
  var makeRoom: () -> TerminalText? = { "" }
  private var held: TerminalText = ""

  var failure: Int32? { stream.failure }
  /// The reason why output is missing; nil if nothing is, or if the reader of a pipe has closed it.
  var failureText: String? { stream.failureText }

  func write(_ text: TerminalText) {
    guard let room = makeRoom() else {
      held += text
      return
    }
    draw(room + held + text)
    held = ""
  }

  /// Writes the text that was held.
  func writeHeld() {
    if !held.isEmpty { write("") }
  }

  /// Writes escape sequences or rows directly; this output is never held.
  func draw(_ text: TerminalText) {
    if !text.isEmpty { stream.write(text) }
  }
}
