import ArgumentParser
import EmbeddedCommit
import LuaBridge
import RunnerConsole
import RunnerShared
import RunnerTesting

/// The command `runner`. Programs call ``main(_:)`` with the parts that they are built with.
package struct Runner: ParsableCommand {
  /// The next version, before it is released, and the commit if the build was told.
  private static var version: String {
    let commit = String(cString: embedded_commit())
    return "runner 0.1.0-dev (\(commit.isEmpty ? "" : "\(commit), ")Lua 5.4)"
  }

  // Each command names itself: deriving the names from the types takes a sixth of the start-up
  // time.
  package static let configuration = CommandConfiguration(
    commandName: "runner",
    abstract: "Runs features written in Lua, and their tests.", version: version,
    subcommands: [
      Dev.self, Serve.self, Run.self, Show.self, Replay.self, Test.self, Tree.self, Check.self,
      SwiftCommand.self, Stores.self, New.self, Docs.self, Explain.self,
    ])

  /// The beginning of ArgumentParser's messages about errors, in place of its `Error: `. The commands
  /// begin theirs in the same way.
  package static let _errorPrefix = "error: "

  package init() {}

  /// Runs the command of the process's arguments. Reports a misspelt subcommand with the nearest one: ArgumentParser suggests
  /// names of options only, and would report an unexpected argument.
  package static func main(_ parts: RunnerParts) {
    RunnerParts.ofProgram = parts
    StandardStreams.prepare()
    let arguments = Array(CommandLine.arguments.dropFirst())
    let names = configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
    if let first = arguments.first, !first.hasPrefix("-"), !names.contains(first),
      let question = Suggestion.question(for: first, in: names)
    {
      let message: TerminalText = "there is no command '\(first)'; \(question)"
      exit(withError: fail(.usage, message))
    }
    do {
      var command = try parseAsRoot(arguments)
      try command.run()
    } catch {
      end(with: error, arguments)
    }
  }

  /// Ends the process as ArgumentParser does. But help that cannot be written is an error, an option
  /// of busted is told what to use in its place, and control characters of arguments are escaped.
  private static func end(with error: any Error, _ arguments: [String]) -> Never {
    let status = exitCode(for: error)
    let text = TerminalText(fullMessage(for: error, columns: nil))
    guard !text.isEmpty else { exit(withError: status) }
    if status == .success {
      do throws(ExitCode) {
        try StandardStreams.output(text + "\n")
      } catch {
        exit(withError: error)
      }
    } else if status == .usage, arguments.first == Test.configuration.commandName,
      let advice = BustedOptions.advice(on: arguments.dropFirst())
    {
      StandardStreams.error("error: \(advice)")
    } else if status == .usage, let name = arguments.first, ["serve", "show"].contains(name),
      arguments.contains(where: { $0.hasPrefix("--journal") })
    {
      StandardStreams.error(
        "error: runner \(name) has no --journal: runner run and runner dev keep a store in a journal, and a program in Swift serves it; runner docs swift-api tells how"
      )
    } else if let refusal = refusal(ofNegative: text.text, arguments) {
      StandardStreams.error(refusal)
    } else {
      StandardStreams.error(text)
    }
    exit(withError: status)
  }

  /// What to say of a number below 0 behind an option: ArgumentParser takes it for another option, and says that the value is missing.
  private static func refusal(ofNegative message: String, _ arguments: [String]) -> TerminalText? {
    guard message.hasPrefix("error: Missing value for '") else { return nil }
    let given = zip(arguments, arguments.dropFirst()).first { option, value in
      message.contains("'\(option) ") && value.hasPrefix("-") && Double(value) != nil
    }
    return given.map { "error: \($0) takes no number below 0, and \($1) is one" }
  }
}
