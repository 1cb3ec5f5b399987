import LuaBridge
import ScriptedStore
import Testing

/// Recordings as tests, which `runner test` runs.
struct ExportedTestTests {
  /// Plays something on a feature, writes it as a test and runs that.
  private func result(
    _ app: String, state: Value? = nil, dependencies: Dependencies = Dependencies(),
    clock: VirtualClock? = VirtualClock(), _ play: (Store, StoreHistory) async throws -> Void
  ) async throws -> (source: String, result: String) {
    let scripts = try Scripts(["app": app], dependencies: dependencies, clock: clock)
    let store = try scripts.store(state: state)
    let history = store.record()
    try await play(store, history)
    let source = try scripts.host.testSource(of: Recording(jsonLines: history.export()))
    return (source, try await outcomes(of: source, scripts, dependencies))
  }

  /// Runs a test beside the scripts.
  private func outcomes(
    of source: String, _ scripts: Scripts, _ dependencies: Dependencies = Dependencies()
  ) async throws -> String {
    try scripts.folder.write(source, to: "app_test.lua")
    let file = try ScriptTestFile(
      scripts.folder.path + "/app_test.lua", root: scripts.folder.path,
      configuration: .init(dependencies: dependencies, timeout: nil))
    let outcomes = await Spec.results(of: file).map { result in
      switch result.outcome {
      case .passed: "passed"
      case .skipped: "skipped"
      case .failed(let failures): failures.map(\.description).joined(separator: "\n")
      }
    }
    return outcomes.joined(separator: ", ")
  }

  @Test func allKindsOfChangesAreStatements() async throws {
    let (source, result) = try await result(
      """
      return scripted.feature {
        state = { list = { 1, 2, 3 }, rows = {}, ["odd key"] = 1, text = "a\\nb", gone = true },
        on = { set = function(state, action)
          for key, value in pairs(action.new) do state[key] = value end
          for _, key in ipairs(action.old or {}) do state[key] = nil end
        end, },
      }
      """
    ) { store, _ in
      try store.send("set", ["new": ["list": [0, 1, 3, 4], "odd key": 2]])
      try store.send("set", ["new": ["text": "tab\t\"quoted\"\u{1}"], "old": ["gone"]])
      try store.send("set", ["new": ["rows": [["id": 1, "null": .null], ["id": 2, "n": 1.0]]]])
      try store.send(
        "set", ["new": ["rows": [["id": 2, "n": 1.5], ["id": 3, "deep": [[], ["a": 1]]]]]])
      try store.send("set", ["new": [:]])
    }
    #expect(result == "passed", "\(source)")
    #expect(source.contains("state[\"odd key\"] = 2") && source.contains("state.gone = nil"))
    #expect(source.contains("local null = "))
  }

  @Test func aStateThatIsAListOrTagged() async throws {
    let (list, first) = try await result(
      """
      return scripted.feature { state = { 1 }, on = {
        add = function(state) table.insert(state, 1, #state) end,
        clear = function(state) while #state > 0 do table.remove(state) end end,
      } }
      """
    ) { store, _ in for path in ["add", "add", "clear", "add"] { try store.send(path) } }
    #expect(first == "passed", "\(list)")
    let (tagged, second) = try await result(
      """
      local Page = scripted.feature { state = { n = 0 }, on = { up = function(state) state.n = state.n + 1 end } }
      return scripted.combine {
        scripted.reduce(function(state, action)
          if action.type == "next" then state.a = nil state.b = { n = 5 } end
        end),
        scripted.cases { a = Page, b = Page },
      }
      """, state: ["a": ["n": 0]]
    ) { store, _ in for path in ["a.up", "next", "b.up"] { try store.send(path) } }
    #expect(second == "passed", "\(tagged)")
  }

