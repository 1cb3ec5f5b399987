import LuaBridge
import ScriptedStore
import Testing

/// Which views ran for a change, as tools show it.
struct ViewRunTests {
  private static let app = """
    local Row = scripted.feature {
      name = "Row", state = { id = 0, n = 0 }, on = { up = function(state) state.n = state.n + 1 end },
      view = function(state) return ui.text(state.n) end,
    }
    return scripted.feature {
      name = "App", state = { title = "a", unseen = 0, rows = { { id = 1, n = 0 }, { id = 2, n = 0 } } },
      on = {
        rename = function(state, action) state.title = action.value end,
        note = function(state) state.unseen = state.unseen + 1 end,
      },
      view = function(state) return ui.column { ui.text(state.title), ui.forEach "rows" } end,
    }:forEach("rows", Row)
    """

  private func places(_ tree: ViewTree) -> [String]? { tree.lastRuns?.runs.map(\.place) }

  @Test func theViewsOfTheLastChangeAreKept() throws {
    let scripts = try Scripts(["app": "local ui = require \"scripted.ui\"\n" + Self.app])
    let store = try scripts.store()
    let tree = store.viewRecordingRuns()
    #expect(places(tree) == ["", "rows[1]", "rows[2]"])
    store.send("rows[2].up")
    #expect(places(tree) == ["rows[2]"] && tree.lastRuns?.action == 1)
    // Nothing ran for it, so what is kept is that of before, with its number.
    store.send("note")
    #expect(places(tree) == ["rows[2]"] && tree.lastRuns?.action == 1)
    try store.send("rename", ["value": "b"])
    #expect(places(tree) == [""] && tree.lastRuns?.action == 3)
    #expect(tree.lastRuns?.runs.allSatisfy { $0.duration >= .zero } == true)
  }

  @Test func nothingIsRecordedUnlessSomebodyWantsToKnow() throws {
    let scripts = try Scripts(["app": "local ui = require \"scripted.ui\"\n" + Self.app])
    let store = try scripts.store()
    let (tree, other) = (store.view(), store.view())
    store.send("rows[1].up")
    #expect(tree.lastRuns == nil)
    let first = tree.recordRuns()
    let second = other.recordRuns()
    store.send("rows[1].up")
    #expect(places(tree) == ["rows[1]"])
    first.cancel()
    // Both look at one screen, and the second one still wants to know.
    store.send("rows[2].up")
    #expect(places(other) == ["rows[2]"])
    second.cancel()
    store.send("rows[1].up")
    #expect(places(other) == ["rows[2]"] && other.lastRuns?.action == 3)
  }

  @Test func aReloadGoesOnRecording() async throws {
    let source = "local ui = require \"scripted.ui\"\n" + Self.app
    let scripts = try Scripts(["app": source])
    let store = try scripts.store()
    let tree = store.view()
    let recording = tree.recordRuns()
    let new = source.split(separator: "ui.text(state.title)", omittingEmptySubsequences: false)
      .joined(separator: "ui.text(state.title .. 1)")
    try scripts.folder.write(Scripts.locals + new, to: "app.lua")
    try await scripts.host.reload()
    #expect(tree.value["children"][0]["text"] == "a1")
    #expect(places(tree) == ["", "rows[1]", "rows[2]"])
    store.send("rows[1].up")
    #expect(places(tree) == ["rows[1]"])
    recording.cancel()
  }
}
