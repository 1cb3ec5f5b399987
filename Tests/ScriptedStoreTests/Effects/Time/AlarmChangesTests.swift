import LuaBridge
import Testing

@testable import ScriptedStore

/// What a record of an action has of alarms, and what a store that comes back does with records: the inside of the library
/// alone uses both.
struct AlarmChangesTests {
  private static let app = """
    local Row = scripted.feature {
      name = "Row",
      on = {
        set = function() return effect.alarm("a", 1, "rang") end,
        rang = function() end,
        recovered = function(state, action) state.lost = #action.effects end,
      },
    }
    return scripted.feature {
      name = "App", state = { rows = { { id = 1 }, { id = "b c" } }, table = { x = {} } },
      on = {
        set = function(_, action) return effect.alarm(action.id, 1, "rang") end,
        both = function()
          return effect.merge(effect.alarm("a", 1, "rang"), effect.cancelAlarm("a"), effect.alarm("b", 1, "rang"))
        end,
        stop = function(_, action) return effect.cancelAlarm(action.id) end,
        rang = function() return effect.alarm("next", 5, "rang") end,
        clear = function(state) state.rows = {} end,
        recovered = function(state, action) state.lost = action.effects end,
      },
    }:forEach("rows", Row):forEach("table", Row)
    """

  /// The actions and the changes, in order.
  private final class Told {
    var changes: [String] = []
  }

  /// A listener that takes the changes as a record of an action does.
  private final class Taking: StoreListener {
    let told: Told
    unowned let alarms: StoreAlarms

    init(_ told: Told, _ alarms: StoreAlarms) { (self.told, self.alarms) = (told, alarms) }

    func didReduce(_ record: ActionRecord) { told.changes.append(record.action.path) }

    func didStartEffects() {
      let changes = alarms.takeChanges()
      if !changes.isEmpty { told.changes.append(Self.text(of: changes)) }
    }

    static func text(of changes: StoreAlarms.Changes) -> String {
      let added = changes.added.map { "+\($0.id)" }
      let removed = changes.removed.map { "-\($0.id)" }
      return (added + removed).joined(separator: " ")
    }
  }

  private let clock = VirtualClock()

  private func inside<R: Sendable>(
    _ store: Store, _ body: @escaping @Sendable (StoreCore, Engine) throws -> R
  ) throws -> R {
    let slot = store.handle.slot
    return try store.handle.worker.perform { (engine) throws(ScriptError) in
      guard let core = engine.stores[slot]?.takeUnretainedValue() else {
        throw ScriptError("no store")
      }
      defer { engine.work() }
      do { return try body(core, engine) } catch { throw ScriptError("\(error)") }
    }
  }

