import Foundation
import ScriptTypesGenerator
import ScriptedStore
import Testing

/// The types of the examples.
struct GeneratedFileTests {
  struct File: CustomTestStringConvertible, Sendable {
    let name: String
    let features: [String]
    var access: SwiftTypes.Access = .internal

    var testDescription: String { name }
  }

  /// The files in the folder Generated, which this target compiles.
  static let files = [
    File(name: "Todos", features: ["todos"]),
    File(name: "SyncUps", features: ["sync_ups"]),
    File(name: "TicTacToe", features: ["tic_tac_toe"]),
    File(name: "VoiceMemos", features: ["voice_memos"]),
    File(
      name: "CaseStudies",
      features: [
        "counter", "case_studies.two_counters", "case_studies.optional_state",
        "case_studies.multiple_destinations", "case_studies.recursion",
        "case_studies.navigation_stack",
      ], access: .public),
  ]

  @Test(arguments: files)
  func aFileIsWhatTheScriptsMakeMakeGeneratedWritesItAnew(file: File) throws {
    let types = try SwiftTypes(
      file.features.map { .init(module: $0) }, root: repository.appending(path: "scripts").path,
      access: file.access)
    let path = repository.appending(path: "Tests/ScriptTypesTests/Generated/\(file.name).swift")
    let text = try String(contentsOf: path, encoding: .utf8)
    let drift = types.drift(from: text)
    #expect(drift == nil, "line \(drift?.line ?? 0): \(drift?.expected ?? "the end") is expected")
    #expect(text == types.text)
  }

  @Test func theTypesAreTheSameEachTime() throws {
    let root = repository.appending(path: "scripts").path
    let texts = try (1...3).map { _ in try SwiftTypes([.init(module: "sync_ups")], root: root).text
    }
    #expect(Set(texts).count == 1)
  }

  /// A script may declare it for its tests.
  @Test(arguments: [false, true])
  func aDependencyOfTheHostIsNamed(isDeclared: Bool) throws {
    let declaration = "scripted.dependency { name = 'questions', live = { next = function() end } }"
    let scripts = try TemporaryScripts([
      "quiz.lua": """
      local scripted = require "scripted"
      \(isDeclared ? declaration : "")
      return scripted.feature { name = "Quiz", state = { count = 0 }, dependencies = { "questions" } }
      """
    ])
    let named = try SwiftTypes(
      [.init(module: "quiz")], root: scripts.path, dependencies: ["questions"])
    #expect(named.text.contains("var count: Int"))
    guard !isDeclared else { return }
    let error = #expect(throws: ScriptError.self) { try scripts.types("quiz") }
    #expect(
      error?.message.contains(
        "name it: --dependency questions, or in `dependencies` of ScriptTypes.json") == true)
  }
}

/// Drift.
struct DriftTests {
  private func types(_ fields: String) throws -> SwiftTypes {
    try TemporaryScripts([
      "f.lua": "return require('scripted').feature {\nname = 'F',\nstate = {\n\(fields)\n},\n}"
    ]).types("f")
  }

  @Test func theSameTextHasNone() throws {
    let types = try types("count = 0")
    #expect(types.drift(from: types.text) == nil)
  }

  @Test func aFileIsComparedByLinesWhateverEndsThem() throws {
    let types = try types("count = 0")
    #expect(types.drift(from: types.text.replacing("\n", with: "\r\n")) == nil)
  }

  @Test func aKeyOfAnotherUnicodeFormIsADifference() throws {
    // The letter Å and the sign of the ångström.
    let (letter, sign) = (try types("['\u{C5}'] = 0"), try types("['\u{212B}'] = 0"))
    #expect(letter.drift(from: letter.text) == nil)
    #expect(letter.drift(from: sign.text) != nil)
  }

  @Test func aFieldOfAnotherTypeIsToldWithBothLines() throws {
    let drift = try #require(try types("count = 0.5").drift(from: types("count = 0").text))
    #expect(drift.line == 7)
    #expect(drift.found == "  var count: Int")
    #expect(drift.expected == "  var count: Double")
    #expect(drift.source == SourceLine(script: "f.lua", line: 4))
  }

  @Test func aFileThatEndsTooEarlyOrTooLateIsToldToo() throws {
    let types = try types("count = 0")
    let first = "// Made by `runner swift f`. Change the scripts instead.\n"
    let short = try #require(types.drift(from: first))
    #expect((short.line, short.found) == (2, nil))
    let long = try #require(types.drift(from: types.text + "struct Mine {}\n"))
    #expect((long.found, long.expected) == ("struct Mine {}", nil))
    #expect(long.source?.script == "f.lua")
  }
}
