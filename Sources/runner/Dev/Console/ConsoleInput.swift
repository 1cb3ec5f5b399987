import LuaBridge
import ScriptedStore

/// What is typed at a console: an action, or a command behind a colon.
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
    return try action { () throws(ActionError) in try Action(value) }
  }

  /// A path and, behind it, a payload: `todos[3].rename { title = "Milk" }`.
  private static func action(path line: String) throws(ConsoleFailure) -> Action {
    let (path, rest) = try split(line)
    let payload = rest.isEmpty ? .none : try value(rest)
    return try action { () throws(ActionError) in try Action(path: path, payload: payload) }
  }

  /// A path ends at a blank, at a table or at a string outside of its brackets.
  private static func split(_ line: String) throws(ConsoleFailure) -> (
    path: String, payload: String
  ) {
    if line.hasPrefix("\"") {
      // As in a file of actions.
      guard let end = line.dropFirst().firstIndex(of: "\""),
        case .string(let path)? = try value(String(line[...end]))
      else { throw ConsoleFailure("a path in quotes is not closed") }
      return (path, String(line[line.index(after: end)...]).trimmed)
    }
    var place = line.startIndex
    while place < line.endIndex {
      switch line[place] {
      case "[": place = ActionText.endOfBrackets(in: line, from: place)
      case "{", "\"", "'", " ", "\t":
        return (String(line[..<place]), String(line[place...]).trimmed)
      default: place = line.index(after: place)
      }
    }
    return (line, "")
  }

  private static func value(_ text: String) throws(ConsoleFailure) -> Value? {
    do {
      return try LuaReader.value(of: text)
    } catch {
      throw ConsoleFailure("\(error) of \(text)")
    }
  }

  private static func action(_ make: () throws(ActionError) -> Action) throws(ConsoleFailure)
    -> Action
  {
    do {
      return try make()
    } catch {
      throw ConsoleFailure("\(error)")
    }
  }
}

/// Why a line was not done.
struct ConsoleFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// The text of an action's path while it is not whole.
enum ActionText {
  /// Behind the bracket that closes one, or the end.
  static func endOfBrackets(in text: some StringProtocol, from start: String.Index) -> String.Index
  {
    var place = text.index(after: start)
    if place < text.endIndex, text[place] == "\"" {
      place = text.index(after: place)
      while place < text.endIndex, text[place] != "\"" {
        if text[place] == "\\" { place = text.index(after: place) }
        if place < text.endIndex { place = text.index(after: place) }
      }
    }
    guard place < text.endIndex, let close = text[place...].firstIndex(of: "]") else {
      return text.endIndex
    }
    return text.index(after: close)
  }
}

extension StringProtocol {
  var trimmed: String {
    var rest = self[...]
    while let first = rest.first, first.isWhitespace { rest.removeFirst() }
    while let last = rest.last, last.isWhitespace { rest.removeLast() }
    return String(rest)
  }

  /// The first word, and what follows it.
  var splitAtBlank: (first: String, rest: String) {
    guard let blank = firstIndex(where: \.isWhitespace) else { return (String(self), "") }
    return (String(self[..<blank]), self[blank...].trimmed)
  }
}
