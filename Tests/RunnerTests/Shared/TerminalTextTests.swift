import Foundation
import Testing

/// What scripts, recordings and files say cannot command a terminal.
struct TerminalTextTests {
  /// Sets the title, rings, moves the cursor back, begins a line anew, is deleted, is C1, turns text around, ends a line.
  private static let bad = #""\27]0;t\7\8\13\127\u{9B}2J\u{202E}x\u{2028}""#
  private static let badJSON = #"\u001b]0;t\u0007\b\r\u007f\u009b2J\u202Ex\u2028"#
  private static let badText = "\u{1B}]0;t\u{7F}\u{9B}2J\u{202E}"

  private static let script = """
    local scripted = require "scripted"
    local effect = scripted.effect
    local bad = \(bad)
    return scripted.feature {
      name = "Bad" .. bad,
      state = { [bad] = bad, count = 0 },
      dependencies = { "clock", "log" },
      on = {
        go = function(state, _, deps)
          state[bad .. "2"] = bad
          print(bad, "\\155\\255")
          deps.log.error(bad, { [bad] = bad })
        end,
        fail = function() error(bad) end,
        raise = function() error { [bad] = bad } end,
        wait = function()
          return effect.run(function(_, deps) deps.clock.sleep(1e6) end):cancellable(bad)
        end,
        broken = function() return effect.run(function() error(bad) end) end,
        send = function() return effect.send("noted", { text = bad }):transaction({ [bad] = bad }) end,
        noted = function(state, action) state.text = action.text end,
      },
    }:printChanges()
    """

  private static let input = """
    "go"
    "send"
    "fail"
    "raise"
    "broken"
    "wait"
    {"type":"\(badJSON)","\(badJSON)":"\(badJSON)"}
    "noted[\\u001b\\u009b].x"

    """

  private static func scripts() throws -> TemporaryFolder {
    try TemporaryFolder(["bad.lua": script])
  }

  /// Characters that are neither text nor layout, but for the colours of the runner.
  private static func commands(in text: String) -> [String] {
    var text = text[...]
    var found: [String] = []
    while let scalar = text.unicodeScalars.first {
      if let color = text.prefixMatch(of: /\x1B\[[0-9;]*m/) {
        text = text[color.range.upperBound...]
        continue
      }
      text.unicodeScalars.removeFirst()
      switch scalar.value {
      case 0x09, 0x0A: break
      case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069:
        found.append(scalar.escaped(asASCII: true))
      default: break
      }
    }
    return found
  }

  private func check(
    _ outcome: RunnerProcess.Outcome, contains text: String = #"\027]0;t"#,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(Self.commands(in: outcome.output) == [], sourceLocation: sourceLocation)
    #expect(Self.commands(in: outcome.errors) == [], sourceLocation: sourceLocation)
    #expect(
      (outcome.output + outcome.errors).contains(text), "\(outcome)", sourceLocation: sourceLocation
    )
  }

  @Test(arguments: ["text", "json"], ["", "1"])
  func runnerRun(format: String, color: String) throws {
    let scripts = try Self.scripts()
    let outcome = try RunnerProcess.run(
      [
        "run", "bad", "--root", scripts.path, "--format", format, "--clock", "virtual",
        "--list-effects", "--print-state",
      ], input: Self.input, environment: ["FORCE_COLOR": color])
    #expect(outcome.status == 1)
    check(outcome)
    #expect(outcome.errors.contains(#"\027]0;t\007\008\013\127\u{9b}2J\u{202e}x\u{2028}"#))
    // Bytes that are no UTF-8.
    #expect(outcome.errors.contains(#"\155\255"#))
    if format == "json" {
      #expect(outcome.output.contains(#"\u007F\u009B2J\u202Ex\u2028"#))
      for line in outcome.lines {
        #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
      }
    } else if color == "1" {
      #expect(outcome.output.contains("\u{1B}[1mgo\u{1B}[0m"))
    }
  }

  @Test func anInputThatIsMalformedAndAScriptThatDoesNotLoad() throws {
    let scripts = try Self.scripts()
    try scripts.write("error(\(Self.bad))", to: "broken.lua")
    let outcome = try RunnerProcess.run(
      ["run", "bad", "--root", scripts.path], input: "\"\(Self.badText)\"\n")
    #expect(Self.commands(in: outcome.errors) == [])
    check(try RunnerProcess.run(["run", "broken", "--root", scripts.path]))
    check(try RunnerProcess.run(["run", "no\(Self.badText)", "--root", scripts.path]))
    check(try RunnerProcess.run(["tree", "broken", "--root", scripts.path]))
  }

