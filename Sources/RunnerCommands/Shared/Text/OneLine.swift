import ScriptValue

/// Text for one line, such as a name: line breaks become blanks, and all other control characters
/// are escaped.
func oneLine(_ text: String) -> String {
  VisibleText.text(of: text.split(whereSeparator: \.isNewline).joined(separator: " "), keeping: [])
}
