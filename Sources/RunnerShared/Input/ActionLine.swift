import LuaBridge
import ScriptedStore

/// An action as a person types it: `todos[3].rename { title = "Milk" }`, `"todos[3].toggle"`, or a
/// table with a type. Payloads and tables are Lua or JSON.
package enum ActionLine {
  struct Malformed: Error, CustomStringConvertible {
    let description: String
  }

  package static func action(_ line: String) throws -> Action {
    if line.hasPrefix("{") {
      guard let value = try value(line) else { throw Malformed(description: "nil is no action") }
      return try Action(value)
    }
    let (path, rest) = try split(line)
    return try Action(path: path, payload: rest.isEmpty ? .none : try value(rest))
  }

  /// The seconds of a line that lets time pass in the input of `runner run`: `{"wait": 1}`. Nil for
  /// other lines.
  package static func wait(_ line: String) -> Value? {
    guard line.hasPrefix("{"), case .object(let object)? = try? value(line), object.count == 1
    else { return nil }
    return object["wait"]
  }

  /// Splits a line into path and payload. The path ends at the first blank, table or string outside
  /// brackets.
  private static func split(_ line: String) throws -> (path: String, payload: String) {
    if line.hasPrefix("\"") {
      let end = ActionText.endOfQuotes(in: line, from: line.startIndex)
      guard end < line.endIndex, case .string(let path)? = try value(String(line[...end]))
      else { throw Malformed(description: "a path in quotes is not closed") }
      return (path, String(line[line.index(after: end)...]).trimmed)
    }
    let end = ActionText.end(of: line) { "{\"' \t".contains($0) }
    return (String(line[..<end]), String(line[end...]).trimmed)
  }

  private static func value(_ text: String) throws -> Value? {
    do {
      return try Value.typed(text)
    } catch {
      throw Malformed(description: "\(error.message) in \(text)")
    }
  }
}

/// Scans the text of an action's path that may be incomplete.
package enum ActionText {
  /// The index of the first character outside brackets that `isEnd` accepts, or the end of the
  /// text.
  package static func end(of text: String, where isEnd: (Character) -> Bool) -> String.Index {
    var index = text.startIndex
    while index < text.endIndex, !isEnd(text[index]) {
      index = text[index] == "[" ? endOfBrackets(in: text, from: index) : text.index(after: index)
    }
    return index
  }

  /// The path without its ids: `todos.rename` for `todos[3].rename`.
  package static func withoutIDs(_ path: String) -> String {
    var (rest, types) = (path[...], "")
    while let bracket = rest.firstIndex(of: "[") {
      types += rest[..<bracket]
      rest = rest[endOfBrackets(in: rest, from: bracket)...]
    }
    return types + rest
  }

  /// Returns the index after the bracket that closes the one at `start`, or the end of the text if
  /// there is none. An id in quotes may contain brackets.
  package static func endOfBrackets(in text: some StringProtocol, from start: String.Index)
    -> String.Index
  {
    var index = text.index(after: start)
    if index < text.endIndex, text[index] == "\"" { index = endOfQuotes(in: text, from: index) }
    guard index < text.endIndex, let close = text[index...].firstIndex(of: "]") else {
      return text.endIndex
    }
    return text.index(after: close)
  }

  /// Returns the index of the quote that closes the one at `start`, or the end of the text if there
  /// is none. A quote behind a backslash is in the text.
  fileprivate static func endOfQuotes(in text: some StringProtocol, from start: String.Index)
    -> String.Index
  {
    var index = text.index(after: start)
    while index < text.endIndex, text[index] != "\"" {
      if text[index] == "\\" { index = text.index(after: index) }
      if index < text.endIndex { index = text.index(after: index) }
    }
    return index
  }
}
