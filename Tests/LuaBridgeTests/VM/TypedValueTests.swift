import LuaBridge
import ScriptValue
import Testing

/// Values as people type them: JSON, or expressions of Lua.
struct TypedValueTests {
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
    ("9223372036854775808", "9.2233720368547758e18"), ("{ n = 2 * 3 }", #"{"n":6}"#),
  ])
  func expressionsOfLua(text: String, json: String) throws {
    #expect(try Value.typed(text) == Value(json: json))
  }

  @Test(arguments: [#"{"a": [1, {"b": null}]}"#, "{}", "[1, [2]]", "null", #""text""#])
  func json(text: String) throws {
    #expect(try Value.typed(text)?.json() == Value(json: text).json())
  }

  @Test func numbersKeepTheirKind() throws {
    guard case .integer(1)? = try Value.typed("1") else { return #expect(Bool(false)) }
    guard case .float(1)? = try Value.typed("1.0") else { return #expect(Bool(false)) }
    guard case .float(100)? = try Value.typed("1e2") else { return #expect(Bool(false)) }
  }

  @Test func nilIsNoValue() throws {
    #expect(try Value.typed("nil") == .none)
  }

  @Test(arguments: [
    ("{ title = Milk }", "Milk is no value; text goes in quotes"),
    ("os.exit()", "os is no value; text goes in quotes"),
    ("{ 1, 2", "'}' expected near <eof>"), ("1 2", "<eof> expected near '2'"),
    ("1, 2", "there is more than one value"), ("", "a value is missing"),
    ("--1", "a value is missing"),
    (
      "{ a = 1, 2 }",
      "result: a table with both string and integer keys cannot be stored in state; use tostring(id)"
    ),
    (
      "{ [3] = 1 }",
      "result: a sparse array (index 1 is nil, the largest index is 3) cannot be stored in state; leave no nil in a list, and use tostring(id) for ids"
    ),
    (
      "{ [true] = 1 }",
      "result: a boolean (true) cannot be a key in state, where keys are strings, or the indices of an array"
    ),
    // A key is cut behind its 60th byte.
    (
      "{ ['\(String(repeating: "é", count: 30))'] = 1e999 }",
      "result[\"\(String(repeating: "é", count: 30))\"]: an infinite number cannot be stored in state"
    ),
    (#""\xFF""#, "result: a string that is not UTF-8 cannot be stored in state"),
    ("1e999", "result: an infinite number cannot be stored in state"),
    ("function() end", "a function such as this cannot be stored in state"),
    ("(function() while true do end end)()", "this takes longer than 0.1 s"),
  ])
  func whatIsNoValueIsRefused(text: String, message: String) {
    let error = #expect(throws: ScriptError.self) { try Value.typed(text) }
    #expect(error?.message == message)
  }

  @Test func valuesNestNoDeeperThanStateMay() throws {
    func tables(_ depth: Int) -> String {
      String(repeating: "{a=", count: depth) + "1" + String(repeating: "}", count: depth)
    }
    #expect(try Value.typed(tables(128))?.depth == 128)
    #expect(throws: ScriptError.self) { try Value.typed(tables(129)) }
    #expect(throws: ScriptError.self) {
      try Value.typed(String(repeating: "{", count: 100_000))
    }
  }
}
