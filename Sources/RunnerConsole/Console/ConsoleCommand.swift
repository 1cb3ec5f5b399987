import RunnerShared
import ScriptValue
import ScriptedStore

/// A command of the console, with the data for help and completion.
struct ConsoleCommand {
  enum Argument {
    /// A path in the state.
    case path
    case command
    /// One of these words.
    case words([String])
    case other
  }

  let name: String
  /// An abbreviation of the name.
  let short: String?
  let usage: String
  let summary: String
  let argument: Argument

  private init(
    _ name: String, _ short: String?, _ usage: String, takes argument: Argument = .other,
    _ summary: String
  ) {
    self.name = name
    self.short = short
    self.usage = usage
    self.argument = argument
    self.summary = summary
  }

  static let all = [
    ConsoleCommand(
      "state", "s", "[PATH]", takes: .path, "the state, or what is at a path: todos[1].title"),
    ConsoleCommand(
      "set", nil, "PATH VALUE", takes: .path, "puts a value there, in Lua or JSON; nil removes it"),
    ConsoleCommand(
      "browse", "b", "", "the state as a tree to fold (F2)"),
    ConsoleCommand(
      "view", "v", "[on|off]", takes: .words(["on", "off"]),
      "the screen as text; on shows it whenever it changes, until off"),
    ConsoleCommand(
      "views", nil, "", "the views that ran for the last change, and how long each took"),
    ConsoleCommand(
      "screen", nil, "", "the screen in use, until Escape or Ctrl-C (F5)"),
    ConsoleCommand("tree", "t", "", "how the feature is composed"),
    ConsoleCommand("shared", nil, "", "the shared values, and which fields show them"),
    ConsoleCommand("effects", "e", "", "what is in flight, and the alarms"),
    ConsoleCommand(
      "cancel", nil, "[N|all]", "cancels the N-th effect of the list, or the only one"),
    ConsoleCommand("warnings", "w", "", "what came up so far"),
    ConsoleCommand("log", "l", "[N]", "the last N actions, 20 without a number (F3)"),
    ConsoleCommand("diff", "d", "[N]", "what action N changed, or the one that the store is at"),
    ConsoleCommand(
      "calls", nil, "[N]",
      "the dependencies that action N and effects after it have called, with their answers"),
    ConsoleCommand("go", "g", "N", "gives the store the state after action N; 0 is the beginning"),
    ConsoleCommand("step", nil, "[N]", "so many actions on, or back: :step -1"),
    ConsoleCommand("undo", "u", "", "one action back; :step goes on again"),
    ConsoleCommand(
      "reset", nil, "", "gives the store the state that it began with, cancels effects"),
    ConsoleCommand("skip", nil, "N", "leaves action N out, and reduces what follows anew"),
    ConsoleCommand("unskip", nil, "N", "lets it in again"),
    ConsoleCommand(
      "replay", nil, "[N]", "reduces all from action N on with the code as it is now"),
    ConsoleCommand("lock", nil, "", "drops what is sent, so that only you move the store"),
    ConsoleCommand("unlock", nil, "", "ends that"),
    ConsoleCommand("clock", "c", "", "what time it is for effects"),
    ConsoleCommand("wait", nil, "SECONDS", "lets time pass; on the virtual clock at once"),
    ConsoleCommand("reload", "r", "", "loads what has changed"),
    ConsoleCommand(
      "record", nil, "FILE", "writes what happened and what will into a recording"),
    ConsoleCommand("export-test", nil, "FILE", "writes what happened as a test"),
    ConsoleCommand("help", "h", "[COMMAND]", takes: .command, "this"),
    ConsoleCommand("quit", "q", "", "ends the console (Ctrl-D)"),
  ]

  static let names = all.map(\.name)

  static func named(_ name: String) -> ConsoleCommand? {
    all.first { $0.name == name || $0.short == name }
  }

  /// The command that does what one of another tool does, such as Redux DevTools or a test clock; nil if none does.
  static func named(elsewhere name: String) -> String? {
    switch name {
    case "back": "undo"
    case "forward", "redo": "step"
    case "advance", "sleep": "wait"
    case "history": "log"
    case "jump": "go"
    default: nil
    }
  }

  /// The command as help shows it: `:set PATH VALUE`.
  var call: String { usage.isEmpty ? ":\(name)" : ":\(name) \(usage)" }
}

/// A parsed line of the console: an action, or a command that begins with a colon.
enum ConsoleInput {
  case action(Action)
  case command(String, argument: String)

  /// Nil for a blank line.
  init?(_ line: String) throws(ConsoleFailure) {
    let line = line.trimmed
    if line.isEmpty { return nil }
    if line.hasPrefix(":") {
      let (name, argument) = line.dropFirst().splitAtBlank
      self = .command(name, argument: argument)
    } else {
      if let seconds = ActionLine.wait(line) {
        throw ConsoleFailure("here a command lets time pass: :wait \(seconds)")
      }
      self = .action(try ConsoleFailure.catching { try ActionLine.action(line) })
    }
  }
}

/// The reason why a line could not be executed.
struct ConsoleFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  /// Runs `body`, and throws its error as a failure with the same message.
  static func catching<Result>(_ body: () throws -> Result) throws(ConsoleFailure) -> Result {
    do {
      return try body()
    } catch {
      throw ConsoleFailure(ScriptPaths.inMessage("\(error)"))
    }
  }
}

/// Paths as users write them. Indices count from 1, as in Lua: `todos[1].title` is in the first
/// element. Printed differences also count from 1.
enum StatePath {
  static func path(_ text: String) throws(ConsoleFailure) -> ValuePath {
    try ConsoleFailure.catching { try ValuePath(lua: text) }
  }

  /// Splits `todos[1].title "Milk"` into the path and the text after it.
  static func split(_ text: String) -> (path: String, rest: String) {
    let end = SegmentText.end(of: text, where: \.properties.isWhitespace)
    return (String(text[..<end]), text[end...].trimmed)
  }
}
