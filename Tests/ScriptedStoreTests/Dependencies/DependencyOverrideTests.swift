import LuaBridge
import ScriptedStore
import Synchronization
import Testing

@Suite struct DependencyOverrideTests {
  private let api = Dependency.client([
    "one": .function { "one" }, "two": .function { "two" }, "base": .value("live"),
  ])

  /// What `one`, `two` and `base` of the client are under operators around App.
  private func api(under operators: String, before: String = "") throws -> Value {
    try Scripts(
      reading: ["api"], "local api = deps.api; state.result = { api.one(), api.two(), api.base }",
      dependencies: ["api": api], before: before, operators: operators
    ).go()
  }

  @Test func aTableReplacesOnlyTheMembersThatItNames() throws {
    #expect(
      try api(under: ":dependency('api', { one = function() return 'mine' end })")
        == ["mine", "two", "live"])
    #expect(try api(under: ":dependency('api', { base = 'test' })") == ["one", "two", "test"])
    #expect(try api(under: ":dependency('api', {})") == ["one", "two", "live"])
  }

  @Test func theInnermostOverrideWins() throws {
    #expect(
      try api(
        under: """
          :dependency('api', { one = function() return 'inner' end })
          :dependency('api', { one = function() return 'outer' end, base = 'outer' })
          """) == ["inner", "two", "outer"])
  }

  @Test func aTransformationGetsTheCurrentValueAndReturnsTheNewOne() throws {
    #expect(
      try api(
        under: """
          :transformDependency('api', function(api)
            local one = api.one
            api.one = function() return one() .. '!' end
            return api
          end)
          :dependency('api', { one = function() return 'outer' end })
          """) == ["outer!", "two", "live"])
  }

  @Test func anythingElseReplacesTheWhole() throws {
    let scripts = try Scripts(
      reading: ["uuid", "list"], "state.result = { deps.uuid(), deps.list }",
      dependencies: ["list": .value([1, 2, 3])],
      operators: ":dependency('uuid', function() return 'fixed' end):dependency('list', { 9 })")
    #expect(try scripts.go() == ["fixed", [9]])
  }

  @Test func valuesOfAnObjectAreReplacedByKey() throws {
    let scripts = try Scripts(
      reading: ["settings"], "state.result = deps.settings",
      dependencies: ["settings": .value(["a": 1, "b": ["x": 1]])],
      operators: ":dependency('settings', { b = { y = 2 } })")
    #expect(try scripts.go() == ["a": 1, "b": ["y": 2]])
  }

  private let family = """
    local function read(state, action, deps) state.result = deps.api.one() end
    local Grandchild = scripted.feature { name = "Grandchild", dependencies = { "api" }, on = { go = read } }
    local Child = scripted.feature { name = "Child", state = { child = {} }, actions = { "child" } }
      :scope("child", Grandchild)
    local Sibling = scripted.feature { name = "Sibling", dependencies = { "api" }, on = { go = read } }
    local App = scripted.feature {
      name = "App", dependencies = { "api" }, on = { go = read },
      state = { child = { child = {} }, sibling = {} },
    }

    """

  @Test func anOverrideReachesAllDescendantsAndNobodyElse() throws {
    let scripts = try Scripts(
      [
        "app": family + """
          return App:scope("sibling", Sibling)
            :scope("child", Child:dependency("api", { one = function() return "mine" end }))
          """
      ], dependencies: Dependencies(["api": api]))
    let store = try scripts.store()
    store.send("child.child.go")
    store.send("sibling.go")
    store.send("go")
    #expect(store.state["child"]["child"]["result"] == "mine")
    #expect(store.state["sibling"]["result"] == "one")
    #expect(store.state["result"] == "one")
    #expect(scripts.errors.isEmpty)
  }

  @Test func anErrorBelowAnOverrideLeavesNothingBehind() throws {
    let scripts = try Scripts(
      [
        "app": """
        local function read(state, action, deps)
          if action.fails then error("no") end
          state.result = deps.api.one()
        end
        local Child = scripted.feature { name = "Child", dependencies = { "api" }, on = { go = read } }
        return scripted.feature {
          name = "App", dependencies = { "api" }, on = { go = read }, state = { child = {} },
        }:scope("child", Child:dependency("api", { one = function() return "mine" end }))
        """
      ], dependencies: Dependencies(["api": api]))
    let store = try scripts.store()
    try store.send("child.go", ["fails": true])
    store.send("go")
    #expect(store.state["result"] == "one")
  }

  @Test func anOverrideReachesWhatScriptsComputeFromDeps() throws {
    let scripts = try Scripts(
      reading: ["facade"], "state.result = deps.facade.twice()", dependencies: ["api": api],
      before: """
        scripted.dependency { name = "facade", live = function(deps)
          return { twice = function() return deps.api.one() .. deps.api.one() end }
        end }
        """, operators: ":dependency('api', { one = function() return 'mine' end })")
    #expect(try scripts.go() == "minemine")
  }

  @Test func aTransformationIsSharedByTheOverridesInside() throws {
    let scripts = try Scripts(
      [
        "app": """
        local Child = scripted.feature {
          name = "Child", dependencies = { "count" },
          on = { go = function(state, action, deps) state.result = deps.count() end },
        }
        local App = scripted.feature {
          name = "App", dependencies = { "count" }, state = { child = {} },
          on = { go = function(state, action, deps) state.result = deps.count() end },
        }
        return App:scope("child", Child:dependency("uuid", function() return "x" end))
          :transformDependency("count", function(count)
            local n = 0
            return function() n = n + 1; return n + count() end
          end)
        """
      ], dependencies: Dependencies(["count": .function { 100 }]))
    let store = try scripts.store()
    store.send("go")
    store.send("child.go")
    store.send("go")
    #expect(store.state == ["child": ["result": 102], "result": 103])
  }

  @Test(arguments: [
    (
      ":dependency('apy', 1)",
      "dependency at app.lua:6: there is no dependency 'apy'; did you mean 'api'?"
    ),
    (":dependency('api', nil)", "bad argument #2 to 'dependency' (value expected, got nil)"),
    (":dependency(3, 1)", "the name of a dependency must be a string, not number"),
    (
      ":transformDependency('apy', print)",
      "transformDependency at app.lua:6: there is no dependency 'apy'; did you mean 'api'?"
    ),
    (
      ":transformDependency('api', 1)",
      "bad argument #2 to 'transformDependency' (function expected, got number)"
    ),
  ])
  func aWrongOverrideIsRefusedWhenAStoreIsMade(_ operators: String, _ message: String) throws {
    let scripts = try Scripts(
      reading: [], "", dependencies: ["api": api], operators: operators)
    #expect(scriptError { _ = try scripts.store() }?.message == message)
  }

  @Test(arguments: [
    (
      "function() end",
      "transformDependency at app.lua:6: the function must return the new value of 'api', it returned nil"
    ),
    ("function() error('broken') end", "broken"),
  ])
  func aTransformationThatFailsRaisesWhereItIsRead(_ function: String, _ message: String) throws {
    let scripts = try Scripts(
      reading: ["api"], "deps.api.one()", dependencies: ["api": api],
      operators: ":transformDependency('api', \(function))")
    #expect(try scripts.goFails() == message)
  }

  // MARK: Contexts

  /// A host that gives the client values for previews and tests which name `one` alone.
  private func partial(_ context: DependencyContext, _ body: String) throws -> Scripts {
    var dependencies = Dependencies()
    dependencies.register(
      "api", live: api, preview: .client(["one": .function { "preview" }]),
      test: .client(["one": .function { "test" }]))
    return try Scripts(
      [
        "app": """
        return scripted.feature {
          name = "App", dependencies = { "api" },
          on = { go = function(state, action, deps) local api = deps.api; \(body) end },
        }
        """
      ], dependencies: dependencies, context: context)
  }

  @Test func whatAPreviewDoesNotNameIsLive() throws {
    let scripts = try partial(.preview, "state.result = { api.one(), api.two(), api.base }")
    #expect(try scripts.go() == ["preview", "two", "live"])
    let store = try scripts.host.store(
      "app", dependencies: ["api": .client(["two": .function { "mine" }])])
    store.send("go")
    #expect(store.state["result"] == ["preview", "mine", "live"])
  }

  @Test func whatATestValueDoesNotNameIsUnimplemented() throws {
    let scripts = try partial(
      .test, "state.result = { api.one(), api.base }; if action.all then api.two() end")
    #expect(try scripts.go() == ["test", "live"])
    #expect(
      try scripts.goFails(["all": true])
        == "unimplemented: App called deps.api.two(). Override it in the test: "
        + "dependencies = { api = { two = function(…) … end } }")
    let store = try scripts.host.store(
      "app", dependencies: ["api": .client(["two": .function { "mine" }])])
    try store.send("go", ["all": true])
    #expect(store.state["result"] == ["test", "live"])
  }

  @Test func whatADeclaredPreviewDoesNotNameIsLive() throws {
    let scripts = try Scripts(
      reading: ["mine"], "state.result = { deps.mine.one(), deps.mine.two() }", context: .preview,
      before: """
        scripted.dependency {
          name = "mine",
          live = { one = function() return "one" end, two = function() return "two" end },
          preview = { one = function() return "preview" end },
        }
        """)
    #expect(try scripts.go() == ["preview", "two"])
  }

  /// It may need what only the live context has.
  @Test func aFunctionThatMakesTheLiveValueIsNotCalledInATestWithAValue() throws {
    let scripts = try Scripts(
      reading: ["mine"], "state.result = deps.mine.one()", context: .test,
      before: """
        scripted.dependency {
          name = "mine", live = function(deps) return { one = deps.uuid() } end,
          test = { one = function() return "test" end },
        }
        """)
    #expect(try scripts.go() == "test")
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  // MARK: Swift

  @Test func aReducerInSwiftOverridesForScripts() throws {
    let scripts = try Scripts(
      reading: ["api"], "local api = deps.api; state.result = { api.one(), api.two(), api.base }",
      dependencies: ["api": api])
    let reducer = Reducer.script("app")
      .dependency("api", .client(["one": .function { "inner" }]))
      .dependency("api", .client(["one": .function { "outer" }, "base": .value("outer")]))
    let store = try scripts.host.store(reducer, state: [:])
    store.send("go")
    #expect(store.state["result"] == ["inner", "two", "outer"])
    let error = scriptError {
      _ = try scripts.host.store(Reducer.script("app").dependency("apy", .value(1)), state: [:])
    }
    #expect(error?.message.hasSuffix("there is no dependency 'apy'; did you mean 'api'?") == true)
  }

  @Test func aTransformationInSwiftPutsBackWhatScriptsGave() throws {
    let scripts = try Scripts(
      reading: ["api"], "local api = deps.api; state.result = { api.one(), api.two(), api.base }",
      dependencies: ["api": api],
      operators: ":dependency('uuid', print)")
    let reducer = Reducer.script("app")
      .transformDependency("api") { current in
        var new = current
        new["one"] = current["two"]
        new["two"] = .function { "swift" }
        return new
      }
    let outer = Reducer.combine(reducer)
    let store = try scripts.host.store(
      outer.dependency("api", .client(["two": .function { "outer" }])), state: [:])
    store.send("go")
    #expect(store.state["result"] == ["outer", "swift", "live"])
  }

  @Test func aTransformationInSwiftAroundAScriptsFunctionKeepsIt() throws {
    let scripts = try Scripts(
      reading: ["mine"], "state.result = { deps.mine.a(), deps.mine.b() }",
      before: """
        scripted.dependency { name = "mine", live = {
          a = function() return "a" end, b = function() return "b" end,
        } }
        """)
    let reducer = Reducer.script("app").transformDependency("mine") { current in
      .client(["a": current["b"] ?? .value("none"), "b": current["a"] ?? .value("none")])
    }
    let store = try scripts.host.store(reducer, state: [:])
    store.send("go")
    #expect(store.state["result"] == ["b", "a"])
  }

  @Test func aScriptsFunctionThatSwiftKeptCannotBeUsedElsewhere() throws {
    let kept = Mutex<Dependency?>(nil)
    let scripts = try Scripts(
      reading: ["mine"], "state.result = deps.mine()",
      before: "scripted.dependency { name = 'mine', live = function() return print end }")
    let first = try scripts.host.store(
      Reducer.script("app").transformDependency("mine") { current in
        kept.withLock { $0 = current }
        return .function { "swift" }
      }, state: [:])
    first.send("go")
    #expect(first.state["result"] == "swift")
    let dependency = try #require(kept.withLock { $0 })
    let second = try scripts.host.store(
      Reducer.script("app").dependency("mine", dependency), state: [:])
    second.send("go")
    #expect(
      scripts.errors.last?.message
        == "a script's dependency can be used in the transformation that it was given to, and nowhere else"
    )
  }

  @Test func whatATransformationInSwiftThrowsIsRaised() throws {
    struct Refused: Error {}
    let scripts = try Scripts(
      reading: ["api"], "deps.api.one()", dependencies: ["api": api])
    let store = try scripts.host.store(
      Reducer.script("app").transformDependency("api") { _ in throw Refused() }, state: [:])
    store.send("go")
    #expect(scripts.errors.last?.cause is Refused)
  }
}