  @Test func changesBelongToTheRecordOfTheirAction() throws {
    let scripts = try Scripts(["app": Self.app], clock: clock)
    let store = try scripts.store()
    let (virtual, slot) = (clock, store.handle.slot)
    let told = try inside(store) { core, engine in
      let told = Told()
      let alarms = core.inFlight(engine).alarms
      alarms.beginRecording {}
      core.add(Taking(told, alarms))
      func send(_ path: String, _ payload: Value? = nil) throws {
        _ = engine.process(try Action(path: path, payload: payload), in: slot)
      }
      try send("set", ["id": "x"])
      try send("set", ["id": "x"])
      try send("stop", ["id": "x"])
      try send("stop", ["id": "x"])
      try send("both")
      try send("rows[1].set")
      try send("clear")
      let clock = engine.effects.clock(of: virtual)
      engine.effects.pass(clock, to: clock.instant.after(1))
      return told.changes
    }
    #expect(
      told == [
        "set", #"+"x""#, "set", #"+"x""#, "stop", #"-"x""#, "stop", "both", #"+"b" -"a""#,
        "rows[1].set",
        #"+"a""#, "clear", #"-"a""#, "rang", #"+"next" -"b""#,
      ])
  }

  @Test func aChangeOutsideOfAnActionIsTold() throws {
    let scripts = try Scripts(["app": Self.app], clock: clock)
    let store = try scripts.store()
    try store.send("set", ["id": "x"])
    let slot = store.handle.slot
    let told = try inside(store) { core, engine in
      let told = Told()
      let alarms = core.inFlight(engine).alarms
      alarms.beginRecording { [unowned alarms] in
        told.changes.append(Taking.text(of: alarms.takeChanges()))
      }
      core.inFlight(engine).cancelAll()
      // The end of a store is no change.
      _ = engine.process(try Action(path: "set", payload: ["id": "y"]), in: slot)
      alarms.close()
      core.inFlight(engine).cancelAll()
      return told.changes
    }
    #expect(told == [#"-"x""#, #"+"y""#])
  }

  // MARK: Recovery

  private func effect(_ number: Int, _ place: String, id: Value? = nil) -> LostEffect {
    LostEffect(place: place, origin: "app.lua:\(number)", id: id)
  }

  @Test func eachPlaceOfAnEffectThatIsStillThereHearsOfIt() throws {
    let scripts = try Scripts(["app": Self.app], clock: clock)
    let store = try scripts.store()
    let lost = [
      effect(1, "rows[1]"), effect(2, "rows[9]"), effect(3, ""), effect(4, "rows[b c]"),
      effect(5, "rows[1]"),
      effect(6, "table[x]"), effect(7, "table[y]"), effect(8, "gone"), effect(9, "gone[3].child"),
      effect(10, "]"),
      effect(11, "", id: ["kind": 1]),
    ]
    let seen = Recorder<String>()
    let observation = store.onAction { seen.record("\($0.action.path) \($0.source)") }
    try inside(store) { core, engine in core.recover(effects: lost, engine) }
    #expect(
      seen.all == [
        "rows[1].recovered input", "recovered input", "rows[b c].recovered input",
        "table[x].recovered input",
      ])
    #expect(store.state["rows"][0]["lost"] == 2)
    #expect(store.state["rows"][1]["lost"] == 1)
    #expect(store.state["table"]["x"]["lost"] == 1)
    #expect(
      store.state["lost"] == [
        ["origin": "app.lua:3"], ["origin": "app.lua:11", "id": ["kind": 1]],
      ])
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)
    observation.cancel()
  }

  @Test func aReducerThatTakesAllHearsOfItWhereActionsNamesIt() throws {
    for (listed, heard) in [("", false), (#"actions = { "recovered" },"#, true)] {
      let scripts = try Scripts([
        "app": """
        return scripted.feature { name = "App", \(listed) reduce = function(state, action) state.last = action.type end }
        """
      ])
      let reducer = Reducer.combine(
        .script("app"),
        .reduce { state, action in
          state["count"] = .integer(Int64(action.value["effects"].array?.count ?? 0))
          return .none
        })
      let store = try scripts.host.store(reducer, state: ["count": 9])
      let lost = [effect(1, ""), effect(2, "")]
      try inside(store) { core, engine in core.recover(effects: lost, engine) }
      #expect(store.state["count"] == (heard ? 2 : 9))
      #expect(store.state["last"] == (heard ? "recovered" : .null))
    }
  }

  @Test func aMigrationThatTakesAChildAwayTakesItsAlarmsAlong() throws {
    let clock = VirtualClock()
    func app(_ version: String) -> String {
      """
      local Row = scripted.feature {
        on = { set = function() return effect.alarm("a", 1, "rang") end, rang = function() end },
      }
      return scripted.feature { name = "App", state = { rows = { { id = 1 } } }, \(version) }:forEach("rows", Row)
      """
    }
    let scripts = try Scripts(["app": app("version = 1")], clock: clock)
    let store = try scripts.store()
    store.send("rows[1].set")
    #expect(store.alarms.count == 1)
    try scripts.write("app", app("version = 2, migrate = function(state) state.rows = {} end"))
    try scripts.host.reload()
    #expect(store.alarms.isEmpty)
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }
}
