import Foundation
import Testing

/// `runner run --record` and `runner replay`: what happened once is looked at again.
struct ReplayTests {
  private static let scripts = RunnerProcess.repository.appendingPathComponent("scripts").path

  /// Records a session of an example, on the virtual clock.
  private func record(
    _ feature: String, _ session: String, to recording: String, _ arguments: [String] = []
  ) throws -> RunnerProcess.Outcome {
    try RunnerProcess.run(
      [
        "run", feature, "--actions", "scripts/examples/\(session).jsonl", "--clock", "virtual",
        "--record", recording,
      ] + arguments)
  }

  private func stubs(_ names: [String: String]) -> [String] {
    names.flatMap { ["--dependency", "\($0)=@\(Self.scripts)/examples/stubs/\($1).lua"] }
  }

  @Test(arguments: [
    ("todos", "todos", [:]), ("timers", "timers", [:]), ("counter", "counter", [:]),
    (
      "search", "search",
      ["weatherClient.search": "places", "weatherClient.forecast": "forecast"]
    ),
    ("refreshable", "refreshable", ["numberFact.fetch": "number_fact"]),
    ("cancellation", "cancellation", ["numberFact.fetch": "number_fact"]),
    ("tic_tac_toe", "tic_tac_toe", [:]),
  ])
  func aRecordedSessionIsReplayedAndBecomesATest(
    feature: String, session: String, stubs: [String: String]
  ) throws {
    let folder = try TemporaryFolder()
    let file = folder.url("session.jsonl").path
    let options = self.stubs(stubs)
    let run = try record(feature, session, to: file, options)
    #expect(run.status == 0, "\(run.errors)")
    let replay = try RunnerProcess.run(
      ["replay", file, "--format", "text", "--export-test"] + options)
    #expect(replay.status == 0, "\(replay.errors) \(replay.output)")
    #expect(replay.output.hasPrefix("as recorded: ") && replay.output.hasSuffix(" of \(feature)\n"))
    let test = folder.url("session_test.lua").path
    #expect(replay.errors == "wrote \(test)\n")
    let source = try folder.text("session_test.lua")
    let result = try RunnerProcess.run(["test", test, "--root", "scripts"])
    #expect(result.status == 0, "\(result.output) \(source)")
  }

