import ScriptValue

/// The text of an error value that is no string, as `error { code = 3 }` raises it.
enum ErrorValueText {
  /// The longest text of a field, in characters. The body of an HTTP response may have megabytes.
  private static let longestField = 300

  /// The table's `message` with the other fields behind it, the shortest first:
  /// `no such place { code = 404, url = "…" }`. A value without a message in Lua syntax:
  /// `error value: { code = 3 }`.
  static func text(of value: Value) -> String {
    guard let table = value.object, let message = table["message"]?.string else {
      return "error value: \(value)"
    }
    let fields = table.filter { $0.key != "message" }.map { (key: $0.key, text: text($0.value)) }
      .sorted { ($0.text.count, $0.key) < ($1.text.count, $1.key) }
    guard !fields.isEmpty else { return message }
    return "\(message) { " + fields.map { "\(key($0.key)) = \($0.text)" }.joined(separator: ", ")
      + " }"
  }

  private static func key(_ key: String) -> String {
    var (key, text) = (key, "")
    key.withUTF8 { LuaSyntax.appendKey(UnsafeRawBufferPointer($0), to: &text) }
    return text
  }

  /// A field in Lua syntax. What is too long is cut, and ends with `…`.
  private static func text(_ value: Value) -> String {
    // A string is cut before its quotes are added.
    if let string = value.string, let cut = cut(string) { return Value.string(cut).description }
    let text = value.description
    return value.string == nil ? cut(text) ?? text : text
  }

  /// Nil if the text is short enough.
  private static func cut(_ text: String) -> String? {
    let end = text.index(text.startIndex, offsetBy: longestField, limitedBy: text.endIndex)
    guard let end, end < text.endIndex else { return nil }
    return text[..<end] + "…"
  }
}
