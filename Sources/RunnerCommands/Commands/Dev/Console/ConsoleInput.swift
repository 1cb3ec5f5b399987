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
    default:
      if let seconds = ActionLine.wait(line) {
        throw ConsoleFailure("here a command lets time pass: :wait \(seconds)")
      }
      self = .action(try ConsoleFailure.catching { try ActionLine.action(line) })
    }
  }
}
