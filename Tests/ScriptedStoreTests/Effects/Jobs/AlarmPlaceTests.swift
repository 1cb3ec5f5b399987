import LuaBridge
import Testing

@testable import ScriptedStore

/// Alarms belong to the place of the reducer that has set them: their ids do, their actions come from there, and they go with
/// its state.
struct AlarmPlaceTests {
  private static let child = """
    local Child = scripted.feature {
      name = "Child",
      on = {
        set = function(_, action) return effect.alarm("a", action.value or 1, "rang") end,
        stop = function() return effect.cancelAlarm("a") end,
        rang = function(state) state.rang = (state.rang or 0) + 1 end,
        rename = function(state, action) state.name = action.value end,
        identify = function(state, action) state.id = action.value end,
        leave = function() return effect.dismiss() end,
      },
    }
    """

  private static let parent = """
    set = function(_, action) return effect.alarm("a", 1, "rang") end,
    rang = function(state) state.rang = true end,
    drop = function(state) state.child = nil; state.rows = {}; state.path = {} end,
    assign = function(state, action) state.child = action.to end,
    remove = function(state, action) list.remove(state.rows, action.value) end,
    again = function(state, action)
      local row = list.remove(state.rows, action.value)
      table.insert(state.rows, 1, row)
    end,
    setAndRemove = function(state, action)
      list.remove(state.rows, 2)
      return effect.send("rows[2].set")
    end,
    """

  private static let operators = """
    :ifLet("child", Child):forEach("rows", Child):stack("path", scripted.cases { one = Child })
      :scope("page", scripted.feature { on = {} }:ifLet("sheet", Child))
    """

  private static let state = """
    {
      child = { id = 1 }, rows = { { id = 1 }, { id = 2 } }, path = { { id = 5, one = {} } }, page = { sheet = {} },
    }
    """

  private func app() throws -> EffectApp {
    try EffectApp(
      Self.parent, locals: Self.child, operators: Self.operators, state: Self.state)
  }

  private func places(_ app: EffectApp) -> [String] { app.store.alarms.map(\.place) }

  @Test(arguments: ["child", "rows[1]", "rows[2]", "path[5].one", "page.sheet"])
  func itsActionIsOneOfItsPlace(_ place: String) throws {
    let app = try app()
    try app.store.send(Action(path: "\(place).set"))
    #expect(places(app) == [place])
    #expect(app.store.alarms.map(\.action.path) == ["\(place).rang"])
    #expect(app.store.alarms.map(\.feature) == ["Child"])
    app.clock.advance(by: .seconds(1))
    #expect(app.cleanTrace == ["\(place).set", "\(place).rang"])
    #expect(app.store.effects.isEmpty && app.store.alarms.isEmpty)
  }

  @Test func theSameIdAtTwoPlacesIsTwoAlarms() throws {
    let app = try app()
    for path in ["set", "child.set", "rows[1].set", "rows[2].set"] as [Action] {
      app.store.send(path)
    }
    #expect(places(app) == ["", "child", "rows[1]", "rows[2]"])
    app.store.send("rows[1].stop")
    #expect(places(app) == ["", "child", "rows[2]"])
    app.clock.advance(by: .seconds(1))
    #expect(app.cleanTrace.suffix(3) == ["rang", "child.rang", "rows[2].rang"])
  }

  @Test func theElementThatIsRemovedTakesItsAlarmAlong() throws {
    let app = try app()
    app.store.send("rows[1].set")
    app.store.send("rows[2].set")
    try app.store.send("again", 2)
    #expect(places(app) == ["rows[1]", "rows[2]"])
    try app.store.send("remove", 1)
    #expect(places(app) == ["rows[2]"])
    app.clock.advance(by: .seconds(1))
    #expect(app.cleanTrace.last == "rows[2].rang")
  }

  @Test func oneOfAnElementThatIsGoneIsNotSet() throws {
    let app = try app()
    app.store.send("setAndRemove")
    #expect(app.store.alarms.isEmpty)
    #expect(app.scripts.warnings.map(\.kind) == [.missingElement])
  }

