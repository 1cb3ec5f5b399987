import ScriptValue
import Testing

/// ValuePath.
struct ValuePathTests {
  @Test(
    arguments: [
      ("", []),
      ("todos", [.key("todos")]),
      ("todos[3].title", [.key("todos"), .index(3), .key("title")]),
      ("[0][12]", [.index(0), .index(12)]),
      ("a.b c.1", [.key("a"), .key("b c"), .key("1")]),
      (#"["odd.key"].x"#, [.key("odd.key"), .key("x")]),
      (#"a["with \"quotes\" and \\"]"#, [.key("a"), .key(#"with "quotes" and \"#)]),
      (#"a[""]"#, [.key("a"), .key("")]),
      (#"["two\nlines"]"#, [.key("two\nlines")]),
    ] as [(String, [ValuePath.Component])])
  func textAndComponentsAgree(_ text: String, _ components: [ValuePath.Component]) throws {
    #expect(try ValuePath(text).components == components)
    #expect(ValuePath(components).description == text)
  }

  @Test(arguments: [
    ".", "a.", ".a", "a..b", "a[", "a[x]", "a[-1]", "a[+1]", "a[1", "a]b", "a[1]b", "a.[1]",
    #"a["x]"#, #"a["x"#, #"a["\q"]"#, "a[]", "a[99999999999999999999]",
  ])
  func textThatIsNoPathIsRefused(_ text: String) {
    #expect(throws: ValuePathError.self) { try ValuePath(text) }
  }

  @Test func whatCombinesWithABracketAQuoteOrADotDoesNotHideIt() throws {
    for key in ["\u{301}", "a\u{301}.\u{301}b", "]\u{610}", "\r\n", "\"\u{610}", "\\\u{301}"] {
      let path = ValuePath([.key(key), .index(1), .key(key)])
      #expect(try ValuePath(path.description) == path)
    }
  }
}
