import LuaBridge
import ScriptView
import ScriptedStore
import Testing

/// Rows that a view makes of data or of a range by a function.
struct ViewDataTests {
  @Test func dataWithIDsHasRowsByAFunction() throws {
    let (scripts, store, tree) = try shown(
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
    store.send("rename")
    #expect(rows()["children"][0].isIdentical(to: before["children"][0]))
    #expect(rows()["children"][1]["children"][0]["text"] == "2: Plum kg")
    store.send("add")
    #expect(rows()["children"][2]["children"][0]["text"] == "3: Plum kg")
    store.send("unit")
    #expect(rows()["children"][2]["children"][0]["text"] == "3: Plum lb")
    store.send("other")
    #expect(tree.evaluated == [])
    #expect(tree.value == tree.madeAnew)
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  @Test func aRowRunsAgainWithWhatItReadsOfTheState() throws {
    let (_, store, tree) = try shown(
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
    store.send("age")
    #expect(tree.evaluated == [])
    store.send("rename")
    #expect(tree.value["children"][1]["text"] == "y of Blob Jr.")
    #expect(ids(tree.value) == ["x", "y"])
  }

  @Test func bindingsReachIntoDataInsideOfData() throws {
    let (scripts, store, tree) = try shown(
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
    let (_, store, tree) = try shown(
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
    store.send("up")
    #expect(ids(tree.value["children"][0]) == [1, 2, 3])
  }

  @Test(arguments: [
    "math.mininteger, math.maxinteger", "0, math.maxinteger", "math.mininteger, 0",
    "1, 1 << 60",
  ])
  func aRangeOfAllNumbersIsTooMuchOutsideOfAList(_ range: String) throws {
    for limits in [Limits.standard, .untrusted, .init()] {
      let scripts = try Scripts(
        [
          "app": """
          local ui = require "scripted.ui"
          return scripted.feature {
            name = "App", state = {},
            view = function() return ui.column { ui.forEach(\(range), function(n) return n end) } end,
          }
          """
        ], configure: { $0.limits = limits })
      let tree = try scripts.store().view()
      #expect(tree.value["kind"] == "failed")
      #expect(scripts.errors.map(\.kind) == [.viewNodes])
    }
  }

  @Test func aListShowsAWindowOfAllNumbers() throws {
    let (scripts, store, tree) = try shown(
      """
      return scripted.feature {
        state = { first = math.mininteger },
        on = { next = function(state) state.first = state.first + 1 end, far = function(state) state.first = 0 end },
        view = function(state)
          local function row(n) return n end
          return ui.list { ui.forEach(state.first, math.maxinteger, row), ui.forEach(0, math.maxinteger, row), "end" }
        end,
      }
      """)
    let most = 1 << 53
    #expect(tree.value["window"] == ["first": 1, "count": 60, "total": .integer(Int64(most))])
    #expect(ids(tree.value["children"][0]).first == .integer(.min))
    for (first, count) in [(Int.min, Int.min), (.max, .max), (0, .max)] {
      tree.show(.root, first: first, count: count)
      #expect(ViewNode(tree.value).window != nil)
    }
    tree.show(.root, first: 101, count: 60)
    #expect(ids(tree.value["children"][0]).first == .integer(.min + 100))
    // The window goes with the element of its first row, and stays where that is gone.
    store.send("next")
    #expect(ids(tree.value["children"][0]).first == .integer(.min + 100))
    store.send("far")
    #expect(ids(tree.value["children"][0]).count == 60)
    #expect(tree.value == tree.madeAnew)
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  @Test func oneBadRowLeavesTheOthersStanding() throws {
    let (scripts, store, tree) = try shown(
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
    store.send("mend")
    #expect(tree.value["children"][1]["text"] == "B")
    #expect(scripts.errors.count == 1)
  }

  @Test func twoElementsOfOneIDAreAWarningWithBothIndices() throws {
    let (scripts, _, tree) = try shown(
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

  @Test func aLongListOfDataHasAWindow() throws {
    let (scripts, store, tree) = try shown(
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
    store.send("first")
    #expect(ids(rows()) == (501...510).map { .integer($0) })
    #expect(tree.value["window"] == ["first": 502, "count": 10, "total": 1001])
    #expect(tree.value == tree.madeAnew)
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }
}
