import LuaBridge
import ScriptedStore
import Testing

/// Effects of children that come and go: they are cancelled with the state, however it goes, and they ask to be
/// dismissed.
struct PresentationEffectTests {
  /// Ticks until it is cancelled, and asks to be dismissed in all ways that there are.
  private static let child = """
    local Child = scripted.feature {
      name = "Child", dependencies = { "clock" }, actions = { "delegate" },
      on = {
        start = function(state)
          local name = state.name
          return effect.run(function(send, deps)
            local closing <close> = setmetatable({}, { __close = function() note("closed " .. name) end })
            while true do deps.clock.sleep(1); send("tick") end
          end)
        end,
        tick = function(state) state.ticks = (state.ticks or 0) + 1 end,
        rename = function(state, action) state.name = action.value end,
        identify = function(state, action) state.id = action.value end,
        leave = function() return effect.dismiss() end,
        leaveLater = function()
          return effect.run(function(send, deps)
            deps.clock.sleep(1)
            deps.dismiss()
            note("dismissed")
            send("delegate")
            deps.clock.sleep(1)
            note("never")
          end)
        end,
        ask = function(state, _, deps) state.isPresented = deps.isPresented end,
        askLater = function() return effect.run(function(_, deps) note(deps.isPresented) end) end,
        wrong = function(_, _, deps) deps.dismiss() end,
        goodbye = function()
          return effect.merge(
            effect.send("delegate"), effect.run(function(send) note("never") end), effect.dismiss())
        end,
      },
    }
    local Destination = scripted.cases { one = Child, two = Child, alert = scripted.ephemeral }
    """

  private static let parent = """
    assign = function(state, action) state.child = action.to end,
    go = function(state, action) state.destination = action.to end,
    drop = function(state) state.child = nil; state.destination = nil; state.path = {} end,
    remove = function(state, action) list.remove(state.path, action.value) end,
    path = function(state, action) if action.id and action.action.type == "swap" then end end,
    swap = function(state, action) state.path[1] = { id = state.path[1].id, two = { name = "two" } } end,
    ["child.goodbye"] = function(state) state.child = nil end,
    """

  private func app(state: String) throws -> EffectApp {
    try EffectApp(
      Self.parent, locals: Self.child,
      operators: """
        :ifLet("child", Child):ifLet("destination", Destination):stack("path", Destination)
          :scope("page", scripted.feature { on = {} }:ifLet("child", Child))
        """, state: state)
  }

  private func places(_ app: EffectApp) -> [String] { app.store.effects.map(\.place).sorted() }

  private func closed(_ app: EffectApp) -> [String] {
    app.cleanTrace.filter { $0.hasPrefix("closed") || $0.hasPrefix("wrong") }
  }

  // MARK: Cancellation

  @Test(
    arguments: [
      ("drop", nil), ("assign", nil), ("child.dismiss", nil),
      ("assign", ["to": ["name": "b", "id": 2]]), ("child.identify", 5),
    ] as [(String, Value?)])
  func aChildThatGoesOrBecomesAnotherTakesItsEffectsAlong(_ path: String, _ payload: Value?) throws
  {
    let app = try app(state: "{ child = { name = 'a', id = 1 } }")
    app.store.send("child.start")
    app.clock.advance(by: .seconds(1))
    #expect(places(app) == ["child"])
    try app.store.send(path, payload)
    #expect(places(app) == [])
    #expect(closed(app) == ["closed a"])
  }

  @Test func anotherStateOfTheSameChildKeepsThem() throws {
    let app = try app(state: "{ child = { name = 'a', id = 1 } }")
    app.store.send("child.start")
    try app.store.send("assign", ["to": ["name": "b", "id": 1]])
    app.clock.advance(by: .seconds(1))
    #expect(places(app) == ["child"])
    #expect(app.store.state["child"] == ["name": "b", "id": 1, "ticks": 1])
    #expect(closed(app) == [])
  }

