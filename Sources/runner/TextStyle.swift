/// Text for a terminal, or plain where colours are not welcome.
struct TextStyle: Sendable {
  let takesColor: Bool

  func bold(_ text: String) -> String { styled(text, "1") }
  func dim(_ text: String) -> String { styled(text, "2") }
  func red(_ text: String) -> String { styled(text, "31") }
  func green(_ text: String) -> String { styled(text, "32") }
  func yellow(_ text: String) -> String { styled(text, "33") }
  func cyan(_ text: String) -> String { styled(text, "36") }
  /// What is chosen.
  func reversed(_ text: String) -> String { styled(text, "7") }
  /// A word in a red field.
  func alarm(_ text: String) -> String { styled(text, "1;97;41") }

  private func styled(_ text: String, _ code: String) -> String {
    takesColor && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
