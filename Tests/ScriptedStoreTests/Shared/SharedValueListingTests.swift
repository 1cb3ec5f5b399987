import LuaBridge
import ScriptedStore
import Testing

/// What tools list of the shared values of a host.
struct SharedValueListingTests {
  private static let app = """
    local shared = scripted.shared
    local settings = shared.fileStorage("settings.json", { theme = "light" })
    local groups = shared.inMemory("groups", { { id = 1, name = "a" } })
    local Row = scripted.feature {
      name = "Row", state = { id = 0 },
      shared = { theme = settings:at("theme"):reader(), own = shared.inherited("nowhere", 3) },
    }
    local Page = scripted.feature { name = "Page", state = {}, shared = { settings = settings } }
    return scripted.feature {
      name = "App", state = { rows = { Row.initial() }, page = Page.initial() },
      shared = { groups = groups, first = groups:at { 1, "name" }, status = settings:status() },
      on = { rename = function(state) state.first = "b" end },
    }:scope("page", Page):forEach("rows", Row)
    """

  @Test func keysValuesAndPlacesAreListed() throws {
    let scripts = try Scripts(["app": Self.app]) { $0.shared = MemoryStorage() }
    let store = try scripts.store()
    store.send("rename")
    let listed = scripts.host.sharedValues(shownBy: store)
    #expect(
      listed.map(\.key) == [
        #"fileStorage "settings.json""#, #"inMemory "groups""#, #"inherited "nowhere""#,
      ])
    #expect(listed.map(\.value) == [["theme": "light"], [["id": 1, "name": "b"]], 3])
    #expect(
      listed.map { $0.places.sorted() } == [
        ["page.settings", #"rows[*].theme = :at("theme"):reader()"#, "status = :status()"],
        [#"first = :at { 1, "name" }"#, "groups"], ["rows[*].own"],
      ])
    #expect(listed.map(\.failures) == [[], [], []])
  }

  @Test func theErrorsOfAStoredValueAreListed() throws {
    let storage = MemoryStorage()
    storage.replace("settings.json", with: Array("{".utf8))
    let scripts = try Scripts(["app": Self.app]) { $0.shared = storage }
    let store = try scripts.store()
    let failures = scripts.host.sharedValues(shownBy: store).flatMap(\.failures)
    #expect(failures.map(\.field) == ["loadError"])
    #expect(failures.map(\.code) == ["broken"])
    #expect(failures.map(\.file) == ["settings.json"])
    #expect(failures.first?.message.contains("line 1") == true)
  }

  @Test func valuesOfTheHostAndOfOtherStoresHaveNoPlaceHere() throws {
    let scripts = try Scripts([
      "app": "return scripted.feature { state = {}, on = { go = function() end } }",
      "other": """
      return scripted.feature { state = {}, shared = { n = scripted.shared.inMemory("n", 1) } }
      """,
    ])
    let store = try scripts.store()
    #expect(scripts.host.sharedValues(shownBy: store).isEmpty)
    let other = try scripts.host.store("other")
    try scripts.host.shared("given").update { $0 = "x" }
    let listed = scripts.host.sharedValues(shownBy: store)
    #expect(listed.map(\.key) == [#"inMemory "given""#, #"inMemory "n""#])
    #expect(listed.map(\.places) == [[], []])
    #expect(scripts.host.sharedValues(shownBy: other).map(\.places) == [[], ["n"]])
  }
}
