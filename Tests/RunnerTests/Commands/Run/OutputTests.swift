import Foundation
import Platform
import Testing

/// The output of runner run.
struct OutputTests {
  let scripts: TemporaryFolder

  init() throws { scripts = try .counter() }

  func run(_ input: String, _ options: String...) throws -> RunnerProcess.Outcome {
    try RunnerProcess.run(["run", "counter", "--root", scripts.path] + options, input: input)
  }

  @Test func anActionIsOneLineOfJSONWithThePatchOfItsChange() throws {
    let outcome = try run(#"{"type":"increment","by":41}"# + "\n")
    #expect(
      outcome.output == """
        {"n":1,"source":"input","action":{"type":"increment","by":41},\
        "patch":[{"op":"replace","path":"/count","value":41}],"warnings":[]}

        """)
    #expect(outcome.errors == "")
    #expect(outcome.status == 0)
  }

  @Test func aPathIsTheActionThatItStandsFor() throws {
    let outcome = try run(#""increment""# + "\n")
    #expect(outcome.lines.count == 1)
    #expect(outcome.output.contains(#""action":{"type":"increment"}"#))
  }

  @Test func anEffectsActionsFollowTheOneThatReturnedIt() throws {
    let outcome = try run("\"twice\"\n{\"type\":\"increment\",\"by\":5}\n")
    #expect(
      outcome.lines.map { String($0.prefix(26)) } == [
        #"{"n":1,"source":"input","a"#, #"{"n":2,"source":"effect",""#,
        #"{"n":3,"source":"effect",""#, #"{"n":4,"source":"input","a"#,
      ])
    #expect(outcome.lines.last?.contains(#""value":7"#) == true)
  }

  @Test func theStateIsTheLastLineWhenAskedFor() throws {
    let outcome = try run("\"increment\"\n", "--print-state")
    #expect(outcome.lines.count == 2)
    #expect(outcome.lines.last == #"{"state":{"count":1,"label":""}}"#)
  }

  @Test func theStateIsPrintedForAnInputWithoutActions() throws {
    let outcome = try run("", "--print-state")
    #expect(outcome.output == #"{"state":{"count":0,"label":""}}"# + "\n")
    #expect(outcome.status == 0)
  }

  @Test func theInitialStateCanBeOverriddenKeyByKey() throws {
    let outcome = try run("", "--print-state", "--state", #"{"count":41}"#)
    #expect(outcome.output == #"{"state":{"count":41,"label":""}}"# + "\n")
  }

  @Test func theInitialStateCanComeFromAFile() throws {
    try scripts.write(#"{"count":5,"label":"a"}"#, to: "state.json")
    let outcome = try run("", "--print-state", "--state", "@" + scripts.url("state.json").path)
    #expect(outcome.output == #"{"state":{"count":5,"label":"a"}}"# + "\n")
  }

  @Test func anUnknownActionIsAWarningInItsLine() throws {
    let outcome = try run("\"incremnt\"\n")
    #expect(outcome.output.contains(#""patch":[],"warnings":[""#))
    #expect(outcome.output.contains("increment"))
    #expect(outcome.status == 0)
  }

  @Test func textShowsThePathThePayloadAndTheChangeInLuaSyntax() throws {
    let outcome = try run(
      #"{"type":"label","text":"Milk"}"# + "\n", "--format", "text", "--print-state")
    #expect(outcome.lines.first == #"label { text = "Milk" }"#)
    #expect(outcome.output.contains(#"+ "#) && outcome.output.contains(#""Milk""#))
    #expect(outcome.lines.last == #"state { count = 0, label = "Milk" }"#)
    #expect(!outcome.output.contains("\u{1B}"))
  }

  @Test func blankLinesCarriageReturnsAndAMissingLastNewlineAreNoMatter() throws {
    let outcome = try run("\n\"increment\"\r\n  \n\"increment\"", "--print-state")
    #expect(outcome.lines.last == #"{"state":{"count":2,"label":""}}"#)
    #expect(outcome.status == 0)
  }

  @Test func waitingPrintsNothing() throws {
    let outcome = try run("{\"wait\":0.001}\n{\"wait\":0}\n\"increment\"\n")
    #expect(outcome.lines.count == 1)
    #expect(outcome.status == 0)
  }

  @Test func aFeatureIsFoundByItsPathWhatItRequiresBesideIt() throws {
    try scripts.write("return require \"counter\"", to: "other.lua")
    let outcome = try RunnerProcess.run(
      ["run", scripts.url("other.lua").path, "--print-state"], input: "\"increment\"\n")
    #expect(outcome.lines.last == #"{"state":{"count":1,"label":""}}"#)
  }

  @Test func theActionsCanComeFromAFile() throws {
    try scripts.write("\"increment\"\n\"increment\"\n", to: "actions.jsonl")
    let outcome = try run("", "--actions", scripts.url("actions.jsonl").path)
    #expect(outcome.lines.count == 2)
  }
}

/// runner run on a terminal.
struct TerminalRunTests {
  @Test func thereIsAPromptAndALineThatIsNoActionIsToldAndForgotten() throws {
    let scripts = try TemporaryFolder.counter()
    let terminal = try Terminal()
    let process = try RunnerProcess.spawn(
      [RunnerProcess.executable.path, "run", "counter", "--root", scripts.path],
      streams: terminal.streams, environment: ["NO_COLOR": "1"])
    terminal.read(until: "› ")
    terminal.write("increment }\n")
    #expect(terminal.read(until: "› ").contains("error: "))
    terminal.write("increment { by = 2 }\n")
    #expect(terminal.read(until: "› ").contains("count"))
    terminal.write("\u{4}")
    #expect(RunnerProcess.wait(for: process).status == 0)
  }
}
