import LuaBridge
import Testing

@Suite struct ReferenceTests {
  /// Lua's memory after everything that can go is gone.
  private func settled(_ lua: LuaVM) -> Int {
    lua.collectGarbage()
    lua.collectGarbage()
    return lua.memory.used
  }

  /// Runs `body` often; what Lua holds afterwards must not grow with it.
  private func expectNoGrowth(
    _ lua: LuaVM, _ location: SourceLocation = #_sourceLocation, _ body: () throws -> Void
  ) throws {
    for _ in 0..<20 { try body() }
    let before = settled(lua)
    for _ in 0..<200 { try body() }
    let after = settled(lua)
    #expect(after <= before, sourceLocation: location)
  }

  @Test func tablesAndFunctionsGoWhenTheirLastReferenceGoes() throws {
    let lua = try LuaVM()
    let make = try lua.load("return { {}, {} }, function() end, print", name: "make")
    try expectNoGrowth(lua) {
      let results = try make.call()
      _ = try #require(results[0].table).elements()
      _ = try #require(results[0].table).entries()
      _ = try lua.makeTable()
    }
  }

  @Test func aReferenceOfOneVMIsRefusedByAnother() throws {
    let (lua, other) = (try LuaVM(), try LuaVM())
    let table = try other.makeTable()
    let refusal = "a table or function of another VM cannot be used here"
    let environment = try lua.makeEnvironment()
    let identity = try lua.load("return ...", name: "identity")
    #expect(try failure { try identity.call([1, .table(table)]) }.message == refusal)
    #expect(try failure { try environment.set("t", to: .table(table)) }.message == refusal)
    #expect(try failure { _ = try environment.get(.table(table)) }.message == refusal)
    #expect(
      try failure { _ = try lua.load("return 1", name: "x", environment: table) }.message == refusal
    )
    let give = try lua.makeFunction("give") { _ in .values([.table(table)]) }
    #expect(try failure { try give.call() }.message.hasSuffix(refusal))
    let coroutine = try identity.makeCoroutine()
    #expect(try failure { _ = try coroutine.resume([.table(table)]) }.message == refusal)
    guard case .finished(let results) = try coroutine.resume([1]) else {
      Issue.record("it did not finish")
      return
    }
    #expect(results.first?.integer == 1)
  }

  @Test func referencesThatWereHandedOverBeforeARefusalAreReleased() throws {
    let lua = try LuaVM()
    let environment = try lua.makeEnvironment()
    let take = try lua.makeFunction("take", tablesAsValues: true) { _ in .values([]) }
    try environment.set("take", to: .function(take))
    let call = try lua.load(
      "local big = {} for i = 1, 100 do big[i] = i end\n"
        + "take(function() return big end, { f = print })", name: "call", environment: environment)
    try expectNoGrowth(lua) { #expect(throws: ScriptError.self) { try call.call() } }

    let results = try lua.load(
      "local big = {} for i = 1, 100 do big[i] = i end\nreturn function() return big end, { print }",
      name: "results")
    try expectNoGrowth(lua) {
      #expect(throws: ScriptError.self) { try results.call(tablesAsValues: true) }
    }
  }

  @Test func errorValuesAreReleased() throws {
    let lua = try LuaVM()
    let raise = try lua.load("error { function() end, ('x'):rep(1000) }", name: "raise")
    try expectNoGrowth(lua) { #expect(throws: ScriptError.self) { try raise.call() } }
  }

  @Test func theFunctionsOfARunThatAnExpectationReturnsAreReleased() throws {
    let lua = try LuaVM()
    let make = try lua.load(
      """
      local run = (...).effectFunctions.run
      return function() return run(function() end, { catch = function() end }) end
      """, name: "make")
    let expect = try #require(try make.call([.table(lua.makeNatives())]).first?.function)
    try expectNoGrowth(lua) {
      let returned = try lua.edit(["n": 0], with: expect, owner: 0).returned
      #expect(returned == "effect")
    }
  }

  @Test func theFunctionsThatAnEffectDoesNotNeedAreReleased() throws {
    let lua = try LuaVM()
    let effects = EffectMaker(lua)
    lua.effects = effects
    defer { withExtendedLifetime(effects) { lua.effects = nil } }
    let make = try lua.load(
      """
      local natives = ...
      local effect, map = natives.effectFunctions, natives.effectMethods.map
      local sent = effect.send("sent")
      return function() map(sent, function() end) end,
        function() map(effect.run(function() end), function() end) end
      """, name: "make")
    let functions = try make.call([.table(lua.makeNatives())]).compactMap(\.function)
    #expect(functions.count == 2)
    for function in functions {
      lua.effects = effects
      effects.use = .ignored
      try expectNoGrowth(lua) { _ = try function.call() }
      effects.use = .refused
      try expectNoGrowth(lua) { #expect(throws: ScriptError.self) { try function.call() } }
      lua.effects = nil
      try expectNoGrowth(lua) { #expect(throws: ScriptError.self) { try function.call() } }
    }
  }

  @Test func coroutinesAreReleasedFinishedOrNot() throws {
    let lua = try LuaVM()
    let environment = try lua.makeEnvironment()
    let wait = try lua.makeFunction("wait") { .yield($0) }
    try environment.set("wait", to: .function(wait))
    let body = try lua.load("wait(1) wait(2)", name: "body", environment: environment)
    try expectNoGrowth(lua) {
      let finished = try body.makeCoroutine()
      for _ in 0..<3 { _ = try finished.resume() }
      _ = try body.makeCoroutine().resume()
      _ = try body.makeCoroutine()
      let closed = try body.makeCoroutine()
      _ = try closed.resume()
      try closed.close()
    }
  }
}
