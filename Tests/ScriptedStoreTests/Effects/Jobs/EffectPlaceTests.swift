import LuaBridge
import ScriptedStore
import Testing

/// Effects and ids belong to the node whose reducer returned them, and go with its state.
struct EffectPlaceTests {
  /// Elements that tick each second, under an id that all of them use; a child of the root does so too.
  private static let element = """
    local Element = scripted.feature {
      name = "Element", dependencies = { "clock" }, actions = { "delegate" },
      on = {
        start = function(state)
          local id = state.id
          return effect.run(function(send, deps)
            local closing <close> = setmetatable({}, { __close = function() note("closed " .. tostring(id)) end })
            while true do deps.clock.sleep(1); send("tick") end
          end):cancellable("timer", { cancelInFlight = true })
        end,
        tick = function(state) state.ticks = (state.ticks or 0) + 1 end,
        stop = function() return effect.cancel("timer") end,
        leave = function(state)
          return effect.merge(
            effect.send("delegate"), effect.run(function(send, deps) note("never"); send("delegate") end),
            effect.concatenate(effect.run(function() note("never") end), effect.send("delegate")))
        end,
      },
    }
    """

  private static let parent = """
    remove = function(state, action) list.remove(state.rows, action.value) end,
    ["rows[*].leave"] = function(state, _, _, ids) list.remove(state.rows, ids[1]) end,
    reverse = function(state) table.sort(state.rows, function(a, b) return a.id > b.id end) end,
    clear = function(state) state.rows = {} end,
    drop = function(state) state.rows = nil end,
    copy = function(state) state.rows = scripted.snapshot(state.rows) end,
    again = function(state, action)
      local row = list.remove(state.rows, action.value)
      table.insert(state.rows, row)
    end,
    other = function(state, action) state.rows[1].id = action.value end,
    fail = function(state) state.rows = nil; error("no") end,
    start = function()
      return effect.run(function(_, deps) deps.clock.sleep(1000) end):cancellable("timer")
    end,
    cancel = function(_, action) return effect.cancel("timer", action.value) end,
    inside = function(_, action)
      local where = action.value
      return effect.run(function() effect.cancel("timer", where); effect.yield() end)
    end,
    """

  private func app(ids: [Int]) throws -> EffectApp {
    let rows = ids.map { "{ id = \($0) }" }.joined(separator: ", ")
    let app = try EffectApp(
      Self.parent, locals: Self.element, operators: ":forEach('rows', Element)",
      state: "{ rows = { \(rows) } }")
    for id in ids { try app.store.send("rows[\(id)].start") }
    return app
  }

  /// Where the effects in flight are.
  private func places(_ app: EffectApp) -> [String] { app.store.effects.map(\.place).sorted() }

  private func closed(_ app: EffectApp) -> [String] {
    app.cleanTrace.filter { $0.hasPrefix("closed") }
  }

  // MARK: Ids

  @Test func theIdsOfElementsAreTheirOwn() throws {
    let app = try app(ids: [1, 2, 3])
    #expect(places(app) == ["rows[1]", "rows[2]", "rows[3]"])
    app.store.send("rows[2].stop")
    #expect(places(app) == ["rows[1]", "rows[3]"])
    app.store.send("rows[1].start")
    #expect(places(app) == ["rows[1]", "rows[3]"])
    #expect(closed(app) == ["closed 2", "closed 1"])
  }

  @Test func parentsAndChildrenDoNotCancelEachOthers() throws {
    let app = try app(ids: [1])
    app.store.send("start")
    #expect(places(app) == ["", "rows[1]"])
    app.store.send("cancel")
    #expect(places(app) == ["rows[1]"])
    app.store.send("start")
    app.store.send("rows[1].stop")
    #expect(places(app) == [""])
  }

  @Test(arguments: ["cancel", "inside"]) func aCancelByPathReachesWhatItNames(
    _ action: String
  ) throws {
    let app = try app(ids: [1, 2, 3])
    app.store.send("start")
    try app.store.send(action, "rows[2]")
    #expect(places(app) == ["", "rows[1]", "rows[3]"])
    try app.store.send(action, "rows[7]")
    #expect(places(app) == ["", "rows[1]", "rows[3]"])
    try app.store.send(action, "rows[*]")
    #expect(places(app) == [""])
    #expect(closed(app) == ["closed 2", "closed 1", "closed 3"])
  }

