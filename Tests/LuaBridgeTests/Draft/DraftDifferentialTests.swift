import Foundation
import LuaBridge
import Testing

/// Random programs (`Fuzz/Scripts/programs.lua`) do the same to a draft and to a plain table.
@Suite struct DraftDifferentialTests {
  private static let root = URL(filePath: #filePath).appending(path: "../../../..")
    .standardizedFileURL

  private func load(_ path: String, in script: DraftScript) throws -> LuaFunction {
    let text = try String(
      contentsOf: Self.root.appending(path: path), encoding: .utf8)
    return try script.lua.load(
      text, name: String(path.split(separator: "/").last ?? ""),
      environment: script.script.environment)
  }

  /// Of 25 programs each; more with `DRAFT_ROUNDS` in the environment.
  private static let rounds =
    ProcessInfo.processInfo.environment["DRAFT_ROUNDS"].flatMap { Int($0) } ?? 4

  @Test(arguments: 1...8)
  func randomProgramsDoToADraftWhatTheyDoToATable(seed: Int) throws {
    let script = try DraftScript()
    let list = try load("Sources/ScriptedStore/Scripting/Prelude/list.lua", in: script)
      .call([.table(script.lua.makeNatives())]).first
    let programs = try load("Fuzz/Scripts/programs.lua", in: script).call().first
    try script.script.environment.set("log", to: list ?? .nil)
    try script.script.environment.set("kept", to: programs ?? .nil)
    var state: Value = [:]
    for round in 0..<Self.rounds {
      let first = (seed * 1000 + round) * 25
      state = try script.reduce(
        state,
        """
        for seed = \(first), \(first + 24) do
          local start = kept.build(seed)
          state.root = start
          local difference, root = kept.difference(log, state, start, seed, 25)
          if difference then error("seed " .. seed .. ": " .. difference, 0) end
          seen = root
        end
        """)
      // What was committed, too.
      state = try script.reduce(state, "assert(kept.same(state.root, seen)) state.root = nil")
    }
  }
}