  @Test(
    arguments: [
      ("drop", nil), ("assign", nil), ("child.dismiss", nil), ("child.leave", nil),
      ("assign", ["to": ["id": 2]]), ("child.identify", 5),
    ] as [(String, Value?)])
  func aPresentedChildThatGoesTakesItAlong(_ path: String, _ payload: Value?) throws {
    let app = try app()
    app.store.send("child.set")
    try app.store.send("child.rename", "b")
    #expect(places(app) == ["child"])
    try app.store.send(path, payload)
    #expect(places(app) == [])
    app.clock.advance(by: .seconds(5))
    #expect(!app.cleanTrace.contains { $0.hasSuffix("rang") || $0.hasPrefix("wrong") })
  }

  @Test func whatIsPoppedOfAStackTakesItAlong() throws {
    let app = try app()
    app.store.send("path[5].one.set")
    try app.store.send("path.popFrom", ["id": 5])
    #expect(places(app) == [])
    app.clock.advance(by: .seconds(5))
    #expect(!app.cleanTrace.contains { $0.hasSuffix("rang") || $0.hasPrefix("wrong") })
  }

  @Test func aChildBelowOneThatGoesTakesItAlong() throws {
    let app = try app()
    app.store.send("page.sheet.set")
    app.store.send("page.sheet.dismiss")
    #expect(places(app) == [])
  }

  @Test func anIdIsFreeAgainInAnElementThatComesBack() throws {
    let app = try app()
    app.store.send("child.set")
    app.store.send("drop")
    try app.store.send("assign", ["to": ["id": 1]])
    app.store.send("child.set")
    app.clock.advance(by: .seconds(1))
    #expect(app.cleanTrace.count { $0 == "child.rang" } == 1)
  }

  @Test func oneOfAReducerThatAHandlerRunsBelongsToTheHandler() throws {
    let app = try EffectApp(
      """
      go = function(state, _, deps) return Child.run(state.child, { type = "set" }, deps) end,
      mapped = function(state, _, deps)
        return Child.run(state.child, { type = "set" }, deps):map(function(action) return action end)
      end,
      rang = function() end,
      """, locals: Self.child, state: "{ child = {} }")
    app.store.send("go")
    #expect(places(app) == [""])
    app.clock.advance(by: .seconds(1))
    #expect(app.cleanTrace == ["go", "rang"])
    app.store.send("mapped")
    #expect(places(app) == [])
    #expect(app.scripts.errors.count == 1)
    #expect(app.scripts.errors[0].message.contains("an alarm cannot be under map"))
  }

  @Test func operatorsThatReturnOrMeasureEffectsMaySetOne() throws {
    let app = try EffectApp(
      "up = function(state) state.n = state.n + 1 end, rang = function() end,",
      operators: """
        :onChange(function(state) return state.n end, function() return effect.alarm("a", 1, "rang") end):signpost()
        """, state: "{ n = 0 }")
    app.store.send("up")
    #expect(places(app) == [""])
    app.clock.advance(by: .seconds(1))
    #expect(app.cleanTrace == ["up", "rang"])
  }

  // MARK: As data

