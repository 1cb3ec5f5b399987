import Foundation
import Testing

/// How runner dev goes through time, and on to other code.
struct ConsoleTimeTests {
  let scripts: TemporaryFolder

  init() throws { scripts = try .consoleFeatures() }

  func run(
    _ feature: String, _ lines: String...
  ) throws -> RunnerProcess.Outcome {
    try scripts.talk(to: feature, lines)
  }

  // MARK: Reloading

  /// What it says up to and with a line that begins with that.
  func hear(_ conversation: Conversation, until start: String) -> [String] {
    var lines: [String] = []
    while true {
      let line = conversation.hear()
      if line.isEmpty { return lines }
      lines.append(line)
      if line.hasPrefix(start) { return lines }
    }
  }

  @Test func changedScriptsAreLoadedOnTheStateThatIsThere() throws {
    let console = try Conversation(
      ["dev", "counter", "--root", scripts.path, "--clock", "virtual"])
    console.say("increment")
    _ = hear(console, until: "  }")
    try scripts.write(
      counterScript.replacing("(action.by or 1)", with: "(action.by or 10)"), to: "counter.lua")
    console.say(":reload")
    #expect(console.hear() == "reloaded counter.lua")
    console.say("increment\n:state count\n:reload")
    #expect(hear(console, until: "11").last == "11")
    #expect(console.hear() == "nothing has changed")
    console.endInput()
    #expect(console.end().status == 0)
  }

  @Test func scriptsThatDoNotLoadAreToldOfAndTheOldOnesRunOn() throws {
    let console = try Conversation(
      ["dev", "counter", "--root", scripts.path, "--clock", "virtual"])
    console.say(":state count")
    #expect(console.hear() == "0")
    try scripts.write("return scripted.", to: "counter.lua")
    console.say(":reload")
    #expect(console.hear() == "error: not reloaded, the old code runs on:")
    #expect(console.hear().contains("counter.lua:1: "))
    console.say("increment\n:state count")
    _ = hear(console, until: "  }")
    #expect(console.hear() == "1")
    console.endInput()
    #expect(console.end().status == 1)
  }

  @Test func whatAReloadDoesToStatesAndEffectsIsTold() throws {
    let console = try Conversation(
      ["dev", "waiting", "--root", scripts.path, "--clock", "virtual"])
    console.say("later")
    _ = hear(console, until: "  -- nothing")
    let migrate = "function(state) state.total = state.count; state.count = nil end"
    try scripts.write(
      waitingScript(counting: "total", options: "version = 2, migrate = \(migrate),"),
      to: "waiting.lua")
    console.say(":reload\n:wait 1\n:state")
    let lines = hear(console, until: "{ total = 1 }")
    #expect(lines.contains("  migrated Waiting from version 1 to 2 in 1 place"))
    #expect(lines.contains { $0.hasSuffix(": finishes on the old code") })
    #expect(lines.contains("2 done  -- sent by an effect of Waiting"))
    console.endInput()
    #expect(console.end().status == 0)
  }

  // MARK: Files

  @Test func whatHappenedIsWrittenAsItHappensAndCanBeReplayed() throws {
    let file = scripts.url("session.jsonl").path
    let outcome = try run(
      "waiting", "later", ":record \(file)", ":wait 1", ":set count 5", "later", ":wait 1")
    #expect(outcome.output.contains("recording into \(file)\n"))
    #expect(outcome.status == 0)
    let replay = try RunnerProcess.run(["replay", file, "--against", scripts.path])
    #expect(replay.status == 0, "\(replay.errors)")
    #expect(replay.output.contains("\"reduced\":5"))
  }

