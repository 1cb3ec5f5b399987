import LuaBridge
import ScriptView
import ScriptedStore
import Testing

/// What views do wrong: each fault has a message at its line, and the rest of the screen stands.
struct ViewFaultTests {
  /// A screen with a good row, and one whose view is `body`, in a feature with a row of its own.
  private func screen(
    _ body: String, limits: Limits = .standard
  ) throws -> (scripts: Scripts, store: Store, tree: ViewTree) {
    let scripts = try Scripts(
      [
        "app": """
        local ui = require "scripted.ui"
        local Bad = scripted.feature {
          name = "Bad", binding = true, dependencies = { "uuid", "clock" },
          state = { n = 0, list = { 2, 1 }, path = {}, rows = {} }, on = { up = function(state) state.n = state.n + 1 end },
          view = function(state, env)
            \(body)
          end,
        }:forEach("rows", scripted.feature { name = "Row", state = { id = 0 } })
        return scripted.feature {
          name = "App", state = { bad = Bad.initial(), n = 0 },
          on = { up = function(state) state.n = state.n + 1 end },
          view = function(state) return ui.column { ui.child "bad", ui.text("stands " .. state.n) } end,
        }:scope("bad", Bad)
        """
      ], configure: { $0.limits = limits })
    let store = try scripts.store()
    return (scripts, store, store.view())
  }

  /// What stands in the place of the faulty view.
  private func bad(_ tree: ViewTree) -> Value { tree.value["children"][0]["children"][0] }

  @Test(arguments: [
    "ui.datePicker { label = 'x', bind = 'due' }", "ui.textField { label = 'x', bind = 'note' }",
  ])
  func aBoundKeyThatTheDefaultsHaveMayBeAbsent(_ node: String) throws {
    let (scripts, store, tree) = try shown(
      """
      return scripted.feature {
        name = "App", binding = true, state = { note = "x" },
        on = { clear = function(state) state.note = nil end },
        view = function(state) return \(node) end,
      }
      """)
    store.send("clear")
    #expect(tree.value["kind"] != "failed")
    #expect(scripts.warnings.isEmpty, "\(scripts.warnings)")
  }

  @Test func aValueInPlaceOfAFieldsNameIsTold() throws {
    let (scripts, _, _) = try shown(
      """
      return scripted.feature {
        name = "App", binding = true, state = { name = "Blob" },
        view = function(state) return ui.textField { label = "Name", bind = state.name } end,
      }
      """)
    #expect(scripts.warnings.map(\.kind) == [.unknownBindingKey])
    #expect(scripts.warnings.first?.message.contains("not its value") == true)
  }

  @Test func aChildThatIsNotThereIsToldOnce() throws {
    let (scripts, _, _) = try screen("return ui.child 'absent'")
    #expect(scripts.warnings.isEmpty, "\(scripts.warnings)")
    #expect(scripts.errors.count == 1)
  }

