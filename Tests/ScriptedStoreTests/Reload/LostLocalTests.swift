import LuaBridge
import ScriptedStore
import Testing

/// What scripts keep in locals is told when a reload puts it back.
struct LostLocalTests {
  /// The warnings of a reload after some actions.
  private func warnings(
    _ locals: String, _ handler: String, after actions: [String] = ["go"], operators: String = ""
  ) throws -> [RuntimeWarning] {
    let source = """
      \(locals)
      return scripted.feature {
        name = "App", state = { rows = { { id = 1 } } }, on = { go = function(state) \(handler) end },
      }\(operators)
      """
    let scripts = try Scripts(app: source)
    let store = try scripts.store()
    for action in actions { try store.send(action) }
    #expect(scripts.errors.isEmpty)
    try scripts.write("app", source + "\n-- saved")
    return try scripts.host.reload().warnings
  }

  @Test(arguments: [
    ("local count = 0", "count = count + 1", "count"),
    ("local last", "last = 'x'", "last"),
    ("local isOn = true", "isOn = false", "isOn"),
    ("local cache = {}", "cache.key = 1", "cache"),
    ("local list = { 1, 2 }", "list[1], list[2] = 3, nil", "list"),
    ("local cache = { key = 1 }", "cache = { key = 2 }", "cache"),
    (
      "local count = 0 local function next() count = count + 1 return count end",
      "state.n = next()", "count"
    ),
  ])
  func oneThatChangedIsAWarning(_ locals: String, _ handler: String, _ name: String) throws {
    let warnings = try warnings(locals, handler)
    #expect(warnings.map(\.kind) == [.lostLocal], "\(warnings)")
    #expect(warnings.first?.message.hasPrefix("the local '\(name)' of app.lua") == true)
    #expect(warnings.first?.origin == "app.lua")
  }

  @Test(arguments: [
    ("local count = 0", "state.count = count"),
    ("local names = { 'a', 'b' }", "state.name = names[1]"),
    ("local cache = {}", "cache.key = 1 cache.key = nil"),
    ("local function twice(n) return n * 2 end", "state.n = twice(2)"),
    ("", "local own = 1 own = own + 1"),
  ])
  func onesThatAreAsTheyWereAreNone(_ locals: String, _ handler: String) throws {
    #expect(try warnings(locals, handler).isEmpty)
  }

  @Test func thoseBehindOperatorsAreSeen() throws {
    let warnings = try warnings(
      """
      local seen = 0
      local Row = scripted.feature { name = "Row", state = {}, on = { see = function() seen = seen + 1 end } }
      """, "", after: ["rows[1].see"],
      operators: ":forEach('rows', Row):onChange('x', function() end)")
    #expect(warnings.map(\.kind) == [.lostLocal])
  }

  /// A reload loads all scripts again, those too that have not changed.
  @Test func thoseOfARequiredScriptThatHasNotChangedAreSeen() throws {
    let app = """
      local util = require "util"
      return scripted.feature { name = "App", state = {}, on = { go = function(state) state.n = util.count() end } }
      """
    let scripts = try Scripts([
      "app": app,
      "util": "local n = 0 return { count = function() n = n + 1 return n end }",
    ])
    let store = try scripts.store()
    store.send("go")
    store.send("go")
    try scripts.write("app", app + "\n-- saved")
    let warnings = try scripts.host.reload().warnings
    #expect(warnings.map(\.origin) == ["util.lua"])
    #expect(warnings.first?.message.hasPrefix("the local 'n' of util.lua") == true)
    store.send("go")
    #expect(store.state["n"] == 1)
  }
}
