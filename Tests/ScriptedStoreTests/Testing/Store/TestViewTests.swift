import ScriptedStore
import Testing

/// `test.view`: what a test finds on a screen, what it can do there, and what it hears if it cannot.
@Suite struct TestViewTests {
  private static let app = """
    local ui = require "scripted.ui"
    local Row = scripted.feature {
      name = "Row", binding = true, state = { id = 0, title = "", done = false },
      view = function(state) return ui.row {
        ui.toggle { label = "Done", bind = "done" }, ui.textField { label = "Title", bind = "title" } } end,
    }
    local Sheet = scripted.feature {
      name = "Sheet", binding = true, state = { name = "" },
      view = function(state) return ui.screen { title = "Sheet", ui.textField { label = "Name", bind = "name", onSubmit = "submit" } } end,
      on = { submit = function(state) state.name = state.name:upper() end },
    }
    return scripted.feature {
      name = "App", binding = true, dependencies = { "clock" },
      state = { selected = 0, color = "red", size = 1, rows = { { id = 1, title = "a", done = false }, { id = 2, title = "b", done = true } } },
      on = {
        add = function(state) table.insert(state.rows, Row.initial { id = #state.rows + 1 }) end,
        open = function(state) state.sheet = Sheet.initial() end,
        delete = function(state, action) list.removeAll(state.rows, function(row) return row.id == action.ids[1] end) end,
        move = function(state, action) list.move(state.rows, action.rows, action.to) end,
        bad = function(state) state.bad = true end,
      },
      view = function(state, env)
        if state.bad then error("a bad view") end
        return ui.screen {
          title = "App", sheet = "sheet",
          ui.list { selection = "selected", onDelete = "delete", onMove = "move", ui.forEach "rows" },
          ui.button { "Add", action = "add", shortcut = "mod+n" }, ui.button { "Open", action = "open" },
          ui.button { "Never", action = "add", disabled = true },
          ui.picker { label = "Color", bind = "color", options = { "red", { value = "#00f", label = "Blue" } } },
          ui.stepper { label = "Size", bind = "size", min = 0, max = 3 },
          ui.file { label = "Photo", bind = "photo" },
          ui.button { "Bad", action = "bad" }, ui.text(env.width), ui.icon { "x", label = "Picture" },
          ui.divider {},
        }
      end,
    }:forEach("rows", Row):ifLet("sheet", Sheet)
    """

  private func run(_ body: String) async throws -> String {
    try await Spec(
      body, before: "local function view(options) return test.view(App, options) end", app: Self.app
    )
    .result
  }

  @Test(arguments: [
    "view():find('button', 'Add'):tap(function(s) s.rows[3] = { id = 3, title = '', done = false } end)",
    "view():press('mod+n', function(s) s.rows[3] = { id = 3, title = '', done = false } end)",
    "view():find('row', 2):find('toggle', 'Done'):tap(function(s) s.rows[2].done = false end)",
    "view():find('row', 1):find('textField'):type('bc', function(s) s.rows[1].title = 'abc' end)",
    "view():find('row', 1):find('textField'):set('x', function(s) s.rows[1].title = 'x' end)",
    "view():find('picker', 'Color'):choose('Blue', function(s) s.color = '#00f' end)",
    "view():find('stepper', 'Size'):set(3, function(s) s.size = 3 end)",
    "view():find('row', 2):select(function(s) s.selected = 2 end)",
    "view():find('row', 2):tap(function(s) s.selected = 2 end)",
    "view():find('row', 1):delete(function(s) table.remove(s.rows, 1) end)",
    "view():find('row', 1):move(3, function(s) s.rows[1], s.rows[2] = s.rows[2], s.rows[1] end)",
    "local v = view() v:find('row', 1):move(v:find('list'), 3, function(s) s.rows[1], s.rows[2] = s.rows[2], s.rows[1] end)",
    """
    local v = view()
    v:find("button", "Open"):tap(function(s) s.sheet = { name = "" } end)
    v:find("textField", "Name"):type("b", function(s) s.sheet.name = "b" end)
    v:find("textField", "Name"):submit(function(s) s.sheet.name = "B" end)
    assert.are.same({ "sheet" }, v:evaluated())
    v:dismiss(function(s) s.sheet = nil end)
    """,
    """
    local v = view { env = { width = "compact" } }
    assert.is.truthy(v:find("text", "compact"))
    v:resize(100)
    assert.is.truthy(v:find("text", "regular"))
    assert.is_nil(v:query("text", "compact"))
    local function widest(text)
      local most = 0
      for line in text:gmatch "[^\\n]+" do most = math.max(most, utf8.len(line)) end
      return most
    end
    assert.are.equal(100, widest(v:text()))
    v:resize(40)
    assert.is.truthy(v:find("text", "compact"))
    assert.are.equal(40, widest(v:text()))
    assert.are.equal(60, widest(v:text(60)))
    v:resize "regular"
    assert.are.equal(80, widest(v:text()))
    assert.are.equal(2, #v:all("row"))
    assert.are.equal(2, #v:all("row", { selected = false, name = "b" }) + #v:all("button", { disabled = true }))
    assert.are.same({}, v:audit())
    """,
  ])
  func aPersonCanDoIt(_ body: String) async throws {
    let result = try await run(body)
    #expect(result == "passed")
  }

