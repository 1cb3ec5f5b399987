import Foundation
import Platform
import Testing

@Suite("The output of runner run")
struct OutputTests {
  let scripts: TemporaryFolder

  init() throws { scripts = try .counter() }

  func run(_ input: String, _ options: String...) throws -> RunnerProcess.Outcome {
    try RunnerProcess.run(["run", "counter", "--root", scripts.path] + options, input: input)
  }

  @Test("An action is one line of JSON with the patch of its change")
  func json() throws {
    let outcome = try run(#"{"type":"increment","by":41}"# + "\n")
    #expect(
      outcome.output == """
        {"n":1,"source":"input","action":{"type":"increment","by":41},\
        "patch":[{"op":"replace","path":"/count","value":41}],"warnings":[]}

        """)
    #expect(outcome.errors == "")
    #expect(outcome.status == 0)
  }

  @Test("A path is the action that it stands for")
  func path() throws {
    let outcome = try run(#""increment""# + "\n")
    #expect(outcome.lines.count == 1)
    #expect(outcome.output.contains(#""action":{"type":"increment"}"#))
  }

  @Test("An effect's actions follow the one that returned it")
  func effects() throws {
    let outcome = try run("\"twice\"\n{\"type\":\"increment\",\"by\":5}\n")
    #expect(
      outcome.lines.map { String($0.prefix(26)) } == [
        #"{"n":1,"source":"input","a"#, #"{"n":2,"source":"effect",""#,
        #"{"n":3,"source":"effect",""#, #"{"n":4,"source":"input","a"#,
      ])
    #expect(outcome.lines.last?.contains(#""value":7"#) == true)
  }

  @Test("The state is the last line when asked for")
  func state() throws {
    let outcome = try run("\"increment\"\n", "--print-state")
    #expect(outcome.lines.count == 2)
    #expect(outcome.lines.last == #"{"state":{"count":1,"label":""}}"#)
  }

  @Test("The state is printed for an input without actions")
  func emptyInput() throws {
    let outcome = try run("", "--print-state")
    #expect(outcome.output == #"{"state":{"count":0,"label":""}}"# + "\n")
    #expect(outcome.status == 0)
  }

  @Test("The initial state can be overridden, key by key")
  func overriding() throws {
    let outcome = try run("", "--print-state", "--state", #"{"count":41}"#)
    #expect(outcome.output == #"{"state":{"count":41,"label":""}}"# + "\n")
  }

  @Test("The initial state can come from a file")
  func overridingFromFile() throws {
    try scripts.write(#"{"count":5,"label":"a"}"#, to: "state.json")
    let outcome = try run("", "--print-state", "--state", "@" + scripts.url("state.json").path)
    #expect(outcome.output == #"{"state":{"count":5,"label":"a"}}"# + "\n")
  }

  @Test("An unknown action is a warning in its line")
  func warnings() throws {
    let outcome = try run("\"incremnt\"\n")
    #expect(outcome.output.contains(#""patch":[],"warnings":[""#))
    #expect(outcome.output.contains("increment"))
    #expect(outcome.status == 0)
  }

  @Test("Text shows the path, the payload and the change in Lua syntax")
  func text() throws {
    let outcome = try run(
      #"{"type":"label","text":"Milk"}"# + "\n", "--format", "text", "--print-state")
    #expect(outcome.lines.first == #"label { text = "Milk" }"#)
    #expect(outcome.output.contains(#"+ "#) && outcome.output.contains(#""Milk""#))
    #expect(outcome.lines.last == #"state { count = 0, label = "Milk" }"#)
    #expect(!outcome.output.contains("\u{1B}"))
  }

  @Test("Blank lines, carriage returns and a missing last newline are no matter")
  func lineEnds() throws {
    let outcome = try run("\n\"increment\"\r\n  \n\"increment\"", "--print-state")
    #expect(outcome.lines.last == #"{"state":{"count":2,"label":""}}"#)
    #expect(outcome.status == 0)
  }

  @Test("Waiting prints nothing")
  func waiting() throws {
    let outcome = try run("{\"wait\":0.001}\n{\"wait\":0}\n\"increment\"\n")
    #expect(outcome.lines.count == 1)
    #expect(outcome.status == 0)
  }

  @Test("A feature is found by its path, what it requires beside it")
  func featurePath() throws {
    try scripts.write("return require \"counter\"", to: "other.lua")
    let outcome = try RunnerProcess.run(
      ["run", scripts.url("other.lua").path, "--print-state"], input: "\"increment\"\n")
    #expect(outcome.lines.last == #"{"state":{"count":1,"label":""}}"#)
  }

  @Test("The actions can come from a file")
  func actionFile() throws {
    try scripts.write("\"increment\"\n\"increment\"\n", to: "actions.jsonl")
    let outcome = try run("", "--actions", scripts.url("actions.jsonl").path)
    #expect(outcome.lines.count == 2)
  }
}

@Suite("runner run on a terminal")
struct TerminalRunTests {
  @Test("There is a prompt, and a line that is no action is told and forgotten")
  func typing() throws {
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
