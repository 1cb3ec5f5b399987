import LuaBridge
import ScriptedStore
import Testing

/// Keys of shared values: parts, readers, inherited ones, and what is refused.
struct SharedKeyTests {
  private func store(_ app: String) throws -> (Scripts, Store) {
    let scripts = try Scripts(app: app)
    return (scripts, try scripts.store())
  }

  private func refusal(of app: String) throws -> String {
    let scripts = try Scripts(app: app)
    do {
      _ = try scripts.store()
      return "none"
    } catch {
      return "\(error)"
    }
  }

  @Test func aHostHasALimitOfKeys() throws {
    let scripts = try Scripts(
      [
        "app": """
        return scripted.feature {
          state = { n = 0 },
          on = {
            -- An effect uses the keys that it follows.
            follow = function(state, action)
              local effects = {}
              for i = 1, action.count do
                effects[i] = effect.run(function(send)
                  for _ in scripted.shared.inMemory("key" .. i, 0):values() do send("got") end
                end)
              end
              return effect.merge(effects)
            end,
            got = function(state) state.n = state.n + 1 end,
          },
        }
        """
      ]
    ) { $0.limits.sharedKeys = 3 }
    let store = try scripts.store()
    try store.send("follow", ["count": 3])
    #expect(scripts.warnings.isEmpty)
    try store.send("follow", ["count": 4])
    #expect(store.state["n"] == 6)
    #expect(
      scripts.warnings.first?.message.contains("one more than the host's limit of 3 keys") == true)
  }

  @Test func aHostHasALimitOfTheBytesOfAllValues() throws {
    let scripts = try Scripts(
      [
        "app": """
        return scripted.feature {
          state = { id = 1 },
          shared = {
            text = function(state) return scripted.shared.inMemory("text" .. state.id, "") end,
            rows = scripted.shared.inMemory("rows", {}),
          },
          on = {
            choose = function(state, action) state.id = action.id end,
            write = function(state, action) state.text = ("x"):rep(action.length) end,
            add = function(state) state.rows[#state.rows + 1] = ("x"):rep(2000) end,
            clear = function(state) state.rows = {} end,
          },
        }
        """
      ]
    ) { $0.limits = Limits(stateSize: 2 << 20, totalMemory: 3_500_000) }
    let store = try scripts.store()
    func write(_ id: Int64, _ length: Int64) throws {
      try store.send("choose", ["id": .integer(id)])
      try store.send("write", ["length": .integer(length)])
    }
    for id: Int64 in 1...4 { try write(id, 1_000_000) }
    #expect(
      scripts.errors.map(\.message) == [
        """
        what the action wrote is refused, because the shared values of the host may not have more than 3500000 bytes \
        together (`totalMemory`); keep less in them
        """
      ])
    #expect(store.state["text"] == "")
    // A value that becomes smaller makes room.
    try write(1, 10)
    try write(4, 1_000_000)
    #expect(scripts.errors.count == 1)
    #expect(store.state["text"].string?.utf8.count == 1_000_000)
    // Small actions are measured from time to time.
    for _ in 1...400 { store.send("add") }
    let rows = try #require(store.state["rows"].array).count
    #expect((248..<248 + 64).contains(rows))
    #expect(scripts.errors.count == 1 + 400 - rows)
    store.send("clear")
    store.send("add")
    #expect(store.state["rows"].array?.count == 1)
    // What the host sets counts, and a key that is new has to have room.
    let long = Value.string(String(repeating: "x", count: 2_000_000))
    try scripts.host.shared("text1").update { $0 = long }
    try store.send("choose", ["id": 5])
    #expect(
      scripts.warnings.map(\.message).last?.contains(
        "the shared value 'text5' is refused, because the shared values of the host may not have more than 3500000 bytes together"
      ) == true)
  }

  @Test func aPartIsNamedByKeysAndIDs() throws {
    let (scripts, store) = try store(
      """
      local groups = scripted.shared.inMemory("groups", { list = { { id = 1, name = "a" }, { id = 2, name = "b" } } })
      return scripted.feature {
        state = {}, shared = { groups = groups, second = groups:at { "list", 2 }, name = groups:at("list"):at { 1, "name" } },
        on = {
          rename = function(state) state.second.name = "c" state.name = "d" end,
          turn = function(state) table.insert(state.groups.list, 1, table.remove(state.groups.list, 2)) end,
          drop = function(state) state.groups.list = { { id = 1, name = "x" } } end,
          addTo = function(state) state.second = { id = 2, name = "new" } end,
        },
      }
      """)
    store.send("rename")
    #expect(store.state["groups"]["list"] == [["id": 1, "name": "d"], ["id": 2, "name": "c"]])
    #expect(store.state["second"]["name"] == "c")
    store.send("turn")
    #expect(store.state["groups"]["list"][0]["id"] == 2)
    #expect(store.state["second"]["name"] == "c")
    #expect(store.state["name"] == "d")
    store.send("drop")
    #expect(store.state.object?["second"] == nil)
    #expect(store.state["name"] == "x")
    store.send("addTo")
    #expect(scripts.errors.map(\.message).joined().contains("has no element with this id"))
  }

  @Test func aReaderCannotWrite() throws {
    let (scripts, store) = try store(
      """
      local settings = scripted.shared.inMemory("settings", { theme = "light", tags = { "a" } })
      return scripted.feature {
        state = {}, shared = { own = settings, settings = settings:reader() },
        on = {
          assign = function(state) state.settings = {} end,
          deep = function(state) state.settings.theme = "dark" end,
          insert = function(state) table.insert(state.settings.tags, "b") end,
          reads = function(state)
            state.own.theme = "blue"
            local before = state.settings
            state.own.theme = "red"
            state.seen = { before.theme, state.settings.theme, #state.settings.tags }
          end,
        },
      }
      """)
    for action in ["assign", "deep", "insert"] { try store.send(action) }
    #expect(scripts.errors.count == 3)
    #expect(store.state["settings"] == ["theme": "light", "tags": ["a"]])
    store.send("reads")
    #expect(store.state["seen"] == ["blue", "red", 1])
    #expect(store.state["settings"]["theme"] == "red")
  }

  @Test func anInheritedKeyIsTheNearestAncestorsOrTheStoresOwn() throws {
    let modules = [
      "phone": """
      return scripted.feature {
        name = "Phone", state = {}, shared = { phone = scripted.shared.inherited("signUp.phone", "none") },
        on = { set = function(state, action) state.phone = action.phone end },
      }
      """,
      "app": """
      local Phone = require "phone"
      return scripted.feature {
        name = "App", state = { page = { inner = {} } },
        shared = { signUp = scripted.shared.inMemory("signUp", { phone = "1", name = "a" }) },
      }:scope("page", scripted.feature { name = "Page", state = { inner = {} } }:scope("inner", Phone))
      """,
    ]
    let scripts = try Scripts(modules)
    let app = try scripts.store()
    try app.send("page.inner.set", ["phone": "2"])
    #expect(app.state["signUp"] == ["phone": "2", "name": "a"])
    let (one, other) = (try scripts.host.store("phone"), try scripts.host.store("phone"))
    try one.send("set", ["phone": "3"])
    #expect(one.state["phone"] == "3")
    #expect(other.state["phone"] == "none")
    #expect(app.state["page"]["inner"]["phone"] == "2")
  }

  @Test func aNameInAnInheritedPathMayBeginWithACombiningCharacter() throws {
    let (scripts, store) = try store(
      """
      local Phone = scripted.feature {
        name = "Phone", state = {}, shared = { phone = scripted.shared.inherited("signUp.\\u{301}phone", "none") },
      }
      return scripted.feature {
        name = "App", state = { page = {} },
        shared = { signUp = scripted.shared.inMemory("signUp", { ["\\u{301}phone"] = "1" }) },
      }:scope("page", Phone)
      """)
    #expect(store.state["page"]["phone"] == "1")
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  @Test func aFeatureThatContainsItselfSharesAtEachLevel() throws {
    let (scripts, store) = try store(
      """
      local Node
      Node = scripted.feature {
        name = "Node", state = { id = 0, children = {} }, shared = { n = scripted.shared.inMemory("n", 1) },
        on = {
          add = function(state, action) table.insert(state.children, Node.initial { id = action.id }) end,
          inc = function(state) state.n = state.n + 1 end,
        },
      }:forEach("children", function() return Node end)
      return Node
      """)
    try store.send("add", ["id": 1])
    try store.send("children[1].add", ["id": 2])
    store.send("children[1].children[2].inc")
    #expect(store.state["n"] == 2)
    #expect(store.state["children"][0]["children"][0]["n"] == 2)
    #expect(scripts.errors.isEmpty)
  }

  @Test func aDefaultMayBeAFunction() throws {
    let (_, store) = try store(
      """
      return scripted.feature {
        state = {}, shared = { list = scripted.shared.inMemory("list", function() return { 1, 2 } end) },
      }
      """)
    #expect(store.state["list"] == [1, 2])
  }

  @Test func theSameKeyWithAnotherDefaultIsAWarningAndWithOneOfAnotherTypeAnError() throws {
    let app = """
      local a, b = scripted.shared.inMemory("n", 1), scripted.shared.inMemory("n", OTHER)
      return scripted.feature { state = {}, shared = { a = a, b = b } }
      """
    let scripts = try Scripts(app: app.replacing("OTHER", with: "2"))
    let store = try scripts.store()
    #expect(store.state == ["a": 1, "b": 1])
    #expect(scripts.warnings.map(\.kind) == [.sharedDefault])
    #expect(
      scripts.warnings.first?.message.contains("has the default 1 at app.lua:1 and 2 at app.lua:1")
        == true)
    let refusal = try refusal(of: app.replacing("OTHER", with: "\"x\""))
    #expect(refusal.contains("give one of the two keys another name"))
  }

  @Test(arguments: [
    (
      "state = { n = 1 }, shared = { n = scripted.shared.inMemory('n', 1) }",
      "is in `state` and in `shared`"
    ),
    ("shared = { n = 1 }", "must be a key, as"),
    ("shared = { scripted.shared.inMemory('n', 1) }", "names of fields as its keys"),
    (
      "shared = { n = scripted.shared.inMemory('n', 1) }, on = { shared = function() end }",
      "the action 'shared'"
    ),
    ("shared = { n = scripted.shared.inMemry('n', 1) }", "did you mean 'inMemory'?"),
    ("shared = { n = scripted.shared.inMemory('', 1) }", "a name is expected"),
    (
      "shared = { n = scripted.shared.inMemory('n', { print }) }",
      "default[1]: a function cannot be stored in state"
    ),
    (
      "shared = { n = scripted.shared.inMemory('n', function() return print end) }",
      "app.lua:1: the default of the shared value 'n' must be a value of state, not a function"
    ),
    ("shared = { n = scripted.shared.inMemory('n', 1):at() }", "a path is expected"),
    ("shared = { n = scripted.shared.inMemory('n', 1):raeder() }", "did you mean 'reader'?"),
  ])
  func whatIsNoSharedFieldIsRefused(definition: String, reason: String) throws {
    let refusal = try refusal(of: "return scripted.feature { \(definition) }")
    #expect(refusal.contains(reason), "\(refusal)")
  }

  @Test func sharingInsideOfASharedFieldIsRefused() throws {
    let refusal = try refusal(
      of: """
        local shared = scripted.shared
        local Inner = scripted.feature { state = {}, shared = { m = shared.inMemory("m", 1) } }
        return scripted.feature { state = {}, shared = { n = shared.inMemory("n", {}) } }:scope("n", Inner)
        """)
    #expect(refusal.contains("the field 'n.m' cannot be shared"))
  }

  @Test func onChangesThatDriveEachOtherEndWithAnError() throws {
    let (scripts, store) = try store(
      """
      local a, b = scripted.shared.inMemory("a", 0), scripted.shared.inMemory("b", 0)
      local One = scripted.feature { state = {}, shared = { a = a, b = b }, on = { go = function(state) state.a = 1 end } }
      return scripted.feature { state = { x = One.initial(), y = One.initial(), z = One.initial() } }
        :scope("x", One)
        :scope("y", One:onChange("a", function(state, old, new) state.b = new + 1 end))
        :scope("z", One:onChange("b", function(state, old, new) state.a = new + 1 end))
      """)
    store.send("x.go")
    #expect(scripts.errors.first?.message.contains("changed each other's values") == true)
    #expect(store.state["x"] == ["a": 0, "b": 0])
  }

  @Test func storesThatDriveEachOtherStopWithAWarning() throws {
    let scripts = try Scripts([
      "keys": "return { a = scripted.shared.inMemory(\"a\", 0) }",
      "one": """
      return scripted.feature {
        name = "One", state = {}, shared = { a = require("keys").a }, on = { go = function(state) state.a = 1 end },
      }:onChange("a", function(state, old, new) if new % 2 == 0 then state.a = new + 1 end end)
      """,
      "two": """
      return scripted.feature { name = "Two", state = {}, shared = { a = require("keys").a } }
        :onChange("a", function(state, old, new) if new % 2 == 1 then state.a = new + 1 end end)
      """,
    ])
    let (one, two) = (try scripts.host.store("one"), try scripts.host.store("two"))
    one.send("go")
    let warning = scripts.warnings.first { $0.kind == .sharedLoop }
    #expect(warning?.message.contains("one and two") == true)
    #expect(one.state["a"] != two.state["a"])
  }

  @Test(arguments: ["a", ".a"])
  func aFieldOfTheStateThatIsNotSharedIsNotInheritedWhichIsAWarning(path: String) throws {
    let app = """
      local Child = scripted.feature { name = "Child", state = {}, shared = { a = scripted.shared.inherited("\(path)", 5) } }
      return scripted.feature { name = "App", state = { OWN, page = { child = {} } } }
        :scope("page", scripted.feature { name = "Page", state = { child = {} } }:scope("child", Child))
      """
    let scripts = try Scripts(app: app.replacing("OWN", with: "a = 1"))
    #expect(try scripts.store().state["page"]["child"]["a"] == 5)
    #expect(scripts.warnings.map(\.kind) == [.sharedDefault])
    #expect(
      scripts.warnings.first?.message.contains(
        "state.a is a field of the state that is not shared: share it there") == true)
    let other = try Scripts(app: app.replacing("OWN", with: "b = 1"))
    #expect(try other.store().state["page"]["child"]["a"] == 5)
    #expect(other.warnings.isEmpty)
  }
}
