import LuaBridge
import ScriptedStore
import Testing

/// The tests of a file: which there are, and how they end.
@Suite struct TestFileTests {
  @Test func aFileListsItsTestsWithLinesBlocksAndTags() throws {
    let app = try TestFolder(
      """
      describe("Todos #fast", function()
        it("adds", function() end)
        describe("when sorted", function()
          it("keeps #slow order", function() end)
        end)
      end)
      it("is outside", function() end)
      """)
    let tests = app.file.tests
    #expect(
      tests.map(\.name) == [
        "Todos #fast adds", "Todos #fast when sorted keeps #slow order", "is outside",
      ])
    #expect(tests.map(\.line) == [2, 4, 7])
    #expect(tests.map(\.tags) == [["fast"], ["fast", "slow"], []])
    #expect(tests[1].path == ["Todos #fast", "when sorted", "keeps #slow order"])
    #expect(tests.allSatisfy { $0.file == "app_test.lua" })
  }

  @Test func testsPassFailAndAreSkipped() throws {
    let app = try TestFolder(
      """
      describe("A", function()
        it("passes", function() assert.are.equal(2, 1 + 1) end)
        it("fails", function()
          assert.are.equal(3, 1 + 1)
        end)
        it("raises", function() error("boom") end)
        it("is not ready")
        pending("is planned", function() end)
      end)
      """)
    let results = app.run()
    #expect(
      words(results) == [
        "A passes: passed", "A fails: failure", "A raises: error", "A is not ready: skipped",
        "A is planned: skipped",
      ])
    let failed = try #require(results[1].failures.first)
    #expect(failed.script == "app_test.lua" && failed.line == 4)
    #expect(failed.traceback?.contains("app_test.lua:4:") == true)
    let raised = try #require(results[2].failures.first)
    #expect(raised.description == "app_test.lua:6: boom")
  }
}
