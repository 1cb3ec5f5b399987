import Foundation
import Testing

@Suite("What runner run does when something is wrong")
struct FaultTests {
  let scripts: TemporaryFolder

  init() throws { scripts = try .counter() }

  func run(_ input: String, _ options: String...) throws -> RunnerProcess.Outcome {
    try RunnerProcess.run(
      ["run", "counter", "--root", scripts.path, "--print-state"] + options, input: input)
  }

  @Test("A handler that raises is rolled back, told of in full, and the run goes on")
  func raising() throws {
    let outcome = try run("\"break_\"\n\"increment\"\n")
    #expect(outcome.status == 1)
    #expect(outcome.lines.first?.contains(#""patch":[]"#) == true)
    #expect(outcome.lines.last == #"{"state":{"count":1,"label":""}}"#)
    #expect(outcome.errors.contains("counter.lua:13: out of order"))
    #expect(outcome.errors.contains("stack traceback:"))
    #expect(outcome.errors.contains(#"{"type":"break_"}"#))
  }

  @Test("Failing fast ends the run at the first action that raises")
  func failFast() throws {
    let outcome = try run("\"break_\"\n\"increment\"\n", "--fail-fast")
    #expect(outcome.status == 1)
    #expect(outcome.lines.last == #"{"state":{"count":0,"label":""}}"#)
  }

  @Test(
    "A malformed line ends the run, with its number",
    arguments: [
      #"{"type":"increment""#, "nonsense", "3", "[]", "null", #"{"by":2}"#, #"{"type":7}"#,
      #""todos[""#, #""""#, #"{"wait":"long"}"#, #"{"wait":-1}"#, #"{"type":"a"} {"type":"b"}"#,
    ])
  func malformed(line: String) throws {
    let outcome = try run("\"increment\"\n\n\(line)\n\"increment\"\n")
    #expect(outcome.status == 65)
    #expect(outcome.errors.hasPrefix("error: standard input:3"))
    #expect(outcome.errors.split(separator: "\n").count == 1)
    #expect(outcome.lines.last == #"{"state":{"count":1,"label":""}}"#)
  }

  @Test("The run goes on after a malformed line when told to, and still says so at the end")
  func keepGoing() throws {
    let outcome = try run("\"increment\"\nnonsense\n\"increment\"\n{}\n", "--keep-going")
    #expect(outcome.status == 65)
    #expect(outcome.errors.contains("standard input:2"))
    #expect(outcome.errors.contains("standard input:4"))
    #expect(outcome.lines.last == #"{"state":{"count":2,"label":""}}"#)
  }

  @Test("Invalid UTF-8 is a malformed line")
  func invalidText() throws {
    let outcome = try RunnerProcess.shell(
      #"printf '"increment"\n{"type":"label","text":"\377"}\n' | "#
        + "$RUNNER run counter --root \(scripts.path)")
    #expect(outcome.status == 65)
    #expect(outcome.errors.contains("standard input:2"))
    #expect(outcome.lines.count == 1)
  }

  @Test(
    "A script that gives no feature ends the run before it starts",
    arguments: [
      ("on = {", "broken.lua:1"), ("error 'no'", "broken.lua:1"), ("return 7", "feature"),
      ("return require 'absent'", "absent"),
    ])
  func unusable(script: String, message: String) throws {
    try scripts.write(script, to: "broken.lua")
    let outcome = try RunnerProcess.run(
      ["run", "broken", "--root", scripts.path, "--print-state"], input: "\"increment\"\n")
    #expect(outcome.status == 66)
    #expect(outcome.errors.contains(message))
    #expect(outcome.output == "")
  }

  @Test("A script that is not there is named")
  func absent() throws {
    let outcome = try RunnerProcess.run(["run", "absent", "--root", scripts.path])
    #expect(outcome.status == 66)
    #expect(outcome.errors.contains("absent"))
  }

  @Test("A file of actions that is not there is named")
  func absentActions() throws {
    let outcome = try run("", "--actions", "absent.jsonl")
    #expect(outcome.status == 66)
    #expect(outcome.errors.contains("absent.jsonl: No such file"))
  }

  @Test(
    "Wrong usage is explained",
    arguments: [
      ["run"], ["run", "counter", "--format", "xml"], ["run", "counter", "--state", "{"],
      ["run", "counter", "--state", String(repeating: "[", count: 129)], ["walk"],
      ["run", "counter", "--no-such-option"],
    ])
  func usage(arguments: [String]) throws {
    let outcome = try RunnerProcess.run(arguments)
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("Usage:"))
    #expect(outcome.output == "")
  }

  @Test("A state that is too deep is refused with the limit")
  func depth() throws {
    let deep = String(repeating: "[", count: 128) + String(repeating: "]", count: 128)
    let outcome = try run("", "--state", #"{"a":\#(deep)}"#)
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("128"))
  }

  @Test("A reader that has seen enough ends the run without a word")
  func closedPipe() throws {
    let outcome = try RunnerProcess.shell(
      """
      { yes '"increment"' | { $RUNNER run counter --root \(scripts.path); echo "status $?" >&2; }; } \
      | head -n 1
      """)
    #expect(outcome.lines.count == 1)
    #expect(outcome.errors == "status 0\n")
  }

  @Test("Standard output that was closed from the start is told of")
  func closedOutput() throws {
    let outcome = try RunnerProcess.shell(
      "echo '\"increment\"' | $RUNNER run counter --root \(scripts.path) >&-")
    #expect(outcome.status == 74)
    #expect(outcome.errors.contains("standard output"))
  }
}
