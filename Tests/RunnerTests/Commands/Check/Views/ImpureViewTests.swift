import Testing

/// What a view cannot do.
struct ImpureViewTests {
  private static func written(_ line: Int, _ column: Int) -> String {
    "app.lua:\(line):\(column): error: a view writes to its state, which it can only read; let a node send "
      + "an action, whose handler writes [impure-view]"
  }

  @Test(arguments: [
    CheckCase(
      "writes to its state, also through a local and by functions",
      view: """
        local rows = state.rows
        state.count = 1
        rows[1].title, state.user.name = "", ""
        table.insert(rows, {}) table.sort(state.rows) scripted.list.removeAll(rows, print)
        rawset(state, "count", 1) scripted.replace(state, {})
        return ui.text "Hello"
        """, fields: "state = { count = 0, rows = {}, user = { name = '' } },",
      [
        written(6, 1), written(7, 1), written(7, 16), written(8, 1), written(8, 24),
        written(8, 47), written(9, 1), written(9, 27),
      ]),
    CheckCase(
      "in a function that it calls",
      view: "touch(state) return label(state.user)",
      fields: "state = { count = 0, user = { name = '' } },",
      above: """
        local function touch(s) s.count = 1 end local function label(user) user.name = "" end
        """, [written(3, 25), written(3, 68)]),
    CheckCase(
      "to its env, and to an element",
      view: """
        env.width = "compact"
        return ui.list { ui.forEach(state.rows, function(row) row.title = "" return row.title end) }
        """, fields: "state = { rows = {} },",
      [
        "app.lua:5:1: error: a view writes to env, which it can only read; copy what it needs "
          + "[impure-view]",
        "app.lua:6:55: error: a view writes to an element, which it can only read; copy what it needs "
          + "[impure-view]",
      ]),
    CheckCase(
      "to an element in a loop",
      view: """
        for _, row in ipairs(state.rows) do row.seen = true end
        local rows = state.rows
        for _, row in pairs(rows) do for _, part in ipairs(row.parts) do part.size = 1 end end
        for _, row in ipairs(scripted.snapshot(rows)) do row.seen = true end
        for _, row in ipairs { { title = "" } } do row.title = "new" end
        return ui.text "Hello"
        """, fields: "state = { rows = {} },", [written(5, 37), written(7, 66)]),
    CheckCase(
      "effects",
      view: """
        effect.send("go")
        local load = effect.run(function() end)
        return ui.text(load)
        """, fields: "on = { go = print },",
      ["send", "run"].enumerated().map { index, name in
        "app.lua:\(5 + index):\(index == 0 ? 1 : 14): error: a view calls effect.\(name), and its effects "
          + "never run; give a node the action: action = \"save\", or task = \"load\" for when it appears "
          + "[impure-view]"
      }),
    CheckCase(
      "dependencies",
      [
        "app.lua": """
        local scripted, ui = require "scripted", require "scripted.ui"
        return scripted.feature {
          name = "App", dependencies = { "date" }, state = { at = 0 },
          view = function(_, _, deps) return ui.date { value = deps.date.now() } end,
        }:view(function(state) state.at = 1 return ui.text(state.at) end)
        """
      ],
      [
        "app.lua:4:56: error: a view gets its state and env, and no deps; put what it shows into the state, "
          + "in a handler or an effect [impure-view]",
        written(5, 24),
      ]),
  ])
  func aViewThatWritesMakesEffectsOrReadsDependenciesIsAnError(_ example: CheckCase) throws {
    let found = try example.found()
    #expect(found == example.findings)
  }

  @Test(arguments: [
    CheckCase(
      "tables, copies, parameters that are replaced, and handlers beside it",
      view: """
        local shown, copy = {}, scripted.snapshot(state.rows)
        for index, row in ipairs(state.rows) do shown[index] = row end
        table.insert(shown, { id = 3 }) table.sort(copy, before) copy[1] = nil
        local node = ui.text "Hello"
        node.tone = "accent"
        return ui.column { node, ui.forEach(shown, rowOf), label({ name = "" }) }
        """,
      fields: """
        state = { rows = {} },
        on = { go = function(state) state.rows = {} add(state) return effect.send("go") end },
        """,
      above: """
        local function before(a, b) return a.id < b.id end
        local function add(state) table.insert(state.rows, { id = 1 }) end
        local function rowOf(row) row = { title = row.title } row.title = "" return row.title end
        local function label(user) user.name = "Blob" return user.name end
        """, []),
    CheckCase(
      "a method view of something else",
      [
        "app.lua": """
        local camera = { view = function(_, look) return look({}) end }
        return camera:view(function(picture) picture.width = 1 return picture end)
        """
      ], []),
  ])
  func whatAViewMakesItselfIsItsOwn(_ example: CheckCase) throws {
    let found = try example.found()
    #expect(found == example.findings)
  }
}
