import ScriptValue

/// Converts between paths as users write them and `ValuePath`. Users count indices from 1, as in
/// Lua: `todos[1].title` is in the first element. Printed differences also count from 1.
enum StatePath {
  static func path(_ text: String) throws(ConsoleFailure) -> ValuePath {
    var path = try ConsoleFailure.catching { try ValuePath(text) }
    for (number, component) in path.components.enumerated() {
      guard case .index(let index) = component else { continue }
      guard index > 0 else { throw ConsoleFailure("\(text): indices count from 1, as in Lua") }
      path.components[number] = .index(index - 1)
    }
    return path
  }

  static func text(_ path: ValuePath) -> String {
    ValuePath(
      path.components.map { component in
        if case .index(let index) = component { .index(index + 1) } else { component }
      }
    ).description
  }

  /// Splits `todos[1].title "Milk"` into the path and the text after it.
  static func split(_ text: String) -> (path: String, rest: String) {
    let end = ActionText.end(of: text, where: \.isWhitespace)
    return (String(text[..<end]), text[end...].trimmed)
  }
}
