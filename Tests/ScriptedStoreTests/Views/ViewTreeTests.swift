import LuaBridge
import ScriptView
import ScriptedStore
import Testing

/// `ViewTree`: who looks at a store, what he hears, and what he does with a node.
struct ViewTreeTests {
  private static let app = """
    local ui = require "scripted.ui"
    local Row = scripted.feature {
      name = "Row", binding = true, state = { id = 0, title = "" },
      on = { shout = function(state) state.title = state.title:upper() end },
      view = function(state)
        return ui.row { ui.textField { label = "Title", bind = "title" },
          ui.button { "Shout", action = "shout", animation = "spring", disabled = state.title == "" } }
      end,
    }
    local Sheet = scripted.feature {
      name = "Sheet", state = { n = 0 }, on = { up = function(state) state.n = state.n + 1 end },
      view = function(state) return ui.screen { title = "Sheet", ui.button { "Up", action = "up" } } end,
    }
    return scripted.feature {
      name = "App", state = { rows = { { id = 1, title = "a" }, { id = 2, title = "" } } },
      on = {
        open = function(state) state.sheet = { n = 1 } end, nothing = function() end,
        remove = function(state) table.remove(state.rows, 1) end,
        reverse = function(state) list.sort(state.rows, function(a, b) return a.id > b.id end) end,
      },
      view = function(state) return ui.screen {
        title = "App", sheet = "sheet", ui.list { ui.forEach "rows" }, ui.button { "Open", action = "open" },
      } end,
    }:forEach("rows", Row):ifLet("sheet", Sheet)
    """

  private let scripts: Scripts
  private let store: Store
  private let tree: ViewTree

  init() throws {
    scripts = try Scripts(["app": Self.app])
    store = try scripts.store()
    tree = store.view()
  }

  private static func row(_ id: Value, _ child: Int) -> ViewPath {
    ViewPath([.child(1), .child(1), .row(.init(id: id)), .child(child)])
  }

  // MARK: Hearing

  @Test func aHandlerHearsTheChangesOfEachActionAndThoseAlone() throws {
    let heard = Recorder<[String]>()
    let observation = tree.observe { changes, value in
      heard.record(changes.map { "\($0.value["change"].string ?? "\($0.value)")" })
    }
    store.send("nothing")
    store.send("rows[1].shout")
    store.send("reverse")
    store.send("remove")
    observation.cancel()
    store.send("open")
    #expect(heard.all.count == 3, "\(heard.all)")
  }

  @Test func changesLeadFromTheTreeBeforeToTheTreeNow() throws {
    let trees = Recorder<Value>()
    let first = tree.value
    let observation = tree.observe { changes, value in
      trees.record((try? (trees.all.last ?? first).applying(changes)) ?? .null)
    }
    for action in ["rows[1].shout", "reverse", "open", "sheet.up", "remove"] {
      try store.send(action)
    }
    #expect(trees.all.last == tree.value)
    observation.cancel()
  }

  @Test func allWhoLookAtOneScreenHearTheSameChanges() throws {
    let heard = [Recorder<[ViewChange]>(), Recorder<[ViewChange]>()]
    let trees = [tree, store.view()]
    let observations = zip(trees, heard).map { tree, heard in
      tree.observe { changes, _ in heard.record(changes) }
    }
    for action in ["rows[1].shout", "reverse", "open"] { try store.send(action) }
    #expect(heard[0].all == heard[1].all)
    #expect(heard[0].count == 3)
    for observation in observations { observation.cancel() }
    // Also retains the second tree until here.
    #expect(trees[0].value == trees[1].value)
  }

  @Test func aStreamBeginsWithTheTreeAndHasTheNewestOne() async throws {
    var iterator = tree.values.makeAsyncIterator()
    #expect(await iterator.next() == tree.value)
    store.send("open")
    store.send("remove")
    #expect(await iterator.next() == tree.value)
  }

  @Test func nothingRunsWhenNobodyLooks() throws {
    let scripts = try Scripts([
      "app": """
      local ui = require "scripted.ui"
      return scripted.feature {
        name = "App", state = { n = 0 }, on = { up = function(state) state.n = state.n + 1 end },
        view = function(state) error("the view has run at " .. state.n) end,
      }
      """
    ])
    let store = try scripts.store()
    store.send("up")
    #expect(scripts.errors.isEmpty)
    do {
      let tree = store.view()
      #expect(tree.value["kind"] == "failed")
    }
    #expect(scripts.errors.map(\.message) == ["the view has run at 1"])
    store.send("up")
    #expect(scripts.errors.count == 1)
  }

