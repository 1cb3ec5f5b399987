import LuaBridge
import ScriptedStore

/// A parsed line of the console: an action, or a command that begins with a colon.
enum ConsoleInput {
  case nothing
  case action(Action)
  case command(String, argument: String)

  init(_ line: String) throws(ConsoleFailure) {
    let line = line.trimmed
    guard let first = line.first else {
      self = .nothing
      return
    }
    switch first {
    case ":":
      let (name, argument) = line.dropFirst().splitAtBlank
      self = .command(name, argument: argument)
    case "{": self = .action(try Self.action(table: line))
    default: self = .action(try Self.action(path: line))
    }
  }

  private static func action(table: String) throws(ConsoleFailure) -> Action {
    guard let value = try value(table) else { throw ConsoleFailure("nil is no action") }
    return try ConsoleFailure.catching { try Action(value) }
  }

  /// Parses a path with an optional payload: `todos[3].rename { title = "Milk" }`.
  private static func action(path line: String) throws(ConsoleFailure) -> Action {
    let (path, rest) = try split(line)
    let payload = rest.isEmpty ? .none : try value(rest)
    return try ConsoleFailure.catching { try Action(path: path, payload: payload) }
  }

  /// Splits a line into path and payload. The path ends at the first blank, table or string outside
  /// brackets.
  private static func split(_ line: String) throws(ConsoleFailure) -> (
    path: String, payload: String
  ) {
    if line.hasPrefix("\"") {
      // A path in quotes, as in a file of actions.
      guard let end = line.dropFirst().firstIndex(of: "\""),
        case .string(let path)? = try value(String(line[...end]))
      else { throw ConsoleFailure("a path in quotes is not closed") }
      return (path, String(line[line.index(after: end)...]).trimmed)
    }
    let end = ActionText.end(of: line) { "{\"' \t".contains($0) }
    return (String(line[..<end]), String(line[end...]).trimmed)
  }

  private static func value(_ text: String) throws(ConsoleFailure) -> Value? {
    do {
      return try LuaReader.value(of: text)
    } catch {
      throw ConsoleFailure("\(error) of \(text)")
    }
  }
}
