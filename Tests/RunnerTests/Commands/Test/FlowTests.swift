import Foundation
import Testing

/// How runner test goes through the tests.
struct FlowTests {
  @Test func theReportIsInTheOrderOfTheFilesHoweverManyRunAtOnce() throws {
    var files: [String: String] = [:]
    for number in 10..<30 {
      // The first ones take longest.
      files["f\(number)_test.lua"] = """
        it("runs \(number)", function()
          local sum = 0
          for i = 1, \((30 - number) * 20_000) do sum = sum + i end
          assert.is_true(sum > 0)
        end)
        """
    }
    let project = try TestProject(files)
    let reports = try ["1", "4", "100"].map { jobs in
      TestProject.timeless(try project.run("--jobs", jobs, "--verbose").output)
    }
    #expect(Set(reports).count == 1)
    #expect(reports[0].hasSuffix("20 passed, 0 failed\n"))
    let names = reports[0].matches(of: /✓ scripts\/f(\d+)_test/).map { Int($0.1) }
    #expect(names == Array(10..<30))
  }

  @Test func eachFileHasAVMOfItsOwn() throws {
    let file = """
      local shared = require "shared"
      it("is the first to count", function()
        shared.count = shared.count + 1
        assert.are.equal(1, shared.count)
      end)
      """
    let project = try TestProject([
      "a_test.lua": file, "b_test.lua": file, "shared.lua": "return { count = 0 }",
    ])
    let outcome = try project.run("--jobs", "1", "--repeat", "2")
    #expect(outcome.lines.last == "4 passed, 0 failed")
    #expect(outcome.output.contains("a_test.lua (run 2 of 2)"))
  }

  static let numbers = (1...20).map { "it('t\($0)', function() end)" }.joined(separator: "\n")

  @Test func aSeedMakesTheOrderOfTestsWhichIsAnotherOneWithoutIt() throws {
    let project = try TestProject(["n_test.lua": Self.numbers])
    func order(_ options: String...) throws -> [String] {
      try RunnerProcess.run(
        ["test", "--reporter", "json"] + options, environment: project.environment(),
        in: project.folder.folder
      ).output.matches(of: /"name":"(t\d+)"/).map { String($0.1) }
    }
    let seventh = try order("--seed", "7")
    #expect(seventh.count == 20)
    #expect(seventh == (try order("--shuffle", "--seed", "7")))
    #expect(seventh != (try order("--seed", "8")))
    #expect(seventh != (try order()))
    let shuffled = try project.run("--shuffle")
    let seed = try #require(shuffled.output.firstMatch(of: /^seed (\d+)/))
    #expect(shuffled.output.contains("seed \(seed.1)\n20 passed"))
  }

  @Test func eachRoundOfAShuffledRepetitionHasAnOrderOfItsOwnAndSaysWhich() throws {
    let project = try TestProject(["n_test.lua": Self.numbers])
    let outcome = try project.run("--seed", "41", "--repeat", "2")
    #expect(outcome.output.contains("n_test.lua (run 1 of 2, seed 41)"))
    #expect(outcome.output.contains("n_test.lua (run 2 of 2, seed 42)"))
    #expect(outcome.lines.last == "40 passed, 0 failed")
  }

  static let failing = ["a", "b", "c"].reduce(into: [String: String]()) { files, name in
    files["\(name)_test.lua"] = """
      it("\(name) passes", function() end)
      it("\(name) fails", function() error("no") end)
      it("\(name) fails too", function() error("no") end)
      it("\(name) passes at last", function() end)
      """
  }