  @Test func eachWhoLooksHasAnEnvironmentOfHisOwn() throws {
    let scripts = try Scripts([
      "app": """
      local ui = require "scripted.ui"
      return scripted.feature { name = "App", state = {}, view = function(state, env)
        return env.width .. " " .. env.platform .. " " .. env.colorScheme .. " " .. env.locale .. " " .. (env.own or "none")
      end }
      """
    ])
    let store = try scripts.store()
    #expect(store.view().value["text"] == "regular text light en none")
    let tree = store.view(environment: ["width": "compact", "platform": "kiosk", "own": 1])
    #expect(tree.value["text"] == "compact kiosk light en 1")
  }

  // MARK: Doing

  @Test func aGestureSendsTheNodesActionFromItsPlaceWithItsTransaction() throws {
    let transactions = Recorder<Value?>()
    let observation = store.observe(withTransaction: { transactions.record($1) })
    try tree.perform(.tap, at: Self.row(1, 2))
    #expect(store.state["rows"][0]["title"] == "A")
    #expect(transactions.all.last == .some(["animation": "spring"]), "\(transactions.all)")
    try tree.perform(.enter("new"), at: Self.row(2, 1))
    #expect(store.state["rows"][1]["title"] == "new")
    observation.cancel()
  }

  @Test func whatAPersonCouldNotDoIsRefused() throws {
    func refusal(_ gesture: ViewGesture, _ path: ViewPath) -> ViewRefusal? {
      do throws(ViewRefusal) {
        try tree.perform(gesture, at: path)
        return nil
      } catch { return error }
    }
    let before = store.state
    #expect(refusal(.tap, Self.row(2, 2))?.reason == .disabled)
    #expect(refusal(.tap, Self.row(9, 2))?.reason == .absent)
    #expect(refusal(.submit, Self.row(1, 2))?.reason == .impossible)
    #expect(refusal(.back, .root)?.reason == .impossible)
    #expect(store.state == before)
    store.send("open")
    let covered = refusal(.tap, Self.row(1, 2))
    #expect(covered?.reason == .covered)
    #expect(covered?.message.contains("Sheet") == true, "\(covered?.message ?? "")")
    try tree.perform(.tap, at: ViewPath([.presentation("sheet"), .child(1), .child(1)]))
    #expect(store.state["sheet"]["n"] == 2)
    try tree.perform(.dismiss)
    #expect(store.state["sheet"].isNull)
  }

  // MARK: Reload and time travel

