import LuaBridge
import ScriptedStore
import Testing

/// Bodies of effects that compute for long: suspended at the end of their slice, so that others have their turn.
@Suite struct SliceTests {
  private static let app = """
    local app = { name = "App", state = { count = 0, log = {} }, dependencies = { "clock" } }
    local heard = {} -- by those who are cancelled, who can send no more
    local function steps(n) local sum = 0 for i = 1, n do sum = sum + i end return sum end
    local function forever() while true do steps(100) end end
    app.on = {
      up = function(state) state.count = state.count + 1 end,
      note = function(state, action) table.insert(state.log, action.value) end,
      forever = function() return effect.run(forever):cancellable("forever") end,
      cancel = function() return effect.cancel("forever") end,
      tell = function(state) for i, text in ipairs(heard) do state.log[i] = text end end,
      closes = function()
        return effect.run(function(send)
          local closing <close> = setmetatable({}, { __close = function(_, e) heard[1] = tostring(e == effect.cancelled) end })
          forever()
        end):cancellable("forever")
      end,
      handles = function()
        return effect.run(function() xpcall(forever, forever) end):cancellable("forever")
      end,
      cleansUp = function()
        return effect.run(function(send)
          heard[1] = tostring(select(2, pcall(forever)) == effect.cancelled)
          steps(20000)
          heard[2] = tostring(effect.isCancelled())
        end):cancellable("forever")
      end,
      swallows = function()
        return effect.run(function() while true do pcall(forever) end end):cancellable("forever")
      end,
      turns = function(_, action)
        return effect.run(function(send)
          for i = 1, 3 do steps(1000) send("note", action.value .. i) end
        end)
      end,
      all = function()
        return effect.run(function(send)
          local function part(name) return function() for i = 1, 3 do steps(1000) send("note", name .. i) end return name end end
          local a, b = effect.all { part("a"), part("b") }
          send("note", a .. b)
        end)
      end,
      sorts = function()
        return effect.run(function(send)
          local t = {}
          for i = 1, 60 do t[i] = (i * 37) % 61 end
          table.sort(t, function(a, b) steps(50) return a < b end)
          send("note", table.concat(t, ",", 1, 5))
        end)
      end,
      sends = function()
        return effect.run(function(send) for _ = 1, 200 do send("work") end send("note", "end") end)
      end,
      work = function(state) state.count = state.count + steps(100) - steps(99) - 99 end,
      grows = function() return effect.run(function() local t = {} while true do t[#t + 1] = { #t } end end) end,
      recurs = function()
        local function f() return 1 + f() end
        return effect.run(function() while true do pcall(f) end end)
      end,
      fails = function() return effect.run(function() steps(10000) error("here") end) end,
    }
    return scripted.feature(app)
    """

  private func scripts(_ limits: Limits, clock: VirtualClock? = nil) throws -> Scripts {
    try Scripts(["app": Self.app], clock: clock) { $0.limits = limits }
  }

  // MARK: Where time passes by itself

  /// Without slices the first action would never return.
  @Test func othersHaveTheirTurnWhileAnEffectComputes() async throws {
    let scripts = try scripts(Limits(timeSlice: .milliseconds(1)))
    let (store, other) = (try scripts.store(), try scripts.store())
    store.send("forever")
    store.send("forever")
    other.send("forever")
    for _ in 1...3 {
      store.send("up")
      other.send("up")
    }
    #expect(try await store.count(after: 3) == 3)
    #expect(try await other.count(after: 3) == 3)
    #expect(store.effects.map(\.waitingOn) == ["its turn", "its turn"])
    #expect(scripts.warnings.isEmpty)
  }

  @Test func effectsThatComputeShareTheVM() async throws {
    let scripts = try scripts(Limits(timeSlice: .milliseconds(1)))
    let store = try scripts.store()
    store.send("forever")
    await (try store.send("turns", "x")).finish()
    #expect(store.log == ["x1", "x2", "x3"])
    #expect(store.effects.count == 1)
  }

