import LuaBridge
import ScriptedStore
import Testing

/// Views: what they return, what they may read, and when they run again.
struct ViewTests {
  // MARK: Nodes

  @Test func aViewBecomesATreeOfValues() throws {
    let (scripts, _, tree) = try shown(
      """
      return scripted.feature {
        state = { name = "Blob", isOn = true },
        on = { save = function() end },
        view = function(state)
          return ui.column {
            spacing = "small",
            "Hello", 3,
            ui.heading { state.name, level = 2 },
            ui.button { "Save", action = "save", disabled = not state.isOn },
          }
        end,
      }
      """)
    #expect(
      tree.value == [
        "kind": "column", "spacing": "small",
        "children": [
          ["kind": "text", "text": "Hello"], ["kind": "text", "text": 3],
          ["kind": "heading", "text": "Blob", "level": 2],
          ["kind": "button", "text": "Save", "action": "save", "disabled": false],
        ],
      ])
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  @Test func whatIsNothingKeepsItsPosition() throws {
    let (_, store, tree) = try shown(
      """
      return scripted.feature {
        state = { isOn = false }, on = { toggle = function(state) state.isOn = not state.isOn end },
        view = function(state)
          return ui.row { state.isOn and "on", nil, "always", state.isOn and "last" or nil }
        end,
      }
      """)
    #expect(tree.value["children"] == [nil, nil, ["kind": "text", "text": "always"]])
    store.send("toggle")
    #expect(tree.value["children"].array?.count == 4)
    #expect(tree.value["children"][2] == ["kind": "text", "text": "always"])
  }

  @Test func theSecondResultOfAFunctionIsNoMistake() throws {
    let (scripts, _, tree) = try shown(
      """
      return scripted.feature {
        state = { name = "a-b" },
        view = function(state) return ui.text(state.name:gsub("-", " ")) end,
      }
      """)
    #expect(tree.value == ["kind": "text", "text": "a b"])
    #expect(scripts.errors.isEmpty)
  }

