import Foundation
import LuaBridge
import Testing

/// `require`, for those who use the bridge without a store.
@Suite struct ModulesTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("modules-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func write(_ files: [String: String]) throws {
    for (name, text) in files {
      let file = folder.appendingPathComponent(name)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
  }

  private func modules(
    providing provide: LuaModules.Provider? = nil
  ) throws -> LuaModules {
    let (vm, root) = (try LuaVM(), try ScriptRoot(folder.path))
    guard let provide else { return LuaModules(vm: vm, root: root) }
    return LuaModules(vm: vm, root: root, providing: provide)
  }

  private func integer(_ value: LuaValue) -> Int64? {
    if case .integer(let number) = value { number } else { nil }
  }

  @Test func modulesSeeTheGlobalsOfTheHost() throws {
    try write(["module.lua": "return { answer = answer }"])
    let modules = try modules()
    try modules.vm.setGlobal("answer", to: 42)
    let module = try modules.require("module").decoded(as: [String: Int].self)
    #expect(module == ["answer": 42])
  }

  @Test func aScriptThatOutlivesItsModulesCannotRequireAnyMore() throws {
    try write(["a.lua": #"return function() return require "b" end"#, "b.lua": "return 1"])
    var modules: LuaModules? = try modules()
    let function = try #require(try modules?.require("a").function)
    modules = nil
    let error = try failure { try function.call() }
    #expect(error.message.contains("modules that this script belongs to are gone"))
  }

  @Test func aModuleRunsOnceAndWhatItReturnsIsShared() throws {
    try write([
      "a.lua": #"local b = require "b.c"; b.n = b.n + 1; return b.n"#,
      "b/c.lua": "return { n = 1 }", "d.lua": #"return require("b.c").n"#,
    ])
    let modules = try modules()
    #expect(integer(try modules.require("a")) == 2)
    #expect(integer(try modules.require("a")) == 2)
    #expect(integer(try modules.require("d")) == 2)
    #expect(integer(try modules.load(file: folder.appendingPathComponent("d.lua").path)) == 2)
  }

  @Test func aScriptUnderTheRootOfTheFileSystemHasItsPathBelowItAsItsName() throws {
    try write(["a.lua": "return 1"])
    let script = try ScriptRoot("/").file(folder.appendingPathComponent("a.lua").path)
    #expect(script.name.hasSuffix("/a.lua"))
    #expect(!script.name.hasPrefix("/"))
    #expect(try ScriptRoot(folder.path).file(folder.path + "/a.lua").name == "a.lua")
  }

  @Test func aFoldersInitLuaIsItsModule() throws {
    try write(["pack/init.lua": "return 7"])
    #expect(integer(try modules().require("pack")) == 7)
  }

  @Test func globalsOfOneModuleAreNotAnothers() throws {
    try write([
      "a.lua": "table.insert = nil; return 1", "b.lua": "return table.insert and 2 or 3",
    ])
    let modules = try modules()
    _ = try? modules.require("a")
    #expect(integer(try modules.require("b")) == 2)
  }

  @Test(arguments: [
    "..secret", "../secret", "/etc/passwd", "a/../../secret", "link", "",
  ])
  func nothingOutsideOfTheRootCanBeRequired(_ name: String) throws {
    try write(["inside.lua": "return 1"])
    let outside = folder.deletingLastPathComponent()
      .appendingPathComponent("outside-\(UUID().uuidString).lua")
    try "return 'secret'".write(to: outside, atomically: true, encoding: .utf8)
    try FileManager.default.createSymbolicLink(
      at: folder.appendingPathComponent("link.lua"), withDestinationURL: outside)
    let modules = try modules()
    #expect(throws: ScriptError.self) { try modules.require(name) }
  }

  @Test(arguments: [
    ("conuter", "counter"), ("shop.crat", "shop.cart"), ("shpo.cart", "shop.cart"),
    ("hots", "host"), ("shpo", "shop"),
  ])
  func aMisspeltModuleIsSuggestedAsAreAMisspeltFolderAndAModuleOfTheHost(
    _ name: String, _ meant: String
  ) throws {
    try write([
      "counter.lua": "", "shop/cart.lua": "", "shop/init.lua": "", "counters.txt": "",
    ])
    let modules = try modules()
    modules.provided = ["host"]
    let error = #expect(throws: ScriptError.self) { try modules.require(name) }
    #expect(error?.message.hasSuffix("is there; did you mean '\(meant)'?") == true)
  }

  @Test(arguments: ["nothing", "shop.nothing", "counter.a"])
  func noModuleIsSuggestedWhereNoneIsNear(_ name: String) throws {
    try write(["counter.lua": "", "shop/cart.lua": ""])
    let modules = try modules()
    let error = #expect(throws: ScriptError.self) { try modules.require(name) }
    #expect(error?.message.hasSuffix("is there") == true)
  }

  @Test func aByteOrderMarkAndAFirstLineWithArePassedOverAndLinesKeepTheirNumbers() throws {
    try write([
      "a.lua": "\u{FEFF}#!/usr/bin/env lua\nreturn 1", "b.lua": "\u{FEFF}return 2", "c.lua": "#",
      "d.lua": "# first\n\nerror('no')",
    ])
    let modules = try modules()
    #expect(integer(try modules.require("a")) == 1)
    #expect(integer(try modules.require("b")) == 2)
    _ = try modules.require("c")
    let error = #expect(throws: ScriptError.self) { try modules.require("d") }
    #expect(error?.line == 3)
  }

  @Test func aSlashInTheNameOfAModuleIsRefusedAlsoBeforeACombiningCharacter() throws {
    let error = try failure { _ = try modules().require("a/\u{301}b") }
    #expect(error.message.contains("is not a module name"))
  }

  #if os(Linux)
  /// On Linux, two Unicode forms of one name are two folders.
  @Test func aLinkToAnotherUnicodeFormOfTheRootLeadsOutOfIt() throws {
    let (root, other) = (folder.path + "/\u{E9}", folder.path + "/e\u{301}")
    for path in [root, other] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    #expect(
      FileManager.default.createFile(atPath: other + "/b.lua", contents: Data("return 1".utf8)))
    try FileManager.default.createSymbolicLink(
      atPath: root + "/b.lua", withDestinationPath: other + "/b.lua")
    let modules = LuaModules(vm: try LuaVM(), root: try ScriptRoot(root))
    let error = try failure { _ = try modules.require("b") }
    #expect(error.message.contains("leads out of the script root"))
  }
  #endif

  @Test func namesOfAbsentModulesAreNotRememberedWithoutEnd() throws {
    try write([
      "a.lua": """
      pcall(require, string.rep("x", 2000))
      for i = 1, 1100 do pcall(require, "absent" .. i) end
      """
    ])
    let modules = try modules()
    _ = try modules.require("a")
    #expect(modules.missing["absent1"] == ["a.lua"])
    #expect(modules.missing.count == 1000)
  }

  @Test func modulesThatRequireEachOtherAreNamedInOrder() throws {
    try write([
      "a.lua": #"return require "b""#, "b.lua": #"return require "c""#,
      "c.lua": #"return require "a""#,
    ])
    let modules = try modules()
    let error = #expect(throws: ScriptError.self) { try modules.require("a") }
    #expect(error?.message.contains("a.lua → b.lua → c.lua → a.lua") == true)
  }

  @Test func whatAModuleRaisesNamesItsOwnScriptAndLineAndTheModuleCanBeTriedAgain() throws {
    try write(["a.lua": #"return require "b""#, "b.lua": "\nerror('no')"])
    let modules = try modules()
    let error = #expect(throws: ScriptError.self) { try modules.require("a") }
    #expect(error?.script == "b.lua" && error?.line == 2 && error?.message == "no")
    try write(["b.lua": "return 5"])
    #expect(integer(try modules.require("a")) == 5)
  }

  @Test func aHostProvidesModulesOfItsOwnByWhoAsks() throws {
    try write(["a.lua": #"return require "host""#, "b.lua": #"return require "host""#])
    let modules = try modules { (name, module) throws(ScriptError) in
      name == "host" ? .integer(Int64(module)) : nil
    }
    #expect(integer(try modules.require("a")) != integer(try modules.require("b")))
  }
}
