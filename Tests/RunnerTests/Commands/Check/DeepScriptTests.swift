import Foundation
import Testing

/// What may be as deep in a script as its text is long takes no more of the stack for that.
@Suite(.timeLimit(.minutes(30)))
struct DeepScriptTests {
  private static let chained = (1...50_000).map { "local a\($0) = a\($0 - 1)\n" }.joined()

  /// As many things inside of each other as Lua reads, each with as much hanging on it as is read.
  private static func nested(_ levels: Int, _ suffixes: Int) -> String {
    String(repeating: "f(", count: levels) + "1"
      + String(repeating: ")" + String(repeating: ".x", count: suffixes), count: levels)
  }

  private static let texts: [(name: String, text: String)] = [
    ("chained locals", "local a0 = require\n" + chained + "return a50000 'x'"),
    ("chained fields", "local a0 = {}\n" + chained.replacingOccurrences(of: "\n", with: ".x\n")),
    ("chained methods", "local a0 = {}\n" + chained.replacingOccurrences(of: "\n", with: ":x()\n")),
    ("chained calls", "local a0 = {}\n" + chained.replacingOccurrences(of: "\n", with: "()\n")),
    ("mapped", "local a0 = {}\n" + chained + "a50000:map(print)"),
    ("nested calls", "local f\nreturn " + nested(150, 900)),
    ("mapped calls", "local f\nreturn " + nested(150, 900) + ":map(print)"),
    ("nested functions", String(repeating: "return function() ", count: 190)),
    ("nested tables", "return " + String(repeating: "{ a = ", count: 190)),
    ("nested blocks", String(repeating: "do local a = a ", count: 190)),
    ("globals", "local a0\n" + chained + String(repeating: "print(x)\n", count: 1000)),
  ]

  @Test(arguments: texts.indices)
  func aStackOf512KBHasRoomForWhatIsReadOfAScript(index: Int) throws {
    let project = try TestProject(
      ["deep.lua": Self.texts[index].text], hasFeature: false)
    let outcome = try RunnerProcess.shell(
      "ulimit -s 512; \"$RUNNER\" check", in: project.folder.folder)
    let name = Self.texts[index].name
    #expect([0, 1].contains(outcome.status), "\(name): \(outcome.errors.prefix(200))")
    #expect(outcome.lines.last?.hasSuffix("in 1 script") == true, "\(name)")
  }

  @Test func aNameIsFollowedThroughManyLocals() throws {
    let chain = (1...150).map { "local a\($0) = a\($0 - 1)\n" }.joined()
    let source = "local a0 = require 'scripted'\n" + chain + "return a150.nothing"
    let found = try CheckCase("", ["app.lua": source], []).found()
    #expect(found.contains { $0.contains("scripted has no 'nothing'") })
  }

  @Test func eachOfManyScriptsIsAskedAboutTheActionsOfTheFeaturesInIt() throws {
    var files: [String: String] = [:]
    for number in 0..<40 {
      files["f\(number).lua"] = """
        local scripted = require "scripted"
        return scripted.feature { name = "F\(number)", state = { n = 0 },
          on = {
            go = function() return scripted.effect.send("gone") end,
            \(number % 2 == 0 ? "gone = function() end," : "")
          },
        }
        """
    }
    files["words_test.lua"] = """
      it("names actions", function() return { "go", "gone" } end)
      """
    let found = try CheckCase("", files, []).found()
    #expect(found.count == 20)
    #expect(found.allSatisfy { $0.contains("sends \"gone\", which nothing handles") })
  }
}
