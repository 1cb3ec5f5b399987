import Testing

/// Actions and bindings of views.
struct ViewActionTests {
  @Test(arguments: [
    CheckCase(
      "as a path, as a path and a payload, and as a table",
      view: """
        return ui.column {
          ui.button { "Save", action = "svae" },
          ui.button { "Rename", action = { "renam", { title = "Milk" } } },
          ui.button { "Rename", action = { type = "renamed", title = "Milk" } },
        }
        """,
      fields: "on = { save = print, rename = print },",
      beside: ["a_test.lua": "local _ = { 'save', 'rename' }"],
      [
        "app.lua:6:32: warning: the view of App sends \"svae\", which nothing handles; did you mean "
          + "\"save\"? [unhandled-action]",
        "app.lua:7:34: warning: the view of App sends \"renam\", which nothing handles; did you mean "
          + "\"rename\"? [unhandled-action]",
        "app.lua:8:34: warning: the view of App sends \"renamed\", which nothing handles; did you mean "
          + "\"rename\"? [unhandled-action]",
      ]),
    CheckCase(
      "in each property that takes one, in a component, and in a row",
      view: """
        return ui.form {
          onSubmit = "sumbit", task = "laod", onAppear = "appered",
          ui.list {
            onDelete = "dlete", onMove = "mvoe", onDrop = "drpo", accepts = "rows",
            ui.forEach(state.names, { id = "self" }, function(name)
              return ui.button { name, action = { "slect", { name = name } } }
            end),
          },
          field("titel"),
        }
        """,
      fields: """
        state = { names = {} },
        on = {
          submit = print, load = print, appeared = print, delete = print, move = print, select = print,
          title = print, drop = print,
        },
        """,
      above: """
        local function field(a) return ui.textField { label = a, value = a, onChange = "tilte" } end
        """,
      beside: [
        "a_test.lua":
          "local _ = 'submit load appeared delete move select title drop'"
      ],
      [
        "app.lua:3:80: warning: the view of App sends \"tilte\", which nothing handles; did you mean "
          + "\"title\"? [unhandled-action]",
        "app.lua:6:14: warning: the view of App sends \"sumbit\", which nothing handles; did you mean "
          + "\"submit\"? [unhandled-action]",
        "app.lua:6:31: warning: the view of App sends \"laod\", which nothing handles; did you mean "
          + "\"load\"? [unhandled-action]",
        "app.lua:6:50: warning: the view of App sends \"appered\", which nothing handles; did you mean "
          + "\"appeared\"? [unhandled-action]",
        "app.lua:8:16: warning: the view of App sends \"dlete\", which nothing handles; did you mean "
          + "\"delete\"? [unhandled-action]",
        "app.lua:8:34: warning: the view of App sends \"mvoe\", which nothing handles; did you mean "
          + "\"move\"? [unhandled-action]",
        "app.lua:8:51: warning: the view of App sends \"drpo\", which nothing handles; did you mean "
          + "\"drop\"? [unhandled-action]",
        "app.lua:10:41: warning: the view of App sends \"slect\", which nothing handles; did you mean "
          + "\"select\"? [unhandled-action]",
      ]),
    CheckCase(
      "of a child",
      view: #"return ui.button { "Add", action = "rows[1].ad" }"#,
      fields: "state = { rows = {} },",
      above: "local Row = scripted.feature { on = { add = print } }",
      below: #":forEach("rows", Row)"#,
      beside: ["a_test.lua": "local _ = 'add'"],
      [
        "app.lua:5:36: warning: the view of App sends \"ad\", in \"rows[1].ad\", which nothing handles; "
          + "did you mean \"add\"? [unhandled-action]"
      ]),
    CheckCase(
      "a malformed path",
      view: #"return ui.button { "Add", action = "rows[1" }"#,
      [
        "app.lua:5:36: error: malformed action path \"rows[1\": a bracket is not closed [unknown-action]"
      ]),
  ])
  func anActionThatNothingHandlesIsReportedWithTheNearestName(_ example: CheckCase) throws {
    let found = try example.found()
    #expect(found == example.findings)
  }