  @Test(arguments: [3, 47, 48, 200])
  func countsInsideOfCountsAreRight(_ length: Int) throws {
    let (scripts, store, tree) = try shown(
      """
      local list = scripted.list
      local groups = {}
      for i = 1, \(length) do
        groups[i] = { tags = {} }
        for j = 1, \(length) do groups[i].tags[j] = j end
      end
      local function isLast(tag) return tag == \(length) end
      return scripted.feature {
        state = { groups = groups, names = groups[1].tags },
        on = { change = function(state) state.groups[2].tags[\(length)] = 0 end },
        view = function(state) return ui.column {
          list.count(state.groups, function(group) return list.any(group.tags, isLast) end),
          list.count(state.groups, function() return list.count(state.names, isLast) == 1 end),
          tostring(list.all(state.groups, function(group) return list.any(group.tags, isLast) end)),
        } end,
      }
      """)
    func texts() -> [Value] { (tree.value["children"].array ?? []).map { $0["text"] } }
    let all = Value.integer(Int64(length))
    #expect(texts() == [all, all, "true"])
    store.send("change")
    #expect(texts() == [.integer(Int64(length - 1)), all, "false"])
    #expect(tree.value == tree.madeAnew)
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  @Test(arguments: [2, 47, 48, 200])
  func anyAndAllStopWhereTheAnswerIsKnown(_ length: Int) throws {
    let (scripts, store, tree) = try shown(
      """
      local list = scripted.list
      local function isFirst(row) return row.a.b end
      local rows = { { a = { b = true } } }
      for i = 2, \(length) do rows[i] = {} end
      return scripted.feature {
        state = { rows = rows, found = {} },
        on = {
          find = function(state) state.found = { list.any(state.rows, isFirst) } end,
          change = function(state) state.rows[1].a.b = false end,
        },
        view = function(state) return ui.column {
          tostring(list.any(state.rows, isFirst)),
          tostring(list.all(state.rows, function(row) return not row.a.b end)),
          tostring(pcall(list.count, state.rows, isFirst)),
          list.count(state.rows, function(row) return row.a end),
        } end,
      }
      """)
    #expect(tree.value["children"].array?.map { $0["text"] } == ["true", "false", "false", 1])
    store.send("find")
    #expect(store.state["found"] == [true])
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
    store.send("change")
    #expect(tree.value["kind"] == "failed")
    #expect(scripts.errors.map(\.message) == ["attempt to index a nil value (field 'a')"])
  }

  @Test func propertiesMayBeTablesOfTheState() throws {
    let (scripts, store, tree) = try shown(
      """
      return scripted.feature {
        state = {
          options = { "a", { value = 2, label = "b" } }, columns = { { title = "Name" } }, env = { size = 1 },
          action = { type = "change", n = 1 }, path = { "change", { n = 2 } }, picked = "a", rows = { { id = 1 } },
        },
        on = {
          change = function(state, action) state.options[1] = action.n end,
          title = function(state) state.columns[1].title = "Title" end,
        },
        view = function(state) return ui.column {
          ui.picker { label = "P", value = state.picked, onChange = state.action, options = state.options },
          ui.table { columns = state.columns, ui.forEach("rows", { env = state.env }) },
          ui.button { "One", action = state.action }, ui.button { "Two", action = state.path },
        } end,
      }:forEach("rows", scripted.feature { name = "Row", state = {}, view = function(_, env) return ui.text(env.size) end })
      """)
    #expect(tree.value["children"][0]["options"] == ["a", ["value": 2, "label": "b"]])
    #expect(tree.value["children"][1]["columns"] == [["title": "Name"]])
    #expect(tree.value["children"][1]["children"][0]["children"][0]["text"] == 1)
    try tree.perform(.tap, at: ViewPath([.child(3)]))
    #expect(tree.value["children"][0]["options"][0] == 1)
    try tree.perform(.tap, at: ViewPath([.child(4)]))
    #expect(tree.value["children"][0]["options"][0] == 2)
    store.send("title")
    #expect(tree.value["children"][1]["columns"] == [["title": "Title"]])
    #expect(tree.value == tree.madeAnew)
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty, "\(scripts.errors)")
  }

  @Test func aViewMayReturnNothingOrAText() throws {
    let (_, store, tree) = try shown(
      """
      return scripted.feature {
        state = { n = 0 }, on = { up = function(state) state.n = state.n + 1 end },
        view = function(state) if state.n > 0 then return "n is " .. state.n end end,
      }
      """)
    #expect(tree.value == .null)
    store.send("up")
    #expect(tree.value == ["kind": "text", "text": "n is 1"])
  }

