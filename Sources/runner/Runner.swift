import ArgumentParser

@main
struct Runner: ParsableCommand {
  // Each command names itself: deriving the names from the types takes a sixth of the start-up
  // time.
  static let configuration = CommandConfiguration(
    commandName: "runner",
    abstract: "Runs features written in Lua, and their tests.",
    subcommands: [Dev.self, Run.self, Replay.self, Test.self, Tree.self, Check.self, New.self])
}
