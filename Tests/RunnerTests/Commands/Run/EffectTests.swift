import Foundation
import Platform
import Testing

@Suite("Effects in runner run")
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

  @Test("The run goes on after the input until no effect is in flight")
  func waiting() throws {
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

  @Test("It does not when told not to")
  func noWait() throws {
    let outcome = try run("\"never\"\n", "--no-wait", "--print-state")
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    #expect(outcome.lines.count == 2)
    #expect(outcome.lines.last == #"{"state":{"log":[]}}"#)
  }

  @Test("Text names the feature whose effect sent an action")
  func text() throws {
    let outcome = try run(later + "\n", "--format", "text")
    #expect(outcome.lines.contains(#"note { text = "done" }  -- sent by an effect of Busy"#))
  }

  @Test("An action has the transaction that its effect attached")
  func transaction() throws {
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

  @Test("What effects send is printed while the run waits for input")
  func betweenLines() throws {
    let runner = try converse()
    runner.say(later)
    #expect(runner.hear().contains(#""n":1,"source":"input""#))
    #expect(runner.hear().contains(#""n":2,"source":"effect""#))
    runner.say(#"{"type":"note","text":"mine"}"#)
    #expect(runner.hear().contains(#""n":3,"source":"input""#))
    runner.endInput()
    #expect(runner.end().status == 0)
  }

  @Test("Effects go on during a wait")
  func duringWait() throws {
    let runner = try converse()
    runner.say(later + "\n" + #"{"wait":100000}"#)
    _ = runner.hear()
    #expect(runner.hear().contains(#""text":"done""#))
    runner.signal(SIGINT)
    #expect(runner.end().status == 0)
  }

  @Test(
    "Ctrl-C and SIGTERM end the waiting for effects, and say how many there were",
    arguments: [SIGINT, SIGTERM])
  func interruption(number: Int32) throws {
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

  @Test("Ctrl-C ends a run whose effect computes without end")
  func endlessComputation() throws {
    let runner = try converse("--max-time", "600")
    runner.say("\"compute\"")
    #expect(runner.hearError() == "computing")
    runner.signal(SIGINT)
    let (status, _, errors) = runner.end()
    #expect(status == 0)
    #expect(errors == "interrupted with 1 effect in flight\n")
  }

  @Test("A second Ctrl-C ends even a run whose effect never gives way")
  func endlessLoop() throws {
    let runner = try converse()
    runner.say("\"spin\"")
    #expect(runner.hearError() == "spinning")
    #expect(runner.end(by: SIGINT) == 130)
  }

  @Test("The state printed is the one after the last action printed")
  func consistentEnd() throws {
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

  @Test("A reader that has seen enough ends the run, though its input goes on")
  func closedPipe() throws {
    let runner = try converse()
    runner.say("\"tick\"")
    _ = runner.hear()
    runner.stopListening()
    let (status, _, errors) = runner.end()
    #expect(status == 0)
    #expect(errors == "")
  }

  // MARK: Failures

  @Test("An effect that fails is told of in full, and the run goes on")
  func failure() throws {
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

  @Test("Text has a line where an effect failed, and leaves the message to standard error")
  func textOfFailure() throws {
    let outcome = try run("\"fail\"\n", "--format", "text")
    #expect(outcome.lines.last == "an effect of Busy failed  -- busy.lua:29")
    #expect(outcome.errors.contains("busy.lua:32: out of order"))
  }

  @Test("Failing fast ends the run at the first effect that fails, though its input goes on")
  func failFast() throws {
    let runner = try converse("--fail-fast", "--print-state")
    runner.say("\"never\"\n\"fail\"")
    let (status, output, errors) = runner.end()
    #expect(status == 1)
    #expect(output.split(separator: "\n").last == #"{"state":{"log":[]}}"#)
    #expect(errors.contains("out of order"))
  }

  @Test("What is merely suspicious about an effect is a line of its own, and no failure")
  func lateSend() throws {
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

  @Test("What is in flight at the end is listed before the state")
  func listing() throws {
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

  @Test("Where nothing is in flight the list says so")
  func emptyListing() throws {
    #expect(try run(later + "\n", "--list-effects").lines.last == #"{"effects":[]}"#)
    let text = try run("", "--list-effects", "--format", "text")
    #expect(text.output == "effects  -- none in flight\n")
  }
}