  @Test(arguments: [
    CheckCase(
      "bind, selection and focus",
      view: """
        return ui.form {
          focus = "focusd",
          ui.textField { label = "Name", bind = "user.nmae", name = "name" },
          ui.list { selection = "chosen", ui.forEach(state.list, ui.text) },
        }
        """,
      fields: """
        binding = true, state = { user = { name = "" }, focused = "", list = {} },
        """,
      [
        "app.lua:6:11: warning: the view of App binds \"focusd\", which its state does not have; did you "
          + "mean 'focused'? [unknown-binding]",
        "app.lua:7:41: warning: the view of App binds \"user.nmae\", which its state does not have; did "
          + "you mean 'name'? [unknown-binding]",
      ]),
    CheckCase(
      "but for dates and files, which may be absent, unless the key is nearly a field",
      view: """
        return ui.form {
          ui.datePicker { label = "Due", bind = "due" }, ui.file { label = "Picture", bind = "picture" },
          ui.file { label = "Letter", bind = "leter" },
        }
        """,
      fields: "binding = true, state = { title = '', letter = '' },",
      [
        "app.lua:7:38: warning: the view of App binds \"leter\", which its state does not have; did you "
          + "mean 'letter'? [unknown-binding]"
      ]),
    CheckCase(
      "but for a selection that is read, and for one of a list of that name",
      view: """
        return ui.column {
          ui.list { selection = "row", ui.forEach(state.rows, ui.text) },
          ui.list { selection = "sel2", ui.text(tostring(state.sel2)) },
        }
        """,
      fields: "binding = true, state = { rows = {}, sel1 = 1 },", []),
    CheckCase(
      "but for the fields of elements, and not for the list itself",
      view: """
        return ui.column {
          ui.textField { label = "Name", bind = "rows[1.5].name" },
          ui.textField { label = "Name", bind = "byKey[\\"a].b\\"].name" },
          ui.textField { label = "Name", bind = "rwos[1].name" },
        }
        """,
      fields: """
        binding = true, state = { rows = { { id = 1.5, title = "" } }, byKey = { ["a].b"] = {} } },
        """,
      [
        "app.lua:8:41: warning: the view of App binds \"rwos[1].name\", which its state does not have; did "
          + "you mean 'rows'? [unknown-binding]"
      ]),
    CheckCase(
      "a value in place of the key",
      view: """
        local name = state.user.name
        return ui.column {
          ui.textField { label = "Name", bind = name }, ui.toggle { label = "On", bind = state.isOn },
          ui.textField { label = "Text", bind = state.key }, ui.textField { label = "Text", bind = env.key },
        }
        """,
      fields:
        "binding = true, state = { user = { name = '' }, isOn = false, key = 'text', text = '' },",
      [
        "app.lua:7:41: warning: bind takes the name of a field, and this is the field's value; write "
          + "bind = \"user.name\" [unknown-binding]",
        "app.lua:7:82: warning: bind takes the name of a field, and this is the field's value; write "
          + "bind = \"isOn\" [unknown-binding]",
      ]),
    CheckCase(
      "and that nothing handles",
      view: #"return ui.toggle { label = "On", bind = "isOn" }"#,
      fields: "state = { isOn = false },",
      [
        "app.lua:5:41: warning: the view of App binds \"isOn\", and nothing there handles its bindings; "
          + "add `binding = true` to App [unhandled-action]"
      ]),
  ])
  func aBindingOfAKeyThatTheStateDoesNotHaveIsReported(_ example: CheckCase) throws {
    let found = try example.found()
    #expect(found == example.findings)
  }

  @Test(arguments: [
    CheckCase(
      "actions of children, of presented ones, of operators, and those that a parent handles",
      view: """
        return ui.column {
          ui.button { "Add", action = "rows[1].add" }, ui.button { "Close", action = "sheet.dismiss" },
          ui.button { "Back", action = { "path.popFrom", { id = 1 } } },
          ui.button { "Done", action = "delegate.done" },
          ui.button { "Set", action = { type = "binding", key = "n", value = 1 } },
        }
        """,
      fields:
        "state = { rows = {}, path = {}, n = 0 }, binding = true, actions = { 'delegate' },",
      above: "local Row = scripted.feature { on = { add = print } }",
      below: #":forEach("rows", Row):ifLet("sheet", Row):stack("path", Row)"#,
      beside: ["a_test.lua": "local _ = 'add'"], []),
    CheckCase(
      "of a view that a parent combines with a reducer that handles it",
      [
        "view.lua": """
        local ui = require "scripted.ui"
        return require("scripted").feature {
          name = "View", state = { text = "" },
          view = function()
            return ui.column { ui.button { "Go", action = "go" }, ui.textField { label = "A", bind = "text" } }
          end,
        }
        """,
        "app.lua": """
        local scripted = require "scripted"
        return scripted.combine {
          scripted.binding(), scripted.feature { on = { go = print } }, require "view",
        }
        """,
      ], []),
    CheckCase(
      "bindings of nested, shared, optional and annotated fields, and of what a child has",
      view: """
        return ui.form {
          ui.textField { label = "A", bind = "user.name" }, ui.toggle { label = "B", bind = "isDark" },
          ui.textField { label = "C", bind = "note" }, ui.list { selection = "selected" },
          ui.textField { label = "D", bind = "child.title" }, ui.textField { label = "E", bind = path },
        }
        """,
      fields: """
        binding = true, shared = { isDark = scripted.shared.inMemory("dark", false) },
        state = { user = { name = "" }, child = { title = "" } },  -- selected: string?
        on = { go = function(state) state.note = "" end },
        """,
      above: "local path = ('x'):rep(3)", beside: ["a_test.lua": "local _ = 'go'"],
      []),
    CheckCase(
      "in rows of data, what is bound is the element's",
      view: """
        return ui.list {
          ui.forEach(state.people, function(person)
            return ui.row { ui.textField { label = "Name", bind = "name" }, phone() }
          end),
        }
        """,
      fields: "binding = true, state = { people = {} },",
      above: """
        local function phone() return ui.textField { label = "Phone", bind = "phone" } end
        """, []),
    CheckCase(
      "a state that a parent gives",
      view: #"return ui.textField { label = "Name", bind = "name" }"#, fields: "binding = true,",
      []),
    CheckCase(
      "what views send is sent, and what they read is read",
      view: """
        return ui.column { ui.button { "Go", action = "go" }, ui.text(state.count), ui.text(state.secret) }
        """,
      fields: """
        state = { count = 0 }, on = { go = function(state) state.count = 1 end },
        shared = { secret = scripted.shared.inMemory("secret", "") },
        """, []),
  ])
  func whatIsHandledAndWhatMayBeThereIsNoMistake(_ example: CheckCase) throws {
    let found = try example.found()
    #expect(found == example.findings)
  }

  @Test func aMisspeltFieldThatAViewReadsIsReported() throws {
    let example = CheckCase(
      "", view: "return ui.text(state.conut)", fields: "state = { count = 0 },",
      [
        "app.lua:5:22: warning: App reads state.conut, which nothing writes; did you mean 'count'? "
          + "[unknown-state]"
      ])
    let found = try example.found()
    #expect(found == example.findings)
  }
}
