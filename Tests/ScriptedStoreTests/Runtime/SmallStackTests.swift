import LuaBridge
import ScriptedStore
import Testing

/// Whatever scripts put into each other, a thread of a pool with 512 KB has stack enough for it.
@Suite struct SmallStackTests {
  private static let app = """
    local function deep(levels)
      local value = 1
      for _ = 1, levels do value = { value } end
      return value
    end
    local function nested(levels)
      local built = effect.send("up")
      for i = 1, levels do
        local kind = i % 4
        if kind == 0 then built = built:cancellable(i)
        elseif kind == 1 then built = built:debounce(i, 1)
        elseif kind == 2 then built = effect.concatenate(built, effect.run(function() end))
        else built = built:map(function(action) return action end) end
      end
      return built
    end
    return scripted.feature {
      name = "App", state = { count = 0, value = deep(127) }, dependencies = { "clock" },
      on = {
        up = function(state) state.count = state.count + 1 end,
        set = function(state) state.value = deep(126) state.value = deep(127) end,
        effects = function() return nested(150) end,
        all = function()
          local function all(level)
            if level > 0 then effect.all { function() all(level - 1) end } end
          end
          return effect.run(function(send) all(190) send("up") end)
        end,
        cancelled = function()
          local function all(level, deps)
            if level > 0 then effect.all { function() all(level - 1, deps) end } else deps.clock.sleep(9) end
          end
          return effect.run(function(_, deps) all(190, deps) end):cancellable("it")
        end,
        cancel = function() return effect.cancel("it") end,
        ids = function()
          return effect.run(function(_, deps) deps.clock.sleep(1) end):cancellable(deep(128))
        end,
        raises = function() error(deep(128)) end,
      },
    }
    """

  @Test func deepThingsAreNoMatterOfTheStack() async throws {
    try await onSmallStack {
      Result {
        let clock = VirtualClock()
        let scripts = try Scripts(["app": Self.app], clock: clock)
        let store = try scripts.store()
        let history = store.record()
        for action in ["set", "effects", "all", "cancelled", "cancel", "ids", "raises", "up"] {
          try store.send(action)
          _ = store.effects.map { "\($0)" }
        }
        clock.advance(by: .seconds(1000))
        #expect(store.state["count"].int ?? 0 >= 2)
        #expect(store.state.json().utf8.count > 250)
        let recording = history.export()
        #expect(try Recording(jsonLines: recording).entries.count == history.count)
        store.send("up")
        #expect("\(store.state)".utf8.count > 250)
        #expect(scripts.errors.count == 1)
      }
    }.get()
  }

  @Test func longPatternsAreRefused() async throws {
    let error = await onSmallStack {
      scriptError {
        let on = "[('a.'):rep(5000) .. 'a'] = function() end"
        _ = try Scripts(app: "return scripted.feature { on = { \(on) } }").store()
      }
    }
    #expect(error?.message.contains("nest at most 128 deep") == true)
  }
}