  @Test func reducersThatAreCombinedShareTheirIds() throws {
    let app = try EffectApp(
      "",
      locals: """
        local One = scripted.feature { dependencies = { "clock" }, on = { start = function()
          return effect.run(function(_, deps) deps.clock.sleep(1) end):cancellable("x") end } }
        local Two = scripted.feature { on = { stop = function() return effect.cancel("x") end } }
        """, operators: ":scope('child', scripted.combine { One, Two })", state: "{ child = {} }")
    app.store.send("child.start")
    #expect(app.store.effects.count == 1)
    app.store.send("child.stop")
    #expect(app.store.effects.isEmpty)
  }

  @Test func twoStoresDoNotCancelEachOthers() throws {
    let scripts = try Scripts(
      app: """
        return scripted.feature { state = { n = 0 }, dependencies = { "clock" }, on = {
          start = function() return effect.run(function(_, deps) deps.clock.sleep(1000) end):cancellable("x", { cancelInFlight = true }) end,
          stop = function() return effect.cancel("x") end,
        } }
        """)
    let (one, two) = (try scripts.store(), try scripts.store())
    one.send("start")
    two.send("start")
    #expect(one.effects.count == 1 && two.effects.count == 1)
    two.send("stop")
    #expect(one.effects.count == 1 && two.effects.isEmpty)
    one.send("stop")
    #expect(one.effects.isEmpty)
  }

  @Test func whatAnElementSendsReachesThatElement() throws {
    let app = try app(ids: [1, 2])
    app.store.send("reverse")
    app.clock.advance(by: .seconds(2))
    app.store.send("rows[1].stop")
    app.clock.advance(by: .seconds(1))
    #expect(app.store.state["rows"] == [["id": 2, "ticks": 3], ["id": 1, "ticks": 2]])
    #expect(app.scripts.warnings.isEmpty)
  }

  @Test func elementsOfAnObjectHavePlacesToo() throws {
    let app = try EffectApp(
      """
      drop = function(state, action) state.rows[action.value] = nil end,
      cancel = function(_, action) return effect.cancel("timer", action.value) end,
      """, locals: Self.element, operators: ":forEach('rows', Element)",
      state: "{ rows = { a = {}, b = {}, ['7'] = {} } }")
    for id in ["a", "b", "7"] { try app.store.send("rows[\(id)].start") }
    #expect(app.store.effects.count == 3)
    try app.store.send("cancel", "rows[7]")
    #expect(app.store.effects.count == 2)
    try app.store.send("drop", "a")
    #expect(app.store.effects.count == 1)
    app.clock.advance(by: .seconds(1))
    #expect(app.store.state["rows"] == ["b": ["ticks": 1], "7": [:]])
    #expect(app.scripts.warnings.isEmpty)
  }

  // MARK: With the child

  @Test func removingAnElementCancelsItsEffects() throws {
    let app = try app(ids: [1, 2, 3])
    try app.store.send("remove", 2)
    #expect(places(app) == ["rows[1]", "rows[3]"])
    #expect(closed(app) == ["closed 2"])
    app.clock.advance(by: .seconds(1))
    #expect(app.store.state["rows"] == [["id": 1, "ticks": 1], ["id": 3, "ticks": 1]])
    #expect(app.scripts.warnings.isEmpty)
  }

  @Test(arguments: ["clear", "drop"]) func emptyingTheListCancelsThemAll(_ action: String) throws {
    let ids = [5, 3, 9, 1, 7, 2, 8]
    let app = try app(ids: ids)
    try app.store.send(action)
    #expect(app.store.effects.isEmpty)
    // In the order in which they began.
    #expect(closed(app) == ids.map { "closed \($0)" })
  }

