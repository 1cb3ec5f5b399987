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
