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

  private static func split(_ line: String) throws -> (path: String, payload: String) {
    if line.unicodeScalars.first == "\"" {
      guard let end = line.unicodeScalars[...].endOfQuotes,
        case .string(let path)? = try value(String(line[..<end]))
      else { throw Malformed(description: "a path in quotes is not closed") }
      return (path, String(line[end...]).trimmed)
    }
    let end = endOfPath(in: line)
    return (String(line[..<end]), String(line[end...]).trimmed)
  }

  /// Where the path at the start of a line ends: at the first blank, table or string outside of brackets.
  package static func endOfPath(in line: String) -> String.Index {
    SegmentText.end(of: line) { "{\"' \t".unicodeScalars.contains($0) }
  }

  private static func value(_ text: String) throws -> Value? {
    do {
      return try Value.typed(text)
    } catch {
      let remedy =
        error.message.contains("near <eof>") ? "; close what is open, as a brace or a quote" : ""
      throw Malformed(description: "\(error.message) in \(text)\(remedy)")
    }
  }
}
