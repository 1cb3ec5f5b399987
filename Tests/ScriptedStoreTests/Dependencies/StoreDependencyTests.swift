import LuaBridge
import ScriptedStore
import Testing

@Suite struct StoreDependencyTests {
  private let api = Dependency.client([
    "one": .function { "one" }, "two": .function { "two" },
  ])

  private func scripts(_ app: String) throws -> Scripts {
    try Scripts(["app": app], dependencies: Dependencies(["api": api]))
  }

  private let reading = """
    return scripted.feature {
      name = "App", dependencies = { "api" },
      on = { go = function(state, action, deps) state.result = deps.api.one() .. deps.api.two() end },
    }
    """

  @Test func aStoreHasOverridesOfItsOwn() throws {
    let scripts = try scripts(reading)
    let plain = try scripts.store()
    let other = try scripts.host.store(
      "app", dependencies: ["api": .client(["one": .function { "mine" }])])
    for store in [plain, other, plain] { store.send("go") }
    #expect(plain.state["result"] == "onetwo")
    #expect(other.state["result"] == "minetwo")
  }

  @Test func aReducersOverrideIsInsideOfTheStores() throws {
    let scripts = try scripts(reading)
    let store = try scripts.host.store(
      Reducer.script("app").dependency("api", .client(["one": .function { "reducer" }])),
      state: [:],
      dependencies: ["api": .client(["one": .function { "store" }, "two": .function { "store" }])])
    store.send("go")
    #expect(store.state["result"] == "reducerstore")
  }