  @Test(arguments: [
    ("error('no luck')", "no luck"),
    ("return state.n.x.y", "attempt to index"),
    ("local t = {} t.kind = 'row' t[1] = t return t", "nested deeper than"),
    ("return ui.text { 'x', action = function() end }", "ui.text has no property 'action'"),
    ("return ui.button { 'x', action = function() end }", "actions are data"),
    ("return ui.rwo {}", "did you mean 'row'?"),
    ("return ui.text(function() end)", "table or string expected, got function"),
    ("return function() end", "and not a function"),
    ("return coroutine.create(print)", "global 'coroutine' is not available"),
    ("return ui.row { ui.row { ui.row { {} } } }", "a node needs a kind"),
    ("state.n = 1 return 'x'", "a view reads the state and cannot change it"),
    ("table.insert(state.list, 1) return 'x'", "a view reads the state and cannot change it"),
    ("list.sort(state.list) return 'x'", "a view reads the state and cannot change it"),
    ("return ui.child 'absent'", "no child with the action \"absent\""),
    ("return ui.column { sheet = 'n', 'x' }", "no child with the action \"n\""),
    ("return ui.column { alert = 'destination.alert', 'x' }", "\"destination\""),
    ("return ui.navigation { path = 'path', 'root' }", "\"path\""),
    ("return ui.forEach({ { n = 1 } }, function() end)", "id"),
    ("return ui.forEach({ { id = 1 } }, 'x')", "must be a table, not a string"),
    (
      "return ui.forEach({ { id = {} } }, function() return 'x' end)",
      "neither a string nor a number"
    ),
    ("return ui.child 'rows'", "place its rows by ui.forEach \"rows\""),
    ("return ui.column { sheet = 'rows', 'x' }", "place its rows by ui.forEach \"rows\""),
    ("return ui.navigation { path = 'rows', 'root' }", "is no stack"),
    (
      "return ui.navigation { path = 'path', sheet = 'x' }", "ui.navigation has no property 'sheet'"
    ),
    ("return ui.text { 'a', 'b' }", "ui.text takes one text"),
    ("return ui.canvas { label = 'A', shapes = {} }", "ui.canvas takes its size"),
    ("return ui.canvas { width = 1, height = 1 / 0 }", "ui.canvas takes its size"),
    (
      "return ui.canvas { width = 1, height = 1, shapes = { { kind = 'oval' } } }",
      "shapes[1] of ui.canvas is of the kind \"oval\""
    ),
    (
      "return ui.canvas { width = 1, height = 1, shapes = { { kind = 'path', d = 'M0 0', onTap = print } } }",
      "shape.onTap: a function cannot be stored in state"
    ),
    ("return ui.canvas { width = 1, height = 1, ui.text 'a' }", "ui.canvas takes no children"),
    ("return ui.canvas { width = 1, height = 1, shapes = 'a' }", "must be a table"),
    ("return ui.shape {}", "scripted.ui has no 'shape'"),
    ("return ui.icon 'stra'", "there is no icon \"stra\"; did you mean 'star'? (in ui.icon)"),
    ("return ui.icon { text = 'Zebra!' }", "there is no icon \"Zebra!\" (in ui.icon)"),
    ("return ui.button { 'a', icon = 'gear' }", "did you mean 'settings'? (in ui.button)"),
    (
      "return ui.button { 'a', shortcut = 'ctl+k' }",
      "'ctl+k' is no shortcut; one is \"mod+n\" (in ui.button)"
    ),
    ("return ui.textField { label = 'a', shortcut = '' }", "'' is no shortcut"),
    (
      "return ui.toast { 'a', shortcut = 1 }",
      "the property 'shortcut' of ui.toast must be a string, not a number"
    ),
    (
      "return ui.canvas { width = 1, height = 1, shapes = { { kind = 'text', x = 1, y = 1, text = '\\xff' } } }",
      "shapes[1] of ui.canvas has a wrong text: it is no text in UTF-8"
    ),
    (
      "return ui.menu { icon = 1 }", "the property 'icon' of ui.menu must be a string, not a number"
    ),
    ("return ui.button { 'a', ui.icon 'x' }", "ui.button takes one text"),
    ("return ui.toggle { 'Done', bind = 'n' }", "ui.toggle takes no children"),
    ("return ui.heading { 'a', level = '2' }", "must be a number"),
    ("return ui.forEach(1, 2, 3)", "bad argument"),
    ("return ui.slider { label = 'x', max = 'much' }", "must be a number"),
    ("coroutine.yield() return 'x'", "global 'coroutine' is not available"),
    ("return ui.text(string.rep('x', 2^60))", "is longer than the 16 MB"),
  ])
  func aFaultIsToldAtItsLineInItsPlace(_ body: String, _ message: String) throws {
    let (scripts, store, tree) = try screen(body)
    let bad = bad(tree)
    #expect(bad["kind"] == "failed", "\(bad)")
    #expect(bad["error"]["message"].string?.contains(message) == true, "\(bad)")
    #expect(bad["error"]["location"].string?.hasPrefix("app.lua:") == true, "\(bad)")
    #expect(scripts.errors.count == 1, "\(scripts.errors)")
    // What stands beside it goes on, and the fault is not told again.
    store.send("up")
    #expect(tree.value["children"][1]["text"] == "stands 1")
    store.send("bad.up")
    #expect(scripts.errors.count == 1, "\(scripts.errors)")
    #expect(TextDrawing.draw(tree.value, width: 200).contains("stands 1"))
  }