/// What overrides hold, they let go of with their host.
struct DependencyLifetimeTests {
  private final class Token: Sendable {}

  @Test func anOverrideGoesWithItsHost() throws {
    weak var remaining: Token?
    do {
      let token = Token()
      remaining = token
      let scripts = try Scripts(
        app: """
          scripted.dependency { name = "api", live = { f = function() return 0 end } }
          return scripted.feature {
            state = { n = 0 }, dependencies = { "api" },
            on = { go = function(state, action, deps) state.n = deps.api.f() end },
          }
          """)
      let function = Dependency.function { () -> Int in withExtendedLifetime(token) { 1 } }
      let reducer = Reducer.script("app").dependency("api", .client(["f": function]))
      let store = try scripts.host.store(reducer, state: ["n": 0])
      store.send("go")
      #expect(store.state["n"] == 1)
    }
    #expect(remaining == nil)
  }

  @Test func theOverridesOfAReducerGoWithTheStoresOfIt() throws {
    final class Token: Sendable {}
    struct Witness { weak var token: Token? }
    let scripts = try Scripts(
      app: """
        scripted.dependency { name = "api", live = function() return 0 end }
        return scripted.feature {
          state = { n = 0 }, dependencies = { "api" },
          on = { go = function(state, action, deps) state.n = deps.api() end },
        }
        """)
    var witnesses: [Witness] = []
    for _ in 0..<100 {
      let token = Token()
      witnesses.append(Witness(token: token))
      // The reducer around it has a scope that the function is not called in.
      let reducer = Reducer.script("app")
        .dependency("api", .function { () -> Int in 1 })
        .dependency("api", .function { () -> Int in withExtendedLifetime(token) { 2 } })
      let store = try scripts.host.store(reducer, state: ["n": 0])
      store.send("go")
      #expect(store.state["n"] == 1)
    }
    // A few stay until others come.
    #expect(witnesses.filter { $0.token != nil }.count <= 20)
  }
}
