import ScriptValue
import Testing

@Suite struct JSONReadingTests {
  @Test func scalarsBecomeTheirKind() throws {
    #expect(try Value(json: "null") == .null)
    #expect(try Value(json: " true ") == .boolean(true))
    #expect(try Value(json: "false\n") == .boolean(false))
    #expect(try Value(json: "\"Milk\"") == .string("Milk"))
    #expect(try Value(json: "[1,[],{}]") == [1, [], [:]])
  }

  /// Compared with their Lua text, as `1 == 1.0`.
  @Test(arguments: [
    ("1", "1"), ("-1", "-1"), ("0", "0"), ("-0", "0"), ("1.0", "1.0"), ("1e2", "100.0"),
    ("-0.0", "-0.0"), ("9223372036854775807", "9223372036854775807"),
    ("-9223372036854775808", "-9223372036854775808"),
    ("9223372036854775808", "9.223372036854775808e+18"),
    ("-9223372036854775809", "-9.223372036854775808e+18"),
    ("10000000000000000000000", "1e+22"), ("1E-7", "1e-07"), ("5e-324", "5e-324"),
    ("1e-400", "0.0"),
  ])
  func integersStayIntegers(text: String, lua: String) throws {
    let value = try Value(json: text)
    if lua.contains(where: { ".e".contains($0) }) {
      guard case .float(let float) = value else {
        Issue.record("\(text) is not a float")
        return
      }
      #expect(float == Double(lua))
      #expect(float.sign == (text.hasPrefix("-") ? .minus : .plus))
    } else {
      #expect(value == .integer(Int64(lua)!))
      #expect(value.description == lua)
    }
  }

  @Test func floatsAreRoundedCorrectly() throws {
    for text in [
      "0.1", "0.3", "2.2250738585072011e-308", "1.7976931348623157e308", "123456789012345678.9",
      "9007199254740993.0", "0.1234567890123456789012345678901234567890", "4.35", "1e22", "1e23",
      "8.5e-20", "3.14159265358979323846", "9007199254740992e3",
    ] {
      #expect(try Value(json: text) == .float(Double(text)!), "\(text)")
    }
    var random = SplitMix(seed: 7)
    for _ in 0..<5_000 {
      let float = Double(bitPattern: random.next())
      guard float.isFinite else { continue }
      let text = float.description
      guard case .float(let read) = try Value(json: text) else {
        Issue.record("\(text) is not a float")
        continue
      }
      #expect(read.bitPattern == float.bitPattern)
    }
  }

