import LuaBridge
import ScriptedStore
import Testing

/// Shared fields whose keys a function of the state chooses.
struct DynamicKeyTests {
  private static let app = """
    local shared = scripted.shared
    local function document(state)
      return state.id and shared.fileStorage("documents/" .. state.id .. ".json", { text = "" }, { interval = 0 })
    end
    return scripted.feature {
      name = "App", state = { heard = {} }, shared = { document = document },
      on = {
        open = function(state, action) state.id = action.id end,
        close = function(state) state.id = nil end,
        write = function(state, action) state.document.text = action.text end,
        move = function(state, action) state.document.text = "moved" state.id = action.id end,
      },
    }:onChange("document", function(state, _, new)
      table.insert(state.heard, new and new.text or "none")
    end)
    """

  private func scripts(_ storage: MemoryStorage = MemoryStorage(), app: String = app) throws
    -> Scripts
  {
    try Scripts(["app": app]) { $0.shared = storage }
  }

  @Test func theFieldShowsTheValueOfTheKeyThatTheStateChooses() throws {
    let storage = MemoryStorage()
    storage.replace("documents/b.json", with: Array("{\"text\":\"from before\"}".utf8))
    let scripts = try scripts(storage)
    let store = try scripts.store()
    #expect(store.state == ["heard": []])
    try store.send("open", ["id": "a"])
    #expect(store.state["document"] == ["text": ""])
    try store.send("write", ["text": "x"])
    try store.send("open", ["id": "b"])
    #expect(store.state["document"] == ["text": "from before"])
    try store.send("write", ["text": "y"])
    try store.send("open", ["id": "a"])
    #expect(store.state["document"] == ["text": "x"])
    store.send("close")
    #expect(store.state["document"] == .null)
    #expect(store.state["heard"] == ["", "x", "from before", "y", "x", "none"])
    scripts.host.flush()
    #expect(try Value(json: storage.read("documents/a.json") ?? []) == ["text": "x"])
    #expect(try Value(json: storage.read("documents/b.json") ?? []) == ["text": "y"])
    #expect(scripts.errors.isEmpty)
  }

