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

  @Test func aSyntaxErrorIsThrownWithItsPlace() throws {
    let error = scriptError { _ = try TestFolder("it('x', function()\nlocal = 3\nend)") }
    #expect(error?.kind == .syntax)
    #expect(error?.script == "app_test.lua" && error?.line == 2)
  }

  @Test func whatTheFileRaisesIsThrownWithItsPlace() throws {
    let error = scriptError { _ = try TestFolder("it('x', function() end)\nlocal x = nil + 1") }
    #expect(error?.script == "app_test.lua" && error?.line == 2)
    #expect(error?.message.contains("arithmetic") == true)
  }

  @Test(arguments: ["", "it('is outside', function() end)"])
  func aBlockThatRaisesIsToldAndItsTestsAreNotThere(_ rest: String) throws {
    let app = try TestFolder(
      """
      describe("A", function()
        it("is lost", function() end)
        local x = nil + 1
      end)
      \(rest)
      """)
    var told: [String] = []
    app.file.run { event in
      if case .blockFailed(_, let path, let place, let failure) = event {
        told.append("\(path) \(place): \(failure.script ?? ""):\(failure.line ?? 0)")
      }
      return true
    }
    #expect(told == ["[\"A\"] describe: app_test.lua:3"])
    #expect(app.file.tests.count == (rest.isEmpty ? 0 : 1))
  }

  @Test func aModuleThatDoesNotCompileIsNamed() throws {
    let error = scriptError {
      _ = try TestFolder("require 'broken'", modules: ["broken": "\nlocal = 3"])
    }
    #expect(error?.script == "broken.lua" && error?.line == 2)
  }

  @Test func aFileThatIsNotThereIsRefused() throws {
    let folder = try TemporaryFolder()
    let error = scriptError {
      _ = try ScriptTestFile("\(folder.path)/none_test.lua", root: folder.path)
    }
    #expect(error?.message.contains("none_test.lua") == true)
  }

  @Test func aFileMayHaveNoTests() throws {
    let app = try TestFolder("describe('empty', function() end)")
    #expect(app.file.tests.isEmpty)
    #expect(app.run().isEmpty)
  }

  @Test(arguments: [
    ("{ code = 3 }", "{ code = 3 }"), ("nil", "nil"), ("42", "42"), ("print", "function"),
    ("setmetatable({}, { __tostring = function() return 'a text' end })", "a text"),
  ])
  func whatIsRaisedMayBeAnyValue(_ value: String, _ text: String) throws {
    let app = try TestFolder("it('raises', function()\n  error(\(value))\nend)")
    let failure = try #require(app.run().first?.failures.first)
    #expect(failure.kind == .error)
    #expect(failure.message.contains(text))
    #expect(failure.script == "app_test.lua" && failure.line == 2)
  }

  @Test func twoTestsOfOneNameBothRun() throws {
    let app = try TestFolder(
      """
      it("is one of two", function() end) it("is one of two", function() error("second") end)
      """)
    #expect(words(app.run()) == ["is one of two: passed", "is one of two: error"])
    #expect(words(app.run([app.file.tests[1]])) == ["is one of two: error"])
    #expect(Set(app.file.tests).count == 2)
  }

  @Test func hooksRunAroundEachTestAndFailuresOfAllAreTold() throws {
    let app = try TestFolder(
      """
      local log = {}
      describe("A", function()
        setup(function() log[#log + 1] = "setup" end)
        before_each(function() log[#log + 1] = "before" end)
        after_each(function() log[#log + 1] = "after" error("after_each") end)
        teardown(function() log[#log + 1] = "teardown" end)
        it("one", function() finally(function() error("finally") end) error("body") end)
        it("two", function() end)
      end)
      it("sees", function()
        assert.are.same({ "setup", "before", "after", "before", "after", "teardown" }, log)
      end)
      """)
    let results = app.run()
    #expect(
      results.map { $0.failures.map(\.message) } == [
        ["body", "finally", "after_each"], ["after_each"], [],
      ])
  }

  @Test func aSetupThatRaisesFailsItsTestsAndIsToldOnce() throws {
    let app = try TestFolder(
      """
      describe("A", function()
        setup(function() error("no room") end)
        it("one", function() end)
        it("two", function() end)
      end)
      it("is outside", function() end)
      """)
    var blocks: [String] = []
    app.file.run { event in
      if case .blockFailed(let file, let path, let place, let failure) = event {
        blocks.append("\(file) \(path.joined(separator: "/")) \(place): \(failure.message)")
      }
      return true
    }
    #expect(blocks == ["app_test.lua A setup: no room"])
    #expect(words(app.run()) == ["A one: error", "A two: error", "is outside: passed"])
  }

  @Test func aSelectionRunsInItsOrder() throws {
    let app = try TestFolder(
      """
      local ran = ""
      for _, name in ipairs { "a", "b", "c" } do
        it(name, function() ran = ran .. name end)
      end
      it("looks", function() assert.are.equal("ca", ran) end)
      """)
    let tests = app.file.tests
    #expect(
      words(app.run([tests[2], tests[0], tests[3]])) == ["c: passed", "a: passed", "looks: passed"])
    #expect(app.run([]).isEmpty)
  }

  @Test func noOtherTestBeginsAfterTheHandlerSaysNo() throws {
    let app = try TestFolder(
      """
      local count = 0
      describe("A", function()
        for i = 1, 3 do it("test " .. i, function() error("no") end) end
        teardown(function() count = count + 1 end)
      end)
      it("looks", function() assert.are.equal(1, count) end)
      """)
    var events: [String] = []
    app.file.run { event in
      switch event {
      case .began(let test): events.append("began \(test.name)")
      case .ended(let result):
        events.append("ended \(result.test.name)")
        return false
      case .blockFailed: break
      }
      return true
    }
    #expect(events == ["began A test 1", "ended A test 1"])
    #expect(words(app.run([app.file.tests[3]])) == ["looks: passed"])
  }

  @Test func aTestThatPassesOnARetryIsTold() throws {
    let app = try TestFolder(
      """
      local tries = 0
      it("is flaky", function()
        tries = tries + 1
        print("try " .. tries)
        assert.is_true(tries >= 3)
      end)
      it("never passes", function() error("no") end)
      it("passes", function() end)
      """)
    var began: [String] = []
    var results: [ScriptTestResult] = []
    app.file.run(retries: 2) { event in
      if case .began(let test) = event { began.append(test.name) }
      if case .ended(let result) = event { results.append(result) }
      return true
    }
    #expect(words(results) == ["is flaky: passed", "never passes: error", "passes: passed"])
    #expect(results.map(\.attempts) == [3, 3, 1])
    #expect(results[0].output == ["try 3"])
    #expect(began == ["is flaky", "never passes", "passes"])
  }

  @Test func aShuffleIsTheSameForTheSameSeedAndKeepsBlocksTogether() throws {
    let source = """
      for _, block in ipairs { "A", "B", "C" } do
        describe(block, function()
          for i = 1, 8 do it("test " .. i, function() end) end
        end)
      end
      """
    let app = try TestFolder(source)
    let inOrder = app.file.tests.map(\.name)
    let one = try app.reload(.init(seed: 1)).tests.map(\.name)
    #expect(try app.reload(.init(seed: 1)).tests.map(\.name) == one)
    let other = try app.reload(.init(seed: 2)).tests.map(\.name)
    #expect(one != inOrder && other != inOrder && one != other)
    #expect(one.sorted() == inOrder.sorted())
    let blocks = one.map { $0.first.map(String.init) ?? "" }
    #expect(stride(from: 0, to: 24, by: 8).allSatisfy { Set(blocks[$0..<$0 + 8]).count == 1 })
    #expect(words(try app.reload(.init(seed: 1)).results()) == one.map { "\($0): passed" })
  }

  @Test func whatATestPrintsIsItsOutput() throws {
    let app = try TestFolder(
      """
      describe("A", function()
        before_each(function() print("before") end)
        it("prints", function() print("one", 2) print() print("two\\nlines") end)
        it("is silent", function() end)
      end)
      """)
    #expect(
      app.run().map(\.output) == [["before", "one\t2", "", "two", "lines"], ["before"]])
  }

  @Test func namesOfTheFrameworkAreThereInModulesToo() throws {
    let app = try TestFolder(
      """
      local checks = require "checks"
      local same = require "luassert".are.same
      helper = function() return 3 end
      it("uses them", function()
        checks.isThree(helper())
        same({ 1 }, { 1 })
        _G.helper = nil
        assert.has_error(function() return helper end)
      end)
      it("is told where a check of a module failed", function() checks.isThree(4) end)
      """,
      modules: [
        "checks": "return { isThree = function(value)\nassert.are.equal(3, value)\nend }"
      ])
    let results = app.run()
    #expect(
      words(results) == [
        "uses them: passed", "is told where a check of a module failed: failure",
      ])
    #expect(results[1].failures.first?.script == "checks.lua")
    #expect(app.file.modules.map { $0.split(separator: "/").last } == ["checks.lua"])
  }

  @Test func eachFileHasModulesOfItsOwn() throws {
    let app = try TestFolder(
      """
      local counter = require "counter"
      it("counts", function() counter.n = counter.n + 1 assert.are.equal(1, counter.n) end)
      """, modules: ["counter": "return { n = 0 }"])
    #expect(words(app.run()) == ["counts: passed"])
    #expect(words(try app.reload().results()) == ["counts: passed"])
  }

  /// Finding the place of an error does not visit each function of a deep recursion.
  @Test func anEndlessRecursionEndsWithAnError() throws {
    let recursion = "local function f() return f() + 1 end"
    let app = try TestFolder(
      """
      \(recursion)
      describe("hooks", function()
        before_each(function() f() end)
        it("are run", function() end)
      end)
      it("calls itself", function()
        f()
      end)
      """)
    let results = app.run()
    #expect(words(results) == ["hooks are run: error", "calls itself: error"])
    for failure in results.flatMap(\.failures) {
      #expect(failure.description.hasPrefix("app_test.lua:1: stack overflow"))
    }
    let error = scriptError { _ = try TestFolder("\(recursion)\nf()") }
    #expect(error?.script == "app_test.lua" && error?.line == 1)
    #expect(error?.message.hasPrefix("stack overflow") == true)
  }

  /// The recursion is that of a function of the library, which the script has called.
  @Test func aRecursionOfTheLibraryHasThePlaceOfItsCall() throws {
    let app = try TestFolder(
      """
      it("compares", function()
        local a, b = {}, {}
        for _ = 1, 200000 do a, b = { a }, { b } end
        assert.same(a, b)
      end)
      """)
    let failure = try #require(app.run().first?.failures.first)
    #expect(failure.description.hasPrefix("app_test.lua:4: stack overflow"))
  }
}