  @Test func aRecordingOverwritesNothingButARecording() throws {
    let folder = try TemporaryFolder([
      "counter.lua": counterScript, "actions.txt": "increment\n", "notes.txt": "mine\n",
      "empty.txt": "", "empty.lua": "",
    ])
    func record(_ file: String) throws -> RunnerProcess.Outcome {
      try RunnerProcess.run(
        ["run", "counter", "--root", ".", "--actions", "actions.txt", "--record", file],
        in: folder.folder)
    }
    for file in ["counter.lua", "actions.txt", "notes.txt", "empty.lua"] {
      let before = try folder.text(file)
      let refused = try record(file)
      #expect(refused.status == 74 && refused.output == "", "\(refused.output)")
      #expect(refused.errors.hasPrefix("error: --record: \(file) "), "\(refused.errors)")
      #expect(try folder.text(file) == before)
      let console = try RunnerProcess.run(
        ["dev", "counter", "--root", "."], input: ":record \(file)\n", in: folder.folder)
      #expect(console.output.hasPrefix("error: \(file) is there, and no recording"))
      #expect(try folder.text(file) == before)
    }
    for _ in 1...2 { #expect(try record("empty.txt").status == 0) }
    // A recording that is the input is kept, too.
    let before = try folder.text("empty.txt")
    let same = try RunnerProcess.run(
      ["run", "counter", "--root", ".", "--actions", "empty.txt", "--record", "./empty.txt"],
      in: folder.folder)
    #expect(same.status == 74 && same.errors.contains("has the actions; name another file"))
    #expect(try folder.text("empty.txt") == before)
  }

  @Test func theFirstActionThatDiffersIsTold() throws {
    let folder = try TemporaryFolder.counter()
    let file = folder.url("session.jsonl").path
    let run = try RunnerProcess.run(
      ["run", "counter", "--root", folder.path, "--record", file],
      input: "\"increment\"\n{\"type\":\"label\",\"text\":\"a\"}\n\"twice\"\n")
    #expect(run.status == 0, "\(run.errors)")
    try folder.write(
      counterScript.replacingOccurrences(of: "action.text", with: "action.text .. '!'"),
      to: "counter.lua")
    let text = try RunnerProcess.run(
      ["replay", file, "--against", folder.path, "--format", "text"])
    #expect(text.status == 1)
    #expect(
      text.output == """
        not the same as when it was recorded: counter.lua
        not as recorded (- recorded, + now)
        entry 2, label { text = "a" }

          {
        -   label = "a",
        +   label = "a!",
            -- 1 unchanged
          }

        """)
    let json = try RunnerProcess.run(["replay", file, "--against", folder.path])
    #expect(json.status == 1)
    #expect(
      json.output == """
        {"feature":"counter","actions":5,"reduced":2,"changed":["counter.lua"],"difference":{"n":2,\
        "source":"input","action":{"type":"label","text":"a"},"patch":[{"op":"replace","path":"/label",\
        "value":"a!"}]}}

        """)
  }

  @Test func aFileIsRecordedAsTheModuleThatItIs() throws {
    let folder = try TemporaryFolder.counter()
    let file = folder.url("session.jsonl").path
    let run = try RunnerProcess.run(
      ["run", folder.url("counter.lua").path, "--record", file], input: "\"increment\"\n")
    #expect(run.status == 0)
    #expect(try folder.text("session.jsonl").hasPrefix(#"{"recording":1,"feature":"counter","#))
    #expect(try RunnerProcess.run(["replay", file, "--against", folder.path]).status == 0)
  }

  @Test func eachLineIsThereWhenItsActionIsPrinted() throws {
    let folder = try TemporaryFolder.counter()
    // What is printed of an action comes before its line; that of the one before is in the file by then.
    let outcome = try RunnerProcess.shell(
      """
      mkfifo in out
      "$RUNNER" run counter --root . --record s.jsonl < in > out &
      exec 3> in 4< out
      echo '"increment"' >&3
      read line <&4
      echo '"increment"' >&3
      read line <&4
      kill -9 $!
      head -n 2 s.jsonl | wc -l | tr -d ' '
      """, in: folder.folder)
    #expect(outcome.output == "2\n")
  }

  @Test func whatIsNoRecordingIsRefused() throws {
    let folder = try TemporaryFolder.counter()
    try folder.write("{\"n\":1}\n", to: "bad.jsonl")
    let bad = try RunnerProcess.run(["replay", folder.url("bad.jsonl").path])
    #expect(bad.status == 65 && bad.errors.contains("bad.jsonl: line 1: this is no recording"))
    let none = try RunnerProcess.run(["replay", folder.url("none.jsonl").path])
    #expect(none.status == 66)
    try folder.write(
      #"{"recording":1,"feature":"nobody","state":{"n":1}}"# + "\n", to: "other.jsonl")
    let other = try RunnerProcess.run(
      ["replay", folder.url("other.jsonl").path, "--against", folder.path])
    #expect(other.status == 66 && other.errors.contains("there is no module 'nobody'"))
    let full = try RunnerProcess.run(
      ["run", "counter", "--root", folder.path, "--record", "/dev/full"],
      input: "\"increment\"\n")
    #expect(full.status == 74 && full.errors.contains("/dev/full: "))
  }

  @Test func numbersThatNoSessionHasAreRefused() throws {
    let folder = try TemporaryFolder.counter()
    try folder.write(
      #"{"recording":1,"feature":"counter","after":9223372036854775807,"state":{"count":0}}"# + "\n"
        + #"{"n":1,"source":"input","action":{"type":"increment"},"patch":[]}"# + "\n",
      to: "s.jsonl")
    let outcome = try RunnerProcess.run(
      ["replay", folder.url("s.jsonl").path, "--against", folder.path, "--export-test"])
    #expect(outcome.status == 65)
    #expect(
      outcome.errors.hasSuffix(
        """
        s.jsonl: line 1: "after" must be a whole number from 0 to 9007199254740992, \
        not 9223372036854775807; record the session again

        """), "\(outcome.errors)")
  }

  @Test func aTestThatIsThereIsNotOverwritten() throws {
    let folder = try TemporaryFolder.counter()
    let file = folder.url("s.jsonl").path
    _ = try RunnerProcess.run(
      ["run", "counter", "--root", folder.path, "--record", file],
      input: "\"increment\"\n\"break_\"\n\"oops\"\n")
    let arguments = ["replay", file, "--against", folder.path, "--export-test"]
    #expect(try RunnerProcess.run(arguments).status == 0)
    #expect(
      try folder.text("s_test.lua") == """
        local test = require "scripted.test"
        local Counter = require "counter"

        describe("Counter", function()
          it("does what was recorded", function()
            local store = test.store(Counter)

            store:send("increment", function(state) state.count = 1 end)
            assert.error_matches(function()
              store:send("break_")
            end, "out of order")
            test.expectWarning("Counter has no handler for the action \\"oops\\"", function()
              store:send("oops")
            end)
          end)
        end)

        """)
    let again = try RunnerProcess.run(arguments)
    #expect(again.status == 73)
    let test = folder.url("s_test.lua").path
    #expect(
      again.errors == "error: \(test) is there, so it is not overwritten; remove or rename it\n")
    let result = try RunnerProcess.run(["test", "--root", folder.path])
    #expect(result.status == 0, "\(result.output)")
  }

  // MARK: Long ones

  private static let header = #"{"recording":1,"feature":"counter","state":{"count":0,"label":""}}"#

  /// Lines of a counter that counted from `first` to `last`.
  private func increments(_ first: Int, _ last: Int) -> [String] {
    (first...last).map {
      #"{"n":\#($0),"source":"input","action":{"type":"increment"},"time":0.0,"#
        + #""patch":[{"op":"replace","path":"/count","value":\#($0)}]}"#
    }
  }

  private func replay(_ lines: [String], in folder: TemporaryFolder) throws -> RunnerProcess.Outcome
  {
    try folder.write(([Self.header] + lines).joined(separator: "\n") + "\n", to: "s.jsonl")
    return try RunnerProcess.run(
      ["replay", folder.url("s.jsonl").path, "--against", folder.path, "--format", "json"])
  }

  @Test func aLongRecordingTakesNoMoreMemoryThanAShortOne() throws {
    let folder = try TemporaryFolder.counter()
    let text = String(repeating: "x", count: 10_000)
    let lines = (1...2_000).map {
      #"{"n":\#($0),"source":"input","action":{"type":"label","text":"\#($0)\#(text)"},"time":0.0,"#
        + #""patch":[{"op":"replace","path":"/label","value":"\#($0)\#(text)"}]}"#
    }
    let long = try replay(lines, in: folder)
    let short = try replay(Array(lines.prefix(10)), in: folder)
    #expect(
      long.output == #"{"feature":"counter","actions":2000,"reduced":2000,"changed":[]}"# + "\n")
    // A sanitizer keeps freed memory for a while. The peak of a short process is that of the tests' own before it began.
    if symbol("__asan_init") == nil, symbol("__tsan_init") == nil {
      #expect(long.peakMemory < short.peakMemory + 30_000_000)
    }
  }

  @Test func whatTheStoreWentBackFromIsNotReplayed() throws {
    let folder = try TemporaryFolder.counter()
    let wrong = #"{"reload":1,"scripts":{},"state":{"count":-1,"label":""}}"#
    let lines =
      increments(1, 5) + [wrong, #"{"go":3}"#] + increments(4, 8) + [#"{"go":7}"#]
      + increments(8, 9) + [
        #"{"go":2}"#, #"{"reload":2,"scripts":{},"state":{"count":2,"label":"x"}}"#,
      ]
      + increments(3, 6)
    for arguments in [lines, lines + [#"{"go":4}"#] + increments(5, 6)] {
      let outcome = try replay(arguments, in: folder)
      #expect(outcome.status == 0, "\(outcome.output) \(outcome.errors)")
      #expect(
        outcome.output == #"{"feature":"counter","actions":6,"reduced":6,"changed":[]}"# + "\n")
    }
    let begun = try replay(increments(1, 3) + [#"{"go":0}"#], in: folder)
    #expect(
      begun.output == #"{"feature":"counter","actions":0,"reduced":0,"changed":[]}"# + "\n")
    let bad = try replay(increments(1, 3) + [#"{"go":9}"#], in: folder)
    #expect(bad.status == 65 && bad.errors.contains("s.jsonl: line 5: there is no entry 9"))
  }

  @Test func aRecordingComesThroughAPipeToo() throws {
    let folder = try TemporaryFolder.counter()
    try folder.write(
      ([Self.header] + increments(1, 3)).joined(separator: "\n") + "\n" + #"{"n":4,"#, to: "s.jsonl"
    )
    for (writer, file) in [
      ("cat s.jsonl |", "s.jsonl"), ("cat s.jsonl |", "/dev/stdin"), ("cat s.jsonl |", "-"),
      ("mkfifo pipe; cat s.jsonl > pipe &", "pipe"),
    ] {
      let outcome = try RunnerProcess.shell(
        "\(writer) \"$RUNNER\" replay \(file) --against . --format json 2>&1", in: folder.folder)
      #expect(outcome.output.contains("line 5 is not whole"), "\(outcome.output)")
      #expect(outcome.output.hasSuffix(#""actions":3,"reduced":3,"changed":[]}"# + "\n"))
    }
    for name in ["-", "/dev/stdin"] {
      let outcome = try RunnerProcess.shell(
        "cat s.jsonl | \"$RUNNER\" replay \(name) --against . --export-test", in: folder.folder)
      #expect(outcome.status == 64)
      #expect(outcome.errors.contains("beside the recording, and \(name) is no file"))
    }
  }

  @Test func standardInputIsNoFileToRecordInto() throws {
    let folder = try TemporaryFolder.counter()
    let outcome = try RunnerProcess.run(
      ["run", "counter", "--root", ".", "--record", "-"], input: "increment\n", in: folder.folder)
    #expect(outcome.status == 74 && outcome.output == "")
    #expect(outcome.errors.hasPrefix("error: --record: - is standard input"), "\(outcome.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder.url("-").path))
  }

  @Test func aDefaultIsInTheHelpOnce() throws {
    let help = try RunnerProcess.run(["help", "replay"]).output
    #expect(help.components(separatedBy: "(default: scripts)").count == 2, "\(help)")
  }
}
