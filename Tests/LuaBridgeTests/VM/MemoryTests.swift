import LuaBridge
import Testing

@Suite struct MemoryTests {
  @Test func aScriptOverTheMemoryLimitIsStoppedAndTheVMGoesOn() throws {
    let lua = try LuaVM(limits: LuaLimits(memory: 2_000_000))
    for source in [
      "local t = {} for i = 1, 1e7 do t[i] = { i } end", "return ('x'):rep(3e6)",
      "local s = 'x' while true do s = s .. s end",
      "local t = {} pcall(function() for i = 1, 1e7 do t[i] = { i } end end) for i = 1, 1e7 do t[-i] = i end",
    ] {
      let error = try failure { try lua.evaluate(source) }
      #expect(error.kind == .memory, "\(source)")
      #expect(error.message.hasPrefix("not enough memory: the VM may hold 1.907 MB, and held "))
      #expect(error.script == "chunk" && error.line == 1)
      #expect(error.traceback?.contains("chunk:1:") == true)
      #expect(error.exceeded?.allowed == 2_000_000)
      lua.collectGarbage()
      #expect(lua.memory.used < 500_000)
      #expect(lua.memory.peak <= 2_000_000)
    }
    #expect(
      try lua.evaluate("local t = {} for i = 1, 1000 do t[i] = i end return #t").first?.integer
        == 1000)
  }

  @Test func aValueThatDoesNotFitIsAnError() throws {
    let lua = try LuaVM(limits: LuaLimits(memory: 1_000_000))
    let echo = try lua.load("return ...", name: "echo")
    let large = Value.array(.init((0..<200_000).map { .integer($0) }))
    #expect(try failure { try echo.call([.value(large)]) }.kind == .memory)
    #expect(
      try failure { try echo.call([.string(String(repeating: "x", count: 2_000_000))]) }.kind
        == .memory)
    #expect(try echo.call([1]).first?.integer == 1)
  }

  @Test(arguments: [nil, 64 << 20])
  func aMemoryLimitThatIsRaisedOrRemovedCountsForSmallBlocksToo(limit: Int?) throws {
    let lua = try LuaVM(limits: LuaLimits(memory: 1 << 20))
    try lua.setLimits(LuaLimits(memory: limit))
    let count = try lua.evaluate("local t = {} for i = 1, 100000 do t[i] = {} end return #t")
    #expect(count.first?.integer == 100_000)
  }

  @Test func aLimitTooSmallForAVMIsAnError() throws {
    for limit in [10_000, 1, 0, -1] {
      #expect(throws: ScriptError.self) { try LuaVM(limits: LuaLimits(memory: limit)) }
    }
  }

  /// Lets every allocation of `body` fail once, first to last, twice; Lua must be as full after the second time as it is after
  /// the first. The first leaves tables as long as failures make them.
  private func sweep(
    _ lua: LuaVM, _ location: SourceLocation = #_sourceLocation, _ body: () throws -> Void
  ) throws {
    var used: [Int] = []
    for _ in 0..<2 {
      let failures = failEachAllocation(lua, location, body)
      try body()
      lua.collectGarbage()
      lua.collectGarbage()
      if used.isEmpty { #expect(failures > 5, sourceLocation: location) }
      used.append(lua.memory.used)
    }
    #expect(used[1] <= used[0] + 200, sourceLocation: location)
  }

  /// - Returns: the number of calls of `body` that failed.
  private func failEachAllocation(
    _ lua: LuaVM, _ location: SourceLocation, _ body: () throws -> Void
  ) -> Int {
    var failures = 0
    for successes in 0..<100_000 {
      lua.failAllocations(after: successes)
      defer { lua.failAllocations(after: nil) }
      do {
        try body()
        break
      } catch let error as ScriptError {
        failures += 1
        guard error.kind == .memory || error.message.contains("not enough memory") else {
          Issue.record(
            "after \(successes): \(error) \(error.traceback ?? "")", sourceLocation: location)
          break
        }
      } catch {
        Issue.record(error, sourceLocation: location)
        break
      }
    }
    return failures
  }

  @Test func makingAnEffectSurvivesAFailureAtAnyAllocation() throws {
    let lua = try LuaVM()
    let effects = EffectMaker(lua)
    lua.effects = effects
    let script = try lua.load(
      """
      local native = ...
      local large = ("x"):rep(10000)
      local run = native.effectFunctions.run(function() return large end)
      native.effectMethods.map(run, function() return large end)
      """, name: "script.lua")
    let natives = LuaValue.table(try lua.makeNatives())
    try sweep(lua) { _ = try script.call([natives]) }
  }

  @Test func aVMCanBeMadeAfterItsMakingFailedAtAnyAllocation() throws {
    for limit in stride(from: 1000, to: 120_000, by: 1777) {
      _ = try? LuaVM(limits: LuaLimits(memory: limit))
    }
  }

  @Test func loadingAndCallingSurviveAFailureAtAnyAllocation() throws {
    let lua = try LuaVM()
    try sweep(lua) {
      let environment = try lua.makeEnvironment()
      let script = try lua.load(
        "local a, t = ... local r = {} for i = 1, 20 do r[i] = { a .. i, t } end return r, function() return r end",
        name: "script.lua", environment: environment)
      let results = try script.call(["x", .value(["list": [1, ["y": "z"]]])])
      #expect(results.count == 2)
      _ = try results[0].table?.entries()
      _ = try results[1].function?.call(tablesAsValues: true)
    }
  }

  /// Lua's buffers have a metatable, which Lua makes with the first long text.
  @Test func longTextsSurviveAFailureAtAnyAllocation() throws {
    let lua = try LuaVM()
    let script = try lua.load(
      "local long = ('x'):rep(10000) return #long:upper() + #table.concat({ long, long, 'y' })",
      name: "script.lua")
    try sweep(lua) {
      let length = try script.call(as: Int.self)
      #expect(length == 30_001)
    }
  }

  @Test func hostFunctionsAndObjectsSurviveAFailureAtAnyAllocation() throws {
    let lua = try LuaVM()
    let tally = Tally()
    try sweep(lua) {
      let environment = try lua.makeEnvironment()
      let make = try lua.makeFunction("make") { arguments in
        .values([.object(Boxed(tally)), .value(["a": [1]]), .string("text")] + arguments)
      }
      try environment.set("make", to: .function(make))
      let script = try lua.load(
        "local o, v, s, t = make({}, 'x') return { o, v, s, t }", name: "s",
        environment: environment)
      _ = try script.call()
    }
    lua.collectGarbage()
    lua.collectGarbage()
    #expect(tally.living == 0)
  }

  @Test func coroutinesSurviveAFailureAtAnyAllocation() throws {
    let lua = try LuaVM()
    let environment = try lua.makeEnvironment()
    let wait = try lua.makeFunction("wait") { .yield($0) }
    try environment.set("wait", to: .function(wait))
    try sweep(lua) {
      let body = try lua.load(
        """
        local first = ...
        local c <close> = setmetatable({}, { __close = function() local t = { {}, {} } end })
        for i = 1, 3 do first = wait({ first, i }, 'text' .. i) end
        return first
        """, name: "body.lua", environment: environment)
      let coroutine = try body.makeCoroutine()
      var step = try coroutine.resume([.value([1, 2])])
      while case .yielded = step { step = try coroutine.resume(["again"]) }
      let failing = try lua.load(
        "local c <close> = setmetatable({}, { __close = function() end }) wait() local x = {} x.y.z = 1",
        name: "failing.lua", environment: environment
      ).makeCoroutine()
      _ = try failing.resume()
      do throws(ScriptError) {
        _ = try failing.resume()
      } catch {
        guard error.message.contains("attempt to index") else { throw error }
      }
    }
  }

  @Test func handlersSurviveAFailureAtAnyAllocationAndRollBack() throws {
    let script = try DraftScript()
    let before: Value = [
      "list": [["id": 1, "tags": ["a"]], ["id": 2, "tags": []]], "object": ["k": ["n": 1]],
    ]
    let handler = try script.handler(
      """
      for i = 1, 4 do table.insert(state.list, { id = i + 2, tags = { "t" .. i } }) end
      table.sort(state.list, function(a, b) return a.id > b.id end)
      local removed = table.remove(state.list, 2)
      state.object.put = removed
      for key, value in pairs(state.object) do state.object[key .. "!"] = value end
      state.object.k = nil
      state.copy = action.items
      local x = { state.list[1].tags, action.items[1] }
      state.x = x
      state["a key that is longer than forty bytes and so is not interned"] = #tostring(state) > 5
      """)
    let action: Value = ["type": "t", "items": [["a": 1]]]
    let expected = try script.reduce(before, handler, action: action)
    #expect(expected["copy"] == [["a": 1]])
    #expect(expected["list"].array?.count == 5)
    try sweep(script.lua) {
      let after = try script.reduce(before, handler, action: action)
      #expect(after == expected)
    }
    #expect(
      before == [
        "list": [["id": 1, "tags": ["a"]], ["id": 2, "tags": []]], "object": ["k": ["n": 1]],
      ])
  }

  @Test func draftsOfALargeActionDoNotStay() throws {
    let script = try DraftScript()
    let large: Value = ["list": .array(.init((0..<20_000).map { ["id": .integer($0)] }))]
    try script.reduce([:], "state.x = 1")
    script.lua.collectGarbage()
    let before = script.lua.memory.used
    try script.reduce(large, "for _, row in ipairs(state.list) do row.id = row.id + 1 end")
    script.lua.collectGarbage()
    #expect(script.lua.memory.used < before + 200_000)
  }
}