  @Test(arguments: [
    ("ui.buton { \"Save\" }", "scripted.ui has no 'buton'; did you mean 'button'?"),
    (
      "ui.button { \"Save\", acton = \"x\" }",
      "ui.button has no property 'acton'; did you mean 'action'?"
    ),
    (
      "ui.button { \"Save\", disabled = 1 }",
      "the property 'disabled' of ui.button must be a boolean, not a number"
    ),
    (
      "ui.column { spacing = 8 }",
      "the property 'spacing' of ui.column is a number; it may be \"large\", \"medium\", \"none\", \"small\""
    ),
    ("ui.button { \"Save\", action = function() end }", "actions are data"),
    (
      "ui.button { \"Save\", onClick = \"save\" }",
      "ui.button has no property 'onClick'; here it is 'action'"
    ),
    (
      "ui.text { \"Save\", onClick = \"save\" }",
      "ui.text has no property 'onClick'; here it is 'action', which ui.button, ui.link and others have"
    ),
    ("ui.text { \"a\", color = \"red\" }", "here it is 'tone'"),
    (
      "ui.text { \"a\", placeholder = \"x\" }",
      "which ui.textField, ui.secureField and others have"
    ),
    ("ui.picker(state)", "ui.picker is given a table of the state"),
    ("ui.picker { options = \"a\" }", "must be a table, not a string"),
    (
      "ui.picker { options = { \"a\", { value = 2, label = { \"b\" } } } }",
      "the property 'label' of options[2] of ui.picker must be a number or string, not a table; "
        + "give it what is shown, as label = \"Milk\""
    ),
    (
      "ui.picker { options = { { value = 1, label = false } } }",
      "the property 'label' of options[1] of ui.picker must be a number or string, not a boolean"
    ),
    (
      "ui.picker { options = state.options }",
      "the property 'label' of options[2] of ui.picker must be a number or string, not null"
    ),
    (
      "ui.table { columns = { { title = state } } }",
      "the property 'title' of columns[1] of ui.table must be a number or string, not a table"
    ),
    ("ui.picker { options = function() end }", "actions are data"),
    (
      "ui.list { accepts = { \"todo\", 3 } }",
      "accepts takes the name of a list, or several, as accepts = { \"todo\", \"done\" } (in ui.list)"
    ),
    ("ui.list { accepts = \"\" }", "accepts takes the name of a list"),
    ("ui.list { accepts = true }", "accepts takes the name of a list"),
    (
      "ui.button { \"Save\", role = \"main\" }",
      "it may be \"cancel\", \"destructive\", \"primary\""
    ),
    ("ui.text(true)", "bad argument #1 to 'ui.text' (table or string expected, got boolean)"),
    ("ui.forEach(nil)", "bad argument #1 to 'ui.forEach'"),
    ("{ kind = \"buton\" }", "there is no element 'buton'; did you mean 'button'?"),
    ("{ \"a\", \"b\" }", "a node needs a kind; put a list of nodes into ui.group"),
    (
      "true",
      "a node is a table that scripted.ui makes, a text or a number, and not a boolean (true)"
    ),
    ("ui.row { function() end }", "and not a function"),
    ("ui.row { scripted.null }", "and not null"),
    (
      "ui.text { scripted.null }",
      "the property 'text' of ui.text must be a number or string, not null"
    ),
    (
      "ui.button(\"Add\", { action = \"a\" })",
      "ui.button takes one argument, a table in braces: ui.button { \"Add\", action = … }"
    ),
    (
      "ui.column({}, ui.text \"b\")",
      "ui.column takes one argument, a table in braces: ui.column { …, … }"
    ),
    ("ui.toggle(\"a\", \"b\")", "ui.toggle takes one argument"),
    ("ui:button { \"Add\", action = \"add\" }", "call it with a dot: ui.button { … }"),
    ("ui:forEach \"rows\"", "call it with a dot: ui.forEach \"rows\""),
    (
      "ui.textField { label = \"a\", bind = \"\" }",
      "bind takes the name of a field, as bind = \"name\", not its value"
    ),
    ("ui.stepper { label = \"a\", bind = 3 }", "bind takes the name of a field"),
    ("ui.list { selection = \"\" }", "selection takes the name of a field"),
    (
      "ui.column(ui.text \"a\")",
      "ui.column is given a node in place of a table; put its children into braces: ui.column { ui.text … }"
    ),
    ("ui.text(ui.badge \"a\")", "ui.text is given the node of a ui.badge"),
    ("ui.VStack { \"a\" }", "scripted.ui has no 'VStack'; here it is ui.column"),
    ("ui.HStack {}", "here it is ui.row"), ("ui.Text \"a\"", "did you mean 'text'?"),
    ("ui.sheet {}", "it is a property of a container: sheet = "),
    ("ui.child \"nobody\"", "has no child with the action \"nobody\""),
    ("ui.forEach \"nobody\"", "has no child with the action \"nobody\""),
    ("ui.child()", "has no cases"),
  ])
  func whatIsNoNodeIsAnErrorAtItsPlace(_ node: String, _ message: String) throws {
    let (scripts, _, tree) = try shown(
      """
      return scripted.feature {
        name = "App", state = { options = { { value = 1 }, { value = 2, label = scripted.null } } },
        view = function(state)
          return \(node)
        end,
      }
      """)
    #expect(tree.value["kind"] == "failed")
    #expect(tree.value["error"]["message"].string?.contains(message) == true, "\(tree.value)")
    #expect(tree.value["error"]["location"].string?.hasPrefix("app.lua:") == true)
    #expect(scripts.errors.count == 1)
  }

