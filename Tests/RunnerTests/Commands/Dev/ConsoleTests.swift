import Foundation
import Platform
import Testing

/// runner dev with lines from a pipe.
struct ConsoleTests {
  let scripts: TemporaryFolder

  init() throws { scripts = try .consoleFeatures() }

  func run(
    _ feature: String, _ lines: String..., options: [String] = []
  ) throws -> RunnerProcess.Outcome {
    try scripts.talk(to: feature, lines, options)
  }

  // MARK: Actions

  @Test func anActionIsAPathAndWhatItChangesIsShown() throws {
    let outcome = try run("counter", "increment")
    #expect(
      outcome.output == """
        1 increment
          {
        -   count = 0,
        +   count = 1,
            -- 1 unchanged
          }

        """)
    #expect(outcome.errors == "")
    #expect(outcome.status == 0)
  }

  @Test(arguments: [
    "increment { by = 5 }", #"increment {"by": 5}"#, "increment{by=5}",
    #"{ "type": "increment", "by": 5 }"#, "{ type = 'increment', by = 5 }",
    #""increment" { by = 5 }"#, "  increment   { by = 0x5; }  ",
  ])
  func aPayloadIsLuaOrJSONAndAnActionMayBeATable(line: String) throws {
    let outcome = try run("counter", line, ":state count")
    #expect(outcome.lines.last == "5")
    #expect(outcome.status == 0)
  }

  @Test func idsAreInBracketsInQuotesWhereTheyHaveToBe() throws {
    let outcome = try run(
      "list", #"rows["a b].c"].rename "x""#, "rows[2].rename { value = 'y' }", ":state rows")
    #expect(
      outcome.output.contains(#"{ { id = "a b].c", name = "x" }, { id = 2, name = "y" } }"#))
    #expect(outcome.status == 0)
  }

  @Test(arguments: [
    "\u{301}a b", #""a] b""#, #""a\"] b""#, "{a b", "1.5", "-3",
  ])
  func aBlankOrTableInBracketsDoesNotEndThePath(id: String) throws {
    let outcome = try run("list", "rows[\(id)].rename 'x'")
    #expect(outcome.output.contains("1 rows[\(id)].rename { value = \"x\" }\n"))
  }

  @Test(arguments: [#"'z'"#, #""z""#, #"{ value = "z" }"#])
  func aPathInQuotesMayHaveAnIDInQuotes(payload: String) throws {
    let outcome = try run("list", #""rows[\"a b].c\"].rename" "# + payload, ":state rows[1].name")
    #expect(outcome.lines.last == #""z""#)
    #expect(outcome.status == 0)
  }

  @Test func whatEffectsSendIsShownWithTheFeatureThatItIsFrom() throws {
    let outcome = try run("counter", "twice")
    #expect(outcome.output.contains("2 increment  -- sent by an effect of Counter\n"))
    #expect(outcome.output.contains("3 increment  -- sent by an effect of Counter\n"))
  }

  @Test func anActionThatRaisesIsRolledBackToldOfWithItsLineAndCountsAsAFailure() throws {
    let outcome = try run("counter", "break_", "increment", ":state count")
    #expect(outcome.output.contains("raised, rolled back: counter.lua:13: out of order"))
    #expect(outcome.lines.last == "1")
    #expect(outcome.status == 1)
  }

  @Test func anEffectThatFailsDoesToo() throws {
    let outcome = try run("waiting", "fail", ":wait 1")
    #expect(
      outcome.output.contains(
        "error[effectError]: an effect of Waiting failed: waiting.lua:19: too late"))
    #expect(
      outcome.output.contains("  in the effect of Waiting at waiting.lua:16, which fail started"))
    #expect(outcome.status == 1)
  }

  @Test(arguments: [
    ("rows[2.rename", "error: malformed action path \"rows[2.rename\": a bracket is not closed"),
    ("increment { by = two }", "error: two is no value; text goes in quotes"),
    ("{ by = 2 }", "error: the action { by = 2 } has no type (a string is needed)"),
    (#"{"wait": 1.5}"#, "error: here a command lets time pass: :wait 1.5"),
    ("{ wait = 2 }", "error: here a command lets time pass: :wait 2"),
    ("increment { type = 'x' }", "error: the payload of increment may not have a field 'type'"),
    ("help", "error: no action is called help; commands begin with a colon: :help"),
    (":stat", "error: there is no command :stat; did you mean :state?"),
    (":lo", "error: there is no command :lo; did you mean :log or :lock?"),
    (":back", "error: there is no command :back; did you mean :undo?"),
    (":redo", "error: there is no command :redo; did you mean :step?"),
    (":history", "error: there is no command :history; did you mean :log?"),
    (":advance 1", "error: there is no command :advance; did you mean :wait?"),
    (
      "add {", "error: unexpected symbol near <eof> in {; close what is open, as a brace or a quote"
    ),
    (":wait 1e16", "error: say how many seconds, at most 1e15: :wait 1.5"),
    (":xyzzy", "error: there is no command :xyzzy; :help lists them"),
    (":tree all", "error: :tree takes nothing behind it"),
  ])
  func whatIsNoActionIsToldOfAndTheConsoleGoesOn(line: String, message: String) throws {
    let outcome = try run("list", line, "rows[2].rename 'z'")
    #expect(outcome.lines.first?.hasPrefix(message) == true, "\(outcome.output)")
    #expect(outcome.output.contains("1 rows[2].rename { value = \"z\" }"))
    #expect(outcome.status == 1)
  }

  @Test func anActionThatNobodyKnowsIsWarnedOfWithTheNearestName() throws {
    let outcome = try run("counter", "incremnt", ":warnings")
    #expect(outcome.output.components(separatedBy: "did you mean \"increment\"?").count == 3)
    #expect(outcome.status == 0)
  }

  // MARK: State

  @Test func theStateOrWhatIsAtAPathWithIndicesFrom1IsShownInLua() throws {
    let outcome = try run("list", ":state", ":state rows[1].name", ":s rows[2]", ":state rows[9]")
    #expect(
      outcome.lines == [
        #"{ rows = { { id = "a b].c", name = "first" }, { id = 2, name = "second" } } }"#,
        #""first""#, #"{ id = 2, name = "second" }"#, "error: there is nothing at rows[9]",
      ])
    #expect(outcome.status == 1)
    #expect(try run("list", ":state rows[0]").output.contains("indices count from 1, as in Lua"))
  }

  @Test func theStateCanBeSetAndAKeyRemoved() throws {
    let outcome = try run(
      "list", ":set rows[1].name \"by hand\"", ":set filter { 'a' }", ":set rows[2].name nil",
      ":state rows", ":state filter")
    #expect(outcome.output.contains("-- set by hand"))
    #expect(
      outcome.lines.suffix(2) == [
        #"{ { id = "a b].c", name = "by hand" }, { id = 2 } }"#, #"{ "a" }"#,
      ])
    #expect(outcome.status == 0)
  }

  @Test(arguments: [
    ":set", ":set rows", ":set rows[9].x 1", ":set rows.x 1", ":set gone nil", ":set rows {",
  ])
  func whatCannotBeSetLeavesTheState(line: String) throws {
    let outcome = try run("list", line, ":state rows[1].name")
    #expect(outcome.lines.count == 2)
    #expect(outcome.lines.first?.hasPrefix("error: ") == true)
    #expect(outcome.lines.last == #""first""#)
  }

  // MARK: Effects and time

  @Test func effectsAreListedWithNumbersByWhichTheyCanBeCancelled() throws {
    let outcome = try run(
      "waiting", "later", "later", ":effects", ":cancel 1", ":effects", ":wait 5", ":effects",
      ":state", ":cancel", ":cancel 7")
    let lines = outcome.lines
    #expect(lines.contains("1 Waiting (waiting.lua:10), 0.0 s, waits for clock.sleep"))
    #expect(lines.contains("2 Waiting (waiting.lua:10), 0.0 s, waits for clock.sleep"))
    #expect(
      lines.contains("cancelled Waiting (waiting.lua:10), 0.0 s, waits for clock.sleep"))
    #expect(lines.contains("no effect is in flight"))
    #expect(lines.contains("{ count = 1 }"))
    #expect(lines.suffix(2).first == "error: no effect is in flight")
    #expect(outcome.status == 1)
  }

  @Test func alarmsAreListedBelowTheEffectsAndComeWithTheTime() throws {
    let outcome = try run("waiting", "later", "ring", ":effects", ":wait 2", ":effects")
    #expect(
      outcome.output.contains(
        "1 Waiting (waiting.lua:10), 0.0 s, waits for clock.sleep\n- Waiting, alarm \"bell\", done in 2 s\n"
      ),
      "\(outcome.output)")
    #expect(outcome.output.contains("4 done  -- sent by an effect of Waiting"))
    #expect(outcome.lines.last == "no effect is in flight")
  }

  @Test func allAreCancelledAtOnceOrTheOnlyOneWithoutANumber() throws {
    let outcome = try run(
      "waiting", "later", ":cancel", "later", "later", ":cancel", ":cancel all", ":wait 5", ":state"
    )
    #expect(outcome.output.contains("error: 2 effects are in flight"))
    #expect(outcome.lines.last == "{ count = 0 }")
  }

  @Test func timePassesByWaitAloneAndClockTellsHowMuch() throws {
    let outcome = try run(
      "waiting", "later", ":wait 0.5", ":clock", ":wait 0.5", ":wait 1e9", ":wait x")
    #expect(outcome.output.contains("0.5 s have passed on the virtual clock"))
    #expect(outcome.output.contains("2 done  -- sent by an effect of Waiting"))
    #expect(outcome.lines.last == "error: say how many seconds, at most 1e15: :wait 1.5")
  }

  @Test func onTheRealClockEffectsAreWaitedForAtTheEndUnlessNoWaitIsGiven() throws {
    func run(_ options: String..., lines: String) throws -> RunnerProcess.Outcome {
      try RunnerProcess.run(
        ["dev", "waiting", "--root", scripts.path] + options, input: lines)
    }
    #expect(try run(lines: "soon\n").output.contains("2 done"))
    #expect(try run("--no-wait", lines: "later\n").lines.count == 2)
    #expect(try run(lines: "soon\n:wait 0.5\n:quit\n").output.contains("2 done") == true)
  }

  // MARK: The rest

  @Test func helpNamesAllCommandsAndOneByItsName() throws {
    let outcome = try run("counter", ":help", ":help set", ":help nothing")
    for command in [
      ":state", ":set", ":shared", ":effects", ":go", ":record", ":export-test", ":quit",
    ] {
      #expect(outcome.output.contains("  \(command)"))
    }
    #expect(outcome.output.contains(":set PATH VALUE\n  puts a value there"))
    #expect(outcome.lines.last == "error: there is no command :nothing; :help lists them")
  }

  @Test func theCompositionIsThatOfRunnerTree() throws {
    let tree = try RunnerProcess.run(["tree", "list", "--root", scripts.path], in: scripts.folder)
    #expect(try run("list", ":tree").output == tree.output)
  }

  @Test func sharedValuesAreListedWithTheirKeysTheirFieldsAndWhatIsWrongWithTheirFiles() throws {
    try scripts.write(sharingScript, to: "sharing.lua")
    try scripts.write("{ 1", to: "settings.json")
    let outcome = try run("sharing", ":shared", options: ["--shared", scripts.path])
    #expect(
      outcome.output == """
        fileStorage "settings.json" is { size = 12 }
          in settings, size = :at("size"):reader(), status = :status()
          loadError: settings.json: line 1, column 3: expected a key in quotes, found '1' (broken)
        inMemory "list" is { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, \
        24, 25, 26, 27, … 33 more }
          in list

        """)
    #expect(outcome.status == 0)
  }

  @Test func whereNothingIsSharedALineSaysHowItIsDone() throws {
    let outcome = try run("counter", ":shared")
    #expect(
      outcome.output == """
        no value is shared; a feature shares a field of its state with \
        shared = { count = scripted.shared.inMemory("count", 0) }

        """)
    #expect(try run("counter", ":shared all").lines == ["error: :shared takes nothing behind it"])
  }

  @Test func blankLinesDoNothingQuitEndsAndWhatFollowsIsNotRead() throws {
    let outcome = try run("counter", "", "   ", ":quit", "increment")
    #expect(outcome.output == "")
    #expect(outcome.status == 0)
  }

  @Test func withFailFastTheFirstFailureEndsIt() throws {
    let outcome = try run("counter", ":nope", "increment", options: ["--fail-fast"])
    #expect(outcome.lines.count == 1)
    #expect(outcome.status == 1)
  }

  @Test func theInitialStateCanBeOverriddenAndAMissingScriptIsToldOf() throws {
    let outcome = try run("counter", ":state count", options: ["--state", #"{"count": 7}"#])
    #expect(outcome.output == "7\n")
    #expect(try run("missing", ":state").status == 66)
    #expect(try run("counter", options: ["--state", "[1"]).status == 64)
  }

  @Test func sigtermEndsItWhateverIsInFlight() throws {
    let console = try Conversation(["dev", "waiting", "--root", scripts.path])
    console.say(":state\nlater")
    #expect(console.hear() == "{ count = 0 }")
    console.signal(SIGTERM)
    #expect(console.end().status == 143)
  }

  @Test func theSameInputPrintsTheSameBytes() throws {
    let lines = ["later", "later", ":effects", ":wait 1", ":log", ":state"]
    func once() throws -> String {
      try RunnerProcess.run(
        ["dev", "waiting", "--root", scripts.path, "--clock", "virtual"],
        input: lines.joined(separator: "\n")
      ).output
    }
    #expect(try once() == once())
  }
}
