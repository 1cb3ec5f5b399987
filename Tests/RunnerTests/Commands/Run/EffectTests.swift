import Foundation
import Platform
import Testing

/// Effects in runner run.
struct EffectTests {
  let scripts: TemporaryFolder

  init() throws { scripts = try .busy() }

  func run(_ input: String, _ options: String...) throws -> RunnerProcess.Outcome {
    try RunnerProcess.run(
      ["run", "busy", "--root", scripts.path] + options, input: input, in: scripts.folder)
  }

  func converse(_ options: String...) throws -> Conversation {
    try Conversation(["run", "busy", "--root", scripts.path] + options, in: scripts.folder)
  }

  let later = #"{"type":"later","text":"done","after":0.01}"#

  @Test func theRunGoesOnAfterTheInputUntilNoEffectIsInFlight() throws {
    let outcome = try run(later + "\n", "--print-state")
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    #expect(outcome.lines.count == 3)
    #expect(
      outcome.lines.dropFirst().first == """
        {"n":2,"source":"effect","feature":"Busy","action":{"type":"note","text":"done"},\
        "patch":[{"op":"add","path":"/log/0","value":"done"}],"warnings":[]}
        """)
    #expect(outcome.lines.last == #"{"state":{"log":["done"]}}"#)
  }

  @Test func itDoesNotWhenToldNotTo() throws {
    let outcome = try run("\"never\"\n", "--no-wait", "--print-state")
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    #expect(outcome.lines.count == 2)
    #expect(outcome.lines.last == #"{"state":{"log":[]}}"#)
  }

  @Test func textNamesTheFeatureWhoseEffectSentAnAction() throws {
    let outcome = try run(later + "\n", "--format", "text")
    #expect(outcome.lines.contains(#"note { text = "done" }  -- sent by an effect of Busy"#))
  }

  @Test func anActionHasTheTransactionThatItsEffectAttached() throws {
    let json = try run("\"animated\"\n")
    #expect(
      json.lines.last?.contains(
        #""action":{"type":"note","text":"moved"},"transaction":{"animation":"spring"},"patch""#)
        == true)
    let text = try run("\"animated\"\n", "--format", "text")
    #expect(
      text.output.contains(
        #"-- sent by an effect of Busy, transaction { animation = "spring" }"#))
  }

  @Test func whatEffectsSendIsPrintedWhileTheRunWaitsForInput() throws {
    let runner = try converse()
    runner.say(later)
    #expect(runner.hear().contains(#""n":1,"source":"input""#))
    #expect(runner.hear().contains(#""n":2,"source":"effect""#))
    runner.say(#"{"type":"note","text":"mine"}"#)
    #expect(runner.hear().contains(#""n":3,"source":"input""#))
    runner.endInput()
    #expect(runner.end().status == 0)
  }

  @Test func effectsGoOnDuringAWait() throws {
    let runner = try converse()
    runner.say(later + "\n" + #"{"wait":100000}"#)
    _ = runner.hear()
    #expect(runner.hear().contains(#""text":"done""#))
    runner.signal(SIGINT)
    #expect(runner.end().status == 0)
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func ctrlCAndSIGTERMEndTheWaitingForEffectsAndSayHowManyThereWere(number: Int32) throws {
    let runner = try converse("--print-state")
    runner.say("\"never\"\n\"never\"\n\"tick\"")
    runner.endInput()
    while !runner.hear().contains(#""text":"tick""#) {}
    runner.signal(number)
    let (status, output, errors) = runner.end()
    #expect(status == 0)
    #expect(errors == "interrupted with 3 effects in flight\n")
    #expect(output.split(separator: "\n").last?.hasPrefix(#"{"state":{"log":["tick""#) == true)
  }

  @Test func ctrlCEndsARunWhoseEffectComputesWithoutEnd() throws {
    let runner = try converse("--max-time", "600")
    runner.say("\"compute\"")
    #expect(runner.hearError() == "computing")
    runner.signal(SIGINT)
    let (status, _, errors) = runner.end()
    #expect(status == 0)
    #expect(errors == "interrupted with 1 effect in flight\n")
  }

  @Test func aSecondCtrlCEndsEvenARunWhoseEffectNeverGivesWay() throws {
    let runner = try converse()
    runner.say("\"spin\"")
    #expect(runner.hearError() == "spinning")
    #expect(runner.end(by: SIGINT) == 130)
  }

  @Test func theStatePrintedIsTheOneAfterTheLastActionPrinted() throws {
    let runner = try converse("--print-state")
    runner.say("\"tick\"")
    var count = 0
    while count < 5 { count += runner.hear().contains("\"text\":\"tick\"") ? 1 : 0 }
    runner.signal(SIGINT)
    let (_, output, _) = runner.end()
    let lines = output.split(separator: "\n")
    count += lines.count { $0.contains(#""source":"effect""#) }
    let ticks = Array(repeating: #""tick""#, count: count).joined(separator: ",")
    #expect(lines.last.map(String.init) == #"{"state":{"log":[\#(ticks)]}}"#)
  }

  @Test func aReaderThatHasSeenEnoughEndsTheRunThoughItsInputGoesOn() throws {
    let runner = try converse()
    runner.say("\"tick\"")
    _ = runner.hear()
    runner.stopListening()
    let (status, _, errors) = runner.end()
    #expect(status == 0)
    #expect(errors == "")
  }

  // MARK: Failures

  @Test func anEffectThatFailsIsToldOfInFullAndTheRunGoesOn() throws {
    let outcome = try run("\"fail\"\n" + later + "\n", "--print-state")
    #expect(outcome.status == 1)
    let warning = try #require(outcome.lines.first { $0.contains("\"warning\"") })
    #expect(
      warning.hasPrefix(
        #"{"warning":"an effect of Busy failed: busy.lua:32: out of order","kind":"effectError","#))
    #expect(warning.contains(#""effect":{"feature":"Busy","origin":"busy.lua:29","#))
    #expect(outcome.lines.last == #"{"state":{"log":["done"]}}"#)
    #expect(
      outcome.errors.hasPrefix(
        "error[effectError]: an effect of Busy failed: busy.lua:32: out of order\n"))
    #expect(outcome.errors.contains("stack traceback:\n"))
    #expect(outcome.errors.hasSuffix("in the effect of Busy at busy.lua:29, which fail started\n"))
  }

  @Test func textHasALineWhereAnEffectFailedAndLeavesTheMessageToStandardError() throws {
    let outcome = try run("\"fail\"\n", "--format", "text")
    #expect(outcome.lines.last == "an effect of Busy failed  -- busy.lua:29")
    #expect(outcome.errors.contains("busy.lua:32: out of order"))
  }

  @Test func failingFastEndsTheRunAtTheFirstEffectThatFailsThoughItsInputGoesOn() throws {
    let runner = try converse("--fail-fast", "--print-state")
    runner.say("\"never\"\n\"fail\"")
    let (status, output, errors) = runner.end()
    #expect(status == 1)
    #expect(output.split(separator: "\n").last == #"{"state":{"log":[]}}"#)
    #expect(errors.contains("out of order"))
  }

  @Test func whatIsMerelySuspiciousAboutAnEffectIsALineOfItsOwnAndNoFailure() throws {
    let json = try run("\"leak\"\n")
    #expect(json.status == 0)
    #expect(json.lines.count == 2)
    #expect(json.lines.last?.hasPrefix(#"{"warning":"the `send` of an effect was used"#) == true)
    #expect(json.lines.last?.contains(#""kind":"sendAfterEnd""#) == true)
    let text = try run("\"leak\"\n", "--format", "text")
    #expect(text.lines.last?.hasPrefix("warning[sendAfterEnd]: the `send` of an effect") == true)
    #expect(text.lines.last?.contains(#/ \([a-z/]+\.lua:[0-9]+\)$/#) == true)
  }

  // MARK: What is in flight

  @Test func whatIsInFlightAtTheEndIsListedBeforeTheState() throws {
    let input = #"{"type":"later","text":"a","after":1000}"# + "\n\"never\"\n"
    let outcome = try run(
      input, "--clock", "virtual", "--list-effects", "--print-state")
    #expect(
      outcome.lines.suffix(2) == [
        """
        {"effects":[{"feature":"Busy","origin":"busy.lua:13","id":"later","action":"later","place":"",\
        "seconds":0.0,"waitingOn":"clock.sleep"},{"feature":"Busy","origin":"busy.lua:26","action":"never",\
        "place":"","seconds":0.0,"waitingOn":"clock.sleep"}]}
        """, #"{"state":{"log":[]}}"#,
      ])
    let text = try run(input, "--no-wait", "--list-effects", "--format", "text")
    #expect(text.lines.contains("effects"))
    #expect(text.output.contains("\n  Busy (busy.lua:13), id \"later\", "))
  }

  @Test func alarmsThatAreSetAtTheEndAreToldOfAndListed() throws {
    let scripts = try TemporaryFolder.consoleFeatures()
    func run(_ input: String, _ options: String...) throws -> RunnerProcess.Outcome {
      try RunnerProcess.run(
        ["run", "waiting", "--root", ".", "--list-effects"] + options, input: input,
        in: scripts.folder)
    }
    let virtual = try run("later\nring\n", "--clock", "virtual")
    #expect(
      virtual.errors == """
        note: 1 effect still in flight and 1 alarm still set; on the virtual clock time passes only by \
        {"wait": seconds} lines

        """)
    #expect(
      virtual.lines.last?.hasSuffix(
        #"],"alarms":[{"feature":"Waiting","id":"bell","action":{"type":"done"},"place":"","seconds":2.0}]}"#
      ) == true, "\(virtual.output)")
    let real = try run("ring\n", "--format", "text")
    #expect(
      real.errors == """
        note: 1 alarm still set; the run waits for effects alone at its end, and for alarms by \
        {"wait": seconds} lines

        """)
    #expect(
      real.output.contains(
        "effects  -- none in flight\nalarms\n  Waiting, alarm \"bell\", done in "))
    #expect(try run("ring\n", "--no-wait").errors == "")
    let console = try Conversation(["run", "waiting", "--root", "."], in: scripts.folder)
    console.say("ring")
    _ = console.hear()
    console.signal(SIGINT)
    #expect(console.end().errors == "interrupted with 1 alarm set\n")
  }

  @Test func whereNothingIsInFlightTheListSaysSo() throws {
    #expect(try run(later + "\n", "--list-effects").lines.last == #"{"effects":[]}"#)
    let text = try run("", "--list-effects", "--format", "text")
    #expect(text.output == "effects  -- none in flight\n")
  }
}