  @Test func whatDependenciesAnsweredIsDoubled() async throws {
    let facts = Dependency.client([
      "fetch": .asyncFunction("n") { (n: Int) async throws -> String in
        if n == 13 { throw ScriptError("no luck") }
        return "\(n) is a number"
      },
      "all": .stream {
        AsyncStream {
          $0.yield("a")
          $0.yield("b")
          $0.finish()
        }
      },
      "sizes": .client(["count": .function { 7 }]),
    ])
    var dependencies = Dependencies()
    dependencies.register("facts", live: facts)
    let (source, result) = try await result(
      """
      return scripted.feature {
        state = { log = {} }, dependencies = { "facts", "uuid", "clock", "date" },
        on = {
          ask = function(state, action, deps)
            state.id = deps.uuid()
            state.at = deps.date.now()
            state.time = deps.clock.now()
            state.count = deps.facts.sizes.count()
            return effect.run(function(send, deps)
              send("got", { value = deps.facts.fetch(1) })
              for fact in deps.facts.all() do send("got", { value = fact }) end
              send("got", { value = effect.result(deps.facts.fetch, 13) })
              deps.clock.sleep(2)
              send("got", { value = deps.uuid() })
            end)
          end,
          got = function(state, action) table.insert(state.log, action.value) end,
        },
      }
      """, dependencies: dependencies, clock: nil
    ) { store, _ in
      await (store.send("ask")).finish()
    }
    #expect(result == "passed", "\(source)")
    // The body sleeps two seconds at least; a busy machine wakes it later.
    let waits = source.matches(of: /clock:advance\(([0-9.]+)\)/).compactMap { Double($0.1) }
    #expect(waits.contains { $0 >= 2 }, "\(source)")
  }

  @Test func whatAToolHasSetBeginsAnotherTest() async throws {
    let (source, result) = try await result(StoreTests.counter) { store, history in
      store.send("up")
      store.send("fail")
      try history.edit(["n": 50])
      store.send("ask")
      try history.skip(1)
    }
    #expect(result == "passed, passed", "\(source)")
    #expect(source.contains("state = { n = 50 }"))
  }

  @Test func keysOfDigitsAreKeys() async throws {
    let (source, result) = try await result(
      """
      return scripted.feature {
        state = { byId = {} },
        on = {
          load = function(state, action) state.byId = action.value end,
          put = function(state, action) state.byId[action.key] = action.key end,
        },
      }
      """
    ) { store, _ in
      try store.send("load", ["value": [:]])
      try store.send("put", ["key": "0"])
      try store.send("put", ["key": "1"])
    }
    #expect(result == "passed", "\(source)")
    #expect(!source.contains("table.insert"))
  }

  @Test func timePassesAlsoWhenNothingIsInFlight() async throws {
    let clock = VirtualClock()
    let (source, result) = try await result(
      """
      return scripted.feature {
        state = { n = 0 }, dependencies = { "clock" },
        on = {
          tap = function() return effect.send("up"):throttle("tap", 1, { latest = true }) end,
          up = function(state) state.n = state.n + 1 end,
          nap = function()
            return effect.run(function(send, deps) deps.clock.sleep(2 / 3) send("up") end)
          end,
        },
      }
      """, clock: clock
    ) { store, _ in
      store.send("tap")
      clock.advance(by: .seconds(1))
      store.send("tap")
      for _ in 0..<2 { clock.advance(by: .seconds(1.0 / 3)) }
      store.send("nap")
      for _ in 0..<3 { clock.advance(by: .seconds(1.0 / 3)) }
    }
    #expect(result == "passed", "\(source)")
    #expect(source.contains("clock:advance(1)"))
  }

  @Test func warningsAndErrorsOfEffectsActionsAreExpectedWhereTheyCome() async throws {
    let clock = VirtualClock()
    let (source, result) = try await result(
      """
      return scripted.feature {
        state = { n = 0 }, dependencies = { "clock" },
        on = {
          both = function() return effect.merge(effect.send("unknown"), effect.send("fail")) end,
          later = function()
            return effect.run(function(send, deps) deps.clock.sleep(1 / 3) send("unknown") send("fail") end)
          end,
          fail = function(state) error("no luck") end,
        },
      }
      """, clock: clock
    ) { store, _ in
      store.send("both")
      store.send("later")
      for _ in 0..<3 { clock.advance(by: .seconds(1.0 / 9)) }
      store.send("fail")
    }
    #expect(result == "passed", "\(source)")
  }