  @Test func whatAnActionWritesBeforeItChoosesAnotherKeyBelongsToTheOldOne() throws {
    let scripts = try scripts()
    let store = try scripts.store(state: ["id": "a"])
    try store.send("move", ["id": "b"])
    #expect(store.state["document"] == ["text": ""])
    #expect(
      scripts.host.shared("documents/a.json", kind: .fileStorage).value == ["text": "moved"])
  }

  @Test func theTreeShowsThatAFunctionChooses() throws {
    let scripts = try scripts()
    let tree = try scripts.host.tree(of: "app").description
    #expect(tree.contains("shared document = function(state) (app.lua:"))
  }

  @Test func storesWithOneKeyHearOfEachOtherAndOthersDoNot() throws {
    let scripts = try scripts()
    let stores = try ["a", "a", "b"].map { try scripts.store(state: ["id": .string($0)]) }
    try stores[0].send("write", ["text": "x"])
    #expect(stores.map(\.state["document"]["text"]) == ["x", "x", ""])
  }

  @Test func aChangeOfTheKeyIsAStepOfTheHistory() throws {
    let scripts = try scripts()
    let store = try scripts.store()
    let history = store.record()
    try store.send("open", ["id": "a"])
    try store.send("write", ["text": "x"])
    try store.send("open", ["id": "b"])
    #expect(history.entries(1...5).map(\.source) == [.input, .shared, .input, .input, .shared])
    try history.go(to: 3)
    #expect(store.state["document"] == ["text": "x"])
    // The next action is one on the state of then, so the key is the one of then.
    try store.send("write", ["text": "z"])
    #expect(store.state["document"] == ["text": "z"])
    #expect(scripts.host.shared("documents/b.json", kind: .fileStorage).value == ["text": ""])
  }

  @Test func aReloadAsksTheNewFunction() async throws {
    let scripts = try scripts()
    let store = try scripts.store(state: ["id": "a"])
    try store.send("write", ["text": "x"])
    try scripts.folder.write(
      Scripts.locals + Self.app.replacing("\"documents/\" ..", with: "\"other/\" .."),
      to: "app.lua")
    _ = try await scripts.host.reload()
    #expect(store.state["document"] == ["text": ""])
  }

  @Test func whatTheFunctionRaisesLeavesTheKey() throws {
    let app = """
      local count = scripted.shared.inMemory("count", 0)
      return scripted.feature {
        state = { mode = "key" },
        shared = { count = function(state)
          if state.mode == "raise" then error("no key today") end
          if state.mode == "number" then return 3 end
          return count
        end },
        on = {
          mode = function(state, action) state.mode = action.mode end,
          inc = function(state) state.count = state.count + 1 end,
        },
      }
      """
    let scripts = try scripts(app: app)
    let store = try scripts.store()
    try store.send("mode", ["mode": "raise"])
    store.send("inc")
    #expect(store.state == ["mode": "raise", "count": 1])
    #expect(scripts.warnings.first?.message.contains("no key today") == true)
    #expect(scripts.warnings.first?.action == "mode")
    try store.send("mode", ["mode": "number"])
    #expect(
      scripts.warnings.last?.message.contains("must return a key or nil, not a number") == true)
  }

  @Test func aFunctionThatNeverStaysIsStopped() throws {
    let app = """
      return scripted.feature {
        state = {}, shared = { n = function(state) return scripted.shared.inMemory("k" .. ((state.n or 0) + 1), (state.n or 0) + 1) end },
        on = { go = function(state) state.x = 1 end },
      }
      """
    let scripts = try scripts(app: app)
    let store = try scripts.store()
    store.send("go")
    #expect(scripts.warnings.first?.message.contains("again and again") == true)
  }

  @Test func aFieldWithoutAKeyCannotBeWritten() throws {
    let app = """
      return scripted.feature {
        state = {}, shared = { n = function() return nil end },
        on = { write = function(state) state.n = 1 end },
      }
      """
    let scripts = try scripts(app: app)
    let store = try scripts.store()
    store.send("write")
    #expect(store.state == [:])
    #expect(scripts.errors.first?.message.contains("no key is chosen") == true)
  }

  // MARK: Parts

  private static let parts = """
    local shared = scripted.shared
    local groups = shared.inMemory("groups", {
      { id = 1, name = "a", tags = { main = "x" } }, { id = 2, name = "b", tags = { main = "y" } },
    })
    local function selected(state) return state.id and { state.id } end
    return scripted.feature {
      name = "App", state = { heard = {} },
      shared = {
        groups = groups, group = groups:at(selected), shown = groups:at(selected):at("name"):reader(),
        chosen = groups:at(selected):at("tags"):at(function(state) return state.tag end),
      },
      on = {
        select = function(state, action) state.id = action.id state.tag = action.tag end,
        rename = function(state, action) state.group.name = action.name end,
        write = function(state) state.shown = "z" end,
      },
    }:onChange("group", function(state, _, new) table.insert(state.heard, new and new.name or "none") end)
    """

  @Test func theStateChoosesThePartOfAKey() throws {
    let scripts = try scripts(app: Self.parts)
    let store = try scripts.store()
    #expect(store.state.object?["group"] == nil)
    try store.send("select", ["id": 2])
    #expect(store.state["group"]["name"] == "b")
    #expect(store.state["shown"] == "b")
    try store.send("rename", ["name": "c"])
    #expect(store.state["groups"][1]["name"] == "c")
    #expect(store.state["shown"] == "c")
    #expect(store.state["groups"][0]["name"] == "a")
    try store.send("select", ["id": 1])
    #expect(store.state["shown"] == "a")
    try store.send("select", [:])
    #expect(store.state.object?["shown"] == nil)
    #expect(store.state["heard"] == ["b", "c", "a", "none"])
    #expect(scripts.errors.isEmpty)
  }

  @Test func aFunctionMayReturnAKeyWhosePartTheStateChooses() throws {
    let scripts = try scripts(
      app: Self.parts.replacing(
        "group = groups:at(selected),", with: "group = function() return groups:at(selected) end,"))
    let store = try scripts.store()
    #expect(store.state.object?["group"] == nil)
    try store.send("select", ["id": 2])
    #expect(store.state["group"]["name"] == "b")
    try store.send("rename", ["name": "c"])
    #expect(store.state["groups"][1]["name"] == "c")
    try store.send("select", [:])
    #expect(store.state.object?["group"] == nil)
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  @Test func aPartOfAChosenPartMayBeChosenToo() throws {
    let store = try scripts(app: Self.parts).store()
    try store.send("select", ["id": 2, "tag": "main"])
    #expect(store.state["chosen"] == "y")
    try store.send("select", ["id": 2])
    #expect(store.state.object?["chosen"] == nil)
  }

  @Test func aReaderOfAChosenPartIsNotWritten() throws {
    let scripts = try scripts(app: Self.parts)
    let store = try scripts.store(state: ["id": 1])
    store.send("write")
    #expect(store.state["groups"][0]["name"] == "a")
    #expect(scripts.errors.first?.message.contains("state.shown is read-only") == true)
  }

  @Test(arguments: [
    ("return 1", "a path is expected"), ("return { print }", "keys and ids, not a function"),
    ("error('no luck')", "no luck"),
  ])
  func aFunctionThatReturnsNoPathIsTold(body: String, message: String) throws {
    let scripts = try scripts(
      app: """
        return scripted.feature {
          state = {}, shared = { n = scripted.shared.inMemory("n", { a = 1 }):at(function(state) \(body) end) },
          on = { go = function(state) state.gone = true end },
        }
        """)
    #expect {
      try scripts.store()
    } throws: {
      "\($0)".contains(message)
    }
  }

  @Test func aChosenPartHasNoValueWithoutAState() throws {
    let scripts = try scripts(
      app: """
        local n = scripted.shared.inMemory("n", { a = 1 }):at(function() return "a" end)
        return scripted.feature {
          state = {}, on = { go = function() n:get() end },
        }
        """)
    let store = try scripts.store()
    store.send("go")
    #expect(
      scripts.errors.first?.message.contains(
        "the key belongs in `shared`; 'get' needs key:at(path)") == true,
      "\(scripts.errors)")
  }

  // MARK: Elements

  /// As TCA's SyncUps: a stack whose elements show `$syncUps[id]`; here also a list and a dictionary.
  private static let elements = """
    local shared = scripted.shared
    local todos = shared.inMemory("todos", { { id = 1, title = "a" }, { id = 2, title = "b" } })
    local Detail = scripted.feature {
      name = "Detail", state = { todo = 0, heard = {} },
      shared = { shown = todos:at(function(state) return { state.todo } end) },
      on = {
        rename = function(state, action) state.shown.title = action.title end,
        choose = function(state, action) state.todo = action.todo end,
      },
    }:onChange("shown.title", function(state, _, new) table.insert(state.heard, new or "none") end)
    return scripted.feature {
      name = "App", state = { path = {}, rows = {}, named = {} }, shared = { todos = todos },
      on = {
        open = function(state, action) table.insert(state.rows, { key = action.key, todo = action.todo, heard = {} }) end,
        name = function(state, action) state.named[action.key] = { todo = action.todo, heard = {} } end,
        reverse = function(state) 
          table.insert(state.rows, 1, table.remove(state.rows))
          table.insert(state.rows, 2, table.remove(state.rows, 3))
        end,
        close = function(state) table.remove(state.rows, 1) end,
        addTodo = function(state, action) table.insert(state.todos, { id = action.id, title = action.title }) end,
      },
    }:stack("path", scripted.cases { detail = Detail })
      :forEach("rows", Detail, { id = "key" }):forEach("named", Detail)
    """

  private func titles(_ store: Store) -> [Value] {
    store.state["rows"].array?.map { $0["shown"]["title"] } ?? []
  }

  @Test func eachElementOfAStackShowsThePartThatItsStateChooses() throws {
    let scripts = try scripts(app: Self.elements)
    let store = try scripts.store()
    try store.send("path.push", ["state": ["detail": ["todo": 2, "heard": []]]])
    try store.send("path.push", ["state": ["detail": ["todo": 1, "heard": []]]])
    #expect(store.state["path"][0]["detail"]["shown"] == ["id": 2, "title": "b"])
    #expect(store.state["path"][1]["detail"]["shown"] == ["id": 1, "title": "a"])
    try store.send("path[0].detail.rename", ["title": "c"])
    #expect(store.state["todos"][1]["title"] == "c")
    #expect(store.state["path"][0]["detail"]["shown"]["title"] == "c")
    #expect(store.state["path"][1]["detail"]["shown"]["title"] == "a")
    #expect(store.state["path"][0]["detail"]["heard"] == ["b", "c"])
    try store.send("path[1].detail.choose", ["todo": 2])
    try store.send("path[1].detail.rename", ["title": "d"])
    #expect(store.state["path"][0]["detail"]["shown"]["title"] == "d")
    #expect(store.state["path"][1]["detail"]["heard"] == ["a", "c", "d"])
    try store.send("path.popFrom", ["id": 0])
    #expect(store.state["path"] == [])
    #expect(store.state["todos"][1]["title"] == "d")
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  @Test func elementsKeepWhatTheyShowWhereverTheyMove() throws {
    let scripts = try scripts(app: Self.elements)
    let store = try scripts.store()
    try store.send("open", ["key": "x", "todo": 1])
    try store.send("open", ["key": "y", "todo": 2])
    try store.send("open", ["key": "z", "todo": 9])
    #expect(titles(store) == ["a", "b", .null])
    store.send("reverse")
    #expect(titles(store) == [.null, "b", "a"])
    try store.send("rows[y].rename", ["title": "c"])
    try store.send("rows[z].rename", ["title": "c"])
    #expect(scripts.errors.count == 1)
    try store.send("addTodo", ["id": 9, "title": "i"])
    #expect(titles(store) == ["i", "c", "a"])
    store.send("close")
    try store.send("rows[x].rename", ["title": "e"])
    #expect(titles(store) == ["c", "e"])
    #expect(
      store.state["todos"]
        == [["id": 1, "title": "e"], ["id": 2, "title": "c"], ["id": 9, "title": "i"]])
  }

  @Test func elementsOfADictionaryChooseToo() throws {
    let scripts = try scripts(app: Self.elements)
    let (store, other) = (try scripts.store(), try scripts.store())
    try store.send("name", ["key": "p", "todo": 2])
    try store.send("named[p].rename", ["title": "c"])
    #expect(store.state["named"]["p"]["shown"]["title"] == "c")
    #expect(other.state["todos"][1]["title"] == "c")
    #expect(scripts.errors.isEmpty)
  }

  @Test func aStoreMayBeginWithElementsThatChoose() throws {
    let store = try scripts(app: Self.elements).store(
      state: ["rows": [["key": "x", "todo": 2, "heard": []]]])
    #expect(titles(store) == ["b"])
  }

  @Test func ofElementsWithOneIdTheFirstChooses() throws {
    let scripts = try scripts(app: Self.elements)
    let rows: Value = [
      ["key": "x", "todo": 1, "heard": []], ["key": "x", "todo": 2, "heard": []],
    ]
    let store = try scripts.store(state: ["rows": rows])
    #expect(titles(store) == ["a", "a"])
    try store.send("open", ["key": "y", "todo": 2])
    #expect(titles(store) == ["a", "a", "b"])
    #expect(!scripts.warnings.contains { $0.message.contains("again and again") })
  }

  @Test func elementsOfThePastShowWhatTheyShowedThen() throws {
    let scripts = try scripts(app: Self.elements)
    let store = try scripts.store()
    let history = store.record()
    try store.send("open", ["key": "x", "todo": 1])
    try store.send("rows[x].choose", ["todo": 2])
    try store.send("rows[x].rename", ["title": "c"])
    #expect(history.entries(1...5).map(\.source) == [.input, .shared, .input, .shared, .input])
    try history.go(to: 2)
    #expect(titles(store) == ["a"])
    #expect(try history.replay(from: 1).difference == nil)
    try history.go(to: 2)
    try store.send("rows[x].rename", ["title": "z"])
    #expect(store.state["todos"] == [["id": 1, "title": "z"], ["id": 2, "title": "c"]])
  }

  @Test func aKeyChosenInAnElementIsLoaded() throws {
    let storage = MemoryStorage()
    storage.replace("documents/b.json", with: Array("{\"text\":\"from before\"}".utf8))
    let app = """
      local shared = scripted.shared
      local Row = scripted.feature {
        name = "Row", state = { id = "" },
        shared = { document = function(state)
          return shared.fileStorage("documents/" .. state.id .. ".json", { text = "" }, { interval = 0 })
        end },
      }
      return scripted.feature {
        state = { rows = {} }, on = { open = function(state, action) table.insert(state.rows, { id = action.id }) end },
      }:forEach("rows", Row)
      """
    let store = try scripts(storage, app: app).store()
    for id in ["a", "b"] { try store.send("open", ["id": .string(id)]) }
    #expect(store.state["rows"].array?.map { $0["document"]["text"] } == ["", "from before"])
  }
}
