import Foundation
import LuaBridge
import ScriptedStore
import Testing

/// Shared values over time: resets, reloads, histories and replays.
struct SharedOverTimeTests {
  private static let app = """
    local count = scripted.shared.inMemory("count", 0)
    return scripted.feature {
      name = "App", state = { heard = 0 }, shared = { count = count },
      on = { inc = function(state) state.count = state.count + 1 end },
    }:onChange("count", function(state) state.heard = state.heard + 1 end)
    """

  @Test func aResetLeavesTheSharedValue() throws {
    let scripts = try Scripts(app: Self.app)
    let store = try scripts.store()
    store.send("inc")
    try scripts.host.reset()
    #expect(store.state == ["heard": 0, "count": 1])
  }

  @Test func aReloadKeepsValuesAndAddsAndRemovesFields() throws {
    let scripts = try Scripts(app: Self.app)
    let store = try scripts.store()
    store.send("inc")
    try scripts.folder.write(
      Scripts.locals + """
        local shared = scripted.shared
        return scripted.feature {
          name = "App", state = { n = 0 },
          shared = { count = shared.inMemory("count", 0), heard = shared.inMemory("heard", 99) },
          on = { inc = function(state) state.count = state.count + 10 end },
        }
        """, to: "app.lua")
    _ = try scripts.host.reload()
    // `heard` has become shared, and brings its value.
    #expect(store.state["count"] == 1)
    #expect(store.state["heard"] == 1)
    #expect(scripts.host.shared("count").value == 1)
    store.send("inc")
    #expect(store.state["count"] == 11)
    try scripts.folder.write(
      Scripts.locals + """
        return scripted.feature {
          name = "App", state = { count = 0 },
          on = { inc = function(state) state.count = state.count + 100 end },
        }
        """, to: "app.lua")
    _ = try scripts.host.reload()
    store.send("inc")
    #expect(store.state["count"] == 111)
    #expect(scripts.host.shared("count").value == 11)
  }

