import Foundation

/// A folder with `scripts` and tests of them, in which the runner runs.
struct TestProject {
  let folder: TemporaryFolder

  /// - Parameters:
  ///   - files: texts by path below `scripts`.
  ///   - hasFeature: adds a script that requires `scripted`, so that tests run in the sandbox.
  init(_ files: [String: String], hasFeature: Bool = true) throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("scripts")
    if hasFeature { try write("return require 'scripted'", to: "zzz_feature.lua") }
    for (path, text) in files { try write(text, to: path) }
  }

  /// A passing test, a failing, a raising and a skipped one, in three files.
  static func mixed() throws -> TestProject {
    try TestProject([
      "sums_test.lua": """
      describe("Sums", function()
        it("adds", function() assert.are.equal(4, 2 + 2) end)
        it("subtracts #slow", function()
          assert.are.equal(1, 2 - 2)
        end)
      end)
      """,
      "deep/words_spec.lua": """
      local words = require "words"
      describe("Words", function()
        describe("in a row", function()
          it("are counted", function() assert.are.equal(2, words.count("a b")) end)
          it("raise", function() words.fail() end)
        end)
        pending("are translated")
      end)
      """,
      "words.lua": """
      local words = {}
      function words.count(text)
        local count = 0
        for _ in text:gmatch("%S+") do count = count + 1 end
        return count
      end
      function words.fail()
        error("out of words")
      end
      return words
      """,
      "zero_test.lua": """
      it("is zero #slow #odd", function() assert.is_true(0 == 0) end)
      """,
    ])
  }

  func write(_ text: String, to path: String) throws {
    let path = "scripts/" + path
    if let slash = path.lastIndex(of: "/") { try folder.makeFolder(String(path[..<slash])) }
    try folder.write(text, to: path)
  }

  /// Nothing of who runs the tests gets in.
  func environment(_ changes: [String: String] = [:]) -> [String: String] {
    ["XDG_CACHE_HOME": folder.path + "/cache", "CI": "", "FORCE_COLOR": ""]
      .merging(changes) { $1 }
  }

  /// `runner test` in the folder.
  func run(
    _ options: String..., environment: [String: String] = [:]
  ) throws -> RunnerProcess.Outcome {
    try run(options, environment: environment)
  }

  func run(
    _ options: [String], environment: [String: String] = [:]
  ) throws -> RunnerProcess.Outcome {
    try RunnerProcess.run(
      ["test"] + options, environment: self.environment(environment), in: folder.folder)
  }

  /// The same, to talk to.
  func converse(_ options: String...) throws -> Conversation {
    try Conversation(["test"] + options, environment: environment(), in: folder.folder)
  }

  /// The tests that such a run would take, without their places.
  func list(_ options: String...) throws -> [String] {
    let outcome = try RunnerProcess.run(
      ["test", "--list"] + options, environment: environment(), in: folder.folder)
    return outcome.lines.map { line in
      line.split(separator: ": ", maxSplits: 1).last.map(String.init) ?? line
    }
  }

  /// A line with all durations made `N ms`.
  static func timeless(_ text: String) -> String {
    text.replacing(/\d+ ms|\d+\.\d\d s/, with: "N ms")
  }
}
