import LuaBridge
import ScriptedStore
import Testing

/// `printChanges` and `printActions`.
struct PrintingTests {
  private let printed = Recorder<String>()

  private func scripts(_ operators: String) throws -> Scripts {
    let printed = printed
    return try Scripts([
      "app": """
      return scripted.feature {
        state = { n = 0, rest = { 1, 2, 3 } },
        on = {
          add = function(state, action) state.n = state.n + action.by end,
          nothing = function() end,
          fail = function(state) state.n = 9; error("no") end,
        },
      }\(operators)
      """
    ]) { $0.onPrint = { printed.record($0) } }
  }

  @Test func changesArePrintedWithTheirAction() throws {
    let store = try scripts(":printChanges()").store()
    try store.send("add", ["by": 2])
    store.send("nothing")
    #expect(
      printed.all == [
        """
        received action:
          add { by = 2 }
          {
        -   n = 0,
        +   n = 2,
            -- 1 unchanged
          }
        """,
        """
        received action:
          nothing
          (no change)
        """,
      ])
  }

  @Test func anActionThatRaisesIsPrintedAsSuch() throws {
    let store = try scripts(":printChanges('App')").store()
    store.send("fail")
    #expect(printed.all.first?.hasPrefix("App: received action:\n  fail\n  (raised: ") == true)
  }

  @Test func actionsArePrintedAlone() throws {
    let store = try scripts(":printActions('App')").store()
    try store.send("add", ["by": 2])
    #expect(printed.all == ["App: received action:\n  add { by = 2 }"])
  }

  @Test func aLongPayloadIsCut() throws {
    let store = try scripts(":printActions()").store()
    try store.send("nothing", ["text": .string(String(repeating: "x", count: 100_000))])
    #expect(printed.all.first.map { $0.count < 1100 } == true)
  }

  @Test func onlyWhatTheReducerGetsIsPrinted() throws {
    let printed = printed
    let scripts = try Scripts([
      "app": """
      local Row = scripted.feature { state = {}, on = { toggle = function(s) s.on = true end } }:printChanges("row")
      return scripted.feature { state = { rows = { { id = 1 } } }, on = { other = function() end } }
        :forEach("rows", Row)
      """
    ]) { $0.onPrint = { printed.record($0) } }
    let store = try scripts.store()
    store.send("other")
    store.send("rows[1].toggle")
    #expect(printed.all.count == 1)
    #expect(printed.all.first?.hasPrefix("row: received action:\n  toggle\n") == true)
    #expect(printed.all.first?.contains("+   on = true") == true)
  }

  @Test func theyWorkInSwift() throws {
    let scripts = try scripts("")
    let reducer = Reducer.script("app").printActions("inner").printChanges("outer")
    let store = try scripts.host.store(reducer, state: ["n": 1])
    try store.send("add", ["by": 1])
    #expect(printed.all.map { $0.prefix(5) } == ["inner", "outer"])
  }

  @Test func theOutputOfAStoreComesInOrderWithItsOtherHandlers() throws {
    let printed = printed
    let scripts = try Scripts([
      "app": """
      return scripted.feature {
        state = {},
        on = {
          go = function() return effect.merge(effect.send("one"), effect.send("two")) end,
          one = function() end, two = function() end,
        },
      }:printActions()
      """
    ]) { $0.onPrint = { printed.record("printed \($0.split(separator: " ").last ?? "")") } }
    let other = try scripts.store()
    let store = try scripts.store()
    let observation = store.onAction { printed.record("heard \($0.action.path)") }
    store.send("go")
    #expect(
      printed.all == [
        "printed go", "heard go", "printed one", "heard one", "printed two", "heard two",
      ])
    other.send("one")
    #expect(printed.all.last == "printed one")
    withExtendedLifetime(observation) {}
  }

  @Test func whoWantsNothingPaysNothing() throws {
    let scripts = try Scripts([
      "app": """
      return scripted.feature { state = { n = 0 }, on = { up = function(s) s.n = 1 end } }
        :printChanges()
      """
    ]) { $0.onPrint = nil }
    let store = try scripts.store()
    store.send("up")
    #expect(store.state == ["n": 1])
  }

  /// The handlers of the store that has changed the value wait meanwhile.
  @Test func whatFollowsFromASharedValueIsPrintedForTheStoreThatTakesItOver() async throws {
    let (printed, gate) = (printed, Gate())
    let scripts = try Scripts([
      "writer": """
      return scripted.feature {
        state = {}, shared = { n = scripted.shared.inMemory("n", 0) },
        on = { up = function(state) state.n = state.n + 1 end },
      }
      """,
      "reader": """
      local Row = scripted.feature {
        state = {}, on = { hear = function(state) state.heard = true end },
      }:printActions("row")
      return scripted.feature {
        state = { row = {} }, shared = { n = scripted.shared.inMemory("n", 0) },
      }:onChange("n", function(state) return Row.run(state.row, { type = "hear" }) end)
      """,
    ]) { $0.onPrint = { printed.record($0) } }
    let writer = try scripts.host.store("writer")
    let reader = try scripts.host.store("reader")
    let observation = writer.observe("n") { if $0 == 1 { gate.wait() } }
    let sender = Task { await onOwnThread { _ = writer.send("up") } }
    await gate.arrival()
    writer.send("up")
    #expect(printed.all == Array(repeating: "row: received action:\n  hear", count: 2))
    #expect(reader.state["row"]["heard"] == true)
    gate.open()
    await sender.value
    observation.cancel()
  }
}
