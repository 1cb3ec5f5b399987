import Foundation
import LuaBridge
import ScriptedStore
import Testing

/// `version` and `migrate`: a state is brought into the shape that new code wants.
struct MigrationTests {
  private func app(_ fields: String, operators: String = "", before: String = "") -> String {
    "\(before)\nreturn scripted.feature { name = 'App', state = { list = {} }, \(fields) }\(operators)"
  }

  /// A store of a first version with a state, and the scripts of a second one.
  private func reload(
    _ state: Value, to fields: String, operators: String = "", before: String = "",
    from old: String = "", oldOperators: String = "", oldBefore: String = ""
  ) throws -> (store: Store, report: Result<ReloadReport, ReloadError>) {
    let scripts = try Scripts(app: app(old, operators: oldOperators, before: oldBefore))
    let store = try scripts.store(state: state)
    try scripts.write("app", app(fields, operators: operators, before: before))
    do throws(ReloadError) {
      return (store, .success(try scripts.host.reload()))
    } catch {
      return (store, .failure(error))
    }
  }

  @Test func theStateIsADraft() throws {
    let (store, result) = try reload(
      ["count": 3],
      to:
        "version = 2, migrate = function(state, from) state.total, state.count, state.from = state.count, nil, from end"
    )
    let report = try result.get()
    #expect(store.state == ["list": [], "total": 3, "from": 1])
    let migration = try #require(report.migrations.first)
    #expect(report.migrations.count == 1 && migration.store == "App" && migration.feature == "App")
    #expect(migration.from == 1 && migration.to == 2 && migration.places == 1)
  }

  @Test func whatIsReturnedTakesItsPlace() throws {
    let (store, result) = try reload(
      ["count": 3],
      to:
        "version = 5, migrate = function(state, from) return { all = state.count, from = from } end",
      from: "version = 4")
    _ = try result.get()
    #expect(store.state == ["all": 3, "from": 4])
  }

  @Test func withoutAnotherVersionNothingIsMigrated() throws {
    let (store, result) = try reload(
      ["count": 3], to: "version = 2, migrate = function(state) state.count = 0 end",
      from: "version = 2")
    #expect(try result.get().migrations.isEmpty)
    #expect(store.state["count"] == 3)
  }

  @Test func withoutAMigrationTheStateStays() throws {
    let (store, result) = try reload(["count": 3], to: "version = 2")
    #expect(try result.get().migrations.isEmpty)
    #expect(store.state == ["list": [], "count": 3])
  }

  /// In a durable store it is an error.
  @Test func aLowerVersionIsAnotherVersion() throws {
    let (store, result) = try reload(
      ["count": 3], to: "migrate = function(state, from) state.from = from end",
      from: "version = 2")
    #expect(try result.get().migrations.first?.to == 1)
    #expect(store.state["from"] == 2)
  }

  // MARK: Which feature is which

  private static func twoFeatures(
    _ name: String, _ fields: String = "", row: String
  ) -> String {
    """
    \(row)
    return scripted.feature {
      name = "\(name)", state = { list = {} }, \(fields)
    }:forEach("list", Row)
    """
  }
  private static let doubled =
    "version = 2, migrate = function(state) state.n = state.n * 2 end,"

  /// The script has one feature before and afterwards that is not known by its name.
  @Test func aFeatureThatWasRenamedIsKnownByItsScript() throws {
    let scripts = try Scripts(app: Self.twoFeatures("App", row: Self.row))
    let store = try scripts.store(state: ["n": 1, "list": [["id": 1, "n": 1]]])
    try scripts.write("app", Self.twoFeatures("Renamed", Self.doubled, row: Self.newRow))
    let report = try scripts.host.reload()
    #expect(report.migrations.map(\.feature).sorted() == ["Renamed", "Row"])
    #expect(store.state == ["n": 2, "list": [["id": 1, "value": 1]]])
  }

  @Test func twoFeaturesOfAScriptThatWereRenamedAreNotKnown() throws {
    let scripts = try Scripts(app: Self.twoFeatures("App", row: Self.row))
    let state: Value = ["n": 1, "list": [["id": 1, "n": 1]]]
    let store = try scripts.store(state: state)
    try scripts.write(
      "app",
      Self.twoFeatures(
        "Renamed", Self.doubled,
        row: Self.newRow.replacingOccurrences(of: "\"Row\"", with: "\"Line\"")))
    #expect(try scripts.host.reload().migrations.isEmpty)
    #expect(store.state == state)
  }