  // MARK: Pure

  @Test(arguments: [
    ("state.n = 1", "a view reads the state and cannot change it"),
    ("table.insert(state.list, 1)", "a view reads the state and cannot change it"),
    ("env.width = 1", "a view reads the state and cannot change it"),
  ])
  func aViewCannotWrite(_ statement: String, _ message: String) throws {
    let (_, store, tree) = try shown(
      """
      return scripted.feature {
        state = { n = 0, list = {} },
        view = function(state, env) \(statement) return "x" end,
      }
      """)
    #expect(tree.value["error"]["message"].string?.contains(message) == true, "\(tree.value)")
    #expect(store.state == ["n": 0, "list": []])
  }

  @Test func whatAViewKeptOfTheStateIsDeadLater() throws {
    let (scripts, store, tree) = try shown(
      """
      local kept
      return scripted.feature {
        name = "App", state = { inner = { n = 0 } }, on = { up = function(state) state.inner.n = state.inner.n + 1 end },
        view = function(state)
          local text = kept and kept.n or state.inner.n
          kept = state.inner
          return "" .. text
        end,
      }
      """)
    store.send("up")
    #expect(tree.value["error"]["message"].string?.contains("is used after") == true)
    #expect(scripts.errors.count == 1)
  }

  // MARK: What runs again

  private let parent = """
    local Row = scripted.feature {
      name = "Row", binding = true, state = { id = 0, title = "", isDone = false },
      on = { toggle = function(state) state.isDone = not state.isDone end },
      view = function(state, env)
        return ui.row { ui.toggle { label = "Done", bind = "isDone" }, state.title, env.isSelected and "selected" }
      end,
    }
    local Settings = scripted.feature {
      name = "Settings", state = { theme = "light", size = 1 },
      on = { grow = function(state) state.size = state.size + 1 end, dark = function(state) state.theme = "dark" end },
      view = function(state) return ui.text("Theme: " .. state.theme) end,
    }
    return scripted.feature {
      name = "App", binding = true,
      state = { filter = "all", unread = 0, selected = 0, settings = Settings.initial(), rows = {
        { id = 1, title = "a", isDone = false }, { id = 2, title = "b", isDone = true }, { id = 3, title = "c", isDone = false },
      } },
      on = {
        filter = function(state, action) state.filter = action.value end,
        read = function(state) state.unread = state.unread + 1 end,
        select = function(state, action) state.selected = action.value end,
        move = function(state) scripted.list.move(state.rows, { 1 }, 4) end,
        remove = function(state) scripted.list.remove(state.rows, 2) end,
        add = function(state) table.insert(state.rows, 1, Row.initial { id = 9, title = "new" }) end,
      },
      view = function(state)
        return ui.screen {
          title = state.filter,
          ui.list { selection = "selected", ui.forEach "rows" },
          ui.child "settings",
        }
      end,
    }:forEach("rows", Row):scope("settings", Settings)
    """

