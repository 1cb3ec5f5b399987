import LuaBridge
import ScriptedStore
import Testing

/// `forEach`: over lists by id, over objects by key.
struct ForEachTests {
  private static let row = """
    local Row = scripted.feature {
      name = "Row", state = { id = 0, n = 0 },
      on = {
        up = function(state) state.n = state.n + 1 end,
        ask = function(state) return effect.merge(effect.send("up"), effect.send("told", { n = state.n })) end,
        fail = function(state) state.n = 99; error("row") end,
      },
      actions = { "told" },
    }

    """

  private func rows(_ ids: [Value]) -> Value {
    .array(Value.List(ids.map { ["id": $0, "n": 0] }))
  }

  private func numbers(_ store: Store, _ key: String = "rows") -> [Int] {
    store.state[key].array?.compactMap { $0["n"].int } ?? []
  }

  private func simple(_ options: String = "") throws -> Scripts {
    try Scripts(
      app: Self.row + """
        local App = scripted.feature {
          name = "App", state = { rows = scripted.array {} },
          on = {
            set = function(state, action) state.rows = action.rows end,
            rename = function(state, action) state.rows[action.at].id = action.to end,
            add = function(state, action) table.insert(state.rows, action.at or #state.rows + 1, action.row) end,
            remove = function(state, action) list.remove(state.rows, action.value) end,
            move = function(state, action) list.move(state.rows, action.from, action.to) end,
            seen = function() end,
          },
        }
        return App:forEach("rows", Row\(options))
        """)
  }

  // MARK: By id

  @Test(arguments: [1, "a", "", "1", 2.5, -7, "ä]\""] as [Value])
  func theElementWithTheIDRuns(_ id: Value) throws {
    let scripts = try simple()
    let store = try scripts.store(state: ["rows": rows(["x", id, "y"])])
    store.send(["type": "rows", "id": id, "action": ["type": "up"]])
    #expect(numbers(store) == [0, 1, 0])
    #expect(scripts.warnings.isEmpty, "\(scripts.warnings)")
  }

  @Test func idsAreEqualAsInLua() throws {
    let scripts = try simple()
    let store = try scripts.store(state: ["rows": rows([1, 2.0, "2"])])
    for id: Value in [1.0, 2, "2"] {
      store.send(["type": "rows", "id": id, "action": ["type": "up"]])
    }
    store.send("rows[1].up")
    #expect(numbers(store) == [2, 1, 1])
    store.send("rows[\"1\"].up")
    #expect(scripts.warnings.map(\.kind) == [.missingElement])
  }

  @Test func anotherFieldMayBeTheID() throws {
    let scripts = try simple(", { id = 'uuid', action = 'row' }")
    let store = try scripts.store(
      state: ["rows": [["id": 1, "uuid": "a", "n": 0], ["id": 2, "uuid": "b", "n": 0]]])
    store.send("row[b].up")
    #expect(numbers(store) == [0, 1])
    store.send("row[1].up")
    #expect(scripts.warnings.map(\.kind) == [.missingElement])
  }

  @Test(
    arguments: [
      (1, "rows[\"1\"].up", "the number 1 as id, which rows[1] reaches"),
      ("1", "rows[1].up", "the text \"1\" as id, which rows[\"1\"] reaches"),
    ] as [(Value, String, String)])
  func anIDOfTheOtherTypeIsTold(_ id: Value, _ action: String, _ message: String) throws {
    let scripts = try simple()
    let store = try scripts.store(state: ["rows": rows(["x", id])])
    try store.send(Action(path: action))
    #expect(scripts.warnings.map(\.kind) == [.missingElement])
    #expect(scripts.warnings.first?.message.contains(message) == true, "\(scripts.warnings)")
  }

