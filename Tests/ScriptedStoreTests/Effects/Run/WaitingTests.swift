import LuaBridge
import ScriptedStore
import Testing

/// Where in a body one may wait, and what is said where one may not.
struct WaitingTests {
  private func app(_ body: String, uses: [String] = [], dependencies: Dependencies = .init()) throws
    -> EffectApp
  {
    try EffectApp(
      """
      go = function(state, action, deps)
        return effect.run(function(send, deps)
          local function wait(...) deps.clock.sleep(1); return ... end
          \(body)
        end)
      end,
      """, uses: uses, dependencies: dependencies)
  }

  /// Each takes one second in a wait and ends with `note`.
  @Test(arguments: [
    ("plain call", "note(wait(5))"),
    ("pcall", "note(select(2, pcall(wait, 5)))"),
    ("pcall of what raises", "note(select(2, pcall(function() wait(); error(5, 0) end)))"),
    ("nested pcall", "note(select(4, pcall(pcall, pcall, wait, 5)))"),
    ("xpcall", "note(select(2, xpcall(wait, print, 5)))"),
    (
      "generic for",
      """
      for x in function(_, last) if not last then return wait(5) end end do note(x) end
      """
    ),
    (
      "pairs by a metamethod",
      """
      for k in pairs(setmetatable({}, { __pairs = function() wait(); return next, { [5] = 1 } end })) do note(k) end
      """
    ),
    ("__index", "note(setmetatable({}, { __index = function(_, k) return wait(k) end })[5])"),
    ("__newindex", "setmetatable({}, { __newindex = function(_, k) note(wait(k)) end })[5] = 1"),
    ("__call", "note(setmetatable({}, { __call = function(_, x) return wait(x) end })(5))"),
    ("arithmetic", "note(setmetatable({}, { __add = function(_, x) return wait(x) end }) + 5)"),
    ("comparison", "note(setmetatable({}, { __lt = function() return wait(true) end }) < 1 and 5)"),
    (
      "concatenation",
      """
      note(setmetatable({}, { __concat = function(a, b) return wait(5) end }) .. 'x')
      """
    ),
    ("length", "note(#setmetatable({}, { __len = function() return wait(5) end }))"),
    (
      "equality",
      """
      local m = { __eq = function() return wait(true) end }; note(setmetatable({}, m) == setmetatable({}, m) and 5)
      """
    ),
    (
      "close",
      """
      do local x <close> = setmetatable({}, { __close = function() wait() end }) end note(5)
      """
    ),
    ("tail call", "local function f(x) return wait(x) end; note(f(5))"),
    ("varargs", "note((select('#', wait(1, nil, 3, nil, 5))))"),
    ("list.map", "note(list.map({ 4 }, function(x) return wait(x) + 1 end)[1])"),
    (
      "list.filter",
      """
      note(list.filter({ 4, 5 }, function(x) if x == 4 then wait() end return x == 5 end)[1])
      """
    ),
    (
      "list.removeAll",
      """
      local l = { 4, 5 }; list.removeAll(l, function(x) if x == 4 then wait() end return x == 4 end); note(l[1])
      """
    ),
    ("effect.result", "note(effect.result(wait, 5).success)"),
    ("loaded code", "note(load('local wait = ... ; return wait(5)')(wait))"),
    ("require's function", "note(require('waiting')(wait))"),
  ]) func aWaitWorksIn(_ place: String, _ body: String) throws {
    let app = try app(body)
    try app.scripts.folder.write(
      "return function(wait) return wait(5) end", to: "waiting.lua")
    app.store.send("go")
    #expect(app.waits == ["clock.sleep"])
    #expect(app.trace == ["go"])
    app.clock.advance(by: .seconds(1))
    #expect(app.cleanTrace == ["go", "5"])
    #expect(app.store.effects.isEmpty)
  }

  @Test func aWaitInAMessageHandlerIsWhatXpcallReturns() throws {
    let app = try app("note(select(2, xpcall(error, function() wait() end, 'E')))")
    app.store.send("go")
    let text = "clock.sleep cannot wait in a function that xpcall calls"
    #expect(app.trace.last?.contains(text) == true)
    #expect(app.store.effects.isEmpty)
  }

