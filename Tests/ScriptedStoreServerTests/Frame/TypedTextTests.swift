import ScriptView
import ScriptedStore
import Testing

@testable import ScriptedStoreServer

@Suite("What is typed")
struct TypedTextTests {
  func splice(_ start: Int, _ removed: Int, _ inserted: String) throws -> TextSplice {
    try #require(
      TextSplice(["start": Value(start), "removed": Value(removed), "inserted": .string(inserted)]))
  }

  func field(_ text: String) -> TypedText {
    TypedText(.root, ViewNode(node("textField", ["value": .string(text)])), event: 0)
  }

  @Test("Changes are made in UTF-16 units")
  func units() throws {
    var typed = field("a👍b")
    #expect(typed.apply(try splice(3, 1, "é"), event: 1))
    #expect(typed.text == "a👍é")
    #expect(typed.apply(try splice(1, 2, ""), event: 2))
    #expect(typed.text == "aé")
  }

  @Test("A change that does not fit is refused")
  func outside() throws {
    var typed = field("abc")
    for (start, removed) in [(4, 0), (0, 4), (-1, 1), (1, -1), (.max, .max), (1, .max)] {
      #expect(!typed.apply(try splice(start, removed, "x"), event: 1))
    }
    #expect(typed.text == "abc")
  }

  @Test("A text has a limit")
  func limit() throws {
    var typed = field("")
    let piece = String(repeating: "x", count: TypedText.limit)
    #expect(typed.apply(try splice(0, 0, piece), event: 1))
    #expect(!typed.apply(try splice(0, 0, "y"), event: 2))
  }

  @Test("Half of a surrogate pair harms nobody")
  func surrogates() throws {
    var typed = field("👍")
    #expect(typed.apply(try splice(1, 1, ""), event: 1))
    #expect(typed.text == "\u{FFFD}")
  }
}
