import Foundation
import Platform
import Testing

/// How runner test watches.
struct WatchTests {
  let project: TestProject

  init() throws {
    project = try TestProject([
      "a_test.lua": "local a = require 'a'\nit('uses a', function() assert.are.equal(1, a.n) end)",
      "a.lua": "return require 'base'",
      "base.lua": "return { n = 1 }",
      "b_test.lua": "it('uses nothing', function() end)",
    ])
  }

  /// The tests that the next run tells of, by name and status.
  func nextRun(_ conversation: Conversation) -> [String] {
    var tests: [String] = []
    while true {
      let line = conversation.hear()
      if line.isEmpty || line.contains(#""event":"end""#) { return tests }
      if let match = line.firstMatch(of: /"name":"([^"]*)".*"status":"([a-z]*)"/) {
        tests.append("\(match.1): \(match.2)")
      }
    }
  }

  /// After that it waits.
  func waitForPrompt(_ conversation: Conversation) {
    while !conversation.hearError().contains("Watching.") {}
  }

  @Test func aChangeRunsWhatUsesTheScriptDirectlyOrNotKeysRunTheRest() throws {
    let conversation = try project.converse("--watch", "--reporter", "json")
    #expect(nextRun(conversation) == ["uses a: passed", "uses nothing: passed"])
    waitForPrompt(conversation)

    try project.write("return { n = 2 }", to: "base.lua")
    #expect(nextRun(conversation) == ["uses a: failed"])
    waitForPrompt(conversation)

    try project.write("it('uses nothing yet', function() end)", to: "b_test.lua")
    #expect(nextRun(conversation) == ["uses nothing yet: passed"])
    waitForPrompt(conversation)

    try project.write("it('is new', function() end)", to: "deep/c_test.lua")
    #expect(nextRun(conversation) == ["is new: passed"])
    waitForPrompt(conversation)

    conversation.type("f")
    #expect(nextRun(conversation) == ["uses a: failed"])
    waitForPrompt(conversation)
    conversation.type("a")
    #expect(nextRun(conversation).count == 3)
    conversation.type("q")
    #expect(conversation.end().status == 1)
  }

  @Test func anotherFolderInPlaceOfTheRootAndAFileThatALinkLeadsToAreSeen() throws {
    try project.write("return { n = 1 }", to: "version")
    let root = project.folder.path + "/scripts"
    #expect(unlink(root + "/base.lua") == 0)
    #expect(symlink(root + "/version", root + "/base.lua") == 0)
    let conversation = try project.converse("--watch", "--reporter", "json")
    #expect(nextRun(conversation) == ["uses a: passed", "uses nothing: passed"])
    waitForPrompt(conversation)

    try project.write("return { n = 2 }", to: "version")
    #expect(nextRun(conversation) == ["uses a: failed"])
    waitForPrompt(conversation)

    let new = try TestProject(["new_test.lua": "it('is new', function() end)"])
    #expect(rename(root, root + ".old") == 0)
    #expect(rename(new.folder.path + "/scripts", root) == 0)
    var tests: [String] = []
    for _ in 0..<5 where !tests.contains("is new: passed") { tests = nextRun(conversation) }
    #expect(tests.contains("is new: passed"))
    waitForPrompt(conversation)
    try project.write("it('is newer', function() end)", to: "new_test.lua")
    #expect(nextRun(conversation) == ["is newer: passed"])
    conversation.type("q")
    #expect(conversation.end().status == 0)
  }

  @Test func aFilterIsAskedForAndEnterRunsTheSameAgain() throws {
    let conversation = try project.converse("--watch", "--reporter", "json")
    _ = nextRun(conversation)
    waitForPrompt(conversation)
    conversation.say("p" + "nothing")
    #expect(nextRun(conversation) == ["uses nothing: passed"])
    waitForPrompt(conversation)
    conversation.say("")
    #expect(nextRun(conversation) == ["uses nothing: passed"])
    waitForPrompt(conversation)
    conversation.type("q")
    #expect(conversation.end().status == 0)
  }

  @Test func anAnswerOfTheTerminalIsNoKey() throws {
    let conversation = try project.converse("--watch", "--reporter", "json")
    _ = nextRun(conversation)
    waitForPrompt(conversation)
    conversation.type("\u{1B}]11;rgb:ffff/aaaa/ffff\u{1B}\\\u{1B}[aq")
    let (status, output, _) = conversation.end()
    #expect(status == 0)
    #expect(!output.contains("passed"))
  }

  @Test func aFileThatDoesNotLoadIsTriedAgainWithEveryChange() throws {
    try project.write("require 'absent'", to: "a_test.lua")
    let conversation = try project.converse("--watch", "--reporter", "json")
    #expect(nextRun(conversation) == ["uses nothing: passed"])
    waitForPrompt(conversation)
    try project.write("it('is there', function() end)", to: "absent.lua")
    _ = nextRun(conversation)
    waitForPrompt(conversation)
    try project.write("require 'absent' it('works', function() end)", to: "a_test.lua")
    #expect(nextRun(conversation).contains("works: passed"))
    conversation.type("q")
    #expect(conversation.end().status == 0)
  }

  @Test func ctrlCEndsTheWatch() throws {
    let conversation = try project.converse("--watch", "--reporter", "json")
    _ = nextRun(conversation)
    waitForPrompt(conversation)
    conversation.signal(SIGINT)
    #expect(conversation.end().status == 130)
  }

  @Test func theEndOfTheInputEndsItAfterTheRunThatIsUnderWay() throws {
    try project.write("it('fails', function() error('no') end)", to: "b_test.lua")
    let conversation = try project.converse("--watch", "--reporter", "json")
    conversation.endInput()
    #expect(nextRun(conversation) == ["uses a: passed", "fails: failed"])
    #expect(conversation.end().status == 1)

    let waiting = try project.converse("--watch", "--reporter", "json")
    _ = nextRun(waiting)
    waitForPrompt(waiting)
    waiting.endInput()
    #expect(waiting.end().status == 1)
  }

  @Test func aRunThatAKeyEndsHasNoSummary() throws {
    try project.write("it('never ends', function() while true do end end)", to: "b_test.lua")
    let conversation = try project.converse("--watch", "--timeout", "0")
    #expect(conversation.hear().hasPrefix("✓ scripts/a_test.lua"))
    conversation.type("q")
    let (_, output, errors) = conversation.end()
    #expect(!output.contains("Interrupted"))
    #expect(!output.contains("passed, "))
    #expect(errors == "")
  }

  @Test(arguments: ["q", "INT", "TERM", "HUP"])
  func theTerminalTakesSingleKeysMeanwhileAndIsAsItWasAfterwards(end: String) throws {
    let terminal = try Terminal()
    let process = try RunnerProcess.spawn(
      [RunnerProcess.executable.path, "test", "--watch"], streams: terminal.streams,
      environment: project.environment(), in: project.folder.folder)
    #expect(terminal.takesLines)
    terminal.read(until: "Watching.")
    #expect(!terminal.takesLines)
    switch end {
    case "q": terminal.write("q")
    case "INT": kill(process, SIGINT)
    case "TERM": kill(process, SIGTERM)
    default: kill(process, SIGHUP)
    }
    _ = RunnerProcess.wait(for: process)
    #expect(terminal.takesLines)
  }
}