  /// What cannot wait says which function runs the callback; the body goes on behind a `pcall`.
  @Test(arguments: [
    ("sort", "table.sort({ 3, 2, 1 }, function(a, b) wait() return a < b end)"),
    ("gsub", "string.gsub('abc', '.', function(c) return wait(c) end)"),
    ("gsub", "('abc'):gsub('.', function(c) return wait(c) end)"),
    ("load", "error((select(2, load(function() wait() return nil end))))"),
    ("tostring", "tostring(setmetatable({}, { __tostring = function() return wait('x') end }))"),
    ("print", "print(setmetatable({}, { __tostring = function() return wait('x') end }))"),
    (
      "format",
      """
      string.format('%s', setmetatable({}, { __tostring = function() return wait('x') end }))
      """
    ),
    (
      "table.concat",
      """
      table.concat(setmetatable({}, { __index = function() return wait('x') end, __len = function() return 2 end }))
      """
    ),
    ("table.insert", "table.insert(setmetatable({}, { __newindex = function() wait() end }), 1)"),
    (
      "table.unpack",
      """
      table.unpack(setmetatable({}, { __index = function() return wait(1) end }), 1, 2)
      """
    ),
    (
      "ipairs",
      """
      for i in ipairs(setmetatable({}, { __index = function(_, i) if i < 3 then return wait(i) end end })) do end
      """
    ),
    ("xpcall", "xpcall(error, function() wait() end)"),
  ]) func aWaitRaisesIn(_ function: String, _ body: String) throws {
    // Directly: the message. Behind a pcall: the body goes on.
    let app = try app("local function f() \(body) end pcall(f); note('on'); send('sent')")
    app.store.send("go")
    #expect(app.trace == ["go", "on", "sent"])
    #expect(app.store.effects.isEmpty)
    let reads = ["ipairs", "table.concat", "table.insert", "table.unpack"].contains(function)
    let other = try self.app(
      function == "xpcall"
        ? "note(select(2, xpcall(error, function() local ok, e = pcall(wait); return e end)))"
        : "local ok, e = pcall(function() \(body) end); note(e)")
    other.store.send("go")
    let message = other.trace.last ?? ""
    #expect(message.contains("cannot wait"), "\(message)")
    #expect(message.contains(function) || reads && message.contains("clock.sleep"), "\(message)")
    #expect(other.store.effects.isEmpty)
  }

  @Test func everyWaitRaisesInACallback() throws {
    for call in [
      "effect.yield()", "effect.all { function() effect.yield() end }",
      "effect.race { function() effect.yield() end }", "effect.timeout(1, effect.yield)",
      "effect.withCancellation('x', {}, effect.yield)", "deps.clock.sleep(1)",
      "for _ in deps.clock.timer(1) do break end",
    ] {
      let app = try app("table.sort({ 2, 1 }, function(a, b) \(call) return a < b end)")
      app.store.send("go")
      let warning = try #require(app.scripts.warnings.first, "\(call)")
      #expect(warning.kind == .effectError)
      #expect(warning.message.contains("sort"), "\(call): \(warning.message)")
      #expect(app.store.effects.isEmpty, "\(call)")
    }
  }

  @Test(arguments: [
    "deps.clock.sleep(1)", "for _ in deps.clock.timer(1) do break end", "deps.gate()",
    "effect.yield()", "pcall(deps.gate) state.caught = true deps.gate()",
  ]) func aWaitInAHandlerRaisesAndSaysSo(_ call: String) throws {
    var dependencies = Dependencies()
    dependencies.register("gate", live: .asyncFunction { () async throws -> Int in 1 })
    let app = try EffectApp(
      "go = function(state, action, deps) state.n = 1 \(call) end,", uses: ["gate"],
      dependencies: dependencies)
    app.store.send("go")
    let error = try #require(app.scripts.errors.first)
    #expect(error.message.contains("effect.run"), "\(error.message)")
    #expect(app.store.state["n"] == .null)
    #expect(app.store.effects.isEmpty)
  }

  @Test func aWaitWhileAModuleLoadsRaises() throws {
    let app = try app("note(effect.result(function() return require('slow') end).failure.message)")
    try app.scripts.folder.write(
      "local scripted = require 'scripted'; scripted.effect.yield(); return 1", to: "slow.lua")
    app.store.send("go")
    let message = try #require(app.cleanTrace.last)
    #expect(
      message.contains("effect.yield cannot wait in a function that require calls"), "\(message)")
    #expect(app.store.effects.isEmpty)
  }

  @Test func aTimerIsAnIteratorThatWaits() throws {
    let app = try app(
      """
      for n in deps.clock.timer(1) do send('tick', n); if n == 3 then break end end; note('over')
      """)
    app.store.send("go")
    for _ in 0..<5 { app.clock.advance(by: .seconds(1)) }
    #expect(app.cleanTrace == ["go", "tick 1", "tick 2", "tick 3", "over"])
    #expect(app.store.effects.isEmpty)
  }

  @Test func aTimerTicksAtMultiplesOfItsInterval() throws {
    let app = try app(
      """
      for n in deps.clock.timer(0.1) do send('tick', deps.clock.now()); deps.clock.sleep(0.05) end
      """)
    let at = Recorder<Double>()
    let observation = app.store.onAction { record in
      if let now = record.action.payload["value"]?.double { at.record(now) }
    }
    app.store.send("go")
    app.clock.advance(by: .seconds(100))
    observation.cancel()
    #expect(at.count == 1000)
    for (index, time) in at.all.enumerated() {
      #expect(abs(time - Double(index + 1) * 0.1) < 1e-6)
    }
  }
}
