import ScriptValue
import Testing

/// Reading values as people type them.
struct LuaReaderTests {
  @Test(arguments: [
    (
      #"{ title = "Milk", ["odd key"] = true, n = -3 }"#,
      #"{"title":"Milk","odd key":true,"n":-3}"#
    ),
    ("{ 1, 2.5, 'a'; nested = nil }", "[1,2.5,\"a\"]"),
    ("{ [1] = 'a', [2] = 'b' }", #"["a","b"]"#),
    ("{ a = { b = {} }, }", #"{"a":{"b":[]}}"#),
    ("{ gone = nil, kept = null }", #"{"kept":null}"#),
    (" 0x10 ", "16"), (".5", "0.5"), ("5.", "5.0"), ("1e3", "1000.0"), ("- 7", "-7"),
    ("9223372036854775808", "9.2233720368547758e18"),
  ])
  func tablesOfLua(text: String, json: String) throws {
    #expect(try LuaReader.value(of: text) == Value(json: json))
  }

  @Test(arguments: [
    (#"{"a": [1, {"b": null}]}"#, #"{"a":[1,{"b":null}]}"#), ("{}", "{}"),
    (#"{ "a": 1, b = 2, c: 3, }"#, #"{"a":1,"b":2,"c":3}"#),
    ("{ list = [1, [2]] }", #"{"list":[1,[2]]}"#),
  ])
  func jsonWithItsEmptyObjectAndWhatIsBetweenTheTwo(text: String, json: String) throws {
    let value = try LuaReader.value(of: text)
    #expect(value == (try Value(json: json)))
    #expect(value?.json() == (try Value(json: json).json()))
  }

  @Test func numbersKeepTheirKind() throws {
    guard case .integer(1)? = try LuaReader.value(of: "1") else { return #expect(Bool(false)) }
    guard case .float(1)? = try LuaReader.value(of: "1.0") else { return #expect(Bool(false)) }
    guard case .float(100)? = try LuaReader.value(of: "1e2") else { return #expect(Bool(false)) }
  }

  @Test func escapesOfBoth() throws {
    let text = #"{ 'it\'s', "\65\x42\u{1F600}\u0043\ud83d\ude00", "a\tb\\" }"#
    #expect(try LuaReader.value(of: text) == ["it's", "AB😀C😀", "a\tb\\"])
  }

  @Test func nilIsNoValue() throws {
    #expect(try LuaReader.value(of: "nil") == nil)
  }

  @Test(arguments: [
    ("{ title = Milk }", "Milk is no value; text goes in quotes", 11),
    ("{ 1, 2", "a comma or } is missing", 7),
    ("{ a = 1, 2 }", "a table is a list or has keys, not both", 1),
    ("{ 1, nil }", "a list has no nil in it", 6),
    ("{ [3] = 1 }", "index 3 is not the next one of the list", 3),
    ("\"open", "a string is not closed", 1), ("1 2", "there is more than one value", 3),
    ("", "a value is missing", 1), ("1e999", "this is no number", 1),
    ("--1", "this is no number", 1),
    (#"{ "é", "\q" }"#, "an unknown escape", 9), (#""\xFF""#, "the string is not UTF-8", 1),
    (#"'\ud83d'"#, "bad \\u", 2), ("[1 2]", "a comma or ] is missing", 4),
    ("{ [true] = 1 }", "a key is text, or an index", 3),
  ])
  func whatIsNoValueIsRefusedWithItsPlace(text: String, message: String, column: Int) {
    let error = #expect(throws: LuaReader.Failure.self) { try LuaReader.value(of: text) }
    #expect(error?.message == message)
    #expect(error?.column == column)
  }

  @Test func valuesNestNoDeeperThanStateMay() throws {
    func tables(_ depth: Int) -> String {
      String(repeating: "{a=", count: depth) + "1" + String(repeating: "}", count: depth)
    }
    #expect(try LuaReader.value(of: tables(128))?.depth == 128)
    #expect(throws: LuaReader.Failure.self) { try LuaReader.value(of: tables(129)) }
    #expect(throws: LuaReader.Failure.self) {
      try LuaReader.value(of: String(repeating: "[", count: 100_000))
    }
  }
}