  @Test func anUnknownNameIsRefused() throws {
    let scripts = try scripts(reading)
    let error = scriptError {
      _ = try scripts.host.store("app", dependencies: ["apy": .value(1)])
    }
    #expect(
      error?.message
        == "the store's dependencies: there is no dependency 'apy'; did you mean 'api'?")
  }

  @Test func anOverrideStandsInForADependencyOfAnotherHost() throws {
    var dependencies = Dependencies()
    dependencies.standIns = ["api", "apy"]
    let scripts = try Scripts(["app": reading], dependencies: dependencies)
    let store = try scripts.host.store(
      "app",
      dependencies: ["api": .client(["one": .function { "one" }, "two": .function { "two" }])])
    store.send("go")
    #expect(store.state["result"] == "onetwo")
    let error = scriptError {
      _ = try scripts.host.store("app", dependencies: ["apy": .value(1)])
    }
    #expect(
      error?.message
        == "the store's dependencies: there is no dependency 'apy'; did you mean 'api'?")
  }

  @Test func aScriptsDeclarationComesBeforeAStandIn() throws {
    var dependencies = Dependencies()
    dependencies.standIns = ["api"]
    let declaring = """
      scripted.dependency {
        name = "api",
        live = { one = function() return "one" end, two = function() return "two" end },
      }
      """
    let scripts = try Scripts(["app": declaring + "\n" + reading], dependencies: dependencies)
    let store = try scripts.host.store(
      "app", dependencies: ["api": .client(["one": .function { "mine" }])])
    store.send("go")
    #expect(store.state["result"] == "minetwo")
    let error = scriptError {
      _ = try scripts.host.store("app", dependencies: ["api": .client(["onne": .value(1)])])
    }
    #expect(error?.message.contains("'api' has no member 'onne'") == true)
  }

  @Test func aScriptThatIsMissingOrBrokenIsRefused() throws {
    let scripts = try scripts(reading)
    let folder = try TemporaryFolder(["broken.lua": "return return"])
    for name in ["broken.lua", "missing.lua"] {
      let stub = Dependency.client(["one": .script(file: "\(folder.path)/\(name)")])
      #expect(
        scriptError { _ = try scripts.host.store("app", dependencies: ["api": stub]) }?.description
          .contains(name) == true)
    }
  }

  @Test func effectsAndTheirEffectsSeeTheOverride() async throws {
    let scripts = try scripts(
      """
      local Child = scripted.feature {
        name = "Child", dependencies = { "api" }, state = { log = {} },
        on = {
          go = function()
            return effect.run(function(send, deps)
              effect.yield()
              send("again", { seen = deps.api.one() })
            end)
          end,
          again = function(state, action)
            table.insert(state.log, action.seen)
            return effect.run(function(send, deps) send("done", { seen = deps.api.one() }) end)
          end,
          done = function(state, action, deps)
            table.insert(state.log, action.seen)
            table.insert(state.log, deps.api.one())
          end,
        },
      }
      return scripted.feature { name = "App", state = { child = { log = {} } } }
        :scope("child", Child:dependency("api", { one = function() return "mine" end }))
      """)
    let store = try scripts.store()
    await store.send("child.go").finish()
    #expect(store.state["child"]["log"] == ["mine", "mine", "mine"])
  }

  @Test func whatCatchesAnErrorGetsDepsToo() async throws {
    let scripts = try scripts(
      """
      return scripted.feature {
        name = "App", dependencies = { "api" },
        on = {
          go = function()
            return effect.run(function() error("no") end, { catch = function(e, send, deps)
              send("done", { seen = deps.api.one() })
            end })
          end,
          done = function(state, action) state.result = action.seen end,
        },
      }
      """)
    let store = try scripts.store()
    await store.send("go").finish()
    #expect(store.state["result"] == "one")
  }

  @Test func handlersOfElementsAndTheWholeReducerGetDeps() throws {
    let scripts = try scripts(
      """
      local Row = scripted.feature { name = "Row", state = {}, actions = { "go" } }
      return scripted.feature {
        name = "App", dependencies = { "api" }, state = { rows = { { id = 7 } } },
        on = { ["rows[*].go"] = function(state, action, deps, ids) state.row = deps.api.one() .. ids[1] end },
        reduce = function(state, action, deps) state.whole = deps.api.two() end,
      }:forEach("rows", Row)
      """)
    let store = try scripts.store()
    store.send("rows[7].go")
    #expect(store.state["row"] == "one7")
    #expect(store.state["whole"] == "two")
  }

  @Test func theClockIsTheStores() throws {
    let clock = VirtualClock()
    let folder = try TemporaryFolder([
      "app.lua": """
      local scripted = require "scripted"
      return scripted.feature {
        name = "App", dependencies = { "clock" }, state = {},
        on = {
          go = function(state, action, deps)
            state.began = deps.clock.now()
            state.isPresented = deps.isPresented
            return scripted.effect.run(function(send, deps)
              deps.clock.sleep(2)
              send("done", { at = deps.clock.now() })
            end)
          end,
          done = function(state, action) state.ended = action.at end,
        },
      }
      """
    ])
    let host = try ScriptHost(root: folder.path, configuration: .init(clock: clock))
    let store = try host.store("app")
    store.send("go")
    clock.advance(by: .seconds(3))
    #expect(store.state == ["began": 0, "isPresented": false, "ended": 2])
  }

  @Test func anEffectReachesDepsAfterItsStoreIsGone() async throws {
    let (heard, hear) = AsyncStream.makeStream(of: Void.self)
    let scripts = try Scripts(
      [
        "app": """
        return scripted.feature {
          name = "App", dependencies = { "api" }, state = {},
          on = { go = function()
            return effect.run(function(send, deps)
              local closing <close> = setmetatable({}, { __close = function() deps.api.gone() end })
              deps.api.wait()
            end)
          end },
        }
        """
      ],
      dependencies: Dependencies([
        "api": .client([
          "gone": .function { _ = hear.yield() },
          "wait": .asyncFunction { () async throws in try await Task.sleep(for: .seconds(3600)) },
        ])
      ]))
    do {
      let store = try scripts.host.store("app", dependencies: ["uuid": .incrementingUUID()])
      store.send("go")
    }
    for await _ in heard { break }
    #expect(scripts.errors.isEmpty)
  }

  @Test func aHostWithStoresOfTheirOwnDependenciesFreesThem() throws {
    final class Witness: Sendable {}
    weak var witness: Witness?
    let scripts = try scripts(reading)
    do {
      let kept = Witness()
      witness = kept
      let store = try scripts.host.store(
        "app", dependencies: ["api": .client(["one": .function { "\(type(of: kept))" }])])
      store.send("go")
      #expect(store.state["result"] == "Witnesstwo")
    }
    // Lua lets go of functions when it collects garbage.
    let other = try scripts.store()
    for _ in 0..<20_000 where witness != nil { other.send("go") }
    #expect(witness == nil)
  }
}
