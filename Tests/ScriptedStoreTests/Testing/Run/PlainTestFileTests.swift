import Foundation
import LuaBridge
import ScriptedStore
import Testing

/// Files of plain Lua libraries, whose VM has stock globals.
@Suite struct PlainTestFileTests {
  private static func folder(
    _ source: String, modules: [String: String] = [:], timeout: Duration? = .seconds(60),
    _ change: (inout PlainLua) -> Void = { _ in }
  ) throws -> TestFolder {
    var plain = PlainLua()
    change(&plain)
    return try TestFolder(
      source, modules: modules, configuration: .init(timeout: timeout, plainLua: plain))
  }

  @Test func specsAndModulesHaveStockGlobals() throws {
    let app = """
      local unpack = unpack or table.unpack
      return { string = string, greet = function() return (unpack { "hi" }):shout() end }
      """
    let tests = try Self.folder(
      """
      local app = require "app"
      it("has libraries", function()
        for _, name in ipairs { "io", "os", "debug", "package", "coroutine", "string", "table" } do
          assert.are.equal("table", type(_G[name]))
        end
        assert.are.equal(_G.string, app.string)
        assert.is_nil(undeclared)
      end)
      it("shares extensions of library tables", function()
        function string.shout(text) return text:upper() .. "!" end
        assert.are.equal("HI!", app.greet())
      end)
      """,
      modules: ["app": app])
    #expect(
      words(tests.run())
        == ["has libraries: passed", "shares extensions of library tables: passed"])
    #expect(tests.file.modules.map { ($0 as NSString).lastPathComponent } == ["app.lua"])
  }

  @Test func modulesDoNotSeeTheFunctionsOfTheFramework() throws {
    let tests = try Self.folder(
      """
      it("keeps its globals", function()
        own = 1
        assert.are.equal(1, own)
        assert.is_nil(_G.own)
        assert.are.equal("function nil nil", require "app")
      end)
      it("starts without those of another test", function() assert.is_nil(own) end)
      """,
      modules: ["app": "return type(assert) .. ' ' .. type(describe) .. ' ' .. type(own)"])
    #expect(tests.run().map(\.word) == ["passed", "passed"])
  }

  @Test func blocksAreCollectedAfterTheSetupAroundThem() throws {
    let tests = try Self.folder(
      """
      local order = {}
      describe("outer", function()
        setup(function() order[#order + 1] = "setup" end)
        teardown(function() order[#order + 1] = "teardown" end)
        describe("inner", function()
          order[#order + 1] = "inner"
          for i, word in ipairs(order) do it(i .. " " .. word, function() end) end
        end)
      end)
      describe("last", function()
        it(table.concat(order, " "), function() end)
      end)
      """)
    #expect(tests.file.tests.isEmpty)
    let names = ["outer inner 1 setup", "outer inner 2 inner", "last setup inner teardown"]
    #expect(tests.run().map(\.test.name) == names)
    #expect(tests.file.tests.map(\.name) == names)
  }

  @Test func listsTestsWithoutRunningAnything() throws {
    let tests = try Self.folder(
      """
      setup(function() error("a setup ran") end)
      describe("a", function() it("b #quick", function() error("a test ran") end) end)
      """
    ) { $0.isOnlyListed = true }
    #expect(tests.file.tests.map(\.name) == ["a b #quick"])
    #expect(tests.file.tests.map(\.tags) == [["quick"]])
  }

  @Test func insulateAndExposeRestoreGlobalsAndModules() throws {
    let tests = try Self.folder(
      """
      insulate("insulated", function()
        it("changes", function()
          _G.changed = true
          package.loaded.fake = "fake"
          assert.are.equal("fake", require "fake")
        end)
      end)
      it("is as before", function()
        assert.is_nil(_G.changed)
        assert.is_nil(package.loaded.fake)
      end)
      insulate("around", function()
        expose("exposed", function()
          _G.exposed = 1
          visible = 2
          it("is there", function() assert.are.equal(1, _G.exposed) end)
        end)
        it("stays", function() assert.are.equal(1, exposed) end)
      end)
      it("has what was exposed", function() assert.are.equal(2, visible) end)
      """)
    let results = tests.run()
    #expect(results.allSatisfy { $0.word == "passed" }, "\(words(results))")
    #expect(results.count == 5)
  }

  @Test(arguments: [
    "while true do end",
    "while true do pcall(function() while true do end end) end",
    "coroutine.wrap(function() while true do end end)()",
    "while true do coroutine.resume(coroutine.create(function() while true do end end)) end",
    """
    local outer = coroutine.create(function()
      local inner = coroutine.wrap(function() while true do pcall(coroutine.yield) end end)
      while true do inner() end
    end)
    while true do coroutine.resume(outer) end
    """,
    "xpcall(function() while true do end end, function() while true do end end)",
    """
    local waiting = coroutine.create(function()
      local closing <close> = setmetatable({}, { __close = function() while true do end end })
      coroutine.yield()
    end)
    coroutine.resume(waiting)
    coroutine.close(waiting)
    """,
    "require('busted').sleep(1000)",
  ])
  func whatNeverEndsIsStopped(_ body: String) throws {
    let tests = try Self.folder(
      "it('never ends', function() \(body) end)\nit('runs', function() end)", timeout: .seconds(0.2)
    )
    #expect(words(tests.run()) == ["never ends: timeout", "runs: passed"])
  }

  @Test func coroutinesRaiseAsInStockLua() throws {
    let tests = try Self.folder(
      """
      it("raises", function()
        local ok, message = pcall(coroutine.wrap(function() error("oops", 0) end))
        assert.is_false(ok)
        assert.matches("oops$", message)
        local value = {}
        local raised = select(2, pcall(coroutine.wrap(function() error(value) end)))
        assert.are.equal(value, raised)
        local dead = coroutine.wrap(function() end)
        dead()
        assert.has_error(dead, "cannot resume dead coroutine")
        assert.has_error(function() coroutine.resume(1) end)
        local failing = coroutine.create(function() error("x", 0) end)
        assert.are.same({ false, "x" }, { coroutine.resume(failing) })
        local sum = coroutine.wrap(function(a, b)
          while true do a, b = coroutine.yield(a + b, a) end
        end)
        assert.are.same({ 3, 1 }, { sum(1, 2) })
        assert.are.same({ 7, 3 }, { sum(3, 4) })
        assert.is_true(coroutine.close(coroutine.create(print)))
        assert.has_error(function() coroutine.close(coroutine.running()) end)
      end)
      """)
    #expect(tests.run().flatMap(\.failures).map(\.message) == [])
  }

  @Test func outputBelongsToTheTest() throws {
    let tests = try Self.folder(
      """
      it("writes", function()
        print("printed", 1)
        io.write("written ", 2, "\\n")
        assert.are.equal(io.stdout, io.stdout:write("to the stream\\n"))
      end)
      it("writes elsewhere", function()
        local path = os.tmpname()
        io.output(path)
        io.write("file")
        io.close()
        io.output(io.stdout)
        assert.are.equal("file", io.open(path):read("a"))
        os.remove(path)
      end)
      """)
    #expect(tests.run().map(\.output) == [["printed\t1", "written 2", "to the stream"], []])
  }

  @Test func exitFailsTheTest() throws {
    let tests = try Self.folder(
      "it('ends', function() os.exit(3) end)\nit('runs', function() end)")
    let results = tests.run()
    #expect(results.map(\.word) == ["error", "passed"])
    let message = "os.exit(3) was called, which would end the test run"
    #expect(results[0].failures[0].message.hasSuffix(message))
  }

  @Test func exitFailsTheTestThatCatchesItsError() throws {
    let tests = try Self.folder(
      """
      it('catches', function()
        pcall(os.exit, 0)
      end)
      it('catches in a function', function() assert.has_error(function() os.exit() end) end)
      describe('a block', function()
        before_each(function() pcall(os.exit, true) end)
        it('runs', function() end)
      end)
      it('stubs', function()
        local exit = stub(os, 'exit')
        os.exit(1)
        assert.stub(exit).was.called_with(1)
        exit:revert()
      end)
      """)
    let results = tests.run()
    #expect(results.map(\.word) == ["error", "error", "error", "passed"])
    let failures = results.flatMap(\.failures)
    #expect(
      failures.map(\.message)
        == ["0", "", "true"].map { "os.exit(\($0)) was called, which would end the test run" })
    #expect(failures.map(\.line) == [2, 4, 6])
  }

  @Test func aSpecFindsTheLuaThatItCanStart() throws {
    let tests = try Self.folder(
      "it('finds', function() assert.are.equal('/opt/lua5.4', arg[-1]) end)"
    ) { $0.interpreter = "/opt/lua5.4" }
    #expect(tests.run().flatMap(\.failures).map(\.message) == [])
  }

  @Test func aFailedTestRunsAgainInItsBlock() throws {
    let tests = try Self.folder(
      """
      local setups, attempts = 0, 0
      describe("a block", function()
        setup(function() setups = setups + 1 end)
        it("passes in the end", function()
          attempts = attempts + 1
          assert.are.equal(3, attempts)
          assert.are.equal(1, setups)
        end)
        it("runs", function() end)
      end)
      """)
    let results = tests.run(retries: 5)
    #expect(results.map(\.attempts) == [3, 1])
    #expect(results.map(\.word) == ["passed", "passed"])
  }

  @Test func aSpentVMIsReplacedAndNoTestRunsTwice() throws {
    let source = """
      local kept = {}
      it("is first", function() print("first") end)
      it("uses up the memory", function()
        while true do kept[#kept + 1] = { #kept } end
      end)
      it("is last", function() assert.are.equal(0, #kept) end)
      """
    let folder = try TestFolder(
      source,
      configuration: .init(limits: Limits(memory: 8 << 20), plainLua: PlainLua()))
    let results = folder.run()
    #expect(
      words(results)
        == ["is first: passed", "uses up the memory: memory", "is last: passed"])
  }

  @Test func aFailingSetupIsReportedAlsoWithoutATest() throws {
    let tests = try Self.folder(
      """
      describe("broken", function()
        setup(function() error("no setup") end)
        describe("never collected", function() it("never runs", function() end) end)
      end)
      it("runs", function() end)
      """)
    var hooks: [String] = []
    tests.file.run { event in
      if case .blockFailed(_, let path, let hook, _) = event { hooks.append("\(path) \(hook)") }
      return true
    }
    #expect(hooks == [#"["broken"] setup"#, #"["broken"] describe"#])
    #expect(tests.file.tests.map(\.name) == ["runs"])
  }

  @Test func aBlockThatFailedIsReportedOnceAlsoAfterTheVMIsReplaced() throws {
    let folder = try TestFolder(
      """
      local kept = {}
      describe("broken", function() error("no luck") end)
      describe("broken", function() error("no luck") end)
      describe("unready", function()
        setup(function() error("no luck") end)
        it("fails", function() end)
      end)
      it("uses up the memory", function()
        while true do kept[#kept + 1] = { #kept } end
      end)
      it("is last", function() assert.are.equal(0, #kept) end)
      """,
      configuration: .init(limits: Limits(memory: 8 << 20), plainLua: PlainLua()))
    var blocks: [[String]] = []
    var results: [ScriptTestResult] = []
    folder.file.run { event in
      switch event {
      case .blockFailed(_, let path, let place, _): blocks.append(path + [place])
      case .ended(let result): results.append(result)
      default: break
      }
      return true
    }
    #expect(
      blocks == [["broken", "describe"], ["broken", "describe"], ["unready", "setup"]])
    #expect(
      words(results)
        == ["unready fails: error", "uses up the memory: memory", "is last: passed"])
  }

  @Test func aFileThatRaisesDoesNotLoad() throws {
    let tests = try Self.folder("it('is lost', function() end)\nerror('out of order')")
    let problem = tests.file.run(where: { _ in true }, retries: 0, { _ in true })
    #expect(problem?.message.hasSuffix("out of order") == true)
    #expect(problem?.line == 2)
  }

  @Test func finalizersMayRunWhenAllIsOver() throws {
    let tests = try Self.folder(
      """
      it("leaves a finalizer", function()
        kept = setmetatable({}, { __gc = function()
          pcall(require, "app")
          pcall(assert.matches_snapshot, 1)
          print("over")
        end })
        _G.kept = kept
      end)
      """, modules: ["app": "return 1"])
    #expect(tests.run().map(\.word) == ["passed"])
  }

  @Test func modulesOfTheFrameworkAreThereUntilTheFolderHasItsOwn() throws {
    let tests = try Self.folder(
      """
      it("has modules", function()
        assert.are.equal(assert, require "luassert")
        assert.are.equal(describe, require("busted").describe)
        assert.are.equal("own say", require "say")
        package.loaded["luassert.util"] = nil
        assert.are.same({ n = 1, "a" }, require("luassert.util").pack("a"))
      end)
      it "takes its body later" (function() assert.is_true(true) end)
      """, modules: ["say": "return 'own say'"])
    #expect(tests.run().flatMap(\.failures).map(\.message) == [])
    #expect(tests.file.tests.count == 2)
  }

  @Test func aFileInTheSandboxHasNoStockGlobals() throws {
    let tests = try TestFolder("it('asks', function() return io end)")
    #expect(tests.run()[0].failures[0].message.contains("global 'io' is not available to scripts"))
  }
}
