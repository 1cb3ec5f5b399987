import Foundation
import ScriptChecks
import ScriptedStore
import Testing

@testable import RunnerCommands

/// runner explain.
struct ExplainTests {
  func run(_ arguments: String...) throws -> RunnerProcess.Outcome {
    try RunnerProcess.run(["explain"] + arguments)
  }

  @Test(
    arguments: [
      RuntimeWarning.Kind.allCases.map(\.rawValue), ScriptError.Kind.allCases.map(\.rawValue),
      Finding.Code.allCases.map(\.rawValue),
    ].joined())
  func eachCodeHasAnEntry(_ code: String) {
    let entries = MessageIndex.embedded.entries.filter { $0.code == code }
    #expect(entries.count == 1, "docs/guide/warnings.md needs one heading '### \(code)'")
    #expect(entries.first?.blocks.summary.isEmpty == false)
  }

  @Test func anEntryIsItsPartOfThePage() throws {
    let outcome = try run("unhandledBinding")
    #expect(outcome.status == 0 && outcome.errors == "")
    #expect(outcome.output.hasPrefix("unhandledBinding\n\nA binding's action arrived"))
    #expect(outcome.output.contains("\n    +  binding = true,\n"))
    #expect(!outcome.output.contains("unknownBindingKey"))
  }

  @Test func withoutACodeItListsAllEachWithASentence() throws {
    let outcome = try run()
    #expect(outcome.status == 0)
    #expect(outcome.lines.first == "Actions and composition")
    #expect(
      outcome.lines.contains {
        $0.wholeMatch(of: #/ {2}unknownAction +No reducer handles an action of this name\./#) != nil
      })
  }

  @Test func anUnknownCodeIsRefusedWithTheNearestOne() throws {
    let outcome = try run("unknwonAction")
    #expect(outcome.status == 64 && outcome.output == "")
    #expect(
      outcome.errors
        == "error: no message has the code or the text 'unknwonAction'; did you mean 'unknownAction'?\n"
    )
    #expect(try run("zzzzzzzzz").errors.hasSuffix("; runner explain lists all\n"))
  }

  @Test func aMessageWithoutACodeIsFoundByAPartOfItAndOnlyThatPartIsShown() throws {
    let outcome = try run("returns an effect or nothing")
    #expect(outcome.status == 0 && outcome.errors == "")
    #expect(outcome.output.hasPrefix("What a handler returns\n"))
    #expect(outcome.output.contains("effect.merge"))
    #expect(!outcome.output.contains("one key"))
    #expect(try run("RETURNS", "an", "effect", "or", "nothing").output == outcome.output)
    #expect(try run("concatenate merge").output == outcome.output)
  }

  @Test(arguments: [
    (
      "a handler returns an effect or nothing; this one returned a string",
      "What a handler returns"
    ),
    ("error: scripts/a.lua:7: attempt to index a nil value (field 'zork')", "runtime"),
    (
      "scripts/a.lua:3: attempt to perform arithmetic on a nil value (local 'n')",
      "Messages of Lua"
    ),
    ("scripts/a.lua:3: stack overflow", "Messages of Lua"),
    ("this takes longer than 5 s", "time"),
    ("the draft of Foo state is used after its handler returned", "A draft after its action"),
    ("not enough memory: this needs more than 7 MB", "memory"),
    ("two elements of state.rows have the id 7", "duplicateID"),
    ("Foo has no handler for the action \"bar\"", "unknownAction"),
    ("the screen has no button 'Strat'; did you mean 'Start'?", "notOnScreen"),
    (
      "error: the state of entry 0 is from before a reload that changed the state itself (a migration",
      "history"
    ),
    ("error: a durable store does not go back, because its records are there", "history"),
    ("not as recorded", "history"), ("File exists", "history"),
    (
      "scripts/a.lua:3: deps.date.now is called, which it was not (so often) when this action was recorded: "
        + "there is no answer to replay", "history"
    ),
  ])
  func aMessageIsFoundThoughItsNamesAndNumbersAreOthersThanThoseOfTheEntry(
    _ message: String, _ heading: String
  ) throws {
    let outcome = try run(message)
    #expect(outcome.status == 0 && outcome.lines.first == heading, "\(outcome)")
  }

  @Test(arguments: [
    ("error: rooms.db is in use by process 99; end that", "another program is"),
    ("could not take the action add: a.db was not written: the disk is full", "make room"),
    ("could not take", "did nothing"),
  ])
  func aMessageOfAJournalIsFoundInItsTable(_ message: String, _ text: String) throws {
    let outcome = try run(message)
    #expect(outcome.status == 0 && outcome.output.contains(text), "\(outcome)")
  }

  @Test func aMessageThatNamesItsCodeIsFoundByThat() throws {
    #expect(try run("warning[locked]: the action").output.hasPrefix("locked\n"))
  }

  @Test func aWordThatSeveralEntriesHaveListsThem() throws {
    let outcome = try run("in flight")
    #expect(outcome.status == 0)
    for code in ["vanishedHandler", "effects"] {
      #expect(outcome.lines.contains { $0.hasPrefix("  \(code) ") })
    }
    #expect(outcome.lines.allSatisfy { !$0.contains("unhandledBinding") })
  }

  @Test func aRunOnATerminalEndsWithTheCommandThatExplainsItsFirstMessageOnce() throws {
    let scripts = try TemporaryFolder.counter()
    let terminal = try Terminal()
    let process = try RunnerProcess.spawn(
      [RunnerProcess.executable.path, "run", "counter", "--root", scripts.path],
      streams: terminal.streams, environment: ["NO_COLOR": "1"])
    terminal.read(until: "› ")
    terminal.write("incremnt\n")
    #expect(terminal.read(until: "› ").contains("  warning[unknownAction]: "))
    terminal.write("decremnt\n")
    terminal.read(until: "› ")
    terminal.write("\u{4}")
    let rest = terminal.read(until: "tells more")
    #expect(rest.contains("note: runner explain unknownAction tells more"))
    #expect(RunnerProcess.wait(for: process).status == 0)
  }
}
