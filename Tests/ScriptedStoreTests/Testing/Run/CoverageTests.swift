import LuaBridge
import ScriptedStore
import Testing

/// Which lines of scripts run.
@Suite struct CoverageTests {
  private static let module = """
    local M = {}
    -- a comment

    function M.sign(n)
      if n > 0 then
        return "plus"
      elseif n < 0 then
        return "minus"
      end
      return "none"
    end

    function M.never()
      local text = "a"
      return text
    end

    return M
    """

  private func hits(_ source: String, _ modules: [String: String]) throws -> [String: [Int: Int]] {
    let coverage = Coverage()
    let app = try TestFolder(source, modules: modules, configuration: .init(coverage: coverage))
    app.run()
    return Dictionary(uniqueKeysWithValues: coverage.files.map { ($0.name, $0.hits) })
  }

  @Test func linesThatCanRunAreCountedButForThoseThatOnlyClose() throws {
    let hits = try hits(
      """
      local sign = require("sign").sign
      it("tells", function() sign(1) sign(2) sign(0) end)
      """, ["sign": Self.module])
    #expect(hits.keys.sorted() == ["sign.lua"])
    #expect(
      hits["sign.lua"] == [
        1: 1, 4: 1, 5: 3, 6: 2, 7: 1, 8: 0, 10: 1, 13: 1, 14: 0, 15: 0, 18: 1,
      ])
  }

  @Test func filesOfAllVMsAddUp() throws {
    let coverage = Coverage()
    let app = try TestFolder(
      "local sign = require('sign').sign it('tells', function() sign(-1) end)",
      modules: ["sign": Self.module], configuration: .init(coverage: coverage))
    let other = try app.reload(.init(coverage: coverage))
    app.run()
    _ = other.results()
    let file = try #require(coverage.files.first)
    #expect(file.hits[8] == 2 && file.hits[6] == 0)
    #expect(file.count.executable == 11 && file.count.covered == 7)
    #expect(file.path.hasSuffix("/sign.lua") && file.path.hasPrefix("/"))
  }

  @Test func aScriptThatIsLoadedAndNotRunCountsAsWell() throws {
    let hits = try hits("require 'sign' it('does nothing', function() end)", ["sign": Self.module])
    #expect(hits["sign.lua"]?[5] == 0 && hits["sign.lua"]?[1] == 1)
  }

  @Test func aTestThatIsStoppedCountsWhatRan() throws {
    let coverage = Coverage()
    let app = try TestFolder(
      """
      it("never ends", function() require("loop")() end)
      it("ends", function() require("loop")(true) end)
      """,
      modules: ["loop": "return function(ends)\nwhile not ends do\nlocal x = 1\nend\nlocal y\nend"],
      configuration: .init(timeout: .seconds(0.2), coverage: coverage))
    #expect(words(app.run()) == ["never ends: timeout", "ends: passed"])
    let hits = try #require(coverage.files.first?.hits)
    #expect((hits[3] ?? 0) > 0 && hits[5] == 1)
  }

  @Test func linesOfEffectsAreCounted() throws {
    let hits = try hits(
      """
      local test = require "scripted.test"
      it("runs", function()
        local store = test.store(require "app")
        store:send("go")
        store:receive("done", function(state) state.isDone = true end)
      end)
      """,
      [
        "app": """
        local scripted = require "scripted"
        return scripted.feature { on = {
          go = function()
            return scripted.effect.run(function(send)
              send("done")
            end)
          end,
          done = function(state)
            state.isDone = true
          end } }
        """
      ])
    #expect(hits["app.lua"]?[5] == 1 && hits["app.lua"]?[9] == 1)
  }
}
