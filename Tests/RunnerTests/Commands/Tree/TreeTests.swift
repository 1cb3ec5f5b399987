import Foundation
import Testing

/// runner tree.
struct TreeTests {
  let scripts: TemporaryFolder

  init() throws {
    scripts = try TemporaryFolder([
      "app.lua": """
      local scripted = require "scripted"
      local Row = require "row"
      local App = scripted.feature {
        name = "App", state = { rows = {} }, dependencies = { "http", "files", "clock" },
        on = { add = function() end },
      }
      return App:forEach("rows", Row)
      """,
      "row.lua": """
      local scripted = require "scripted"
      return scripted.feature { name = "Row", on = { toggle = function() end } }
      """,
      "keys.lua": "return { n = require('scripted').shared.inMemory('n', 1) }",
      "sharing.lua": """
      return require("scripted").feature { name = "Sharing", shared = { count = require("keys").n } }
      """,
      "broken.lua": "error('no')",
    ])
  }

  func run(_ arguments: String...) throws -> RunnerProcess.Outcome {
    try RunnerProcess.run(["tree"] + arguments + ["--root", scripts.path], in: scripts.folder)
  }

  @Test func aDependencyThatOnlyAHostRegistersIsNamed() throws {
    try scripts.write(
      "return require('scripted').feature { name = 'Quiz', dependencies = { 'questions' }, on = {} }",
      to: "quiz.lua")
    let missing = try run("quiz")
    #expect(missing.status == 66)
    #expect(missing.errors.contains("name it: --dependency questions. There are"))
    let named = try run("quiz", "--dependency", "questions")
    #expect(named.status == 0, "\(named.errors)")
    #expect(named.output.contains("questions"))
  }

  @Test func theTextShowsStateDependenciesActionsAndLines() throws {
    let outcome = try run("app")
    #expect(
      outcome.output == """
        App (feature at app.lua:3)
          state: rows
          dependencies: http, files, clock
          on add (app.lua:5)
          forEach rows[*] on state.rows (app.lua:7)
            Row (feature at row.lua:2)
              on toggle (row.lua:2)

        """)
    #expect(outcome.errors == "")
    #expect(outcome.status == 0)
  }

  @Test func sharedFieldsHaveTheirKeysWithPathsFromTheCurrentFolder() throws {
    let outcome = try RunnerProcess.run(["tree", scripts.url("sharing.lua").path])
    let folder = scripts.url("").path.split(separator: "/").joined(separator: "/")
    #expect(
      outcome.output == """
        Sharing (feature at /\(folder)/sharing.lua:1)
          shared count = inMemory "n" (/\(folder)/keys.lua:1)

        """)
  }

  @Test func jsonHasTheSame() throws {
    let outcome = try run("app", "--format", "json")
    #expect(
      outcome.output.contains(
        #""children":[{"kind":"forEach","origin":"app.lua:7","key":"rows","action":"rows[*]","#))
    #expect(outcome.lines.count == 1)
  }

  @Test func aGraphHasTheSame() throws {
    let outcome = try run("app", "--format", "dot")
    #expect(outcome.output.hasPrefix("digraph {\n"))
    #expect(outcome.output.contains("n1 -> n2;"))
    #expect(outcome.output.hasSuffix("}\n"))
  }

  @Test func aFeatureThatIsMissingOrDoesNotLoadIsToldOf() throws {
    let broken = try run("broken")
    #expect(broken.status == 66)
    #expect(broken.errors.contains("broken.lua:1: no"))
    #expect(try run("missing").status == 66)
    #expect(try run("app", "--format", "xml").status == 64)
  }

  @Test func theExamplesHaveTrees() throws {
    for name in ["counter", "todos", "search", "timers"] {
      let outcome = try RunnerProcess.run(["tree", name])
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.output.contains("(feature at scripts/\(name).lua:"))
    }
  }
}
