import LuaBridge

/// Paths in state as people who write Lua count: `todos[1].title` is in the first element, as in differences.
enum StatePath {
  static func path(_ text: String) throws(ConsoleFailure) -> ValuePath {
    var path: ValuePath
    do {
      path = try ValuePath(text)
    } catch {
      throw ConsoleFailure("\(error)")
    }
    for (place, component) in path.components.enumerated() {
      guard case .index(let index) = component else { continue }
      guard index > 0 else { throw ConsoleFailure("\(text): indices count from 1, as in Lua") }
      path.components[place] = .index(index - 1)
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

  /// A path, and what stands behind it: `todos[1].title "Milk"`.
  static func split(_ text: String) -> (path: String, rest: String) {
    var place = text.startIndex
    while place < text.endIndex, !text[place].isWhitespace {
      place =
        text[place] == "["
        ? ActionText.endOfBrackets(in: text, from: place) : text.index(after: place)
    }
    return (String(text[..<place]), text[place...].trimmed)
  }
}
