import LuaBridge
import ScriptView
import ScriptedStore
import Testing

/// The elements of an attached `forEach` where a view places them, and the windows of long lists.
struct ViewListTests {
  private static let rows = """
    local Row = scripted.feature {
      name = "Row", binding = true, state = { id = 0, title = "", isDone = false },
      on = { toggle = function(state) state.isDone = not state.isDone end },
      view = function(state) return ui.toggle { label = state.title, bind = "isDone" } end,
    }
    local function row(id, isDone) return { id = id, title = "row " .. id, isDone = isDone or false } end
    local function done(row) return row.isDone end

    """

  @Test func whereChoosesRows() throws {
    let (scripts, store, tree) = try shown(
      Self.rows + """
        return scripted.feature {
          state = { rows = { row(1), row(2, true), row(3), row(4, true) } },
          view = function() return ui.forEach("rows", { where = done }) end,
        }:forEach("rows", Row)
        """)
    #expect(ids(tree.value) == [2, 4])
    store.send("rows[3].toggle")
    #expect(ids(tree.value) == [2, 3, 4])
    #expect(tree.evaluated == ["rows[3]"])
    store.send("rows[2].toggle")
    #expect(ids(tree.value) == [3, 4])
    #expect(tree.evaluated == [])
    #expect(tree.value == tree.madeAnew)
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  @Test(arguments: [
    "function(row) return row.id > state.least end",
    "function(row) return row.id > limits.least end",
    "(function() local inner = function(row) return row.id > state.least end return function(row) return inner(row) end end)()",
  ])
  func whereMayReadTheState(_ predicate: String) throws {
    let (scripts, store, tree) = try shown(
      Self.rows + """
        return scripted.feature {
          state = { least = 1, limits = { least = 1 }, rows = { row(1), row(2), row(3) } },
          on = {
            more = function(state) state.least, state.limits.least = 2, 2 end,
            add = function(state) table.insert(state.rows, row(4)) end,
          },
          view = function(state)
            local limits = state.limits
            return ui.list { ui.forEach("rows", { where = \(predicate) }) }
          end,
        }:forEach("rows", Row)
        """)
    #expect(ids(tree.value["children"][0]) == [2, 3])
    store.send("add")
    #expect(ids(tree.value["children"][0]) == [2, 3, 4])
    store.send("more")
    #expect(ids(tree.value["children"][0]) == [3, 4])
    #expect(tree.value == tree.madeAnew)
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty, "\(scripts.errors)")
  }

  @Test func onlyChoosesRowsInAnOrder() throws {
    let (_, store, tree) = try shown(
      Self.rows + """
        return scripted.feature {
          state = { order = { 3, 1, 9 }, rows = { row(1), row(2), row(3) } },
          on = { order = function(state) state.order = { 2, 3 } end },
          view = function(state) return ui.column {
            ui.forEach("rows", { only = state.order }),
            ui.forEach("rows", { only = list.filter(state.rows, done) }),
          } end,
        }:forEach("rows", Row)
        """)
    #expect(ids(tree.value["children"][0]) == [3, 1])
    #expect(ids(tree.value["children"][1]) == [])
    store.send("order")
    store.send("rows[3].toggle")
    #expect(ids(tree.value["children"][0]) == [2, 3])
    #expect(ids(tree.value["children"][1]) == [3])
    #expect(tree.value == tree.madeAnew)
  }