  @Test func aFeatureInAnotherScriptIsKnownByItsName() throws {
    let scripts = try Scripts(app: Self.twoFeatures("App", row: Self.row))
    let store = try scripts.store(state: ["list": [["id": 1, "n": 1]]])
    try scripts.write("rows", "\(Self.newRow)\nreturn Row")
    try scripts.write("app", Self.twoFeatures("App", row: "local Row = require 'rows'"))
    #expect(try scripts.host.reload().migrations.map(\.feature) == ["Row"])
    #expect(store.state["list"] == [["id": 1, "value": 1]])
  }

  private static let row = """
    local Row = scripted.feature { name = "Row", state = { n = 0 } }
    """
  private static let newRow = """
    local Row = scripted.feature {
      name = "Row", state = { value = 0 }, version = 2,
      migrate = function(state) state.value, state.n = state.n, nil end,
    }
    """

  @Test func everyPlaceWhereTheFeatureSitsIsMigrated() throws {
    let (store, result) = try reload(
      [
        "list": [["id": 1, "n": 1], ["id": 2, "n": 2]], "one": ["n": 7], "byKey": ["a": ["n": 8]],
      ],
      to: "",
      operators:
        ":forEach('list', Row):scope('one', Row):ifLet('absent', Row):forEach('byKey', Row)",
      before: Self.newRow,
      oldOperators:
        ":forEach('list', Row):scope('one', Row):ifLet('absent', Row):forEach('byKey', Row)",
      oldBefore: Self.row)
    let report = try result.get()
    #expect(
      store.state == [
        "list": [["id": 1, "value": 1], ["id": 2, "value": 2]], "one": ["value": 7],
        "byKey": ["a": ["value": 8]],
      ])
    #expect(report.migrations.map(\.places) == [4])
  }

  @Test func parentsMigrateBeforeTheirChildrenWhichAreThenAtTheirNewPlaces() throws {
    let (store, result) = try reload(
      ["rows": [["id": 1, "n": 1]]],
      to: """
        version = 2,
        migrate = function(state) state.inner = { list = state.rows } state.rows = nil end
        """,
      operators: ":forEach('inner.list', Row, { action = 'rows' })", before: Self.newRow,
      oldOperators: ":forEach('rows', Row)", oldBefore: Self.row)
    _ = try result.get()
    #expect(store.state == ["list": [], "inner": ["list": [["id": 1, "value": 1]]]])
  }

  @Test func casesAndStacksAreMigrated() throws {
    let operators =
      ":ifLet('to', scripted.cases { row = Row, none = scripted.ignored }):stack('path', scripted.cases { row = Row })"
    let (store, result) = try reload(
      ["to": ["row": ["n": 1]], "path": [["id": 5, "row": ["n": 2]]]], to: "", operators: operators,
      before: Self.newRow, oldOperators: operators, oldBefore: Self.row)
    _ = try result.get()
    #expect(store.state["to"] == ["row": ["value": 1]])
    #expect(store.state["path"] == [["id": 5, "row": ["value": 2]]])
  }

  /// What counts is how deep a state is, and not how deep its parts have been.
  @Test func aStateThatWasDeepIsNestedFurther() throws {
    let deep = (1...126).reduce(Value.integer(0)) { inner, _ in ["inner": inner] }
    let scripts = try Scripts(
      app: app("on = { cut = function(state) table.remove(state.list, 1) end }"))
    let store = try scripts.store(state: ["list": [deep, 7]])
    store.send("cut")
    try scripts.write(
      "app",
      app(
        """
        version = 2,
        migrate = function(state)
          state.outer = { list = state.list }
          state.list = nil
        end
        """))
    try scripts.host.reload()
    #expect(store.state == ["outer": ["list": [7]]])
  }

  @Test func elementsThatAMigrationAddsToAStackGetIDs() throws {
    let operators = ":stack('list', { row = Row })"
    let (store, result) = try reload(
      ["list": [["id": 3, "row": ["n": 1]]]],
      to: """
        version = 2, migrate = function(state) table.insert(state.list, { row = { n = 2 } }) end
        """,
      operators: operators, before: Self.row, oldOperators: operators, oldBefore: Self.row)
    _ = try result.get()
    #expect(store.state["list"] == [["id": 3, "row": ["n": 1]], ["id": 4, "row": ["n": 2]]])
  }

  @Test(arguments: [
    ("error('no luck')", "the migration of App at state raised: no luck"),
    ("state.f = print", "state.f: a function cannot be stored in state"),
    ("return 5", "state must be a table, but the migration of App made it 5"),
    ("state.list = { { n = 1 } }", "state.list[1] has no 'id'"),
    (
      "state.list = { { id = 1 }, { id = 1 } }",
      "state.list[2] has the id 1, which [1] has"
    ),
    ("state.list = { 1 }", "state.list[1] must be a table"),
    ("state.list = 'x'", "state.list must be a list"),
    ("state.to = { other = {} }", "there is no case 'other'"),
    ("state.to = { row = {}, two = {} }", "a tagged state has exactly one key"),
    ("state.to = { row = 7 }", "state.to.row must be a table"),
    ("state.one = true", "state.one must be a table"),
    ("while true do pcall(error) end", "takes longer than"),
  ])
  func whatTheNewFeatureCannotHoldIsRefused(_ statement: String, _ reason: String) throws {
    let before: Value = ["list": [["id": 1, "n": 1]], "one": [:], "to": ["row": [:]]]
    let operators =
      ":forEach('list', Row):scope('one', Row):ifLet('to', scripted.cases { row = Row })"
    let (store, result) = try reload(
      before, to: "version = 2, migrate = function(state) \(statement) end", operators: operators,
      before: Self.row, oldOperators: operators, oldBefore: Self.row)
    guard case .failure(let error) = result else {
      Issue.record("\(statement) was taken")
      return
    }
    #expect(error.message.contains(reason), "\(error.message)")
    #expect(store.state == before)
  }

  @Test func aFailureInAnElementNamesItsPlace() throws {
    let (_, result) = try reload(
      ["list": [["id": 1, "n": 1], ["id": 2, "n": 2]]], to: "",
      operators: ":forEach('list', Row)",
      before: Self.newRow.replacingOccurrences(
        of: "migrate = function(state)",
        with: "migrate = function(state) if state.id == 2 then error('second') end"),
      oldOperators: ":forEach('list', Row)", oldBefore: Self.row)
    guard case .failure(let error) = result else {
      Issue.record("it was taken")
      return
    }
    #expect(error.message.contains("the migration of Row at state.list[2] raised: second"))
    #expect(error.errors.first?.script == "app.lua" && error.errors.first?.feature == "Row")
  }

  @Test func observersHearOfTheNewState() throws {
    let scripts = try Scripts(app: app(""))
    let store = try scripts.store(state: ["count": 1])
    let heard = Recorder<Value>()
    let observation = store.observe("count") { heard.record($0) }
    defer { observation.cancel() }
    try scripts.write("app", app("version = 2, migrate = function(state) state.count = 2 end"))
    try scripts.host.reload()
    #expect(heard.all == [2])
    try scripts.write("app", app("version = 2, on = {}"))
    try scripts.host.reload()
    #expect(heard.all == [2])
  }

  @Test func effectsOfChildrenThatAMigrationRemovesAreCancelled() throws {
    let child = """
      local Child = scripted.feature {
        name = "Child", state = {}, dependencies = { "clock" },
        on = { go = function() return effect.run(function(_, deps) deps.clock.sleep(9) end) end },
      }
      """
    let scripts = try Scripts(
      ["app": app("", operators: ":ifLet('child', Child)", before: child)], clock: VirtualClock())
    let store = try scripts.store(state: ["child": [:]])
    store.send("child.go")
    #expect(store.effects.count == 1)
    try scripts.write(
      "app",
      app(
        "version = 2, migrate = function(state) state.child = nil end",
        operators: ":ifLet('child', Child)", before: child))
    try scripts.host.reload()
    #expect(store.effects.isEmpty && store.state == ["list": []])
  }

  @Test(arguments: [
    ("version = 1.5", "must be an integer of 1 or more"),
    ("version = 0", "must be an integer of 1 or more"),
    ("reload = 'stop'", "must be \"cancel\" or \"finish\", not \"stop\""),
    ("migrate = 5", "must be a function, not a number"),
  ])
  func whatIsNoVersionIsRefused(_ field: String, _ reason: String) throws {
    let scripts = try Scripts(app: app(field))
    let error = scriptError { _ = try scripts.store() }
    #expect(error?.message.contains(reason) == true, "\(String(describing: error))")
  }

  @Test func whatHasAVersionNeedsAName() throws {
    let scripts = try Scripts(app: "return scripted.feature { state = {}, version = 2 }")
    let error = scriptError { _ = try scripts.store() }
    #expect(error?.message.contains("needs a name") == true)
  }
}
