import Foundation
import Testing

/// The settings of the plug-in, in ScriptTypes.json.
struct PluginSettingsTests {
  /// The settings of a target with this file, and the scripts that they name.
  private func settings(_ json: String?, scripts: [String] = ["Scripts/todos.lua"]) throws -> (
    settings: TypesSettings, scripts: [String]
  ) {
    let files = FileManager.default
    let folder = files.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? files.removeItem(at: folder) }
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
    try json?.write(
      to: folder.appending(path: "ScriptTypes.json"), atomically: true, encoding: .utf8)
    for script in scripts {
      let file = folder.appending(path: script)
      try files.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try "".write(to: file, atomically: true, encoding: .utf8)
    }
    let settings = try TypesSettings(inFolder: folder, ofTarget: "App")
    let root = settings.root(inFolder: folder)
    // The folder may be reached by another path, as /private/var on macOS.
    return (settings, try settings.scripts(in: root).map { $0.lastPathComponent })
  }

  /// What is wrong with them, without the path of the folder.
  private func failure(_ json: String?, scripts: [String] = ["Scripts/todos.lua"]) -> String? {
    do {
      _ = try settings(json, scripts: scripts)
      return nil
    } catch {
      let text = "\(error)"
      return text.firstRange(of: "ScriptTypes.json: ").map { String(text[$0.lowerBound...]) }
        ?? text
    }
  }

  @Test func allScriptsBelowTheFolderAreInputsInAnOrderThatDoesNotChange() throws {
    let found = try settings(
      #"{ "scripts": "Scripts", "features": ["todos:Inbox"], "access": "public" }"#,
      scripts: ["Scripts/todos.lua", "Scripts/a/item.lua", "Scripts/notes.txt", "Other/x.lua"])
    #expect(found.scripts == ["item.lua", "todos.lua"])
    #expect(found.settings.features == ["todos:Inbox"])
    #expect(found.settings.access == "public")
    #expect(found.settings.dependencies == nil)
  }

  @Test func withoutTheFileTheMessageShowsOne() {
    #expect(
      failure(nil)
        == "ScriptTypes.json: error: the target App uses the plug-in ScriptTypes, which needs this "
        + #"file: { "scripts": "Scripts", "features": ["todos"] }"#)
  }

  @Test(arguments: [
    ("{", "this is no JSON; write {"),
    ("[]", "this is no object; write {"),
    (#"{ "scripts": "Scripts" }"#, "there is no 'features'; write {"),
    (#"{ "features": ["todos"] }"#, "there is no 'scripts'; write {"),
    (#"{ "scripts": "Scripts", "features": "todos" }"#, "'features' has another form; write {"),
    (#"{ "scripts": "Scripts", "features": [1] }"#, "'features' has another form; write {"),
    (#"{ "scripts": "Scripts", "features": [] }"#, "'features' is empty; name the modules"),
    (
      #"{ "scripts": "Scripts", "features": ["todos"], "acces": "public" }"#,
      "there is no key 'acces'; the keys are scripts, features, dependencies, access"
    ),
    (
      #"{ "scripts": "Scripts", "features": ["todos"], "access": "open" }"#,
      "'access' is 'open'; it may be internal, package, public"
    ),
  ])
  func aFileThatSaysSomethingElseIsRefused(json: String, beginning: String) throws {
    let message = try #require(failure(json))
    #expect(message.hasPrefix("ScriptTypes.json: error: \(beginning)"), "\(message)")
  }

  @Test func aFolderWithoutScriptsIsRefused() throws {
    let json = #"{ "scripts": "Scripts", "features": ["todos"] }"#
    for scripts in [[], ["Other/x.lua"], ["Scripts/notes.txt"]] {
      let message = try #require(failure(json, scripts: scripts))
      #expect(message.hasPrefix("ScriptTypes.json: error: there are no scripts in "), "\(message)")
      #expect(message.hasSuffix("/Scripts; 'scripts' names it"), "\(message)")
    }
  }
}
