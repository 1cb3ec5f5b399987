import Foundation
import LuaBridge
import ScriptedStore
import Testing

/// `require`, and what can be wrong with a module.
struct ModuleTests {
  private static let empty = "return scripted.feature { state = {} }"

  /// What making a store of `app` throws.
  private func failure(_ modules: [String: String]) throws -> ScriptError {
    let scripts = try Scripts(modules)
    return try #require(scriptError { _ = try scripts.store() })
  }

  @Test func modulesAreFoundByTheirNames() throws {
    let scripts = try Scripts([
      "app": """
      local a, b, c = require "lib.a", require "lib.b", require("lib.deep.c")
      return scripted.feature { state = { names = { a.name, b.name, c.name } } }
      """,
      "lib.a": "return { name = 'a' }", "lib.b.init": "return { name = 'b/init' }",
      "lib.deep.c": "return { name = 'c' }",
    ])
    #expect(try scripts.store().state["names"] == ["a", "b/init", "c"])
  }

  @Test func aModuleIsLoadedOnce() throws {
    let scripts = try Scripts([
      "app": """
      local a, b = require "counting", require "counting"
      assert(rawequal(a, b)); a.n = a.n + 1
      return scripted.feature { state = { n = require("counting").n } }
      """, "counting": "return { n = 1 }",
    ])
    #expect(try scripts.store().state["n"] == 2)
  }

  @Test func aFileAndItsModuleAreOne() throws {
    let scripts = try Scripts([
      "app": """
      local made = 0
      return scripted.feature { state = { n = 0 }, on = {
        count = function(state) made = made + 1; state.n = made end } }
      """
    ])
    let byFile = try scripts.host.store("\(scripts.folder.path)/app.lua")
    let byName = try scripts.store()
    byFile.send("count")
    byName.send("count")
    #expect(byName.state["n"] == 2)
  }

  @Test func aPathIsAModuleIfItsNameLeadsToTheSameFile() throws {
    let folder = try TemporaryFolder(["a/b.lua": "", "a.b.lua": "", "shop/init.lua": ""])
    func module(_ file: String) -> String { ScriptHost.module(of: file, in: folder.path) }
    #expect(module("\(folder.path)/a/b.lua") == "a.b")
    #expect(module("\(folder.path)/shop/init.lua") == "shop.init")
    let other = "\(folder.path)/a.b.lua"
    #expect(module(other) == other)
  }

  @Test func aModuleThatReturnsNothingIsTrue() throws {
    let scripts = try Scripts([
      "app":
        "return scripted.feature { state = { got = require 'nothing', again = require 'nothing' } }",
      "nothing": "local x = 1",
    ])
    #expect(try scripts.store().state == ["got": true, "again": true])
  }

  @Test func aSyntaxErrorSaysWhere() throws {
    let error = try failure(["app": "\nlocal x = = 1\n"])
    #expect(error.kind == .syntax)
    #expect(error.script == "app.lua" && error.line == 2, "\(error)")
    #expect(error.message.contains("near '='"), "\(error)")
    let nested = try failure(["app": "\n\nrequire 'bad'", "bad": "\n\n\n)"])
    #expect(nested.kind == .syntax)
    #expect(nested.script == "bad.lua" && nested.line == 4, "\(nested)")
  }

  @Test func aModuleThatRaisesSaysWhere() throws {
    let error = try failure(["app": "\nerror('at load')"])
    #expect(error.message == "at load" && error.script == "app.lua" && error.line == 2, "\(error)")
    #expect(error.traceback?.contains("app.lua:2") == true)
    let nested = try failure(["app": "require 'bad'", "bad": "\n\nlocal t = nil; t.x = 1"])
    #expect(nested.script == "bad.lua" && nested.line == 3, "\(nested)")
    let table = try failure(["app": "error { code = 3 }"])
    #expect(table.value == ["code": 3])
  }

  @Test func aModuleThatFailedIsTriedAgain() throws {
    let scripts = try Scripts(["app": "error('x')"])
    #expect(throws: ScriptError.self) { try scripts.store() }
    try scripts.folder.write(Scripts.locals + Self.empty, to: "app.lua")
    #expect(try scripts.store().state == [:])
  }

  @Test func aRequireThatFailedCanBeCaught() throws {
    let scripts = try Scripts([
      "app": """
      local ok, message = pcall(require, "nope")
      return scripted.feature { state = { ok = ok, message = message } }
      """
    ])
    let state = try scripts.store().state
    #expect(state["ok"] == false)
    #expect(state["message"].string?.contains("there is no module 'nope' under") == true)
  }

