import Testing

/// Mistakes in the nodes of a view.
struct NodeFindingTests {
  @Test(arguments: [
    CheckCase(
      "an element",
      view: #"return ui.colum { ui.text "Hello" }"#,
      [
        "app.lua:5:11: error: scripted.ui has no 'colum'; did you mean 'column'? [unknown-field]"
      ]),
    CheckCase(
      "an element of SwiftUI, and what is a property here",
      view: #"return ui.column { ui.VStack {}, ui.alert {}, ui.ZStack {} }"#,
      [
        "app.lua:5:23: error: scripted.ui has no 'VStack'; here it is ui.column [unknown-field]",
        "app.lua:5:37: error: scripted.ui has no 'alert'; it is a property of a container: alert = "
          + "\"destination.edit\" [unknown-field]",
        "app.lua:5:50: error: scripted.ui has no 'ZStack'; only what a container presents covers "
          + "something: sheet = \"destination.edit\" [unknown-field]",
      ]),
    CheckCase(
      "a second argument",
      view:
        #"return ui.column { ui.text(("a"):gsub("a", "b")), ui.button("Add", { action = "a" }) }"#,
      fields: "on = { a = function() end },",
      [
        "app.lua:5:68: error: ui.button takes one argument; put the text or the children and the "
          + "properties into one table: ui.button { … } [invalid-property]"
      ]),
    CheckCase(
      "properties, in a component and in a view that never runs",
      view: """
        if state.never then return ui.screen { titel = "Never" } end
        return component("Hello")
        """,
      above: "local function component(text) return ui.text { text, stile = 'title' } end",
      [
        "app.lua:3:55: error: ui.text has no property 'stile'; did you mean 'style'? "
          + "[unknown-property]",
        "app.lua:5:40: error: ui.screen has no property 'titel'; did you mean 'title'? "
          + "[unknown-property]",
      ]),
    CheckCase(
      "a property like none",
      view: #"return ui.divider { xyzzys = "red" }"#,
      [
        "app.lua:5:21: error: ui.divider has no property 'xyzzys'; it has align, animation, announce, "
          + "class, decorative, grow, hint, label, name, onAppear, task, tone [unknown-property]"
      ]),
    CheckCase(
      "properties of the web",
      view:
        #"return ui.column { ui.text { "a", color = "red", onClick = "save" }, ui.button { "b", onClick = "c" } }"#,
      [
        "app.lua:5:35: error: ui.text has no property 'color'; here it is 'tone' [unknown-property]",
        "app.lua:5:50: error: ui.text has no property 'onClick'; here it is 'action', which ui.button, "
          + "ui.link and others have [unknown-property]",
        "app.lua:5:87: error: ui.button has no property 'onClick'; here it is 'action' "
          + "[unknown-property]",
      ]),
    CheckCase(
      "options of functions that place",
      view: """
        return ui.column {
          ui.forEach("rows", { wher = print }), ui.forEach(state.names, { ids = "self" }, ui.text),
          ui.child("sheet", { environment = {} }),
          ui.navigation { path = "path", rot = "Root" },
        }
        """,
      fields: "state = { names = {} },",
      above: "local Row = scripted.feature { view = function() return 'row' end }",
      below: """
        :forEach("rows", Row):ifLet("sheet", Row):stack("path", Row)
        """,
      beside: ["one.jsonl": #"{"rows": [], "path": []}"#],
      [
        "app.lua:6:24: error: ui.forEach has no option 'wher'; did you mean 'where'? "
          + "[unknown-property]",
        "app.lua:6:67: error: ui.forEach has no option 'ids'; did you mean 'id'? [unknown-property]",
        "app.lua:7:23: error: ui.child has no option 'environment'; it has env [unknown-property]",
        "app.lua:8:34: error: ui.navigation has no option 'rot'; it has env, path "
          + "[unknown-property]",
      ]),
  ])
  func anElementOrAPropertyThatIsNotThereIsAnErrorWithTheNearestName(_ example: CheckCase) throws {
    let found = try example.found()
    #expect(found == example.findings)
  }

  @Test(arguments: [
    CheckCase(
      "a type",
      view: #"return ui.button { "Go", disabled = "yes", shortcut = 1, text = {} }"#,
      [
        "app.lua:5:37: error: the property 'disabled' of ui.button is a string; it must be a boolean "
          + "[invalid-property]",
        "app.lua:5:55: error: the property 'shortcut' of ui.button is a number; it must be a string "
          + "[invalid-property]",
        "app.lua:5:65: error: the property 'text' of ui.button is a table; it must be a number or "
          + "string [invalid-property]",
      ]),
    CheckCase(
      "a number in place of a word",
      view: #"return ui.column { spacing = 8, ui.grid { columns = true } }"#,
      [
        "app.lua:5:30: error: the property 'spacing' of ui.column is a number; it may be \"large\", "
          + "\"medium\", \"none\", \"small\" [invalid-property]",
        "app.lua:5:53: error: the property 'columns' of ui.grid is a boolean; it must be a number or string "
          + "[invalid-property]",
      ]),
    CheckCase(
      "a word",
      view:
        #"return ui.grid { columns = "fits", spacing = "4px", ui.text { "a", tone = tone } }"#,
      above: #"local tone = "sucess""#,
      [
        "app.lua:5:28: error: the property 'columns' of ui.grid is \"fits\"; did you mean \"fit\"? "
          + "[invalid-property]",
        "app.lua:5:46: error: the property 'spacing' of ui.grid is \"4px\"; it may be \"large\", "
          + "\"medium\", \"none\", \"small\" [invalid-property]",
        "app.lua:5:75: error: the property 'tone' of ui.text is \"sucess\"; did you mean \"success\"? "
          + "[invalid-property]",
      ]),
    CheckCase(
      "a function where an action is expected, also for the host",
      view: """
        local function save() end
        return ui.column { ui.button { "Save", action = save }, ui.host { name = "Map", tap = save } }
        """,
      [
        "app.lua:6:49: error: the property 'action' of ui.button is a function; actions are data: "
          + "\"save\", or { \"rename\", { title = \"Milk\" } } [invalid-property]",
        "app.lua:6:87: error: the property 'tap' of ui.host is a function; actions are data: \"save\", "
          + "or { \"rename\", { title = \"Milk\" } } [invalid-property]",
      ]),
  ])
  func aValueThatAPropertyCannotHaveIsAnError(_ example: CheckCase) throws {
    let found = try example.found()
    #expect(found == example.findings)
  }

  @Test(arguments: [
    CheckCase(
      "icons that there are not",
      view: """
        return ui.row {
          ui.icon "stra", ui.icon { "★", label = "x" }, ui.icon { text = "close" },
          ui.button { "Save", icon = "zebra" }, ui.menu { icon = state.key },
        }
        """,
      [
        "app.lua:6:11: error: there is no icon \"stra\" for ui.icon; did you mean \"star\"? [invalid-property]",
        "app.lua:6:66: error: there is no icon \"close\" for ui.icon; did you mean \"x\"? [invalid-property]",
        "app.lua:7:30: error: there is no icon \"zebra\" for ui.button; docs/view-api.md lists the names "
          + "[invalid-property]",
      ]),
    CheckCase(
      "shortcuts that are none",
      view: """
        local keys = "mod+shft+n"
        return ui.row {
          ui.button { "a", shortcut = "ctl+k" }, ui.menu { label = "b", shortcut = keys },
          ui.button { "c", shortcut = "Mod+Shift+N" }, ui.button { "d", shortcut = "?" }, ui.button { "e", shortcut = state.key },
        }
        """,
      [
        "app.lua:7:31: error: the property 'shortcut' of ui.button is \"ctl+k\"; it is a key after any of mod, ctrl, "
          + "alt and shift: \"mod+n\" [invalid-property]",
        "app.lua:7:76: error: the property 'shortcut' of ui.menu is \"mod+shft+n\"; it is a key after any of mod, ctrl, "
          + "alt and shift: \"mod+n\" [invalid-property]",
      ]),
    CheckCase(
      "options with one value, and ranges without a number",
      view: """
        return ui.form {
          ui.picker { label = "a", options = { "a", "b", "a", { value = "b", label = "B" }, 1, "1", { value = 1.0 } } },
          ui.picker { label = "b", options = { "a", state.key, state.key, { label = "x" } } },
          ui.slider { label = "c", min = 5, max = 1 }, ui.stepper { label = "d", min = 1, max = 1 },
          ui.stepper { label = "e", min = -1, max = 1 }, ui.slider { label = "f", min = #state.key, max = 1 },
        }
        """,
      [
        "app.lua:6:50: error: two options of ui.picker have the value \"a\"; leave one of them out, or give it another "
          + "value [invalid-property]",
        "app.lua:6:65: error: two options of ui.picker have the value \"b\"; leave one of them out, or give it another "
          + "value [invalid-property]",
        "app.lua:6:103: error: two options of ui.picker have the value 1; leave one of them out, or give it another "
          + "value [invalid-property]",
        "app.lua:8:34: error: the `min` of ui.slider is above its `max`; exchange them [invalid-property]",
      ]),
    CheckCase(
      "addresses that are left out",
      view: """
        return ui.row {
          ui.link { "a", href = "javascript:x" }, ui.link { "b", href = "mailto:a@b.c" }, ui.link { "c", href = "//b.c" },
          ui.image { label = "d", source = "mailto:a@b.c" }, ui.image { label = "e", source = "a/b.png" },
        }
        """,
      [
        "app.lua:6:25: error: the property 'href' of ui.link is \"javascript:x\", which is left out; it may be http, https, "
          + "mailto or relative, without blanks [invalid-property]",
        "app.lua:6:105: error: the property 'href' of ui.link is \"//b.c\", which is left out; it may be http, https, "
          + "mailto or relative, without blanks [invalid-property]",
        "app.lua:7:36: error: the property 'source' of ui.image is \"mailto:a@b.c\", which is left out; it may be http, "
          + "https or relative, without blanks [invalid-property]",
      ]),
    CheckCase(
      "shapes with mistakes",
      view: """
        return ui.canvas {
          width = 9, height = 9, label = "A",
          shapes = {
            { kind = "cirle", x = 1 }, { kind = "circle", x = 1, y = 1, raduis = 2, fill = "red" },
            { kind = "path", d = "M0 0", stroke = "accent", onTap = "tap" }, { kind = state.key, a = 1 },
          },
        }
        """,
      [
        "app.lua:8:14: error: there is no shape \"cirle\"; did you mean \"circle\"? [invalid-property]",
        "app.lua:8:65: error: the shape \"circle\" has no property 'raduis'; did you mean 'radius'? "
          + "[unknown-property]",
        "app.lua:8:84: error: the property 'fill' of the shape \"circle\" is \"red\"; it is #rrggbb, or "
          + "\"text\", \"secondary\", \"accent\", \"success\", \"warning\", \"danger\", \"line\", \"fill\", "
          + "\"card\", \"none\" [invalid-property]",
      ]),
    CheckCase(
      "a component that is not called",
      view: "return ui.column { header, ui.text {} }",
      above: "local function header() return 'Hello' end",
      [
        "app.lua:5:20: error: a child of ui.column is a function; call it: header(…) returns a node "
          + "[invalid-property]"
      ]),
    CheckCase(
      "a text that is none",
      view: "return ui.text { { 'Hello' } }",
      [
        "app.lua:5:18: error: the text of ui.text is a table; it must be a string or a number "
          + "[invalid-property]"
      ]),
    CheckCase(
      "children of elements that have none",
      view: """
        return ui.row {
          ui.button { "Go", ui.icon "star" },
          ui.image { source = "a.png", label = "A", ui.text "A" },
          ui.toggle { "Done", bind = state.key },
        }
        """,
      [
        "app.lua:6:21: warning: ui.button does not show this child; put them beside each other: ui.row "
          + "{ ui.button { … }, … } [dropped-result]",
        "app.lua:7:45: warning: ui.image does not show this child; put them beside each other: ui.row { "
          + "ui.image { … }, … } [dropped-result]",
        "app.lua:8:15: warning: ui.toggle does not show this text; name it by its property: label = \"…\" "
          + "[dropped-result]",
      ]),
    CheckCase(
      "a node that stands alone",
      view: """
        ui.text "Hello"
        return ui.column {}
        """,
      [
        "app.lua:5:1: warning: the node that ui.text returns is dropped; return it, or put it among the "
          + "children of another node [dropped-result]"
      ]),
  ])
  func aChildThatIsNotShownIsReported(_ example: CheckCase) throws {
    let found = try example.found()
    #expect(found == example.findings)
  }

  @Test(arguments: [
    CheckCase(
      "texts, numbers, words, counts, and what a view computes",
      view: """
        local options, label = { "a", { value = 1, label = "one" } }, "Name"
        return ui.screen {
          kind = "screen", title = 1, spacing = env.width == "compact" and "small" or nil, nil, false,
          ui.text(state.count), ui.text "Hello", ui.text { state.count .. " items", style = state.style },
          ui.heading { "A", level = 2 }, ui.divider(), ui.spacer {}, ui.icon { text = "star" },
          ui.grid { columns = 3, ui.grid { columns = "fit" } },
          ui.picker { label = label, value = "a", options = options, [state.key] = true },
          ui.progress { value = state.count, max = 3, style = "bar" }, ui.number { value = 1.5, digits = 1 },
          ui.table { columns = { { title = "A" } } }, component { "a" }, ui[state.kind] {},
          ui.host { name = "Map", latitude = 1, onTap = "tap", anything = { 1 } },
        }
        """,
      fields: "state = { count = 0, style = 'title', key = 'prompt', kind = 'row' },",
      above: "local function component(props) return ui.badge(props[1]) end", []),
    CheckCase(
      "another module's elements, and tables that are no nodes",
      view: "return mine.colum { titel = 'Mine' }",
      above: "local mine = { colum = function(node) node.kind = 'column' return node end }", []),
    CheckCase(
      "a node that is kept or passed on",
      view: """
        local header, rows = ui.text "Hello", {}
        table.insert(rows, ui.text "one")
        rows[2] = ui.text "two"
        return ui.column { header, table.unpack(rows) }
        """, []),
    CheckCase(
      "a test of what raises",
      [
        "ui_test.lua": """
        local ui = require "scripted.ui"
        it("is a statement", function() ui.text "Hello" end)
        """
      ], []),
  ])
  func whatElementsTakeIsNoMistake(_ example: CheckCase) throws {
    let found = try example.found()
    #expect(found == example.findings)
  }
}
