import Testing

/// Misspelt names of a state.
struct StateFindingTests {
  @Test(arguments: [
    CheckCase(
      "beside a default",
      feature: """
        state = { count = 0 },
        on = { go = function(state) if state.conut > 3 then state.count = 0 end end },
        """,
      [
        "app.lua:6:38: warning: App reads state.conut, which nothing writes; did you mean 'count'? "
          + "[unknown-state]"
      ]),
    CheckCase(
      "in a nested table, in a function that a handler calls, and through a local",
      feature: """
        state = { user = { name = "" } },
        on = { go = function(state) greet(state) end },
        """,
      above: "local function greet(state) local user = state.user print(user.nmae) end",
      [
        "app.lua:3:64: warning: App reads state.user.nmae, which nothing writes; did you mean "
          + "'name'? [unknown-state]"
      ]),
    CheckCase(
      "beside a field that a handler writes",
      feature: """
        on = {
          go = function(state) state.sheet = {} end,
          tapped = function(state) return state.shete and effect.send("go") end,
        },
        """,
      [
        "app.lua:7:41: warning: App reads state.shete, which nothing writes; did you mean 'sheet'? "
          + "[unknown-state]"
      ]),
    CheckCase(
      "beside an annotated field",
      feature: """
        on = { go = function(state) print(state.selectoin) end },
        """,
      above: "---@class AppState\n---@field selection string?",
      [
        "app.lua:6:41: warning: App reads state.selectoin, which nothing writes; did you mean "
          + "'selection'? [unknown-state]"
      ]),
    CheckCase(
      "in onChange", feature: "state = { count = 0 },",
      below: ":onChange('count', function(state) print(state.cuont) end)",
      [
        "app.lua:6:49: warning: App reads state.cuont, which nothing writes; did you mean 'count'? "
          + "[unknown-state]"
      ]),
  ])
  func aFieldThatNothingWritesIsReportedWhereItIsReadIfAKnownFieldIsNear(_ example: CheckCase)
    throws
  {
    let found = try example.found()
    #expect(found == example.findings)
  }

  @Test(arguments: [
    CheckCase(
      "written in a handler, further down",
      feature: """
        state = { items = {}, other = {}, title = "" },
        on = {
          go = function(state) print(state.item, state.titel, state.oter) end,
          tapped = function(state) state.item = 1 state["titel"] = "" end,
        },
        """, beside: ["more.lua": "return { oter = 1 }"], []),
    CheckCase(
      "named in a comment, an annotation, a text, a recording or a test",
      feature: """
        state = { title = "", total = 0, count = 0, user = "", list = {} },  -- titel: string?
        on = { go = function(state)
          print(state.titel, state.totel, state.cuont, state.usre, state.lsit)
        end },
        """, above: "---@field totel integer?",
      beside: [
        "keys.lua": "return 'cuont'", "one.jsonl": #"{"type": "go", "usre": 1}"#,
        "b_test.lua": "it('b', function() return { lsit = {} } end)",
      ], []),
    CheckCase(
      "unknown, and like nothing known",
      feature: """
        state = { count = 0 }, on = { go = function(state) print(state.selection) end },
        """, []),
    CheckCase(
      "where a script computes the defaults",
      feature: """
        state = initial(),
        on = { go = function(state) state.count = state.conut end },
        """, above: "local function initial() return { count = 0 } end", []),
    CheckCase(
      "in a table that is replaced, or that is computed",
      feature: """
        state = { user = { name = "" }, child = { value = copy { total = 0 } }, count = 0 },
        on = { go = function(state, action)
          state.user = action.user
          print(state.user.nmae, state.child.value.totla, state[action.key])
        end },
        """, above: "local copy = scripted.snapshot", []),
    CheckCase(
      "of another table than the state",
      feature: """
        state = { count = 0 },
        on = { go = function(state, action) state = action.state print(state.conut, action.conut) end },
        """, []),
  ])
  func aFieldThatSomethingMayWriteIsNoMistake(_ example: CheckCase) throws {
    let found = try example.found()
    #expect(found == example.findings)
  }

  @Test(arguments: [
    CheckCase(
      "written",
      feature: """
        state = { count = 0 },
        on = { go = function(state) state.conut = state.count + 1 end },
        """,
      [
        "app.lua:6:35: hint: state.conut is written here and used nowhere else; did you mean "
          + "'count'? [unread-state]"
      ]),
    CheckCase(
      "in use elsewhere, a singular beside its plural, a short name, and more than one edit",
      feature: """
        state = { count = 0, items = {}, x = 0, isShown = false },
        on = { go = function(state)
          state.conut, state.item, state.y = 1, 2, 3
          state.isShoved = true
        end },
        """, beside: ["use_test.lua": "it('a', function() return ({}).conut end)"], []),
  ])
  func aFieldThatIsWrittenOnceAndUsedNowhereElseIsAHintOneEditAwayFromADefault(_ example: CheckCase)
    throws
  {
    let found = try example.found()
    #expect(found == example.findings)
  }

