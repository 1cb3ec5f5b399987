import Foundation
import Testing

/// How runner test treats plain Lua libraries.
struct PlainLibraryTests {
  /// A library as busted expects it: modules in `src`, specs in `spec`.
  private static func library(_ files: [String: String] = [:]) throws -> TestProject {
    let project = try TestProject([:], hasFeature: false)
    try FileManager.default.removeItem(at: project.folder.url("scripts"))
    for folder in ["src", "spec", "tools"] { try project.folder.makeFolder(folder) }
    let usual = [
      "src/shout.lua": "return function(text) return text:upper() end",
      "spec/shout_spec.lua": """
      local shout = require "shout"
      describe("shout #loud", function()
        it("works", function() assert.are.equal("A", shout "a") end)
        it("can read", function() assert.is_truthy(io.open("spec/shout_spec.lua")) end)
      end)
      """,
    ]
    for (path, text) in usual.merging(files, uniquingKeysWith: { $1 }) {
      try project.folder.write(text, to: path)
    }
    return project
  }

  @Test func aFolderWithoutFeaturesRunsAsPlainLuaAndTheSummarySaysSo() throws {
    let outcome = try Self.library().run()
    #expect(outcome.status == 0)
    #expect(outcome.lines.last == "2 passed, 0 failed")
    #expect(outcome.lines.dropLast().last?.hasSuffix("plain Lua, without the sandbox") == true)
    #expect(outcome.errors == "")
  }

  @Test(arguments: [
    "require 'scripted'", "local s = require(\"scripted\")", "pcall(require, [[scripted]])",
    "-- require \"scripted.test\"",
  ])
  func aFileThatRequiresScriptedAnOptionOrUntrustedLimitsKeepTheSandbox(_ text: String) throws {
    let outcome = try Self.library(["tools/t.lua": text]).run()
    #expect(outcome.status == 1)
    #expect(!outcome.output.contains("plain Lua"))
  }

  @Test(arguments: ["require 'scripted_x'", "local x = 'scripted'", "require('a.scripted')"])
  func aNameThatOnlyLooksLikeScriptedKeepsNobodyInTheSandbox(_ text: String) throws {
    #expect(try Self.library(["tools/t.lua": text]).run().status == 0)
  }

  @Test func optionsChooseTheSandboxOrPlainLua() throws {
    let library = try Self.library(["tools/t.lua": "require 'scripted'"])
    #expect(try library.run("--no-sandbox").status == 0)
    #expect(try Self.library().run("--sandbox").output.contains("no module 'shout'"))
    #expect(try Self.library().run("--limits", "untrusted").status == 1)
    let both = try Self.library().run("--no-sandbox", "--limits", "untrusted")
    #expect(both.status == 64)
    #expect(try library.run("--helper", "x.lua").status == 64)
  }

