import Foundation
import Testing

/// Which tests runner test takes.
struct SelectionTests {
  let project: TestProject

  init() throws { project = try .mixed() }

  static let all = [
    "Words in a row are counted", "Words in a row raise", "Words are translated", "Sums adds",
    "Sums subtracts #slow", "is zero #slow #odd",
  ]

  @Test func filesAreFoundUnderTheRootInTheOrderOfNamesAndTestsListedWithTheirLines() throws {
    try project.write("error('not a test')", to: "sums.lua")
    try project.write("it('hidden', function() end)", to: ".hidden/hidden_test.lua")
    let outcome = try project.run("--list")
    #expect(outcome.status == 0)
    #expect(
      outcome.lines == [
        "scripts/deep/words_spec.lua:4: Words in a row are counted",
        "scripts/deep/words_spec.lua:5: Words in a row raise",
        "scripts/deep/words_spec.lua:7: Words are translated",
        "scripts/sums_test.lua:2: Sums adds",
        "scripts/sums_test.lua:3: Sums subtracts #slow",
        "scripts/zero_test.lua:1: is zero #slow #odd",
      ])
  }

  @Test func pathsAreFilesWhateverTheyAreCalledAndFoldersAsSeenFromHereOrFromTheRoot() throws {
    try project.write("it('is a test', function() end)", to: "other.lua")
    #expect(try project.list("scripts/other.lua") == ["is a test"])
    #expect(try project.list("scripts/deep") == Array(Self.all[..<3]))
    #expect(try project.list("zero_test.lua", "scripts/other.lua") == [Self.all[5], "is a test"])
    // Each file once.
    #expect(try project.list("scripts/zero_test.lua", "zero_test.lua") == [Self.all[5]])
  }

  @Test func aLinkToAFolderAroundItIsNotFollowedAgainNorAFileFoundTwice() throws {
    let scripts = project.folder.url("scripts")
    for (name, target) in [("loop", "."), ("again", "deep"), ("same_test.lua", "zero_test.lua")] {
      try FileManager.default.createSymbolicLink(
        atPath: scripts.appendingPathComponent(name).path, withDestinationPath: target)
    }
    let names = try project.list()
    #expect(names.sorted() == Self.all.sorted())
  }

  @Test func theRootConfinesWhatIsRequiredAndIsTheCurrentFolderWhereThereIsNoScripts() throws {
    let scripts = project.folder.url("scripts")
    let here = try RunnerProcess.run(
      ["test", "--list"], environment: project.environment(), in: scripts)
    #expect(here.lines.count == 6)
    let elsewhere = try project.run("--root", "scripts/deep", "--sandbox")
    #expect(elsewhere.status == 1)
    #expect(elsewhere.output.contains("there is no module 'words'"))
  }

  @Test(arguments: [
    (["--filter", "row"], [0, 1]), (["--filter", "^Words are"], [2]),
    (["--filter", "adds$", "--filter", "zero"], [3, 5]),
    (["--filter-out", "^Words", "--filter-out", "%d*zero"], [3, 4]),
    (["--filter", "Sums", "--filter-out", "adds"], [4]),
    (["--tags", "slow"], [4, 5]), (["--tags", "odd,even"], [5]), (["--tags", "#odd"], [5]),
    (["--exclude-tags", "slow"], [0, 1, 2, 3]),
    (["--tags", "slow", "--exclude-tags", "odd"], [4]),
  ])
  func filtersAreLuaPatternsOnTheFullName(options: [String], expected: [Int]) throws {
    let outcome = try RunnerProcess.run(
      ["test", "--list"] + options, environment: project.environment(), in: project.folder.folder)
    #expect(outcome.status == 0)
    let names = outcome.lines.map { $0.split(separator: ": ", maxSplits: 1).last.map(String.init) }
    #expect(names == expected.map { Self.all[$0] })
  }

  @Test func aFilterTakesTheTestsOfARunAndLeavesNoWordOfOtherFiles() throws {
    let outcome = try project.run("--filter", "adds")
    #expect(outcome.status == 0)
    #expect(outcome.lines.last == "1 passed, 0 failed")
    #expect(!outcome.output.contains("words_spec"))
  }

  @Test func everyTestIsInOneShardTheSameEachTimeAndWhateverElseIsSelected() throws {
    let parts = try (1...3).map { try project.list("--shard", "\($0)/3") }
    #expect(parts.flatMap(\.self).sorted() == Self.all.sorted())
    #expect(parts == (try (1...3).map { try project.list("--shard", "\($0)/3") }))
    let slow = try (1...3).map { try project.list("--shard", "\($0)/3", "--tags", "slow") }
    for (part, slow) in zip(parts, slow) {
      #expect(slow == part.filter { $0.contains("#slow") })
    }
  }

  @Test func aPartWithoutTestsIsFineIfThereAreSomeInOthers() throws {
    try project.write("it('is one', function() end)", to: "alone_test.lua")
    let options = ["alone_test.lua", "--filter", "one"]
    let outcomes = try (1...2).map { try project.run(options + ["--shard", "\($0)/2"]) }
    #expect(outcomes.map(\.status) == [0, 0])
    #expect(
      Set(outcomes.compactMap(\.lines.last)) == ["1 passed, 0 failed", "0 passed, 0 failed"])
    let empty = try #require(outcomes.firstIndex { $0.lines.last == "0 passed, 0 failed" })
    let note = "note: no test that is selected is in part \(empty + 1)/2\n"
    #expect(outcomes[empty].errors == note)
    let list = try project.run(options + ["--list", "--shard", "\(empty + 1)/2"])
    #expect(list.status == 0)
    #expect(list.errors == note)
    #expect(list.output == "")

    let nowhere = try project.run("alone_test.lua", "--filter", "two", "--shard", "1/2")
    #expect(nowhere.status == 66)
    #expect(nowhere.errors == "error: no test is selected by --filter 'two' --shard '1/2'\n")
  }

  @Test func onlyWhatFailedRunsAgainUntilItPasses() throws {
    #expect(try project.run().lines.last == "3 passed, 2 failed, 1 skipped")
    let again = try project.run("--only-failed")
    #expect(again.lines.last == "0 passed, 2 failed")
    try project.write(
      "describe('Sums', function() it('subtracts #slow', function() end) end)", to: "sums_test.lua")
    #expect(try project.run("--only-failed").lines.last == "1 passed, 1 failed")
    #expect(try project.list("--only-failed") == [Self.all[1]])
    // What did not run stays as it was.
    #expect(try project.run("--tags", "odd").status == 0)
    #expect(try project.list("--only-failed") == [Self.all[1]])
    // A file that is gone has not failed.
    try FileManager.default.removeItem(at: project.folder.url("scripts/deep"))
    #expect(try project.run("--filter", "zero").status == 0)
    let none = try project.run("--only-failed")
    #expect(none.status == 66)
    #expect(none.errors.contains("no test failed when it ran last"))
  }

  @Test func aTestThatABlockHidesStillCountsAsFailed() throws {
    func source(_ start: String) -> String {
      """
      it("passes", function() end)
      describe("block", function()
        \(start)
        it("fails", function() error("no") end)
      end)
      """
    }
    let project = try TestProject(["a_test.lua": source("")])
    #expect(try project.run().lines.last == "1 passed, 1 failed")
    try project.write(source("error('broken')"), to: "a_test.lua")
    #expect(try project.run().lines.last == "1 passed, 1 failed")
    try project.write(source(""), to: "a_test.lua")
    #expect(try project.run("--only-failed").lines.last == "0 passed, 1 failed")
  }

  @Test func aFileThatDoesNotLoadHasFailedAsAWhole() throws {
    try project.write("describe(", to: "zero_test.lua")
    #expect(try project.run("zero_test.lua").status == 1)
    try project.write("it('a', function() end) it('b', function() end)", to: "zero_test.lua")
    #expect(try project.run("--only-failed").lines.last == "2 passed, 0 failed")
  }

  @Test func whatChangedSinceARevisionSelectsTheFilesThatUseIt() throws {
    func git(_ command: String) throws {
      let outcome = try RunnerProcess.shell(
        """
        git -c user.name=a -c user.email=a@b -c init.defaultBranch=main -c commit.gpgsign=false \
        \(command)
        """, in: project.folder.folder)
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
    let unknown = try project.run("--changed-since", "HEAD")
    #expect(unknown.status == 64)
    try git("init -q")
    try project.folder.write("cache\n", to: ".gitignore")
    try git("add .")
    try git("commit -qm first")
    let nothing = try project.run("--changed-since", "HEAD")
    #expect(nothing.status == 0)
    #expect(nothing.errors == "note: no test uses what has changed\n")
    #expect(try project.run("--changed-since", "HEAD", "--coverage-threshold", "90").status == 0)
    #expect(try project.run("--changed-since", "HEAD", "--filter", "absent").status == 66)

    // A script that a test requires, in the working tree.
    let words = try project.folder.text("scripts/words.lua")
    try project.write(words + "\n", to: "words.lua")
    #expect(try project.list("--changed-since", "HEAD") == Array(Self.all[..<3]))
    // In a commit, and a test file that git does not know.
    try git("commit -qam second")
    try project.write("it('is new', function() end)", to: "new_test.lua")
    #expect(try project.list("--changed-since", "HEAD~1") == Array(Self.all[..<3]) + ["is new"])
    #expect(try project.list("--changed-since", "HEAD") == ["is new"])

    let wrong = try project.run("--changed-since", "--output=x")
    #expect(wrong.status == 64)
    let absent = try project.run("--changed-since", "nowhere")
    #expect(absent.status == 64)
    #expect(absent.errors.contains("git knows no revision 'nowhere'"))
  }
}
