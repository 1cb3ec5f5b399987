import ScriptedStore
import Testing

/// The `check` of a key, which refuses what an action writes.
struct CheckedValueTests {
  private static let app = """
    local settings = scripted.shared.fileStorage("settings.json", { size = 12 }, {
      check = function(value) if value.size > 20 then error("too large") end end,
    })
    return scripted.feature {
      name = "App", state = { tries = 0 },
      shared = { settings = settings, count = scripted.shared.inMemory("count", 0) },
      on = {
        grow = function(state, action)
          state.tries = state.tries + 1
          state.count = state.count + 1
          state.settings.size = state.settings.size + action.by
        end,
        count = function(state) state.count = state.count + 1 end,
        start = function(state) state.settings.size = 30 return effect.send("count") end,
      },
    }
    """

  private func scripts(_ storage: MemoryStorage = MemoryStorage(), app: String = app) throws
    -> Scripts
  {
    try Scripts(["app": app]) { $0.shared = storage }
  }

  @Test func anActionWhoseValueIsRefusedChangesNothing() throws {
    let storage = MemoryStorage()
    let scripts = try scripts(storage)
    let (store, other) = (try scripts.store(), try scripts.store())
    try store.send("grow", ["by": 9])
    #expect(store.state == ["tries": 0, "settings": ["size": 12], "count": 0])
    #expect(other.state == store.state)
    #expect(
      scripts.errors.map(\.message) == [
        "the `check` of the shared value 'settings.json' refuses what the action wrote: too large"
      ])
    scripts.host.flush()
    #expect(storage.read("settings.json") == nil)
    #expect(storage.read(".settings.json.journal") == nil)

    try store.send("grow", ["by": 8])
    #expect(store.state == ["tries": 1, "settings": ["size": 20], "count": 1])
    #expect(scripts.errors.count == 1)
  }

  @Test func theEffectsOfARefusedActionDoNotStart() throws {
    let scripts = try scripts()
    let store = try scripts.store()
    store.send("start")
    #expect(store.state["count"] == 0)
    #expect(scripts.errors.count == 1)
  }

  @Test func aCheckIsNotAskedForValuesThatAnActionLeavesAlone() throws {
    let app = Self.app.replacing(
      "if value.size > 20 then error(\"too large\") end", with: "error('asked')")
    let scripts = try scripts(app: app)
    let store = try scripts.store()
    store.send("count")
    #expect(store.state["count"] == 1)
    #expect(scripts.errors.isEmpty)
  }

  @Test func whatAnOnChangeWritesIsCheckedToo() throws {
    let app =
      Self.app.replacing("return scripted.feature {", with: "local app = scripted.feature {")
        + """

        return app:onChange("count", function(state, _, new)
          state.settings.size = new * 10
        end)
        """
    let scripts = try scripts(app: app)
    let (store, other) = (try scripts.store(), try scripts.store())
    for _ in 1...4 { store.send("count") }
    #expect(store.state["settings"]["size"] == 20)
    #expect(store.state["count"] == 2)
    #expect(other.state["count"] == 2)
    #expect(scripts.errors.count == 2)
  }

  @Test func aCheckThatALimitStopsRefusesTheAction() throws {
    let scripts = try Scripts([
      "app": Self.app.replacing("error(\"too large\")", with: "while true do end")
    ]) {
      $0.shared = .memory
      $0.limits.time = .milliseconds(200)
    }
    let store = try scripts.store()
    try store.send("grow", ["by": 9])
    #expect(store.state["settings"]["size"] == 12)
    #expect(scripts.errors.first?.message.contains("longer than 0.2 s") == true)
    try store.send("grow", ["by": 1])
    #expect(store.state["settings"]["size"] == 13)
  }

  private func file(_ storage: MemoryStorage) -> String? {
    storage.read("settings.json").map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(
    arguments: [
      (["size": 30], "cannot be set: too large"),
      ("text", "the default of the key is of type object, and the new value is of type string"),
      (.null, "the default of the key is of type object, and the new value is of type null"),
    ] as [(Value, String)])
  func theHostSetsWhatTheNextStartUses(value: Value, reason: String) throws {
    let storage = MemoryStorage()
    let scripts = try scripts(storage)
    let store = try scripts.store()
    let settings = scripts.host.shared("settings.json", kind: .fileStorage)
    let refusal = scriptError { try settings.update { $0 = value } }
    #expect(
      refusal?.message.hasPrefix("the shared value fileStorage \"settings.json\" cannot be set: ")
        == true)
    #expect(refusal?.message.contains(reason) == true, "\(refusal?.message ?? "none")")
    let history = store.record()
    let edit = #expect(throws: HistoryError.self) {
      try history.edit(["tries": 7, "settings": value, "count": 0])
    }
    #expect(edit.map { "\($0)".contains(reason) } == true, "\(String(describing: edit))")
    #expect(store.state == ["tries": 0, "settings": ["size": 12], "count": 0])
    scripts.host.flush()
    #expect(file(storage) == nil)
    try settings.update { $0 = ["size": 15] }
    #expect(store.state["settings"]["size"] == 15)
    try settings.update { $0 = nil }
    #expect(store.state.object?["settings"] == nil)
  }

  @Test func theHostWaitsForTheWorkerWithTheCheck() throws {
    let scripts = try Scripts(["app": Self.app], workers: 2) { $0.shared = MemoryStorage() }
    let stores = [try scripts.host.store("app"), try scripts.host.store("app")]
    let settings = scripts.host.shared("settings.json", kind: .fileStorage)
    #expect(scriptError { try settings.update { $0 = ["size": 21] } } != nil)
    try settings.update { $0 = ["size": 20] }
    for store in stores { #expect(store.state["settings"]["size"] == 20) }
  }

  @Test func theFirstValueOfAStoreIsCheckedToo() throws {
    let scripts = try scripts()
    let refusal = scriptError {
      _ = try scripts.host.store("app", state: ["settings": ["size": 99]])
    }
    #expect(refusal?.message.contains("cannot be set: too large") == true, "\(refusal as Any)")
  }

  @Test func anActionWritesNoValueOfAnotherType() throws {
    let storage = MemoryStorage()
    let app = """
      local seen = scripted.shared.appStorage("seen", false)
      return scripted.feature {
        state = {}, shared = { seen = seen, count = scripted.shared.inMemory("count", 0) },
        on = {
          see = function(state, action)
            state.seen, state.count = action.value, "any"
          end,
        },
      }
      """
    let scripts = try scripts(storage, app: app)
    let store = try scripts.store()
    try store.send("see", ["value": "yes"])
    #expect(store.state == ["seen": false, "count": 0])
    #expect(
      scripts.errors.first?.message.contains(
        "the shared value 'seen' cannot be stored: the default of the key is of type boolean, and what the action wrote is of type string"
      ) == true, "\(scripts.errors)")
    try store.send("see", ["value": true])
    #expect(store.state == ["seen": true, "count": "any"])
  }

  @Test func aReplayRefusesWhatTheActionCouldNotWrite() throws {
    let scripts = try scripts()
    let store = try scripts.store()
    let history = store.record()
    try store.send("grow", ["by": 4])
    try store.send("grow", ["by": 9])
    try store.send("grow", ["by": 1])
    #expect(store.state["settings"]["size"] == 17)
    // Without the first action, the second one is allowed to write 21: it still is too large.
    try history.skip(1)
    #expect(store.state["tries"] == 1)
    #expect(store.state["settings"]["size"] == 13)
  }
}