  @Test func aStateThatOnlyJSONTellsFromTheDefaultIsGiven() async throws {
    let (source, result) = try await result(
      """
      return scripted.feature {
        state = { v = 1, list = scripted.array {} },
        on = { show = function(state) state.text = tostring(state.v) state.list.key = 1 end },
      }
      """, state: ["v": 1.0, "list": [:]]
    ) { store, _ in store.send("show") }
    #expect(result == "passed", "\(source)")
  }

  @Test func effectsAfterAMigrationAreReceived() async throws {
    let clock = VirtualClock()
    func app(_ options: String) -> String {
      """
      return scripted.feature {
        name = "App", state = { n = 0 }, dependencies = { "clock" }, \(options)
        on = {
          wait = function()
            return effect.run(function(send, deps) deps.clock.sleep(1) send("up") end)
          end,
          both = function() return effect.send("up") end,
          up = function(state) state.n = state.n + 1 end,
        },
      }
      """
    }
    let scripts = try Scripts(["app": app("")], clock: clock)
    let store = try scripts.store()
    let history = store.record()
    store.send("wait")
    try scripts.write(
      "app", app("version = 2, migrate = function(state) state.n = state.n + 10 end,"))
    _ = try await scripts.host.reload()
    store.send("both")
    clock.advance(by: .seconds(1))
    store.send("wait")
    store.send("both")
    clock.advance(by: .seconds(1))
    let source = try scripts.host.testSource(of: Recording(jsonLines: history.export()))
    let outcomes = try await outcomes(of: source, scripts)
    #expect(outcomes == "passed", "\(source)")
  }

  // MARK: Going back

  /// A timer, and effects that send at once, after a wait, and one after the other.
  private static let effects = """
    local effect = scripted.effect
    local function nap(seconds, action)
      return effect.run(function(send, deps) deps.clock.sleep(seconds) send(action) end)
    end
    return scripted.feature {
      name = "App", state = { n = 0, on = false }, dependencies = { "clock", "dice" },
      on = {
        toggle = function(state)
          state.on = not state.on
          if not state.on then return effect.cancel("timer") end
          return effect.run(function(send, deps)
            for _ in deps.clock.timer(1) do send("rolled", { value = deps.dice() }) end
          end):cancellable("timer")
        end,
        rolled = function(state, action) state.n = state.n + action.value end,
        up = function(state) state.n = state.n + 1 end,
        atOnce = function() return effect.merge(effect.send("twice"), effect.send("up")) end,
        twice = function() return effect.send("up") end,
        wake = function() return effect.alarm("a", 1, "twice") end,
        roll = function(state, _, deps) state.n = deps.dice() end,
        rollLater = function() return effect.send("roll") end,
        fails = function() return effect.run(function() error("no luck") end) end,
        failsLater = function()
          return effect.run(function(send, deps) deps.clock.sleep(1) error("no luck") end)
        end,
        sendsAndFails = function()
          return effect.run(function(send, deps)
            deps.clock.sleep(1)
            send("up")
            error({ code = 7 })
          end)
        end,
        sendsAndFailsLater = function()
          return effect.run(function(send, deps) send("up") deps.clock.sleep(1) error("no luck") end)
        end,
        nap = function() return nap(1, "up") end,
        both = function()
          return effect.run(function(send, deps)
            effect.all {
              function() deps.clock.sleep(1) send("up") end,
              function() deps.clock.sleep(2) send("rolled", { value = deps.dice() }) end,
            }
          end)
        end,
        chain = function() return effect.concatenate(nap(1, "up"), effect.send("up"), nap(1, "up"), effect.send("up")) end,
        later = function() return effect.send("up"):debounce("later", 1) end,
        seldom = function() return effect.send("up"):throttle("seldom", 1, { latest = true }) end,
      },
    }
    """