  @Test(arguments: [
    ("view():find('button', 'Ad')", "no button 'Ad'; did you mean 'Add'?"),
    ("view():find('buton', 'Add')", "did you mean 'button'?"),
    ("view():find('toggle', 'Done')", "2 toggles 'Done'"),
    ("view():find('row', 3)", "no row 3"),
    ("view():find('button', 'Never'):tap()", "'Never' is disabled"),
    ("view():find('text', 'regular'):tap()", "cannot"),
    ("view():find('stepper', 'Size'):set('much')", "Size"),
    ("view():find('picker', 'Color'):choose('Green')", "Green"),
    ("view():find('stepper', 'Size'):set()", "'set' needs a value: item:set(value, expect)"),
    (
      "view():find('file', 'Photo'):set()",
      "'set' needs a value: item:set(value, expect); scripted.null clears it"
    ),
    ("view():back()", "nothing to go back to"),
    ("view():dismiss()", "nothing to dismiss"),
    ("view():press('mod+q')", "mod+q"),
    (
      "local v = view() local add = v:find('button', 'Add') v:find('button', 'Open'):tap(function(s) s.sheet = { name = '' } end) add:tap()",
      "is covered by the sheet 'Sheet'; dismiss it first"
    ),
    (
      "local v = view() local rows = v:find('list') v:find('button', 'Open'):tap(function(s) s.sheet = { name = '' } end) rows:scroll(1)",
      "the list at \"1\" is covered by the sheet 'Sheet'; dismiss it first"
    ),
    (
      "local v = view() v:find('button', 'Open'):tap(function(s) s.sheet = { name = '' } end) v:press('mod+n')",
      "the button 'Add' with the shortcut 'mod+n' is covered by the sheet 'Sheet'; dismiss it first"
    ),
    ("view():resize(0)", "expected, got 0"),
    ("view():text('40')", "a number of columns expected, got 40"),
    (
      "view():find('row', { number = 1.5 })",
      "the option 'number' of 'find' must be a whole number, not 1.5"
    ),
    ("view():resize(40.5)", "expected, got 40.5"),
    (
      "local v = view() local t = v:find('row', 2):find('toggle') v:find('row', 2):delete(function(s) table.remove(s.rows, 2) end) t:tap()",
      ""
    ),
    ("view():find('button', 'Add'):tap()", "the state was not expected to change, but it did"),
    ("view():find('button', 'Bad'):tap(function(s) s.bad = true end)", "a bad view"),
    ("view():find(1)", "a role as \"button\" expected, got number"),
    ("view():find('button', 'Add'):tep()", "has no 'tep'; did you mean 'tap'?"),
    ("view():finds('button')", "a test view has no 'finds'; did you mean 'find'?"),
    ("view():find('button', { nam = 'Add' })", "did you mean 'name'?"),
    ("view():find('row', 1):find('textField'):type(3)", "text expected, got number"),
    (
      "view():find('row', 1):move('up')",
      "bad argument #1 to 'move' (the number of a row expected, got string)"
    ),
    (
      "local v = view() v:find('row', 1):move(v:find('list'), 'up')",
      "bad argument #2 to 'move' (the number of a row expected, got string)"
    ),
    ("local v = view() v:find('row', 1):move(v:find('stepper'), 1)", "which is no list"),
    ("view():resize('wide')", "expected, got wide"),
    ("view().find('button')", "with a colon"),
    ("view().x = 1", "cannot be changed"),
    ("test.view({})", "reducer"),
  ])
  func whatAPersonCouldNotDoAndMisuseFailTheStatement(
    _ body: String, _ message: String
  ) async throws {
    let result = try await run(body)
    #expect(result.hasPrefix("app_test.lua:3: "), "\(result)")
    #expect(message.isEmpty || result.contains(message), "\(result)")
  }

