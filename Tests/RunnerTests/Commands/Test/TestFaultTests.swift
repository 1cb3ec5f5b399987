import Foundation
import Platform
import Testing

/// What runner test does when something is wrong.
struct TestFaultTests {
  @Test func aFileThatDoesNotCompileHasFailedAndTheOthersRun() throws {
    let project = try TestProject([
      "broken_test.lua": "it('a', function()\n", "fine_test.lua": "it('b', function() end)",
    ])
    let outcome = try project.run()
    #expect(outcome.status == 1)
    #expect(outcome.lines.last == "1 passed, 1 failed")
    #expect(outcome.output.contains("✗ scripts/broken_test.lua  does not load\n"))
    #expect(
      outcome.output.contains(" FAIL  scripts/broken_test.lua\n\n  scripts/broken_test.lua:2: "))
    let tap = try project.run("--reporter", "tap")
    #expect(tap.output.contains("not ok 1 - scripts/broken_test.lua\n"))
    let github = try project.run("--reporter", "github")
    #expect(github.output.hasPrefix("::error file=scripts/broken_test.lua,line=2,title="))
  }

  @Test func aFileThatRaisesWhileItLoadsHasFailedAndSaysWhatItRequiresInVain() throws {
    let project = try TestProject(["a_test.lua": "local x = require 'absent'"])
    let outcome = try project.run()
    #expect(outcome.status == 1)
    #expect(outcome.lines.last == "0 passed, 1 failed")
    #expect(outcome.output.contains("a_test.lua:1: there is no module 'absent'"))
  }

  @Test func aMisspeltAssertionFailsWithTheNearestOne() throws {
    let project = try TestProject([
      "a_test.lua": """
      it("a", function() assert.euqal(1, 1) end)
      it("b", function() assert.is_not.treu(1) end)
      it("c", function() assert.spy(spy.new(print)).was_caled_with(1) end)
      it("d", function() assert.something_else(1) end)
      """
    ])
    let output = try project.run().output
    #expect(output.contains("'assert' has no 'euqal'; did you mean 'equal'?\n"))
    #expect(output.contains("'assert' has no 'is_not_treu'; did you mean 'is_not_true'?\n"))
    #expect(output.contains("'assert' has no 'was_caled_with'; did you mean 'was_called_with'?\n"))
    #expect(output.contains("'assert' has no 'something_else'\n"))
  }

  @Test func aTestStoreMayOfferWhatOnlyAHostRegistersAndEachStoreForItself() throws {
    let project = try TestProject([
      "quiz.lua": """
      return require("scripted").feature {
        name = "Quiz", state = {}, dependencies = { "questions" },
        on = { ask = function(state, action, deps) state.text = deps.questions.next() end },
      }
      """,
      "quiz_test.lua": """
      local test = require "scripted.test"
      local Quiz = require "quiz"
      it("asks", function()
        local store = test.store(Quiz, {
          dependencies = { questions = { next = function() return "one" end } },
        })
        store:send("ask", function(state) state.text = "one" end)
        store.dependencies.questions = { next = function() return "two" end }
        store:send("ask", function(state) state.text = "two" end)
      end)
      it("offers none", function() test.store(Quiz) end)
      it("misspells it", function() test.store(Quiz, { dependencies = { qestions = {} } }) end)
      """,
    ])
    let outcome = try project.run()
    #expect(outcome.lines.last == "1 passed, 2 failed", "\(outcome.output)")
    #expect(
      outcome.output.contains(
        "give the test store one: dependencies = { questions = { … } }. There are"))
    #expect(
      outcome.output.contains("there is no dependency 'questions'; did you mean 'qestions'?"))
  }

  @Test func whatIsRaisedNeedNotBeText() throws {
    let project = try TestProject([
      "a_test.lua": """
      it("table", function() error({ code = 3 }) end)
      it("nothing", function() error() end)
      it("fine", function() end)
      """
    ])
    let outcome = try project.run()
    #expect(outcome.lines.last == "1 passed, 2 failed")
    #expect(outcome.output.contains("code = 3"))
  }

  @Test func twoTestsOfOneNameAreTwoTests() throws {
    let project = try TestProject([
      "a_test.lua": "it('a', function() end)\nit('a', function() error('second') end)"
    ])
    let outcome = try project.run()
    #expect(outcome.lines.last == "1 passed, 1 failed")
    #expect(outcome.output.contains(" FAIL  a  scripts/a_test.lua:2\n"))
  }

  @Test(arguments: [
    (["absent"], "error: there is no absent, neither here nor under scripts\n"),
    (["--root", "absent"], "error: there is no script root absent; --root names one\n"),
  ])
  func pathsAndRootsThatAreNotThereAreToldOf(options: [String], message: String) throws {
    let project = try TestProject([:])
    let outcome = try RunnerProcess.run(
      ["test"] + options, environment: project.environment(), in: project.folder.folder)
    #expect(outcome.status == 66)
    #expect(outcome.errors == message)
    #expect(outcome.output == "")
  }

  @Test func aFolderWithoutTestsIsNothingToRun() throws {
    let project = try TestProject(["todos.lua": ""])
    let outcome = try project.run()
    #expect(outcome.status == 66)
    #expect(
      outcome.errors
        == "error: there are no tests in scripts; files of tests are named *_test.lua or *_spec.lua\n"
    )
  }

  @Test(arguments: ["[", "a(", "%", "x[]", "x[^]", "x[%]", "x)", "x%b(", "x%f"])
  func aMalformedPatternIsWrongUsageIsToldOfBeforeAFileIsLoadedAndAlone(pattern: String) throws {
    let project = try TestProject(["a_test.lua": "error('loaded')"])
    for option in ["--filter", "--filter-out"] {
      let outcome = try project.run(option, pattern)
      #expect(outcome.status == 64)
      #expect(outcome.errors.hasPrefix("error: the pattern '\(pattern)': "))
      #expect(outcome.output == "")
    }
  }

  @Test(arguments: [
    ("[]]", 0), ("[^]a]", 0), ("%[%]%(", 0), ("%b[]", 0), ("[%]]", 0), ("%f[%w]x%%", 0),
    ("()", 0), ("x%1", 64),
  ])
  func whatLooksMalformedMayBeNoneAndWhatLuaFindsOnlyInATestIsToldOfAlone(
    pattern: String, status: Int32
  ) throws {
    let project = try TestProject(["a_test.lua": "it('[](x%', function() end)"])
    let outcome = try project.run("--filter", pattern)
    #expect(outcome.status == status)
    if status != 0 {
      #expect(outcome.errors.hasPrefix("error: the pattern '\(pattern)': "))
      #expect(outcome.output == "")
    }
  }

  @Test(arguments: [
    (["--filter", "absent"], "no test is selected by --filter 'absent'\n"),
    (["--tags", "absent"], "no test is selected by --tags 'absent'\n"),
    (["--seed", "3", "--filter", "absent"], "no test is selected by --filter 'absent'\n"),
    (["empty"], "there are no tests in empty; "),
    (["none.lua"], "there are no tests in none.lua; "),
  ])
  func whereNothingIsToRunPeopleGetTheErrorAloneAndProgramsAReportWithoutTests(
    options: [String], message: String
  ) throws {
    let project = try TestProject(["a_test.lua": "it('a', function() end)", "none.lua": ""])
    try project.folder.makeFolder("scripts/empty")
    for reporter in ["pretty", "dot"] {
      let outcome = try project.run(options + ["--reporter", reporter])
      #expect(outcome.status == 66)
      #expect(outcome.errors.hasPrefix("error: \(message)"))
      #expect(outcome.errors.split(separator: "\n").count == 1)
      #expect(outcome.output == "")
    }
    let tap = try project.run(options + ["--reporter", "tap"])
    #expect(tap.lines.last == "1..0 # SKIP no tests")
  }

  @Test func aFileWithoutTestsIsNotOneThatPassed() throws {
    let project = try TestProject(["a_test.lua": "it('a', function() end)", "b_test.lua": ""])
    let outcome = try project.run()
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("○ scripts/b_test.lua  no tests\n"))
    #expect(outcome.output.contains("\nFiles  1 passed, 0 failed, 1 skipped  in "))
  }

  @Test func whereNothingSaysWhatTheRootIsAFileThatDoesNotLoadTellsOfIt() throws {
    let project = try TestProject(["a_test.lua": "require 'absent'"])
    let scripts = project.folder.url("scripts")
    let here = try RunnerProcess.run(["test"], environment: project.environment(), in: scripts)
    #expect(here.status == 1)
    #expect(here.errors == "note: the script root is .; --root names another\n")
    #expect(try project.run().errors == "")
  }

  @Test(arguments: [
    ["--jobs", "0"], ["--bail", "0"], ["--repeat", "0"], ["--retries", "-1"],
    ["--timeout", "-1"], ["--timeout", "soon"], ["--shard", "0/2"], ["--shard", "3/2"],
    ["--shard", "1"], ["--seed", "x"], ["--slowest", "-1"], ["--coverage-threshold", "101"],
    ["--list", "--watch"], ["--no-such-option"], ["--repeat", "9223372036854775807"],
    ["--timeout", "nan"], ["--max-time", "nan"], ["--coverage-threshold", "nan"],
  ])
  func wrongUsageIsExplained(options: [String]) throws {
    let outcome = try RunnerProcess.run(
      ["test"] + options.map { $0.hasPrefix("-") && $0.count == 2 ? "=\($0)" : $0 })
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("Usage:"))
    #expect(outcome.output == "")
  }

  @Test func withoutAFolderForItNothingIsRememberedAndNothingGoesWrong() throws {
    let project = try TestProject(["a_test.lua": "it('a', function() error('no') end)"])
    let nowhere = ["XDG_CACHE_HOME": "", "HOME": ""]
    #expect(try project.run(environment: nowhere).status == 1)
    #expect(try project.run("--only-failed", environment: nowhere).status == 66)
    // One that cannot be read is as good as none.
    #expect(try project.run().status == 1)
    let cache = project.folder.path + "/cache/scripted-store/tests/"
    let file = try #require(try FileManager.default.contentsOfDirectory(atPath: cache).first)
    try Data("{".utf8).write(to: URL(fileURLWithPath: cache + file))
    #expect(try project.run("--only-failed").status == 66)
  }

  @Test func ctrlCEndsTheTestThatRunsAndTellsOfWhatRan() throws {
    let project = try TestProject([
      "a_test.lua": "it('ends', function() end)",
      "b_test.lua": "it('never ends', function() while true do end end)",
      "c_test.lua": "it('does not begin', function() end)",
    ])
    let terminal = try Terminal()
    let process = try RunnerProcess.spawn(
      [RunnerProcess.executable.path, "test", "--jobs", "1", "--timeout", "0"],
      streams: terminal.streams, environment: project.environment(["NO_COLOR": "1"]),
      in: project.folder.folder)
    // The progress line tells what runs.
    terminal.read(until: "scripts/b_test.lua: never ends")
    kill(process, SIGINT)
    let report = terminal.read(until: "1 passed, 1 failed")
    #expect(RunnerProcess.wait(for: process).status == 130)
    #expect(report.contains("FAIL  never ends  scripts/b_test.lua:1"))
    #expect(report.contains("Interrupted; this is what ran."))
    #expect(!report.contains("c_test.lua"))
  }

  @Test func twoSignalsAtOnceAsASupervisorSendsThemToAGroupAreOne() throws {
    let project = try TestProject([
      "a_test.lua": """
      it('ends', function() end)
      it('never ends', function() while true do end end)
      """
    ])
    let conversation = try project.converse("--timeout", "0", "--reporter", "json")
    while !conversation.hear().contains(#""name":"ends""#) {}
    conversation.signal(SIGINT)
    conversation.signal(SIGTERM)
    let (status, output, _) = conversation.end()
    #expect(status == 130 || status == 143)
    #expect(output.contains(#""stopped":"interrupted""#))
  }

  @Test(arguments: ["0", "9223372036854775807", "99999999999999999999"])
  func anErrorMayNameAnyLine(_ number: String) throws {
    let project = try TestProject([
      "a_test.lua": "it('a', function() error('a_test.lua:\(number): wrong', 0) end)"
    ])
    let outcome = try project.run()
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("a_test.lua:\(number): wrong"))
    #expect(outcome.lines.last == "0 passed, 1 failed")
  }

  @Test func aNameThatIsNoTextIsShownWithItsBytesAndTheOtherTestsRun() throws {
    let project = try TestProject([
      "a_test.lua": """
      describe("caf\\xe9", function()
        it("one \\xff\\xc3", function() end)
        it("two", function() error("no") end)
        pending("three \\xed\\xa0\\x80")
      end)
      describe("\\x80", function() error("broken") end)
      it("é", function() end)
      """
    ])
    let outcome = try project.run("--verbose")
    #expect(outcome.output.contains(#"✓ caf\233 › one \255\195"#), "\(outcome.output)")
    #expect(outcome.output.contains(#"- caf\233 › three \237\160\128"#))
    #expect(outcome.output.contains(#"\128"#) && outcome.output.contains("✓ é"))
    #expect(outcome.lines.last == "2 passed, 2 failed, 1 skipped")
    #expect(
      try project.list("--filter", "255") == [#"caf\233 one \255\195"#])
  }

  @Test func aFileOfWhichEachBlockRaisesHasFailed() throws {
    let project = try TestProject([
      "a_test.lua": "describe('a', function() error('broken') end)",
      "b_test.lua": "it('b', function() end)",
    ])
    let outcome = try project.run()
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("broken"))
    #expect(outcome.lines.last == "1 passed, 1 failed")
  }

  @Test func aFileThatNeverEndsToLoadHasFailed() throws {
    let project = try TestProject([
      "a_test.lua": "while true do end", "b_test.lua": "it('b', function() end)",
    ])
    let outcome = try project.run("--timeout", "0.2")
    #expect(outcome.status == 1)
    #expect(outcome.lines.last == "1 passed, 1 failed")
    #expect(outcome.output.contains("✗ scripts/a_test.lua  does not load\n"))
  }
}
