import LuaBridge
import ScriptedStore
import Testing

/// `pullback` and `optional`, for those who come from TCA before 1.0.
struct PullbackTests {
  private static let counter = """
    local Counter = scripted.feature {
      name = "Counter", state = { n = 0 }, dependencies = { "clock", "log", "greet" },
      on = {
        up = function(state) state.n = state.n + 1 end,
        greet = function(state, _, deps) state.greeting = deps.greet("Blob") end,
      },
    }

    """

  private static var greet: Dependencies {
    var dependencies = Dependencies()
    dependencies.register("greet", live: .function("name") { (name: String) in "Hello, \(name)" })
    dependencies.register("shout", live: .function("name") { (name: String) in "\(name)!" })
    return dependencies
  }

  @Test func aReducerRunsOnAPartOfItsParent() throws {
    let scripts = try Scripts(
      [
        "app": Self.counter + """
          return scripted.combine {
            Counter:pullback { state = "first" },
            Counter:pullback { state = "pair.second", action = "other" },
            scripted.feature {
              state = { first = { n = 0 }, pair = { second = { n = 10 } } },
              on = { ["first.up"] = function(state) state.seen = state.first.n end },
            },
          }
          """
      ], dependencies: Self.greet)
    let store = try scripts.store()
    store.send("first.up")
    store.send("other.up")
    #expect(store.state == ["first": ["n": 1], "pair": ["second": ["n": 11]], "seen": 1])
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)
  }

  @Test func itsDependenciesAreWhatAFunctionMakesOfTheParents() throws {
    let scripts = try Scripts(
      [
        "app": Self.counter + """
          return scripted.combine {
            Counter:pullback { state = "a", dependencies = function(deps) return { greet = deps.shout } end },
            Counter:pullback { state = "b" },
            scripted.feature { state = { a = { n = 0 }, b = { n = 0 } }, on = {} },
          }
          """
      ], dependencies: Self.greet)
    let store = try scripts.store()
    store.send("a.greet")
    store.send("b.greet")
    #expect(store.state["a"]["greeting"] == "Blob!")
    #expect(store.state["b"]["greeting"] == "Hello, Blob")
    let other = try scripts.host.store(
      "app", dependencies: ["shout": .function("name") { (name: String) in name.uppercased() }])
    other.send("a.greet")
    #expect(other.state["a"]["greeting"] == "BLOB")
  }

  @Test func anUnknownDependencyIsNamed() throws {
    let scripts = try Scripts(
      [
        "app": Self.counter + """
          return scripted.combine {
            Counter:pullback { state = "a", dependencies = function() return { great = 1 } end },
            scripted.feature { state = { a = { n = 0 } }, on = {} },
          }
          """
      ], dependencies: Self.greet)
    try scripts.store().send("a.up")
    #expect(scripts.errors.first?.message.contains("did you mean 'greet'?") == true)
  }

  @Test func anOptionalChildThatIsAbsentWarnsByItsLine() throws {
    let scripts = try Scripts(
      [
        "app": Self.counter + """
          local Optional = scripted.optional(Counter)
          return scripted.combine {
            Optional:pullback { state = "child" },
            scripted.feature {
              state = {},
              on = { toggle = function(state) state.child = state.child == nil and { n = 0 } or nil end },
            },
          }
          """
      ], dependencies: Self.greet)
    let store = try scripts.store()
    store.send("child.up")
    #expect(scripts.warnings.map(\.kind) == [.absentChild])
    #expect(scripts.warnings.first?.origin == "optional at app.lua:8")
    store.send("toggle")
    store.send("child.up")
    #expect(store.state == ["child": ["n": 1]])
    #expect(scripts.warnings.count == 1)
  }

  @Test func mistakesRaiseAtTheirLine() throws {
    for (call, message) in [
      "Counter:pullback('a')": "table expected, got string",
      "Counter:pullback { stat = 'a' }": "did you mean 'state'?",
      "Counter:pullback { state = 'a', dependencies = {} }": "must be a function of deps",
      "scripted.optional(1)": "reducer expected, got number",
    ] {
      let scripts = try Scripts(["app": Self.counter + call], dependencies: Self.greet)
      let error = scriptError { _ = try scripts.store() }
      #expect(error?.message.contains(message) == true, "\(call): \(error?.message ?? "")")
      #expect(error?.line == 8)
    }
  }

  @Test func theyWorkInSwift() throws {
    let scripts = try Scripts(
      ["counter": Self.counter + "return Counter"], dependencies: Self.greet)
    let app = Reducer.combine(
      .script("counter").optional().pullback(
        state: "a", dependencies: ["greet": .function("name") { (name: String) in "Bye, \(name)" }]),
      .reduce { _, _ in .none })
    let store = try scripts.host.store(app, state: ["a": ["n": 0]])
    store.send("a.greet")
    store.send("a.up")
    #expect(store.state == ["a": ["n": 1, "greeting": "Bye, Blob"]])
    let empty = try scripts.host.store(app, state: [:])
    empty.send("a.up")
    #expect(scripts.warnings.map(\.kind) == [.absentChild])
    #expect(scripts.warnings.first?.origin.hasPrefix("optional at ") == true)
  }

  @Test(arguments: [
    ":pullback { state = 'a', dependencies = function(deps) return { greet = deps.shout } end }",
    ":dependency('greet', function(name) return name .. '!' end):pullback { state = 'a' }",
    ":transformDependency('greet', function() return function(name) return name .. '!' end end):pullback { state = 'a' }",
  ]) func itsDependenciesAreThereWhenASharedValueChanges(_ operators: String) throws {
    let scripts = try Scripts(
      [
        "app": """
        local name = scripted.shared.inMemory("name", "Blob")
        local Greeter = scripted.feature {
          name = "Greeter", state = {}, shared = { name = name }, dependencies = { "greet" },
        }:onChange("name", function(state, _, new, _, deps)
          state.greeting = deps.greet(new)
          return effect.run(function(send, deps) send("said", { text = deps.greet(new) }) end)
        end)
        return scripted.combine {
          scripted.combine {
            Greeter, scripted.feature { state = {}, on = { said = function(state, action) state.said = action.text end } },
          }\(operators),
          scripted.feature { state = { a = {} }, on = {} },
        }
        """
      ], dependencies: Self.greet)
    let store = try scripts.store()
    let observation = store.observe("a") { _ in }
    try scripts.host.shared("name").update { $0 = "Blob Jr." }
    #expect(store.state["a"]["greeting"] == "Blob Jr.!")
    #expect(store.state["a"]["said"] == "Blob Jr.!")
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
    observation.cancel()
  }
}