  @Test func theyAreRestoredFromData() throws {
    let app = try app()
    for path in ["set", "child.set", "rows[2].set", "path[5].one.set"] as [Action] {
      app.store.send(path)
    }
    let recorded = app.store.recordedAlarms
    #expect(try Value(json: recorded.json()) == recorded)
    let set = try #require(recorded[0]["set"].double)

    let other = try self.app()
    other.store.send("rows[1].set")
    try other.store.restoreAlarms(recorded, now: set + 0.25)
    #expect(places(other) == ["", "child", "rows[2]", "path[5].one"])
    #expect(other.store.recordedAlarms == recorded)
    other.clock.advance(by: .seconds(0.7))
    #expect(other.cleanTrace == ["rows[1].set"])
    other.clock.advance(by: .seconds(0.1))
    #expect(
      other.cleanTrace.suffix(4) == ["rang", "child.rang", "rows[2].rang", "path[5].one.rang"])
  }

  @Test func aRestoredOneThatIsLateComesAtOnceAndGoesWithItsChild() throws {
    let app = try app()
    for path in ["child.set", "rows[2].set"] as [Action] { app.store.send(path) }
    let recorded = app.store.recordedAlarms
    let other = try self.app()
    try other.store.restoreAlarms(recorded, now: 1e11)
    #expect(other.store.alarms.map(\.left) == [.zero, .zero])
    // The place knows how its child is dismissed.
    other.store.send("child.leave")
    #expect(places(other) == ["rows[2]"])
    other.clock.advance()
    #expect(other.cleanTrace == ["child.leave", "child.dismiss", "rows[2].rang"])
  }

  @Test(
    arguments: [
      [["id": "a", "seconds": 1, "set": 0]], [["action": ["type": "x"], "seconds": 1, "set": 0]],
      [["id": "a", "action": ["type": "x"], "set": 0]],
      [["id": "a", "action": ["type": "x"], "seconds": 1, "set": 0, "place": [3]]], [7],
    ] as [Value])
  func whatIsNoAlarmIsRefused(_ recorded: Value) throws {
    let app = try app()
    app.store.send("set")
    let error = #expect(throws: ScriptError.self) {
      try app.store.restoreAlarms(recorded, now: 0)
    }
    #expect(error?.message.contains("this is no alarm of a recording") == true)
    #expect(places(app) == [""])
  }

  // MARK: Other code, other times

  @Test func aReloadLeavesThem() throws {
    func app(_ mark: String) -> String {
      """
      return scripted.feature {
        name = "App", state = { log = {} },
        on = {
          set = function() return effect.alarm("a", 1, "rang") end,
          rang = function(state) table.insert(state.log, "\(mark)") end,
        },
      }
      """
    }
    let clock = VirtualClock()
    let scripts = try Scripts(["app": app("old")], clock: clock)
    let store = try scripts.store()
    store.send("set")
    try scripts.write("app", app("new"))
    let report = try scripts.host.reload()
    #expect(report.effects.isEmpty)
    #expect(store.alarms.count == 1)
    clock.advance(by: .seconds(1))
    #expect(store.log == ["new"])
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  @Test func aResetRemovesThem() throws {
    let app = try app()
    app.store.send("set")
    try app.scripts.host.reset()
    #expect(places(app) == [])
    app.clock.advance(by: .seconds(5))
    #expect(app.cleanTrace == ["set"])
  }

  @Test func timeTravelLeavesThemUnlessTheirChildIsNotThere() throws {
    let app = try app()
    let history = app.store.record()
    app.store.send("set")
    try app.store.send("assign", ["to": ["id": 9]])
    app.store.send("child.set")
    try history.go(to: 0)
    #expect(places(app) == [""])
    app.clock.advance(by: .seconds(1))
    #expect(app.store.state["rang"] == true)
  }

  @Test func aReplaySetsNone() throws {
    let app = try app()
    let history = app.store.record()
    app.store.send("set")
    app.clock.advance(by: .seconds(1))
    #expect(history.count == 2)
    #expect(try history.replay(from: 1).difference == nil)
    #expect(places(app) == [])
    #expect(try history.skip(1).difference != nil || history[2]?.action.path == "rang")
    #expect(places(app) == [])
    let report = try app.scripts.host.replay(try Recording(jsonLines: history.export()))
    #expect(report.difference == nil)
  }

  @Test func aLockedHistoryDropsItsAction() throws {
    let app = try app()
    let history = app.store.record()
    app.store.send("set")
    history.isLocked = true
    app.clock.advance(by: .seconds(1))
    #expect(places(app) == [])
    #expect(app.scripts.warnings.map(\.kind) == [.locked])
    #expect(history.count == 1)
  }

  @Test func aStoreThatGoesTakesItsAlarmsAlong() throws {
    let clock = VirtualClock()
    let scripts = try Scripts(
      [
        "app":
          "return scripted.feature { on = { go = function() return effect.alarm('a', 1, 'go') end } }"
      ], clock: clock)
    do {
      let store = try scripts.store()
      store.send("go")
      #expect(store.alarms.count == 1)
    }
    clock.advance(by: .seconds(5))
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }
}

extension Store {
  /// The alarms as the snapshot of a durable store has them.
  fileprivate var recordedAlarms: Value { inspectEffects(\.alarms.recorded) ?? [] }

  fileprivate func restoreAlarms(_ recorded: Value, now: Double) throws {
    let notes = try [AlarmNote](recorded: recorded)
    handle.perform { core, engine in core.inFlight(engine).alarms.restore(notes, now: now) }
  }
}
