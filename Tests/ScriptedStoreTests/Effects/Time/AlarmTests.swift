import Foundation
import LuaBridge
import ScriptedStore
import Testing

/// `effect.alarm`: an action that comes at its time, although no effect is in flight for it.
struct AlarmTests {
  private static let on = """
    set = function(_, action) return effect.alarm("a", action.value or 1, "rang", action.value) end,
    other = function(_, action) return effect.alarm(action.id, 1, "rang", tostring(action.id)) end,
    stop = function() return effect.cancelAlarm("a") end,
    rang = function() end,
    """

  private func app(
    _ more: String = "", locals: String = "", operators: String = "", state: String = "{}"
  )
    throws -> EffectApp
  {
    try EffectApp(Self.on + more, locals: locals, operators: operators, state: state)
  }

  @Test func itsActionComesAtItsTimeAndOnce() throws {
    let app = try app()
    try app.store.send("set", 2)
    app.clock.advance(by: .seconds(1.999))
    #expect(app.cleanTrace == ["set 2"])
    app.clock.advance(by: .seconds(0.001))
    #expect(app.cleanTrace == ["set 2", "rang 2"])
    #expect(app.store.alarms.isEmpty)
    app.clock.advance(by: .seconds(100))
    #expect(app.cleanTrace == ["set 2", "rang 2"])
  }

  @Test func itIsNoEffectInFlight() async throws {
    let app = try app()
    let task = try app.store.send("set", 5)
    #expect(app.store.effects.isEmpty)
    await task.finish()
    await app.store.finish()
    try app.clock.checkSuspension()
    let alarms = app.store.alarms
    try #require(alarms.count == 1)
    #expect(alarms[0].id == "a" && alarms[0].place.isEmpty && alarms[0].feature == "App")
    #expect(try alarms[0].action == Action(path: "rang", payload: 5))
    #expect(alarms[0].left == .seconds(5) && alarms[0].date == nil)
    #expect("\(alarms[0])" == "App, alarm \"a\", rang { value = 5 } in 5 s")
  }

  @Test func aLaterOneWithTheIdReplacesIt() throws {
    let app = try app()
    try app.store.send("set", 2)
    app.clock.advance(by: .seconds(1))
    try app.store.send("set", 3)
    #expect(app.store.alarms.map(\.left) == [.seconds(3)])
    app.clock.advance(by: .seconds(10))
    #expect(app.cleanTrace == ["set 2", "set 3", "rang 3"])
  }

  @Test func idsAreComparedByValue() throws {
    let app = try app()
    for id in [1, "1", ["kind": "x", "n": 2]] as [Value] { try app.store.send("other", ["id": id]) }
    #expect(app.store.alarms.map(\.id) == [1, "1", ["kind": "x", "n": 2]])
    app.clock.advance(by: .seconds(1))
    #expect(app.store.alarms.isEmpty)
  }

  @Test func itIsCancelledByItsIdAlone() throws {
    let app = try app("cancel = function() return effect.cancel('a') end,")
    app.store.send("set")
    app.store.send("cancel")
    #expect(app.store.alarms.count == 1)
    app.store.send("stop")
    #expect(app.store.alarms.isEmpty)
    app.store.send("stop")
    app.clock.advance(by: .seconds(5))
    #expect(app.cleanTrace == ["set", "cancel", "stop", "stop"])
  }

  @Test func thoseOfOneTimeComeInTheOrderInWhichTheyWereSet() throws {
    let app = try app()
    for id in 1...5 { try app.store.send("other", ["id": .integer(Int64(id))]) }
    app.clock.advance(by: .seconds(1))
    #expect(app.cleanTrace.suffix(5) == (1...5).map { "rang \($0)" })
  }

