import LuaBridge
import ScriptedStore
import Testing

/// What Swift keeps for scripts counts as their memory.
@Suite struct KeptMemoryTests {
  private static let app = """
    local text = ("x"):rep(500000)
    local kept = {}
    return scripted.feature {
      name = "App", state = { count = 0, list = {} }, dependencies = { "clock", "api" },
      on = {
        up = function(state) state.count = state.count + 1 end,
        got = function(state, action) state.count = state.count + #action.value // 500000 end,
        payloads = function()
          local all = {}
          for i = 1, 1000 do all[i] = effect.send("got", text) end
          return effect.merge(all)
        end,
        tables = function()
          local all = {}
          for i = 1, 1000 do
            local payload = {}
            for j = 1, 1000 do payload[j] = { j } end
            all[i] = effect.send("got", payload)
          end
          return effect.merge(all)
        end,
        garbage = function(state)
          for _ = 1, 1000 do state.last = tostring(effect.send("got", text)) end
          state.count = state.count + 1
        end,
        overwrites = function(state)
          local seen
          for i = 1, 1000000 do
            state.table = { { i }, { text } }
            seen = state.table[1]
          end
        end,
        drafts = function(state)
          for i = 1, 1000000 do
            state.table = { i }
            local _ = state.table
          end
        end,
        hole = function(state)
          state.ok = pcall(function() state.list[1 << 24] = 1 end)
        end,
        sends = function() return effect.send("got", text) end,
        holds = function(state)
          state.count = state.count + 1
          return effect.send("got", text):debounce(state.count, 3600)
        end,
        sequences = function(state)
          local wait = effect.run(function(_, deps) deps.clock.sleep(3600) end)
          return effect.concatenate(wait, effect.send("got", text))
        end,
        throttles = function(state)
          state.count = state.count + 1
          return effect.run(function(send)
            send("got", "")
            send("got", text)
          end):throttle(state.count, 3600, { latest = true })
        end,
        maps = function(state)
          state.count = state.count + 1
          return effect.run(function(send)
            send("got", "")
            send("got", "")
          end):map(function(action) return { type = "got", value = text } end)
            :throttle(state.count, 3600, { latest = true })
        end,
        asks = function() return effect.run(function(_, deps) deps.api.wait(text) end) end,
        keeps = function() kept[#kept + 1] = effect.send("got", text) end,
        longID = function() return effect.cancel(text) end,
        longTransaction = function() return effect.send("up"):transaction(text) end,
        rest = function() return effect.run(function(_, deps) deps.clock.sleep(3600) end) end,
      },
    }
    """

  private func scripts(_ limits: Limits) throws -> Scripts {
    try Scripts(
      ["app": Self.app],
      dependencies: Dependencies([
        "api": .client([
          "wait": .asyncFunction("text") { (_: String) async throws in
            try await Task.sleep(for: .seconds(3600))
          }
        ])
      ]), clock: VirtualClock()
    ) { $0.limits = limits }
  }

  @Test(arguments: ["payloads", "tables", "overwrites", "drafts"])
  func whatAnActionMakesIsItsOwn(_ action: String) throws {
    let scripts = try scripts(Limits(memory: 64 << 20, memoryPerTurn: 8 << 20))
    let store = try scripts.store()
    try store.send(action)
    #expect(scripts.errors.map(\.kind) == [.memory])
    #expect(store.state["count"] == 0)
    // It ends with the action.
    for _ in 0..<100 { store.send("sends") }
    #expect(store.state["count"] == 100)
    #expect(scripts.errors.count == 1)
  }

  @Test func whatIsLetGoOfDoesNotCount() throws {
    let scripts = try scripts(Limits(memory: 64 << 20, memoryPerTurn: 8 << 20))
    let store = try scripts.store()
    for _ in 0..<3 { store.send("garbage") }
    #expect(scripts.errors.isEmpty)
    #expect(store.state["count"] == 3)
  }

  @Test func scriptsThatKeepNothingAreNotLoadedAnew() throws {
    let scripts = try scripts(Limits(memoryPerTurn: 8 << 20))
    let store = try scripts.store()
    store.send("garbage")
    store.send("payloads")
    store.send("up")
    #expect(scripts.errors.map(\.kind) == [.memory])
    #expect(scripts.warnings.isEmpty)
    #expect(store.state["count"] == 2)
  }

  @Test func holesAreMadeWhereThereIsRoomForThem() throws {
    let scripts = try scripts(Limits(memory: 64 << 20, memoryPerTurn: 8 << 20))
    let store = try scripts.store()
    store.send("hole")
    #expect(store.state["ok"] == false)
    #expect(store.state["list"].array?.isEmpty == true)
    let unlimited = try self.scripts(.unlimited).store()
    #expect(scriptError { unlimited.send("hole") } == nil)
  }

  @Test(arguments: ["holds", "sequences", "throttles", "maps", "asks"])
  func whatWaitsCounts(_ action: String) throws {
    let scripts = try scripts(Limits(memory: 16 << 20, totalMemory: 32 << 20))
    let store = try scripts.store()
    for _ in 0..<200 { try store.send(action) }
    // Of 100 MB that would wait there may be 32 MB.
    #expect(store.effects.count <= 70 * 2)
    #expect(scripts.errors.allSatisfy { $0.kind == .memory })
    let full = scripts.warnings.filter { $0.kind == .memoryFull }
    #expect(full.contains { $0.message.contains("loaded anew") })
    #expect(full.contains { $0.origin == "Limits.totalMemory" })
    let before = store.state["count"].int ?? 0
    store.send("up")
    #expect(store.state["count"].int == before + 1)
  }

  @Test func whatScriptsKeepCounts() throws {
    let scripts = try scripts(Limits(memory: 16 << 20))
    let store = try scripts.store()
    for _ in 0..<200 { store.send("keeps") }
    #expect(scripts.warnings.filter { $0.kind == .memoryFull }.count >= 4)
    #expect(scripts.errors.allSatisfy { $0.kind == .memory })
  }

  @Test(arguments: ["longID", "longTransaction"])
  func whatEachJobHasIsShort(_ action: String) throws {
    let scripts = try scripts(.unlimited)
    let store = try scripts.store()
    try store.send(action)
    #expect(scripts.errors.first?.message.contains(" bytes") == true)
  }

  @Test func oldScriptsWithEffectsAreLetGoOf() throws {
    let scripts = try scripts(Limits(memory: 16 << 20, totalMemory: 40 << 20))
    let store = try scripts.store()
    for _ in 0..<20 {
      store.send("rest")
      for _ in 0..<40 { store.send("keeps") }
    }
    // Each is of another VM, of which no more than three fit.
    #expect((1...3).contains(store.effects.count))
    #expect(scripts.warnings.contains { $0.origin == "Limits.totalMemory" })
  }
}
