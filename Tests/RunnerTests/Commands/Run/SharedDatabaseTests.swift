#if Database
import Foundation
import LuaBridge
import Platform
import Testing

/// `runner run --shared`: values in a database, and processes that are killed.
struct SharedDatabaseTests {
  private static func scripts() throws -> TemporaryFolder {
    try .storing(
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
      """)
  }

  /// How often the runner is killed; `SOAK_KILLS` in the environment sets another number.
  private static let kills =
    ProcessInfo.processInfo.environment["SOAK_KILLS"].flatMap { Int($0) } ?? 30

  /// Each action that was printed is there after the process was killed in the middle of further ones: in both
  /// tables and in the file. The tables agree with each other.
  @Test func whatWasAcknowledgedOutlivesAKill() throws {
    let folder = try Self.scripts()
    var random = SystemRandomNumberGenerator()
    var acknowledged: [String] = []
    for round in 0..<Self.kills {
      let runner = try Conversation(folder.runArguments)
      let ids = (0..<40).map { "\(round)-\($0)" }
      runner.say(ids.map { "add { \"id\": \"\($0)\" }" }.joined(separator: "\n"))
      let heard = Int.random(in: 1..<40, using: &random)
      for _ in 0..<heard { _ = runner.hear() }
      runner.signal(SIGKILL)
      let rest = runner.end().output.split(separator: "\n", omittingEmptySubsequences: false)
      // The last line may be torn.
      acknowledged += ids[..<(heard + rest.count - 1)]
    }
    let state = try folder.state(after: "show\n")
    let rows = try #require(state["rows"].array).compactMap { $0["id"].string }
    #expect(Set(acknowledged).subtracting(rows).isEmpty)
    #expect(Set(rows).count == rows.count)
    #expect(state["total"][0]["value"].int == rows.count)
    #expect(try #require(state["file"].int) >= acknowledged.count)
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
    let rows = try #require(try folder.state(after: "show\n")["rows"].array)
    let ids = Set(rows.compactMap { $0["id"].string })
    #expect(rows.count == 400)
    #expect(ids == Set(["a", "b"].flatMap { name in (1...200).map { "\(name)\($0)" } }))
  }
}
#endif
