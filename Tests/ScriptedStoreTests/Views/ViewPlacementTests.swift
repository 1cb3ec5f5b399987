import LuaBridge
import ScriptView
import ScriptedStore
import Testing

/// Children where views place them: scopes, optional children, cases, lists, stacks, and what is presented.
struct ViewPlacementTests {
  private func tree(
    _ app: String, state: Value? = nil, reducers: [String: Reducer] = [:]
  ) throws -> (scripts: Scripts, store: Store, tree: ViewTree) {
    let scripts = try Scripts(
      ["app": "local ui = require \"scripted.ui\"\n" + app], reducers: reducers)
    let store = try scripts.store(state: state)
    let tree = store.view()
    tree.recordEvaluated()
    return (scripts, store, tree)
  }

  private func text(_ tree: ViewTree) -> String { TextDrawing.draw(tree.value) }

  private static let child = """
    local Child = scripted.feature {
      name = "Child", state = { n = 0 },
      on = { up = function(state) state.n = state.n + 1 end },
      view = function(state, env) return ui.text("n is " .. state.n .. (env.mark or "")) end,
    }

    """

  // MARK: One child

  @Test func aScopeIsPlacedByItsAction() throws {
    let (scripts, store, tree) = try tree(
      Self.child + """
        return scripted.feature {
          state = { a = { child = Child.initial() } },
          view = function() return ui.row { ui.child("kid", { env = { mark = "!" } }) } end,
        }:scope("a.child", Child, { action = "kid" })
        """)
    #expect(
      tree.value["children"][0] == [
        "kind": "child", "action": "kid", "children": [["kind": "text", "text": "n is 0!"]],
      ])
    try store.send("kid.up")
    #expect(tree.value["children"][0]["children"][0]["text"] == "n is 1!")
    #expect(tree.evaluated == ["kid"])
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  @Test func aScopeByFunctionsIsPlaced() throws {
    let (_, store, tree) = try tree(
      Self.child + """
        return scripted.feature {
          state = { m = 1 },
          view = function() return ui.child "kid" end,
        }:scope({ get = function(s) return { n = s.m * 2 } end, set = function(s, c) s.m = c.n end }, Child, { action = "kid" })
        """)
    #expect(tree.value["children"][0]["text"] == "n is 2")
    try store.send("kid.up")
    #expect(tree.value["children"][0]["text"] == "n is 6")
  }

  @Test func anOptionalChildIsNothingWhileItIsAbsent() throws {
    let (scripts, store, tree) = try tree(
      Self.child + """
        return scripted.feature {
          state = {},
          on = { open = function(state) state.editor = Child.initial() end },
          view = function() return ui.column { ui.child "editor", "after" } end,
        }:ifLet("editor", Child)
        """)
    #expect(tree.value["children"][0] == ["kind": "child", "action": "editor"])
    try store.send("open")
    #expect(tree.value["children"][0]["children"] == [["kind": "text", "text": "n is 0"]])
    try store.send("editor.dismiss")
    #expect(tree.value["children"][0] == ["kind": "child", "action": "editor"])
    #expect(tree.value == tree.madeAnew)
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  private static let cases =
    child + """
      local Other = scripted.feature { name = "Other", state = { title = "" }, view = function(state) return ui.heading(state.title) end }
      local Cases = scripted.cases { child = Child, other = Other, alert = scripted.ephemeral }

      """

  @Test func casesWithoutAViewShowThePresentCase() throws {
    let (scripts, store, tree) = try tree(
      Self.cases + """
        return scripted.feature {
          state = { mode = { child = { n = 3 } } },
          on = { switch = function(state) state.mode = { other = { title = "Other" } } end },
          view = function() return ui.child "mode" end,
        }:scope("mode", Cases)
        """)
    #expect(
      tree.value["children"][0] == [
        "kind": "child", "action": "child", "children": [["kind": "text", "text": "n is 3"]],
      ])
    try store.send("switch")
    #expect(tree.value["children"][0]["action"] == "other")
    #expect(tree.value["children"][0]["children"][0]["kind"] == "heading")
    #expect(tree.value == tree.madeAnew)
    #expect(scripts.errors.isEmpty)
  }

