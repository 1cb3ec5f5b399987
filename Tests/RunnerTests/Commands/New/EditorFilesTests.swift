import Foundation
import Platform
import Testing

/// What `runner new` writes for the Lua language server.
struct EditorFilesTests {
  let project: TestProject

  init() throws { project = try TestProject([:], hasFeature: false) }

  func run(_ arguments: String..., in folder: String = ".") throws -> RunnerProcess.Outcome {
    try RunnerProcess.run(
      arguments, environment: project.environment(), in: project.folder.url(folder))
  }

  func configuration(_ path: String = ".luarc.json") throws -> [String: Any] {
    let data = try Data(contentsOf: project.folder.url(path))
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  @Test func theConfigurationNamesTheVersionTheFoldersAndTheLibrariesThatScriptsLack() throws {
    _ = try run("new", "cart")
    let settings = try configuration()
    #expect(settings["runtime.version"] as? String == "Lua 5.4")
    #expect(settings["runtime.path"] as? [String] == ["scripts/?.lua", "scripts/?/init.lua"])
    #expect(settings["workspace.library"] as? [String] == ["scripts/types"])
    let disabled = settings["runtime.builtin"] as? [String: String]
    #expect(disabled?.keys.sorted() == ["coroutine", "debug", "io", "os", "package"])
    #expect(disabled?.values.allSatisfy { $0 == "disable" } == true)
  }

  @Test(arguments: [
    (".", "scripts", ".luarc.json", "scripts/types"),
    (".", "a/lua", ".luarc.json", "a/lua/types"),
    ("scripts", ".", "scripts/.luarc.json", "types"), ("scripts", "..", ".luarc.json", "types"),
    ("scripts", "../other", "other/.luarc.json", "types"),
  ])
  func itIsInTheCurrentFolderIfTheRootIsElseInTheRoot(
    folder: String, root: String, path: String, library: String
  ) throws {
    let outcome = try run("new", "cart", "--root", root, in: folder)
    #expect(outcome.status == 0 && outcome.errors == "", "\(outcome.errors)")
    #expect(try configuration(path)["workspace.library"] as? [String] == [library])
    let below = path.split(separator: "/").dropLast().map { "\($0)/" }.joined()
    for name in ["busted", "sandbox", "scripted", "test", "ui"] {
      let text = try project.folder.text("\(below)\(library)/\(name).lua")
      #expect(text.hasPrefix("---@meta scripted"))
    }
  }

  @Test func aPipeInPlaceOfTheConfigurationIsNoted() throws {
    try #require(mkfifo(project.folder.url(".luarc.json").path, 0o600) == 0)
    let outcome = try run("new", "cart")
    #expect(outcome.status == 0)
    #expect(
      outcome.errors == """
        note: the files for editors are incomplete: .luarc.json: this is a pipe; save what it gives in an ordinary \
        file, and name that

        """)
  }

  @Test func whatAProjectHasIsKeptButForDefinitionsOfAnotherVersionOfTheRunner() throws {
    try project.write("---@meta scripted.test\n-- of another version", to: "types/test.lua")
    try project.write("return {}", to: "types/busted.lua")
    try project.folder.write("{}", to: ".luarc.json")
    let outcome = try run("new", "cart")
    #expect(outcome.lines.contains("updated scripts/types"))
    #expect(!outcome.output.contains(".luarc.json"))
    #expect(
      outcome.errors
        == "note: .luarc.json is there already; add \"scripts/types\" to its workspace.library\n")
    #expect(try project.folder.text(".luarc.json") == "{}")
    #expect(try project.folder.text("scripts/types/busted.lua") == "return {}")
    #expect(try project.folder.text("scripts/types/test.lua").contains("---@class scripted.test"))
    try project.folder.write(#"{"workspace.library": ["scripts/types"]}"#, to: ".luarc.json")
    let second = try run("new", "shop")
    #expect(!second.output.contains("types"))
    #expect(second.errors == "")
  }

  @Test func whereTheyCannotBeWrittenTheFeatureIsMadeAllTheSameWithANote() throws {
    try project.write("", to: "types")
    let outcome = try run("new", "cart")
    #expect(outcome.status == 0)
    #expect(outcome.errors.hasPrefix("note: the files for editors are incomplete: "))
    #expect(try run("test").status == 0)
  }

  /// So that a new function is not forgotten in the definitions.
  @Test func theDefinitionsNameAllThatScriptsAndTestsSee() throws {
    _ = try run("new", "cart")
    let names = ["busted", "sandbox", "scripted", "test"]
    let definitions = try names.map { try project.folder.text("scripts/types/\($0).lua") }.joined()
    try project.write(
      """
      local scripted = require "scripted"
      local function list(prefix, t) for name in pairs(t) do print("NAME " .. prefix .. name) end end
      it("lists", function()
        list("scripted.", scripted)
        list("effect.", scripted.effect)
        list("list.", scripted.list)
        list("json.", scripted.json)
        list("test.", require "scripted.test")
        list("os.", os)
        list("", require "busted")
      end)
      """, to: "names_test.lua")
    let output = try run("test", "scripts/names_test.lua", "--verbose").output
    let seen = output.matches(of: /NAME ([\w.]+)/).map { String($0.1) }
    #expect(seen.count > 60)
    for name in seen {
      let pattern = try Regex(
        #"(?m)^(function \#(name)\(|\#(name) = |---@field \#(name.split(separator: ".").last ?? "") )"#
      )
      #expect(definitions.contains(pattern), "\(name)")
    }
  }
}
