import Foundation
import Testing

/// What runner test reports.
struct ReporterTests {
  let project: TestProject

  init() throws { project = try .mixed() }

  /// A line of the report for people for each file, and what failed in full.
  @Test func forPeopleALineAFileWhatFailedWithItsSourceTheCountsAtTheEnd() throws {
    let outcome = try project.run()
    #expect(outcome.status == 1)
    #expect(outcome.errors == "")
    #expect(
      TestProject.timeless(outcome.output).hasPrefix(
        """
        ✗ scripts/deep/words_spec.lua  1 passed, 1 failed, 1 skipped  N ms
            ✗ Words › in a row › raise  N ms
        ✗ scripts/sums_test.lua  1 passed, 1 failed  N ms
            ✗ Sums › subtracts #slow  N ms
        ✓ scripts/zero_test.lua  1 passed  N ms

         FAIL  Words › in a row › raise  scripts/deep/words_spec.lua:5

          scripts/words.lua:8: out of words

            6 │ end
            7 │ function words.fail()
          → 8 │   error("out of words")
            9 │ end

          stack traceback:

        """))
    #expect(
      outcome.output.contains(
        """
          → 4 │     assert.are.equal(1, 2 - 2)
        """))
    #expect(
      TestProject.timeless(outcome.output).hasSuffix(
        "\nFiles  1 passed, 2 failed  in N ms\n3 passed, 2 failed, 1 skipped\n"))
  }

  @Test func aLineATestWhenThatIsAskedFor() throws {
    let outcome = try project.run("--verbose")
    #expect(outcome.output.contains("    ✓ Words › in a row › are counted  "))
    #expect(outcome.output.contains("    - Words › are translated\n"))
  }

  @Test func whatATestPrintsIsToldWithItAndIsNotInTheWayOfOtherReports() throws {
    try project.write(
      """
      it("talks", function() print("hello", 1) end)
      it("shouts", function() print("HELLO") error("no") end)
      """, to: "talk_test.lua")
    let outcome = try project.run("talk_test.lua")
    #expect(outcome.output.contains("talks  "))
    #expect(outcome.output.contains("      hello\t1\n"))
    #expect(outcome.output.contains("  it printed\n    HELLO\n"))
    let json = try project.run("talk_test.lua", "--reporter", "json")
    #expect(json.lines.allSatisfy { $0.hasPrefix("{") })
    #expect(json.output.contains(#""output":["hello\t1"]"#))
  }

  @Test func aCharacterATest() throws {
    let outcome = try project.run("--reporter", "dot")
    #expect(outcome.lines.first == ".Fs.F.")
    #expect(outcome.output.contains(" FAIL  Sums › subtracts #slow"))
    #expect(outcome.lines.last == "3 passed, 2 failed, 1 skipped")
  }

  @Test func tapAVersionNumberedTestPointsWithWhatFailedInYAMLAPlan() throws {
    let outcome = try project.run("--reporter", "tap")
    let points = outcome.lines.filter { $0.hasPrefix("ok ") || $0.hasPrefix("not ok ") }
    #expect(outcome.lines.first == "TAP version 14")
    #expect(
      points == [
        "ok 1 - Words in a row are counted", "not ok 2 - Words in a row raise",
        "ok 3 - Words are translated # SKIP", "ok 4 - Sums adds",
        "not ok 5 - Sums subtracts \\#slow", "ok 6 - is zero \\#slow \\#odd",
      ])
    #expect(outcome.lines.last == "1..6")
    #expect(
      outcome.output.contains(
        """
        not ok 2 - Words in a row raise
          ---
          message: "out of words"
          severity: error
          at:
            file: "scripts/words.lua"
            line: 8
          stack: |
            stack traceback:

        """))
    // Nothing else but comments and diagnostics, which are indented.
    let others = outcome.lines.dropFirst().dropLast().filter {
      !points.contains($0) && !$0.hasPrefix("  ") && !$0.hasPrefix("# ")
    }
    #expect(others.isEmpty)
  }

  @Test func jsonAnObjectALine() throws {
    let outcome = try project.run("--reporter", "json")
    let events = try outcome.lines.map { line in
      try #require(
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    let tests = events.filter { $0["event"] as? String == "test" }
    #expect(
      tests.map { $0["status"] as? String } == [
        "passed", "failed", "skipped", "passed", "failed", "passed",
      ])
    #expect(tests[1]["path"] as? [String] == ["Words", "in a row", "raise"])
    #expect(tests[5]["tags"] as? [String] == ["odd", "slow"])
    let failure = try #require((tests[1]["failures"] as? [[String: Any]])?.first)
    #expect(failure["kind"] as? String == "error")
    #expect(failure["message"] as? String == "out of words")
    #expect(failure["script"] as? String == "scripts/words.lua")
    #expect(failure["line"] as? Int == 8)
    let end = try #require(events.last)
    #expect(end["event"] as? String == "end")
    #expect(end["passed"] as? Int == 3)
    #expect(end["failed"] as? Int == 2)
    #expect(end["skipped"] as? Int == 1)
  }

  @Test func gitHubACommandAtTheLineOfEachFailureBesideAReportForPeople() throws {
    try project.write(
      "it('is 100%, or: so', function() error('a\\nb: 1%') end)", to: "odd, file_test.lua")
    let outcome = try project.run("--reporter", "pretty", "--reporter", "github")
    let commands = outcome.lines.filter { $0.hasPrefix("::") }
    #expect(commands.count == 3)
    #expect(
      commands.first
        == "::error file=scripts/words.lua,line=8,title=Words in a row raise::out of words")
    #expect(
      commands[1]
        == "::error file=scripts/odd%2C file_test.lua,line=1,title=is 100%25%2C or%3A so::a%0Ab: 1%25"
    )
    #expect(outcome.lines.last == "3 passed, 3 failed, 1 skipped")
  }

  @Test(arguments: ["pretty", "dot", "tap", "github"])
  func noTerminalObeysWhatIsInAName(reporter: String) throws {
    try project.write(
      #"""
      describe("\27[2J", function()
        it("\27[31mred\127\r\n\u{9B}", function() error("no") end)
        teardown(function() error("no") end)
      end)
      """#, to: "red_test.lua")
    let outcome = try project.run("red_test.lua", "--reporter", reporter, "--verbose")
    #expect(outcome.lines.last != "0 passed, 0 failed")
    let allowed: (Unicode.Scalar) -> Bool = {
      $0 == "\n" || $0 == "\t" || $0.properties.generalCategory != .control
    }
    #expect(outcome.output.unicodeScalars.allSatisfy(allowed))
    let isTAP = reporter == "tap"
    #expect(outcome.output.contains(isTAP ? #"\\027[31mred\\127"# : #"\027[31mred\127"#))
    #expect(outcome.output.contains(#"\u{9b}"#))
    let list = try project.run("red_test.lua", "--list")
    #expect(list.lines == [#"scripts/red_test.lua:2: \027[2J \027[31mred\127 \u{9b}"#])
  }

  @Test func severalReportsAtOnceEachInItsOwnFile() throws {
    let outcome = try project.run(
      "--reporter", "dot", "--reporter", "tap=report.tap", "--reporter", "json=report.json",
      "--reporter", "pretty=report.txt")
    #expect(outcome.lines.first == ".Fs.F.")
    #expect(try project.folder.text("report.tap").hasSuffix("\n1..6\n"))
    #expect(try project.folder.text("report.json").hasPrefix(#"{"event":"begin""#))
    #expect(try project.folder.text("report.txt").hasSuffix("3 passed, 2 failed, 1 skipped\n"))
    let quiet = try project.run("--reporter", "junit=report.xml")
    #expect(quiet.output == "")
    #expect(quiet.errors == "")
  }

  @Test(arguments: [
    (["--reporter", "tap", "--reporter", "pretty"], "tap needs standard output for itself"),
    (["--reporter", "dot", "--reporter", "pretty"], "of pretty and dot one can go"),
    (["--reporter", "tap=a", "--reporter", "json=a"], "cannot write the same file"),
    (["--reporter", "xml"], "xml"), (["--reporter", "tap="], "tap="),
  ])
  func reportsThatWouldGetInEachOthersWayAreRefused(options: [String], message: String) throws {
    let outcome = try RunnerProcess.run(["test"] + options)
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains(message))
    #expect(outcome.output == "")
  }

  @Test func aReportThatCannotBeWrittenIsToldOfBeforeAnythingRuns() throws {
    let outcome = try project.run("--reporter", "pretty", "--reporter", "tap=absent/report.tap")
    #expect(outcome.status == 74)
    #expect(
      outcome.errors
        == "error: the report absent/report.tap cannot be written: No such file or directory\n")
    #expect(outcome.output == "")
  }

  @Test func aFullDiskIsToldOfAtTheEnd() throws {
    guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
    let outcome = try project.run("--reporter", "pretty", "--reporter", "tap=/dev/full")
    #expect(outcome.status == 74)
    #expect(outcome.errors.contains("error: /dev/full: No space left on device"))
    #expect(outcome.lines.last == "3 passed, 2 failed, 1 skipped")
  }

  @Test func aListOrHelpThatAFullDiskDoesNotTakeIsAnError() throws {
    guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
    for arguments in ["test --list", "--help", "help test", "test --help", "--version"] {
      let outcome = try RunnerProcess.shell(
        #""$RUNNER" \#(arguments) > /dev/full"#, in: project.folder.folder)
      #expect(outcome.status == 74, "\(arguments)")
      #expect(outcome.errors == "error: standard output: No space left on device\n")
    }
    let help = try RunnerProcess.run(["test", "--help"])
    #expect(help.status == 0 && help.errors.isEmpty)
    #expect(help.output.hasPrefix("OVERVIEW: ") && help.output.contains("--fail-fast"))
  }

  @Test func coloursOnlyWhereTheyAreWelcome() throws {
    #expect(!(try project.run().output.contains("\u{1B}")))
    #expect(try project.run(environment: ["FORCE_COLOR": "1"]).output.contains("\u{1B}[32m"))
    let both = try project.run(environment: ["FORCE_COLOR": "1", "NO_COLOR": "1"])
    #expect(!both.output.contains("\u{1B}"))
    let file = try project.run(
      "--reporter", "pretty=report.txt", environment: ["FORCE_COLOR": "1"])
    #expect(file.output == "")
    #expect(!(try project.folder.text("report.txt").contains("\u{1B}")))
  }

  @Test func testsOfABlockWhoseSetupRaisedAreToldOfTogether() throws {
    try project.write(
      """
      describe("Block", function()
        setup(function() error("not ready") end)
        it("a", function() end)
        it("b", function() end)
      end)
      describe("Other", function()
        teardown(function() error("not over") end)
        it("c", function() end)
      end)
      """, to: "setup_test.lua")
    let outcome = try project.run("setup_test.lua")
    #expect(outcome.status == 1)
    #expect(outcome.lines.last == "1 passed, 3 failed")
    #expect(
      outcome.output.contains(" FAIL  Block › a  scripts/setup_test.lua:3\n FAIL  Block › b  "))
    #expect(outcome.output.split(separator: "scripts/setup_test.lua:2: not ready\n").count == 2)
    #expect(outcome.output.contains(" FAIL  Other › teardown  scripts/setup_test.lua\n"))
    let tap = try project.run("setup_test.lua", "--reporter", "tap")
    #expect(tap.output.contains("not ok 4 - Other teardown\n"))
  }

  @Test func aReaderThatHasSeenEnoughEndsTheRunWithoutAWord() throws {
    let outcome = try RunnerProcess.shell(
      """
      { XDG_CACHE_HOME=\(project.folder.path) $RUNNER test --repeat 500 --reporter json; } | head -n 1
      """, in: project.folder.folder)
    #expect(outcome.lines == [#"{"event":"begin","root":"scripts"}"#])
    #expect(outcome.errors == "")
  }
}
