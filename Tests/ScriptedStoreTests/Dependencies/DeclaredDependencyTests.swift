import LuaBridge
import ScriptedStore
import Testing

@Suite struct DeclaredDependencyTests {
  private let api = Dependency.client(["fetch": .function { 1 }, "name": .value("api")])

  @Test func aFeatureReachesWhatItDeclares() throws {
    let scripts = try Scripts(
      reading: ["apiClient"], "state.result = deps.apiClient.name .. deps.apiClient.fetch()",
      dependencies: ["apiClient": api])
    #expect(try scripts.go() == "api1")
  }

  @Test func readingAnUndeclaredOneSaysWhatToWrite() throws {
    let scripts = try Scripts(
      reading: [], "state.result = deps.apiClient", dependencies: ["apiClient": api])
    #expect(
      try scripts.goFails()
        == "App uses deps.apiClient without declaring it; add \"apiClient\" to its dependencies")
  }

  @Test func readingOneThatDoesNotExistNamesTheNearest() throws {
    let scripts = try Scripts(
      reading: [], "state.result = deps.apiCleint", dependencies: ["apiClient": api])
    #expect(
      try scripts.goFails()
        == "App uses deps.apiCleint, but there is no such dependency; did you mean 'apiClient'?")
  }

  @Test func aStoreOfAFeatureThatDeclaresWhatNobodyOffersIsNotMade() throws {
    let scripts = try Scripts(
      reading: ["apiCleint"], "", dependencies: ["apiClient": api])
    let error = scriptError { _ = try scripts.store() }
    #expect(
      error?.message
        == "App (feature at app.lua:2): there is no dependency 'apiCleint'; did you mean 'apiClient'?"
    )
  }

  @Test func withoutANearNameAllAreListed() throws {
    let scripts = try Scripts(reading: ["telephone"], "")
    let error = scriptError { _ = try scripts.store() }
    let remedy =
      "; if a script declares it, require that script; if a host in Swift does, pass its `configuration:`. There are clock, date, "
    #expect(error?.message.contains(remedy) == true)
  }

  @Test func aMisspeltMemberNamesTheNearest() throws {
    let scripts = try Scripts(
      reading: ["apiClient"], "deps.apiClient.fetsh()", dependencies: ["apiClient": api])
    #expect(
      try scripts.goFails() == "deps.apiClient has no 'fetsh'; did you mean 'fetch'?")
  }

  @Test(arguments: [
    ("deps.apiClient = 1", "deps cannot be changed (field 'apiClient')"),
    ("deps.apiClient.fetch = print", "deps.apiClient cannot be changed (field 'fetch')"),
    ("deps[1] = 1", "deps cannot be changed (field '1')"),
    ("rawset(deps, 'apiClient', 1)", "bad argument #1 to 'rawset' (table expected, got deps)"),
    ("setmetatable(deps, {})", "bad argument #1 to 'setmetatable' (table expected, got deps)"),
    ("return deps[1]", "deps has names, no number"),
  ])
  func depsCannotBeChanged(_ statement: String, _ message: String) throws {
    let scripts = try Scripts(
      reading: ["apiClient"], "local _ = deps.apiClient.fetch; \(statement)",
      dependencies: ["apiClient": api])
    #expect(try scripts.goFails() == message)
    #expect(
      try Scripts(
        reading: ["apiClient"], "state.result = getmetatable(deps)",
        dependencies: ["apiClient": api]
      ).go() == false)
  }

  @Test func depsCannotBePutIntoTheState() throws {
    let scripts = try Scripts(
      reading: ["apiClient"], "state.client = deps.apiClient", dependencies: ["apiClient": api])
    #expect(try scripts.goFails()?.hasPrefix("state.client: what `deps` holds cannot") == true)
  }

  @Test func aTableThatIsAValueIsTheReadersOwn() throws {
    let scripts = try Scripts(
      reading: ["settings"],
      """
      local mine = deps.settings
      mine.list[1] = "changed"
      state.result = { deps.settings.list[1], #deps.settings.list }
      """, dependencies: ["settings": .value(["list": ["first", "second"]])])
    #expect(try scripts.go() == ["first", 2])
    #expect(try scripts.go() == ["first", 2])
  }

  @Test func aDependencyIsOneObjectForAsLongAsAStoreLives() throws {
    let scripts = try Scripts(
      reading: ["apiClient"],
      "state.result = deps.apiClient == deps.apiClient and deps.apiClient.fetch == deps.apiClient.fetch",
      dependencies: ["apiClient": api])
    #expect(try scripts.go() == true)
  }

  @Test(arguments: [
    ("dependencies = { \"uuid\", 3 }", "a name in `dependencies` must be a string, not number"),
    (
      "dependencies = { uuid = true }",
      "`dependencies` is a list of names: dependencies = { \"uuid\" }"
    ),
  ])
  func theListIsChecked(_ field: String, _ message: String) throws {
    let scripts = try Scripts(app: "return scripted.feature { \(field) }")
    #expect(scriptError { _ = try scripts.store() }?.message == message)
  }

  @Test func twoFeaturesDoNotSeeWhatTheOtherDeclares() throws {
    let scripts = try Scripts(
      [
        "app": """
        local Child = scripted.feature {
          name = "Child", dependencies = { "uuid" },
          on = { go = function(state, action, deps) state.result = deps.date.now() end },
        }
        return scripted.feature {
          name = "App", dependencies = { "date" }, state = { child = {} }, actions = { "child" },
        }:scope("child", Child)
        """
      ])
    try scripts.store().send("child.go")
    #expect(
      scripts.errors.last?.message
        == "Child uses deps.date without declaring it; add \"date\" to its dependencies")
  }
}