  @Test(arguments: [
    "", "return nil", "return 5", "return {}", "return scripted", "return scripted.feature",
  ])
  func whatReturnsNoFeatureIsRefused(_ source: String) throws {
    let error = try failure(["app": source])
    #expect(
      error.message.hasPrefix(
        "app returns no feature: its last line must be `return scripted.feature { … }`"),
      "\(error)")
    #expect(error.script == "app.lua")
  }

  @Test(arguments: [
    ("\nlocal t = {}\nreturn t", "settings.lua:3: settings", "this is a table"),
    (
      "\nreturn {\n  f = function()\n    return 1\n  end,\n}", "settings.lua:2: settings",
      "this is a table"
    ),
    ("\nlocal returned = {}\nreturned.a = 1", "settings.lua: settings", "it returns nothing"),
    ("\nlocal t = {}", "settings.lua: settings", "it returns nothing"),
    ("\ndo\n  return 5\nend", "settings.lua: settings", "this is a number"),
    (
      "\nreturn function() return {} end", "settings.lua:2: settings",
      "this is a function that returns a table"
    ),
    (
      "\nreturn function() return print end", "settings.lua:2: settings",
      "this is a function that returns a function"
    ),
  ])
  func aReducerInSwiftNamesTheModuleThatReturnsNone(
    text: String, position: String, value: String
  ) throws {
    let scripts = try Scripts(["app": Self.empty, "settings": text])
    let reducers: [Reducer] = [
      .script("settings"), .script("app").scope("settings", .script("settings")),
      .combine(.script("app"), .script("settings")),
    ]
    for reducer in reducers {
      let error = try #require(scriptError { _ = try scripts.host.store(reducer, state: [:]) })
      #expect("\(error)".hasPrefix(position) && error.message.hasSuffix(value), "\(error)")
      #expect(error.message.contains("`return scripted.feature { … }`"))
    }
  }

  @Test func aCycleIsRefusedWithItsPath() throws {
    let error = try failure([
      "app": "require 'a'", "a": "require 'lib.b'", "lib.b": "return require 'a'",
    ])
    #expect(
      error.message.hasSuffix("these modules require each other: a.lua → lib/b.lua → a.lua"),
      "\(error)")
    let own = try failure(["app": "return require 'app'"])
    #expect(own.message.contains("app.lua → app.lua"), "\(own)")
  }

  @Test func featuresOfModulesThatNeedEachOtherAreGivenAsFunctions() throws {
    let scripts = try Scripts([
      "folder": """
      return scripted.feature { name = "Folder", state = { files = {} }, on = {} }
        :forEach("files", function() return require "file" end)
      """,
      "file": """
      return scripted.feature { name = "File", state = {}, on = { open = function(s) s.isOpen = true end } }
        :scope("folder", function() return require "folder" end)
      """,
    ])
    let store = try scripts.host.store(
      "folder",
      state: ["files": [["id": 1, "folder": ["files": [["id": 2]]]]]])
    store.send("files[1].folder.files[2].open")
    #expect(store.state["files"][0]["folder"]["files"] == [["id": 2, "isOpen": true]])
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)
  }

  @Test func oneModulesFeatureIsAChildUnderTwoKeys() throws {
    let scripts = try Scripts([
      "counter": """
      return scripted.feature { name = "Counter", state = { n = 0 }, on = { up = function(s) s.n = s.n + 1 end } }
      """,
      "app": """
      local Counter = require "counter"
      return scripted.feature {
        state = { first = Counter.initial(), second = Counter.initial { n = 10 } },
        on = { ["second.up"] = function(state) state.seen = true end },
      }:scope("first", Counter):scope("second", require "counter")
      """,
    ])
    let store = try scripts.store()
    for path in ["first.up", "first.up", "second.up"] { try store.send(path) }
    #expect(store.state == ["first": ["n": 2], "second": ["n": 11], "seen": true])
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)
  }

  @Test(arguments: [
    "..", "../outside", "..outside", "lib...a", "/etc/passwd", "lib/a", "lib\\\\a", "", ".", "a.",
    ".a", "a..b", "a\\0b",
  ]) func aNameThatIsNoModulesIsRefused(_ name: String) throws {
    let error = try failure(["app": "require \"\(name)\"", "lib.a": "return 1"])
    #expect(error.message.contains("is not a module name"), "\(error)")
    #expect(error.script == "app.lua" && error.line == 1, "\(error)")
  }

  @Test func requireTakesAString() throws {
    #expect(try failure(["app": "require()"]).message.contains("string expected, got nil"))
    #expect(try failure(["app": "require {}"]).message.contains("string expected, got table"))
  }

  @Test func aLinkOutOfTheRootIsRefusedAndOneInsideIsNot() throws {
    let scripts = try Scripts([
      "app": "return require 'inner'", "outer": "return require 'escape'",
      "folder": "return require 'out.secret'", "real": Self.empty,
    ])
    let outside = try TemporaryFolder(["secret.lua": "return 'secret'"])
    try scripts.folder.link("escape.lua", to: "\(outside.path)/secret.lua")
    try scripts.folder.link("out", to: outside.path)
    try scripts.folder.link("inner.lua", to: "real.lua")
    #expect(try scripts.store().state == [:])
    for name in ["outer", "folder", "escape", "out.secret"] {
      let error = scriptError { _ = try scripts.host.store(name) }
      #expect(
        error?.message.contains("leads out of the script root through a link") == true, "\(name)")
    }
  }

  @Test func aFolderWhoseNameBeginsLikeTheRootsIsOutside() throws {
    let folder = try TemporaryFolder([
      "root/app.lua": "return require 'out'", "root-secret/out.lua": "return 1",
    ])
    try folder.link("root/out.lua", to: "../root-secret/out.lua")
    let host = try ScriptHost(root: "\(folder.path)/root")
    let error = scriptError { _ = try host.store("app") }
    #expect(error?.message.contains("leads out of the script root") == true)
  }

  @Test func aFolderIsNoModule() throws {
    let scripts = try Scripts(["app": "return require 'lib'", "lib.a": "return 1"])
    try FileManager.default.createDirectory(
      atPath: "\(scripts.folder.path)/odd.lua", withIntermediateDirectories: true)
    #expect(
      scriptError { _ = try scripts.store() }?.message.contains("there is no module 'lib'") == true)
    #expect(throws: ScriptError.self) { try scripts.host.store("odd") }
  }

  @Test func bytecodeAndInvalidTextAreNoModules() throws {
    let folder = try TemporaryFolder()
    try Data([0x1B, 0x4C, 0x75, 0x61, 0x54, 0x00]).write(
      to: URL(fileURLWithPath: "\(folder.path)/app.lua"))
    let host = try ScriptHost(root: folder.path)
    #expect(throws: ScriptError.self) { try host.store("app") }
  }

  @Test func eachModuleHasItsOwnGlobals() throws {
    let reading = try failure(["app": "local x = undeclared"])
    #expect(reading.message.contains("undeclared"), "\(reading)")
    let writing = try failure(["app": "\nleaked = 1"])
    #expect(writing.message.contains("leaked") && writing.line == 2, "\(writing)")
    let reaching = try failure([
      "app": "require 'other'; return string.own",
      "other": "string.own = 1; rawset(_G or {}, 'x', 1)",
    ])
    #expect(reaching.message != "")
  }

  @Test func eachModuleHasItsOwnCopyOfScripted() throws {
    let scripts = try Scripts([
      "app": """
      require "vandal"
      assert(scripted.feature ~= 1 and effect.send ~= 1 and list.find ~= 1 and scripted.json.encode ~= 1)
      assert(rawequal(require "scripted", scripted), "one copy a module")
      return scripted.feature { state = { n = 0 }, on = {
        go = function(state) state.n = list.indexOf({ { id = 5 } }, 5); return effect.send("done") end,
        done = function(state) state.text = scripted.json.encode { 1 } end,
      } }
      """,
      "vandal": """
      scripted.feature, effect.send, list.find, scripted.json.encode = 1, 1, 1, 1
      list.indexOf = nil; scripted.effect = nil; scripted.combine = nil
      for key in pairs(list) do list[key] = nil end
      """,
    ])
    let store = try scripts.store()
    store.send("go")
    #expect(store.state == ["n": 1, "text": "[1]"])
  }

  @Test func whatARawsetDoesToAReducerChangesNothing() throws {
    let scripts = try Scripts([
      "app": """
      local Child = scripted.feature { name = "Child", state = {}, on = { go = function(state) state.went = true end } }
      rawset(Child, "name", "Other"); rawset(Child, "kind", "scope"); rawset(Child, "initial", 5)
      return scripted.feature { name = "App", state = { child = {} }, on = {} }:scope("child", Child)
      """
    ])
    let store = try scripts.store()
    store.send("child.go")
    store.send("child.gone")
    #expect(store.state == ["child": ["went": true]])
    #expect(scripts.warnings.first?.message.hasPrefix("Child has no handler") == true)
  }
}