  @Test func anElementThatOnlyNamesTwiceIsTwoRowsAlsoOfManyRows() throws {
    let (scripts, store, tree) = try shown(
      Self.rows + """
        local rows, order = {}, {}
        for i = 1, 300 do rows[i], order[i] = row(i), i end
        return scripted.feature {
          state = { rows = rows, order = order },
          on = {
            again = function(state) table.insert(state.order, 7) end,
            once = function(state) table.remove(state.order, 7) end,
          },
          view = function(state) return ui.forEach("rows", { only = state.order }) end,
        }:forEach("rows", Row)
        """)
    #expect(ids(tree.value).last == 300)
    store.send("again")
    #expect(ids(tree.value).last == 7)
    #expect(tree.value["children"][300]["occurrence"] == 2)
    store.send("once")
    #expect(ids(tree.value).last == 7)
    #expect(tree.value["children"][299]["occurrence"] == .null)
    #expect(tree.value == tree.madeAnew)
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  /// To look for each id in the whole list takes minutes, and no limit would stop that.
  @Test(.timeLimit(.minutes(1))) func aLongListInAnOrderOfItsOwnIsSearchedOnce() throws {
    let (scripts, store, tree) = try shown(
      Self.rows + """
        local rows, order = {}, {}
        for i = 1, 20000 do rows[i], order[20001 - i] = row(i), i end
        return scripted.feature {
          state = { rows = rows, order = order },
          view = function(state) return ui.list { ui.forEach("rows", { only = state.order }) } end,
        }:forEach("rows", Row)
        """)
    for id in 1...20 { try store.send("rows[\(id)].toggle") }
    #expect(ids(tree.value["children"][0]) == (19_941...20_000).reversed().map { .integer($0) })
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  /// To compare all keys in pairs takes minutes, and no limit would stop that.
  @Test(.timeLimit(.minutes(1))) func theRowsOfALongDictionaryAreNumberedOnce() throws {
    let (scripts, _, tree) = try shown(
      Self.rows + """
        local rows = {}
        for i = 1, 30000 do rows["row" .. i] = { title = "row " .. i, isDone = false } end
        return scripted.feature {
          state = { rows = rows },
          view = function() return ui.column { ui.forEach "rows" } end,
        }:forEach("rows", Row)
        """)
    #expect(Set(ids(tree.value["children"][0])).count == 30_000)
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  @Test func aDictionaryHasRowsByItsKeys() throws {
    let (_, store, tree) = try shown(
      Self.rows + """
        return scripted.feature {
          state = { rows = { a = { title = "A", isDone = false }, b = { title = "B", isDone = true } } },
          view = function() return ui.forEach "rows" end,
        }:forEach("rows", Row)
        """)
    #expect(ids(tree.value) == ["a", "b"])
    store.send("rows[a].toggle")
    #expect(tree.value["children"][0]["value"] == true)
    #expect(tree.evaluated == ["rows[a]"])
  }

  @Test func anElementWithoutAnIDIsAnErrorWithItsIndex() throws {
    let (scripts, _, tree) = try shown(
      Self.rows + """
        return scripted.feature {
          state = { rows = { row(1), { title = "x", isDone = false } } },
          view = function() return ui.column { "before", ui.forEach "rows" } end,
        }:forEach("rows", Row)
        """)
    #expect(tree.value["children"][0]["text"] == "before")
    let message = try #require(tree.value["children"][1]["error"]["message"].string)
    #expect(message.contains("the element 2 has no id; give the element an id"), "\(message)")
    #expect(scripts.errors.count == 1)
  }

  @Test(arguments: ["\"rows\"", "\"rows\", { where = function(row) return not row.isDone end }"])
  func theLastGoodRowsStayAboveAnElementWithoutAnID(_ arguments: String) throws {
    let (scripts, store, tree) = try shown(
      Self.rows + """
        return scripted.feature {
          state = { n = 0, rows = { row(1), row(2), row(3) } },
          on = {
            bad = function(state)
              table.remove(state.rows, 2)
              table.insert(state.rows, 1, row(4))
              table.insert(state.rows, { title = "x", isDone = false })
            end,
            up = function(state) state.n = state.n + 1 end,
            mend = function(state) state.rows = { row(7), row(3), row(1) } end,
          },
          view = function(state)
            return ui.column {
              "n is " .. state.n,
              ui.forEach(\(arguments)),
            }
          end,
        }:forEach("rows", Row)
        """)
    store.send("bad")
    store.send("up")
    let place = tree.value["children"][1]
    #expect(place["kind"] == "failed")
    #expect(place["error"]["location"] == "app.lua:23")
    #expect(ids(place["children"][0]) == [1, 2, 3])
    #expect(tree.value["children"][0]["text"] == "n is 1")
    #expect(scripts.errors.count == 1, "\(scripts.errors)")
    store.send("mend")
    #expect(ids(tree.value["children"][1]) == [7, 3, 1])
    #expect(tree.value == tree.madeAnew)
  }

  @Test func theLastGoodRowsStayWhileAWhereRaises() throws {
    let (scripts, store, tree) = try shown(
      Self.rows + """
        return scripted.feature {
          state = { n = 0, rows = { row(1, true), row(2, true), row(3, true) } },
          on = {
            bad = function(state) state.rows = { { id = 9, isDone = true } } end,
            up = function(state) state.n = state.n + 1 end,
            mend = function(state) state.rows = { row(7, true), row(3, true), row(4) } end,
          },
          view = function(state)
            return ui.column {
              "n is " .. state.n,
              ui.list { ui.forEach("rows", { where = function(row) return row.isDone and #row.title > 0 end }) },
            }
          end,
        }:forEach("rows", Row)
        """)
    for (action, text) in [("bad", "n is 0"), ("up", "n is 1")] {
      try store.send(action)
      #expect(tree.value["children"][0]["text"] == .string(text))
      let place = tree.value["children"][1]["children"][0]
      #expect(place["kind"] == "failed")
      #expect(ids(place["children"][0]) == [1, 2, 3])
    }
    #expect(scripts.errors.count == 1, "\(scripts.errors)")
    store.send("mend")
    #expect(ids(tree.value["children"][1]["children"][0]) == [7, 3])
    #expect(tree.value == tree.madeAnew)
  }

  @Test func twoRowsOfOneIDAreBothShown() throws {
    let (_, store, tree) = try shown(
      Self.rows + """
        return scripted.feature {
          state = { rows = { row(1), row(1), row(2) } },
          on = { first = function(state) table.remove(state.rows, 1) end },
          view = function() return ui.forEach "rows" end,
        }:forEach("rows", Row)
        """)
    #expect(ids(tree.value) == [1, 1, 2])
    #expect(tree.value["children"][1]["occurrence"] == 2)
    store.send("first")
    #expect(tree.value["children"][0]["occurrence"] == .null)
    #expect(tree.value == tree.madeAnew)
  }

  @Test func aRowStaysWhereItIsAlsoIfAnotherOneHasItsID() throws {
    let (_, store, tree) = try shown(
      """
      local Row = scripted.feature {
        name = "Row", state = { id = 1, title = "", n = 0 },
        view = function(state) return state.title end,
      }
      return scripted.feature {
        state = { rows = { { id = 1, title = "a", n = 0 }, { id = 1, title = "b", n = 0 } } },
        on = { up = function(state) for _, row in ipairs(state.rows) do row.n = row.n + 1 end end },
        view = function() return ui.forEach "rows" end,
      }:forEach("rows", Row)
      """)
    store.send("up")
    #expect(tree.evaluated == [])
    #expect(tree.value == tree.madeAnew)
  }

  @Test func whatStandsInPlaceOfRowsIsShownWhileThereIsNoneAndBelongsToTheView()
    throws
  {
    let scripts = try Scripts([
      "app": """
      local ui = require "scripted.ui"
      return scripted.feature {
        name = "App", state = { rows = {}, isNamed = true },
        on = {
          add = function(state) table.insert(state.rows, { id = #state.rows + 1 }) end,
          clear = function(state) state.rows = {} end,
          unname = function(state) state.isNamed = false end,
        },
        view = function(state) return ui.list {
          ui.forEach(state.rows, function(row) return ui.text(row.id) end),
          empty = state.isNamed and ui.button { "Add", action = "add" },
        } end,
      }
      """
    ])
    let store = try scripts.store()
    let tree = store.view()
    let empty: Value = [
      "kind": "empty", "children": [["kind": "button", "text": "Add", "action": "add"]],
    ]
    #expect(tree.value["children"][1] == empty && tree.value["empty"].isNull)
    try tree.perform(.tap, at: ViewPath([.child(2), .child(1)]))
    #expect(tree.value["children"][0]["children"].array?.count == 1)
    for _ in 0..<250 { store.send("add") }
    #expect(tree.value["window"] == ["first": 1, "count": 60, "total": 251])
    #expect(throws: ViewRefusal.self) {
      try tree.perform(.tap, at: ViewPath([.child(2), .child(1)]))
    }
    store.send("clear")
    try tree.perform(.tap, at: ViewPath([.child(2), .child(1)]))
    store.send("unname")
    #expect(tree.value["children"].array?.count == 1)
    #expect(tree.value == tree.madeAnew)
    #expect(
      scripts.errors.isEmpty && scripts.warnings.isEmpty, "\(scripts.errors) \(scripts.warnings)")
  }

  // MARK: Windows

  @Test func theRowsOfAScrolledListAreThoseOfItsWindow() throws {
    let (scripts, store, tree) = try shown(
      Self.rows + """
        local rows = {}
        for i = 1, 300 do rows[i] = row(i) end
        local Header = scripted.feature {
          name = "Header", state = { n = 0 }, on = { up = function(state) state.n = state.n + 1 end },
          view = function(state) return "n is " .. state.n end,
        }
        return scripted.feature {
          state = { rows = rows, header = { n = 0 }, gone = {} },
          on = {
            delete = function(state, action) state.gone = action.rows end,
            move = function(state, action) state.gone = { action.rows[1], action.to } end,
            close = function(state) state.header = nil end,
          },
          view = function() return ui.list {
            onDelete = "delete", onMove = "move",
            "title", ui.child "header", ui.section { ui.row { "a" }, "b" }, ui.forEach "rows", "footer",
          } end,
        }:forEach("rows", Row):ifLet("header", Header)
        """)
    func rows() -> [ViewRow] { ViewScreen(tree.value).root.rows }
    func window() -> ViewWindow? { ViewNode(tree.value).window }
    #expect(rows().map(\.number) == Array(1...60) && rows().count == window()?.count)
    #expect(rows()[4].id == 1)
    tree.show(.root, first: 100, count: 60)
    #expect(window() == ViewNode(["window": ["first": 100, "count": 60, "total": 305]]).window)
    #expect(rows().map(\.number) == Array(100...159))
    #expect(rows().map(\.id) == (96...155).map { .integer($0) })
    #expect(tree.value == tree.madeAnew)

    let path = try #require(rows().first).location.path
    try tree.perform(.delete([]), at: path)
    #expect(store.state["gone"] == [100])
    try tree.perform(.move([], to: 106), at: path)
    #expect(store.state["gone"] == [100, 106])
    // What is outside of the window changes, and is seen there later.
    store.send("header.up")
    tree.show(.root, first: 1, count: 60)
    #expect(rows()[1].location.node.text == "n is 1")
    tree.show(.root, first: 250, count: 60)
    #expect(rows().last?.location.node.text == "footer" && rows().count == window()?.count)
    tree.show(.root, first: 1, count: 60)
    // A child that is not there is no row.
    store.send("close")
    #expect(window()?.total == 304 && rows()[3].id == 1)
    #expect(rows().count == 60 && tree.value == tree.madeAnew)
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  /// The rows of placed children are those that their views show: none, one or several.
  @Test(arguments: [
    "ui.forEach \"rows\"", "ui.forEach(state.rows, function(row) return ui.text(row.id) end)",
  ])
  func rowsOfPlacedChildrenCount(_ placed: String) throws {
    let (scripts, store, tree) = try shown(
      Self.rows + """
        local rows = {}
        for i = 1, 300 do rows[i] = row(i) end
        local Header = scripted.feature {
          name = "Header", state = { n = 0 }, on = { set = function(state, action) state.n = action.n end },
          view = function(state)
            return state.n > 0 and ui.section { ui.forEach(state.n, function(n) return "title " .. n end) } or nil
          end,
        }
        return scripted.feature {
          state = { rows = rows, header = { n = 0 } }, on = { delete = function() end },
          view = function(state) return ui.list { onDelete = "delete", ui.child "header", \(placed) } end,
        }:forEach("rows", Row):scope("header", Header)
        """)
    func rows() -> [ViewRow] { ViewScreen(tree.value).root.rows }
    func check(first: Int, _ ids: ClosedRange<Int>, titles: Int) {
      let window = ViewNode(tree.value).window
      #expect(window?.first == first && window?.count == rows().count)
      #expect(rows().map(\.number) == Array(first..<(first + rows().count)))
      let texts = rows().prefix(titles).map(\.location.node.text)
      #expect(texts.allSatisfy { $0?.hasPrefix("title") == true })
      #expect(rows().dropFirst(titles).map(\.id) == ids.map { .integer(Int64($0)) })
    }
    check(first: 1, 1...60, titles: 0)
    for (n, last) in [(1, 59), (3, 57), (0, 60), (70, 0)] {
      try store.send("header.set", ["n": Value(n)])
      if last == 0 {
        #expect(rows().count == 70 && ViewNode(tree.value).window?.count == 70)
      } else {
        check(first: 1, 1...last, titles: n)
      }
    }
    tree.show(.root, first: 66, count: 60)
    check(first: 1, 1...55, titles: 70)
    try store.send("header.set", ["n": 2])
    tree.show(.root, first: 103, count: 60)
    check(first: 103, 101...160, titles: 0)
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  @Test func aLongListHasAWindow() throws {
    let (scripts, store, tree) = try shown(
      Self.rows + """
        local rows = {}
        for i = 1, 1000 do rows[i] = row(i) end
        return scripted.feature {
          state = { rows = rows, n = 0 },
          on = {
            first = function(state) table.insert(state.rows, 1, row(4000 + #state.rows)) end,
            clear = function(state) for i = 1, 900 do table.remove(state.rows) end end,
          },
          view = function() return ui.column {
            ui.list { "heading", ui.forEach "rows", ui.section { ui.forEach(3, function(i) return i end) } },
            ui.list { window = false, ui.forEach("rows", { where = done }) },
          } end,
        }:forEach("rows", Row)
        """)
    func list() -> Value { tree.value["children"][0] }
    #expect(list()["window"] == ["first": 1, "count": 60, "total": 1004])
    #expect(ids(list()["children"][1]) == (1...59).map { .integer($0) })
    #expect(tree.value["children"][1]["window"] == false)

    // What is a row of its own is in the tree while the window shows it.
    #expect(list()["children"][0]["text"] == "heading")

    tree.show(ViewPath([.child(1)]), first: 981, count: 30)
    #expect(list()["children"][0] == .null)
    #expect(list()["window"] == ["first": 975, "count": 30, "total": 1004])
    #expect(ids(list()["children"][1]) == (974...1000).map { .integer($0) })
    #expect(ids(list()["children"][2]["children"][0]) == [1, 2, 3])

    store.send("first")
    #expect(list()["window"] == ["first": 976, "count": 30, "total": 1005])
    store.send("rows[5].toggle")
    #expect(tree.evaluated == ["rows[5]"])  // for the second list; the first one does not show it
    #expect(tree.value == tree.madeAnew)
    // The window goes with the element of its first row.
    #expect(ids(list()["children"][1]).first == 974)
    tree.show(ViewPath([.child(1)]), first: 101, count: 20)
    #expect(ids(list()["children"][1]).first == 99)
    store.send("first")
    #expect(ids(list()["children"][1]).first == 99)
    #expect(list()["window"] == ["first": 102, "count": 20, "total": 1006])
    #expect(tree.value == tree.madeAnew)
    store.send("clear")
    #expect(list()["window"] == .null)
    #expect(list()["children"][1]["children"].array?.count == 102)
    #expect(tree.value == tree.madeAnew)
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  @Test func rowsThatLeaveAListAreAllShownAndNoneIsSelected() throws {
    let (scripts, store, tree) = try shown(
      """
      local Row = scripted.feature {
        name = "Row", state = { id = 0 },
        view = function(state, env) return env.isSelected and "selected" or "row " .. state.id end,
      }
      local rows = {}
      for i = 1, 300 do rows[i] = { id = i } end
      return scripted.feature {
        name = "App", binding = true, state = { rows = rows, chosen = 2, isList = true },
        on = { leave = function(state) state.isList = false end },
        view = function(state)
          local children = { ui.forEach "rows", ui.forEach(300, function(i) return i end) }
          if not state.isList then return ui.column(children) end
          children.selection = "chosen"
          return ui.list(children)
        end,
      }:forEach("rows", Row)
      """)
    #expect(ids(tree.value["children"][0]).count == 60)
    #expect(tree.value["children"][0]["children"][1]["text"] == "selected")
    store.send("leave")
    #expect(ids(tree.value["children"][0]).count == 300)
    #expect(ids(tree.value["children"][1]).count == 300)
    #expect(tree.value["children"][0]["children"][1]["text"] == "row 2")
    #expect(tree.value == tree.madeAnew)
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  @Test func rowsComeIntoNoListByARunThatFails() throws {
    let (scripts, store, tree) = try shown(
      Self.rows + """
        local rows = {}
        for i = 1, 300 do rows[i] = row(i) end
        return scripted.feature {
          state = { rows = rows, isList = false },
          on = { enter = function(state) state.isList = true end },
          view = function(state)
            return ui.forEach(1, function()
              local rows = { ui.forEach "rows" }
              if not state.isList then return ui.column { ui.column(rows), "end" } end
              return ui.column { ui.list(rows), { 1 } }
            end)
          end,
        }:forEach("rows", Row)
        """)
    #expect(ids(tree.value["children"][0]["children"][0]["children"][0]).count == 300)
    store.send("enter")
    let failed = tree.value["children"][0]
    #expect(failed["error"]["message"].string != nil)
    // The last good nodes are below the error.
    #expect(ids(failed["children"][0]["children"][0]["children"][0]).count == 300)
    #expect(scripts.errors.count == 1)
  }

  /// A page may name any path, and each one would have a screen of its own.
  @Test func onlyAListThatHasAWindowShowsOtherRows() throws {
    let (scripts, store, tree) = try shown(
      Self.rows + """
        local rows = {}
        for i = 1, 300 do rows[i] = row(i) end
        return scripted.feature {
          state = { rows = rows, few = { row(1), row(2) } },
          view = function() return ui.column {
            ui.list { ui.forEach "rows" }, ui.list { ui.forEach "few" }, ui.list { window = false, ui.forEach "rows" },
          } end,
        }:forEach("rows", Row):forEach("few", Row)
        """)
    store.send("few[2].toggle")
    #expect(tree.evaluated == ["few[2]"])
    for steps in [[], [.child(2)], [.child(3)], [.child(1), .child(1)], [.child(99)]]
      as [[ViewPath.Step]]
    {
      tree.show(ViewPath(steps), first: 5, count: 9)
    }
    // No other screen was made.
    #expect(tree.evaluated == ["few[2]"])
    tree.show(ViewPath([.child(1)]), first: 101, count: 20)
    #expect(tree.value["children"][0]["window"] == ["first": 101, "count": 20, "total": 300])
    #expect(tree.value == tree.madeAnew)
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }
}
