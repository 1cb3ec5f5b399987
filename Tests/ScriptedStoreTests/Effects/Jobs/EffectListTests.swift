import LuaBridge
import ScriptedStore
import Testing

/// `store.effects`: what is in flight, whose it is, and what it waits for.
struct EffectListTests {
  private func store(_ clock: VirtualClock) throws -> (Scripts, Store) {
    let scripts = try Scripts(
      [
        "app": """
        local Row = scripted.feature {
          name = "Row", dependencies = { "clock" },
          on = {
            go = function()
              return effect.run(function(_, deps)
                deps.clock.sleep(10)
              end):cancellable({ kind = "row" })
            end,
          },
        }
        return scripted.feature {
          name = "App", state = { rows = { { id = 1 }, { id = "a b" } }, child = { rows = { { id = 7 } } } },
          dependencies = { "clock" },
          on = {
            sleep = function() return effect.run(function(_, deps) deps.clock.sleep(10) end) end,
            all = function() return effect.run(function(_, deps) effect.all { function() deps.clock.sleep(1) end } end) end,
            timer = function() return effect.run(function(_, deps) for _ in deps.clock.timer(1) do end end):cancellable(1) end,
            later = function() return effect.send("sleep"):debounce("d", 1) end,
          },
        }:forEach("rows", Row):scope("child", scripted.feature {}:forEach("rows", Row))
        """
      ], clock: clock)
    return (scripts, try scripts.store())
  }

  @Test func eachEffectIsDescribed() throws {
    let clock = VirtualClock()
    let (scripts, store) = try store(clock)
    store.send("sleep")
    clock.advance(by: .seconds(2.5))
    store.send("rows[1].go")
    let effects = store.effects
    try #require(effects.count == 2)
    #expect(effects[0].feature == "App")
    #expect(effects[0].origin == "app.lua:15")
    #expect(effects[0].id == nil)
    #expect(effects[0].action == "sleep")
    #expect(effects[0].place == "")
    #expect(effects[0].duration == .seconds(2.5))
    #expect(effects[0].waitingOn == "clock.sleep")
    #expect(effects[1].feature == "Row")
    #expect(effects[1].origin == "app.lua:5")
    #expect(effects[1].id == ["kind": "row"])
    #expect(effects[1].action == "rows[1].go")
    #expect(effects[1].place == "rows[1]")
    #expect(effects[1].duration == .zero)
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  @Test func whatEachWaitsForIsNamed() throws {
    let clock = VirtualClock()
    let (_, store) = try store(clock)
    for action in ["all", "timer", "later"] { try store.send(action) }
    let waits = store.effects.map(\.waitingOn)
    try #require(waits.count == 3)
    #expect(waits[0] == "effect.all" && waits[1].hasPrefix("clock."))
    #expect(store.effects.map(\.id) == [nil, 1, "d"])
    #expect(store.effects.last?.waitingOn.contains("debounce") == true)
  }

  @Test func placesAreWrittenAsPaths() throws {
    let clock = VirtualClock()
    let (_, store) = try store(clock)
    for path in ["rows[1].go", "rows[\"a b\"].go", "child.rows[7].go"] { try store.send(path) }
    #expect(store.effects.map(\.place) == ["rows[1]", "rows[a b]", "child.rows[7]"])
    #expect(store.effects.map(\.action) == ["rows[1].go", "rows[a b].go", "child.rows[7].go"])
  }

  @Test func aSwiftEffectIsDescribedToo() async throws {
    let line = #line + 5
    let scripts = try Scripts([:])
    let store = try scripts.host.store(
      .reduce { _, action in
        guard action.path == "go" else { return .none }
        return Effect.run { _ in
          for await _ in AsyncStream<Void>.makeStream().stream {}
        }.cancellable(id: "swift")
      }, state: [:])
    store.send("go")
    let effect = try #require(store.effects.first)
    #expect(effect.origin.hasSuffix("EffectListTests.swift:\(line)"), "\(effect.origin)")
    #expect(effect.id == "swift" && effect.action == "go" && effect.place == "")
  }

  @Test func ofAChildStoreItIsThatOfTheWhole() throws {
    let clock = VirtualClock()
    let (_, store) = try store(clock)
    store.send("rows[1].go")
    #expect(store.scope(state: "child").effects.count == store.effects.count)
  }

  @Test func itMayBeReadFromInsideAnAction() throws {
    final class Place: Sendable {
      let counts = Recorder<Int>()
    }
    let place = Place()
    let clock = VirtualClock()
    let (_, store) = try store(clock)
    let observation = store.onAction { [weak store] _ in
      place.counts.record(store?.effects.count ?? -1)
    }
    store.send("sleep")
    store.send("sleep")
    observation.cancel()
    #expect(place.counts.all == [1, 2])
  }
}
