/// Scans the text of an action's path that may be incomplete.
enum ActionText {
  /// The index of the first character outside brackets that `isEnd` accepts, or the end of the
  /// text.
  static func end(of text: String, where isEnd: (Character) -> Bool) -> String.Index {
    var index = text.startIndex
    while index < text.endIndex, !isEnd(text[index]) {
      index = text[index] == "[" ? endOfBrackets(in: text, from: index) : text.index(after: index)
    }
    return index
  }

  /// The path without its ids: `todos.rename` for `todos[3].rename`.
  static func withoutIDs(_ path: String) -> String {
    var (rest, types) = (path[...], "")
    while let bracket = rest.firstIndex(of: "[") {
      types += rest[..<bracket]
      rest = rest[endOfBrackets(in: rest, from: bracket)...]
    }
    return types + rest
  }

  /// Returns the index after the bracket that closes the one at `start`, or the end of the text if
  /// there is none. An id in quotes may contain brackets.
  static func endOfBrackets(in text: some StringProtocol, from start: String.Index) -> String.Index
  {
    var index = text.index(after: start)
    if index < text.endIndex, text[index] == "\"" {
      index = text.index(after: index)
      while index < text.endIndex, text[index] != "\"" {
        if text[index] == "\\" { index = text.index(after: index) }
        if index < text.endIndex { index = text.index(after: index) }
      }
    }
    guard index < text.endIndex, let close = text[index...].firstIndex(of: "]") else {
      return text.endIndex
    }
    return text.index(after: close)
  }
}
