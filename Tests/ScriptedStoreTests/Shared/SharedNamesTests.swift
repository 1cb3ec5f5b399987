import LuaBridge
import ScriptedStore
import Testing

/// Names of keys that a file system, or Swift, takes for one.
struct SharedNamesTests {
  private func scripts(_ modules: [String: String]) throws -> Scripts {
    try Scripts(modules) { $0.shared = MemoryStorage() }
  }

  private func refusal(_ one: String, _ other: String) throws -> String? {
    let scripts = try scripts([
      "one": "\n\nreturn scripted.feature { state = {}, shared = { n = scripted.shared.\(one) } }",
      "other":
        "\nreturn scripted.feature { state = {}, shared = { n = scripted.shared.\(other) } }",
    ])
    _ = try scripts.host.store("one")
    return scriptError { _ = try scripts.host.store("other") }?.message
  }

  @Test(arguments: [
    ("fileStorage('Settings.json', 1)", "fileStorage('settings.json', 1)"),
    ("fileStorage('a/b.json', 1)", "fileStorage('A/B.json', 1)"),
    ("fileStorage('caf\u{E9}.json', 1)", "fileStorage('cafe\u{301}.json', 1)"),
    ("fileStorage('CAF\u{C9}.json', 1)", "fileStorage('cafe\u{301}.json', 1)"),
    ("appStorage('Seen', 1)", "appStorage('seen', 1)"),
  ])
  func storedNamesThatDifferByCaseOrUnicodeFormAreRefused(one: String, other: String) throws {
    let message = try #require(try refusal(one, other))
    let names = [one, other].map { String($0.split(separator: "'")[1]) }
    #expect(
      message == """
        the shared values '\(names[0])' at one.lua:3 and '\(names[1])' at other.lua:2 have names that differ only by case \
        or Unicode form, which some file systems take for one; give one of the two keys another name
        """)
  }

  @Test func twoUnicodeFormsOfAnyNameAreRefused() throws {
    let message = try refusal("inMemory('caf\u{E9}', 1)", "inMemory('cafe\u{301}', 1)")
    #expect(message?.contains("names that differ only by Unicode form; give one") == true)
  }

  @Test(arguments: [
    ("fileStorage('settings.json', 1)", "fileStorage('settings.json', 1)"),
    ("fileStorage('settings.json', 1)", "appStorage('Settings.json', 1)"),
    ("inMemory('count', 1)", "inMemory('Count', 1)"),
    ("fileStorage('a.json', 1)", "fileStorage('b.json', 1)"),
    ("fileStorage('a.json', 1)", "fileStorage('a.json.v', 1)"),
    ("fileStorage('a.json', 1)", "fileStorage('v1', 1)"),
    ("fileStorage('a.json', 1)", "fileStorage('broken-1.json', 1)"),
    ("fileStorage('a.json', 1)", "fileStorage('app-wal.json', 1)"),
  ])
  func otherNamesAreNot(one: String, other: String) throws {
    #expect(try refusal(one, other) == nil)
  }

  @Test func effectsCannotDeclareSuchANameEither() throws {
    let scripts = try scripts([
      "app": """
      local shared = scripted.shared
      local other = shared.fileStorage("Settings.json", 1)
      return scripted.feature {
        state = {}, shared = { n = shared.fileStorage("settings.json", 1) },
        on = { read = function() return effect.run(function() other:get() end) end },
      }
      """
    ])
    try scripts.store().send("read")
    #expect(
      scripts.warnings.map(\.message).joined().contains(
        "'settings.json' at app.lua:4 and 'Settings.json' at app.lua:2 have names that differ only by case"
      ))
  }

  @Test func theFileOfAppStorageIsNoFileOfAKey() throws {
    let scripts = try scripts([
      "app": """
      return scripted.feature { state = {}, shared = { n = scripted.shared.fileStorage("App-Storage.json", 1) } }
      """
    ])
    let error = scriptError { _ = try scripts.store() }
    #expect(
      error?.message
        == "app.lua:1: the file 'App-Storage.json' is the one in which all appStorage keys are stored; "
        + "give the file of this key another name")
  }
}
