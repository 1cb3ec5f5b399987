import Foundation
import Testing

/// Positions in what the runner prints are paths from the current folder, so that terminals and
/// editors open them.
struct ScriptPathsTests {
  let project: TestProject

  init() throws {
    project = try TestProject([
      "shop/cart.lua": """
      local scripted = require "scripted"
      local effect = scripted.effect
      local Row = require "shop.row"
      local function fail() error("no milk") end
      local Cart = scripted.feature {
        name = "Cart",
        state = { rows = {}, message = "" },
        on = {
          buy = function() fail() end,
          later = function() return effect.run(function() fail() end) end,
          catch = function(state)
            local _, message = pcall(fail)
            state.message = message
          end,
        },
      }
      return Cart:forEach("rows", Row)
      """,
      "shop/row.lua": """
      local scripted = require "scripted"
      return scripted.feature { name = "Row", on = { toggle = function() end } }
      """,
      "tests/cart_test.lua": """
      local test = require "scripted.test"
      local Cart = require "shop.cart"
      it("compares", function() assert.are.equal("shop/cart.lua:4: a", "shop/cart.lua:4: b") end)
      it("raises", function() test.store(Cart):send("buy") end)
      """,
    ])
  }

  func run(
    _ arguments: String..., input: String = "", in folder: String = "."
  ) throws -> RunnerProcess.Outcome {
    try RunnerProcess.run(
      arguments, input: input, environment: project.environment(),
      in: project.folder.url(folder))
  }

  private static let session = "buy\nlater\ncatch\nrows[7].toggle\n"