  @Test(arguments: ["reverse", "copy", "fail"]) func anElementThatStaysKeepsItsEffects(
    _ action: String
  ) throws {
    let app = try app(ids: [1, 2, 3])
    try app.store.send(action)
    #expect(places(app) == ["rows[1]", "rows[2]", "rows[3]"])
    try app.store.send("again", 2)
    #expect(places(app) == ["rows[1]", "rows[2]", "rows[3]"])
    app.clock.advance(by: .seconds(1))
    #expect(app.store.state["rows"].array?.map { $0["ticks"] } == [1, 1, 1])
  }

  @Test func anElementThatComesBackLaterBeginsAnew() throws {
    let app = try EffectApp(
      Self.parent + """
        add = function(state, action) table.insert(state.rows, { id = action.value }) end,
        """, locals: Self.element, operators: ":forEach('rows', Element)",
      state: "{ rows = { { id = 1 } } }")
    app.store.send("rows[1].start")
    try app.store.send("remove", 1)
    try app.store.send("add", 1)
    app.clock.advance(by: .seconds(1))
    #expect(app.store.effects.isEmpty)
    #expect(app.store.state["rows"] == [["id": 1]])
    app.store.send("rows[1].start")
    #expect(places(app) == ["rows[1]"])
  }

  @Test func anElementWhoseIdChangesIsAnother() throws {
    let app = try app(ids: [1, 2])
    try app.store.send("other", 9)
    #expect(places(app) == ["rows[2]"])
    #expect(closed(app) == ["closed 1"])
  }

  @Test func anIdThatOnlyChangesItsSubtypeIsTheSame() throws {
    let app = try app(ids: [1, 2])
    try app.store.send("other", 1.0)
    #expect(app.store.effects.count == 2)
    try app.store.send("cancel", "rows[1]")
    #expect(places(app) == ["rows[2]"])
  }

