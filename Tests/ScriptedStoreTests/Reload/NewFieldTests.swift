import LuaBridge
import ScriptedStore
import Testing

/// Keys of `state` that new code has and old code had not: running states get their defaults.
@Suite struct NewFieldTests {
  private static func counter(_ state: String, name: String = "Counter", more: String = "")
    -> String
  {
    """
    return scripted.feature {
      name = "\(name)", state = { \(state) }, \(more)
      on = { up = function(state) state.count = state.count + 1; state.last = (state.step or -1) + 1 end },
    }
    """
  }

  @Test func aNewKeyGetsItsDefault() throws {
    let scripts = try Scripts(app: Self.counter("count = 0"))
    let store = try scripts.store()
    store.send("up")
    try scripts.write("app", Self.counter("count = 5, step = 3, names = { \"a\" }"))
    let report = try scripts.host.reload()
    #expect(store.state == ["count": 1, "last": 0, "step": 3, "names": ["a"]])
    #expect(report.addedFields.map(\.key) == ["names", "step"])
    #expect(report.addedFields.allSatisfy { $0.feature == "Counter" && $0.places == 1 })
    #expect(report.description.contains("new in the state: names, step"), "\(report)")
    store.send("up")
    #expect(store.state["last"] == 4)
  }

  @Test func aFeatureWithoutANameGetsNewKeysToo() throws {
    let scripts = try Scripts(app: "return scripted.feature { state = { count = 0 } }")
    let store = try scripts.store()
    try scripts.write("app", "return scripted.feature { state = { count = 0, step = 3 } }")
    let report = try scripts.host.reload()
    #expect(store.state == ["count": 0, "step": 3])
    #expect(report.addedFields.map(\.feature) == ["app.lua"])
  }

  /// Only what is new in the code is added: a key that a script has removed stays away.
  @Test func keysOfTheOldCodeAndKeysThatAreThereStay() throws {
    let scripts = try Scripts(
      app:
        "return scripted.feature { name = 'App', state = { a = 1 }, on = { cut = function(state) state.a = nil end } }"
    )
    let store = try scripts.store(state: ["c": 7])
    store.send("cut")
    try scripts.write(
      "app", "return scripted.feature { name = 'App', state = { a = 1, b = 2, c = 3 } }")
    let report = try scripts.host.reload()
    #expect(store.state == ["c": 7, "b": 2])
    #expect(report.addedFields.map(\.key) == ["b"])
  }

  @Test func everyPlaceOfTheFeatureGetsTheKey() throws {
    func app(_ row: String) -> String {
      """
      local Row = scripted.feature { name = "Row", state = { \(row) } }
      return scripted.feature { name = "App", state = { rows = {} } }
        :forEach("rows", Row):scope("one", Row):ifLet("none", Row)
      """
    }
    let scripts = try Scripts(app: app("id = 0"))
    let store = try scripts.store(state: ["rows": [["id": 1], ["id": 2]], "one": ["id": 3]])
    try scripts.write("app", app("id = 0, done = false"))
    let report = try scripts.host.reload()
    #expect(
      store.state == [
        "rows": [["id": 1, "done": false], ["id": 2, "done": false]],
        "one": ["id": 3, "done": false],
      ])
    let field = try #require(report.addedFields.first)
    #expect(report.addedFields.count == 1)
    #expect((field.store, field.feature, field.key, field.places) == ("App", "Row", "done", 3))
  }

  /// The elements get them as when a store begins, and above all ids that its stacks have given.
  @Test func elementsOfANewStackGetIDs() throws {
    func app(_ field: String, _ stack: String) -> String {
      """
      local Page = scripted.feature { name = "Page", state = {} }
      return scripted.feature { name = "App", state = { path = {}\(field) } }
        :stack("path", { page = Page })\(stack)
      """
    }
    let scripts = try Scripts(app: app("", ""))
    let store = try scripts.store()
    for _ in 0..<2 { try store.send("path.push", ["state": ["page": [:]]]) }
    try store.send("path.popFrom", ["id": 1])
    try scripts.write(
      "app",
      app(", other = { { page = {} }, { page = {} } }", ":stack('other', { page = Page })"))
    let report = try scripts.host.reload()
    #expect(report.addedFields.map(\.key) == ["other"])
    #expect(store.state["path"] == [["id": 0, "page": [:]]])
    #expect(store.state["other"] == [["id": 2, "page": [:]], ["id": 3, "page": [:]]])
    try store.send("other.popFrom", ["id": 3])
    try store.send("other.push", ["state": ["page": [:]]])
    #expect(store.state["other"] == [["id": 2, "page": [:]], ["id": 4, "page": [:]]])
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)
  }

  @Test func aMigrationComesFirst() throws {
    let scripts = try Scripts(app: Self.counter("count = 0"))
    let store = try scripts.store()
    try scripts.write(
      "app",
      Self.counter(
        "count = 0, step = 3, note = 'n'",
        more: "version = 2, migrate = function(state) state.step = 9 end,"))
    let report = try scripts.host.reload()
    #expect(store.state == ["count": 0, "step": 9, "note": "n"])
    #expect(report.addedFields.map(\.key) == ["note"] && report.migrations.count == 1)
  }

  /// Two features of one script without names cannot be told apart.
  @Test func ambiguousFeaturesGetNoKeys() throws {
    func app(_ more: String) -> String {
      """
      local Row = scripted.feature { state = { id = 0 } }
      return scripted.feature { state = { rows = {}\(more) } }:forEach("rows", Row)
      """
    }
    let scripts = try Scripts(app: app(""))
    let store = try scripts.store()
    try scripts.write("app", app(", step = 3"))
    let report = try scripts.host.reload()
    #expect(store.state == ["rows": []] && report.addedFields.isEmpty)
  }

  @Test func aHostCanTurnItOff() throws {
    let scripts = try Scripts(["app": Self.counter("count = 0")]) { configuration in
      configuration.addsNewFieldsOnReload = false
    }
    let store = try scripts.store()
    try scripts.write("app", Self.counter("count = 0, step = 3"))
    let report = try scripts.host.reload()
    #expect(store.state == ["count": 0] && report.addedFields.isEmpty)
  }
}