  private static func dice() -> Dependencies {
    let rolls = Recorder<Int>()
    var dependencies = Dependencies()
    dependencies.register(
      "dice",
      live: .function {
        rolls.record(0)
        return rolls.all.count
      })
    return dependencies
  }

  /// What each has started goes on when the store goes back, and then sends between what the test starts.
  @Test(arguments: ["toggle", "nap", "atOnce", "chain", "later", "seldom", "both", "wake"])
  func effectsGoOnWhenTheStoreGoesBack(action: String) async throws {
    for other in ["toggle", "nap", "atOnce", "chain", "later", "seldom", "both", "wake", "up"] {
      let clock = VirtualClock()
      let (source, result) = try await result(
        Self.effects, dependencies: Self.dice(), clock: clock
      ) { store, history in
        try store.send(action)
        try store.send(action)
        try history.go(to: 1)
        try store.send(other)
        for wait in [1.0, 0.5, 0.5, 1] { clock.advance(by: .seconds(wait)) }
        try store.send(other)
        store.send("atOnce")
        for wait in [0.25, 0.75, 1] { clock.advance(by: .seconds(wait)) }
      }
      #expect(Set(result.split(separator: ", ")) == ["passed"], "\(action), \(other): \(source)")
    }
  }

  /// The handler of an action returns other effects on another state than those that go on.
  @Test(arguments: 1...3)
  func anActionThatIsLeftOutChangesTheEffectsOfLaterOnes(number: Int) async throws {
    let clock = VirtualClock()
    let (source, result) = try await result(
      Self.effects, dependencies: Self.dice(), clock: clock
    ) { store, history in
      for path in ["toggle", "toggle", "toggle", "up"] { try store.send(path) }
      clock.advance(by: .seconds(1))
      try history.skip(number)
      store.send("toggle")
      clock.advance(by: .seconds(1))
      try history.skip(number, false)
      store.send("toggle")
      clock.advance(by: .seconds(1))
    }
    #expect(Set(result.split(separator: ", ")) == ["passed"], "\(source)")
  }

  /// Effects go on without the actions that are left out, or these have sent what others send, too.
  @Test(arguments: [
    (["atOnce", "atOnce"], 5), (["rollLater"], 2), (["rollLater", "rollLater"], 3),
    (["twice", "twice"], 3), (["twice", "up"], 1),
  ])
  func whatIsSentAtOnceAndLeftOut(actions: [String], skipped: Int) async throws {
    try await expectPassingTests { store, history, _ in
      for action in actions { try store.send(action) }
      try history.skip(skipped)
      store.send("up")
    }
  }

  @Test(arguments: ["nap", "toggle", "chain", "both", "later"])
  func whatNoActionHasDoneBeginsAnotherTest(action: String) async throws {
    try await expectPassingTests { store, _, clock in
      let task = try store.send(action)
      task.cancel()
      clock.advance(by: .seconds(1))
      store.send("up")
    }
    try await expectPassingTests { store, history, clock in
      try store.send(action)
      history.isLocked = true
      clock.advance(by: .seconds(1))
      history.isLocked = false
      store.send("up")
      clock.advance(by: .seconds(1))
    }
  }

  @Test(arguments: ["fails", "failsLater", "sendsAndFails", "sendsAndFailsLater"])
  func anErrorOfAnEffectIsRecordedAndExpected(action: String) async throws {
    try await expectPassingTests { store, history, clock in
      store.send("nap")
      try store.send(action)
      clock.advance(by: .seconds(0.5))
      store.send("up")
      for _ in 1...2 { clock.advance(by: .seconds(1)) }
      store.send("up")
      let recording = try Recording(jsonLines: history.export())
      let failures = recording.entries.flatMap(\.ended).compactMap(\.failure)
      #expect(failures.count == 1)
      #expect(failures.first?.message.isEmpty == false)
    }
  }

