import Foundation
import LuaBridge
import ScriptedStore
import Testing

/// Tests that never end by themselves, and those that use up the memory: they fail, and the others run.
@Suite struct TestStopTests {
  private static var quick: ScriptTestFile.Configuration { .init(timeout: .seconds(0.2)) }

  @Test(arguments: [
    ("while true do end", "a loop"),
    ("while true do pcall(function() while true do end end) end", "a loop inside of pcall"),
    ("while true do pcall(error) end", "a loop around pcall"),
    (
      """
      xpcall(function() while true do end end, function() while true do end end)
      while true do end
      """, "a handler of xpcall"
    ),
    ("xpcall(error, function() while true do end end)", "a handler that never returns"),
    (
      "table.sort({ 3, 1, 2 }, function() while true do end end)", "a comparator"
    ),
    ("string.gsub('abc', '.', function() while true do end end)", "a replacement"),
    (
      """
      local closing <close> = setmetatable({}, { __close = function() while true do end end })
      """, "a <close> variable"
    ),
    (
      """
      local value = setmetatable({}, { __index = function() while true do end end })
      return value.field
      """, "a metamethod"
    ),
    (
      "error(setmetatable({}, { __tostring = function() while true do end end }))",
      "the text of an error"
    ),
    ("load(function() while true do end end)", "a reader of load"),
    ("assert.has_error(function() while true do end end)", "an assertion about errors"),
    ("local f f = function() return f() end f()", "tail calls"),
    ("::again:: goto again", "a goto"),
  ])
  func aTestThatNeverEndsFails(_ body: String, _ what: String) throws {
    let app = try TestFolder(
      """
      it("never ends", function()
        \(body)
      end)
      it("ends", function() end)
      """, configuration: Self.quick)
    let results = app.run()
    #expect(words(results) == ["never ends: timeout", "ends: passed"])
    let failure = try #require(results.first?.failures.first)
    #expect(failure.message == "this takes longer than 0.2 s")
    #expect(failure.script == "app_test.lua")
    #expect((2...3).contains(failure.line ?? 0))
    #expect(failure.traceback?.contains("app_test.lua") == true)
  }

  @Test func hooksRunAfterATestThatNeverEnds() throws {
    let app = try TestFolder(
      """
      local ended = 0
      describe("A", function()
        after_each(function() ended = ended + 1 end)
        it("never ends", function() finally(function() ended = ended + 1 end) while true do end end)
        it("comes after", function() assert.are.equal(2, ended) end)
      end)
      """, configuration: Self.quick)
    #expect(words(app.run()) == ["A never ends: timeout", "A comes after: passed"])
  }

