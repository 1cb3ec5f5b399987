import Foundation
import LuaBridge
import Testing

/// Scripts that go over a limit: stopped, whatever they catch, and the VM goes on.
@Suite struct LimitTests {
  private func script(_ limits: LuaLimits) throws -> SandboxScript {
    let script = try SandboxScript()
    try script.lua.setLimits(limits)
    return script
  }

  private func expectUsable(
    _ script: SandboxScript, _ location: SourceLocation = #_sourceLocation
  ) throws {
    #expect(
      try script.run("local t = {} for i = 1, 100 do t[i] = i end return #t").first?.integer == 100,
      sourceLocation: location)
  }

  // MARK: Time

  @Test(arguments: [
    ("a loop", "while true do end"),
    ("a goto", "::again:: goto again"),
    ("a numeric loop", "for _ = 1, math.maxinteger do end"),
    ("tail calls", "local f f = function() return f() end f()"),
    ("a loop inside of pcall", "while true do pcall(function() while true do end end) end"),
    ("a loop around pcall", "while true do pcall(error) end"),
    (
      "pcall of pcall of …",
      "local function f() while true do pcall(pcall, pcall, pcall, error) end end pcall(f) f()"
    ),
    (
      "recursion that catches its end",
      "local function f() pcall(f) while true do end end while true do pcall(f) end"
    ),
    ("a deep recursion", "local function f() return 1 + f() end while true do pcall(f) end"),
    ("a handler of xpcall", "xpcall(error, function() while true do end end)"),
    (
      "a handler that raises", "while true do xpcall(error, function() error('again') end) end"
    ),
    (
      "a handler of a loop",
      "xpcall(function() while true do end end, function() while true do end end) while true do end"
    ),
    (
      "the text of an error value",
      "error(setmetatable({}, { __tostring = function() while true do end end }))"
    ),
    (
      "the text of an error value that catches its end",
      """
      error(setmetatable({}, { __tostring = function()
        while true do pcall(function() while true do end end) end
      end }))
      """
    ),
    (
      "a <close> variable",
      "local c <close> = setmetatable({}, { __close = function() while true do end end })"
    ),
    (
      "a <close> variable on the way out",
      """
      while true do
        pcall(function()
          local a <close> = setmetatable({}, { __close = function() while true do end end })
          local b <close> = setmetatable({}, { __close = function() while true do end end })
          while true do end
        end)
      end
      """
    ),
    (
      "what is called by calling itself",
      "local t = setmetatable({}, {}) getmetatable(t).__call = t while true do pcall(t) end"
    ),
    (
      "the same where the stack is large",
      "pcall(table.unpack, {}, 1, 600000) "
        + "local t = setmetatable({}, {}) getmetatable(t).__call = t while true do pcall(t) end"
    ),
    (
      "the same with many arguments",
      "local t = setmetatable({}, {}) getmetatable(t).__call = t "
        + "while true do pcall(t, table.unpack({}, 1, 300000)) end"
    ),
    (
      "the same while memory is short",
      "pcall(table.unpack, {}, 1, 600000) local t = setmetatable({}, {}) getmetatable(t).__call = t "
        + "local kept = {} while true do for i = 1, 10000 do kept[#kept + 1] = {} end pcall(t) end"
    ),
    (
      "table.unpack of what is looked for in thousands of tables",
      "local t = chain() while true do table.unpack(t, 1, 900000) end"
    ),
    ("table.move of it", "local t = chain() while true do table.move(t, 1, 4000, 1, {}) end"),
    (
      "replacements from it",
      "local t = chain() while true do (('x'):rep(1000000)):gsub('.', t) end"
    ),
    ("an iterator", "for _ in function() return 1 end do end"),
    (
      "a metamethod",
      "return setmetatable({}, { __index = function() while true do end end }).field"
    ),
    (
      "metamethods of each other",
      "local a, b = {}, {} local function f(t, k) return (t == a and b or a)[k] end "
        + "setmetatable(a, { __index = f }) setmetatable(b, { __index = f }) "
        + "while true do pcall(function() return a.x end) end"
    ),
    ("tostring", "tostring(setmetatable({}, { __tostring = function() while true do end end }))"),
    ("a comparator", "table.sort({ 3, 1, 2 }, function() while true do end end)"),
    ("a replacement", "string.gsub('abc', '.', function() while true do end end)"),
    ("a reader of load", "load(function() while true do end end)"),
    ("a reader without end", "load(function() return ' ' end)"),
    ("a chunk that is loaded", "while true do load('\\nreturn 1', '@module.lua')() end"),
    ("table.move of nothing", "table.move({}, 1, math.maxinteger - 1, 2)"),
    ("table.move into another", "table.move({}, 1, math.maxinteger - 1, 1, {})"),
    ("table.move from a float", "table.move({}, 1.0, math.maxinteger - 1, 2)"),
    ("table.move to a numeral", "table.move({}, 1, math.maxinteger - 1, '2')"),
    ("table.move of a string", "table.move('x', 1, math.maxinteger - 1, 1, {})"),
    (
      "table.insert at a float",
      "table.insert(setmetatable({}, { __len = function() return 1 << 60 end }), 1.0, 0)"
    ),
    (
      "table.remove from a numeral",
      "table.remove(setmetatable({}, { __len = function() return 1 << 60 end }), '1')"
    ),
    (
      "table.insert into what says that it is long",
      "table.insert(setmetatable({}, { __len = function() return 1 << 60 end }), 1, 0)"
    ),
    (
      "table.remove from it",
      "table.remove(setmetatable({}, { __len = function() return 1 << 60 end }), 1)"
    ),
    (
      "table.concat of it",
      "table.concat(setmetatable({}, { __len = function() return 1 << 60 end, "
        + "__index = function() return '' end }))"
    ),
    (
      "table.concat that never meets a script",
      "table.concat(setmetatable({}, { __index = type }), '', 1, 1 << 60)"
    ),
    (
      "sorting long strings",
      "local a, t = ('x'):rep(2000000), {} for i = 1, 30000 do t[i] = a .. (i % 2) end"
    ),
    (
      "sorting long strings that are there twice",
      "local t = {} local a, b = ('x'):rep(4000000) .. 1, ('x'):rep(4000000) .. 2 "
        + "for i = 1, 30000 do t[i] = i % 2 == 0 and a or b end while true do table.sort(t) end"
    ),
    (
      "sorting numbers",
      "local t = {} for i = 1, 40000 do t[i] = -i end while true do table.sort(t) end"
    ),
    ("matching", "while true do (('a'):rep(5000)):find(('a*'):rep(20) .. 'b') end"),
    (
      "plain search",
      "local s, p = ('x'):rep(3000000), ('x'):rep(1500000) .. 'y' while true do s:find(p, 1, true) end"
    ),
    (
      "names that are looked for in many functions",
      """
      local parts = {}
      for depth = 1, 90 do
        local names = {}
        for i = 1, 150 do names[i] = "v" .. depth .. "_" .. i end
        parts[#parts + 1] = "local " .. table.concat(names, ",") .. " return function() "
      end
      parts[#parts + 1] = ("x=x;"):rep(200000)
      parts[#parts + 1] = ("end "):rep(90)
      assert(load(table.concat(parts)))
      """
    ),
    (
      "labels",
      """
      local parts = {}
      for i = 1, 30000 do parts[i] = "::l" .. i .. ":: f() " end
      local text = "local f do " .. table.concat(parts) .. " end "
      while true do assert(load(text)) end
      """
    ),
  ])
  func whatTakesTooLongIsStopped(what: String, source: String) throws {
    let script = try script(LuaLimits(time: .milliseconds(50), memory: 512 << 20))
    let error = try failure { try script.run("\n" + source) }
    #expect(error.kind == .time, "\(error)")
    #expect(error.message == "this takes longer than 0.05 s")
    #expect(error.exceeded?.allowed == 0.05)
    #expect(error.exceeded?.reached ?? 0 >= 0.05)
    #expect(error.script == "module.lua")
    #expect(error.line ?? 0 >= 2)
    #expect(error.traceback?.contains("module.lua") == true)
    try expectUsable(script)
  }

  @Test func theTracebackOfWhatIsStoppedNamesItsFunctions() throws {
    let script = try script(LuaLimits(time: .milliseconds(20)))
    let error = try failure {
      try script.run(
        """
        local function spin() while true do end end
        local function outer() pcall(spin) end
        outer()
        """)
    }
    #expect(
      error.traceback?.hasPrefix(
        "stack traceback:\n\tmodule.lua:1: in upvalue 'spin'\n\t[C]: in ") == true
        || error.traceback?.contains("module.lua:1: in function <module.lua:1>") == true)
    #expect(error.traceback?.contains("module.lua:2: in local 'outer'") == true)
    #expect(error.traceback?.contains("module.lua:3: in main chunk") == true)
  }

  @Test func aScriptInAFunctionOfTheHostIsStoppedAndWhatCalledThat() throws {
    let script = try script(LuaLimits(time: .milliseconds(50)))
    let spin = try script.lua.load("while true do end", name: "inner.lua")
    let host = try script.lua.makeFunction("host") { [unowned spin] _ in
      .values(try spin.call())
    }
    try script.environment.set("host", to: .function(host))
    let error = try failure { try script.run("while true do pcall(host) end") }
    #expect(error.kind == .time)
    #expect(error.script == "inner.lua")
    try expectUsable(script)
  }

  @Test func aCoroutineOfTheHostsIsStoppedAndClosed() throws {
    let script = try script(LuaLimits(time: .milliseconds(50)))
    let coroutine = try script.lua.load(
      """
      local closing <close> = setmetatable({}, { __close = function() while true do end end })
      while true do pcall(function() while true do end end) end
      """, name: "body.lua", environment: script.environment
    ).makeCoroutine()
    #expect(try failure { _ = try coroutine.resume() }.kind == .time)
    #expect(coroutine.isFinished)
    try expectUsable(script)
  }

  @Test func theTimeOfEachCallIsItsOwn() throws {
    let script = try script(LuaLimits(time: .milliseconds(300)))
    for _ in 0..<10 {
      try script.run("local n = 0 for i = 1, 100000 do n = n + i end")
    }
    try expectUsable(script)
  }

  @Test func threadsAreStoppedEachForItself() async throws {
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<4 {
        group.addTask {
          await withCheckedContinuation { continuation in
            Thread.detachNewThread {
              do {
                let script = try SandboxScript()
                try script.lua.setLimits(LuaLimits(time: .milliseconds(30)))
                for _ in 0..<3 {
                  let error = try failure { try script.run("while true do pcall(error) end") }
                  #expect(error.kind == .time, "\(index)")
                  try script.run("for i = 1, 1000 do end")
                }
              } catch { Issue.record(error) }
              continuation.resume()
            }
          }
        }
      }
    }
  }

  // MARK: Instructions

  @Test func instructionsAreCountedExactly() throws {
    let script = try script(.unlimited)
    let source =
      "local n = 0 for i = 1, 5000 do n = n + (pcall(math.abs, i) and 1 or 0) end return n"
    func passes(_ instructions: Int) throws -> Bool {
      try script.lua.setLimits(LuaLimits(instructions: instructions))
      do throws(ScriptError) {
        return try script.lua.evaluate(source, environment: script.environment).first?.integer
          == 5000
      } catch {
        guard error.kind == .instructions else { throw error }
        #expect(error.message == "this runs more than \(instructions) instructions")
        return false
      }
    }
    var (low, high) = (1000, 200_000)
    #expect(try !passes(low) && passes(high))
    while high - low > 1 {
      let middle = (low + high) / 2
      if try passes(middle) { high = middle } else { low = middle }
    }
    for _ in 0..<3 { #expect(try !passes(low) && passes(high)) }
  }

  @Test func theCallsOfATurnShareWhatItMayUse() throws {
    let script = try script(LuaLimits(instructions: 10_000))
    let source = "for i = 1, 2000 do end"
    let lua = script.lua
    for _ in 0..<10 { try lua.evaluate(source) }
    let error = try failure { try lua.turn { for _ in 0..<10 { try lua.evaluate(source) } } }
    #expect(error.kind == .instructions)
    try lua.evaluate(source)
  }

  // MARK: Memory

  @Test(arguments: [
    ("tables", "local t = {} for i = 1, 1e8 do t[i] = { i } end"),
    ("one table", "local t = {} for i = 1, 1e9 do t[i] = i end"),
    ("keys", "local t = {} for i = 1, 1e9 do t[i .. ''] = true end"),
    ("closures", "local f for i = 1, 1e9 do local g = f f = function() return g, i end end"),
    ("strings", "local t = {} for i = 1, 1e9 do t[i] = ('x'):rep(1000) .. i end"),
    ("a string", "local s = 'x' while true do s = s .. s end"),
    ("rep", "return ('x'):rep(1e9)"),
    ("rep in pcall", "while true do pcall(string.rep, 'x', 1e9) end"),
    (
      "concat",
      "local s = ('x'):rep(1e5) local t = {} for i = 1, 1e5 do t[i] = s end table.concat(t)"
    ),
    ("gsub", "return ('x'):rep(1e5):gsub('x', ('y'):rep(1e5))"),
    (
      "format",
      "local s = ('x'):rep(1e6) return ('%s'):rep(900):format(table.unpack((function() local t = {} for i = 1, 900 do t[i] = s end return t end)()))"
    ),
    ("pack", "return string.pack('c1000000000', '')"),
    (
      "pcall",
      "local t = {} while true do pcall(function() while true do t[#t + 1] = {} end end) end"
    ),
    (
      "xpcall",
      "local t = {} while true do xpcall(function() while true do t[#t + 1] = {} end end, "
        + "function() while true do t[#t + 1] = {} end end) end"
    ),
    (
      "a <close> variable",
      """
      local t = {}
      local c <close> = setmetatable({}, { __close = function() while true do t[#t + 1] = {} end end })
      while true do t[#t + 1] = {} end
      """
    ),
    (
      "load",
      "local t = {} while true do t[#t + 1] = load('return function() return ' .. #t .. ' end') end"
    ),
  ])
  func whatNeedsTooMuchMemoryIsStopped(what: String, source: String) throws {
    for limits in [
      LuaLimits(time: .seconds(20), memory: 16 << 20),
      LuaLimits(time: .seconds(20), memory: 256 << 20, memoryPerTurn: 8 << 20),
    ] {
      let script = try script(limits)
      let error = try failure { try script.run("\n" + source) }
      #expect(error.kind == .memory, "\(error)")
      #expect(error.message.hasPrefix("not enough memory: "))
      #expect(error.exceeded?.allowed == Double(limits.memoryPerTurn ?? limits.memory ?? 0))
      #expect(error.exceeded?.reached ?? 0 > (error.exceeded?.allowed ?? 0) * 0.8)
      #expect(error.script == "module.lua")
      #expect(error.line ?? 0 >= 2)
      #expect(error.traceback?.contains("module.lua:") == true)
      #expect(script.lua.memory.peak <= 16 << 20)
      try expectUsable(script)
      script.lua.collectGarbage()
      #expect(script.lua.memory.used < 2 << 20)
    }
  }

  @Test func garbageIsNoReasonToStop() throws {
    let script = try script(LuaLimits(memory: 16 << 20, memoryPerTurn: 4 << 20))
    try script.run("for i = 1, 300000 do local t = { i, { i } } end")
    try script.run("for i = 1, 300 do local s = ('x'):rep(1e5 + i) end")
    try script.run("for i = 1, 30 do local s = ('x'):rep(2e6 + i) end")
  }

  @Test func whatScriptsKeepCountsForTheVMAndATurnForItself() throws {
    let script = try script(LuaLimits(memory: 16 << 20, memoryPerTurn: 6 << 20))
    try script.run("rawset(_ENV, 'kept', {})")
    let source = "for i = 1, 50000 do kept[#kept + 1] = { i } end"
    try script.run(source)
    let error = try failure { for _ in 0..<10 { try script.run(source) } }
    #expect(error.kind == .memory)
    #expect(error.message.hasPrefix("not enough memory: the VM may hold 16 MB, and held "))
    #expect(try failure { try script.run(source) }.kind == .memory)
  }

  // MARK: What is there many times

  private static let nested = "local t = { 1 } for i = 1, 60 do t = { t, t } end "

  @Test(arguments: [
    "state.x = t", "state.x = {} table.insert(state.x, t)", "host(t)",
    "for _ = 1, 2 do pcall(host, t) end",
  ])
  func aTableThatHoldsOneTableManyTimesIsNotWrittenOut(use: String) throws {
    for limits in [
      LuaLimits(time: .seconds(20), memory: 32 << 20),
      LuaLimits(time: .seconds(20), memoryPerTurn: 8 << 20),
    ] {
      let script = try script(limits)
      let host = try script.lua.makeFunction("host", tablesAsValues: true) { .values($0) }
      try script.environment.set("host", to: .function(host))
      let error = try failure { try script.handle(Self.nested + use) }
      #expect(error.kind == .memory, "\(error)")
      #expect(error.message.hasPrefix("not enough memory: "))
      #expect(error.script == "module.lua")
      try expectUsable(script)
    }
  }

  @Test func suchATableAsAnErrorIsToldByItsType() throws {
    let script = try script(LuaLimits(time: .seconds(20), memory: 32 << 20))
    let error = try failure { try script.run(Self.nested + "error(t)") }
    #expect(error.message == "error value: table")
    #expect(error.kind == .runtime && error.line == 1)
    try expectUsable(script)
  }

  @Test func aValueOfTheHostsThatHoldsOneManyTimesIsNotWrittenOut() throws {
    let script = try script(LuaLimits(time: .seconds(20), memoryPerTurn: 8 << 20))
    let value = (1...60).reduce(Value.array([1])) { value, _ in [value, value] }
    let host = try script.lua.makeFunction("host") { _ in .values([.value(value)]) }
    try script.environment.set("host", to: .function(host))
    #expect(try failure { try script.run("host()") }.message == "not enough memory")
    try expectUsable(script)
  }

  @Test(arguments: [
    "for i = 1, 60 do local x = state.x state.x = { a = x, b = x } end",
    "for i = 1, 60 do local x = state.x state.x = { x, x } end",
    "for i = 1, 60 do state.x = { a = state.x, [('k'):rep(100)] = state.x } end",
    "for i = 1, 5000 do state.x[i] = action end",
    "for i = 1, 5000 do state['k' .. i] = action end",
    "local t = {} for i = 1, 5000 do t[i] = action end state.x = t",
    "for i = 1, 500 do state['k' .. i] = ('x'):rep(10000) end",
    "for i = 1, 500 do state[('k'):rep(10000) .. i] = 1 end",
    "local t = {} for i = 1, 100000 do t[i] = i end state.x = t",
  ])
  func aStateThatIsLargerThanItMayBeIsRefused(writes: String) throws {
    let script = try script(LuaLimits(stateSize: 1 << 20))
    let action: Value = ["items": .array(Value.List((0..<100).map { Value.integer(Int64($0)) }))]
    let error = try failure {
      _ = try script.reduce("state.x = { 1 } " + writes, [:], action: action)
    }
    #expect(error.message.contains("may not have more than 1048576 bytes"), "\(error)")
    let small = "state.x = { action, action } state.y = ('x'):rep(500000)"
    #expect(try script.reduce(small, [:], action: action)["x"][0] == action)
    try expectUsable(script)
  }

  @Test func aStateThatGrowsALittleAtATimeIsRefusedInTheEnd() throws {
    let script = try script(LuaLimits(stateSize: 1 << 20))
    var state: Value = [:]
    var actions = 0
    let error = try failure {
      for action in 0..<3000 {
        state = try script.reduce(
          "state['k' .. action.n] = ('x'):rep(2000)", state, action: ["n": .integer(Int64(action))])
        actions += 1
      }
    }
    #expect(error.message.contains("may not have more than"))
    #expect((400..<700).contains(actions))
    // It stays refused.
    #expect(throws: ScriptError.self) { try script.reduce("state.k0 = 'yx'", state) }
  }

  /// A flat object, a dictionary, a list, and a list for what a script wants to keep.
  private static let containers: Value = [
    "o": object(20), "d": object(100),
    "l": .array(.init((0..<1000).map { Value.integer(Int64($0)) })),
    "kept": [],
  ]

  /// Fills `t` with texts that are too short to count when they are read.
  private static let texts =
    "local t = {} for n = 1, 500 do t[n] = ('x'):rep(200) .. i .. n end"

  private static func object(_ count: Int) -> Value {
    .object(.init((0..<count).map { (key: "k\($0)", value: .integer(Int64($0))) }))
  }

  @Test(arguments: [
    "state.kept[i] = state.o state.o.k1 = i", "state.kept[i] = state.d state.d.k1 = i",
    "state.kept[i] = state.l state.l[500] = i",
    "state.kept[i] = state.d state.d['x' .. i] = 1 state.d['x' .. i] = nil",
    "state.kept[i] = ('x'):rep(200) .. i", "state.kept[i] = { ('x'):rep(200) .. i }",
    "state.d[('x'):rep(200) .. i] = true", "state.o.k1 = { [('x'):rep(200)] = { i } }",
    "next(state.o) state.o['x' .. i] = 1 state.o['x' .. i] = nil",
    "state.o['x' .. i] = 1 for _ in pairs(state.o) do break end state.o['x' .. i] = nil",
    "state.d['x' .. i] = 1 for _ in pairs(state.d) do break end state.d['x' .. i] = nil",
    "if i % 1000 == 0 then \(texts) state.kept[i // 1000] = {} scripted.rearrange(state.kept[i // 1000], t) end",
  ])
  func whatAnActionRetainsCountsAsMemory(step: String) throws {
    let script = try DraftScript()
    try script.lua.setLimits(LuaLimits(memoryPerTurn: 2 << 20))
    let error = try failure {
      try script.reduce(Self.containers, "for i = 1, 20000 do \(step) end")
    }
    #expect(error.kind == .memory, "\(error)")
    #expect(error.message == "not enough memory: this needs more than 2 MB")
    #expect(error.script == "counter.lua" && error.line == 1)
    #expect(try script.reduce(Self.containers, "state.kept[1] = 1")["kept"] == [1])
  }

  @Test(arguments: [
    "state.o.k1 = i", "state.o.x = i state.o.x = nil", "state.d.x = i state.d.x = nil",
    "state.l[7] = ('x'):rep(200) .. i", "state.o.k1 = ('x'):rep(200) .. i",
    "table.insert(state.l, i) table.remove(state.l)",
    "for _ in pairs(state.o) do break end state.o.k1 = i",
    "if i % 20 == 0 then for k in pairs(state.o) do state.o[k] = i end end",
    "if i % 100 == 0 then for k in pairs(state.d) do state.d[k] = i end end",
    "if i % 1000 == 0 then scripted.rearrange(state.l, { table.unpack(state.l, 1, 200) }) end",
    "if i % 1000 == 0 then \(texts) scripted.rearrange(state.l, t) end",
    "state.l[7] = ('x'):rep(200) .. i state.l[7] = i",
    "state.d.k1 = ('x'):rep(200) .. i state.d.k1 = i",
  ])
  func whatAnActionNoLongerRetainsDoesNotCount(step: String) throws {
    let script = try DraftScript()
    try script.lua.setLimits(LuaLimits(memoryPerTurn: 1 << 20))
    try script.reduce(Self.containers, "for i = 1, 10000 do \(step) end")
  }

  @Test func tablesThatAVMHasForItselfDoNotCountAsTablesOfScripts() throws {
    let script = try DraftScript()
    try script.lua.setLimits(LuaLimits(tableKeys: 1000))
    try script.reduce(["n": 1], "for i = 1, 3000 do same(state['k' .. i], nil) end")
    try script.script.run(
      "local t = {} for i = 1, 3000 do t[i] = {} same(tostring(t[i]), tostring(t[i])) end")
    try script.reduce(
      ["list": .array(.init((0..<3000).map { ["n": .integer(Int64($0))] }))],
      """
      scripted.rearrange(state.list, { table.unpack(state.list, 1, 200) })
      for i = #state.list, 1, -1 do same(state.list[i].n, i - 1) end
      """)
  }

  @Test func aTableWithTooManyKeysStopsTheScript() throws {
    let script = try script(LuaLimits(tableKeys: 1000))
    try script.run(
      """
      local t = {}
      for i = 1, 100000 do t[i] = i end
      for i = 1, 1000 do t["k" .. i] = i end
      """)
    for keys in ["i * 3", "'k' .. i", "i + 0.5", "{}"] {
      let error = try failure {
        try script.run(
          """
          local t = {}
          while true do pcall(function() for i = 1, 2000 do t[\(keys)] = i end end) end
          """)
      }
      #expect(error.kind == .tableKeys)
      #expect(error.message.hasSuffix("has more than the 1000 that one may have beside a list's"))
      #expect(error.exceeded?.allowed == 1000)
      #expect(error.exceeded?.reached ?? 0 > 1000)
    }
    let host = try script.lua.makeFunction("host") { _ in
      let entries = (0..<5000).map { ("k\($0)", Value.integer(Int64($0))) }
      return .values([.value(.object(Value.Object(entries)))])
    }
    try script.environment.set("host", to: .function(host))
    try script.run("local n = 0 for _ in pairs(host()) do n = n + 1 end assert(n == 5000)")
    try expectUsable(script)
  }

  @Test func listsAndTextsOfTheSizeOfManyKeysAreWhatTheyAre() throws {
    let script = try script(
      LuaLimits(
        memory: 64 << 20, memoryPerTurn: 32 << 20, stringLength: 1 << 20, tableKeys: 16 << 10))
    try script.run(
      """
      local source = {}
      for i = 1, 98304 do source[i] = i end
      local lists = {}
      for _, count in ipairs { 1536, 6144, 24576, 49152, 98304 } do
        lists[#lists + 1] = { table.unpack(source, 1, count) }
        assert(#lists[#lists] == count)
        assert(table.pack(table.unpack(source, 1, count)).n == count)
      end
      """)
    for count in [98304, 196608, 393216, 786432] {
      try script.run(
        """
        assert(#('x'):rep(\(count)) == \(count))
        assert(#('xy'):rep(\(count / 2)):upper() == \(count))
        assert(#(('a'):rep(\(count / 2)):gsub('a', 'bb')) == \(count))
        assert(#table.concat({ ('x'):rep(\(count / 2)), ('y'):rep(\(count / 2)) }) == \(count))
        """)
    }
    let error = try failure {
      try script.run("local t = {} for i = 1, 20000 do t[i * 65536] = i end")
    }
    #expect(error.kind == .tableKeys)
  }

  // MARK: Strings and texts

  @Test(arguments: [
    "('x'):rep(1 << 40)",
    "('x'):rep(1e9)", "('x'):rep(1e7, ',')", "('x'):rep(3e5):gsub('x', 'yyyyy')",
    "(function() local s = 'x' while true do s = s .. s end end)()",
    "table.concat({ ('x'):rep(6e5), ('y'):rep(6e5) })",
    "('%s%s'):format(('x'):rep(6e5), ('y'):rep(6e5))",
    "string.pack('c2000000', '')",
  ])
  func aStringThatIsTooLongStopsTheScript(expression: String) throws {
    let script = try script(LuaLimits(memory: 1 << 30, stringLength: 1 << 20))
    let error = try failure {
      try script.run("while true do pcall(function() return \(expression) end) end")
    }
    #expect(error.kind == .stringLength, "\(error)")
    #expect(error.message.hasPrefix("a string of ") && !error.message.contains("e+"))
    #expect(error.message.hasSuffix(" is longer than the 1 MB that one may have"))
    #expect(error.exceeded?.allowed == Double(1 << 20))
    #expect(error.exceeded?.reached ?? 0 > Double(1 << 20))
    #expect(error.line == 1)
    try script.run("assert(#('x'):rep(1e6) == 1e6)")
  }

  /// Its text would have a megabyte: each of the innermost tables is on a line of its own, behind 200 spaces.
  @Test func theTextOfATableIsMadeOnlyAsFarAsAStringMayBeLong() throws {
    let script = try script(LuaLimits(stringLength: 10_000))
    let error = try failure {
      try script.run(
        """
        local deep = {}
        for i = 1, 5000 do deep[i] = { i } end
        for _ = 1, 100 do deep = { deep } end
        print(deep)
        """)
    }
    #expect(error.kind == .stringLength, "\(error)")
    #expect(error.exceeded?.reached ?? 0 > 10_000 && error.exceeded?.reached ?? 0 < 50_000)
  }

  @Test func aTextThatIsTooLongIsNotCompiled() throws {
    let script = try script(LuaLimits(sourceSize: 1000))
    try script.run("assert(load((' '):rep(1000)))")
    let sources = [
      "load((' '):rep(1001))", "load(function() return ' ' end)",
      "pcall(load, (' '):rep(2000)) while true do end",
    ]
    for source in sources {
      let error = try failure { try script.run(source) }
      #expect(error.kind == .sourceSize)
      #expect(error.message.contains("longer than the 1000 bytes that can be compiled"))
    }
    let long = String(repeating: " ", count: 1001)
    #expect(try failure { try script.run(long) }.kind == .sourceSize)
    try expectUsable(script)
  }

  @Test(arguments: [
    "table.move(state.list, 1, math.maxinteger - 1, 1, {})",
    "table.move(state.list, 1, math.maxinteger - 1, 1, setmetatable({}, { __newindex = rawlen }))",
    "table.move({}, 2, math.maxinteger - 1, 2, state.list)",
  ])
  func whatTakesTooLongWithADraftIsStopped(source: String) throws {
    let script = try script(LuaLimits(time: .milliseconds(50), memory: 512 << 20))
    let error = try failure { try script.handle("state.list = { 1 } " + source) }
    #expect(error.kind == .time, "\(error)")
    try expectUsable(script)
  }

  /// A stop for want of memory that garbage was the reason of is none, and begins the count anew.
  @Test func instructionsAreCountedWhileGarbageIsCollectedAgainAndAgain() throws {
    let script = try SandboxScript()
    try script.environment.set("held", to: false)
    try script.run("held = {} for i = 1, 8 do held[i] = ('x'):rep(1 << 20) end")
    try script.lua.setLimits(LuaLimits(memoryPerTurn: 1 << 20, instructions: 50_000))
    let error = try failure {
      try script.run("local part = ('x'):rep(1000) while true do local text = part:rep(100) end")
    }
    #expect(error.kind == .instructions, "\(error)")
    try expectUsable(script)
  }

  // MARK: Stock functions that are bounded

  @Test func whatIsBoundedDoesWhatTheStockFunctionsDo() throws {
    try script(.standard).run(
      """
      local n = 10000
      local function list() local t = {} for i = 1, n do t[i] = i end return t end
      local t = list()
      table.insert(t, 1, 0)
      assert(#t == n + 1 and t[1] == 0 and t[2] == 1 and t[n + 1] == n)
      assert(table.remove(t, 1) == 0 and #t == n and t[1] == 1 and t[n] == n)
      table.move(t, 1, n, 3)
      assert(t[1] == 1 and t[2] == 2 and t[3] == 1 and t[n + 2] == n)
      table.move(t, 3, n + 2, 1)
      assert(t[1] == 1 and t[n] == n and t[n + 2] == n)
      local copy = table.move(list(), 1, n, 1, {})
      assert(#copy == n and copy[n] == n)
      raises("position out of bounds", table.insert, list(), n + 2, 0)
      raises("position out of bounds", table.insert, list(), -1, 0)
      raises("position out of bounds", table.remove, list(), -5)
      raises("too many elements to move", table.move, {}, -5, math.maxinteger, 2)
      raises("(table expected, got nil)", table.move, nil, 1, math.maxinteger, 2)
      raises("(table expected, got string)", table.move, "x", 1, math.maxinteger, 1)
      raises("(table expected, got string)", table.move, {}, 1, math.maxinteger, 1, "x")
      raises("(table expected, got boolean)", table.move, {}, 1, 1 << 40, 1, false)
      assert(#table.move(list(), 1.0, "10000", 1, {}) == n)
      raises("destination wrap around", table.move, {}, 1, math.maxinteger, 2)
      local long = setmetatable({}, { __len = function() return 3 end, __index = function(_, k) return k end })
      table.insert(long, 2, "x")
      assert(rawget(long, 2) == "x" and rawget(long, 3) == 2 and rawget(long, 4) == 3)
      assert(table.concat({ 1, 2.5, "x" }, "-") == "1-2.5-x")
      assert(table.concat({ "a", "b", "c" }, ",", 2, 3) == "b,c" and table.concat({}, ",") == "")
      raises("invalid value (nil) at index 2 in table for 'concat'", table.concat, { 1, nil, 3 }, "", 1, 3)
      assert(("").rep("", 1 << 60) == "" and ("x"):rep(3, "-") == "x-x-x" and ("x"):rep(-1) == "")
      raises("resulting string too large", string.rep, "xx", math.maxinteger)
      local numbers, strings = {}, {}
      for i = 1, 40000 do numbers[i] = (i * 7919) % 40009 end
      for i = 1, 100 do strings[i] = ("x"):rep(1000) .. (i * 37) % 101 end
      table.sort(numbers)
      table.sort(strings)
      for i = 2, #numbers do assert(numbers[i - 1] <= numbers[i]) end
      for i = 2, #strings do assert(strings[i - 1] <= strings[i]) end
      raises("attempt to compare", table.sort, { 1, "x" })
      raises("the format is too long", os.date, ("%c"):rep(1000), 0)
      raises("too many arguments", string.format, "%s", table.unpack(list(), 1, 2000))
      """)
  }

  @Test func aTextWithTooManyJumpsIsNotCompiledWhereKeysAreLimited() throws {
    var limits = LuaLimits.untrusted
    limits.time = .seconds(20)
    let jumps = "return load(('goto x '):rep(9000) .. '::x::')"
    #expect(try script(.unlimited).run(jumps).first?.isNil == false)
    for source in [jumps, "return load('while x do ' .. ('break '):rep(9000) .. 'end')"] {
      let script = try script(limits)
      let results = try script.run(source)
      #expect(results.first?.isNil == true)
      #expect(results.last?.string?.contains("8192 words 'goto' and 'break'") == true)
      try script.run("assert(load(('while x do if x then break end end '):rep(1000)))")
    }
    try script(limits).run(
      """
      local n = 0
      local function words() n = n + 1 return n < 20000 and (n % 2 == 0 and "to x " or "go") or nil end
      local f, message = load(words)
      assert(f == nil and message:find("'goto' and 'break'", 1, true), message)
      """)
  }

  @Test func aLongSearchForNamesIsCompiledAllTheSame() throws {
    let script = try script(.standard)
    try script.run(
      """
      local lines = {}
      for i = 1, 3000 do lines[i] = "local function f" .. i % 100 .. "(a) return a + " .. i .. " end" end
      local text = "do " .. table.concat(lines, " end do ") .. " end return 5"
      assert(load(text, "=long")() == 5)
      local ok, message = load("x = \\n\\n )", "=short")
      assert(not ok and message == "short:3: unexpected symbol near ')'", message)
      local pieces, at = { "re", "turn ", "", "nonsense" }, 0
      assert(load(function() at = at + 1 return pieces[at] end, "=p") )
      raises("reader function must return a string", function() assert(load(function() return {} end)) end)
      raises("from the reader", function() assert(load(function() error("from the reader") end)) end)
      """)
  }
}