  @Test(
    arguments: [
      ("rows[2].toggle", nil, ["rows[2]"]),
      ("settings.dark", nil, ["settings"]),
      ("settings.grow", nil, []),
      ("read", nil, []),
      ("filter", "done", [""]),
      ("select", 2, ["", "rows[2]"]),
      ("move", nil, []),
      ("remove", nil, []),
      ("add", nil, ["rows[9]"]),
    ] as [(String, Value?, [String])])
  func onlyViewsRunThatHaveReadWhatChanged(
    _ action: String, _ payload: Value?, _ evaluated: [String]
  ) throws {
    let (scripts, store, tree) = try shown(parent)
    try store.send(action, payload)
    #expect(tree.evaluated == evaluated)
    #expect(tree.value == tree.madeAnew)
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  @Test func rowsFollowTheirElements() throws {
    let (_, store, tree) = try shown(parent)
    func rows() -> [Value] {
      tree.value["children"][0]["children"][0]["children"].array.map(Array.init) ?? []
    }
    let before = rows()
    store.send("move")
    #expect(rows().map { $0["id"] } == [2, 3, 1])
    #expect(rows()[2].isIdentical(to: before[0]))
    try store.send("select", 3)
    #expect(rows()[1]["children"].array?.count == 3)
    #expect(rows()[0].isIdentical(to: before[1]))
  }

  @Test func equalNodesStayTheSame() throws {
    let (_, store, tree) = try shown(
      """
      return scripted.feature {
        state = { n = 0 }, on = { up = function(state) state.n = state.n + 1 end },
        view = function(state) return ui.column { ui.row { "fixed", "text" }, ui.text(state.n) } end,
      }
      """)
    let before = tree.value
    store.send("up")
    #expect(tree.value["children"][0].isIdentical(to: before["children"][0]))
    #expect(tree.value["children"][1] == ["kind": "text", "text": 1])
  }

  @Test(arguments: [
    ("state.a.b.c", "state.a.b.d = 2", false), ("state.a.b.c", "state.a.b.c = 2", true),
    ("state.a.b.c", "state.a.b = { c = 1, d = 1 }", false),
    ("state.a.x and 1", "state.a.x = 1", true), ("state.a.b and 1", "state.a.b.c = 2", false),
    ("state.a.b and 1", "state.a.b = nil", true), ("#state.list", "state.list[1] = 9", false),
    ("#state.list", "table.insert(state.list, 9)", true),
    ("state.list[2]", "state.list[1] = 9", false),
    ("state.list[2]", "state.list[2] = 9", true),
    ("state.list[9] and 1", "table.insert(state.list, 9)", false),
    ("state.list[4] and 1", "table.insert(state.list, 9)", true),
    ("next(state.a) and 1", "state.a.b.c = 2", true),
    ("state.a.b == state.a.b and 1 or 2", "state.a.b.c = 2", true),
    ("scripted.snapshot(state.a).b.c", "state.a.b.c = 2", true),
    ("scripted.list.count(state.list, function(n) return n > 1 end)", "state.list[1] = 9", true),
    ("scripted.list.count(state.rows, function(r) return r.a end)", "state.rows[2].b = 9", false),
    ("scripted.list.count(state.rows, function(r) return r.a end)", "state.rows[2].a = nil", true),
    ("scripted.list.any(state.rows, function(r) return r.a end)", "state.rows[2].a = nil", false),
    ("scripted.list.all(state.rows, function(r) return r.b end)", "state.rows[2].b = 9", false),
    ("scripted.list.all(state.rows, function(r) return r.b end)", "state.rows[1].b = 9", true),
    ("state.list[0]", "table.insert(state.list, 9)", false),
    ("state.list[math.mininteger]", "table.remove(state.list)", false),
    ("state.list[math.maxinteger]", "state.list[1] = 9", false),
    ("state.n and (state.x or state.y or state.x)", "state.y = 1", true),
    ("state.n", "state.n = 1.0", true), ("env.width", "state.n = 2", false),
  ])
  func whatAViewReadsIsWhatCounts(_ read: String, _ write: String, _ runs: Bool) throws {
    let (scripts, store, tree) = try shown(
      """
      return scripted.feature {
        state = { n = 1, list = { 1, 2, 3 }, a = { b = { c = 1, d = 1 } }, rows = { { a = 1 }, { a = 2, b = 1 } } },
        on = { write = function(state) \(write) end },
        view = function(state, env) return ui.text(tostring(\(read))) end,
      }
      """)
    store.send("write")
    #expect(tree.evaluated == (runs ? [""] : []))
    #expect(tree.value == tree.madeAnew)
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }
}
