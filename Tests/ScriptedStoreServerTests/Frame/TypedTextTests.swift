import ScriptView
import ScriptedStore
import Testing

@testable import ScriptedStoreServer

/// What is typed.
struct TypedTextTests {
  func splice(_ start: Int, _ removed: Int, _ inserted: String) throws -> TextSplice {
    try #require(
      TextSplice(["start": Value(start), "removed": Value(removed), "inserted": .string(inserted)]))
  }

  func field(_ text: String) -> TypedText {
    TypedText(.root, ViewNode(node("textField", ["value": .string(text)])), event: 0)
  }

  func text(_ typed: TypedText) -> String { String(decoding: typed.units, as: UTF16.self) }

  @Test func changesAreMadeInUTF16Units() throws {
    var typed = field("a👍b")
    #expect(typed.apply(try splice(3, 1, "é"), event: 1))
    #expect(text(typed) == "a👍é")
    #expect(typed.apply(try splice(1, 2, ""), event: 2))
    #expect(text(typed) == "aé")
  }

  @Test func aChangeThatDoesNotFitIsRefused() throws {
    var typed = field("abc")
    for (start, removed) in [(4, 0), (0, 4), (-1, 1), (1, -1), (.max, .max), (1, .max)] {
      #expect(!typed.apply(try splice(start, removed, "x"), event: 1))
    }
    #expect(text(typed) == "abc")
  }

  @Test func aTextHasALimit() throws {
    var typed = field("")
    let piece = String(repeating: "x", count: TypedText.limit)
    #expect(typed.apply(try splice(0, 0, piece), event: 1))
    #expect(!typed.apply(try splice(0, 0, "y"), event: 2))
  }

  @Test func halfOfASurrogatePairHarmsNobody() throws {
    var typed = field("👍")
    #expect(typed.apply(try splice(1, 1, ""), event: 1))
    #expect(text(typed) == "\u{FFFD}")
  }

  @Test(arguments: [
    // A handler that clears the field.
    ("first", "firsts", "", "s"), ("first", "xfirst", "", "x"), ("first", "fir", "", ""),
    // A handler that formats it.
    ("first", "firsts", "FIRST", "FIRSTs"), ("first", "firs", "FIRST", "FIRS"),
    ("1234", "123", "(123) 4", "(123) "), ("1234", "12345", "(123) 4", "(123) 45"),
    // A handler that leaves a part of it out.
    ("abcd", "abcde", "abc", "abce"), ("abcd", "abc", "abc", "abc"),
    // A handler that adds to it.
    ("b", "bc", "ab", "abc"), ("", "a", "a", "aa"), ("a👍b", "a👍bc", "b", "bc"),
    ("a👍", "a👎", "a👍c", "a👎c"), ("same", "same!", "same", "same!"),
  ])
  func whatWasTypedIsInsertedIntoTheTextThatAHandlerHasMadeOfTheField(
    _ before: String, _ after: String, _ now: String, _ expected: String
  ) {
    let change = TypedChange(before: Array(before.utf16), after: Array(after.utf16))
    #expect(change.applied(to: Array(now.utf16)) == expected)
  }

  @Test func textsOfAllKindsArePutTogetherWithoutAnEndOfTheProcess() {
    var random = SplitMix(seed: 7)
    func text() -> [UInt16] {
      (0..<Int(random.next() % 6)).map { _ in [0x61, 0x62, 0xD83D, 0xDC4D][Int(random.next() % 4)] }
    }
    for _ in 0..<20_000 {
      let (before, after, now) = (text(), text(), text())
      let change = TypedChange(before: before, after: after)
      #expect(change.applied(to: before) == String(decoding: after, as: UTF16.self))
      // A handler that has done the same leaves nothing but that.
      if after == before {
        #expect(change.applied(to: now) == String(decoding: now, as: UTF16.self))
      }
      _ = change.applied(to: now)
    }
  }
}
