import Foundation
import LuaBridge
import ScriptedStore

/// What one test of a script says, run as `runner test` does.
///
/// The test's body finds `test`, a feature `App`, and `make(options)`, which makes a store of it.
struct Spec {
  let folder: TemporaryFolder
  /// `passed`, or the failures' messages with their places.
  let result: String
  /// What it printed.
  let output: String

  static let app = """
    return scripted.feature {
      name = "App",
      state = { count = 0, rows = { { id = 1, done = false }, { id = 2, done = false } } },
      dependencies = { "clock", "uuid", "fact" },
      actions = { "rows" },
      on = {
        up = function(state) state.count = state.count + 1 end,
        nothing = function() end,
        rename = function(state, action) state.name = action.name end,
        ["rows[*].toggle"] = function(state, action, deps, ids)
          for _, row in ipairs(state.rows) do if row.id == ids[1] then row.done = not row.done end end
        end,
        sendsTwo = function() return effect.merge(effect.send("up"), effect.send("rename", { name = "b" })) end,
        sendsUp = function(state) state.sent = true return effect.send("up") end,
        sleeps = function(state, action)
          return effect.run(function(send, deps) deps.clock.sleep(action.seconds or 1) send("up") end)
            :cancellable(action.id or "sleeper")
        end,
        waits = function() return effect.send("up"):debounce("wait", 1) end,
        ticks = function()
          return effect.run(function(send, deps) for _ in deps.clock.timer(1) do send("up") end end)
            :cancellable("ticks")
        end,
        stops = function() return effect.cancel("ticks") end,
        asks = function()
          return effect.run(function(send, deps) send("rename", { name = deps.fact.fetch(7) }) end)
        end,
        identifies = function(state, action, deps) state.id = deps.uuid() end,
        raises = function(state) state.count = 99 error("no luck") end,
        fails = function() return effect.run(function() error("no luck in the effect") end) end,
        sendsRaises = function() return effect.send("raises") end,
        leaves = function() return effect.dismiss() end,
      },
    }
    """

  /// - Parameters:
  ///   - body: of the test.
  ///   - before: what stands before it in the file.
  ///   - seed: shuffles the tests of the file.
  init(
    _ body: String, before: String = "", app: String = Spec.app,
    dependencies: Dependencies = Spec.dependencies, seed: UInt64? = nil
  ) async throws {
    folder = try TemporaryFolder()
    try folder.write(Scripts.locals + app, to: "app.lua")
    try folder.write(
      """
      local test = require "scripted.test"; local App = require "app"; \
      local function make(options) return test.store(App, options) end; \(before)
      it("works", function()
      \(body)
      end)
      """, to: "app_test.lua")
    let file = try ScriptTestFile(
      folder.path + "/app_test.lua", root: folder.path,
      configuration: .init(dependencies: dependencies, timeout: nil, seed: seed))
    let results = await Spec.results(of: file)
    output = results.flatMap(\.output).joined(separator: "\n")
    result = results.map { result in
      switch result.outcome {
      case .passed: "passed"
      case .skipped: "skipped"
      case .failed(let failures): failures.map(\.description).joined(separator: "\n")
      }
    }.joined(separator: "\n")
  }

  /// Runs it on a thread of its own, since tests that wait would hold up the host's tasks that they wait for.
  static func results(of file: ScriptTestFile) async -> [ScriptTestResult] {
    // ThreadSanitizer does not see that a continuation orders what the two threads do, but sees a lock.
    let results = Recorder<ScriptTestResult>()
    await withCheckedContinuation { continuation in
      let thread = Thread {
        file.run { event in
          if case .ended(let result) = event { results.record(result) }
          return true
        }
        continuation.resume()
      }
      thread.stackSize = 8 << 20
      thread.start()
    }
    return results.all
  }

  /// `fact.fetch`, which takes a moment of real time, also in tests.
  static var dependencies: Dependencies {
    let fact = Dependency.client([
      "fetch": .asyncFunction("number") { (number: Int) async throws -> String in
        try await Task.sleep(for: .milliseconds(5))
        return "\(number) is a number"
      }
    ])
    var dependencies = Dependencies()
    dependencies.register("fact", live: fact, test: fact)
    return dependencies
  }
}
