import LuaBridge
import ScriptedStore
import Testing

/// Reducers described in Swift, and Swift and scripts in each other.
struct ReducerTests {
  private static let modules = [
    "counter": """
    return scripted.feature {
      name = "Counter", state = { n = 0 },
      on = {
        up = function(state) state.n = state.n + 1 end,
        ask = function() return effect.send("up") end,
        fail = function(state) state.n = 99; error("counter") end,
      },
    }
    """
  ]

  private func noting(_ name: String) -> Reducer {
    .reduce { state, action in
      var log = state["log"].array ?? []
      log.append(.string("\(name) \(action.path)"))
      state["log"] = .array(log)
      return action.path == "go" ? try .send("\(name)Sent") : .none
    }
  }

  @Test func aClosureReducesAndItsEffectsRun() throws {
    let scripts = try Scripts(Self.modules)
    let store = try scripts.host.store(
      .combine(noting("a"), .empty, noting("b")), state: ["log": []])
    store.send("go")
    #expect(
      store.log == ["a go", "b go", "a aSent", "b aSent", "a bSent", "b bSent"])
    #expect(scripts.warnings.isEmpty)
  }

  @Test func scopeAndForEachInSwift() throws {
    let scripts = try Scripts(Self.modules)
    let reducer = Reducer.reduce { state, action in
      state["seen"] = .string(action.path)
      return .none
    }
    .scope("a.b", .script("counter"))
    .scope("a.b", action: "other", .script("counter"))
    .forEach("rows", .script("counter"))
    .forEach("byKey", action: "item", id: "uuid", .script("counter"))
    let store = try scripts.host.store(
      reducer,
      state: [
        "a": ["b": ["n": 0]], "rows": [["id": 1, "n": 0], ["id": "x", "n": 0]],
        "byKey": ["k": ["n": 0]],
      ])
    for path in ["b.ask", "other.up", "rows[x].ask", "rows[1].up", "item[k].up"] {
      try store.send(path)
    }
    #expect(
      store.state == [
        "a": ["b": ["n": 2]], "rows": [["id": 1, "n": 1], ["id": "x", "n": 1]],
        "byKey": ["k": ["n": 1]], "seen": "item[k].up",
      ])
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)
    store.send("rows[2].up")
    store.send("b.what")
    #expect(scripts.warnings.map(\.kind) == [.missingElement, .unknownAction])
    #expect(
      scripts.warnings.first?.origin.hasPrefix("forEach at ScriptedStoreTests/ReducerTests.swift:")
        == true)
  }

  @Test func twoOperatorsWithOneNameAreRefused() throws {
    let scripts = try Scripts(Self.modules)
    let reducer = Reducer.empty.scope("a", .empty).scope("b", action: "a", .empty)
    let error = scriptError { _ = try scripts.host.store(reducer, state: [:]) }
    #expect(error?.message.contains("two operators have the action name \"a\"") == true)
    #expect(error?.message.contains("ReducerTests.swift") == true)
  }

  @Test func aClosureThatThrowsRollsBack() throws {
    struct Refusal: Error, CustomStringConvertible {
      var description: String { "refused" }
    }
    let scripts = try Scripts(Self.modules)
    let reducer = Reducer.reduce { state, action in
      state["n"] = 1
      if action.path == "count.up" { throw Refusal() }
      return .none
    }.scope("count", .script("counter"))
    let store = try scripts.host.store(reducer, state: ["n": 0, "count": ["n": 0]])
    store.send("count.up")
    #expect(store.state == ["n": 0, "count": ["n": 0]])
    let error = try #require(scripts.errors.first)
    #expect(error.message == "refused")
    #expect(error.cause is Refusal)
    #expect(error.feature?.contains("ReducerTests.swift") == true)
    store.send("other")
    #expect(store.state["n"] == 1)
  }

  @Test func aClosureMayReplaceItsStateAndMustKeepItATable() throws {
    let scripts = try Scripts(Self.modules)
    let store = try scripts.host.store(
      .reduce { state, action in
        state = action.payload["to"] ?? .null
        return .none
      }, state: ["n": 0])
    try store.send("set", ["to": ["m": 1]])
    #expect(store.state == ["m": 1])
    try store.send("set", ["to": [1, 2]])
    #expect(store.state == [1, 2])
    for bad: Value in [nil, 5, "x"] { try store.send("set", ["to": bad]) }
    #expect(store.state == [1, 2])
    #expect(scripts.errors.count == 3)
    #expect(scripts.errors.allSatisfy { $0.message.contains("must stay an array or object") })
  }

  @Test func aStoreNeedsATableAsItsState() throws {
    let scripts = try Scripts(Self.modules)
    for state: Value in [nil, 5, "x", true] {
      #expect(throws: ScriptError.self) { _ = try scripts.host.store(.empty, state: state) }
    }
    #expect(try scripts.host.store(.empty, state: []).state == [])
  }

  @Test func aStateThatGetsTooDeepInAChildIsRefused() throws {
    let scripts = try Scripts(Self.modules)
    let deep = try Value(
      json: String(repeating: "[", count: 128) + String(repeating: "]", count: 128))
    let grow = Reducer.reduce { state, _ in
      state = deep
      return .none
    }
    let store = try scripts.host.store(
      Reducer.empty.scope("child", grow), state: ["child": [:]])
    store.send("child.go")
    #expect(scripts.errors.count == 1, "\(store.state.depth)")
    #expect(store.state == ["child": [:]])
  }

  @Test func anEffectOfAChildThatNestsTooDeepIsDroppedWithAWarning() throws {
    let scripts = try Scripts(Self.modules)
    let path = Array(repeating: "a", count: 128).joined(separator: ".")
    let child = Reducer.reduce { _, action in action.path == "go" ? try .send(path) : .none }
    let store = try scripts.host.store(Reducer.empty.scope("c", child), state: ["c": [:]])
    store.send("c.go")
    #expect(scripts.warnings.map(\.kind) == [.effectError])
    #expect(scripts.warnings.first?.message.contains("128") == true)
  }

  // MARK: Both ways

  @Test func scriptsRequireWhatTheHostRegisters() throws {
    let doubling = Reducer.reduce { state, action in
      guard action.path == "double" else { return .none }
      state["n"] = .integer(Int64((state["n"].int ?? 0) * 2))
      return .send("told")
    }
    let scripts = try Scripts(
      [
        "app": """
        local Native = require "native"
        local rows = scripted.feature { name = "App", state = {
          child = { n = 3 }, rows = { { id = 1, n = 4 } }, n = 1, log = {} }, on = {
            ["child.double"] = function(state) table.insert(state.log, "saw " .. state.child.n) end,
          } }
        return scripted.combine { rows:scope("child", Native):forEach("rows", Native), Native }
        """
      ], reducers: ["native": doubling])
    let store = try scripts.store()
    for path in ["child.double", "rows[1].double", "double"] { try store.send(path) }
    #expect(store.state["child"] == ["n": 6])
    #expect(store.state["rows"] == [["id": 1, "n": 8]])
    #expect(store.state["n"] == 2)
    #expect(store.log == ["saw 6"])
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty, "\(scripts.errors)")
  }

  @Test func swiftInLuaInSwift() throws {
    let scripts = try Scripts(
      [
        "middle": """
        return scripted.feature { name = "Middle", on = {
          ["inner.go"] = function(state) state.saw = state.inner.went end } }:scope("inner", require "inner")
        """
      ],
      reducers: [
        "inner": .reduce { state, _ in
          state["went"] = true
          return .none
        }
      ])
    let outer = Reducer.reduce { state, _ in
      state["saw"] = state["middles"]["m"]["saw"]
      return .none
    }.forEach("middles", .script("middle"))
    let store = try scripts.host.store(outer, state: ["middles": ["m": ["inner": [:]]]])
    store.send("middles[m].inner.go")
    #expect(
      store.state == ["middles": ["m": ["inner": ["went": true], "saw": true]], "saw": true])
  }

  @Test func aChildThatRaisesInAScriptRollsSwiftBackToo() throws {
    let scripts = try Scripts(Self.modules)
    let reducer = Reducer.combine(
      .reduce { state, _ in
        state["n"] = 1
        return .none
      }, Reducer.empty.scope("count", .script("counter")))
    let store = try scripts.host.store(reducer, state: ["n": 0, "count": ["n": 0]])
    store.send("count.fail")
    #expect(store.state == ["n": 0, "count": ["n": 0]])
    #expect(scripts.errors.first?.feature == "Counter")
  }

  @Test func aReducerThatNamesItselfRaises() throws {
    let scripts = try Scripts([:], reducers: ["a": .script("b"), "b": .script("a")])
    let error = scriptError { _ = try scripts.host.store(.script("a"), state: [:]) }
    #expect(error?.message.contains("nested more than 200 deep") == true)
  }

  @Test func aScriptThatIsMissingRaisesWhenTheStoreIsMade() throws {
    let scripts = try Scripts(Self.modules)
    let error = scriptError { _ = try scripts.host.store(.script("nope"), state: [:]) }
    #expect(error?.message.contains("there is no module 'nope'") == true)
  }

  // MARK: Effects in Swift

  @Test func effectsMapAndMerge() throws {
    let scripts = try Scripts(Self.modules)
    let store = try scripts.host.store(
      .reduce { state, action in
        var log = state["log"].array ?? []
        log.append(.string(action.path))
        state["log"] = .array(log)
        guard action.path == "go" else { return .none }
        let effect = Effect.concatenate(
          .send("a"), .none, .merge([try .send("b", ["n": 1]), .send("c")]))
        // The path of an action behind a type is a path again, so this cannot throw.
        // The path of an action is one, and so is that with a name in front.
        return effect.map { try! Action(path: "wrapped.\($0.path)", payload: .object($0.payload)) }
      }, state: [:])
    store.send("go")
    #expect(store.log == ["go", "wrapped.a", "wrapped.b", "wrapped.c"])
    #expect(throws: ActionError.self) { try Effect.send("a..b" as String) }
  }

  @Test func aSwiftReducerMayMergeManyEffects() throws {
    let scripts = try Scripts(Self.modules)
    let store = try scripts.host.store(
      .reduce { state, action in
        if action.path == "up" {
          state["n"] = .integer(Int64((state["n"].int ?? 0) + 1))
          return .none
        }
        let up = try Action(path: "up")
        return (0..<20_000).reduce(Effect.none) { sum, _ in .merge(sum, .send(up)) }
      }, state: ["n": 0])
    store.send("go")
    #expect(store.state == ["n": 20_000])
  }
}