  @Test(arguments: [
    (".", ["shop.cart"], "scripts/"), (".", ["scripts/shop/cart"], "scripts/"),
    (".", ["shop.cart", "--root", "./scripts/"], "scripts/"),
    ("scripts", ["shop/cart.lua"], ""), ("scripts", ["shop.cart", "--root", "."], ""),
    ("scripts/shop", ["shop.cart", "--root", ".."], "../"),
  ])
  func theyBeginWithTheRootAsItIsSeenFromTheCurrentFolder(
    folder: String, feature: [String], prefix: String
  ) throws {
    let outcome = try RunnerProcess.run(
      ["run"] + feature + ["--clock", "virtual", "--format", "json"], input: Self.session,
      environment: project.environment(), in: project.folder.url(folder))
    #expect(
      outcome.errors.hasPrefix(
        """
        error: \(prefix)shop/cart.lua:4: no milk
        stack traceback:
        \t[C]: in function 'error'
        \t\(prefix)shop/cart.lua:4: in upvalue 'fail'
        \t\(prefix)shop/cart.lua:9: in function <\(prefix)shop/cart.lua:9>
        """), "\(outcome.errors)")
    #expect(
      outcome.errors.contains(
        "in the effect of Cart at \(prefix)shop/cart.lua:10, which later started"))
    #expect(
      outcome.lines.first?.hasSuffix(#""error":"\#(prefix)shop/cart.lua:4: no milk"}"#) == true)
    #expect(outcome.output.contains(#""origin":"\#(prefix)shop/cart.lua:10","action":"later""#))
    #expect(
      outcome.lines.last?.contains(#"["forEach at \#(prefix)shop/cart.lua:17: the action"#) == true)
    // The state is that of every folder.
    #expect(outcome.output.contains(#""value":"shop/cart.lua:4: no milk""#))
  }

  @Test func aRootElsewhereHasItsAbsolutePath() throws {
    let folder = project.folder.folder.resolvingSymlinksInPath().path
    let outcome = try RunnerProcess.run(["tree", "\(folder)/scripts/shop/cart.lua"])
    #expect(outcome.output.hasPrefix("Cart (feature at \(folder)/scripts/shop/cart.lua:5)\n"))
  }

  @Test func aRecordingDoesNotDependOnTheCurrentFolder() throws {
    for (folder, root, file) in [(".", "scripts", "a.jsonl"), ("scripts", ".", "../b.jsonl")] {
      _ = try run(
        "run", "shop.cart", "--root", root, "--clock", "virtual", "--record", file,
        input: Self.session, in: folder)
    }
    let recording = try project.folder.text("a.jsonl")
    #expect(recording.contains(#""script":"shop/cart.lua","line":4"#))
    #expect(recording == (try project.folder.text("b.jsonl")))
    #expect(try run("replay", "a.jsonl", "--format", "text").status == 0)
    try project.write("return require('scripted').feature {}", to: "shop/row.lua")
    let text = try project.folder.text("scripts/shop/cart.lua")
    try project.write(text.replacing("no milk", with: "no tea"), to: "shop/cart.lua")
    let changed = try run("replay", "a.jsonl", "--format", "text")
    #expect(
      changed.output.contains(
        "- raised: scripts/shop/cart.lua:4: no milk\n+ raised: scripts/shop/cart.lua:4: no tea\n"))
  }

  @Test(arguments: ["text", "json", "dot"])
  func theTreeHasThemInAllItsFormats(format: String) throws {
    let output = try run("tree", "shop.cart", "--format", format).output
    for position in ["shop/cart.lua:5", "shop/cart.lua:9", "shop/cart.lua:17", "shop/row.lua:2"] {
      #expect(output.contains("scripts/\(position)"))
    }
    #expect(output.matches(of: /shop\/\w+\.lua/).count == output.matches(of: /scripts\/shop/).count)
  }

  @Test func theConsoleHasThem() throws {
    let output = try run(
      "dev", "shop.cart", "--clock", "virtual", input: Self.session + ":tree\n:warnings\n"
    ).output
    #expect(output.contains("raised, rolled back: scripts/shop/cart.lua:4: no milk"))
    #expect(output.contains("Row (feature at scripts/shop/row.lua:2)"))
    #expect(output.contains(#"+   message = "shop/cart.lua:4: no milk","#))
    let others = output.matches(of: /(scripts\/)?shop\/\w+\.lua:/).filter { $0.1 == nil }
    #expect(others.count == 1, "\(output)")
  }

  @Test(arguments: [
    (
      "pretty",
      [
        "  scripts/tests/cart_test.lua:3: expected",
        "FAIL  raises  scripts/tests/cart_test.lua:4",
      ]
    ),
    ("tap", [#"file: "scripts/tests/cart_test.lua""#, #"file: "scripts/shop/cart.lua""#]),
    (
      "json",
      [
        #""file":"scripts/tests/cart_test.lua","line":3"#,
        #""script":"scripts/shop/cart.lua","line":4"#,
      ]
    ),
    ("junit", [#"file="scripts/tests/cart_test.lua""#, ">scripts/shop/cart.lua:4: no milk\n"]),
    ("github", ["file=scripts/tests/cart_test.lua,line=3", "file=scripts/shop/cart.lua,line=4"]),
  ])
  func reportsOfTestsHaveThemAndLeaveTheComparedValuesAlone(name: String, positions: [String])
    throws
  {
    let outcome = try run("test", "--reporter", name)
    for position in positions { #expect(outcome.output.contains(position), "\(outcome.output)") }
    let quote = ["tap": #"\""#, "json": #"\""#][name] ?? "\""
    #expect(
      outcome.output.contains(
        "expected \(quote)shop/cart.lua:4: a\(quote), got \(quote)shop/cart.lua:4: b\(quote)")
        || name == "junit")
    #expect(try run("test", "--list").lines.first == "scripts/tests/cart_test.lua:3: compares")
  }

  @Test func messagesOfFindingsHaveThem() throws {
    try project.write(
      """
      local scripted = require "scripted"
      local Row = scripted.feature { name = "Row", state = { one = 1, two = 2 } }
      return Row:ifCaseLet("one", scripted.feature {})
      """, to: "shop/row.lua")
    for format in ["text", "json", "github"] {
      let outcome = try run("check", "--format", format)
      #expect(outcome.output.contains("ifCaseLet at scripts/shop/row.lua:3: a tagged"))
    }
    let absolute = try run(
      "check", "--root", project.folder.path + "/scripts", "--format", "github")
    let isHere = project.folder.path == project.folder.folder.resolvingSymlinksInPath().path
    #expect(absolute.output.contains("file=scripts/shop/row.lua,line=3") || !isHere)
  }
}
