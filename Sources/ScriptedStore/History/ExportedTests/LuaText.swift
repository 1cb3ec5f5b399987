import ScriptValue

/// Renders values as Lua source for exported tests.
enum LuaText {
  static func text(_ value: Value) -> String { LuaLayout().text(of: value) }

  static func quoted(_ text: some StringProtocol) -> String {
    Value.string(String(text)).description
  }

  /// A key as it is written in a table constructor.
  static func key(_ key: String) -> String { LuaLiteral.key(key) }

  /// The suffix that reads a key of a table: `.name`, or `["odd key"]`.
  static func member(_ key: String) -> String {
    let text = self.key(key)
    return text.hasPrefix("[") ? text : ".\(text)"
  }

  /// A Lua pattern that matches exactly this text.
  static func pattern(_ text: some StringProtocol) -> String {
    String(text.flatMap { "^$()%.[]*+-?".contains($0) ? ["%", $0] : [$0] })
  }

  /// The longest part of a message that names no line of a script, which an edit above it would move.
  static func withoutLines(_ message: Substring) -> Substring {
    let parts = message.split(separator: #/\S*\.lua:[0-9]+/#)
    var part = parts.max { $0.utf8.count < $1.utf8.count } ?? ""
    part = part.drop { " :(".contains($0) }
    while let last = part.last, " :(".contains(last) { part.removeLast() }
    return part
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

/// Renders the difference between two states as Lua statements on a local named `state`.
enum LuaChanges {
  static func lines(from before: Value, to after: Value) -> [String] {
    var state = before
    return JSONPatch.luaDiff(from: before, to: after).operations.flatMap { operation in
      defer { state = (try? JSONPatch([operation]).apply(to: state)) ?? state }
      return lines(of: operation, in: state)
    }
  }

  private static func lines(of operation: JSONPatch.Operation, in state: Value) -> [String] {
    guard let last = operation.path.tokens.last else {
      return operation.value.map(replacing(by:)) ?? []
    }
    var place = "state"
    var parent = state
    for token in operation.path.tokens.dropLast() {
      place += step(token, in: parent)
      parent = child(token, of: parent)
    }
    let value = operation.value.map { LuaText.text($0) } ?? "nil"
    if case .array(let list) = parent, let index = Int(last) {
      switch operation {
      case .add where index == list.count: return ["table.insert(\(place), \(value))"]
      case .add: return ["table.insert(\(place), \(index + 1), \(value))"]
      case .remove: return ["table.remove(\(place), \(index + 1))"]
      default: break
      }
    }
    return ["\(place)\(step(last, in: parent)) = \(value)"]
  }

  private static func step(_ token: String, in parent: Value) -> String {
    // An empty object may get the key "0"; it is no array.
    if case .array = parent, let index = Int(token) { return "[\(index + 1)]" }
    return LuaText.member(token)
  }

  private static func child(_ token: String, of parent: Value) -> Value {
    if case .array = parent, let index = Int(token) { return parent[index] }
    return parent[token]
  }

  private static func replacing(by new: Value) -> [String] {
    var lines = ["for key in pairs(state) do state[key] = nil end"]
    switch new {
    case .object(let object):
      for (key, value) in object {
        lines.append("state\(LuaText.member(key)) = \(LuaText.text(value))")
      }
    default:
      lines = ["while #state > 0 do table.remove(state) end"]
      for value in new.array ?? [] { lines.append("table.insert(state, \(LuaText.text(value)))") }
    }
    return lines
  }
}
