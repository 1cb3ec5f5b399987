import Foundation
import LuaBridge
import Platform
import Testing

/// `runner run --shared`: values that scripts store in files, and processes that are killed.
struct SharedStorageTests {
  private static func scripts() throws -> TemporaryFolder {
    try .storing(
      """
      local scripted = require "scripted"
      local shared = scripted.shared
      return scripted.feature {
        state = {},
        shared = { n = shared.fileStorage("n.json", { count = 0 }), seen = shared.appStorage("seen", 0) },
        on = {
          inc = function(state) state.n.count = state.n.count + 1 state.seen = state.n.count end,
          set = function(state, action) state.n[action.key] = true end,
          show = function(state) return nil end,
        },
      }
      """)
  }

  @Test func theNextRunGoesOnWithTheValues() throws {
    let folder = try Self.scripts()
    #expect(try folder.state(after: "inc\ninc\n") == ["n": ["count": 2], "seen": 2])
    #expect(try folder.text("stored/n.json") == "{\n  \"count\": 2\n}\n")
    #expect(try folder.text("stored/app-storage.json") == "{\n  \"seen\": 2\n}\n")
    #expect(try folder.state(after: "inc\n") == ["n": ["count": 3], "seen": 3])
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.url("stored").path)
    #expect(left.sorted() == [".lock", "app-storage.json", "n.json"])
  }

  @Test func twoProcessesThatEditDifferentKeysLoseNothing() throws {
    let folder = try Self.scripts()
    for name in ["a", "b"] {
      let lines = (1...1000).map { "set { \"key\": \"\(name)\($0)\" }\n" }
      try folder.write(lines.joined(), to: "\(name).txt")
    }
    let command = "\"$RUNNER\" run app.lua --root . --shared stored"
    let outcome = try RunnerProcess.shell(
      "\(command) < a.txt > a.out & \(command) < b.txt > b.out; wait", in: folder.folder)
    #expect(outcome.errors.isEmpty, "\(outcome.errors)")
    let stored = try #require(try Value(json: try folder.text("stored/n.json")).object)
    let missing = ["a", "b"].flatMap { name in (1...1000).map { "\(name)\($0)" } }
      .filter { stored[$0] == nil }
    #expect(missing.isEmpty)
  }

  /// Each action that was printed is there after the process was killed at any moment.
  @Test func whatWasAcknowledgedOutlivesAKill() throws {
    let folder = try Self.scripts()
    var random = SystemRandomNumberGenerator()
    var count = 0
    for _ in 0..<12 {
      let runner = try Conversation(folder.runArguments)
      for _ in 0..<Int.random(in: 1...40, using: &random) {
        runner.say("inc")
        let line = try Value(json: runner.hear())
        count += 1
        #expect(line["patch"][0]["value"].int == count, "\(line)")
      }
      runner.signal(SIGKILL)
      _ = runner.end()
      for name in ["n.json", "app-storage.json"] {
        if let text = try? folder.text("stored/\(name)") {
          #expect(throws: Never.self) { try Value(json: text) }
        }
      }
    }
    #expect(
      try folder.state(after: "show\n") == [
        "n": ["count": .integer(Int64(count))], "seen": .integer(Int64(count)),
      ])
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.url("stored").path)
    #expect(left.sorted() == [".lock", "app-storage.json", "n.json"])
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func whatIsWrittenAtTheEndIsWrittenAfterASignalToo(signal: Int32) throws {
    let folder = try TemporaryFolder.storing(
      """
      local scripted = require "scripted"
      local options = { durability = "exit", interval = 86400 }
      return scripted.feature {
        state = {}, shared = { n = scripted.shared.fileStorage("late.json", 0, options) },
        on = { inc = function(state) state.n = state.n + 1 end },
      }
      """)
    let runner = try Conversation(folder.runArguments)
    for _ in 1...9 {
      runner.say("inc")
      _ = runner.hear()
    }
    runner.signal(signal)
    _ = runner.end()
    #expect(try folder.text("stored/late.json") == "9\n")
  }

  @Test func aRecordingIsReplayedWithoutTheFolder() throws {
    let folder = try Self.scripts()
    _ = try folder.state(after: "inc\n")
    let file = folder.url("session.jsonl").path
    let run = try RunnerProcess.run(
      folder.runArguments + ["--record", file], input: "inc\ninc\n")
    #expect(run.status == 0, "\(run.errors)")
    let replay = try RunnerProcess.run([
      "replay", file, "--format", "text", "--against", folder.path,
    ])
    #expect(replay.status == 0, "\(replay.errors) \(replay.output)")
    #expect(replay.output.hasPrefix("as recorded: 2 actions"), "\(replay.output)")
    #expect(try folder.state(after: "show\n")["seen"] == 3)
  }

  @Test func aFolderThatIsNotThereIsToldWithItsName() throws {
    let folder = try Self.scripts()
    let outcome = try RunnerProcess.run(
      ["run", folder.url("app.lua").path, "--shared", "/nowhere/at/all"], input: "inc\n")
    #expect(outcome.status == 66)
    #expect(
      outcome.errors == """
        error: --shared: the folder of shared values, /nowhere/at/all, is not there and cannot be made: No such file or \
        directory

        """)
  }
}

extension TemporaryFolder {
  /// Has a script, and a folder for the values that it stores.
  static func storing(_ script: String) throws -> TemporaryFolder {
    let folder = try TemporaryFolder(["app.lua": script])
    try folder.makeFolder("stored")
    return folder
  }

  var runArguments: [String] {
    ["run", url("app.lua").path, "--root", path, "--shared", url("stored").path]
  }

  /// The state after the last of these lines.
  func state(after input: String) throws -> Value {
    let outcome = try RunnerProcess.run(runArguments + ["--print-state"], input: input)
    #expect(outcome.status == 0, "\(outcome.errors)")
    return try Value(json: outcome.lines.last ?? "")["state"]
  }
}