  @Test(arguments: [
    CheckCase(
      "near a default", feature: "state = { todos = {} },",
      below: ":forEach('tods', scripted.empty):onChange('toods', print)",
      [
        "app.lua:6:11: warning: forEach is given the key 'tods', which the state of App does not have "
          + "and nothing writes; did you mean 'todos'? [unknown-state]",
        "app.lua:6:44: warning: onChange is given the key 'toods', which the state of App does not "
          + "have and nothing writes; did you mean 'todos'? [unknown-state]",
      ]),
    CheckCase(
      "near what a handler writes",
      feature: "on = { go = function(state) state.sheet = { count = 0 } end },",
      below: ":ifLet('shete', scripted.empty)",
      [
        "app.lua:6:9: warning: ifLet is given the key 'shete', which the state of App does not have "
          + "and nothing writes; did you mean 'sheet'? [unknown-state]"
      ]),
    CheckCase(
      "a list like nothing in the state", feature: "state = { count = 0 },",
      below: ":forEach('rows', scripted.empty)",
      [
        "app.lua:6:11: warning: forEach is given the key 'rows', which the state of App does not have "
          + "and nothing writes; add it to `state` [unknown-state]"
      ]),
    CheckCase(
      "keys that are there, that are written, or that may be",
      feature: """
        state = { count = 0 },
        on = { go = function(state) state.rows, state.cuont = {}, 1 end },
        """,
      below: ":forEach('rows', scripted.empty):ifLet('sheet', scripted.empty):ifLet('cuont', "
        + "scripted.empty):forEach('more', scripted.empty)",
      beside: ["one.jsonl": #"{"type": "go", "state": {"more": []}}"#], []),
    CheckCase(
      "a state that a parent gives", feature: "", below: ":forEach('rows', scripted.empty)", []),
  ])
  func theKeyOfAnOperatorIsAFieldOfTheStateOrIsWrittenSomewhere(_ example: CheckCase) throws {
    let found = try example.found()
    #expect(found == example.findings)
  }

  @Test(arguments: [
    CheckCase(
      "in the defaults, inserted, and assigned",
      feature: """
        state = { rows = { { title = "a" }, { id = 1, title = "b" } } },
        on = { go = function(state)
          table.insert(state.rows, { title = "c" })
          table.insert(state.rows, 1, { title = "d" })
          scripted.list.insert(state.rows, { title = "e" }, 1)
          state.rows = scripted.array { { title = "f" } }
        end },
        """, below: ":forEach('rows', scripted.empty)",
      [(5, 20), (7, 28), (8, 31), (9, 36), (10, 33)].map { line, column in
        "app.lua:\(line):\(column): warning: this element of state.rows has no 'id', so no action "
          + "reaches it; give it an 'id', or name another field in the options of forEach [missing-id]"
      }),
    CheckCase(
      "put behind the end, and in a local",
      feature: """
        state = { rows = {} },
        on = { go = function(state, action)
          state.rows[#state.rows + 1] = { title = "a" }
          local row = { title = "b" }
          table.insert(state.rows, row)
          local whole = { title = "c" }
          complete(whole)
          table.insert(state.rows, whole)
        end },
        """, above: "local function complete(row) row.id = 1 end",
      below: ":forEach('rows', scripted.empty)",
      [(7, 33), (9, 28)].map { line, column in
        "app.lua:\(line):\(column): warning: this element of state.rows has no 'id', so no action "
          + "reaches it; give it an 'id', or name another field in the options of forEach [missing-id]"
      }),
    CheckCase(
      "another field, an object by key, and tables that may have one",
      feature: """
        state = { rows = { { uuid = 1 } }, byKey = { a = { n = 1 } }, more = {}, plain = { {} } },
        on = { go = function(state, action)
          local row = { n = 1 }
          row.id = action.id
          table.insert(state.more, row)
          table.insert(state.more, { [action.key] = 1 })
          table.insert(state.more, action.row)
          table.insert(state.plain, { n = 1 })
          state.byKey[action.id] = { n = 1 }
        end },
        """,
      below: ":forEach('rows', scripted.empty, { id = 'uuid' })"
        + ":forEach('byKey', scripted.empty):forEach('more', scripted.empty)", []),
  ])
  func anElementOfAForEachHasAnId(_ example: CheckCase) throws {
    let found = try example.found()
    #expect(found == example.findings)
  }

  @Test(arguments: [
    CheckCase(
      "a child in the same script",
      feature: #"on = { ["shete.bang"] = function() end },"#,
      above: #"local Child = scripted.feature { on = { bang = print } }"#,
      below: #":ifLet("sheet", Child)"#, beside: ["use_test.lua": "local _ = 'bang'"],
      [
        "app.lua:5:9: warning: App has no child 'shete', and nothing sends \"shete.bang\"; did you "
          + "mean 'sheet'? [misspelt-pattern]"
      ]),
    CheckCase(
      "an element from a module",
      feature: #"on = { ["tods[*].bang"] = function() end }, state = { todos = {} },"#,
      below: #":forEach("todos", require "child")"#,
      beside: [
        "use_test.lua": "local _ = 'bang'",
        "child.lua": "return require('scripted').feature { on = { bang = print } }",
      ],
      [
        "app.lua:5:9: warning: App has no child 'tods', and nothing sends \"tods[*].bang\"; did you "
          + "mean 'todos'? [misspelt-pattern]"
      ]),
    CheckCase(
      "an element with a dot in its id",
      feature: #"on = { ["tods[1.5].bang"] = function() end }, state = { todos = {} },"#,
      above: #"local Child = scripted.feature { on = { bang = print } }"#,
      below: #":forEach("todos", Child)"#, beside: ["use_test.lua": "local _ = 'bang'"],
      [
        "app.lua:5:9: warning: App has no child 'tods', and nothing sends \"tods[1.5].bang\"; did you "
          + "mean 'todos'? [misspelt-pattern]"
      ]),
    CheckCase(
      "actions that a child lists, cases, and children of a child",
      feature: """
        on = {
          ["from.delegate.saved"] = function() end, ["shete.tap"] = function() end,
          ["pagee.add.bang"] = function() end, ["shlef[*].book.bang"] = function() end,
          ["shete.leaf.bang"] = function() end,
        }, state = { shelf = {} },
        """,
      above: """
        local Leaf = scripted.feature { on = { bang = print } }
        local Form = scripted.feature { actions = { "delegate.saved" } }
        local Sheet = scripted.feature { actions = { "tap" } }:scope("leaf", Leaf)
        """,
      below:
        #":ifLet("form", Form):ifLet("sheet", Sheet):ifLet("page", scripted.cases { add = Leaf })"#
        + #":stack("shelf", scripted.cases { book = Leaf })"#,
      beside: ["use_test.lua": "local _ = 'bang'"],
      [
        (8, 3, "from", "from.delegate.saved", "form"), (8, 45, "shete", "shete.tap", "sheet"),
        (9, 3, "pagee", "pagee.add.bang", "page"),
        (9, 40, "shlef", "shlef[*].book.bang", "shelf"),
        (10, 3, "shete", "shete.leaf.bang", "sheet"),
      ].map { line, column, name, pattern, nearest in
        "app.lua:\(line):\(column + 1): warning: App has no child '\(name)', and nothing sends "
          + "\"\(pattern)\"; did you mean '\(nearest)'? [misspelt-pattern]"
      }),
    CheckCase(
      "a group of its own that is sent, or that the child does not handle, or a child by its action",
      feature: """
        on = {
          ["shete.bang"] = function() end, ["sheets.tap"] = function() end,
          ["page.bang"] = function() end,
        },
        """,
      above: #"local Child = scripted.feature { on = { bang = print } }"#,
      below: #":ifLet("sheet", Child):scope("pages", Child, { action = "page" })"#,
      beside: ["use_test.lua": "local _ = { 'bang', 'shete.bang' }"], []),
  ])
  func aPatternWhoseFirstSegmentIsNearlyTheNameOfAChildIsReported(_ example: CheckCase) throws {
    let found = try example.found()
    #expect(found == example.findings)
  }

  @Test(arguments: [
    CheckCase(
      "of a list with elements, an array, a list of forEach, one that the script fills, and a text",
      feature: """
        state = { a = { 1 }, b = scripted.array {}, rows = {}, d = {}, name = "" },
        on = { go = function(state)
          table.insert(state.d, 1)
          print(state.a.count, state.b.isEmpty, state.rows.length, state.d.size, state.name.isEmpty)
          print(state.name.count)
        end },
        """, below: ":forEach('rows', scripted.empty)",
      [
        (8, 17, "list", "count", "#state.a"), (8, 32, "list", "isEmpty", "#state.b == 0"),
        (8, 52, "list", "length", "#state.rows"), (8, 68, "list", "size", "#state.d"),
        (8, 85, "string", "isEmpty", #"state.name == """#),
        (9, 20, "string", "count", "#state.name"),
      ].map { line, column, type, name, form in
        "app.lua:\(line):\(column): warning: a \(type) has no '\(name)'; write \(form) [unknown-state]"
      }),
    CheckCase(
      "a table that may have the field",
      feature: """
        state = { a = { count = 0 }, b = {}, c = {}, count = 0 },
        on = { go = function(state)
          state.c.count = 1
          print(state.a.count, state.b.count, state.c.count, state.count)
        end },
        """, []),
  ])
  func aLengthThatHasTheNameOfOtherLanguagesIsReportedForListsAndTexts(_ example: CheckCase) throws
  {
    let found = try example.found()
    #expect(found == example.findings)
  }
}
