import LuaBridge
import Testing

@testable import ScriptedStore

/// Who listens hears of every call of something unimplemented. What listens is inside the module.
@Suite struct UnimplementedTests {
  /// Hears of calls in the VM of a store that has this dependency, once it is read.
  private func listening(_ calls: Recorder<String>) -> Dependency {
    let observer = CallObserver(calls: calls)
    return Dependency(
      .made { (registry, _) throws(ScriptError) in
        try registry.scheduler.running().engine.tests = observer
        return true
      })
  }

  private final class CallObserver: TestObserver, Sendable {
    let calls: Recorder<String>
    let isExpecting = false
    let refusesLateSends = false

    init(calls: Recorder<String>) { self.calls = calls }

    func report(_ call: UnimplementedCall) { calls.record(call.description) }
    func report(_ warning: RuntimeWarning) {}
    func reportCaught(_ error: String) {}
    func requestEnded() {}
    func end() {}
  }

  private func calls(_ on: String, _ uses: [String]) throws -> (calls: [String], wrong: Int) {
    let calls = Recorder<String>()
    let names = (["listen"] + uses).map { "\"\($0)\"" }.joined(separator: ", ")
    let scripts = try Scripts(
      [
        "app": """
        return scripted.feature {
          name = "Todos", state = { ids = {} }, dependencies = { \(names) },
          on = {
            listen = function(_, _, deps) local _ = deps.listen end,
            \(on)
          },
        }
        """
      ],
      dependencies: {
        var dependencies = Dependencies()
        dependencies.register("listen", live: .value(true), test: listening(calls))
        dependencies.register(
          "numberFact", live: .client(["fetch": .asyncFunction("n") { (n: Int) in "\(n)" }]))
        return dependencies
      }(), context: .test)
    let store = try scripts.store()
    store.send("listen")
    store.send("go")
    return (
      calls.all.map { $0.replacing(/\([^ ]*\//, with: "(") },
      scripts.warnings.count + scripts.errors.count
    )
  }

  @Test func aHandlersCallIsHeardOf() throws {
    let (calls, errors) = try calls(
      "go = function(state, _, deps)\n state.ids[1] = deps.uuid() end,", ["uuid"])
    #expect(
      calls == [
        "unimplemented: Todos called deps.uuid() (app.lua:6). "
          + "Override it in the test: dependencies = { uuid = test.incrementingUUID() }"
      ])
    // The action is rolled back all the same.
    #expect(errors == 1)
  }

  @Test func anEffectsCallIsHeardOfEvenIfItIsCaught() throws {
    let (calls, warnings) = try calls(
      """
      go = function()
        return effect.run(function(_, deps)
          effect.result(deps.numberFact.fetch, 3)
          pcall(deps.numberFact.fetch, 4)
        end)
      end,
      """, ["numberFact"])
    let rest =
      "Override it in the test: dependencies = { numberFact = { fetch = function(…) … end } }"
    #expect(
      calls == [
        "unimplemented: Todos called deps.numberFact.fetch() (app.lua:7). \(rest)",
        "unimplemented: Todos called deps.numberFact.fetch() (app.lua:8). \(rest)",
      ])
    #expect(warnings == 0)
  }

  @Test(arguments: [
    ("effect.run(function(_, deps) deps.numberFact.fetch(3) end)", "numberFact"),
    ("effect.send('go'):debounce('d', 1)", "uuid"),
    ("effect.send('go'):throttle('t', 1)", "uuid"),
    ("effect.run(function() effect.timeout(1, print) end)", "uuid"),
  ])
  func whatIsHeardOfIsNoWarningAsWell(_ effect: String, _ name: String) throws {
    let (calls, warnings) = try calls("go = function() return \(effect) end,", [name])
    #expect(calls.count == 1)
    #expect(calls.first?.contains("(app.lua:5)") == true)
    #expect(warnings == 0)
  }
}