  /// Records what is played on `effects` as it happens and at the end. The tests made of both pass.
  private func expectPassingTests(
    _ play: (Store, StoreHistory, VirtualClock) throws -> Void
  ) async throws {
    let clock = VirtualClock()
    let dependencies = Self.dice()
    let scripts = try Scripts(["app": Self.effects], dependencies: dependencies, clock: clock)
    let store = try scripts.store()
    let history = store.record()
    let lines = Recorder<String>()
    let observation = history.onLine { lines.record($0) }
    try play(store, history, clock)
    observation.cancel()
    for text in [lines.all.joined(separator: "\n") + "\n", history.export()] {
      let recording = try Recording(jsonLines: text)
      #expect(try scripts.host.replay(recording).difference == nil)
      let source = try scripts.host.testSource(of: recording)
      let outcomes = try await outcomes(of: source, scripts, dependencies)
      #expect(Set(outcomes.split(separator: ", ")) == ["passed"], "\(outcomes)\n\(source)\n\(text)")
    }
  }

  @Test func anActionIsRecordedWithItsEffect() throws {
    let clock = VirtualClock()
    let scripts = try Scripts(["app": Self.effects], dependencies: Self.dice(), clock: clock)
    for (path, effects) in [
      ("nap", [1]), ("atOnce", [0, 0, 0]), ("wake", [-1, 0]), ("chain", [1, 1, 2, 2]),
      ("later", [1]), ("both", [1, 1]),
    ] {
      let store = try scripts.store()
      let history = store.record()
      try store.send(path)
      for _ in 1...3 { clock.advance(by: .seconds(1)) }
      let recording = try Recording(jsonLines: history.export())
      let sent = recording.entries.filter { $0.source == .effect }.map(\.sender)
      let numbers = recording.entries.flatMap(\.started).map(\.number).sorted()
      let expected = effects.map { index -> ActionSender in
        index < 0 ? .alarm : index == 0 ? .handler : .effect(numbers[index - 1])
      }
      #expect(sent == expected, "\(path)")
    }
  }

  // MARK: Beginning

  /// What the state does not have at the beginning of a test, the initial state has.
  @Test func aFieldThatWasClearedIsAbsentInTheNextTest() async throws {
    let (source, result) = try await result(
      """
      return scripted.feature {
        state = { sheet = { n = 1 }, n = 0 },
        on = {
          close = function(state) state.sheet = nil end,
          open = function(state) state.sheet = { n = 2 } end,
          look = function(state) state.n = state.sheet and state.sheet.n or 99 end,
        },
      }
      """
    ) { store, history in
      store.send("close")
      try history.edit(["n": 5, "list": [1, ["a": 1]]])
      store.send("look")
      store.send("open")
      try history.edit(["n": 0])
      store.send("look")
      try history.edit(["sheet": ["n": 1], "n": 5])
      store.send("look")
    }
    #expect(result == "passed, passed, passed, passed", "\(source)")
    #expect(source.contains("test.store(App, { state = function(state) state.sheet = nil end })"))
    #expect(source.contains("test.store(App, { state = { n = 5 } })"))
  }

  @Test func aListMayBeginWithFewerElementsThanAtFirst() async throws {
    let (source, result) = try await result(
      """
      return scripted.feature { state = { 1, 2, 3 }, on = {
        add = function(state) table.insert(state, #state) end,
      } }
      """
    ) { store, history in
      for state in [[], [7], [7, 8, 9, 10]] as [Value] {
        try history.edit(state)
        store.send("add")
      }
    }
    #expect(result == "passed, passed, passed", "\(source)")
    #expect(source.contains("state = { 7, 8, 9, 10 }"), "\(source)")
  }

  // MARK: Alarms

  /// A date that is that of the clock, which begins at 978307200.
  static func date(of clock: VirtualClock) -> Dependencies {
    var dependencies = Dependencies()
    dependencies.register(
      "date", live: .client(["now": .function { 978_307_200 + clock.now / .seconds(1) }]))
    return dependencies
  }

