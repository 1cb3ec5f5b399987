import ArgumentParser

@main
struct Runner: ParsableCommand {
  // Commands say their names: to derive them from their types takes a sixth of the start.
  static let configuration = CommandConfiguration(
    commandName: "runner",
    abstract: "Runs features written in Lua, and their tests.",
    subcommands: [Dev.self, Run.self, Replay.self, Test.self, Tree.self, Check.self, New.self])
}