  /// Shared values belong to the host. So the new version and the new fields of a feature whose state is shared are left out, and
  /// that is told.
  @Test func aReloadDoesNotAdaptStatesInSharedValues() throws {
    func app(_ row: String) -> String {
      Scripts.locals + """
        local Row = scripted.feature { name = "Row", \(row) }
        return scripted.feature {
          name = "App", state = { own = { { id = 2 } } },
          shared = { rows = scripted.shared.inMemory("rows", { { id = 1 } }) },
        }:forEach("rows", Row):forEach("own", Row)
        """
    }
    let scripts = try Scripts(app: app("state = {}"))
    let store = try scripts.store()
    try scripts.folder.write(
      app(
        "state = { note = '' }, version = 2, migrate = function(state) state.isNew = true end"),
      to: "app.lua")
    let report = try scripts.host.reload()
    #expect(store.state["rows"] == [["id": 1]])
    #expect(store.state["own"] == [["id": 2, "isNew": true, "note": ""]])
    #expect(report.migrations.map(\.places) == [1])
    #expect(report.addedFields.map(\.places) == [1])
    let warning = try #require(report.warnings.first)
    #expect(warning.kind == .sharedState && report.warnings.count == 1)
    #expect(
      warning.message.hasPrefix(
        "the new version or the new fields of Row are not in state.rows[1], because it belongs to the shared value inMemory \"rows\", "
      ), "\(warning)")
  }

  /// The value's own `migrate` is the one that adapts them.
  @Test func aMigrationOfTheSharedValueAdaptsItsStates() throws {
    func app(_ row: String, _ key: String) -> String {
      Scripts.locals + """
        local Row = scripted.feature { name = "Row", state = { \(row) } }
        return scripted.feature {
          name = "App", state = {},
          shared = { rows = scripted.shared.fileStorage("rows.json", { { id = 1 } }\(key)) },
        }:forEach("rows", Row)
        """
    }
    let scripts = try Scripts(["app": app("", "")]) { $0.shared = MemoryStorage() }
    let store = try scripts.store()
    try scripts.folder.write(app("note = ''", ""), to: "app.lua")
    let first = try scripts.host.reload()
    #expect(first.warnings.map(\.kind) == [.sharedState])
    #expect(first.warnings.first?.message.contains("raise the `version` of the key") == true)
    #expect(store.state["rows"] == [["id": 1]])
    let migrating =
      ", { version = 2, migrate = function(rows) for _, row in ipairs(rows) do row.note = 'n' row.more = 1 end end }"
    try scripts.folder.write(app("note = '', more = 0", migrating), to: "app.lua")
    let second = try scripts.host.reload()
    #expect(second.warnings.isEmpty)
    #expect(store.state["rows"] == [["id": 1, "note": "n", "more": 1]])
  }

  @Test func aStepIsAnEntryOfTheHistoryAndThePastWritesNothing() throws {
    let scripts = try Scripts(app: Self.app)
    let (store, other) = (try scripts.store(), try scripts.store())
    let history = store.record()
    store.send("inc")
    other.send("inc")
    #expect(history.entries(1...2).map(\.source) == [.input, .shared])
    #expect(store.state == ["heard": 2, "count": 2])
    try history.go(to: 1)
    #expect(store.state == ["heard": 1, "count": 1])
    #expect(scripts.host.shared("count").value == 2)
    // What others do is not shown, until the store acts again.
    other.send("inc")
    #expect(store.state["count"] == 1)
    store.send("inc")
    #expect(store.state["count"] == 4)
    #expect(scripts.host.shared("count").value == 4)
  }

  @Test func aReplayStaysInTheHistory() throws {
    let scripts = try Scripts(app: Self.app)
    let (store, other) = (try scripts.store(), try scripts.store())
    let history = store.record()
    store.send("inc")
    other.send("inc")
    store.send("inc")
    let report = try history.replay(from: 1)
    #expect(report.count == 3)
    #expect(report.difference == nil)
    #expect(store.state["count"] == 3)
    #expect(scripts.host.shared("count").value == 3)
  }

  @Test func anEditOfATool() throws {
    let scripts = try Scripts(app: Self.app)
    let (store, other) = (try scripts.store(), try scripts.store())
    let history = store.record()
    try history.edit(["heard": 0, "count": 50])
    #expect(store.state["count"] == 50)
    #expect(other.state == ["heard": 1, "count": 50])
  }

  // MARK: From a recording to a test

  private static let shelf = """
    local count = scripted.shared.inMemory("count", 0)
    local settings = scripted.shared.fileStorage("settings.json", { size = 12, theme = "light" }, { version = 2 })
    local Size = scripted.feature { name = "Size", state = {}, shared = { now = settings:at("size") } }
    return scripted.feature {
      name = "App", state = { heard = 0, size = {} }, shared = { count = count, settings = settings },
      on = { inc = function(state) state.count = state.count + 1 end },
    }:scope("size", Size):onChange("count", function(state) state.heard = state.heard + 1 end)
    """

  @Test func stepsOfARecordingAreReceivedInItsTest() async throws {
    let scripts = try Scripts(["app": Self.shelf]) { $0.shared = .memory }
    let store = try scripts.store()
    let history = store.record()
    store.send("inc")
    try scripts.host.shared("count").update { $0 = 5 }
    try scripts.host.shared("settings.json", kind: .fileStorage).update { $0?["size"] = 20 }
    store.send("inc")
    #expect(store.state["heard"] == 3)
    let source = try scripts.host.testSource(of: Recording(jsonLines: history.export()))
    #expect(source.contains("store:shared(\"count\"):set(5)"), "\(source)")
    #expect(source.components(separatedBy: "it(\"").count == 2, "\(source)")
    try scripts.folder.write(source, to: "app_test.lua")
    let file = try ScriptTestFile(
      scripts.folder.path + "/app_test.lua", root: scripts.folder.path, configuration: .init())
    let results = await Spec.results(of: file)
    #expect(results.count == 1)
    for result in results {
      guard case .passed = result.outcome else {
        Issue.record("\(result.outcome)\n\(source)")
        continue
      }
    }
  }

  @Test func aStepThatTakesSeveralValuesOverBeginsATestOfItsOwn() throws {
    let app = Self.shelf.replacing(
      "inc = ", with: "both = function(s) s.count = 9 s.settings.size = 1 end, inc = ")
    let scripts = try Scripts(["app": app]) { $0.shared = .memory }
    let (store, other) = (try scripts.store(), try scripts.store())
    let history = store.record()
    store.send("inc")
    other.send("both")
    store.send("inc")
    let source = try scripts.host.testSource(of: Recording(jsonLines: history.export()))
    #expect(!source.contains("store:shared"))
    #expect(source.components(separatedBy: "it(\"").count == 3, "\(source)")
  }
}