  @Test func anAncestorThatGoesTakesThemAlong() throws {
    let app = try EffectApp(
      "drop = function(state) state.outer = nil end,", locals: Self.child,
      operators: """
        :ifLet("outer", scripted.feature { on = {} }:stack("path", Destination)
          :ifLet("child", scripted.feature { on = {} }:ifLet("child", Child)))
        """,
      state:
        "{ outer = { path = { { one = { name = 'p' } } }, child = { child = { name = 'c' } } } }")
    app.store.send("outer.path[0].one.start")
    app.store.send("outer.child.child.start")
    #expect(places(app) == ["outer.child.child", "outer.path[0].one"])
    app.store.send("drop")
    #expect(places(app) == [])
    #expect(closed(app).sorted() == ["closed c", "closed p"])
  }

  @Test(
    arguments: [
      (["to": ["two": ["name": "b"]]], true), (["to": ["one": ["name": "b"]]], false),
      (["to": ["one": ["name": "b", "id": 1]]], true), (nil, true),
    ] as [(Value?, Bool)])
  func anotherCaseTakesThemAlong(_ payload: Value?, _ isOther: Bool) throws {
    let app = try app(state: "{ destination = { one = { name = 'a' } } }")
    app.store.send("destination.one.start")
    #expect(places(app) == ["destination.one"])
    try app.store.send("go", payload)
    #expect(places(app) == (isOther ? [] : ["destination.one"]))
    #expect(closed(app) == (isOther ? ["closed a"] : []))
  }

  @Test(
    arguments: [
      ("path.popFrom", ["id": 1], ["path[0].one"]), ("path.popFrom", ["id": 0], []),
      ("remove", 0, ["path[1].one", "path[2].one"]), ("drop", nil, []),
      ("swap", nil, ["path[1].one", "path[2].one"]), ("path[1].one.leave", nil, ["path[0].one"]),
    ] as [(String, Value?, [String])])
  func elementsOfAStackThatGoTakeThemAlong(
    _ path: String, _ payload: Value?, _ left: [String]
  ) throws {
    let names = ["a", "b", "c"].map { "{ one = { name = '\($0)' } }" }.joined(separator: ", ")
    let app = try app(state: "{ path = { \(names) } }")
    for id in 0..<3 { try app.store.send("path[\(id)].one.start") }
    #expect(places(app) == ["path[0].one", "path[1].one", "path[2].one"])
    try app.store.send(path, payload)
    #expect(places(app) == left)
    #expect(closed(app).count == 3 - left.count)
  }

  @Test func whatAChildReturnsInTheActionThatItGoesInNeverStarts() throws {
    let app = try app(state: "{ child = { name = 'a' } }")
    app.store.send("child.goodbye")
    #expect(app.cleanTrace == ["child.goodbye"])
    #expect(app.store.effects.isEmpty)
  }

  // MARK: Dismissing

