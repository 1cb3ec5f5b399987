import ScriptTypesGenerator
import Testing

@Suite("Drift")
struct DriftTests {
  private func types(_ fields: String) throws -> SwiftTypes {
    try TemporaryScripts([
      "f.lua": "return require('scripted').feature {\nname = 'F',\nstate = {\n\(fields)\n},\n}"
    ]).types("f")
  }

  @Test("The same text has none")
  func same() throws {
    let types = try types("count = 0")
    #expect(types.drift(from: types.text) == nil)
  }

  @Test("A field of another type is told with both lines")
  func changed() throws {
    let drift = try #require(try types("count = 0.5").drift(from: types("count = 0").text))
    #expect(drift.line == 7)
    #expect(drift.found == "  var count: Int")
    #expect(drift.expected == "  var count: Double")
    #expect(drift.source == SourceLine(script: "f.lua", line: 4))
  }

  @Test("A file that ends too early, or too late, is told too")
  func ends() throws {
    let types = try types("count = 0")
    let first = "// Made by `runner swift f`. Change the scripts instead.\n"
    let short = try #require(types.drift(from: first))
    #expect((short.line, short.found) == (2, nil))
    let long = try #require(types.drift(from: types.text + "struct Mine {}\n"))
    #expect((long.found, long.expected) == ("struct Mine {}", nil))
    #expect(long.source?.script == "f.lua")
  }
}