  @Test func elementsWithoutAnIDAreTold() throws {
    let scripts = try simple()
    let store = try scripts.store(state: ["rows": [["uuid": 1], ["uuid": 2]]])
    store.send("rows[1].up")
    #expect(scripts.warnings.map(\.kind) == [.missingElement])
    #expect(
      scripts.warnings.first?.message.contains("no element of state.rows has the field 'id'")
        == true,
      "\(scripts.warnings)")
  }

  @Test func aMissingElementWarnsAndTheParentStillRuns() throws {
    let scripts = try Scripts(
      app: Self.row + """
        local App = scripted.feature {
          state = { rows = { { id = 1, n = 0 } }, ran = 0 },
          on = {
            put = function(state, action) state.rows = action.rows end,
            ["rows[*].up"] = function(state) state.ran = state.ran + 1 end,
          },
        }
        return App:forEach("rows", Row)
        """)
    let store = try scripts.store()
    store.send("rows[7].up")
    let warning = try #require(scripts.warnings.first)
    #expect(scripts.warnings.count == 1 && warning.kind == .missingElement)
    #expect(warning.origin == "forEach at app.lua:17")
    #expect(warning.action == "rows[7].up")
    for part in [
      "forEach at app.lua:17", "\"rows[7].up\"", "state.rows", "id 7", "removed the element",
    ] {
      #expect(warning.message.contains(part), "\(warning)")
    }
    #expect(store.state["ran"] == 1)
    for payload: Value in [["rows": nil], ["rows": 5], ["rows": [1, 2]], ["rows": [:]], [:]] {
      let other = try scripts.store()
      try other.send("put", payload)
      let before = scripts.warnings.count
      other.send("rows[1].up")
      #expect(scripts.warnings.count == before + 1 && other.state["ran"] == 1, "\(payload)")
    }
    #expect(scripts.errors.isEmpty)
  }

  @Test func anActionWithoutIDWarns() throws {
    let scripts = try simple()
    let store = try scripts.store(state: ["rows": [["n": 0], ["id": 1, "n": 0]]])
    store.send("rows.up")
    #expect(scripts.warnings.map(\.kind) == [.malformedAction])
    #expect(numbers(store) == [0, 0])
  }

  @Test func anElementThatRaisesRollsEverythingBack() throws {
    let scripts = try simple()
    let store = try scripts.store(state: ["rows": rows([1, 2])])
    store.send("rows[2].fail")
    #expect(numbers(store) == [0, 0])
    #expect(scripts.errors.first?.feature == "Row")
    #expect(scripts.errors.first?.line == 6)
  }

  @Test func anElementsEffectsComeBackToIt() throws {
    let scripts = try simple()
    let store = try scripts.store(state: ["rows": rows([1, "b"])])
    let actions = Recorder<Action>()
    let observation = store.onAction { actions.record($0.action) }
    store.send("rows[b].ask")
    observation.cancel()
    #expect(
      actions.all.map(\.description) == ["rows[b].ask", "rows[b].up", "rows[b].told { n = 0 }"])
    #expect(numbers(store) == [0, 1])
  }

  @Test func anElementMayChangeItsOwnID() throws {
    let scripts = try Scripts(
      app: """
        local Row = scripted.feature { on = { become = function(state, action) state.id = action.value end } }
        return scripted.feature { state = { rows = { { id = 1 }, { id = 2 } } }, on = {} }:forEach("rows", Row)
        """)
    let store = try scripts.store()
    try store.send("rows[1].become", 10)
    try store.send("rows[10].become", 11)
    try store.send("rows[1].become", 12)
    #expect(store.state["rows"] == [["id": 11], ["id": 2]])
    #expect(scripts.warnings.map(\.kind) == [.missingElement])
  }

  // MARK: Duplicate ids

  @Test(arguments: [2, 40, 300])
  func duplicatesWarnWhenAnActionMakesThemAndWheneverOneIsAddressed(_ count: Int) throws {
    let scripts = try simple()
    let store = try scripts.store(state: ["rows": rows((1...count).map { .integer(Int64($0)) })])
    #expect(scripts.warnings.isEmpty)
    try store.send("add", ["row": ["id": 2, "n": 50]])
    let warning = try #require(scripts.warnings.first)
    #expect(scripts.warnings.count == 1)
    #expect(warning.kind == .duplicateID)
    #expect(warning.origin == "forEach at app.lua:21")
    #expect(warning.action == "add")
    #expect(warning.message.contains("id 2, at the indices 2 and \(count + 1);"), "\(warning)")
    // Nothing new: nothing is said.
    store.send("rows[1].up")
    store.send("seen")
    #expect(scripts.warnings.count == 1)
    // The first one wins.
    store.send("rows[2].up")
    #expect(scripts.warnings.count == 2)
    #expect(scripts.warnings.last?.message.contains("at the indices 2 and \(count + 1);") == true)
    #expect(numbers(store)[1] == 1 && numbers(store).last == 50)
    // Gone, and made again by a rename.
    try store.send("remove", 2)
    store.send("rows[2].up")
    #expect(scripts.warnings.count == 2)
    #expect(numbers(store).last == 51)
    try store.send("rename", ["at": 1, "to": 2])
    #expect(scripts.warnings.count == 3)
    #expect(scripts.warnings.last?.message.contains("at the indices 1 and \(count);") == true)
    #expect(scripts.errors.isEmpty)
  }

  @Test(arguments: [3, 100])
  func duplicatesOfTheInitialStateWarnWhenTheStoreIsMade(_ count: Int) throws {
    let scripts = try simple()
    let ids = (1...count).map { Value.integer(Int64($0)) } + [1.0]
    let store = try scripts.store(state: ["rows": rows(ids)])
    let warning = try #require(scripts.warnings.first)
    #expect(scripts.warnings.count == 1 && warning.kind == .duplicateID && warning.action == nil)
    #expect(warning.message.contains("at the indices 1 and \(count + 1);"), "\(warning)")
    store.send("rows[1].up")
    #expect(scripts.warnings.count == 2)
  }

  @Test func anActionThatRaisesWarnsOfNoDuplicates() throws {
    let scripts = try Scripts(
      app: Self.row + """
        return scripted.feature { state = { rows = { { id = 1 } } }, on = {
          go = function(state) table.insert(state.rows, { id = 1 }); error("no") end,
        } }:forEach("rows", Row)
        """)
    try scripts.store().send("go")
    #expect(scripts.warnings.isEmpty && scripts.errors.count == 1)
  }

  @Test func elementsWithoutIDsAreNoDuplicates() throws {
    let scripts = try simple()
    try scripts.store().send("set", ["rows": [["n": 0], ["n": 0], 1, 1, "x"]])
    #expect(scripts.warnings.isEmpty, "\(scripts.warnings)")
  }

  @Test func duplicatesBehindALazyChildWarn() throws {
    let scripts = try Scripts(
      app: Self.row + """
        local List = scripted.feature { on = { add = function(state) table.insert(state.rows, { id = 1, n = 0 }) end } }
          :forEach("rows", Row)
        return scripted.feature { state = { list = { rows = { { id = 1, n = 0 } } } }, on = {} }
          :scope("list", function() return List end)
        """)
    let store = try scripts.store()
    #expect(scripts.warnings.isEmpty)
    store.send("list.add")
    #expect(scripts.warnings.map(\.kind) == [.duplicateID])
    _ = try scripts.store(state: ["list": ["rows": rows([5, 5])]])
    #expect(scripts.warnings.count == 2)
  }

  // MARK: By key

  @Test func anObjectsValuesRunByKey() throws {
    let scripts = try Scripts(
      app: Self.row + """
        return scripted.feature {
          state = { rows = { a = { n = 0 }, ["7"] = { n = 0 }, x = 5 }, ids = {} },
          on = { ["rows[*].up"] = function(state, _, _, ids) table.insert(state.ids, ids[1]) end },
        }:forEach("rows", Row)
        """)
    let store = try scripts.store()
    for path in ["rows[a].up", "rows[7].up", "rows[\"7\"].up"] { try store.send(path) }
    #expect(scripts.warnings.isEmpty)
    #expect(store.state["rows"] == ["a": ["n": 1], "7": ["n": 2], "x": 5])
    #expect(store.state["ids"] == ["a", 7, "7"])
    store.send("rows[b].up")
    store.send("rows[x].up")
    #expect(scripts.warnings.map(\.kind) == [.missingElement, .missingElement])
    #expect(store.state["rows"]["b"].isNull)
    store.send(["type": "rows", "id": 7.0, "action": ["type": "up"]])
    #expect(store.state["rows"]["7"] == ["n": 3])
  }

  @Test func listsInAnObjectsValueAreTheSameByStringAndInteger() throws {
    let scripts = try Scripts(
      app: Self.row + """
        local Group = scripted.feature { on = { rename = function(state) state.rows[1].id = 50 end } }
          :forEach("rows", Row)
        return scripted.feature { state = { groups = { ["7"] = { rows = {} } } }, on = {} }:forEach("groups", Group)
        """)
    let store = try scripts.store(
      state: ["groups": ["7": ["rows": rows((1...100).map { .integer($0) })]]])
    store.send("groups[7].rows[50].up")
    #expect(scripts.warnings.isEmpty)
    store.send("groups[7].rename")
    #expect(scripts.warnings.map(\.kind) == [.duplicateID])
    store.send("groups[7].rows[50].up")
    // The first of the two, with a warning.
    #expect(scripts.warnings.count == 2)
    #expect(store.state["groups"]["7"]["rows"][0]["n"] == 1)
    #expect(store.state["groups"]["7"]["rows"][49]["n"] == 1)
  }

  @Test func effectsOfAnObjectsValueComeBackToIt() throws {
    let scripts = try Scripts(
      app: Self.row + """
        return scripted.feature { state = { rows = { ["7"] = { n = 0 } } }, on = {} }:forEach("rows", Row)
        """)
    let store = try scripts.store()
    store.send("rows[7].ask")
    #expect(store.state["rows"]["7"] == ["n": 1])
    #expect(scripts.warnings.isEmpty)
  }

  // MARK: Nesting

  @Test func listsInListsAreKeptApart() throws {
    let scripts = try Scripts(
      app: Self.row + """
        local Group = scripted.feature { name = "Group", state = { id = 0, rows = {} }, on = {
          add = function(state, action) table.insert(state.rows, { id = action.value, n = 0 }) end,
        } }:forEach("rows", Row)
        return scripted.feature { state = { groups = {}, log = {} }, on = {
          ["groups[*].rows[*].up"] = function(state, _, _, ids) table.insert(state.log, ids[1] .. "/" .. ids[2]) end,
        } }:forEach("groups", Group)
        """)
    // Long enough to be indexed.
    func group(_ id: Int64, _ ids: [Int64]) -> Value {
      ["id": .integer(id), "rows": rows(ids.map { .integer($0) })]
    }
    let store = try scripts.store(
      state: [
        "groups": .array([
          group(1, Array(1...100)), group(2, Array((1...100).reversed())), group(3, [5]),
        ])
      ])
    for path in [
      "groups[1].rows[3].up", "groups[2].rows[3].up", "groups[2].rows[100].up",
      "groups[3].rows[5].up", "groups[1].rows[3].up",
    ] { try store.send(path) }
    func n(_ group: Int, _ row: Int) -> Value { store.state["groups"][group]["rows"][row]["n"] }
    #expect(n(0, 2) == 2 && n(1, 97) == 1 && n(1, 0) == 1 && n(2, 0) == 1)
    #expect(store.log == ["1/3", "2/3", "2/100", "3/5", "1/3"])
    #expect(scripts.warnings.isEmpty)
    try store.send("groups[2].add", 3)
    #expect(scripts.warnings.map(\.kind) == [.duplicateID])
    #expect(scripts.warnings.first?.message.contains("at the indices 98 and 101;") == true)
    store.send("groups[1].rows[3].up")
    #expect(scripts.warnings.count == 1)
  }

  @Test func elementsRecurseThroughAFunction() throws {
    let scripts = try Scripts(
      app: """
        local Node
        Node = scripted.feature {
          name = "Node", state = { id = 0, n = 0 },
          on = {
            up = function(state) state.n = state.n + 1 end,
            add = function(state, action)
              state.children = state.children or {}
              table.insert(state.children, { id = action.value, n = 0 })
            end,
            ["children[*].up"] = function(state) state.n = state.n + 100 end,
            ["children[*].children[*].up"] = function(state) state.n = state.n + 10000 end,
          },
        }:forEach("children", function() return Node end)
        return Node
        """)
    let store = try scripts.store()
    var path = ""
    for id in 1...20 {
      try store.send(path + "add", .integer(Int64(id)))
      path += "children[\(id)]."
    }
    try store.send(path + "up")
    #expect(
      scripts.errors.isEmpty && scripts.warnings.isEmpty, "\(scripts.errors) \(scripts.warnings)")
    var node = store.state
    var sums: [Int] = []
    while !node.isNull {
      sums.append(node["n"].int ?? -1)
      node = node["children"][0]
    }
    // The most segments win, at each level.
    #expect(sums.suffix(3) == [10000, 100, 1])
    #expect(sums.dropLast(3).allSatisfy { $0 == 10000 || $0 == 0 })
    try store.send("children[1].children[2].add", 3)
    #expect(scripts.warnings.map(\.kind) == [.duplicateID])
  }

  // MARK: Long lists

  /// The second list has as many levels as one of half a million.
  @Test(arguments: [(2000, 400), (40_000, 30)])
  func longListsFollowEveryEdit(_ count: Int, _ steps: Int) throws {
    let scripts = try simple()
    let store = try scripts.store(
      state: ["rows": rows((1...count).map { .integer(Int64($0)) })])
    var expected = Array(1...count)
    var ups: [Int: Int] = [:]
    var random = SplitMix(seed: 7)
    var next = count
    for step in 0..<steps {
      let at = Int.random(in: 0..<expected.count, using: &random)
      switch step % 6 {
      case 0:
        next += 1
        try store.send(
          "add", ["at": .integer(Int64(at + 1)), "row": ["id": .integer(Int64(next)), "n": 0]])
        expected.insert(next, at: at)
      case 1:
        try store.send("remove", .integer(Int64(expected[at])))
        ups[expected.remove(at: at)] = nil
      case 2:
        let to = Int.random(in: 0...expected.count, using: &random)
        try store.send(
          "move", ["from": [.integer(Int64(at + 1))], "to": .integer(Int64(to + 1))])
        let id = expected.remove(at: at)
        expected.insert(id, at: to > at ? to - 1 : to)
      case 3:
        try store.send("rename", ["at": .integer(Int64(at + 1)), "to": .integer(Int64(-step))])
        ups[-step] = ups.removeValue(forKey: expected[at])
        expected[at] = -step
      default:
        try store.send("rows[\(expected[at])].up")
        ups[expected[at], default: 0] += 1
      }
    }
    #expect(
      scripts.warnings.isEmpty && scripts.errors.isEmpty, "\(scripts.warnings) \(scripts.errors)")
    let result = store.state["rows"].array ?? []
    #expect(result.map { $0["id"].int } == expected)
    #expect(result.map { $0["n"].int ?? 0 } == expected.map { ups[$0] ?? 0 })
  }

  @Test func anActionBringsAWholeNewList() throws {
    let scripts = try simple()
    let store = try scripts.store(state: ["rows": rows((1...50).map { .integer(Int64($0)) })])
    store.send("rows[50].up")
    try store.send("set", ["rows": rows((1...50).map { .integer(Int64(100 - $0)) })])
    store.send("rows[50].up")
    store.send("rows[99].up")
    #expect(numbers(store).first == 1 && numbers(store).last == 1)
    try store.send("set", ["rows": []])
    store.send("rows[50].up")
    #expect(scripts.warnings.map(\.kind) == [.missingElement])
    try store.send("add", ["row": ["id": 50, "n": 4]])
    store.send("rows[50].up")
    #expect(numbers(store) == [5])
  }

  // MARK: Malformed actions

  @Test func anActionWithoutOneForTheElementWarns() throws {
    let scripts = try Scripts(
      app: """
        local Row = scripted.feature { on = { up = function(state) state.n = 1 end } }
        local App = scripted.feature { name = "App", state = { rows = {{ id = "y" }}, child = {} }, on = {} }
        App = App:forEach("rows", Row, { action = "row" })
        return App:scope("child", Row)
        """)
    let store = try scripts.store()
    func warning(_ action: Value) throws -> RuntimeWarning? {
      let before = scripts.warnings.count
      try store.send(action)
      #expect(scripts.warnings.count <= before + 1)
      return scripts.warnings.dropFirst(before).first
    }
    let number = try #require(try warning(["type": "row", "id": "y", "action": 3]))
    #expect(number.kind == .malformedAction && number.origin == "forEach at app.lua:3")
    #expect(
      number.message.hasPrefix(
        "forEach at app.lua:3: the action \"row\" has one for the child that is no table: 3;"))
    #expect(number.message.contains("\"row[ID].…\""))
    let none = try warning(["type": "row", "id": "y"])
    #expect(
      none?.kind == .malformedAction && none?.message.contains("has none for the child") == true)
    let anonymous = try warning(["type": "row", "action": ["type": "up"]])
    #expect(anonymous?.kind == .malformedAction && anonymous?.message.contains("has no id") == true)
    let text = try warning(["type": "child", "action": "up"])
    #expect(text?.kind == .malformedAction && text?.origin == "scope at app.lua:4")
    let list = try warning(["type": "child", "action": []])
    #expect(list?.kind == .malformedAction)
    #expect(store.state == ["rows": [["id": "y"]], "child": [:]])
  }

  @Test func aParentMayHandleTheBareType() throws {
    let scripts = try Scripts(
      app: """
        local App = scripted.feature {
          state = { rows = {}, child = {}, bare = 0 },
          actions = { "child" },
          on = { rows = function(state) state.bare = state.bare + 1 end },
        }
        return App:forEach("rows", scripted.empty):scope("child", scripted.empty)
        """)
    let store = try scripts.store()
    store.send("rows")
    store.send("child")
    #expect(store.state["bare"] == 1)
    #expect(scripts.warnings.isEmpty, "\(scripts.warnings)")
    store.send(["type": "rows", "action": 1])
    #expect(scripts.warnings.map(\.kind) == [.malformedAction])
  }

  // MARK: Options

  @Test(arguments: [
    ("Row:forEach()", "bad argument #2 to 'forEach' (reducer expected, got nil)"),
    ("Row:forEach('a')", "bad argument #2 to 'forEach'"),
    ("Row:forEach(nil, Row)", "the key of 'forEach' must be a string, not nil"),
    ("Row:forEach({}, Row)", "the key of 'forEach' must be a string, not table"),
    ("Row:forEach('a', Row, { key = 'x' })", "'forEach' has no option 'key'"),
    ("Row:forEach('a', Row, { acton = 'x' })", "no option 'acton'; did you mean 'action'?"),
    ("Row:forEach('a', Row, { id = 5 })", "the option 'id' of 'forEach' must be a string"),
    (
      "Row:forEach('a', Row):forEach('b', Row, { action = 'a' })",
      "two operators have the action name 'a'"
    ),
  ]) func aWrongForEachRaisesWhereItStands(_ made: String, _ message: String) throws {
    let scripts = try Scripts(app: Self.row + "local made = \(made)\nreturn made")
    let error = try #require(scriptError { _ = try scripts.store() })
    #expect(error.message.contains(message), "\(error)")
    #expect(error.script == "app.lua" && error.line == 10, "\(error)")
  }
}
