import ScriptValue

/// A text of a state as it is drawn: visible, harmless, and of a bounded length.
///
/// What controls a terminal or changes the direction of text is written as an escape (`\027`,
/// `\u{202e}`), so that no text can pretend to be another one, or more than it is.
package struct DrawnText {
  /// The text, without what was cut.
  let text: String
  /// How many bytes of UTF-8 were cut off.
  let cut: Int

  /// The most bytes of one text that are drawn. A state may hold any amount.
  static let limit = 16_384

  /// - Parameter keepsLines: whether line breaks stay. Where one line is drawn, they are escaped.
  init(_ text: String, keepsLines: Bool = false) {
    var end = text.endIndex
    if text.utf8.count > DrawnText.limit {
      end = text.utf8.index(text.startIndex, offsetBy: DrawnText.limit)
      while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
    }
    cut = text.utf8.distance(from: end, to: text.endIndex)
    var shown = String(text[..<end])
    if keepsLines { shown = DrawnText.withLineFeeds(shown) }
    if shown.utf8.contains(0x09) {
      shown = shown.split(separator: "\t", omittingEmptySubsequences: false).joined(
        separator: "    ")
    }
    self.text = VisibleText.text(of: shown, keeping: keepsLines ? ["\n"] : [])
  }

  /// A text for a renderer that breaks lines itself, as a browser: visible and harmless, of any length. Its line breaks and
  /// tabs stay.
  package static func visible(_ text: String) -> String {
    VisibleText.text(of: withLineFeeds(text))
  }

  /// The text with one of the two ways to end a line. The other one would be escaped.
  private static func withLineFeeds(_ text: String) -> String {
    text.utf8.contains(0x0D) ? String(text.map { $0 == "\r\n" ? "\n" : $0 }) : text
  }

  /// What is said of the text that was cut off; nil if all is there.
  var note: String? { cut == 0 ? nil : "… \(cut.grouped) more bytes" }

  /// The text with the note after it.
  var withNote: String { note.map { text + " (\($0))" } ?? text }
}