  @Test func aViewOfCasesPlacesThePresentOneOrANamedOne() throws {
    let (scripts, store, tree) = try tree(
      Self.cases + """
        local Framed = Cases:view(function(state)
          return ui.group { title = state.other and "other" or "child", ui.child(), ui.child "other" }
        end)
        return scripted.feature {
          state = { mode = { child = { n = 3 } } },
          on = { switch = function(state) state.mode = { other = { title = "Other" } } end },
          view = function() return ui.child "mode" end,
        }:scope("mode", Framed)
        """)
    let group = tree.value["children"][0]
    #expect(group["title"] == "child")
    #expect(group["children"][0]["action"] == "child")
    #expect(group["children"][1] == ["kind": "child", "action": "other"])
    try store.send("switch")
    #expect(tree.value["children"][0]["children"][1]["children"][0]["text"] == "Other")
    #expect(scripts.errors.isEmpty)
  }

  @Test func aPlacedFeatureWithoutAViewIsAnErrorThatNamesIt() throws {
    let (scripts, _, tree) = try tree(
      """
      local Mute = scripted.feature { name = "Mute", state = { n = 0 } }
      return scripted.feature {
        state = { mute = Mute.initial() },
        view = function() return ui.column { "before", ui.child "mute" } end,
      }:scope("mute", Mute)
      """)
    #expect(tree.value["children"][0]["text"] == "before")
    let failed = tree.value["children"][1]["children"][0]
    #expect(failed["error"]["message"].string?.hasPrefix("Mute has no view") == true)
    #expect(scripts.errors.count == 1)
  }

  // MARK: Lists

  private static let rows = """
    local Row = scripted.feature {
      name = "Row", binding = true, state = { id = 0, title = "", isDone = false },
      on = { toggle = function(state) state.isDone = not state.isDone end },
      view = function(state) return ui.toggle { label = state.title, bind = "isDone" } end,
    }
    local function row(id, isDone) return { id = id, title = "row " .. id, isDone = isDone or false } end
    local function done(row) return row.isDone end

    """

  private func ids(_ node: Value) -> [Value] { (node["children"].array ?? []).map { $0["id"] } }

  @Test func whereChoosesRows() throws {
    let (scripts, store, tree) = try tree(
      Self.rows + """
        return scripted.feature {
          state = { rows = { row(1), row(2, true), row(3), row(4, true) } },
          view = function() return ui.forEach("rows", { where = done }) end,
        }:forEach("rows", Row)
        """)
    #expect(ids(tree.value) == [2, 4])
    try store.send("rows[3].toggle")
    #expect(ids(tree.value) == [2, 3, 4])
    #expect(tree.evaluated == ["rows[3]"])
    try store.send("rows[2].toggle")
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
    let (scripts, store, tree) = try tree(
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
    try store.send("add")
    #expect(ids(tree.value["children"][0]) == [2, 3, 4])
    try store.send("more")
    #expect(ids(tree.value["children"][0]) == [3, 4])
    #expect(tree.value == tree.madeAnew)
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty, "\(scripts.errors)")
  }

  @Test func onlyChoosesRowsInAnOrder() throws {
    let (_, store, tree) = try tree(
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
    try store.send("order")
    try store.send("rows[3].toggle")
    #expect(ids(tree.value["children"][0]) == [2, 3])
    #expect(ids(tree.value["children"][1]) == [3])
    #expect(tree.value == tree.madeAnew)
  }

  @Test func aDictionaryHasRowsByItsKeys() throws {
    let (_, store, tree) = try tree(
      Self.rows + """
        return scripted.feature {
          state = { rows = { a = { title = "A", isDone = false }, b = { title = "B", isDone = true } } },
          view = function() return ui.forEach "rows" end,
        }:forEach("rows", Row)
        """)
    #expect(ids(tree.value) == ["a", "b"])
    try store.send("rows[a].toggle")
    #expect(tree.value["children"][0]["value"] == true)
    #expect(tree.evaluated == ["rows[a]"])
  }

  @Test func anElementWithoutAnIDIsAnErrorWithItsIndex() throws {
    let (scripts, _, tree) = try tree(
      Self.rows + """
        return scripted.feature {
          state = { rows = { row(1), { title = "x", isDone = false } } },
          view = function() return ui.column { "before", ui.forEach "rows" } end,
        }:forEach("rows", Row)
        """)
    #expect(tree.value["children"][0]["text"] == "before")
    #expect(
      tree.value["children"][1]["error"]["message"].string?.contains("the element 2 has no id")
        == true)
    #expect(scripts.errors.count == 1)
  }