  /// - Parameters: the seconds until the alarm of a row, and until `tick`, and those that the effect of `nap` sleeps.
  static func alarms(row: Double = 2, tick: Double = 2, nap: Double = 3) -> String {
    """
    local Row = scripted.feature {
      name = "Row", state = { id = 0, n = 0 },
      on = {
        arm = function(state) return effect.alarm("row", \(row), "rang") end,
        rang = function(state) state.n = state.n + 1 end,
      },
    }
    return scripted.feature {
      name = "App", state = { n = 0, rows = { { id = 1, n = 0 } } },
      dependencies = { "clock", "date" },
      on = {
        up = function(state) state.n = state.n + 1 end,
        arm = function(state) return effect.alarm("a", 2, "rang") end,
        disarm = function(state) return effect.cancelAlarm("a") end,
        rang = function(state)
          state.n = state.n + 10
          return effect.send("up")
        end,
        tick = function(state)
          state.n = state.n + 100
          return effect.alarm("t", \(tick), "tick")
        end,
        book = function(state, action, deps)
          state.at = deps.date.now()
          return effect.alarm("date", { at = 978307203 }, "rang")
        end,
        late = function() return effect.alarm("date", { at = 978307199 }, "rang") end,
        nap = function(state)
          return effect.run(function(send, deps) deps.clock.sleep(\(nap)) send("up") end)
        end,
        oops = function(state) error("no luck") end,
        remove = function(state) state.rows = scripted.array {} end,
        add = function(state) state.rows = { { id = 1, n = 0 } } end,
      },
    }:forEach("rows", Row)
    """
  }

  @Test func anAlarmThatIsStillSetIsLeftOut() async throws {
    let clock = VirtualClock()
    for actions in [["arm"], ["rows[1].arm", "up"], ["book"], ["late"], ["tick"]] {
      let (source, result) = try await result(
        Self.alarms(), dependencies: Self.date(of: clock), clock: clock
      ) { store, _ in
        for path in actions { try store.send(path) }
      }
      #expect(result == "passed", "\(source)")
      #expect(source.contains("store:skipAlarms { strict = false }"))
    }
  }

  @Test func anAlarmRingsInTheTest() async throws {
    let clock = VirtualClock()
    let (source, result) = try await result(
      Self.alarms(), dependencies: Self.date(of: clock), clock: clock
    ) { store, _ in
      for path in ["arm", "rows[1].arm", "book", "tick"] { try store.send(path) }
      clock.advance(by: .seconds(1))
      store.send("up")
      for _ in 1...3 { clock.advance(by: .seconds(1)) }
      store.send("late")
      clock.advance(by: .zero)
      store.send("arm")
      store.send("disarm")
      store.send("rows[1].arm")
      store.send("remove")
    }
    #expect(result == "passed", "\(source)")
    #expect(source.ranges(of: "store:receive(\"rang\"").count == 3)
    #expect(source.contains("clock:advance(0)"))
    #expect(source.ranges(of: "store:receive(\"tick\"").count == 2)
    #expect(source.contains("store:receive(\"rows[1].rang\""))
  }

  /// - Parameter row: the seconds until the alarm of a row. With two it rings when those of before do.
  @Test(arguments: [(2.0, "passed, passed, passed", "send"), (3.5, "passed, passed", "receive")])
  func anAlarmThatAnotherTestHasSetIsSent(row: Double, outcomes: String, call: String) async throws
  {
    let clock = VirtualClock()
    let (source, result) = try await result(Self.alarms(row: row), clock: clock) { store, history in
      for path in ["nap", "arm", "tick"] { try store.send(path) }
      try history.edit(["n": 5, "rows": [["id": 1, "n": 0]]])
      store.send("rows[1].arm")
      for _ in 1...4 { clock.advance(by: .seconds(1)) }
    }
    #expect(result == outcomes, "\(source)")
    #expect(source.contains("store:send(\"rang\"") && source.contains("store:send(\"tick\""))
    #expect(source.contains("store:receive(\"tick\"") && source.contains("store:receive(\"up\""))
    #expect(source.contains("store:\(call)(\"rows[1].rang\""), "\(source)")
  }

  @Test func anAlarmStaysWhenTheStoreGoesBack() async throws {
    let clock = VirtualClock()
    let (source, result) = try await result(Self.alarms(), clock: clock) { store, history in
      store.send("up")
      store.send("arm")
      try history.go(to: 1)
      store.send("up")
      clock.advance(by: .seconds(2))
    }
    #expect(result == "passed, passed", "\(source)")
    #expect(source.contains("store:send(\"rang\"") && source.contains("store:receive(\"up\""))
  }

