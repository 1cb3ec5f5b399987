import ArgumentParser

@main
struct Runner: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "runner",
    abstract: "Runs features written in Lua, and their tests.",
    subcommands: [Dev.self, Run.self, Replay.self, Test.self, Tree.self, Check.self, New.self])
}
