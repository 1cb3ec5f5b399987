import ScriptValue
import Testing

/// UTF-8 in state.
struct UTF8TextTests {
  /// Whether JSON may have a string of these bytes.
  private func isValid(_ bytes: [UInt8]) -> Bool {
    (try? Value(json: [UInt8(ascii: "\"")] + bytes + [UInt8(ascii: "\"")])) != nil
  }

  @Test func agreesWithSwiftOnRandomBytesAroundTheEdgesOfWhatIsAllowed() {
    var random = SplitMix(seed: 3)
    let edges: [UInt8] = [
      0x20, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1,
      0xEC,
      0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
    ]
    var valid = 0
    for _ in 0..<50_000 {
      let count = Int.random(in: 0...5, using: &random)
      let bytes = (0..<count).map { _ in edges.randomElement(using: &random) ?? 0 }
      let expected = String(validating: bytes, as: UTF8.self) != nil
      if expected { valid += 1 }
      guard isValid(bytes) == expected else {
        Issue.record("\(bytes) should be \(expected ? "valid" : "refused")")
        return
      }
      // Behind ASCII.
      #expect(isValid(Array("12345678abc".utf8) + bytes) == expected)
    }
    #expect(valid > 1_000)
  }

  @Test func everyScalarIsValid() {
    for value in stride(from: UInt32(0x20), through: 0x10FFFF, by: 7) {
      guard let scalar = Unicode.Scalar(value) else { continue }
      #expect(isValid(Array(String(scalar).utf8)))
    }
  }

  @Test func aStringNodeKeepsItsText() {
    #expect(StringNode.make("Grüße, 世界 🌍").string == "Grüße, 世界 🌍")
    #expect(StringNode.make("").string == "")
  }
}
