import ScriptValue
import Testing

@Suite struct JSONWritingTests {
  @Test(arguments: [
    "null", "true", "false", "0", "-1", "9223372036854775807", "-9223372036854775808", "10", "99",
    "100", "1.0", "-0.0", "1e+16", "0.1", "5e-324", "\"\"", "[]", "{}", "[[],{},[{}]]",
    #"{"id":1,"title":"Milk","tags":["a","b"],"done":false,"weight":1.0}"#,
    #""\"\\\n\r\t\b\f\u0000\u001f / é€😀""#,
  ])
  func textComesBackAsItWas(text: String) throws {
    #expect(try Value(json: text).json() == text)
  }

  @Test func everyNumberOfDigitsIsWritten() {
    var number: Int64 = 1
    for digits in 1...18 {
      #expect(Value.integer(number).json() == "\(number)")
      #expect(Value.integer(number * 10 - 1).json() == String(repeating: "9", count: digits))
      #expect(Value.integer(-number).json() == "\(-number)")
      number *= 10
    }
  }

  @Test func stringsOfEveryLengthAreWritten() {
    for length in 0..<40 {
      let plain = String(repeating: "x", count: length)
      #expect(Value.string(plain).json() == "\"\(plain)\"")
      #expect(Value.string(plain + "\"" + plain).json() == "\"\(plain)\\\"\(plain)\"")
      #expect(Value.string(plain + "é").json() == "\"\(plain)é\"")
    }
  }

  @Test func emptyTablesKeepWhatTheyWere() throws {
    #expect(Value.array([]).json() == "[]")
    #expect(Value.object([:]).json() == "{}")
    var value: Value = ["list": [1], "map": ["a": 1]]
    value.remove(at: "list[0]")
    value.remove(at: "map.a")
    #expect(value.json() == #"{"list":[],"map":{}}"#)
  }

  @Test func prettyTextHasALineForEachElement() throws {
    let value = try Value(json: #"{"a":[1,{"b":null}],"c":[],"d":{}}"#)
    let text = """
      {
        "a": [
          1,
          {
            "b": null
          }
        ],
        "c": [],
        "d": {}
      }
      """
    #expect(value.json(.pretty) == text)
    #expect(try Value(json: text) == value)
  }

  @Test func textIsAppendedToABuffer() {
    var buffer = Array("data: ".utf8)
    Value.array([1, "a"]).appendJSON(to: &buffer)
    #expect(String(decoding: buffer, as: UTF8.self) == #"data: [1,"a"]"#)
    #expect(Value.array([1]).withJSON { $0.count } == 3)
  }

  @Test func numbersThatAreNotStateBecomeNull() {
    #expect(Value.float(.nan).json() == "null")
    #expect(Value.float(-.infinity).json() == "null")
  }

  @Test func manyRowsAndManyKeysComeBack() throws {
    let rows = (1...1000).map {
      #"{"id":\#($0),"title":"row \#($0)","isComplete":\#($0 % 3 == 0)}"#
    }
    let text = "[" + rows.joined(separator: ",") + "]"
    #expect(try Value(json: text).json() == text)
    let members = (0..<1000).map { "\"k\($0)\":[\($0)]" }.joined(separator: ",")
    var value = try Value(json: "{\(members)}")
    #expect(value.json() == "{\(members)}")
    value.remove(at: "k0")
    #expect(value.json() == "{\(members.dropFirst("\"k0\":[0],".count))}")
  }
}