  @Test(arguments: [
    ("deps.uuid() return 'x'", "deps"),
    ("return 'x', effect.send('up')", ""),
    ("effect.send('up') return 'x'", ""),
  ])
  func aViewHasNeitherDependenciesNorEffects(_ body: String, _ message: String) throws {
    let (scripts, store, tree) = try screen(body)
    #expect(store.state["bad"]["n"] == 0)
    if !message.isEmpty {
      #expect(
        bad(tree)["error"]["message"].string?.contains(message) == true, "\(tree.value)")
      #expect(scripts.errors.count == 1)
    }
  }

  @Test(arguments: [
    ("while true do end", Limits(time: .milliseconds(50))),
    ("while true do end", Limits(instructions: 100_000)),
    (
      "local t = {} while true do t[#t + 1] = {} end",
      Limits(memory: 8 << 20, instructions: 50_000_000)
    ),
    (
      "local c = {} for i = 1, 100 do c[i] = ui.text 'x' end return ui.row { ui.row(c) }",
      Limits(viewNodes: 50)
    ),
    ("local row = ui.row {} for i = 1, 200 do row = ui.row { row } end return row", .standard),
    ("local c = {} for i = 1, 1000000 do c[i] = 'x' end return ui.row(c)", .standard),
    ("return ui.forEach(1000000, function(i) return i end)", Limits(viewNodes: 1000)),
  ])
  func limitsHoldAndTheRestStands(_ body: String, _ limits: Limits) throws {
    var limits = limits
    limits.loadTime = nil
    let (scripts, store, tree) = try screen(body, limits: limits)
    #expect(bad(tree)["kind"] == "failed", "\(tree.value)")
    #expect(scripts.errors.count == 1, "\(scripts.errors.prefix(3))")
    store.send("up")
    #expect(tree.value["children"][1]["text"] == "stands 1")
  }

  @Test(arguments: [
    ("while true do end", Limits(instructions: 100_000)),
    ("return ui.row { 'a', 'b' }", Limits(viewNodes: 100)),
  ])
  func rowsThatAreAllStoppedAreToldThreeTimes(_ row: String, _ limits: Limits) throws {
    let (scripts, _, tree) = try screen(
      "return ui.column { ui.forEach(90, function(i) \(row) end) }", limits: limits)
    let rows = bad(tree)["children"][0]["children"].array ?? []
    #expect(rows.count == 90)
    #expect(
      rows.last?["error"]["message"].string?.contains("limits have stopped other views") == true)
    #expect(scripts.errors.count == 3, "\(scripts.errors.prefix(5))")
  }

  @Test func aStoresOwnLimitOfNodesHoldsForItsScreensAlone() throws {
    let (scripts, _, tree) = try screen(
      "local c = {} for i = 1, 100 do c[i] = ui.text 'x' end return ui.row(c)")
    #expect(bad(tree)["children"].array?.count == 100)
    var limits = Limits.standard
    limits.viewNodes = 50
    let strict = try scripts.host.store("app", limits: limits)
    #expect(bad(strict.view())["kind"] == "failed")
    #expect(scripts.errors.map(\.kind) == [.viewNodes])
  }

  @Test func aMillionNodesAreRefusedAndHalfOfThemAreShown() throws {
    let body = """
      local children = {}
      for i = 1, state.n == 0 and 500000 or 1000001 do children[i] = "x" end
      return ui.row(children)
      """
    let (scripts, store, tree) = try screen(body, limits: Limits(viewNodes: 1_000_000))
    #expect(bad(tree)["children"].array?.count == 500_000)
    store.send("bad.up")
    let bad = bad(tree)
    #expect(
      bad["error"]["message"].string?.contains("more nodes than Limits.viewNodes allows") == true)
    // The last good tree stays below the error.
    #expect(bad["children"][0]["children"].array?.count == 500_000)
    #expect(scripts.errors.count == 1)
  }

  @Test(arguments: [
    ("ui.button { 'x', action = 'upp' }", "\"upp\"", "did you mean \"up\"?"),
    ("ui.button { 'x', action = 'bad.up' }", "\"bad\"", ""),
    ("ui.button { 'x', action = { 'upp', { n = 1 } } }", "upp", "did you mean \"up\"?"),
    ("ui.button { 'x', action = { type = 'upp' } }", "upp", "did you mean \"up\"?"),
    ("ui.button { 'x', action = {} }", "is no action", ""),
    ("ui.button { 'x', action = { 'up', 1, 2 } }", "is no action", ""),
    ("ui.column { task = { 'up', 1, 2 }, 'x' }", "is no action", ""),
    ("ui.button { 'x', action = 'a..b' }", "a..b", ""),
    ("ui.column { task = 'tsk', 'x' }", "\"tsk\"", ""),
    ("ui.textField { label = 'x', bind = 'nn' }", "\"nn\"", "give the field a default"),
    ("ui.textField { label = 'x', bind = 'n.deeper' }", "\"n.deeper\"", ""),
  ])
  func whatLeadsNowhereIsAWarningOnce(
    _ node: String, _ what: String, _ remedy: String
  ) throws {
    let (scripts, store, tree) = try screen("local n = state.n return \(node)")
    store.send("bad.up")
    #expect(bad(tree)["kind"] != "failed", "\(tree.value)")
    // A task whose action nobody handles is also a warning when it is sent.
    let warnings = scripts.warnings.filter { $0.message.contains("view of Bad") }
    #expect(warnings.count == 1, "\(scripts.warnings)")
    let message = warnings.first?.message ?? ""
    #expect(message.contains(what) && (remedy.isEmpty || message.contains(remedy)), "\(message)")
    #expect(message.hasPrefix("view at app.lua:5: "), "\(message)")
  }

  @Test func aTaskWithTwoPayloadsIsNotSent() throws {
    let (_, store, tree) = try screen("return ui.column { task = { 'up', 1, 2 }, 'x' }")
    store.send("bad.up")
    #expect(bad(tree)["kind"] == "column", "\(tree.value)")
    #expect(store.state["bad"]["n"] == 1)
  }

  @Test func aRowWithoutAnIdNamesItsIndexAndOthersMayStandBesideIt() throws {
    let (_, _, tree) = try screen(
      "return ui.forEach({ { id = 1 }, { name = 'x' } }, function(row) return 'row' end)")
    #expect(
      bad(tree)["error"]["message"].string?.contains("the element 2 has no id") == true,
      "\(tree.value)")
  }

  @Test(arguments: [
    ("{ { id = 1 }, { name = 'x' } }", "has no id; give the element an id where it is inserted"),
    ("{ 'a' }", "the element 1 is \"a\"; if the elements are their own ids"),
    ("{ 3 }", "{ id = \"self\" }"),
    ("{ { id = true } }", "neither a string nor a number; name the field"),
  ])
  func aRowWithoutAnIdSaysWhatToDo(_ list: String, _ remedy: String) throws {
    let (_, _, tree) = try screen("return ui.forEach(\(list), function(row) return 'row' end)")
    #expect(bad(tree)["error"]["message"].string?.contains(remedy) == true, "\(bad(tree))")
  }

  @Test func theLastGoodTreeStaysAboveARowWithoutAnIdAtTheLineOfTheCall() throws {
    let (scripts, store, tree) = try screen(
      """
      return ui.column {
        "n is " .. state.n,
        ui.forEach(1, function() return { kind = "text", text = "first", task = "up" } end),
        state.n == 3 and ui.text { "appears", onAppear = "up" },
        ui.forEach(state.n > 1 and { { name = "x" } } or { { id = 1 } },
          function(row) return "row" end),
      }
      """)
    // The task of the first row.
    #expect(store.state["bad"]["n"] == 1)
    let good = bad(tree)
    #expect(good["children"][0]["text"] == "n is 1")
    store.send("bad.up")
    #expect(bad(tree)["kind"] == "failed")
    #expect(bad(tree)["error"]["location"] == "app.lua:10")
    #expect(bad(tree)["children"] == [good])
    // Nothing appears that is not shown.
    store.send("bad.up")
    #expect(store.state["bad"]["n"] == 3)
    #expect(bad(tree)["children"] == [good])
    #expect(scripts.errors.count == 1, "\(scripts.errors)")
  }

  @Test func rowsInsideOfARowFailInThatRow() throws {
    let (_, _, tree) = try screen(
      """
      return ui.forEach({ { id = 1, tags = { "a" } }, { id = 2, tags = {} } }, function(row)
        return ui.row { "row", ui.forEach(row.tags, function(tag) return tag end) }
      end)
      """)
    let rows = bad(tree)["children"].array ?? []
    #expect(rows.map { $0["kind"] } == ["failed", "row"])
    #expect(rows.first?["error"]["location"] == "app.lua:7")
  }

  @Test(arguments: ["{ id = 'key' }, ", "{ id = 'self' }, ", ""])
  func aRowBindsOnlyElementsThatTheStateKnowsByTheirIds(_ options: String) throws {
    let list =
      options.isEmpty
      ? "{ { id = 1 } }" : options.contains("self") ? "state.list" : "{ { key = 1 } }"
    let (_, _, tree) = try screen(
      "return ui.forEach(\(list), \(options)function() return ui.toggle { label = 'x', bind = 'on' } end)"
    )
    #expect(
      bad(tree)["children"][0]["error"]["message"].string?.contains("a row binds a field") == true,
      "\(bad(tree))")
  }

  @Test func aPresentedValueThatNoReducerRunsOnIsToldOnce() throws {
    let scripts = try Scripts([
      "app": """
      local ui = require "scripted.ui"
      return scripted.feature {
        name = "App", state = { n = 0, notice = { title = "Hello" } },
        on = { up = function(state) state.n = state.n + 1 end },
        view = function(state) return ui.column { sheet = "notice", "n is " .. state.n } end,
      }:ifLet("notice", scripted.ephemeral)
      """
    ])
    let store = try scripts.store()
    let tree = store.view()
    for _ in 1...3 { store.send("up") }
    #expect(tree.value["children"][0]["text"] == "n is 3")
    #expect(
      scripts.errors.map(\.message) == [
        "notice is a value that no reducer runs on, so it has no view; present it as an alert or a dialog"
      ])
  }

  @Test func aFeatureThatShowsItselfAgainAndAgainEndsInAnError() throws {
    let scripts = try Scripts([
      "app": """
      local ui = require "scripted.ui"
      local App
      App = scripted.feature {
        name = "App", state = { n = 0 }, on = { up = function(state) state.n = state.n + 100 end },
        view = function(state) return ui.column { ui.column { ui.column { "level " .. state.n, ui.child "child" } } } end,
      }:ifLet("child", function() return App end)
      return App
      """
    ])
    var state: Value = ["n": 40]
    for level in (0..<40).reversed() { state = ["n": .integer(Int64(level)), "child": state] }
    let store = try scripts.store(state: state)
    let tree = store.view()
    let drawn = TextDrawing.draw(tree.value)
    // What is shown above changes, and the errors are not told again.
    let told = scripts.errors.count
    try store.send(Array(repeating: "child", count: 5).joined(separator: ".") + ".up")
    #expect(TextDrawing.draw(tree.value).contains("level 105"))
    #expect(scripts.errors.count == told, "\(scripts.errors)")
    #expect(
      drawn.contains("level 0") && drawn.contains("nested deeper than 128 tables"), "\(drawn)")
    #expect(tree.value.depth <= 128)
  }

  @Test func aShownErrorGoesWhenItsCauseHasGone() throws {
    let (scripts, store, tree) = try screen(
      "if state.n % 2 == 0 then error('even') end return 'odd'")
    store.send("bad.up")
    #expect(bad(tree) == ["kind": "text", "text": "odd"])
    store.send("bad.up")
    #expect(bad(tree)["children"] == [["kind": "text", "text": "odd"]])
    #expect(scripts.errors.map(\.message) == ["even", "even"])
  }

  // MARK: Buttons of alerts

  /// Warnings of a screen whose alert has a button with an action.
  private func warnings(
    _ action: String, on: String = "", fields: String = "",
    attach: String = ":ifLet(\"alert\", scripted.ephemeral)", place: String = "alert",
    above: (fields: String, attach: String)? = nil
  ) throws -> [String] {
    var app = """
      local ui = require "scripted.ui"
      local function alert() return { title = "Sure?", buttons = { { label = "Yes", action = \(action) } } } end
      local App = scripted.feature {
        name = "App", state = {}, \(fields)
        on = {
          ask = function(state) state.alert = alert() end,
          show = function(state) state.destination = { alert = alert() } end,
          \(on)
        },
        view = function(state) return ui.column { alert = "\(place)", "x" } end,
      }\(attach)

      """
    app +=
      above.map { fields, attach in
        """
        return scripted.feature {
          name = "Root", state = { app = App.initial() }, \(fields)
          view = function() return ui.child "app" end,
        }\(attach)
        """
      } ?? "return App"
    let scripts = try Scripts(["app": app])
    let store = try scripts.store()
    let tree = store.view()
    try store.send(
      (above == nil ? "" : "app.") + (place.contains(".") ? "show" : "ask"))
    #expect(TextDrawing.draw(tree.value).contains("[ Yes ]"))
    #expect(scripts.errors.isEmpty, "\(scripts.errors)")
    return scripts.warnings.map(\.message)
  }

  private static let cases =
    ":ifLet(\"destination\", scripted.cases { alert = scripted.ephemeral })"

  @Test func anActionOfAnAlertsButtonThatLeadsNowhereIsAWarning() throws {
    let handler = "[\"alert.confirmed\"] = function() end,"
    #expect(
      try warnings("\"confirmd\"", on: handler) == [
        """
        view at app.lua:10: a button of "alert" in the view of App sends "confirmd", but no reducer there handles \
        "confirmd"; did you mean "confirmed"?
        """
      ])
    let nested = try warnings(
      "{ \"confirmd\", { id = 1 } }", on: "[\"destination.alert.confirmed\"] = function() end,",
      attach: Self.cases, place: "destination.alert")
    #expect(nested.count == 1 && nested[0].contains("\"destination.alert\""), "\(nested)")
    #expect(nested.first?.contains("did you mean \"confirmed\"?") == true, "\(nested)")
    let unhandled = try warnings("\"ok\"")
    #expect(
      unhandled.first?.contains("a button that only closes has the action \"dismiss\"") == true,
      "\(unhandled)")
    #expect(try warnings("5").first?.contains("is no action") == true)
  }

  @Test func anActionOfAnAlertsButtonThatAParentHandlesIsNone() throws {
    let handler = "[\"alert.confirmed\"] = function() end,"
    #expect(try warnings("\"confirmed\"", on: handler) == [])
    #expect(try warnings("\"dismiss\"", on: handler) == [])
    #expect(try warnings("nil") == [])
    #expect(try warnings("\"ok\"", on: "alert = function() end,") == [])
    #expect(try warnings("\"ok\"", fields: "reduce = function() end,") == [])
    #expect(try warnings("\"ok\"", fields: "actions = { \"alert.ok\" },") == [])
    #expect(
      try warnings(
        "\"ok\"", on: "destination = function() end,", attach: Self.cases,
        place: "destination.alert") == [])
    for handler in ["[\"app.alert.ok\"]", "[\"app.alert\"]", "app"] {
      let above = (fields: "on = { \(handler) = function() end },", attach: ":scope(\"app\", App)")
      #expect(try warnings("\"ok\"", above: above) == [], "\(handler)")
    }
    for child in ["App", "function() return App end"] {
      let above = (fields: "reduce = function() end,", attach: ":scope(\"app\", \(child))")
      #expect(try warnings("\"ok\"", above: above) == [])
      let other = (
        fields: "on = { [\"app.ask\"] = function() end },", attach: ":scope(\"app\", \(child))"
      )
      #expect(try warnings("\"ok\"", above: other).count == 1)
    }
  }

  // MARK: Hostile text

  private static let hostile = [
    "<script>alert(1)</script>", "\" onload=\"x", "&amp;<>'\"",
    "\u{0}\u{1}\u{1b}[31mred\u{1b}[0m\u{7f}",
    "a\r\nb\tc", "\u{202e}gnp.exe\u{2066}\u{2069}", "\u{feff}\u{200b}\u{85}\u{2028}", "]]>-->",
  ]

  @Test(arguments: hostile) func hostileTextIsDrawnAsText(_ text: String) throws {
    let scripts = try Scripts([
      "app": """
      local ui = require "scripted.ui"
      return scripted.feature {
        name = "App", binding = true, state = { text = "" },
        view = function(state) return ui.column {
          ui.text(state.text), ui.heading(state.text), ui.button { state.text },
          ui.textField { label = state.text, bind = "text" }, ui.link { state.text, href = state.text },
          ui.picker { label = "Picker", value = state.text, options = { state.text } },
        } end,
      }
      """
    ])
    let store = try scripts.store(state: ["text": .string(text)])
    let tree = store.view().value
    #expect(tree["children"][0]["text"].string == text)
    let drawn = TextDrawing.draw(tree, width: 80)
    let html = HTMLDrawing.draw(tree)
    for scalar in (drawn + html).unicodeScalars where scalar != "\n" {
      #expect(scalar.properties.generalCategory != .control, "U+\(String(scalar.value, radix: 16))")
      #expect(!("\u{202a}"..."\u{202e}" ~= scalar || "\u{2066}"..."\u{2069}" ~= scalar))
    }
    #expect(!html.contains("<script") && !html.contains(" onload=\""), "\(html)")
  }

  @Test func tenMegabytesInOneStringAreShown() throws {
    let (scripts, store, tree) = try screen("return string.rep('x', 10000000)")
    #expect(bad(tree)["text"].string?.utf8.count == 10_000_000)
    store.send("up")
    #expect(TextDrawing.draw(tree.value).contains("stands 1"))
    #expect(HTMLDrawing.draw(tree.value).contains("stands 1"))
    #expect(scripts.errors.isEmpty)
  }
}