  @Test func anAlarmThatWasSetBeforeTheFirstEntryIsSent() async throws {
    let clock = VirtualClock()
    let scripts = try Scripts(["app": Self.alarms()], clock: clock)
    let store = try scripts.store()
    store.send("arm")
    let history = store.record(limit: 3)
    for path in ["tick", "up", "up"] { try store.send(path) }
    clock.advance(by: .seconds(2))
    let recording = try Recording(jsonLines: history.export())
    #expect(recording.entries.map(\.action.path) == ["rang", "up", "tick"])
    let source = try scripts.host.testSource(of: recording)
    let outcomes = try await outcomes(of: source, scripts)
    #expect(outcomes == "passed", "\(source)")
    #expect(source.contains("store:send(\"rang\"") && source.contains("store:send(\"tick\""))
    #expect(source.contains("store:receive(\"up\""))
  }

  // MARK: Messages

  @Test func aWarningIsExpectedWhereverTheScriptHasMoved() async throws {
    let scripts = try Scripts(["app": Self.alarms()], clock: VirtualClock())
    let store = try scripts.store()
    let history = store.record()
    store.send("rows[9].arm")
    store.send("oops")
    let source = try scripts.host.testSource(of: Recording(jsonLines: history.export()))
    #expect(source.contains("that state.rows does not have\", function()"), "\(source)")
    for text in [Self.alarms(), "-- A comment.\n" + Self.alarms()] {
      try scripts.write("app", text)
      let outcomes = try await outcomes(of: source, scripts)
      #expect(outcomes == "passed", "\(source)")
    }
  }

  @Test func anErrorIsExpectedWithoutItsLine() throws {
    let lines = [
      #"{"recording":1,"feature":"desk","scripts":{},"dependencies":[],"state":{}}"#,
      #"{"n":1,"source":"input","action":{"type":"go"},"time":0,"patch":[],"#
        + #""error":{"message":"cases at my/desk.lua:85: the case must be a table"}}"#,
    ]
    let source = try Recording(jsonLines: lines.joined(separator: "\n")).testSource(defaults: nil)
    #expect(source.contains("end, \"the case must be a table\")"), "\(source)")
  }

  /// The time of the tenth alarm is more than a number of nanoseconds can be.
  @Test func alarmsThatAreTooFarBeginAnotherTest() throws {
    let alarms = #"{"set":[{"id":"a","action":{"type":"tick"},"seconds":1e9,"set":0}]}"#
    func entry(_ number: Int, _ source: String, _ type: String) -> String {
      #"{"n":\#(number),"source":"\#(source)","action":{"type":"\#(type)"},"wall":0,"alarms":\#(alarms),"patch":[]}"#
    }
    let lines =
      [#"{"recording":2,"feature":"x","wall":0,"code":"","state":{}}"#, entry(1, "input", "go")]
      + (2...11).map { entry($0, "effect", "tick") }
    let source = try Recording(jsonLines: lines.joined(separator: "\n")).testSource(defaults: nil)
    #expect(source.ranges(of: "clock:advance(1000000000)").count == 9)
    #expect(source.contains("goes on from entry 10"))
  }

  @Test func aTextWithTheLettersOfNullNeedsNoNull() async throws {
    let (source, result) = try await result(HistoryTests.app) { store, _ in
      try store.send("up", ["note": "annulled, and \"null\""])
    }
    #expect(result == "passed", "\(source)")
    #expect(!source.contains("local null"))
  }

  @Test func effectsThatGoOnAreLeftOut() async throws {
    let (source, result) = try await result(HistoryTests.app) { store, _ in
      store.send("later")
      store.send("rows[1].wait")
      store.send("rows[1].up")
    }
    #expect(result == "passed", "\(source)")
    #expect(source.contains("store:skipInFlightEffects { strict = false }"))
  }
}
