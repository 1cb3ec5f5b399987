import Foundation
import Testing

/// runner check.
struct CheckTests {
  let mixed = CheckCase(
    "",
    [
      "a.lua": "return function()\n  return 100 % foo\nend",
      "b.lua": """
      local scripted = require "scripted"
      return scripted.feature { on = { left = function() return scripted.effect.send("gone, too") end } }
      """,
    ], [])

  @Test func theTextIsInTheOrderOfFilesAndLinesAndCounts() throws {
    let outcome = try mixed.run()
    #expect(
      outcome.output == """
        scripts/a.lua:2:16: error: global 'foo' is not declared [unknown-global]
        scripts/b.lua:2:34: hint: no script, test or file of actions sends "left"; test it if the host sends it [unsent-action]
        scripts/b.lua:2:80: warning: the feature sends "gone, too", which nothing handles; if it is meant for a parent, list it in `actions` [unhandled-action]
        1 error, 1 warning, 1 hint in 2 scripts

        """)
    #expect(outcome.errors == "")
    #expect(outcome.status == 1)
  }

  @Test func jsonHasAnObjectALineAndOneThatCounts() throws {
    let outcome = try mixed.run("--format", "json")
    #expect(
      outcome.lines == [
        #"{"file":"scripts/a.lua","line":2,"column":16,"severity":"error","code":"unknown-global","message":"global 'foo' is not declared"}"#,
        #"{"file":"scripts/b.lua","line":2,"column":34,"severity":"hint","code":"unsent-action","message":"no script, test or file of actions sends \"left\"","remedy":"test it if the host sends it"}"#,
        #"{"file":"scripts/b.lua","line":2,"column":80,"severity":"warning","code":"unhandled-action","message":"the feature sends \"gone, too\", which nothing handles","remedy":"if it is meant for a parent, list it in `actions`"}"#,
        #"{"scripts":2,"errors":1,"warnings":1,"hints":1}"#,
      ])
  }

  @Test func workflowCommandsShowFindingsAtTheirLines() throws {
    let outcome = try mixed.run("--format", "github")
    #expect(
      outcome.lines == [
        "::error file=scripts/a.lua,line=2,col=16,title=unknown-global::global 'foo' is not declared",
        "::notice file=scripts/b.lua,line=2,col=34,title=unsent-action::no script, test or file of "
          + "actions sends \"left\"; test it if the host sends it",
        "::warning file=scripts/b.lua,line=2,col=80,title=unhandled-action::the feature sends \"gone, "
          + "too\", which nothing handles; if it is meant for a parent, list it in `actions`",
      ])
  }

  @Test func coloursComeWhereTheyAreAskedFor() throws {
    let project = try TestProject(mixed.files, hasFeature: false)
    let outcome = try RunnerProcess.run(
      ["check"], environment: project.environment(["FORCE_COLOR": "1"]), in: project.folder.folder)
    #expect(outcome.output.contains("\u{1B}[31merror\u{1B}[0m: global"))
  }

  @Test func errorsFailWarningsIfThatIsAskedForHintsNever() throws {
    let warning = CheckCase(
      "", feature: #"on = { tapped = function() return effect.send("gone") end },"#, [])
    #expect(try warning.run().status == 0)
    #expect(try warning.run("--strict").status == 1)
    let hint = CheckCase("", feature: "on = { left = function() end },", [])
    #expect(try hint.run("--strict").status == 0)
    #expect(try mixed.run("--format", "xml").status == 64)
    #expect(try mixed.run("--timeout", "0").status == 64)
    #expect(try hint.run("--timeout", "inf").status == 0)
    #expect(try mixed.run("nowhere.lua").status == 66)
    #expect(try mixed.run("--root", "nowhere").status == 66)
    #expect(try CheckCase("", [:], []).run().status == 66)
  }

  @Test func pathsSayOfWhichScriptsToTellTheOthersAreReadAllTheSame() throws {
    let example = CheckCase(
      "",
      [
        "a.lua": "require 'deep.b'\nfoo()", "deep/b.lua": "\nerror('no luck')",
        "deep/c.lua": "bar()",
        "row.lua": """
        local scripted = require "scripted"
        return scripted.feature { on = { go = function() return scripted.effect.send("beside") end } }
        """,
        "deep/rows.lua": """
        local scripted = require "scripted"
        local Beside = scripted.feature { on = { beside = function() return "go" end } }
        return scripted.combine { require "row", Beside }
        """,
      ], [])
    let broken = "deep/b.lua:2: error: no luck [load]"
    let own = "a.lua:2:1: error: global 'foo' is not declared [unknown-global]"
    let other = "deep/c.lua:1:1: error: global 'bar' is not declared [unknown-global]"
    #expect(try example.found("a.lua") == [own, broken])
    #expect(try example.found("scripts/deep") == [broken, other])
    #expect(try example.found("row.lua") == [])
    #expect(try example.found() == [own, broken, other])
  }

  @Test func theExamplesHaveNothingToBeFound() throws {
    let outcome = try RunnerProcess.run(["check", "--strict"])
    #expect(outcome.output.hasPrefix("nothing found in "), "\(outcome.output)")
    #expect(outcome.status == 0)
  }

  /// One text many times, between two others, and what becomes of it.
  private static let deepTexts:
    [(before: String, text: String, count: Int, after: String, status: Int32)] = [
      ("return ", "- ", 100, "1", 0),
      ("local f f()", "()", 200_000, "", 1),
      ("local a = {} a = a", ".b", 200_000, "", 1),
      ("return ", "(", 100_000, "1", 1),
      ("", "do ", 100_000, "", 1),
    ]

  @Test(arguments: 0..<5)
  func whatLuaCompilesAndNoStackHasRoomForIsReadAsFarAsThatGoes(index: Int) throws {
    let (before, text, count, after, status) = Self.deepTexts[index]
    let source = before + String(repeating: text, count: count) + after
    let outcome = try CheckCase("", ["deep.lua": source], []).run()
    #expect(outcome.status == status, "\(outcome.errors.prefix(200))")
  }
}
