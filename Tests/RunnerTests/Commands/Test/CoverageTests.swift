import Foundation
import Testing

/// What runner test says of lines that ran.
struct CoverageTests {
  let project: TestProject

  init() throws {
    project = try TestProject([
      "shop/prices.lua": """
      local prices = {}

      function prices.of(kind)
        if kind == "tea" then
          return 3
        end
        -- Whatever else there is.
        local price = 1
        return price
      end

      return prices
      """,
      "names.lua": "return { tea = 'Tee' }",
      "tea_test.lua": """
      local prices = require "shop.prices"
      it("has a price", function() assert.are.equal(3, prices.of("tea")) end)
      """,
      "cake_test.lua": """
      require "names"
      it("is there", function() assert.is_string(require("names").tea) end)
      """,
    ])
  }

  @Test func aTableWithTheLinesThatDidNotRunBeforeTheLastLine() throws {
    let outcome = try project.run("--coverage")
    #expect(outcome.status == 0)
    #expect(
      outcome.output.contains(
        """
        Coverage of lines
          scripts/names.lua       100.0 %        1/1
          scripts/shop/prices.lua  71.4 %        5/7  not run: 8-9
          in total                 75.0 %        6/8


        """))
    #expect(outcome.lines.last == "2 passed, 0 failed")
  }

  @Test func aLineCountsWhenItRanInAnyVMAsLcovAndCoberturaHaveIt() throws {
    try project.write(
      """
      local prices = require "shop.prices"
      it("has a price too", function() assert.are.equal(1, prices.of("cake")) end)
      """, to: "more_test.lua")
    let outcome = try project.run("--coverage", "--coverage-folder", "out/coverage", "--jobs", "3")
    #expect(outcome.output.contains("in total                100.0 %        8/8"))
    let lcov = try project.folder.text("out/coverage/lcov.info")
    #expect(
      lcov.contains(
        "SF:\(project.folder.folder.resolvingSymlinksInPath().path)/scripts/names.lua\n"))
    #expect(lcov.contains("DA:4,2\nDA:5,1\nDA:8,1\nDA:9,1\n"))
    #expect(lcov.contains("LF:7\nLH:7\nend_of_record\n"))
    let xml = try project.folder.text("out/coverage/cobertura.xml")
    #expect(
      xml.contains(#"<class name="shop/prices.lua" filename="shop/prices.lua" line-rate="1.0000""#))
    #expect(xml.contains(#"<line number="4" hits="2"/>"#))
  }

  @Test func lessThanTheThresholdIsAFailure() throws {
    let less = try project.run("--coverage-threshold", "76")
    #expect(less.status == 1)
    #expect(less.errors == "error: 75.0 % of the lines ran, less than 76.0 %\n")
    #expect(try project.run("--coverage-threshold", "75").status == 0)
  }

  @Test func whereNoScriptRanNothingIsCovered() throws {
    try project.write("it('needs nothing', function() end)", to: "alone_test.lua")
    let outcome = try project.run("alone_test.lua", "--coverage-threshold", "1")
    #expect(outcome.status == 1)
    #expect(outcome.errors == "error: no script ran, and 1.0 % of the lines should\n")
    #expect(outcome.output.contains("Coverage of lines\n  no script ran\n"))
    let json = try project.run("alone_test.lua", "--coverage", "--reporter", "json")
    #expect(json.status == 0)
    #expect(json.output.contains(#""coverage":0"#))
    #expect(try project.run("alone_test.lua", "--coverage-threshold", "0").status == 0)
  }

  @Test func besideAReportForProgramsTheTableIsOnStandardError() throws {
    let outcome = try project.run("--coverage", "--reporter", "tap")
    #expect(outcome.lines.last == "1..2")
    #expect(outcome.errors.hasPrefix("Coverage of lines\n"))
  }

  @Test func aFolderThatCannotBeMadeIsToldOf() throws {
    try project.folder.write("", to: "taken")
    let outcome = try project.run("--coverage", "--coverage-folder", "taken/coverage")
    #expect(outcome.status == 74)
    #expect(outcome.errors.hasPrefix("error: taken/coverage/lcov.info cannot be written: "))
  }
}