  @Test func itCanBeWrittenAsATestWhichPasses() throws {
    let file = scripts.url("waiting_test.lua").path
    let outcome = try run("waiting", "later", ":wait 1", ":export-test \(file)")
    #expect(outcome.lines.last == "wrote \(file)")
    let test = try RunnerProcess.run(["test", "--root", scripts.path])
    #expect(test.status == 0, "\(test.output)")
    #expect(test.output.contains("1 passed, 0 failed"))
    let again = try run("waiting", ":export-test \(file)")
    #expect(
      again.lines.last
        == "error: \(file) is there, so it is not overwritten; name another file, or remove this one"
    )
    #expect(again.status == 1)
  }

  @Test func aFileThatCannotBeWrittenIsToldOf() throws {
    let outcome = try run(
      "counter", ":record \(scripts.path)/none/file", ":export-test \(scripts.path)/none/file",
      ":record", "increment")
    #expect(outcome.lines.prefix(3).allSatisfy { $0.hasPrefix("error: ") })
    #expect(outcome.output.contains("1 increment"))
    #expect(outcome.status == 1)
  }

  // MARK: Time travel

  @Test func theStoreGoesBackToAnActionAndANewOneTakesThePlaceOfWhatFollowed() throws {
    let outcome = try run(
      "counter", "increment", "increment", "increment", ":go 1", ":log", "increment { by = 5 }",
      ":log", ":state count", ":go 0", ":state count", ":go 9", ":go x")
    let output = outcome.output
    #expect(output.contains("at 1 of 3: 1 increment\n  {\n-   count = 3,\n+   count = 1,\n"))
    #expect(output.contains("▸ 1 increment\n  2 increment\n  3 increment\n"))
    #expect(output.contains("  1 increment\n▸ 2 increment { by = 5 }\n6\n"))
    #expect(output.contains("at 0 of 2: the beginning\n"))
    #expect(output.contains("error: there is no entry 9: the history has 1 to 2\n"))
    #expect(outcome.lines.last == "error: say to which action: :go 3")
  }

  @Test func anEffectDoesNotReplaceWhatFollowedUntilAnActionIsSent() throws {
    let outcome = try run(
      "waiting", "later", "later", ":undo", ":wait 1", ":log", "soon", ":wait 1", ":log")
    let warning =
      #"warning[locked]: the action "done" was dropped, because an effect sent it while the store is at action 1 of 2, "#
      + "and it would replace those that follow; go to action 2, or send an action, to let effects go on"
    #expect(outcome.output.contains(warning), "\(outcome.output)")
    #expect(outcome.output.contains("▸ 1 later\n  2 later\n"))
    #expect(outcome.output.contains("  1 later\n  2 soon\n▸ 3 done"))
  }

  @Test(arguments: [
    "incremnt", "break_", "increment { by = }", "increment { by = {} }", ":set x", ":go",
  ])
  func whatIsNotAcceptedLeavesTheActionsThatFollowed(line: String) throws {
    let outcome = try run(
      "counter", "increment", "increment", "increment", ":go 1", line, ":log", ":go 3", ":state")
    #expect(outcome.output.contains("▸ 1 increment\n  2 increment\n  3 increment\n"))
    #expect(outcome.output.contains("at 3 of 3: 3 increment\n"))
    #expect(outcome.lines.last == #"{ count = 3, label = "" }"#)
  }

  @Test func aTypoAfterGoingBackSaysThatItIsNotInTheHistory() throws {
    let outcome = try run("counter", "increment", "increment", ":go 1", "incremnt", ":undo")
    #expect(outcome.output.contains("did you mean \"increment\"?"))
    #expect(
      outcome.output.contains("\n  -- not in the history: at 1 of 2\nat 0 of 2: the beginning\n"))
    let atTheEnd = try run("counter", "increment", "incremnt")
    #expect(!atTheEnd.output.contains("not in the history"))
  }

  @Test(arguments: [":go", ":skip", ":diff", ":replay", ":cancel"])
  func aNumberThatIsTooSmallOrTooLargeIsRefusedAsAnyOtherThatIsNotThere(command: String) throws {
    let outcome = try run(
      "counter", "increment", "\(command) \(Int.min)", "\(command) \(Int.max)", ":state count")
    #expect(outcome.status == 1)
    #expect(outcome.lines.filter { $0.hasPrefix("error: ") }.count == 2)
    #expect(outcome.lines.last == "1")
  }

  @Test func itStepsAndShowsWhatAnActionChanged() throws {
    let outcome = try run(
      "counter", "increment", "increment { by = 2 }", ":step -1", ":diff", ":step", ":diff 2",
      ":diff 7")
    #expect(outcome.output.contains("at 1 of 2: 1 increment\n"))
    #expect(outcome.output.contains("at 2 of 2: 2 increment { by = 2 }\n"))
    #expect(
      outcome.output.components(
        separatedBy: "2 increment { by = 2 }\n  {\n-   count = 1,\n+   count = 3,\n"
      ).count == 4)
    #expect(outcome.lines.last == "error: there is no action 7; there are 1 to 2")
  }

  @Test func itGoesOneActionBackAndToTheBeginning() throws {
    let outcome = try run(
      "counter", "increment", "increment", ":undo", ":state count", ":reset", ":state count",
      ":undo", ":state count")
    #expect(outcome.status == 0)
    #expect(outcome.lines.filter { Int($0) != nil } == ["1", "0", "1"])
  }

  @Test func aResetIsShownOnceAsAnAction() throws {
    let outcome = try run("counter", "increment", ":reset")
    let lines = outcome.lines
    #expect(lines.filter { $0.hasPrefix("- ") } == ["-   count = 0,", "-   count = 1,"])
    #expect(lines.contains("2 reset  -- set by hand"))
  }

  @Test func aReloadTellsWhichNewKeysTheStateGot() throws {
    let console = try Conversation(
      ["dev", "counter", "--root", scripts.path, "--clock", "virtual"])
    console.say(":state count")
    #expect(console.hear() == "0")
    try scripts.write(
      counterScript.replacing("state = {", with: "state = { step = 3,"), to: "counter.lua")
    console.say(":reload")
    #expect(console.hear() == "reloaded counter.lua")
    #expect(console.hear() == "  added state.step of Counter with its default in 1 place")
  }

  @Test func replayingFromBeforeAReloadThatAddedAFieldTellsWhyThatIsNotPossible() throws {
    let console = try Conversation(
      ["dev", "counter", "--root", scripts.path, "--clock", "virtual"])
    console.say("increment\n:state count")
    #expect((0..<20).contains { _ in console.hear() == "1" })
    try scripts.write(
      counterScript.replacing("state = {", with: "state = { step = 3,"), to: "counter.lua")
    console.say(":reload\n:replay 1")
    let refusal =
      "error: the state of entry 0 is from before a reload that changed the state itself (a migration, or a "
      + "new field with its default); entries from 1 on can be reached; no action has happened since"
    #expect((0..<20).contains { _ in console.hear() == refusal })
    console.say(":replay")
    #expect(
      console.hear()
        == "no action can be reduced anew, because a reload has changed the state after action 1")
  }

  @Test func whatAReloadThatAddsAFieldDoesToTheHistoryIsTold() throws {
    let console = try Conversation(
      ["dev", "counter", "--root", scripts.path, "--clock", "virtual"])
    // The state of the label ends what it says to some lines.
    let end = #""""#
    console.say("increment\nincrement\nincrement\nincrement\n:go 2\n:state label")
    _ = hear(console, until: end)
    try scripts.write(
      counterScript.replacing("state = {", with: "state = { step = 3,"), to: "counter.lua")
    console.say(":reload\nincrement\n:state label")
    let lines = hear(console, until: end)
    #expect(lines.contains("  gone from the history: 2 actions after action 2"), "\(lines)")
    console.say(":log\n:replay\n:skip 2\n:replay 1\n:go 1\n:state label")
    let reason =
      "is from before a reload that changed the state itself (a migration, or a new field with its default); "
      + "entries from 2 on can be reached; the first that works is"
    #expect(
      hear(console, until: end) == [
        "  1 increment", "  2 increment",
        "  -- a reload changed the state here: :go 2 is as far back as it goes", "▸ 3 increment",
        "only from action 3 on, because a reload has changed the state after action 2",
        "1 action reduced anew, with the same result",
        "error: the state of entry 1 \(reason) :skip 3",
        "error: the state of entry 0 \(reason) :replay 3",
        "error: the state of entry 1 \(reason) :go 2", end,
      ])
  }

  @Test func numbersThatAreNotThereAreToldAsTheyWereTyped() throws {
    let outcome = try run(
      "counter", ":replay", ":replay 1", "increment", ":replay 99", ":replay 2", ":log 0",
      ":log -1", ":skip 1", ":skip 1")
    let told = outcome.lines.filter { line in
      ["error: ", "no ", "without "].contains { line.hasPrefix($0) }
    }
    #expect(
      told == [
        "no actions yet", "error: there is no entry 1: the history has none",
        "error: there is no entry 99: the history has 1 to 1",
        "error: there is no entry 2: the history has 1 to 1",
        "error: say how many actions: :log 20", "error: say how many actions: :log 20",
        "without action 1, 0 actions reduced anew", "without action 1, 0 actions reduced anew",
      ], "\(outcome.output)")
  }

  @Test func anActionIsLeftOutAndLetInAgain() throws {
    let outcome = try run(
      "counter", "increment { by = 2 }", "increment", ":skip 1", ":state count", ":log",
      ":unskip 1",
      ":state count", ":replay")
    #expect(outcome.output.contains("without action 1, 1 action reduced anew\n"))
    #expect(outcome.output.contains("with action 1, 2 actions reduced anew\n"))
    #expect(outcome.output.contains("\n1\n  1 increment { by = 2 }  -- skipped\n▸ 2 increment\n"))
    #expect(outcome.output.contains("\n3\n2 actions reduced anew, with the same result\n"))
  }

  @Test func aLockedStoreTakesNoActions() throws {
    let outcome = try run("counter", ":lock", "increment", ":state count", ":unlock", "increment")
    #expect(outcome.output.contains("warning[locked]: the action \"increment\" was dropped"))
    #expect(outcome.output.contains("\n0\nactions are taken again\n1 increment\n"))
  }
}