  @Test func itsActionIsOneOfItsFeatureAndOfAnEffect() throws {
    let app = try app()
    let records = Recorder<ActionRecord>()
    let observation = app.store.onAction { records.record($0) }
    app.store.send("set")
    app.clock.advance(by: .seconds(1))
    #expect(records.all.map(\.action.path) == ["set", "rang"])
    #expect(records.all.map(\.feature) == [nil, "App"])
    #expect(records.all.map(\.source) == [.input, .effect])
    observation.cancel()
  }

  @Test func oneThatSetsItselfAgainTicks() throws {
    let app = try EffectApp("tick = function(state) return effect.alarm('t', 1, 'tick') end,")
    app.store.send("tick")
    app.clock.advance(by: .seconds(3.5))
    #expect(app.cleanTrace == ["tick", "tick", "tick", "tick"])
    #expect(app.store.alarms.map(\.left) == [.seconds(0.5)])
  }

  @Test func itComesInRealTime() async throws {
    let scripts = try Scripts(
      app: """
        return scripted.feature {
          name = "App", state = {},
          on = {
            go = function() return effect.alarm("a", 0.01, "rang") end,
            rang = function(state) state.rang = true end,
          },
        }
        """)
    let store = try scripts.store()
    store.send("go")
    for await state in store.values() where state["rang"] == true { break }
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  @Test func anActionThatRaisesSetsNone() throws {
    let app = try app(
      "fail = function() local e = effect.alarm('a', 1, 'rang') error('no luck') end,")
    app.store.send("fail")
    #expect(app.store.alarms.isEmpty)
    #expect(app.scripts.errors.count == 1)
  }

  // MARK: With other effects

  @Test(arguments: [
    "effect.merge(effect.send('rang', 0), effect.alarm('a', 1, 'rang', 1))",
    "effect.concatenate(effect.alarm('a', 1, 'rang', 1), effect.send('rang', 0))",
    "effect.concatenate(effect.send('rang', 0), effect.alarm('a', 1, 'rang', 1))",
    "effect.merge(effect.send('rang', 0), effect.alarm('a', 1, 'rang', 1)):cancellable('a')",
    "effect.merge(effect.send('rang', 0), effect.alarm('a', 1, 'rang', 1)):throttle('x', 1, { latest = true })",
  ])
  func itIsSetAmongOthers(_ effect: String) throws {
    let app = try app(
      "go = function() return \(effect) end, cancel = function() return effect.cancel('a') end,")
    app.store.send("go")
    app.store.send("cancel")
    #expect(app.store.alarms.map(\.left) == [.seconds(1)])
    app.clock.advance(by: .seconds(1))
    #expect(app.cleanTrace == ["go", "rang 0", "cancel", "rang 1"])
  }

  @Test func whatIsConcatenatedAfterItDoesNotWaitForItsTime() throws {
    let app = try app(
      "go = function() return effect.concatenate(effect.alarm('a', 9, 'rang'), effect.run(function() note('+') end)) end,"
    )
    app.store.send("go")
    #expect(app.cleanTrace == ["go", "+"])
    #expect(app.store.effects.isEmpty)
  }

  @Test func aDebounceDelaysSettingIt() throws {
    let app = try app("go = function() return effect.alarm('a', 1, 'rang'):debounce('d', 2) end,")
    app.store.send("go")
    #expect(app.store.alarms.isEmpty)
    app.clock.advance(by: .seconds(2))
    #expect(app.store.alarms.map(\.left) == [.seconds(1)])
    app.clock.advance(by: .seconds(1))
    #expect(app.cleanTrace == ["go", "rang"])
  }

  @Test func aTransactionGoesWithItsAction() throws {
    let app = try app(
      "go = function() return effect.alarm('a', 1, 'rang'):transaction('inner'):animation('slow') end,"
    )
    let transactions = Recorder<Value?>()
    let observation = app.store.onAction { transactions.record($0.transaction) }
    app.store.send("go")
    app.clock.advance(by: .seconds(1))
    #expect(transactions.all == [nil, ["animation": "slow"]])
    observation.cancel()
  }

  @Test(arguments: [
    (
      "effect.alarm('a', 1, 'rang'):map(function(a) return a end)",
      "an alarm cannot be under map"
    ),
    (
      "effect.merge(effect.send('rang'), effect.alarm('a', 1, 'rang')):map(function(a) return a end)",
      "an alarm cannot be under map"
    ),
    (
      "effect.alarm('a', 1, 'rang'):cancellable('b')",
      "leave out cancellable, and return effect.cancelAlarm"
    ),
    (
      "effect.alarm('a', 1, 'rang'):throttle('b', 1)",
      "an alarm sends nothing yet that throttle could hold"
    ),
    ("effect.alarm(nil, 1, 'rang')", "an id expected, got nil"),
    ("effect.alarm({ id = 'a' }, 1, 'rang')", "an id expected, got a table of options"),
    (
      "effect.alarm('a', -1, 'rang')",
      "a time of zero or more seconds or { at = date } expected, got -1"
    ),
    ("effect.alarm('a', 1/0, 'rang')", "expected, got inf"),
    ("effect.alarm('a', 0/0, 'rang')", "expected, got"),
    ("effect.alarm('a', 'soon', 'rang')", "expected, got string"),
    (
      "effect.alarm('a', { at = 'noon' }, 'rang')",
      "a date in seconds since 1970 expected, got string"
    ),
    ("effect.alarm('a', { on = 3 }, 'rang')", "the only field is 'at', there is no 'on'"),
    ("effect.alarm('a', {}, 'rang')", "a date in seconds since 1970 expected, got nil"),
    ("effect.alarm('a', 1)", "an action"),
    ("effect.alarm('a', 1, '')", "action"),
    (
      "effect.alarm('a', 1, { 'rang', { n = 3 } })",
      "as two arguments: effect.alarm(\"a\", time, \"rang\", { n = 3 })"
    ),
    ("effect.alarm('a', 1, 'rang', 1, 2)", "takes an id, a time, an action and one payload"),
    (
      "effect.alarm('a', 1, 'rang', ('x'):rep(70000))",
      "the action of an alarm may have 65536 bytes"
    ),
    ("effect.alarm(('x'):rep(5000), 1, 'rang')", "an id may have 4096 bytes"),
    ("effect.cancelAlarm()", "an id expected, got nil"),
  ])
  func whatIsWrongWithItRaises(_ effect: String, _ message: String) throws {
    let app = try app("go = function() return \(effect) end,")
    app.store.send("go")
    try #require(app.scripts.errors.count == 1)
    #expect(app.scripts.errors[0].message.contains(message), "\(app.scripts.errors[0].message)")
    #expect(app.store.alarms.isEmpty)
  }

  @Test(arguments: ["effect.alarm('a', 1, 'rang')", "effect.cancelAlarm('a')"])
  func theFunctionOfAnEffectCannotSetOne(_ effect: String) throws {
    let app = try app("go = function() return effect.run(function() \(effect) end) end,")
    app.store.send("go")
    #expect(app.scripts.warnings.map(\.kind) == [.effectError])
    #expect(app.scripts.warnings[0].message.contains("belongs into what a handler returns"))
  }

  @Test func onAClockWithoutTimeItIsDueAtOnce() throws {
    let scripts = try Scripts(
      [
        "app": """
        return scripted.feature {
          name = "App", state = { log = {} }, dependencies = { "clock" },
          on = {
            go = function() return effect.merge(effect.alarm("a", 3600, "rang"), effect.send("said")) end,
            rang = function(state) table.insert(state.log, "rang") end,
            said = function(state) table.insert(state.log, "said") end,
          },
        }
        """
      ])
    let store = try scripts.host.store("app", dependencies: ["clock": .immediateClock()])
    store.send("go")
    #expect(store.state["log"] == ["rang", "said"])
    #expect(store.alarms.isEmpty)
  }

  @Test func thoseOfNoTimeThatFollowEachOtherAreOneBurst() throws {
    let clock = VirtualClock()
    let scripts = try Scripts(
      [
        "app": """
        return scripted.feature {
          name = "App", state = { n = 0 },
          on = { go = function(state) state.n = state.n + 1; return effect.alarm("a", 0, "go") end },
        }
        """
      ], clock: clock, configure: { $0.limits.actions = 5 })
    let store = try scripts.store()
    store.send("go")
    for _ in 0..<10 { clock.advance() }
    #expect(scripts.warnings.map(\.kind) == [.effectError])
    #expect(store.state["n"] == 6)
  }

  // MARK: Dates

  @Test func aDateIsThatOfTheDependency() throws {
    let clock = VirtualClock()
    let scripts = try Scripts(
      [
        "app": """
        return scripted.feature {
          name = "App", state = {}, dependencies = { "date" },
          on = {
            go = function(_, action, deps)
              return effect.alarm("a", { at = deps.date.now() + action.value }, "rang")
            end,
            rang = function(state) state.rang = true end,
          },
        }
        """
      ], clock: clock)
    let store = try scripts.host.store("app", dependencies: ["date": .constantDate(1000)])
    try store.send("go", 30)
    #expect(store.alarms.map(\.date) == [1030])
    #expect(store.alarms.map(\.left) == [.seconds(30)])
    clock.advance(by: .seconds(30))
    #expect(store.state["rang"] == true)
    // A date that has passed is due at once.
    try store.send("go", -30)
    #expect(store.alarms.map(\.left) == [.zero])
    clock.advance()
    #expect(store.alarms.isEmpty)
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  // MARK: Limits

  @Test func aStoreHasAThousandAtMost() throws {
    let app = try app(
      """
      many = function(_, action)
        local alarms = {}
        for i = 1, action.value do alarms[i] = effect.alarm(i, 1, "rang") end
        return effect.merge(alarms)
      end,
      again = function() return effect.alarm(1000, 5, "rang") end,
      one = function() return effect.alarm("one more", 5, "rang") end,
      drop = function() return effect.cancelAlarm(7) end,
      """)
    try app.store.send("many", 1000)
    #expect(app.store.alarms.count == 1000)
    app.store.send("again")
    #expect(app.scripts.warnings.isEmpty)
    app.store.send("one")
    #expect(app.store.alarms.count == 1000)
    #expect(app.scripts.warnings.map(\.kind) == [.effectError])
    #expect(
      app.scripts.warnings[0].message.contains(
        "this store has 1000. Cancel those that are not needed"))
    app.store.send("drop")
    app.store.send("one")
    #expect(app.scripts.warnings.count == 1)
    #expect(app.store.alarms.last?.id == "one more")
  }

  // MARK: Swift

  @Test func swiftReducersSetThemToo() throws {
    let clock = VirtualClock()
    let scripts = try Scripts(["app": "return scripted.empty"], clock: clock)
    let reducer = Reducer.reduce { state, action in
      switch action.path {
      case "go": return .alarm("a", after: .seconds(2), "rang")
      case "date": return .alarm("b", at: Date(timeIntervalSince1970: 50), "rang")
      case "mapped": return .alarm("c", after: .seconds(1), "rang").map { $0 }
      case "stop": return .cancelAlarm("a")
      default: state["rang"] = true
      }
      return .none
    }
    let store = try scripts.host.store(
      reducer, state: ["rang": false], dependencies: ["date": .constantDate(40)])
    store.send("go")
    store.send("date")
    #expect(store.alarms.map(\.id) == ["a", "b"])
    #expect(store.alarms.map(\.left) == [.seconds(2), .seconds(10)])
    store.send("stop")
    #expect(store.alarms.map(\.id) == ["b"])
    store.send("mapped")
    #expect(scripts.warnings.map(\.kind) == [.effectError])
    #expect(scripts.warnings[0].message.contains("an alarm cannot be under map"))
    clock.advance(by: .seconds(10))
    #expect(store.state["rang"] == true)
  }
}
