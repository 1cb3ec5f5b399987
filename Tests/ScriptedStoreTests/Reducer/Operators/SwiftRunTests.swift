import LuaBridge
import ScriptedStore
import Synchronization
import Testing

/// `child.run(&state["child"], action)` in the body of a reducer in Swift: sharing logic with a child.
struct SwiftRunTests {
  private static let child = """
    local Row = scripted.feature { name = "Row", on = {
      toggle = function(state) state.isOn = not state.isOn; return effect.send("toggled") end,
      toggled = function() end,
    } }
    return scripted.feature {
      name = "Child", state = { n = 0, rows = {} }, dependencies = { "clock" },
      on = {
        add = function(state, action) state.n = state.n + action.by end,
        wait = function(state, action, deps)
          return effect.run(function(send, deps)
            deps.clock.sleep(1)
            send("waited", { value = action.value })
          end):cancellable("wait")
        end,
        waited = function(state, action) state.n = action.value end,
        fail = function(state) state.n = -1; error("no") end,
      },
    }:forEach("rows", Row)
    """

  private func parent(
    _ body: @escaping @Sendable (inout Value, Reducer) throws -> Effect
  ) -> Reducer {
    let child = Reducer.script("child")
    return Reducer.reduce { state, action in
      switch action.path {
      case "go": return try body(&state, child)
      case "stop": return .cancel(id: "wait")
      default: return .none
      }
    }
    .scope("child", child)
  }

  private static let state: Value = [
    "child": ["n": 0, "rows": [["id": 1, "isOn": false]]]
  ]

  @Test func itReducesAtOnceWithAllOfTheReducersComposition() throws {
    let scripts = try Scripts(["child": Self.child])
    let app = parent { state, child in
      _ = try child.run(&state["child"], Action(path: "add", payload: ["by": 2]))
      let effect = try child.run(&state["child"], Action(path: "rows[1].toggle"))
      state["seen"] = state["child"]["n"]
      return effect.map { action in
        (try? Action(["type": "child", "action": action.value])) ?? action
      }
    }
    let store = try scripts.host.store(app, state: Self.state)
    let actions = Mutex<[String]>([])
    let recording = store.onAction { record in actions.withLock { $0.append(record.action.path) } }
    store.send("go")
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
    #expect(store.state == ["child": ["n": 2, "rows": [["id": 1, "isOn": true]]], "seen": 2])
    #expect(actions.withLock { $0 } == ["go", "child.rows[1].toggled"])
    recording.cancel()
  }

  @Test func itsEffectsBelongToThePlaceOfWhoReturnsThem() throws {
    let clock = VirtualClock()
    let scripts = try Scripts(["child": Self.child], clock: clock)
    let app = parent { state, child in
      try child.run(&state["child"], Action(path: "wait", payload: ["value": 7]))
        .map { action in (try? Action(["type": "child", "action": action.value])) ?? action }
    }
    let store = try scripts.host.store(app, state: Self.state)
    store.send("go")
    #expect(store.effects.map(\.place) == [""])
    #expect(store.effects.map(\.feature) == ["Child"])
    clock.advance(by: .seconds(1))
    #expect(store.state[at: "child.n"] == 7)
    store.send("go")
    store.send("stop")
    #expect(store.effects.isEmpty && scripts.warnings.isEmpty)
  }

  @Test func whatItRaisesLeavesTheStateAndCanBeCaught() throws {
    let scripts = try Scripts(["child": Self.child])
    let app = parent { state, child in
      do {
        return try child.run(&state["child"], Action(path: "fail"))
      } catch {
        state["error"] = .boolean("\(error)".contains("no"))
        return .none
      }
    }
    let store = try scripts.host.store(app, state: Self.state)
    store.send("go")
    #expect(store.state[at: "child.n"] == 0 && store.state["error"] == true)
    #expect(scripts.errors.isEmpty)
  }

  @Test func aStateThatIsNoTableIsRefused() throws {
    let scripts = try Scripts(["child": Self.child])
    let app = parent { state, child in
      try child.run(&state["nothing"], Action(path: "add", payload: ["by": 1]))
    }
    let store = try scripts.host.store(app, state: Self.state)
    store.send("go")
    #expect(scripts.errors.map(\.message).contains { $0.contains("must be an array or object") })
    #expect(store.state == Self.state)
  }

  @Test func outsideOfABodyThereIsNothingToRunIn() throws {
    var state: Value = [:]
    #expect(throws: ScriptError.self) {
      try Reducer.empty.run(&state, Action(path: "go"))
    }
  }

  @Test func anEffectIsRefusedInAnotherHost() throws {
    let kept = Mutex(Effect.none)
    let first = try Scripts(["child": Self.child])
    let app = parent { state, child in
      let effect = try child.run(&state["child"], Action(path: "wait", payload: ["value": 7]))
      kept.withLock { $0 = effect }
      return .none
    }
    let one = try first.host.store(app, state: Self.state)
    one.send("go")
    let second = try Scripts(["child": Self.child])
    let other = Reducer.reduce { _, _ in kept.withLock { $0 } }
    let two = try second.host.store(other, state: [:])
    two.send("go")
    #expect(second.warnings.map(\.kind) == [.effectError])
    #expect(two.effects.isEmpty && one.effects.isEmpty)
    kept.withLock { $0 = .none }
  }
}