  @Test(arguments: [
    ("{ child = { name = 'a' } }", "child", "child.dismiss"),
    ("{ page = { child = { name = 'a' } } }", "page.child", "page.child.dismiss"),
    ("{ destination = { two = { name = 'a' } } }", "destination.two", "destination.dismiss"),
    ("{ path = { { one = { name = 'a' } } } }", "path[0].one", "path.popFrom"),
  ])
  func aChildAsksToBeDismissed(_ state: String, _ path: String, _ dismissal: String) throws {
    for later in [false, true] {
      let app = try app(state: state)
      try app.store.send(later ? "\(path).leaveLater" : "\(path).leave")
      app.clock.advance(by: .seconds(5))
      let trace = app.cleanTrace
      #expect(
        trace
          == (later
            ? ["\(path).leaveLater", dismissal, "dismissed"] : ["\(path).leave", dismissal]))
      #expect(app.store.effects.isEmpty)
      let left = app.store.state
      #expect(left["child"].isNull && left["destination"].isNull && left["page"]["child"].isNull)
      #expect(left["path"].isNull || left["path"] == [])
    }
  }

  @Test func dismissReachesThroughScopesAndElementsAndNoFurtherThanTheNearest() throws {
    let app = try EffectApp(
      "",
      locals: Self.child + """
        local Row = scripted.feature { on = {} }:scope("inner", Child)
        local List = scripted.feature { on = {} }:forEach("rows", Row):ifLet("sheet", Child)
        """, operators: ":ifLet('list', List)",
      state:
        "{ list = { sheet = { name = 's' }, rows = { { id = 'x', inner = { name = 'a' } } } } }")
    app.store.send("list.sheet.leave")
    #expect(app.store.state["list"]["sheet"].isNull)
    #expect(!app.store.state["list"].isNull)
    app.store.send("list.rows[x].inner.leave")
    #expect(app.store.state["list"].isNull)
    #expect(
      app.cleanTrace == [
        "list.sheet.leave", "list.sheet.dismiss", "list.rows[x].inner.leave", "list.dismiss",
      ])
  }

  @Test func stacksInElementsArePoppedAtTheirPlace() throws {
    let app = try EffectApp(
      "", locals: Self.child,
      operators: """
        :forEach("tabs", scripted.feature { on = {} }:stack("path", Destination))
        """,
      state:
        "{ tabs = { { id = 1, path = { { one = { name = 'a' } }, { two = { name = 'b' } } } } } }")
    app.store.send("tabs[1].path[1].two.leave")
    #expect(app.store.state["tabs"] == [["id": 1, "path": [["id": 0, "one": ["name": "a"]]]]])
    #expect(app.cleanTrace == ["tabs[1].path[1].two.leave", "tabs[1].path.popFrom"])
  }

  @Test func atARootDismissingWarns() throws {
    let scripts = try Scripts(
      app: """
        return scripted.feature { name = "Root", on = {
          leave = function() return effect.dismiss() end,
          later = function() return effect.run(function(_, deps) deps.dismiss() end) end,
        } }:scope("page", scripted.feature { name = "Page", on = { leave = function() return effect.dismiss() end } })
        """)
    let store = try scripts.store(state: ["page": ["n": 0]])
    for path in ["leave", "later", "page.leave"] { try store.send(path) }
    #expect(scripts.warnings.map(\.kind) == [.notPresented, .notPresented, .notPresented])
    #expect(
      scripts.warnings.last?.message
        == "Page asks to be dismissed, but nothing presents it (feature at app.lua:4)")
  }

  @Test func aHandlerCannotCallDismissItself() throws {
    let app = try app(state: "{ child = { name = 'a' } }")
    app.store.send("child.wrong")
    #expect(app.scripts.errors.first?.message.contains("return effect.dismiss()") == true)
    #expect(app.store.state["child"] == ["name": "a"])
  }

  @Test func presentedChildrenKnowThatTheyAre() throws {
    let app = try EffectApp(
      "", locals: Self.child + "local Deep = scripted.feature { on = {} }:scope('inner', Child)",
      operators: """
        :ifLet("child", Child):ifLet("deep", Deep):stack("path", Destination):scope("page", Child)
        """,
      state: """
        { child = { name = 'a' }, deep = { inner = { name = 'd' } }, path = { { one = { name = 'p' } } },
          page = { name = 'r' } }
        """)
    for path in ["child", "deep.inner", "path[0].one", "page"] {
      try app.store.send("\(path).ask")
      try app.store.send("\(path).askLater")
    }
    let state = app.store.state
    #expect(state[at: "child.isPresented"] == true)
    #expect(state[at: "deep.inner.isPresented"] == true)
    #expect(state["path"].array?.first?["one"]["isPresented"] == true)
    #expect(state[at: "page.isPresented"] == false)
    #expect(
      app.cleanTrace.filter { $0 == "true" || $0 == "false" } == ["true", "true", "true", "false"])
  }

  @Test func theTransactionOfADismissalReachesThoseWhoObserve() throws {
    let scripts = try Scripts(
      app: """
        local Child = scripted.feature { on = {
          leave = function() return effect.dismiss():animation("fade") end,
        } }
        return scripted.feature { state = { child = {} }, on = {} }:ifLet("child", Child)
        """)
    let store = try scripts.store()
    let heard = Recorder<Value?>()
    let observation = store.observe(withTransaction: { _, transaction in heard.record(transaction) }
    )
    store.send("child.leave")
    observation.cancel()
    #expect(heard.all == [["animation": "fade"]])
  }

  @Test func whatAFunctionMakesOfTheStatePresentsToo() throws {
    let app = try EffectApp(
      "", locals: Self.child + "local Page = scripted.feature { on = {} }:ifLet('child', Child)",
      operators: """
        :scope({
          get = function(state) return { child = state.held } end,
          set = function(state, page) state.held = page.child end,
        }, Page, { action = "page" })
        """, state: "{ held = { name = 'a' } }")
    app.store.send("page.child.leaveLater")
    #expect(places(app) == ["page.child"])
    app.clock.advance(by: .seconds(1))
    #expect(app.store.state["held"].isNull)
    app.store.send("page.child.leave")
    #expect(app.scripts.warnings.last?.kind == .absentChild)
  }

  @Test func whatAFunctionNoLongerMakesOfTheStateIsCancelled() throws {
    let app = try EffectApp(
      """
      drop = function(state) state.held = nil end,
      hide = function(state) state.isHidden = true end,
      count = function(state) state.count = (state.count or 0) + 1 end,
      """, locals: Self.child + "local Page = scripted.feature { on = {} }:ifLet('child', Child)",
      operators: """
        :scope({
          get = function(state) return not state.isHidden and { child = state.held } or nil end,
          set = function(state, page) state.held = page.child end,
        }, Page, { action = "page" })
        """, state: "{ held = { name = 'a' }, isHidden = false, count = 0 }")
    app.store.send("page.child.leaveLater")
    app.store.send("count")
    #expect(places(app) == ["page.child"])
    app.store.send("drop")
    #expect(app.store.effects.isEmpty)
    let other = try app.scripts.store(state: ["held": ["name": "a"], "isHidden": false, "count": 0])
    other.send("page.child.leaveLater")
    // A scalar, but the function looks at it.
    other.send("hide")
    #expect(other.effects.isEmpty)
    #expect(app.scripts.warnings.isEmpty && app.scripts.errors.isEmpty)
  }

  @Test func aFunctionThatRaisesForTheNewStateLeavesWhatIsInFlight() throws {
    let app = try EffectApp(
      "drop = function(state) state.held = nil end,",
      locals: Self.child + "local Page = scripted.feature { on = {} }:ifLet('child', Child)",
      operators: """
        :scope({
          get = function(state) return { child = assert(state.held) } end,
          set = function(state, page) state.held = page.child end,
        }, Page, { action = "page" })
        """, state: "{ held = { name = 'a' } }")
    app.store.send("page.child.leaveLater")
    app.store.send("drop")
    #expect(places(app) == ["page.child"])
    #expect(app.scripts.errors.isEmpty)
  }

  @Test func isPresentedMayBeOverridden() throws {
    let app = try EffectApp(
      "", locals: Self.child,
      operators: ":ifLet('child', Child:dependency('isPresented', false))",
      state: "{ child = { name = 'a' } }")
    app.store.send("child.ask")
    #expect(app.store.state[at: "child.isPresented"] == false)
  }

  @Test func effectsOfSwiftAreCancelledWithTheirChild() async throws {
    let scripts = try Scripts([:])
    let (stream, continuation) = AsyncStream.makeStream(of: Bool.self)
    let child = Reducer.reduce { _, action in
      guard action.path == "start" else { return .none }
      return .run { _ in
        try? await Task.sleep(for: .seconds(1000))
        continuation.yield(Task.isCancelled)
      }
    }
    let store = try scripts.host.store(
      Reducer.empty.stack("path", .cases(["one": child])), state: ["path": [["one": [:]]]])
    store.send("path[0].one.start")
    try store.send("path.popFrom", ["id": 0])
    var iterator = stream.makeAsyncIterator()
    #expect(await iterator.next() == true)
    await store.finish()
    #expect(scripts.warnings.isEmpty)
  }
}
