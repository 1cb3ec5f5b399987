import ArgumentParser

@main
struct Runner: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "runner",
    abstract: "Runs features written in Lua.",
    subcommands: [Run.self, Tree.self])
}
