import LuaBridge
import ScriptedStore
import Testing

/// Ways to write shared fields other than by an assignment in a handler.
struct SharedWritingTests {
  private static let app = """
    local shared = scripted.shared
    local user = shared.inMemory("user", { name = "a", phone = "1" })
    return scripted.feature {
      name = "App", state = { own = 1 }, binding = true,
      shared = { user = user, name = user:at("name"), reader = user:reader() },
      on = { deep = function(state) state.reader.name = "x" end },
    }
    """

  private func bind(_ store: Store, _ key: String, _ value: Value) throws {
    try store.send("binding", ["key": .string(key), "value": value])
  }

  @Test func aBindingWritesSharedFields() throws {
    let scripts = try Scripts(app: Self.app)
    let store = try scripts.store()
    try bind(store, "name", "b")
    #expect(store.state["user"]["name"] == "b")
    try bind(store, "user.phone", "2")
    #expect(store.state["reader"]["phone"] == "2")
    try bind(store, "user", ["name": "c"])
    #expect(store.state["name"] == "c")
    #expect(scripts.host.shared("user").value == ["name": "c"])
    try bind(store, "own", 2)
    #expect(store.state["own"] == 2)
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  @Test func aBindingToNullRemovesTheValue() throws {
    let store = try Scripts(app: Self.app).store()
    try bind(store, "name", .null)
    #expect(store.state["user"] == ["phone": "1"])
  }

  @Test(arguments: ["reader", "reader.name"])
  func aBindingCannotWriteThroughAReader(key: String) throws {
    let scripts = try Scripts(app: Self.app)
    let store = try scripts.store()
    let before = store.state
    try bind(store, key, "x")
    #expect(scripts.errors.first?.message.contains("reader") == true)
    #expect(scripts.errors.first?.message.contains("is read-only here") == true)
    #expect(store.state == before)
  }

  @Test func aWriteBelowAReaderNamesTheCause() throws {
    let scripts = try Scripts(app: Self.app)
    try scripts.store().send("deep")
    #expect(scripts.errors.first?.message.contains("shared by `reader()`") == true)
  }

  // MARK: Refused writes

  private static let refusals = """
    local shared = scripted.shared
    local list = shared.inMemory("list", { { id = "a", n = 1 }, { id = "b", n = 1 } })
    local n = shared.inMemory("n", 1)
    local function refused(fn, ...) assert(not pcall(fn, ...)) end
    return scripted.feature {
      name = "App", state = { own = { x = 1 } },
      shared = { n = n, list = list, a = list:at { "a" }, z = shared.inMemory("z", 1):reader() },
      on = {
        remove = function(state)
          local a = state.a
          a.n = 20
          refused(function() state.a = nil end)
          a.n = 30
        end,
        replaceReader = function(state) refused(scripted.replace, state, { n = 5, own = {}, z = 9 }) end,
        replaceDeep = function(state)
          local deep = state.own
          for _ = 1, 127 do deep = { deep } end
          refused(scripted.replace, state, { n = 5, own = deep })
        end,
        replaceMissing = function(state)
          refused(scripted.replace, state, { n = 5, list = { { id = "b", n = 7 } }, a = { id = "a", n = 6 } })
        end,
        replaceBoth = function(state)
          scripted.replace(state, {
            n = 5, own = { x = 2 }, list = { { id = "c", n = 7 }, { id = "a", n = 8 } }, a = { id = "a", n = 8 },
          })
        end,
        replaceAdded = function(state)
          table.remove(state.list, 1)
          scripted.replace(state, { list = { { id = "a", n = 9 } }, a = { id = "a", n = 9 } })
        end,
      },
    }
    """

  @Test func aRefusedRemovalLeavesTheDraftInTheState() throws {
    let scripts = try Scripts(app: Self.refusals)
    let store = try scripts.store()
    store.send("remove")
    #expect(scripts.errors.isEmpty)
    #expect(store.state["list"][0] == ["id": "a", "n": 30])
    #expect(store.state["a"]["n"] == 30)
  }

  @Test(arguments: ["replaceReader", "replaceDeep", "replaceMissing"])
  func aRefusedReplacementWritesNoSharedField(action: String) throws {
    let scripts = try Scripts(app: Self.refusals)
    let store = try scripts.store()
    let before = store.state
    try store.send(action)
    #expect(scripts.errors.isEmpty)
    #expect(store.state == before)
    #expect(scripts.host.shared("n").value == 1)
  }

  @Test func aReplacementWritesASharedValueAndAPartOfIt() throws {
    let scripts = try Scripts(app: Self.refusals)
    let store = try scripts.store()
    store.send("replaceBoth")
    #expect(scripts.errors.isEmpty)
    #expect(store.state["list"] == [["id": "c", "n": 7], ["id": "a", "n": 8]])
    #expect(store.state["a"]["n"] == 8 && store.state["n"] == 5 && store.state["own"]["x"] == 2)
    store.send("replaceAdded")
    #expect(scripts.errors.isEmpty)
    #expect(store.state["list"] == [["id": "a", "n": 9]])
  }

  // MARK: Memory

  @Test func whatAnActionReadsOfSharedFieldsCounts() throws {
    let scripts = try Scripts([
      "app": """
      local list = scripted.shared.inMemory("list", { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 })
      return scripted.feature {
        name = "App", state = {}, shared = { list = list, seen = list:reader() },
        on = {
          write = function(state)
            for i = 1, 20000 do
              state.list[1] = i
              assert(state.seen[1] == i)
            end
          end,
          read = function(state) for _ = 1, 20000 do assert(state.seen[1] == 1) end end,
        },
      }
      """
    ]) { $0.limits = Limits(memoryPerTurn: 2 << 20) }
    let store = try scripts.store()
    store.send("read")
    #expect(scripts.errors.isEmpty)
    store.send("write")
    #expect(scripts.errors.map(\.kind) == [.memory])
  }

  @Test func aReaderCannotBeTheStateOfAChild() throws {
    let scripts = try Scripts(
      app: """
        local count = scripted.shared.inMemory("count", { n = 0 })
        local Child = scripted.feature { state = { n = 0 }, on = {} }
        return scripted.feature { state = {}, shared = { child = count:reader() }, on = {} }:scope("child", Child)
        """)
    #expect {
      try scripts.store()
    } throws: { error in
      "\(error)".contains("the field 'child' may only be read, so it cannot be")
    }
  }

  @Test func aReducerInSwiftWritesSharedFields() throws {
    let swift = Reducer.reduce { state, action in
      state[action.value["type"] == "readers" ? "reader" : "user"] = ["name": "swift"]
      return .none
    }
    let scripts = try Scripts(
      [
        "app": """
        local user = scripted.shared.inMemory("user", { name = "a" })
        return scripted.combine {
          scripted.feature { state = {}, shared = { user = user, reader = user:reader() }, on = {} },
          require "swift",
        }
        """
      ], reducers: ["swift": swift])
    let store = try scripts.store()
    store.send("users")
    #expect(scripts.host.shared("user").value == ["name": "swift"])
    #expect(store.state["reader"] == ["name": "swift"])
    scripts.host.shared("user").set(["name": "host"])
    store.send("readers")
    #expect(scripts.errors.first?.message.contains("read-only here") == true)
    #expect(store.state["user"] == ["name": "host"])
  }
}

extension SharedValue {
  fileprivate func set(_ new: Value) { try? update { $0 = new } }
}