  @Test func aListCanBeScrolledToAnyNumber() async throws {
    let result = try await Spec(
      """
      local view = test.view(App)
      for _, row in ipairs { math.mininteger, -1, 0, 300, math.maxinteger } do
        view:find("list"):scroll(row)
        assert.is.truthy(view:query("row", row > 0 and 300 or 1))
        assert.is_nil(view:query("row", { number = row > 0 and math.maxinteger or row }))
        assert.is_nil(view:query("text", { number = row }))
        view:text(math.maxinteger)
      end
      """,
      app: """
        local ui = require "scripted.ui"
        return scripted.feature {
          name = "App", state = {},
          view = function() return ui.list { ui.forEach(300, function(n) return n end) } end,
        }
        """
    ).result
    #expect(result == "passed")
  }

  @Test func aTestChoosesInTabsAndDisclosuresWithoutABindingAsAPersonDoes() async throws {
    let result = try await Spec(
      """
      local view = test.view(App)
      assert.is_nil(view:query("button", "In B"))
      assert.is_nil(view:query("button", "In D"))
      view:find("tab", "B"):tap()
      assert.is_true(view:find("tab", "B").selected)
      assert.is_nil(view:query("text", "in A"))
      view:find("button", "In B"):tap(function(state) state.count = 1 end)
      view:find("disclosure", "More"):tap()
      view:find("button", "In D"):tap(function(state) state.count = 2 end)
      assert.is.truthy(view:text():find("In B", 1, true))
      assert.is.truthy(view:html():find("In D", 1, true))
      view:find("disclosure", "More"):set(false)
      assert.is_nil(view:query("button", "In D"))
      view:find("tab", "A"):tap()
      assert.is.truthy(view:find("text", "in A"))
      assert.is_nil(view:query("button", "In B"))
      """,
      app: Self.tabs
    ).result
    #expect(result == "passed")
  }

  private static let tabs = """
    local ui = require "scripted.ui"
    return scripted.feature {
      name = "App", state = { count = 0 },
      on = { tap = function(state) state.count = state.count + 1 end },
      view = function(state)
        return ui.column {
          ui.tabs { label = "Tabs",
            ui.column { label = "A", ui.text "in A" },
            ui.column { label = "B", ui.button { "In B", action = "tap" } } },
          ui.disclosure { label = "More", value = false, ui.button { "In D", action = "tap" } },
        }
      end,
    }
    """

  @Test func whatATestHasFoundInAnotherTabCannotBeUsedAnyMore() async throws {
    let result = try await Spec(
      """
      local view = test.view(App)
      view:find("tab", "B"):tap()
      local button = view:find("button", "In B")
      view:find("tab", "A"):tap()
      button:tap()
      """,
      app: Self.tabs
    ).result
    #expect(result.contains(#"there is nothing at "1.2.1" on the screen"#), "\(result)")
  }

  @Test func whatIsSelectedAndFocusedMayBeAbsentAtFirst() async throws {
    let result = try await Spec(
      """
      local view = test.view(App)
      assert.is_nil(view:query("row", { selected = true }))
      view:find("row", "b"):tap(function(state) state.selectedId = 2 end)
      assert.are.equal("selected 2", view:find("text", "selected 2").name)
      view:find("list", "Rows"):select(nil, function(state) state.selectedId = nil end)
      view:find("textField", "Name"):focus(function(state) state.ui.field = "name" end)
      view:find("row", { number = 1, within = view:find("list", "Tags") }):tap(function(state) state.groups[1].tag = 1 end)
      """,
      app: """
        local ui = require "scripted.ui"
        return scripted.feature {
          name = "App", binding = true,
          state = {
            ui = { other = 1 }, name = "", rows = { { id = 1, title = "a" }, { id = 2, title = "b" } },
            groups = { { id = 7, tags = { { id = 1, title = "x" } } } },
          },
          view = function(state)
            return ui.screen {
              focus = "ui.field", title = "App",
              ui.list { label = "Rows", selection = "selectedId", ui.forEach(state.rows, function(row) return row.title end) },
              state.selectedId and ui.text("selected " .. state.selectedId),
              ui.textField { label = "Name", name = "name", bind = "name" },
              ui.forEach(state.groups, function(group)
                return ui.list { label = "Tags", selection = "tag", ui.forEach(group.tags, function(tag) return tag.title end) }
              end),
            }
          end,
        }
        """
    ).result
    #expect(result == "passed")
  }

  @Test func anExhaustiveTestFailsForAControlWithoutAName() async throws {
    let result = try await Spec(
      "test.view(App)",
      app: """
        local ui = require "scripted.ui"
        return scripted.feature { name = "App", state = { on = false }, binding = true,
          view = function() return ui.toggle { bind = "on" } end }
        """
    ).result
    #expect(result.contains("toggle"), "\(result)")
    #expect(result != "passed")
  }
}
