/// A combination of keys: the modifiers `mod`, `ctrl`, `alt` and `shift` in any order, and a key.
struct Shortcut: Hashable {
  private let modifiers: Set<String>
  private let key: String

  static let escape = Shortcut("escape")

  /// Reads `"mod+shift+n"`; nil for an empty text, and one with a modifier that there is not.
  init?(_ text: String) {
    var text = text.lowercased()
    var key = ""
    // The key itself may be a plus.
    if text.hasSuffix("+") {
      key = "+"
      text.removeLast()
      if text.hasSuffix("+") { text.removeLast() }
    }
    var parts = text.split(separator: "+", omittingEmptySubsequences: false).map(String.init)
    if key.isEmpty { key = parts.removeLast() }
    modifiers = Set(parts.filter { !$0.isEmpty })
    self.key = ["esc": "escape", "return": "enter", "del": "delete", " ": "space"][key] ?? key
    guard !self.key.isEmpty, modifiers.isSubset(of: ["mod", "ctrl", "alt", "shift"]) else {
      return nil
    }
  }
}
