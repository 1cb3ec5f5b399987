#if Database
import Foundation
import LuaBridge
import Platform
import Testing

/// `runner run --shared`: values in a database, and processes that are killed.
struct SharedDatabaseTests {
  private static func scripts() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      local scripted = require "scripted"
      local shared = scripted.shared
      return scripted.feature {
        state = {},
        shared = {
          rows = shared.database("rows", {}), total = shared.database("total", { { id = "n", value = 0 } }),
          file = shared.fileStorage("n.json", 0),
        },
        on = {
          add = function(state, action)
            table.insert(state.rows, { id = action.id })
            state.total[1].value = state.total[1].value + 1
            state.file = state.file + 1
          end,
          show = function(state) return nil end,
        },
      }
      """, to: "app.lua")
    try folder.makeFolder("stored")
    return folder
  }

  private static func arguments(_ folder: TemporaryFolder) -> [String] {
    [
      "run", folder.url("app.lua").path, "--root", folder.url("").path, "--shared",
      folder.url("stored").path,
    ]
  }

  /// The state after the last of these lines.
  private static func state(_ folder: TemporaryFolder, _ input: String) throws -> Value {
    let outcome = try RunnerProcess.run(arguments(folder) + ["--print-state"], input: input)
    #expect(outcome.status == 0, "\(outcome.errors)")
    return try Value(json: outcome.lines.last ?? "")["state"]
  }

  /// Each action that was printed is there after the process was killed at any moment, in all tables and in the
  /// file.
  @Test func whatWasAcknowledgedOutlivesAKill() throws {
    let folder = try Self.scripts()
    var random = SystemRandomNumberGenerator()
    var count = 0
    for _ in 0..<12 {
      let runner = try Conversation(Self.arguments(folder))
      for _ in 0..<Int.random(in: 1...20, using: &random) {
        runner.say("add { \"id\": \(count + 1) }")
        #expect(runner.hear().contains("\"id\":\(count + 1)"))
        count += 1
      }
      runner.signal(SIGKILL)
      _ = runner.end()
    }
    let state = try Self.state(folder, "show\n")
    #expect(state["rows"].array?.map { $0["id"].int } == (1...count).map { $0 })
    #expect(state["total"][0]["value"].int == count)
    #expect(state["file"].int == count)
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.url("stored").path)
    #expect(left.filter { !$0.hasPrefix("app.db-") }.sorted() == [".lock", "app.db", "n.json"])
  }

  @Test func twoProcessesThatAddRowsLoseNone() throws {
    let folder = try Self.scripts()
    for name in ["a", "b"] {
      let lines = (1...200).map { "add { \"id\": \"\(name)\($0)\" }\n" }
      try folder.write(lines.joined(), to: "\(name).txt")
    }
    let command = "\"$RUNNER\" run app.lua --root . --shared stored"
    let outcome = try RunnerProcess.shell(
      "\(command) < a.txt > a.out & \(command) < b.txt > b.out; wait", in: folder.folder)
    #expect(outcome.errors.isEmpty, "\(outcome.errors)")
    let rows = try #require(try Self.state(folder, "show\n")["rows"].array)
    let ids = Set(rows.compactMap { $0["id"].string })
    #expect(rows.count == 400)
    #expect(ids == Set(["a", "b"].flatMap { name in (1...200).map { "\(name)\($0)" } }))
  }
}
#endif
