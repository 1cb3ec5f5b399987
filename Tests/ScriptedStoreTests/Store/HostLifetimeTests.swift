import ScriptedStore
import Testing

/// A host that goes takes all with it that its scripts were given, whatever they have kept.
struct HostLifetimeTests {
  /// What a dependency of the host's holds.
  private final class Witness: Sendable {
    let closed = Recorder<String>()
  }

  private static func dependencies(holding witness: Witness) -> Dependencies {
    var dependencies = Dependencies()
    let close = Dependency.function("text") { (text: String) in witness.closed.record(text) }
    dependencies.register("close", live: close, test: close)
    return dependencies
  }

  @Test func scriptsMayKeepEffectsOfReducersThatTheyRun() throws {
    weak var witness: Witness?
    do {
      let held = Witness()
      witness = held
      let scripts = try Scripts(
        [
          "app": """
          local kept = {}
          local Child = scripted.feature {
            name = "Child", state = {}, dependencies = { "close" },
            on = {
              go = function() return effect.run(function(_, deps) deps.close("went") end) end,
            },
          }
          return scripted.feature {
            state = { child = {} }, dependencies = { "close" },
            on = { go = function(state, _, deps) kept[1] = Child.run(state.child, "go", deps) end },
          }
          """
        ], dependencies: Self.dependencies(holding: held))
      try scripts.store().send("go")
      #expect(scripts.errors.isEmpty && held.closed.all.isEmpty)
    }
    #expect(witness == nil)
  }

  @Test func testsMayKeepTheirStores() throws {
    weak var witness: Witness?
    do {
      let held = Witness()
      witness = held
      let app = try TestFolder(
        """
        local kept
        it("keeps a store", function()
          kept = require("scripted.test").store(require "app")
          kept:send("count", function(state) state.count = 1 end)
          assert.are.equal(1, kept.state.count)
        end)
        """,
        modules: [
          "app": """
          return require("scripted").feature {
            state = { count = 0 }, dependencies = { "close" },
            on = { count = function(state) state.count = state.count + 1 end },
          }
          """
        ], configuration: .init(dependencies: Self.dependencies(holding: held)))
      #expect(words(app.run()) == ["keeps a store: passed"])
    }
    #expect(witness == nil)
  }

  @Test func whatIsInFlightInATestFileThatGoesIsClosed() throws {
    weak var witness: Witness?
    let closed: Recorder<String>
    do {
      let held = Witness()
      witness = held
      closed = held.closed
      let file = try TestFolder(
        """
        local test = require "scripted.test"
        local store = test.store(require "app", { dependencies = { clock = test.clock() } })
        store:send("wait")
        it("never runs", function() end)
        """,
        modules: [
          "app": """
          local scripted = require "scripted"
          return scripted.feature {
            dependencies = { "close", "clock" },
            on = {
              wait = function()
                return scripted.effect.run(function(_, deps)
                  local x <close> = setmetatable({}, { __close = function() deps.close("closed") end })
                  deps.clock.sleep(1)
                end)
              end,
            },
          }
          """
        ], configuration: .init(dependencies: Self.dependencies(holding: held)))
      #expect(file.file.tests.count == 1)
      #expect(closed.all.isEmpty)
    }
    #expect(closed.all == ["closed"])
    #expect(witness == nil)
  }

  @Test func whatViewsHaveShownGoesWithItsHost() throws {
    weak var root: Witness?
    weak var row: Witness?
    do {
      let (heldByRoot, heldByRow) = (Witness(), Witness())
      (root, row) = (heldByRoot, heldByRow)
      let scripts = try Scripts(
        app: """
          return scripted.feature { name = "Row", state = { n = 1 }, on = {} }
          """)
      let element = Reducer.script("app").view { _, _ in
        withExtendedLifetime(heldByRow) { ["kind": "text", "text": "a row"] }
      }
      let app = Reducer.script("app").forEach("rows", element).view { _, _ in
        withExtendedLifetime(heldByRoot) { ["kind": "forEach", "action": "rows"] }
      }
      let store = try scripts.host.store(app, state: ["rows": [["id": 1]]])
      #expect(store.view().value.json().contains("a row"))
    }
    #expect(root == nil)
    #expect(row == nil)
  }

  @Test func aTestFileThatHasShownViewsGoes() throws {
    weak var witness: Witness?
    do {
      let held = Witness()
      witness = held
      let row = Reducer.reduce { _, _ in .none }.view { _, _ in
        withExtendedLifetime(held) { ["kind": "text", "text": "shown"] }
      }
      let file = try TestFolder(
        """
        local test = require "scripted.test"
        it("shows", function()
          assert.is_not_nil(test.view(require "app"):query("text", "shown"))
        end)
        """,
        modules: [
          "app": """
          local scripted = require "scripted"
          local ui = require "scripted.ui"
          return scripted.feature {
            state = { row = {} }, on = {}, view = function() return ui.child "row" end,
          }:scope("row", require "row")
          """
        ], configuration: .init(reducers: ["row": row]))
      let results = file.run()
      #expect(words(results) == ["shows: passed"], "\(results.flatMap(\.failures))")
    }
    #expect(witness == nil)
  }
}