  @Test func aHookThatNeverEndsFailsItsTest() throws {
    let app = try TestFolder(
      """
      describe("A", function()
        before_each(function() while true do end end)
        after_each(function() while true do end end)
        it("cannot begin", function() end)
      end)
      describe("B", function()
        setup(function() while true do end end)
        it("cannot begin", function() end)
      end)
      it("is outside", function() end)
      """, configuration: Self.quick)
    #expect(
      words(app.run()) == [
        "A cannot begin: timeout, timeout", "B cannot begin: timeout", "is outside: passed",
      ])
  }

  @Test func aFileThatNeverLoadsIsRefused() throws {
    let error = scriptError { _ = try TestFolder("while true do end", configuration: Self.quick) }
    #expect(error?.message == "this takes longer than 0.2 s")
    #expect(error?.line == 1)
  }

  @Test func aTestThatUsesUpTheMemoryFailsAndTheOthersRun() throws {
    let app = try TestFolder(
      """
      local kept = {}
      it("comes before", function() end)
      it("eats", function() local t = {} while true do t[#t + 1] = {} end end)
      it("comes between", function() end)
      it("keeps what it eats", function() while true do kept[#kept + 1] = { #kept } end end)
      it("comes after", function() assert.are.equal(0, #kept) end)
      """, configuration: .init(limits: Limits(memory: 8 << 20)))
    #expect(
      words(app.run()) == [
        "comes before: passed", "eats: memory", "comes between: passed",
        "keeps what it eats: memory", "comes after: passed",
      ])
  }

  /// The VM that replaces one without memory loads the file again.
  @Test func aBlockThatFailedIsReportedOnce() throws {
    let app = try TestFolder(
      """
      local kept = {}
      describe("broken", function() error("no luck") end)
      it("keeps what it eats", function() while true do kept[#kept + 1] = { #kept } end end)
      it("comes after", function() assert.are.equal(0, #kept) end)
      """, configuration: .init(limits: Limits(memory: 8 << 20)))
    var blocks: [[String]] = []
    var results: [ScriptTestResult] = []
    app.file.run { event in
      switch event {
      case .blockFailed(_, let path, let place, _): blocks.append(path + [place])
      case .ended(let result): results.append(result)
      default: break
      }
      return true
    }
    #expect(blocks == [["broken", "describe"]])
    #expect(words(results) == ["keeps what it eats: memory", "comes after: passed"])
  }

  /// The new VM has other tests, so that the second attempt fails before it begins.
  @Test func aTestThatCannotBeRepeatedBeginsOnce() throws {
    let app = try TestFolder(
      """
      local kept = {}
      it("keeps what it eats", function() while true do kept[#kept + 1] = { #kept } end end)
      """, configuration: .init(limits: Limits(memory: 8 << 20)))
    try app.folder.write("it('is another test', function() end)", to: TestFolder.name)
    var begun: [String] = []
    var results: [ScriptTestResult] = []
    app.file.run(retries: 1) { event in
      switch event {
      case .began(let test): begun.append(test.name)
      case .ended(let result): results.append(result)
      default: break
      }
      return true
    }
    #expect(begun == ["keeps what it eats"])
    #expect(results.map(\.attempts) == [2])
  }

  @Test func anInterruptedTestFailsAndNoOtherBegins() throws {
    let app = try TestFolder(
      """
      describe("A", function()
        after_each(function() print("cleaned up") end)
        it("passes", function() end)
        it("never ends", function() while true do pcall(error) end end)
        it("comes after", function() end)
      end)
      """)
    let file = app.file
    var results: [ScriptTestResult] = []
    file.run { event in
      switch event {
      case .began(let test) where test.path.last == "never ends":
        Thread.detachNewThread { file.interrupt() }
      case .ended(let result): results.append(result)
      default: break
      }
      return true
    }
    #expect(words(results) == ["A passes: passed", "A never ends: interrupted"])
    #expect(results.last?.output == ["cleaned up"])
    #expect(file.results().isEmpty)
  }

  @Test(arguments: [
    ("handler", "store:send('loops')"),
    ("effect", "store:send('runs')"),
    ("effect that catches", "store:send('catches')"),
    ("effect that sends again and again", "store:send('again')"),
  ])
  func aFeatureThatNeverEndsIsStopped(_ what: String, _ body: String) throws {
    let app = try TestFolder(
      """
      local test = require "scripted.test"
      local App = require "app"
      it("never ends", function()
        local store = test.store(App)
        while true do pcall(function() \(body) end) end
      end)
      it("ends", function() test.store(App):send("up", function(state) state.count = 1 end) end)
      """,
      modules: [
        "app": """
        local scripted = require "scripted"
        local effect = scripted.effect
        local function loop() while true do end end
        return scripted.feature {
          state = { count = 0 },
          on = {
            up = function(state) state.count = state.count + 1 end,
            loops = function() loop() end,
            runs = function() return effect.run(loop) end,
            catches = function() return effect.run(function()
              while true do pcall(loop) end
            end, { catch = loop }) end,
            again = function() return effect.send("again") end,
          },
        }
        """
      ], configuration: Self.quick)
    let results = app.run()
    #expect(words(results) == ["never ends: timeout", "ends: passed"])
    #expect(results.first?.failures.first?.message == "this takes longer than 0.2 s")
  }

  /// A client with a function that does not return.
  private func facts(_ calls: Recorder<String>? = nil) -> Dependencies {
    var dependencies = Dependencies()
    let fact = Dependency.client([
      "fetch": .asyncFunction { () async throws -> String in
        calls?.record("fetch")
        try await Task.sleep(for: .seconds(3600))
        return "never"
      }
    ])
    dependencies.register("fact", live: fact, test: fact)
    return dependencies
  }

  @Test func aTestThatWaitsForTheHostTooLongSaysWhatFor() async throws {
    let app = try TestFolder(
      """
      local test = require "scripted.test"
      it("waits", function()
        local store = test.store(require "app", { timeout = 3600 })
        store:send("ask")
        store:receive("answer")
      end)
      it("comes after", function() end)
      """,
      modules: [
        "app": """
        local scripted = require "scripted"
        return scripted.feature {
          name = "App",
          dependencies = { "fact" },
          on = {
            answer = function() end,
            ask = function()
              return scripted.effect.run(function(send, deps) send("answer", { text = deps.fact.fetch() }) end)
            end,
          },
        }
        """
      ], configuration: .init(dependencies: facts(), timeout: .seconds(0.2)))
    let results = await onOwnThread { app.run() }
    #expect(words(results) == ["waits: timeout", "comes after: passed"])
    let failure = try #require(results.first?.failures.first)
    #expect(
      failure.message
        == "this takes longer than 0.2 s; it waits for fact.fetch in App (app.lua:8)")
    #expect(failure.script == "app_test.lua" && failure.line == 5)
  }

  @Test func aTestThatWaitsForTheHostIsInterrupted() async throws {
    let called = Recorder<String>()
    let app = try TestFolder(
      """
      local test = require "scripted.test"
      it("waits", function()
        local store = test.store(require "app", { timeout = 3600 })
        store:send("ask")
        store:finish()
      end)
      it("comes after", function() end)
      """,
      modules: [
        "app": """
        local scripted = require "scripted"
        return scripted.feature {
          dependencies = { "fact" },
          on = {
            ask = function() return scripted.effect.run(function(_, deps) deps.fact.fetch() end) end,
          },
        }
        """
      ], configuration: .init(dependencies: facts(called), timeout: nil))
    let file = app.file
    Thread.detachNewThread {
      while called.count == 0 { Thread.sleep(forTimeInterval: 0.001) }
      file.interrupt()
    }
    let results = await onOwnThread { app.run() }
    #expect(words(results) == ["waits: interrupted"])
  }
}
