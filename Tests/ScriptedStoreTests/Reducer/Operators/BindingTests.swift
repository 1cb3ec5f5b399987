import LuaBridge
import ScriptedStore
import Testing

/// `binding`: actions that say what to write where.
struct BindingTests {
  private static let form = """
    return scripted.feature {
      name = "Form", binding = true,
      state = { user = { name = "Blob", age = 7 }, isOn = false, optional = scripted.null },
      on = {
        ["binding.user"] = function(state, action) state.seen = action.key .. " " .. tostring(state.user.name) end,
      },
    }
    """

  @Test func aFeaturesBindingsAreWrittenBeforeItsHandlersRun() throws {
    let scripts = try Scripts(app: Self.form)
    let store = try scripts.store()
    try store.send("binding.user.name", "Blob Jr.")
    store.send(["type": "binding", "key": "isOn", "value": true])
    #expect(store.state["user"] == ["name": "Blob Jr.", "age": 7])
    #expect(store.state["isOn"] == true)
    #expect(store.state["seen"] == "user.name Blob Jr.")
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)
  }

  @Test func aKeyReachesIntoElementsByTheirIDs() throws {
    let scripts = try Scripts(
      app: """
        return scripted.feature {
          name = "Form", binding = true,
          state = { people = { { id = 1, name = "a" }, { id = "x.y", name = "b" } }, byKey = { k = { n = 1 } }, log = {} },
          on = { ["binding.people.name"] = function(state, action) table.insert(state.log, action.key) end },
        }
        """)
    let store = try scripts.store()
    try store.send("binding.people[1].name", "A")
    store.send(["type": "binding", "key": "people[x.y].name", "value": "B"])
    try store.send("binding.byKey[k].n", 2)
    #expect(store.state["people"] == [["id": 1, "name": "A"], ["id": "x.y", "name": "B"]])
    #expect(store.state["byKey"] == ["k": ["n": 2]])
    #expect(store.log == ["people[1].name", "people[x.y].name"])
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)

    try store.send("binding.people[9].name", "C")
    try store.send("binding.people[1].nam", "C")
    #expect(scripts.warnings.map(\.kind) == [.unknownBindingKey, .unknownBindingKey])
    #expect(
      scripts.warnings.last?.message.hasSuffix(
        "; did you mean \"name\"? If not, give the state a default for it") == true)
    store.send(["type": "binding", "key": "people[1]", "value": 1])
    store.send(["type": "binding", "key": "people[1", "value": 1])
    #expect(scripts.errors.count == 2)
    #expect(scripts.errors[0].message.contains("names an element"))
    #expect(scripts.errors[1].message.contains("malformed"))
  }

  @Test func aPatternWithBracketsMatchesTheIDsInAKey() throws {
    let scripts = try Scripts(
      app: """
        local function log(name)
          return function(state, action, deps, ids)
            table.insert(state.log, name .. ":" .. action.key .. ":" .. table.concat(ids, ","))
          end
        end
        return scripted.feature {
          name = "Form", binding = true,
          state = { people = { { id = 1, name = "a", phones = { { id = "h", n = 1 } } }, { id = 2, name = "b" }, { id = "x.y", name = "c" } }, log = {} },
          on = {
            ["binding.people[*].name"] = log "any",
            ["binding.people[2].name"] = log "two",
            ["binding.people[*].phones[*].n"] = log "phones",
            ["binding.people"] = log "all",
          },
        }
        """)
    let store = try scripts.store()
    for (key, value) in [
      ("people[1].name", "A"), ("people[2].name", "B"), ("people[x.y].name", "C"),
      ("people[1].phones[h].n", "D"), ("people[1].age", "E"),
    ] {
      store.send(["type": "binding", "key": .string(key), "value": .string(value)])
    }
    #expect(
      store.log == [
        "any:people[1].name:1", "two:people[2].name:", "any:people[x.y].name:x.y",
        "phones:people[1].phones[h].n:1,h", "all:people[1].age:",
      ])
    #expect(scripts.errors.isEmpty, "\(scripts.errors)")
  }

  @Test func nullRemovesAndADefaultLetsItComeBack() throws {
    let scripts = try Scripts(app: Self.form)
    let store = try scripts.store()
    try store.send("binding.user.age", .null)
    #expect(store.state["user"] == ["name": "Blob"])
    try store.send("binding.user.age", 8)
    #expect(store.state["user"] == ["name": "Blob", "age": 8])
    #expect(scripts.warnings.isEmpty)
  }

  @Test func aBindingWithoutAValueIsRefused() throws {
    let scripts = try Scripts(app: Self.form)
    let store = try scripts.store()
    let before = store.state
    store.send("binding.user.name")
    #expect(store.state == before)
    #expect(scripts.errors.map(\.message).first?.contains("has no value") == true)
  }

  @Test func aKeyThatNeitherTheStateNorItsDefaultsHaveWarns() throws {
    let scripts = try Scripts(app: Self.form)
    let store = try scripts.store()
    try store.send("binding.isOnn", true)
    try store.send("binding.usr.name", "Blob Jr.")
    #expect(scripts.warnings.map(\.kind) == [.unknownBindingKey, .unknownBindingKey])
    #expect(scripts.warnings.first?.message.contains("\"isOnn\"") == true)
    #expect(scripts.warnings.first?.origin.hasPrefix("Form (feature at app.lua:1") == true)
    #expect(store.state["usr"] == .null)
  }

  @Test func aBindingThatNothingWritesWarns() throws {
    let sources = [
      "on = {}", "on = { ['binding.name'] = function() end }", "on = { binding = function() end }",
      "reduce = function() end",
    ]
    for source in sources {
      let scripts = try Scripts(
        app: "return scripted.feature { name = 'Form', state = { name = '' }, \(source) }")
      let store = try scripts.store()
      try store.send("binding.name", "Blob")
      #expect(scripts.warnings.map(\.kind) == [.unhandledBinding], "\(source)")
      #expect(scripts.warnings.first?.message.contains("scripted.binding()") == true)
      #expect(store.state["name"] == "")
    }
  }

  @Test func anOwnGroupOrChildNamedBindingIsNone() throws {
    let scripts = try Scripts(
      app: """
        local Child = scripted.feature { on = { up = function(state) state.n = 1 end } }
        return scripted.feature { state = { binding = { n = 0 } }, reduce = function() end }
          :scope("binding", Child)
        """)
    let store = try scripts.store()
    store.send("binding.up")
    #expect(store.state == ["binding": ["n": 0]] || store.state == ["binding": ["n": 1]])
    store.send(["type": "binding", "action": ["type": "up"]])
    #expect(store.state == ["binding": ["n": 1]])
    #expect(!scripts.warnings.contains { $0.kind == .unhandledBinding })
  }

  @Test func aReducerOfItsOwnWritesForThoseThatItIsCombinedWith() throws {
    let scripts = try Scripts(
      app: """
        local log = scripted.reduce(function(state, action) state.last = state.name end)
        return scripted.combine {
          log, scripted.binding(), scripted.feature { state = { name = "a" }, on = {} },
        }
        """)
    let store = try scripts.store()
    try store.send("binding.name", "b")
    #expect(store.state == ["name": "b", "last": "a"])
    #expect(scripts.warnings.isEmpty)
  }

  @Test func theActionIsKnownByName() throws {
    let scripts = try Scripts(
      app: """
        local Form
        Form = scripted.feature {
          binding = true, state = { a = 1 },
          on = { go = function() return effect.send(Form.actions.binding { key = "a", value = 2 }) end },
        }
        return Form
        """)
    let store = try scripts.store()
    store.send("go")
    #expect(store.state == ["a": 2])
  }

  @Test func bindingsReachChildrenAndElements() throws {
    let scripts = try Scripts(
      app: """
        local Row = scripted.feature { binding = true, state = { title = "" }, on = {} }
        return scripted.feature { state = { rows = { { id = 3, title = "a" } } }, on = {} }:forEach("rows", Row)
        """)
    let store = try scripts.store()
    try store.send("rows[3].binding.title", "b")
    #expect(store.state == ["rows": [["id": 3, "title": "b"]]])
  }

  @Test func onChangeSeesWhatABindingWrote() throws {
    let scripts = try Scripts(
      app: """
        return scripted.feature { binding = true, state = { isOn = false }, on = {} }
          :onChange("isOn", function(state, _, new) state.now = new end)
        """)
    let store = try scripts.store()
    try store.send("binding.isOn", true)
    #expect(store.state == ["isOn": true, "now": true])
  }

  @Test func itWorksInSwift() throws {
    let scripts = try Scripts([:])
    let reducer = Reducer.combine(
      .binding(),
      .reduce { state, action in
        state["log"] = .string(action.path)
        return .none
      })
    let store = try scripts.host.store(reducer, state: ["user": ["name": ""]])
    try store.send("binding.user.name", "Blob")
    #expect(store.state == ["user": ["name": "Blob"], "log": "binding.user.name"])
    #expect(scripts.warnings.isEmpty)
  }
}
