import ScriptValue

/// Renders values as Lua source for generated tests.
enum LuaText {
  static func text(_ value: Value) -> String { LuaLayout().text(of: value) }

  static func quoted(_ text: some StringProtocol) -> String {
    Value.string(String(text)).description
  }

  /// A key as it is written in a table constructor.
  static func key(_ key: String) -> String {
    var (key, text) = (key, "")
    key.withUTF8 { LuaSyntax.appendKey(UnsafeRawBufferPointer($0), to: &text) }
    return text
  }

  /// The suffix that reads a key of a table: `.name`, or `["odd key"]`.
  static func member(_ key: String) -> String {
    let text = self.key(key)
    return text.hasPrefix("[") ? text : ".\(text)"
  }

  /// A Lua pattern that matches exactly this text.
  static func pattern(_ text: some StringProtocol) -> String {
    String(text.flatMap { "^$()%.[]*+-?".contains($0) ? ["%", $0] : [$0] })
  }

  /// The arguments of `send` or `receive` for an action: its path and payload, or its table if path
  /// and payload do not make the same action.
  static func action(_ action: Action) -> String {
    let payload = action.payload
    let same = try? Action(path: action.path, payload: payload.isEmpty ? nil : .object(payload))
    guard same == action else { return text(action.value) }
    let path = quoted(action.path)
    return payload.isEmpty ? path : "\(path), \(text(.object(payload)))"
  }
}

extension String {
  /// The text with all lines but the first indented by two spaces per level.
  func indented(_ levels: Int) -> String {
    split(separator: "\n", omittingEmptySubsequences: false)
      .joined(separator: "\n" + String(repeating: "  ", count: levels))
  }
}