  @Test(arguments: ["", "1"])
  func runnerDev(color: String) throws {
    let scripts = try Self.scripts()
    let outcome = try RunnerProcess.run(
      ["dev", "bad", "--root", scripts.path, "--clock", "virtual"],
      input: """
        go
        send
        fail
        raise
        broken
        wait
        :effects
        :state
        :log
        :diff 1
        :tree
        :warnings
        :go 1
        :replay
        :nothing\(Self.badText)
        :state \(Self.badText)
        :cancel \(Self.badText)
        noted { text = "\(Self.badText)" }
        {"type":"\(Self.badJSON)"}

        """, environment: ["FORCE_COLOR": color])
    check(outcome)
  }

  @Test(arguments: ["text", "json", "dot"])
  func runnerTree(format: String) throws {
    let scripts = try Self.scripts()
    check(
      try RunnerProcess.run(["tree", "bad", "--root", scripts.path, "--format", format]),
      contains: format == "json" ? #"\u009B2J\u202E"# : #"\u{9b}2J\u{202e}"#)
  }

  @Test(arguments: ["text", "json"], ["", "1"])
  func runnerReplay(format: String, color: String) throws {
    let scripts = try Self.scripts()
    let file = scripts.url("s.jsonl").path
    _ = try RunnerProcess.run(
      ["run", "bad", "--root", scripts.path, "--clock", "virtual", "--record", file],
      input: Self.input)
    // The first entry has another state, and the file a name that is not one.
    try scripts.write(
      try scripts.text("s.jsonl").replacingOccurrences(of: "2J", with: "3J")
        .replacingOccurrences(
          of: #""dependencies":[]"#, with: #""dependencies":["\#(Self.badJSON)"]"#),
      to: "s.jsonl")
    let outcome = try RunnerProcess.run(
      ["replay", file, "--against", scripts.path, "--format", format],
      environment: ["FORCE_COLOR": color])
    #expect(outcome.status == 1, "\(outcome)")
    check(outcome)
    try scripts.write("{\"\(Self.badJSON)\":1}\n", to: "none.jsonl")
    check(
      try RunnerProcess.run(["replay", scripts.url("none\(Self.badText).jsonl").path]))
  }

  @Test(arguments: ["pretty", "dot", "tap", "junit", "json", "github", "list"], ["", "1"])
  func runnerTest(reporter: String, color: String) throws {
    let project = try TestProject([
      "a_test.lua": """
      local bad = \(Self.bad)
      describe("block" .. bad, function()
        it("passes" .. bad, function() print(bad) end)
        it("fails" .. bad, function() print(bad) error(bad) end)
        it("differs" .. bad, function() assert.are.same({ [bad] = bad }, { [bad] = bad .. "!" }) end)
        it("raises" .. bad, function() error { [bad] = bad } end)
        pending("waits" .. bad)
      end)
      describe("setup" .. bad, function()
        setup(function() error(bad) end)
        it("does not run", function() end)
      end)
      """,
      "b\(Self.badText)_test.lua": "print(\(Self.bad)) error(\(Self.bad))",
      "c_test.lua": "it('is shown', function() --[[\(Self.badText)]] error('here') end)",
    ])
    let outcome = try project.run(
      reporter == "list"
        ? ["--list"] : ["--reporter", reporter, "--verbose", "--slowest", "9", "--coverage"],
      environment: ["FORCE_COLOR": color])
    #expect(outcome.status == 1, "\(outcome)")
    check(outcome)
    if reporter == "json" { #expect(outcome.output.contains(#"\u007F\u009B2J\u202Ex\u2028"#)) }
    if reporter == "junit" { #expect(outcome.output.contains("&#127;&#155;2J&#8238;x&#8232;")) }
  }

  @Test(arguments: ["text", "json", "github"], ["", "1"])
  func runnerCheck(format: String, color: String) throws {
    let scripts = try Self.scripts()
    try scripts.write("error(\(Self.bad))", to: "broken\(Self.badText).lua")
    try scripts.write("print(\(Self.bad)) return _G[\(Self.bad)], unknown", to: "other.lua")
    try scripts.write("return \(Self.badText)", to: "syntax.lua")
    let outcome = try RunnerProcess.run(
      ["check", "--root", scripts.path, "--format", format], environment: ["FORCE_COLOR": color])
    #expect(outcome.status == 1)
    check(outcome, contains: format == "json" ? #"\u007F\u009B2J\u202E"# : #"\127\u{9b}2J\u{202e}"#)
  }
}