  @Test(arguments: [
    (["--fail-fast"], "1 passed, 1 failed", "1 failure"),
    (["--bail", "2"], "1 passed, 2 failed", "2 failures"),
    (["--bail", "3"], "3 passed, 3 failed", "3 failures"),
    (["--bail", "7"], "6 passed, 6 failed", nil),
  ])
  func aNumberOfFailuresEndsTheRunAtTheSameTestHoweverManyFilesRunAtOnce(
    options: [String], last: String, stopped: String?
  ) throws {
    let project = try TestProject(Self.failing)
    for jobs in ["1", "3"] {
      let outcome = try RunnerProcess.run(
        ["test", "--jobs", jobs] + options, environment: project.environment(),
        in: project.folder.folder)
      #expect(outcome.status == 1)
      #expect(outcome.lines.last == last)
      #expect(outcome.output.contains("Stopped after") == (stopped != nil))
      if let stopped { #expect(outcome.output.contains("Stopped after \(stopped).")) }
    }
  }

  @Test func aTestThatPassesAtAnotherAttemptIsFlakyOneThatNeverDoesHasFailed() throws {
    let project = try TestProject([
      "flaky_test.lua": """
      local attempts = 0
      it("passes at last", function()
        attempts = attempts + 1
        assert.are.equal(3, attempts)
      end)
      it("never passes", function() error("no") end)
      """
    ])
    let outcome = try project.run("--retries", "2")
    #expect(outcome.status == 1)
    #expect(outcome.lines.last == "1 passed, 1 failed")
    #expect(outcome.output.contains("1 flaky"))
    #expect(
      outcome.output.contains(
        "Passed, but not at the first attempt\n  passes at last  scripts/flaky_test.lua:2  attempt 3\n"
      ))
    #expect(try project.run("--retries", "2", "--filter", "last").status == 0)
    #expect(try project.run("--filter", "last").status == 1)
  }

  @Test func aTestThatTakesLongerThanItMayIsEndedAndTheRestRuns() throws {
    let project = try TestProject([
      "slow_test.lua": """
      it("never ends", function() while true do end end)
      it("ends", function() end)
      """
    ])
    let outcome = try project.run("--timeout", "0.2")
    #expect(outcome.status == 1)
    #expect(outcome.lines.last == "1 passed, 1 failed")
    #expect(outcome.output.contains("FAIL  never ends"))
  }

  @Test func theSlowestTestsAreTold() throws {
    let project = try TestProject([
      "a_test.lua": """
      it("is slow", function() local n = 0 for i = 1, 3000000 do n = n + i end end)
      it("is quick", function() end)
      """
    ])
    let outcome = try project.run("--slowest", "1")
    let slowest = try #require(outcome.output.split(separator: "Slowest\n").last)
    #expect(slowest.split(separator: "\n").first?.contains("is slow  scripts/a_test.lua:1") == true)
    #expect(!slowest.contains("is quick"))
  }

  @Test func noTestToRunIsAnErrorUnlessThatIsAllowed() throws {
    let project = try TestProject(["a_test.lua": "it('a', function() end)", "b_test.lua": ""])
    for options in [["--filter", "zzz"], ["scripts/b_test.lua"], ["--tags", "none"]] {
      let outcome = try RunnerProcess.run(
        ["test"] + options, environment: project.environment(), in: project.folder.folder)
      #expect(outcome.status == 66)
      #expect(outcome.errors.hasPrefix("error: "))
      #expect(outcome.output == "")
      let allowed = try RunnerProcess.run(
        ["test", "--pass-with-no-tests"] + options, environment: project.environment(),
        in: project.folder.folder)
      #expect(allowed.status == 0)
      #expect(allowed.errors == "")
    }
    let outcome = try project.run()
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("○ scripts/b_test.lua  no tests"))
  }

  @Test func snapshotsAreWrittenWhenNewKeptUpdatedWhenToldAndNeverUnderCI() throws {
    func test(_ value: Int) -> String {
      "it('shows', function() assert.matches_snapshot({ value = \(value) }) end)"
    }
    let project = try TestProject(["s_test.lua": test(1)])
    let onCI = try project.run(environment: ["CI": "true"])
    #expect(onCI.status == 1)
    #expect(onCI.output.contains("there is no snapshot"))
    #expect(try project.run().status == 0)
    #expect(try project.run(environment: ["CI": "true"]).status == 0)
    try project.write(test(2), to: "s_test.lua")
    let changed = try project.run()
    #expect(changed.status == 1)
    #expect(changed.output.contains("differs from the snapshot"))
    #expect(try project.run("--update-snapshots", environment: ["CI": "true"]).status == 1)
    #expect(try project.run("--update-snapshots").status == 0)
    #expect(try project.run().status == 0)

    try project.write("it('hides', function() end)", to: "s_test.lua")
    let obsolete = try project.run()
    #expect(obsolete.status == 0)
    #expect(obsolete.output.contains("Obsolete snapshots"))
    #expect(try project.run("--filter", "hides").output.contains("Obsolete snapshots"))
    _ = try project.run("--update-snapshots")
    #expect(!(try project.run().output.contains("Obsolete snapshots")))
  }
}
