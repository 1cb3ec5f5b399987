import Foundation
import Testing

/// runner show.
struct ShowTests {
  let scripts: TemporaryFolder

  init() throws { scripts = try .screens() }

  func run(_ arguments: String..., input: String = "") throws -> RunnerProcess.Outcome {
    try RunnerProcess.run(
      ["show"] + arguments + ["--root", scripts.path], input: input, in: scripts.folder)
  }

  // MARK: Formats

  @Test func theScreenOfTheInitialStateIsPrintedAsText() throws {
    let outcome = try run("shopping")
    #expect(
      outcome.output == """
        Shopping
        ════════

        regular text

        open [ Milk ]

        """)
    #expect(outcome.errors == "")
    #expect(outcome.status == 0)
  }

  @Test func htmlHasANodeALine() throws {
    let outcome = try run("shopping", "--format", "html")
    #expect(outcome.lines.first == #"<section class="screen">"#)
    #expect(outcome.output.contains(">Milk</button>\n"))
    #expect(outcome.output.hasSuffix("</section>\n"))
    #expect(outcome.status == 0)
  }

  @Test func jsonIsTheTreeOfNodesOnALine() throws {
    let outcome = try run("page", "--format", "json", "--clock", "virtual")
    #expect(
      outcome.output == """
        {"kind":"column","onAppear":"appeared","task":"load",\
        "children":[{"kind":"text","text":"loading, seen 1"}]}

        """)
  }

  @Test func textOfAStateCannotCommandATerminal() throws {
    let state = #"{"items": [{"id": 1, "title": "a\u001b[2Jb\u009b\u202e", "isBought": true}]}"#
    let text = try run("shopping", "--state", state)
    #expect(text.output.contains(#"a\027[2Jb\u{9b}\u{202e}"#), "\(text.output)")
    let json = try run("shopping", "--state", state, "--format", "json")
    #expect(json.output.contains(#"a\u001b[2Jb\u009B\u202E"#), "\(json.output)")
  }

  @Test(arguments: [(["--format", "text"], "xterm"), ([], "dumb")])
  func aTerminalGetsTheSameTextIfThatIsAskedForOrIfItCanDoNoMore(options: [String], kind: String)
    throws
  {
    let terminal = try Terminal()
    let process = try RunnerProcess.spawn(
      [RunnerProcess.executable.path, "show", "shopping", "--root", scripts.path] + options,
      streams: terminal.streams, environment: ["TERM": kind])
    #expect(terminal.read(until: "[ Milk ]\r\n").contains("regular text\r\n\r\nopen [ Milk ]"))
    #expect(RunnerProcess.wait(for: process).status == 0)
  }

  // MARK: State and environment

  @Test func actionsAreSentFirstFromAFileOrFromStandardInput() throws {
    let lines = """
      items[1].toggle

      {"type": "add", "title": "Bread"}
      """
    let expected = "bought [ Milk ]\nopen [ Bread ]\n"
    try scripts.write(lines, to: "session.jsonl")
    let path = scripts.url("session.jsonl").path
    #expect(try run("shopping", "--actions", path).output.hasSuffix(expected))
    #expect(try run("shopping", "--actions", "-", input: lines).output.hasSuffix(expected))
  }

  @Test func theStateCanBeOverridden() throws {
    let outcome = try run(
      "shopping", "--state", #"{"items": [{"id": 1, "title": "Tea", "isBought": true}]}"#)
    #expect(outcome.output.hasSuffix("bought [ Tea ]\n"))
  }

  @Test(arguments: [
    ("compact", "compact"), ("regular", "regular"), ("59", "compact"), ("60", "regular"),
  ])
  func theWidthIsAWordOrANumberOfColumns(argument: String, word: String) throws {
    #expect(try run("shopping", "--width", argument).output.contains("\n\(word) text\n"))
  }

  @Test func noLineIsLongerThanTheWidth() throws {
    let outcome = try run("shopping", "--width", "12", "--env", "note=\"many more words\"")
    #expect(outcome.lines.contains("compact text"))
    #expect(outcome.lines.allSatisfy { $0.count <= 12 }, "\(outcome.output)")
  }

  @Test func viewsFindInEnvWhatIsGivenAsJSONOrAsText() throws {
    let outcome = try run("shopping", "--env", "platform=kiosk", "--env", "note=12")
    #expect(outcome.output.contains("regular kiosk 12"))
    #expect(try run("shopping", "--env", "note=\"12 %\"").output.contains("text 12 %"))
    #expect(try run("shopping", "--env", "note=").output.contains("regular text"))
  }

  // MARK: Effects

  @Test func whatAppearsSendsItsActionsAndWaitsLetTimePass() throws {
    #expect(try run("page", "--clock", "virtual").output == "loading, seen 1\n")
    let early = try run(
      "page", "--clock", "virtual", "--actions", "-", input: "{\"wait\": 4.9}\n")
    #expect(early.output == "loading, seen 1\n")
    let late = try run("page", "--clock", "virtual", "--actions", "-", input: "{\"wait\": 5}\n")
    #expect(late.output == "loaded, seen 1\n")
    #expect(late.errors == "")
  }

  @Test func effectsInFlightDoNotHoldItUp() throws {
    #expect(try run("page").output == "loading, seen 1\n")
  }

  // MARK: Errors

  @Test func aViewThatRaisesIsToldOfWithItsLineAndTheRestOfTheScreenIsPrinted() throws {
    let outcome = try run(
      "shopping", "--actions", "-", input: "add {\"title\": \"\"}\nadd {\"title\": \"Tea\"}\n")
    #expect(outcome.output.contains("open [ Milk ]"))
    #expect(outcome.output.contains("! an item needs a title"))
    #expect(outcome.output.contains("open [ Tea ]"))
    #expect(
      outcome.errors.hasPrefix(
        "error: shopping.lua:9: an item needs a title\nstack traceback:\n"))
    #expect(outcome.status == 1)
  }

  @Test func anErrorThatManyRowsHaveIsToldOnce() throws {
    let rows = (1...30).map { #"{"id": \#($0), "title": "", "isBought": false}"# }
    let outcome = try run("shopping", "--state", #"{"items": [\#(rows.joined(separator: ","))]}"#)
    #expect(outcome.output.matches(of: /! an item needs a title/).count == 30)
    #expect(outcome.errors.matches(of: /error:\s/).count == 1)
  }

  @Test func aPlacedFeatureWithoutAViewIsNamedWithTheRemedy() throws {
    let outcome = try run("parent")
    #expect(outcome.output.hasPrefix("above\n"))
    #expect(outcome.output.hasSuffix("below\n"))
    #expect(outcome.errors.contains("Child has no view; give the feature `view = function(state)"))
    #expect(outcome.status == 1)
  }

  @Test func aFeatureWithoutAViewIsToldOfAndNothingIsPrinted() throws {
    let outcome = try run("counter")
    #expect(outcome.output == "")
    #expect(
      outcome.errors == """
        error: counter.lua:4: Counter has no view, so there is nothing to show; give the feature one, \
        as `view = function(state) return "Hello" end`

        """)
    #expect(outcome.status == 66)
  }

  @Test func aWarningOfAViewHasItsLine() throws {
    let add = "add {\"title\": \"Tea\"}\n"
    let outcome = try run("shopping", "--actions", "-", input: add + add + add)
    #expect(outcome.output.hasSuffix("[ Save ]\n"))
    #expect(
      outcome.errors == """
        warning[unknownAction]: view at shopping.lua:24: the view of Shopping sends "svae", but no reducer there handles \
        "svae"

        """)
    #expect(outcome.status == 0)
  }

  @Test func anActionThatRaisesIsToldOfAndTheScreenIsThatOfTheStateBefore() throws {
    let outcome = try run("shopping", "--actions", "-", input: "fail\n")
    #expect(outcome.output.hasSuffix("open [ Milk ]\n"))
    #expect(outcome.errors.hasPrefix("error: shopping.lua:22: out of order\n"))
    #expect(outcome.errors.contains("\nin action 1 of Shopping: {\"type\":\"fail\"}\n"))
    #expect(outcome.status == 1)
  }

  @Test func aScreenMayHaveSoManyNodesAsTheLimitSays() throws {
    let outcome = try run("shopping", "--max-view-nodes", "3")
    #expect(outcome.errors.contains("more nodes than Limits.viewNodes allows"), "\(outcome.errors)")
    #expect(outcome.status == 1)
    #expect(try run("shopping", "--max-view-nodes", "0").status == 64)
  }

  @Test func aMalformedLineEndsItWithoutAScreenUnlessItIsToGoOn() throws {
    let lines = "items[1\nitems[1].toggle\n"
    let outcome = try run("shopping", "--actions", "-", input: lines)
    #expect(outcome.output == "")
    #expect(outcome.errors.hasPrefix("error: standard input:1: malformed action path"))
    #expect(outcome.status == 65)
    let second = try run("shopping", "--actions", "-", "--keep-going", input: lines)
    #expect(second.output.hasSuffix("bought [ Milk ]\n"))
    #expect(second.status == 65)
  }

  @Test(
    arguments: [
      (["--width", "9"], 64), (["--width", "wide"], 64), (["--env", "platform"], 64),
      (["--env", "=web"], 64), (["--format", "pdf"], 64), (["--actions", "nowhere.jsonl"], 66),
    ] as [([String], Int32)])
  func wrongArgumentsAreRefused(options: [String], status: Int32) throws {
    let outcome = try RunnerProcess.run(
      ["show", "shopping", "--root", scripts.path] + options, in: scripts.folder)
    #expect(outcome.output == "")
    #expect(outcome.errors.hasPrefix("error: "))
    #expect(outcome.status == status)
  }

  @Test func aScriptThatIsMissingOrDoesNotLoadIsToldOf() throws {
    #expect(try run("nothing").status == 66)
    try scripts.write("return {", to: "broken.lua")
    #expect(try run("broken").status == 66)
  }

  @Test func aClosedPipeIsNoErrorAndAFullDiskIsOne() throws {
    let closed = try RunnerProcess.shell(
      "$RUNNER show shopping --root \(scripts.path) | true", in: scripts.folder)
    #expect(closed.errors == "")
    #if os(Linux)
    let full = try RunnerProcess.shell(
      "$RUNNER show shopping --root \(scripts.path) > /dev/full", in: scripts.folder)
    #expect(full.status == 74)
    #endif
  }

  @Test func theLimitOnTheSizeOfSourcesIsForScriptsAndNotForTheLibrarysOwn() throws {
    try scripts.write(
      """
      local scripted, ui = require "scripted", require "scripted.ui"
      return scripted.feature { name = "Sign", view = function() return ui.text "open" end }
      """, to: "sign.lua")
    let outcome = try run("sign", "--max-source", "1K")
    #expect(outcome.errors == "")
    #expect(outcome.output.contains("open"))
  }
}