  @Test func escapesAreUndone() throws {
    let text = #""\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\ud83d\ude00 plain é€😀 and \u0000 nul""#
    #expect(
      try Value(json: text)
        == "\"\\/\u{8}\u{c}\n\r\tA\u{e9}\u{20ac}\u{1f600} plain \u{e9}\u{20ac}\u{1f600} and \0 nul")
    for length in 0..<40 {
      let plain = String(repeating: "a", count: length)
      #expect(try Value(json: "\"\(plain)\\n\(plain)\"") == .string("\(plain)\n\(plain)"))
      #expect(try Value(json: "\"\(plain)ö\(plain)\"") == .string("\(plain)ö\(plain)"))
    }
  }

  @Test func keysKeepTheOrderOfTheText() throws {
    let value = try Value(json: #"{"z":1,"a":2,"m":{"y":1,"b":2}}"#)
    #expect(value.description == "{ z = 1, a = 2, m = { y = 1, b = 2 } }")
  }

  @Test func rowsOfOtherShapesThanTheRowBeforeAreReadAlike() throws {
    let text =
      #"[{"a":1,"b":2},{"a":1},{"a":1,"b":2,"c":3},{"b":1,"a":2},{"a":{"a":1},"b":[{}]},{"":0},"#
      + #"{"a\"b":1},{"a\"b":2},{"a":1,"b":2}]"#
    #expect(try Value(json: text).json() == text)
  }

  @Test func aKeyThatNeedsAnEscapeIsNotTakenForTextThatLooksLikeIt() throws {
    #expect(throws: JSONError.self) { try Value(json: #"[{"a\"b":1},{"a"b":1}]"#) }
    #expect(throws: JSONError.self) { try Value(json: #"[{"a\\b":1},{"a\b":1,"a\u0008":1}]"#) }
  }

  @Test func objectsOfManyKeysAreRead() throws {
    for count in [8, 9, 31, 32, 33, 34, 500] {
      let members = (0..<count).map { "\"key\($0)\":\($0)" }.joined(separator: ",")
      let value = try Value(json: "[{\(members)},{\(members)}]")
      #expect(value[1].object?.count == count)
      #expect(value[1]["key\(count - 1)"] == .integer(Int64(count - 1)))
      #expect(value.json() == "[{\(members)},{\(members)}]")
      #expect(throws: JSONError.self) { try Value(json: "{\(members),\"key3\":1}") }
    }
  }

  @Test func bytesOfAnySequenceAreRead() throws {
    let text = #"{"id":1,"title":"Mölk"}"#
    let expected: Value = ["id": 1, "title": "Mölk"]
    #expect(try Value(json: Array(text.utf8)) == expected)
    #expect(try Value(json: Array(text.utf8).lazy.map { $0 }) == expected)
    #expect(try Value(json: text.dropFirst(0)) == expected)
    #expect(try Value(json: "x[1]y".dropFirst().dropLast()) == [1])
  }

  @Test func nestingIsLimited() throws {
    let deep = { (n: Int) in
      String(repeating: "[", count: n) + String(repeating: "]", count: n)
    }
    #expect(try Value(json: deep(128)).depth == 128)
    let error = try #require(throws: JSONError.self) { try Value(json: deep(129)) }
    #expect(error.message == "more than 128 levels of arrays and objects")
    #expect(error.column == 129)
    #expect(throws: JSONError.self) { try Value(json: String(repeating: "[", count: 1_000_000)) }
    #expect(throws: JSONError.self) {
      try Value(json: String(repeating: "{\"a\":", count: 1_000_000))
    }
  }

  @Test(arguments: [
    ("", 1, 1, "unexpected end of input"),
    ("  ", 1, 3, "expected a value, found end of input"),
    ("[1,]", 1, 4, "expected a value, found ']'"),
    ("[1 2]", 1, 4, "expected ',' or ']', found '2'"),
    ("{\"a\" 1}", 1, 6, "expected ':', found '1'"),
    ("{a:1}", 1, 2, "expected a key in quotes, found 'a'"),
    ("{\"a\":1,}", 1, 8, "expected a key in quotes, found '}'"),
    ("{\"a\":1", 1, 7, "expected ',' or '}', found end of input"),
    ("{\n  \"a\": 1,\n  \"ö\": 2, \"a\": 3\n}", 3, 11, "duplicate key \"a\""),
    ("[1] x", 1, 5, "'x' after the end of the value"),
    ("01", 1, 1, "a number must not start with 0"),
    ("-", 1, 2, "expected a digit, found end of input"),
    ("+1", 1, 1, "expected a value, found '+'"),
    (".5", 1, 1, "expected a value, found '.'"),
    ("1.", 1, 3, "expected a digit after the point, found end of input"),
    ("1e+", 1, 4, "expected a digit of the exponent, found end of input"),
    ("[1e999]", 1, 2, "a number beyond the range of a double"),
    ("NaN", 1, 1, "expected a value, found 'N'"),
    ("tru", 1, 1, "expected a value, found 't'"),
    ("\"abc", 1, 5, "expected a closing quote, found end of input"),
    ("\"a\nb\"", 1, 3, "a line break in a string must be written as an escape"),
    ("\"\u{1}\"", 1, 2, "a control character (byte 1) in a string must be written as an escape"),
    (#""\x""#, 1, 2, "invalid escape in a string"),
    (#""\u12G4""#, 1, 2, "invalid escape in a string"),
    (#""\ud800""#, 1, 2, "a surrogate escape without its other half"),
    (#""\ude00""#, 1, 2, "a surrogate escape without its other half"),
    (#""\ud800\u0041""#, 1, 2, "a surrogate escape without its other half"),
    ("\u{feff}1", 1, 1, "a byte order mark before the value"),
    ("'a'", 1, 1, "expected a value, found '''"),
    ("[1]\u{a0}", 1, 4, "'\u{a0}' after the end of the value"),
  ])
  func errorsSayWhatAndWhere(text: String, line: Int, column: Int, message: String) throws {
    let error = try #require(throws: JSONError.self) { try Value(json: text) }
    #expect(error.message == message)
    #expect(error.line == line && error.column == column, "\(error)")
    #expect(error.description == "\(line):\(column): \(message)")
  }

  @Test(
    arguments: [
      [0x80], [0xC0, 0x80], [0xC3], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80],
      [0xF5, 0x80, 0x80, 0x80],
      [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0xFF],
    ] as [[UInt8]])
  func invalidUTF8IsRefused(bytes: [UInt8]) throws {
    let quote = UInt8(ascii: "\"")
    let error = try #require(throws: JSONError.self) {
      try Value(json: [quote, 0x61] + bytes + [quote])
    }
    #expect(error.message == "invalid UTF-8")
    #expect(error.offset == 2)
  }

  /// Whatever is cut off or changed, reading ends with a value or an error.
  @Test func damagedTextNeverDoesHarm() throws {
    let text = Array(
      #"{"a":[1,-2.5e3,{"b\n":"\ud83d\ude00é","c":null}],"d":{"e":true,"f":[[]]}}"#.utf8)
    for length in 0..<text.count {
      #expect(throws: JSONError.self) { try Value(json: text[..<length]) }
    }
    var random = SplitMix(seed: 3)
    for _ in 0..<20_000 {
      var damaged = text
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        damaged[Int.random(in: damaged.indices, using: &random)] =
          UInt8.random(in: .min ... .max, using: &random)
      }
      if let value = try? Value(json: damaged) {
        #expect(try Value(json: value.json()) == value)
      }
    }
  }
}
