import LuaBridge
import Testing

struct SharedConstantsTests {
  @Test func cAndSwiftAgreeOnConstants() { #expect(SharedConstants.disagreements == []) }

  @Test func cAndSwiftHideTheSameCharacters() {
    let different = (0...0x10FFFF).compactMap(Unicode.Scalar.init).filter { scalar in
      let isHidden = VisibleText.isHidden(scalar) && !VisibleText.layout.contains(scalar)
      return isHidden != SharedConstants.isHiddenInC(scalar)
    }
    #expect(different == [])
  }

  /// All texts of up to two bytes, and longer ones from the bytes at which the rules change.
  @Test func cAndSwiftAcceptTheSameUTF8() {
    let edges: [UInt8] = [
      0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1,
      0xEC,
      0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
    ]
    var texts: [[UInt8]] = [[]]
    for first in UInt8.min...UInt8.max {
      texts.append([first])
      for second in UInt8.min...UInt8.max { texts.append([first, second]) }
    }
    for first in edges where first >= 0xC0 {
      for second in edges {
        for third in edges {
          texts.append([first, second, third])
          // C reads eight bytes at a time while they are ASCII.
          texts.append([UInt8](repeating: 0x41, count: 8) + [first, second, third])
          for fourth in edges { texts.append([first, second, third, fourth]) }
        }
      }
    }
    let different = texts.filter { text in
      (String(validating: text, as: UTF8.self) != nil) != SharedConstants.isUTF8InC(text)
    }
    #expect(different == [])
  }

  /// C names the part of a value that a script assigns, Swift the part of the state that it assigns
  /// to.
  @Test(arguments: ["name", "_a1", "odd key", "1a", "größe", ""])
  func cAndSwiftWriteTheSamePath(_ key: String) throws {
    let script = try DraftScript()
    let inC = try script.message([:], "state.x = { ['\(key)'] = { 1, print } }")
    let state: Value = ["x": [key: [1, 2]]]
    let inSwift = try script.message(state, "state.x['\(key)'][2] = print")
    #expect(inC == inSwift)
    #expect(
      inC.hasSuffix(
        "[2]: a function cannot be stored in state; call it if you mean its result, or store a name in its place, and find the function by the name"
      ))
  }
}