  @Test func aReloadShowsTheNewViewsAndNothingElseChanges() throws {
    let changes = Recorder<ViewChange>()
    let observation = tree.observe { all, _ in all.forEach(changes.record) }
    try scripts.write("app", Self.app.replacingOccurrences(of: "\"Open\"", with: "\"Open it\""))
    try scripts.host.reload()
    #expect(tree.value["children"][1]["text"] == "Open it")
    #expect(
      changes.all == [.set(ViewPath([.child(2)]), properties: ["text": "Open it"], removed: [])])
    // A refused reload changes nothing.
    try scripts.write("app", "error 'broken'")
    #expect(scripts.refusal() != nil)
    #expect(tree.value["children"][1]["text"] == "Open it")
    observation.cancel()
  }

  /// No view sees a state of another version, which it may not know.
  @Test(arguments: ["", "shared = { count = scripted.shared.inMemory('count', 7) },"])
  func aReloadRunsNoViewOnAStateOfOtherCode(shared: String) throws {
    func app(_ version: Int, _ field: String, _ options: String) -> String {
      """
      local ui = require "scripted.ui"
      return scripted.feature {
        name = "App", version = \(version), \(options)
        view = function(state) return ui.text("\(field) " .. state.\(field) + 1) end,
      }
      """
    }
    let scripts = try Scripts(["app": app(1, "n", "state = { n = 1 },")])
    let store = try scripts.store()
    let (tree, heard) = (store.view(), Recorder<Value>())
    let observation = tree.observe { _, tree in heard.record(tree["text"]) }
    let migrate =
      shared.isEmpty ? "state.count, state.n = state.n, nil" : "state.n = nil"
    try scripts.write(
      "app",
      app(
        2, "count",
        """
        \(shared) migrate = function(state) \(migrate) end,
        state = { \(shared.isEmpty ? "count = 0" : "other = 0") },
        """))
    try scripts.host.reload()
    #expect(heard.all == [shared.isEmpty ? "count 2" : "count 8"])
    #expect(scripts.errors.isEmpty, "\(scripts.errors)")
    observation.cancel()
  }

  @Test func aReloadWhoseViewsRaiseKeepsWhatTheirPlacesShowedBelowTheErrors() throws {
    store.send("open")
    func save(_ text: String, _ with: String) throws {
      try scripts.write("app", Self.app.replacingOccurrences(of: text, with: with))
      try scripts.host.reload()
    }
    let good = tree.value
    // The root.
    try save("title = \"App\"", "title = error 'no root'")
    #expect(tree.value["kind"] == "failed")
    #expect(tree.value["error"]["message"].string?.contains("no root") == true)
    #expect(tree.value["children"] == [good])
    // It is still in use, and stays below the error of another save.
    let place = ViewPath([.child(1), .presentation("sheet"), .child(1), .child(1)])
    try tree.perform(.tap, at: place)
    #expect(store.state["sheet"]["n"] == 2)
    try save("title = \"App\"", "title = error 'still none'")
    #expect(tree.value["error"]["message"].string?.contains("still none") == true)
    #expect(tree.value["children"] == [good])
    // A placed child and the rows, each in its own place.
    try save("title = \"Sheet\"", "title = error 'no sheet'")
    #expect(tree.value["kind"] == "screen")
    let sheet = tree.value["sheet"]["children"][0]
    #expect(sheet["error"]["message"].string?.contains("no sheet") == true)
    #expect(sheet["children"] == [good["sheet"]["children"][0]])
    try save("return ui.row { ui.textField", "error 'no row' return ui.row { ui.textField")
    let row = tree.value["children"][0]["children"][0]["children"][1]
    #expect(row["kind"] == "failed" && row["id"] == 2)
    #expect(row["children"] == [good["children"][0]["children"][0]["children"][1]])
    #expect(tree.value["sheet"] == good["sheet"])
    try save("", "")
    #expect(tree.value == good && tree.value == tree.madeAnew)
    #expect(scripts.errors.count == 5, "\(scripts.errors)")
  }

  @Test func aChildThatAnotherPlaceShowsAfterAReloadDoesNotGetWhatWasThere() throws {
    func app(_ children: String, _ sign: String) -> String {
      """
      local ui = require "scripted.ui"
      local function child(name) return scripted.feature {
        name = name, state = {}, view = function() \(sign) return ui.text(name) end } end
      return scripted.feature {
        name = "App", state = { a = {}, b = {} },
        view = function() return ui.column { \(children) } end,
      }:scope("a", child "A"):scope("b", child "B")
      """
    }
    let scripts = try Scripts(["app": app("ui.child 'a', ui.child 'b'", "")])
    let store = try scripts.store()
    let tree = store.view()
    try scripts.write("app", app("ui.child 'b', ui.child 'b'", "error 'no'"))
    try scripts.host.reload()
    #expect(tree.value["children"][0]["children"][0]["children"].isNull)
    #expect(tree.value["children"][1]["children"][0]["children"][0]["text"] == "B")
  }

  @Test func theScreenGoesBackInTimeWithTheState() throws {
    let history = store.record()
    let first = tree.value
    store.send("rows[1].shout")
    store.send("open")
    try history.step(by: -2)
    #expect(tree.value == first)
    try history.step(by: 2)
    #expect(tree.value["sheet"]["children"][0]["title"] == "Sheet")
    #expect(tree.value == tree.madeAnew)
  }

  /// A page waits for the answer. The gesture and the end of the store wait while the worker is in use.
  @Test(.timeLimit(.minutes(1))) func aGestureIsAnsweredAlsoIfTheStoreIsGone() async throws {
    let (gate, answers) = (Gate(), Recorder<Bool>())
    let blocking = Reducer.reduce { _, _ in
      gate.wait()
      return .none
    }
    let other = try scripts.host.store(blocking, state: [:])
    var tree: ViewTree? = try scripts.store().view()
    let seen = try #require(tree?.value)
    let sender = Task { await onOwnThread { _ = other.send("wait") } }
    await gate.arrival()
    try tree?.perform(.tap, at: ViewPath([.child(2)]), seen: seen) { answers.record($0 == nil) }
    tree = nil
    gate.open()
    await sender.value
    while answers.count == 0 && !Task.isCancelled { await Task.yield() }
    #expect(answers.all == [true])
  }

  // MARK: What appears

  private static let appearing = """
    local ui = require "scripted.ui"
    local Row = scripted.feature {
      name = "Row", state = { id = 0, beats = 0 }, dependencies = { "clock" },
      on = {
        task = function() return effect.run(function(send, deps) for _ in deps.clock.timer(1) do send("beat") end end) end,
        beat = function(state) state.beats = state.beats + 1 end,
      },
      view = function(state) return ui.row { task = "task", state.beats } end,
    }
    return scripted.feature {
      name = "App", state = { appeared = 0, rows = { { id = 1, beats = 0 }, { id = 2, beats = 0 } } },
      on = {
        appeared = function(state) state.appeared = state.appeared + 1 end,
        remove = function(state) table.remove(state.rows, 1) end,
      },
      view = function() return ui.column { onAppear = "appeared", ui.forEach "rows" } end,
    }:forEach("rows", Row)
    """

  @Test func aTaskRunsWhileItsNodeIsShownToSomebody() throws {
    let clock = VirtualClock()
    let scripts = try Scripts(["app": Self.appearing], clock: clock)
    let store = try scripts.store()
    clock.advance(by: .seconds(2))
    #expect(store.state["appeared"] == 0)
    var trees: [ViewTree?] = [store.view(), store.view(environment: ["width": "compact"])]
    #expect(store.state["appeared"] == 1)
    clock.advance(by: .seconds(2))
    #expect(store.state["rows"].array?.map { $0["beats"] } == [2, 2])
    trees[0] = nil
    clock.advance(by: .seconds(1))
    #expect(store.state["rows"].array?.map { $0["beats"] } == [3, 3])
    store.send("remove")
    clock.advance(by: .seconds(1))
    #expect(store.state["rows"].array?.map { $0["beats"] } == [4])
    trees[1] = nil
    clock.advance(by: .seconds(5))
    #expect(store.state["rows"].array?.map { $0["beats"] } == [4])
    // It appears anew for who looks next.
    let tree = store.view()
    clock.advance(by: .seconds(1))
    #expect(store.state["rows"].array?.map { $0["beats"] } == [5])
    #expect(store.state["appeared"] == 2)
    #expect(
      scripts.errors.isEmpty && scripts.warnings.isEmpty, "\(scripts.errors) \(scripts.warnings)")
    withExtendedLifetime(tree) {}
  }

  @Test func whatTabsAndDisclosuresWithABindingHideAppearsWhenItIsShown() throws {
    let clock = VirtualClock()
    let scripts = try Scripts(
      [
        "app": """
        local ui = require "scripted.ui"
        local Inner = scripted.feature {
          name = "Inner", state = { beats = 0 }, dependencies = { "clock" },
          on = {
            task = function() return effect.run(function(send, deps) for _ in deps.clock.timer(1) do send("beat") end end) end,
            beat = function(state) state.beats = state.beats + 1 end,
          },
          view = function(state) return ui.row { task = "task", state.beats } end,
        }
        return scripted.feature {
          name = "App", binding = true, state = { tab = "a", isOpen = false, log = "", inner = Inner.initial() },
          on = { appeared = function(state, action) state.log = state.log .. action.what end },
          view = function(state)
            local function noted(what) return ui.text { what, onAppear = { "appeared", { what = what } } } end
            return ui.column {
              ui.tabs { label = "T", bind = "tab",
                ui.column { label = "A", name = "a", noted "A" },
                ui.column { label = "B", name = "b", noted "B", ui.child "inner" } },
              ui.disclosure { label = "D", bind = "isOpen", noted "D" },
              ui.disclosure { label = "O", value = false, noted "O" },
              noted "E",
            }
          end,
        }:scope("inner", Inner)
        """
      ], clock: clock)
    let store = try scripts.store()
    let tree = store.view()
    // What the last one shows, only the person knows.
    #expect(store.state["log"] == "AOE")
    clock.advance(by: .seconds(2))
    #expect(store.state["inner"]["beats"] == 0)
    try store.send(["type": "binding", "key": "tab", "value": "b"] as Value)
    #expect(store.state["log"] == "AOEB")
    clock.advance(by: .seconds(2))
    #expect(store.state["inner"]["beats"] == 2)
    try store.send(["type": "binding", "key": "tab", "value": "a"] as Value)
    #expect(store.state["log"] == "AOEBA")
    clock.advance(by: .seconds(2))
    #expect(store.state["inner"]["beats"] == 2)
    try store.send(["type": "binding", "key": "isOpen", "value": true] as Value)
    #expect(store.state["log"] == "AOEBAD")
    #expect(
      scripts.errors.isEmpty && scripts.warnings.isEmpty, "\(scripts.errors) \(scripts.warnings)")
    withExtendedLifetime(tree) {}
  }

  @Test func eachRowOfDataAppears() throws {
    let scripts = try Scripts([
      "app": """
      local ui = require "scripted.ui"
      return scripted.feature {
        name = "App", state = { seen = 0, list = { { id = 1 }, { id = 2 } } },
        on = {
          seen = function(state) state.seen = state.seen + 1 end,
          add = function(state) table.insert(state.list, 1, { id = 3 }) end,
        },
        view = function(state) return ui.forEach(state.list, function() return ui.row { onAppear = "seen" } end) end,
      }
      """
    ])
    let store = try scripts.store()
    let tree = store.view()
    #expect(store.state["seen"] == 2)
    store.send("add")
    #expect(store.state["seen"] == 3)
    withExtendedLifetime(tree) {}
  }

  @Test func aTaskGoesOnOverAReload() throws {
    let clock = VirtualClock()
    let scripts = try Scripts(["app": Self.appearing], clock: clock)
    let store = try scripts.store()
    let tree = store.view()
    clock.advance(by: .seconds(1))
    try scripts.write("app", Self.appearing + " ")
    try scripts.host.reload()
    clock.advance(by: .seconds(1))
    #expect(store.state["rows"].array?.map { $0["beats"] } == [2, 2])
    #expect(store.state["appeared"] == 1)
    withExtendedLifetime(tree) {}
  }

  @Test func aTaskGoesOnOverReloadsWhoseViewsRaiseAndEndsWithItsNode() throws {
    let clock = VirtualClock()
    let scripts = try Scripts(["app": Self.appearing], clock: clock)
    let store = try scripts.store()
    let tree = store.view()
    var beats: [Value]? { store.state["rows"].array?.map { $0["beats"] } }
    for raises in [true, true, false, true] {
      let text =
        raises
        ? Self.appearing.replacing("return ui.row {", with: "error 'no' return ui.row {")
        : Self.appearing
      try scripts.write("app", text)
      try scripts.host.reload()
      clock.advance(by: .seconds(1))
    }
    #expect(beats == [4, 4])
    #expect(store.state["appeared"] == 1)
    store.send("remove")
    clock.advance(by: .seconds(1))
    #expect(beats == [5])
    try scripts.write("app", Self.appearing.replacing("task = \"task\",", with: ""))
    try scripts.host.reload()
    clock.advance(by: .seconds(5))
    #expect(beats == [5])
    withExtendedLifetime(tree) {}
  }

  /// To compare all of them in pairs takes minutes, and no limit would stop that.
  @Test(.timeLimit(.minutes(1))) func aViewRunsAgainThatHasManyNodesWhichAppear() async throws {
    let scripts = try Scripts([
      "app": """
      local ui = require "scripted.ui"
      return scripted.feature {
        name = "App", state = { n = 0, seen = 0 },
        on = {
          up = function(state) state.n = state.n + 1 end,
          appeared = function(state) state.seen = state.seen + 1 end,
        },
        view = function(state)
          local nodes = { "n is " .. state.n }
          for i = 1, 10000 do nodes[i + 1] = ui.text { "row", onAppear = "appeared" } end
          return ui.column(nodes)
        end,
      }
      """
    ])
    let store = try scripts.store()
    let tree = store.view()
    for _ in 1...10 { store.send("up") }
    #expect(tree.value["children"][0]["text"] == "n is 10")
    while store.state["seen"] != 10_000 { await Task.yield() }
  }
}

/// Drawings of trees that are larger than anyone reads.
struct LargeDrawingTests {
  @Test func aDrawingShowsNoMoreThanItHasRoomFor() throws {
    let scripts = try Scripts([
      "app": """
      local ui = require "scripted.ui"
      return scripted.feature {
        name = "App", state = {},
        view = function()
          local nodes = { kind = "column" }
          for i = 1, 1000 do nodes[i] = ui.text(("x"):rep(16000)) end
          nodes[1001] = ui.text "the end"
          return nodes
        end,
      }
      """
    ])
    let drawing = TextDrawing.draw(try scripts.store().view().value)
    #expect(drawing.utf8.count < 2_300_000)
    #expect(drawing.hasSuffix("\n… the rest is too long to be drawn"))
    #expect(!drawing.contains("the end"))
  }
}