  @Test func whatAnElementReturnsInTheActionThatRemovesItNeverStarts() throws {
    let app = try app(ids: [1, 2])
    app.store.send("rows[1].leave")
    #expect(app.store.state["rows"] == [["id": 2]])
    #expect(
      app.cleanTrace == ["rows[1].start", "rows[2].start", "rows[1].leave", "closed 1"])
    #expect(places(app) == ["rows[2]"])
  }

  @Test func anElementThatItsOwnEffectRemovesIsDone() throws {
    let app = try EffectApp(
      """
      ["rows[*].done"] = function(state, _, _, ids) list.remove(state.rows, ids[1]) end,
      """,
      locals: """
        local Row = scripted.feature { actions = { "done", "never" }, on = { go = function()
          return effect.run(function(send)
            local closing <close> = setmetatable({}, { __close = function() note("closed") end })
            send("done"); note(effect.isCancelled()); send("never"); effect.yield(); note("never")
          end)
        end } }
        """, operators: ":forEach('rows', Row)", state: "{ rows = { { id = 'a' } } }")
    app.store.send("rows[a].go")
    #expect(app.cleanTrace == ["rows[a].go", "rows[a].done", "true", "closed"])
    #expect(app.store.effects.isEmpty)
  }

  @Test func whatWaitsInAConcatenateGoesWithTheElement() throws {
    let app = try EffectApp(
      "remove = function(state, action) list.remove(state.rows, action.value) end,",
      locals: """
        local Row = scripted.feature { dependencies = { "clock" }, actions = { "never" }, on = { go = function()
          return effect.concatenate(effect.run(function(_, deps) deps.clock.sleep(1) end), effect.send("never"))
            :debounce("d", 1)
        end } }
        """, operators: ":forEach('rows', Row)", state: "{ rows = { { id = 1 }, { id = 2 } } }")
    app.store.send("rows[1].go")
    try app.store.send("remove", 1)
    #expect(app.store.effects.isEmpty)
    app.store.send("rows[2].go")
    app.clock.advance(by: .seconds(1.5))
    try app.store.send("remove", 2)
    app.clock.advance(by: .seconds(5))
    #expect(app.store.effects.isEmpty)
    #expect(app.cleanTrace == ["rows[1].go", "remove 1", "rows[2].go", "remove 2"])
  }

  // MARK: scope

  private func child() throws -> EffectApp {
    let app = try EffectApp(
      """
      absent = function(state) state.child = nil end,
      same = function(state) state.child = { id = state.child.id, n = 5 } end,
      other = function(state) state.child = { id = "other" } end,
      inner = function(state) state.child.rows = { { id = 2 } } end,
      ["child.leave"] = function(state) state.child = nil end,
      """,
      locals: Self.element + """

        local Child = scripted.combine { Element, scripted.feature {}:forEach("rows", Element) }
        """, operators: ":scope('child', Child)",
      state: "{ child = { id = 'c', rows = { { id = 1 }, { id = 2 } } } }")
    for path in ["child", "child.rows[1]", "child.rows[2]"] { try app.store.send("\(path).start") }
    #expect(places(app) == ["child", "child.rows[1]", "child.rows[2]"])
    return app
  }

  @Test func aChildThatIsGoneTakesItsEffectsAndThoseBelow() throws {
    let app = try child()
    app.store.send("absent")
    #expect(app.store.effects.isEmpty)
    #expect(closed(app).count == 3)
  }

  @Test func aChildWithAnotherIdIsAnother() throws {
    let app = try child()
    app.store.send("other")
    #expect(app.store.effects.isEmpty)
  }

  @Test func aChildThatIsReplacedByOneOfItsIdKeepsItsEffects() throws {
    let app = try child()
    app.store.send("same")
    #expect(places(app) == ["child"])
    let other = try self.child()
    other.store.send("inner")
    #expect(places(other) == ["child", "child.rows[2]"])
  }

  @Test func whatAChildReturnsInTheActionThatRemovesItNeverStarts() throws {
    let app = try child()
    let before = app.cleanTrace.count
    app.store.send("child.leave")
    #expect(app.cleanTrace.dropFirst(before).first == "child.leave")
    #expect(closed(app).count == 3 && app.cleanTrace.count == before + 4)
  }

  @Test func replacingTheWholeStateTakesTheChildrenThatAreNotInIt() throws {
    let app = try EffectApp(
      "replace = function(state) scripted.replace(state, { rows = { { id = 2 } } }) end,",
      locals: Self.element, operators: ":forEach('rows', Element)",
      state: "{ rows = { { id = 1 }, { id = 2 } } }")
    for id in 1...2 { try app.store.send("rows[\(id)].start") }
    app.store.send("replace")
    #expect(places(app) == ["rows[2]"])
  }

  @Test func removingOneOfManyElementsLeavesTheOthers() throws {
    let app = try app(ids: Array(1...500))
    for id in stride(from: 2, through: 500, by: 2) {
      try app.store.send(
        """
        remove
        """, .integer(Int64(id)))
    }
    #expect(app.store.effects.count == 250)
    app.clock.advance(by: .seconds(1))
    #expect(app.store.state["rows"].array?.allSatisfy { $0["ticks"] == 1 } == true)
    #expect(app.cleanTrace.filter { $0.hasPrefix("closed") }.count == 250)
  }

  /// What an element starts in the place of the only thing that it had in flight.
  @Test(arguments: ["send", "run", "throttle"]) func whatReplacesAnElementsOnlyEffectGoesWithIt(
    _ kind: String
  ) throws {
    let app = try EffectApp(
      "remove = function(state, action) list.remove(state.rows, action.value) end,",
      locals: """
        local starts = {
          send = function() return effect.send("done"):debounce("x", 1) end,
          run = function() return effect.run(function(_, deps) deps.clock.sleep(1); note("done") end):cancellable("x", { cancelInFlight = true }) end,
          throttle = function() return effect.send("done"):throttle("x", 1, { latest = true }) end,
        }
        local Row = scripted.feature { dependencies = { "clock" }, actions = { "done" }, on = {
          go = function(_, action) return effect.merge(effect.cancel("x"), starts[action.value]()) end,
          twice = function(_, action) return effect.merge(effect.send("go", action.value), effect.send("go", action.value)) end,
        } }
        """, operators: ":forEach('rows', Row)", state: "{ rows = { { id = 1 } } }")
    try app.store.send("rows[1].twice", .string(kind))
    try app.store.send("rows[1].go", .string(kind))
    try app.store.send("remove", 1)
    #expect(app.store.effects.isEmpty)
    let trace = app.cleanTrace
    app.clock.advance(by: .seconds(5))
    #expect(app.cleanTrace == trace)
  }
}