  @Test func theTimeOfAnEffectCountsOverItsSlices() async throws {
    let scripts = try scripts(Limits(time: .milliseconds(80), timeSlice: .milliseconds(1)))
    let store = try scripts.store()
    await (store.send("forever")).finish()
    #expect(scripts.warnings.map(\.kind) == [.effectError])
    #expect(scripts.warnings.first?.message.contains("longer than 0.08 s") == true)
    store.send("up")
    #expect(try await store.count(after: 1) == 1)
  }

  @Test func theMemoryOfAnEffectCountsOverItsSlices() async throws {
    let scripts = try scripts(Limits(memoryPerTurn: 4 << 20, instructionSlice: 1000))
    let store = try scripts.store()
    await (store.send("grows")).finish()
    #expect(scripts.warnings.first?.message.contains("more than 4 MB") == true)
  }

  @Test func anEffectIsCancelledWhereItComputes() async throws {
    let scripts = try scripts(Limits(timeSlice: .milliseconds(1)))
    let store = try scripts.store()
    let task = store.send("closes")
    store.send("cancel")
    await task.finish()
    store.send("tell")
    #expect(store.log == ["true"])
    #expect(scripts.warnings.isEmpty)
  }

  /// No hook would stop it there.
  @Test func noHandlerHearsOfACancellationWhereItComputes() async throws {
    let scripts = try scripts(Limits(instructionSlice: 1000))
    let store = try scripts.store()
    let task = store.send("handles")
    store.send("cancel")
    await task.finish()
    #expect(store.effects.isEmpty)
    #expect(scripts.warnings.isEmpty)
  }

  /// It is told once, and may compute for a while then.
  @Test func aCancelledEffectMayCleanUp() async throws {
    let scripts = try scripts(Limits(instructionSlice: 2000))
    let store = try scripts.store()
    let task = store.send("cleansUp")
    store.send("cancel")
    await task.finish()
    store.send("tell")
    #expect(store.log == ["true", "true"])
    #expect(scripts.warnings.isEmpty)
  }

  @Test func oneThatComputesOnAfterItsCancellationIsStopped() async throws {
    let scripts = try scripts(Limits(instructionSlice: 1000))
    let store = try scripts.store()
    let task = store.send("swallows")
    store.send("cancel")
    await task.finish()
    #expect(scripts.warnings.map(\.kind) == [.cancellationSwallowed])
    store.send("up")
    #expect(try await store.count(after: 1) == 1)
  }

  @Test func aStoreGoesWhileItsEffectsCompute() async throws {
    let scripts = try scripts(Limits(timeSlice: .milliseconds(1)))
    let other = try scripts.store()
    other.send("forever")
    for action in ["forever", "closes", "cleansUp"] {
      let store = try scripts.store()
      try store.send(action)
    }
    other.send("up")
    #expect(try await other.count(after: 1) == 1)
    #expect(other.effects.count == 1)
  }

  @Test func scriptsAreReloadedWhileAnEffectComputes() async throws {
    let scripts = try scripts(Limits(timeSlice: .milliseconds(1)))
    let store = try scripts.store()
    store.send("forever")
    try scripts.folder.write(
      Scripts.locals
        + Self.app.replacing("state.count + 1", with: "state.count + 10"), to: "app.lua")
    try await scripts.host.reload()
    store.send("up")
    #expect(try await store.count(after: 10) == 10)
    #expect(store.effects.count == 1)
    store.send("cancel")
    await store.finish()
    #expect(store.effects.isEmpty)
  }

  // MARK: In instructions