  @Test func twoRowsOfOneIDAreBothShown() throws {
    let (_, store, tree) = try tree(
      Self.rows + """
        return scripted.feature {
          state = { rows = { row(1), row(1), row(2) } },
          on = { first = function(state) table.remove(state.rows, 1) end },
          view = function() return ui.forEach "rows" end,
        }:forEach("rows", Row)
        """)
    #expect(ids(tree.value) == [1, 1, 2])
    #expect(tree.value["children"][1]["occurrence"] == 2)
    try store.send("first")
    #expect(tree.value["children"][0]["occurrence"] == .null)
    #expect(tree.value == tree.madeAnew)
  }

  // MARK: Data

  @Test func dataWithIDsHasRowsByAFunction() throws {
    let (scripts, store, tree) = try tree(
      """
      local calls = 0
      return scripted.feature {
        binding = true,
        state = { unit = "kg", fruits = { { id = "a", name = "Apple" }, { id = "b", name = "Pear" } } },
        on = {
          rename = function(state) state.fruits[2].name = "Plum" end,
          add = function(state) table.insert(state.fruits, 1, { id = "c", name = "Fig" }) end,
          unit = function(state) state.unit = "lb" end,
          other = function(state) state.other = true end,
        },
        view = function(state)
          local unit = state.unit
          return ui.column { ui.forEach(state.fruits, function(fruit, index)
            return ui.row { index .. ": " .. fruit.name .. " " .. unit, ui.textField { label = "Name", bind = "name" } }
          end) }
        end,
      }
      """)
    let rows = { tree.value["children"][0] }
    #expect(rows()["list"] == "fruits")
    #expect(rows()["children"][1]["children"][0]["text"] == "2: Pear kg")
    #expect(rows()["children"][1]["children"][1]["value"] == "Pear")
    let before = rows()
    try store.send("rename")
    #expect(rows()["children"][0].isIdentical(to: before["children"][0]))
    #expect(rows()["children"][1]["children"][0]["text"] == "2: Plum kg")
    try store.send("add")
    #expect(rows()["children"][2]["children"][0]["text"] == "3: Plum kg")
    try store.send("unit")
    #expect(rows()["children"][2]["children"][0]["text"] == "3: Plum lb")
    try store.send("other")
    #expect(tree.evaluated == [])
    #expect(tree.value == tree.madeAnew)
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  @Test func aRowRunsAgainWithWhatItReadsOfTheState() throws {
    let (_, store, tree) = try tree(
      """
      return scripted.feature {
        state = { user = { name = "Blob", age = 1 }, names = { "x", "y" } },
        on = {
          rename = function(state) state.user.name = "Blob Jr." end,
          age = function(state) state.user.age = 2 end,
        },
        view = function(state)
          return ui.forEach(state.names, { id = "self" }, function(name) return name .. " of " .. state.user.name end)
        end,
      }
      """)
    try store.send("age")
    #expect(tree.evaluated == [])
    try store.send("rename")
    #expect(tree.value["children"][1]["text"] == "y of Blob Jr.")
    #expect(ids(tree.value) == ["x", "y"])
  }

  @Test func bindingsReachIntoDataInsideOfData() throws {
    let (scripts, store, tree) = try tree(
      """
      return scripted.feature {
        binding = true,
        state = { book = { people = { { id = 1, phones = { { id = "home", number = "1" }, { id = "work", number = "2" } } } } } },
        view = function(state) return ui.forEach(state.book.people, function(person)
          return ui.column { ui.forEach(person.phones, function() return ui.textField { label = "Number", bind = "number" } end) }
        end) end,
      }
      """)
    #expect(tree.value["list"] == "book.people")
    #expect(tree.value["children"][0]["children"][0]["list"] == "phones")
    let work = ViewPath([
      .row(.init(id: 1)), .child(1), .row(.init(id: "work")),
    ])
    try tree.perform(.enter("3"), at: work)
    #expect(store.state["book"]["people"][0]["phones"][1]["number"] == "3")
    #expect(tree.value == tree.madeAnew)
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  @Test func aRangeHasRowsByNumbers() throws {
    let (_, store, tree) = try tree(
      """
      return scripted.feature {
        state = { n = 2 }, on = { up = function(state) state.n = state.n + 1 end },
        view = function(state) return ui.row {
          ui.forEach(state.n, function(i) return ui.text("#" .. i) end),
          ui.forEach(2, 3, function(i) return i * i end), ui.forEach(0, function() return "never" end),
        } end,
      }
      """)
    #expect(ids(tree.value["children"][0]) == [1, 2])
    #expect(tree.value["children"][1]["children"][1]["text"] == 9)
    #expect(tree.value["children"][2] == ["kind": "forEach"])
    try store.send("up")
    #expect(ids(tree.value["children"][0]) == [1, 2, 3])
  }

  @Test func oneBadRowLeavesTheOthersStanding() throws {
    let (scripts, store, tree) = try tree(
      """
      return scripted.feature {
        state = { names = { "a", "b", "c" } },
        on = { mend = function(state) state.names[2] = "B" end },
        view = function(state) return ui.forEach(state.names, { id = "self" }, function(name)
          if name == "b" then error("no " .. name) end
          return name
        end) end,
      }
      """)
    #expect(tree.value["children"][0]["text"] == "a")
    #expect(tree.value["children"][1]["error"]["message"] == "no b")
    #expect(tree.value["children"][2]["text"] == "c")
    try store.send("mend")
    #expect(tree.value["children"][1]["text"] == "B")
    #expect(scripts.errors.count == 1)
  }

  @Test func twoElementsOfOneIDAreAWarningWithBothIndices() throws {
    let (scripts, _, tree) = try tree(
      """
      return scripted.feature {
        state = { fruits = { { id = 1, n = "a" }, { id = 2, n = "b" }, { id = 1, n = "c" } } },
        view = function(state) return ui.forEach(state.fruits, function(fruit) return fruit.n end) end,
      }
      """)
    #expect(tree.value["children"][2] == ["kind": "text", "text": "c", "id": 1, "occurrence": 2])
    #expect(scripts.warnings.count == 1)
    #expect(scripts.warnings[0].message.contains("at the indices 1 and 3"))
  }

  // MARK: Windows

  @Test func aLongListHasAWindow() throws {
    let (scripts, store, tree) = try tree(
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

    tree.show(ViewPath([.child(1)]), first: 981, count: 30)
    #expect(list()["window"] == ["first": 975, "count": 30, "total": 1004])
    #expect(ids(list()["children"][1]) == (974...1000).map { .integer($0) })
    #expect(ids(list()["children"][2]["children"][0]) == [1, 2, 3])

    try store.send("first")
    #expect(list()["window"] == ["first": 976, "count": 30, "total": 1005])
    try store.send("rows[5].toggle")
    #expect(tree.evaluated == ["rows[5]"])  // for the second list; the first one does not show it
    #expect(tree.value == tree.madeAnew)
    // The window goes with the element of its first row.
    #expect(ids(list()["children"][1]).first == 974)
    tree.show(ViewPath([.child(1)]), first: 101, count: 20)
    #expect(ids(list()["children"][1]).first == 99)
    try store.send("first")
    #expect(ids(list()["children"][1]).first == 99)
    #expect(list()["window"] == ["first": 102, "count": 20, "total": 1006])
    #expect(tree.value == tree.madeAnew)
    try store.send("clear")
    #expect(list()["window"] == .null)
    #expect(list()["children"][1]["children"].array?.count == 102)
    #expect(tree.value == tree.madeAnew)
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  @Test func aLongListOfDataHasAWindow() throws {
    let (scripts, store, tree) = try tree(
      """
      local data = {}
      for i = 1, 1000 do data[i] = { id = i } end
      return scripted.feature {
        state = { data = data },
        on = { first = function(state) table.insert(state.data, 1, { id = 2000 + #state.data }) end },
        view = function(state) return ui.list { ui.forEach(state.data, function(item) return "row " .. item.id end) } end,
      }
      """)
    func rows() -> Value { tree.value["children"][0] }
    #expect(ids(rows()) == (1...60).map { .integer($0) })
    tree.show(.root, first: 501, count: 10)
    #expect(ids(rows()) == (501...510).map { .integer($0) })
    try store.send("first")
    #expect(ids(rows()) == (501...510).map { .integer($0) })
    #expect(tree.value["window"] == ["first": 502, "count": 10, "total": 1001])
    #expect(tree.value == tree.madeAnew)
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  // MARK: Presentation

  @Test func whatIsPresentedIsThereWhileItsStateIs() throws {
    let (scripts, store, tree) = try tree(
      Self.cases + """
        return scripted.feature {
          state = {},
          on = {
            open = function(state) state.destination = { child = Child.initial() } end,
            alert = function(state)
              state.destination = { alert = { title = "Sure?", message = "Really", buttons = {
                { label = "Delete", role = "destructive", action = "confirm" }, { label = "Keep", role = "cancel" },
              } } }
            end,
            ["destination.alert.confirm"] = function(state) state.confirmed = true end,
          },
          view = function() return ui.screen { title = "App", "body", sheet = "destination.child", alert = "destination.alert" } end,
        }:ifLet("destination", Cases)
        """)
    #expect(tree.value["sheet"] == .null && tree.value["alert"] == .null)
    try store.send("open")
    #expect(
      tree.value["sheet"] == [
        "kind": "child", "action": "destination.child",
        "children": [["kind": "text", "text": "n is 0"]],
      ])
    try store.send("destination.child.up")
    #expect(tree.evaluated == ["destination.child"])
    try store.send("alert")
    #expect(tree.value["sheet"] == .null)
    #expect(tree.value["alert"]["children"][0]["title"] == "Sure?")
    let task = try tree.perform(.tap, at: ViewPath([.presentation("alert"), .child(1), .child(1)]))
    #expect(task != nil)
    #expect(store.state["confirmed"] == true)
    #expect(tree.value["alert"] == .null)
    #expect(tree.value == tree.madeAnew)
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  @Test func aStackShowsItsRootAndItsEntries() throws {
    let (scripts, store, tree) = try tree(
      Self.cases + """
        return scripted.feature {
          state = { path = {} },
          view = function() return ui.navigation { path = "path", ui.text "root" } end,
        }:stack("path", Cases)
        """)
    #expect(tree.value["children"][0]["text"] == "root")
    try store.send("path.push", ["state": ["child": ["n": 7]]])
    try store.send("path.push", ["state": ["other": ["title": "Top"]]])
    let entries = tree.value["children"][1]
    #expect(entries["children"].array?.count == 2)
    #expect(text(tree).contains("Top") && !text(tree).contains("root"))
    try tree.perform(.back)
    #expect(store.state["path"].array?.count == 1)
    try store.send("path[0].child.up")
    #expect(tree.evaluated == ["path[0].child"])
    #expect(tree.value == tree.madeAnew)
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  // MARK: Swift

  @Test func aReducerInSwiftHasAView() throws {
    let app = Reducer.reduce { state, action in
      if action.path == "up" { state["n"] = Value.integer(Int64(state["n"].int ?? 0) + 1) }
      if action.path == "other" { state["other"] = true }
      return .none
    }
    .view { state, env in
      [
        "kind": "column",
        "children": [
          .string("n is \(state["n"].int ?? 0) on \(env["platform"].string ?? "?")"),
          ["kind": "child", "action": "child"], ["kind": "textField", "label": "N", "bind": "n"],
        ],
      ]
    }
    .scope("child", .script("app"))
    let scripts = try Scripts(
      ["app": "local ui = require \"scripted.ui\"\n" + Self.child + "return Child"])
    let store = try scripts.host.store(app, state: ["n": 1, "child": ["n": 5]])
    let tree = store.view()
    tree.recordEvaluated()
    #expect(tree.value["children"][0]["text"] == "n is 1 on text")
    #expect(tree.value["children"][1]["children"][0]["text"] == "n is 5")
    #expect(tree.value["children"][2]["value"] == 1)
    try store.send("other")
    #expect(tree.evaluated == [])
    try store.send("child.up")
    #expect(tree.evaluated == ["child"])
    try store.send("up")
    #expect(tree.evaluated == [""])
    #expect(tree.value["children"][0]["text"] == "n is 2 on text")
    #expect(tree.value == tree.madeAnew)
  }
}