  @Test(arguments: [
    (["-e", "x = 1"], "-e", "--helper"), (["-C", "spec"], "-C", "cd FOLDER"),
    (["--directory=spec"], "--directory", "cd FOLDER"), (["-c"], "-c", "--coverage"),
    (["spec", "--sort"], "--sort", "order of their names"),
    (["--no-keep-going"], "--no-keep-going", "--fail-fast"), (["-k"], "-k", "goes on"),
    (["-l"], "-l", "--list"), (["--no-auto-insulate"], "--no-auto-insulate", "--helper"),
    (["-Xoutput", "x"], "-Xoutput", "--reporter"), (["--lua=lua5.1"], "--lua", "Lua 5.4"),
  ])
  func anOptionOfBustedThatIsNotThereGetsAWordOnWhatToUse(
    arguments: [String], name: String, advice: String
  ) throws {
    let outcome = try Self.library().run(arguments)
    #expect(outcome.status == 64)
    #expect(
      outcome.errors.hasPrefix("error: runner test does not have busted's option '\(name)': "))
    #expect(outcome.errors.contains(advice) && outcome.errors.split(separator: "\n").count == 1)
  }

  @Test func anOptionThatNobodyHasIsToldOfAsSuch() throws {
    let outcome = try Self.library().run("--nothing")
    #expect(outcome.status == 64 && outcome.errors.hasPrefix("error: Unknown option '--nothing'"))
  }

  @Test func aSpecFindsALuaThatItCanStartLua54BeforeOthers() throws {
    let library = try Self.library([
      "spec/start_spec.lua": "it('finds', function() assert.are.equal('wanted', arg[-1]) end)"
    ])
    try library.folder.makeFolder("bin")
    for name in ["lua", "lua5.4"] {
      let path = library.folder.url("bin/\(name)").path
      try library.folder.write("#!/bin/sh\n", to: "bin/\(name)")
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
      let folder = library.folder.url("bin").path
      let outcome = try library.run([], environment: ["PATH": folder])
      #expect(outcome.output.contains("expected \"wanted\", got \"\(path)\""))
    }
  }

  @Test func plainLuaHasNoModuleScriptedAndNoWarningsAboutIt() throws {
    let library = try Self.library([
      "spec/drops_spec.lua": """
      local function never()
        local scripted = require "scripted"
        return scripted.feature { state = {}, on = { a = function() scripted.effect.send("b") end } }
      end
      it("cannot be required", function() assert.is_false((pcall(never))) end)
      """
    ])
    let plain = try library.run("--no-sandbox")
    #expect(plain.status == 0)
    #expect(plain.errors == "")
    let path = "spec/drops_spec.lua"
    #expect(try library.run("--sandbox", path).errors.contains("never runs"))
  }

  @Test func testsAreListedAndSelectedAndFailuresRunAgain() throws {
    let library = try Self.library([
      "spec/b_spec.lua": """
      describe("b", function()
        it("fails", function() assert.is_true(false) end)
        it("passes", function() end)
      end)
      """
    ])
    #expect(try library.list("-t", "loud") == ["shout #loud works", "shout #loud can read"])
    #expect(try library.run("--filter", "passes").lines.last == "1 passed, 0 failed")
    #expect(try library.run().lines.last == "3 passed, 1 failed")
    #expect(try library.run("--only-failed").lines.last == "0 passed, 1 failed")
    #expect(try library.run("--filter", "nothing").status == 66)
    let parts = try ["1/2", "2/2"].map { try library.list("--shard", $0).count }
    #expect(parts.reduce(0, +) == 4)
  }

  @Test func aBustedFileRepeatsNoMoreOftenThanTheOption() throws {
    let library = try Self.library([
      ".busted": "return { default = { ['repeat'] = 1000001 } }"
    ])
    let outcome = try library.run()
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("'repeat' is at most 1000000"))
  }

  @Test func aRunThatStopsEarlyKeepsTheFailuresOfTestsThatItHasNotFound() throws {
    let library = try Self.library([
      "spec/b_spec.lua": """
      it("fails", function() assert.is_true(false) end)
      it("fails, too", function() assert.is_true(false) end)
      """
    ])
    #expect(try library.run().lines.last == "2 passed, 2 failed")
    #expect(try library.run("--only-failed", "--fail-fast").lines.last == "0 passed, 1 failed")
    #expect(try library.run("--only-failed").lines.last == "0 passed, 2 failed")
  }

  @Test func aFileThatDoesNotLoadIsAFailureAndTheOthersRun() throws {
    let outcome = try Self.library([
      "spec/a_spec.lua": "error('out of order')", "spec/c_spec.lua": "it(",
    ]).run()
    #expect(outcome.lines.last == "2 passed, 2 failed")
    #expect(outcome.output.contains("spec/a_spec.lua:1: out of order"))
  }

  @Test func bustedNamesTestsPathsAndAHelperOptionsOfTheCommandLineComeFirst() throws {
    let library = try Self.library([
      ".busted": """
      return {
        _all = { lpath = "./tools/?.lua;./src/?.lua", helper = "tools/help.lua", Xhelper = "x,y" },
        default = { ROOT = { "tools" }, pattern = "^t_" },
        other = { ROOT = "spec", tags = "loud" },
      }
      """,
      "tools/help.lua": "helped = table.concat(arg, ' ')",
      "tools/tool.lua": "return 'tool'",
      "tools/t_one.lua": """
      it("has both", function()
        assert.are.equal("tool", require "tool")
        assert.are.equal("x,y", helped)
      end)
      """,
      "spec/quiet_spec.lua": "it('is quiet', function() end)",
    ])
    let usual = try library.run()
    #expect(usual.lines.last == "1 passed, 0 failed", "\(usual.output)")
    #expect(try library.list("--run", "other") == ["shout #loud works", "shout #loud can read"])
    #expect(try library.run("--run", "missing").status == 64)
    #expect(try library.list("-p", "quiet", "spec") == ["is quiet"])
  }

  @Test func outputHandlersOfBustedAreMappedToReportersOrRefusedWithAHint() throws {
    let library = try Self.library()
    #expect(try library.run("-o", "TAP").output.hasPrefix("TAP version 14"))
    #expect(try library.run("-o", "plainTerminal").lines.last == "2 passed, 0 failed")
    let refused = try library.run("-o", "sound")
    #expect(refused.status == 64)
    #expect(refused.errors.contains("--reporter takes pretty, dot, tap"))
  }

  @Test func coverageCountsTheLinesOfModulesThatWereRequired() throws {
    let library = try Self.library()
    let outcome = try library.run("--coverage")
    #expect(outcome.output.contains("src/shout.lua"))
    #expect(try library.folder.text("coverage/lcov.info").contains("DA:1,"))
  }

  @Test func changedSinceTakesSpecsByWhatTheyRequire() throws {
    let library = try Self.library(["spec/other_spec.lua": "it('is another', function() end)"])
    let committed = try RunnerProcess.shell(
      "git init -q && git add . && git -c user.name=n -c user.email=e@x commit -qm first",
      in: library.folder.folder)
    try #require(committed.status == 0)
    try library.folder.write(
      "return function(text) return string.upper(text) end", to: "src/shout.lua")
    let outcome = try library.run("--changed-since", "HEAD")
    #expect(outcome.lines.last == "2 passed, 0 failed")
  }
}