  @Test func aSliceInInstructionsIsTheSameEachTime() throws {
    func log() throws -> [String] {
      let scripts = try scripts(Limits(instructionSlice: 700), clock: VirtualClock())
      let store = try scripts.store()
      for name in ["a", "b", "c"] { try store.send("turns", .string(name)) }
      store.send("all")
      return store.log
    }
    let first = try log()
    #expect(try log() == first)
    #expect(
      first == [
        "a1", "a2", "a3", "b1", "b2", "b3", "c1", "c2", "c3",
        "a1", "b1", "a2", "b2", "a3", "b3", "ab",
      ])
  }

  /// One after the other, where none is suspended.
  @Test func withoutSlicesEachGoesToItsEnd() throws {
    let scripts = try scripts(Limits(timeSlice: .nanoseconds(1)), clock: VirtualClock())
    let store = try scripts.store()
    store.send("all")
    #expect(store.log == ["a1", "a2", "a3", "b1", "b2", "b3", "ab"])
  }

  @Test func whatALibraryFunctionCallsIsNotSuspended() throws {
    let scripts = try scripts(Limits(instructionSlice: 97), clock: VirtualClock())
    let store = try scripts.store()
    store.send("sorts")
    #expect(store.log == ["1,2,3,4,5"])
    #expect(scripts.warnings.isEmpty)
  }

  @Test func anActionThatAnEffectSendsIsNotSuspended() throws {
    let scripts = try scripts(Limits(instructionSlice: 13), clock: VirtualClock())
    let store = try scripts.store()
    let seen = Recorder<Int>()
    let observation = store.observe { seen.record($0["count"].int ?? -1) }
    defer { observation.cancel() }
    store.send("sends")
    #expect(store.log == ["end"])
    #expect(store.state["count"] == 200)
    #expect(seen.all.last == 200)
  }

  @Test func theInstructionsOfAnEffectCountOverItsSlices() throws {
    let scripts = try scripts(
      Limits(instructions: 50_000, instructionSlice: 1000), clock: VirtualClock())
    let store = try scripts.store()
    store.send("forever")
    #expect(scripts.warnings.first?.message.contains("more than 50000 instructions") == true)
    #expect(store.effects.isEmpty)
  }

  @Test func anErrorAfterSlicesHasItsPlace() throws {
    let scripts = try scripts(Limits(instructionSlice: 100), clock: VirtualClock())
    let store = try scripts.store()
    store.send("fails")
    let warning = try #require(scripts.warnings.first)
    #expect(warning.message.contains("app.lua:") && warning.message.contains("here"))
    #expect(warning.traceback?.contains("app.lua:") == true)
  }

  /// Lua visits each of a million frames when the end of a slice or of the time is noted.
  @Test func endlessRecursionIsStoppedInTime() async throws {
    for slice in [
      Limits(time: .milliseconds(300), timeSlice: .milliseconds(1)),
      Limits(time: .milliseconds(300), instructionSlice: 1000),
    ] {
      let scripts = try scripts(slice)
      let store = try scripts.store()
      await (store.send("recurs")).finish()
      let message = try #require(scripts.warnings.first?.message)
      #expect(message.contains("app.lua:"), "\(message)")
      #expect(message.contains("this takes longer than 0.3 s"), "\(message)")
    }
  }

  // MARK: What is computed

  private static let programs = """
    local programs = {}
    function programs.closures()
      local made = {}
      for i = 1, 20 do local n = i made[i] = function(k) n = n + k return n end end
      local sum = 0
      for round = 1, 3 do for i, f in ipairs(made) do sum = sum * 3 % 1000003 + f(round) end end
      return sum
    end
    function programs.metamethods()
      local calls = {}
      local mt = {}
      mt.__index = function(t, k) calls[#calls + 1] = k return k .. "!" end
      mt.__newindex = function(t, k, v) rawset(t, k, v .. "?") end
      mt.__add = function(a, b) local n = 0 for i = 1, 5 do n = n + i end return n end
      mt.__concat = function(a, b) return (type(a) == "table" and "t" or a) .. (type(b) == "table" and "t" or b) end
      mt.__eq = function() local n = 0 for i = 1, 5 do n = n + i end return n == 15 end
      mt.__lt = function() for i = 1, 5 do end return true end
      mt.__le = function() for i = 1, 5 do end return false end
      mt.__len = function() for i = 1, 5 do end return 42 end
      mt.__unm = function(a) for i = 1, 5 do end return "minus" end
      mt.__call = function(self, ...) for i = 1, 5 do end return select("#", ...), ... end
      local a, b = setmetatable({}, mt), setmetatable({}, mt)
      a.x = "y"
      local r = { a.k, a.x, a + b, a .. b .. "z" .. a, tostring(a == b), tostring(a < b), tostring(a <= b), #a, -a, a(1, nil, 3) }
      for i = 1, 12 do r[i] = tostring(r[i]) end
      return table.concat(r, " ") .. table.concat(calls, ",")
    end
    function programs.errors()
      local log = {}
      for i = 1, 5 do
        local ok, e = pcall(function()
          local closing <close> = setmetatable({}, { __close = function(_, e) for _ = 1, 5 do end log[#log + 1] = "closed " .. tostring(e) end })
          if i % 2 == 0 then error("odd " .. i, 0) end
          return i
        end)
        log[#log + 1] = tostring(ok) .. tostring(e)
      end
      log[#log + 1] = tostring(select(2, xpcall(function() local x = nil; return x.y end, function(m) for _ = 1, 5 do end return "handled" end)))
      return table.concat(log, ";")
    end
    function programs.iterators()
      local function each(t) local i = 0 return function() i = i + 1 for _ = 1, 3 do end return t[i], i end end
      local out = {}
      for v, i in each { "a", "b", "c" } do
        for k in pairs { [i] = true } do out[#out + 1] = v .. k end
      end
      for word in ("one two three"):gmatch("%a+") do out[#out + 1] = word:upper() end
      out[#out + 1] = (("hello"):gsub("l", function(c) for _ = 1, 4 do end return c:upper() end))
      return table.concat(out, ",")
    end
    function programs.flow()
      local n, out = 0, {}
      ::again::
      n = n + 1
      if n < 10 then goto again end
      repeat local k = n * 2; n = n - 1; out[#out + 1] = k until k < 6
      local function fib(i) if i < 2 then return i end return fib(i - 1) + fib(i - 2) end
      local function tail(i, acc) if i == 0 then return acc end return tail(i - 1, acc + i) end
      local function count(...) return select("#", ...), ... end
      for i = 10, 1, -3 do out[#out + 1] = i end
      for x = 1.0, 2.0, 0.25 do out[#out + 1] = x end
      out[#out + 1] = fib(9)
      out[#out + 1] = tail(50, 0)
      local t = { count(nil, 2, count(3)) }
      out[#out + 1] = t[1] .. #t
      out[#out + 1] = ("x"):rep(3) .. 1 // 0.3 .. 7 % -3 .. (2 ^ 10 | 1 << 3)
      return table.concat(out, ",")
    end
    local app = { name = "App", state = { result = "" }, on = {} }
    app.on.done = function(state, action) state.result = action.value end
    app.on.run = function(_, action)
      return effect.run(function(send) send("done", tostring(programs[action.value]())) end)
    end
    return scripted.feature(app)
    """

  /// Wherever it is suspended: at every instruction, at every second one, and so on.
  @Test(arguments: ["closures", "metamethods", "errors", "iterators", "flow"])
  func whatIsComputedDoesNotDependOnTheSlices(_ program: String) throws {
    func result(_ slice: Int?) throws -> Value {
      let scripts = try Scripts(["app": Self.programs], clock: VirtualClock()) {
        $0.limits = Limits(instructionSlice: slice)
      }
      let store = try scripts.store()
      try store.send("run", .string(program))
      #expect(scripts.warnings.isEmpty)
      return store.state["result"]
    }
    let whole = try result(nil)
    #expect(whole != "")
    for slice in 1...40 { #expect(try result(slice) == whole, "slices of \(slice)") }
  }
}

extension Store {
  /// The count, when actions have been reduced that another thread was left with.
  fileprivate func count(after count: Int) async throws -> Int? {
    while (state["count"].int ?? 0) < count { try await Task.sleep(for: .milliseconds(1)) }
    return state["count"].int
  }
}
