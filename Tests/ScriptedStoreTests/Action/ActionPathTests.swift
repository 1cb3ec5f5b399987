import LuaBridge
import ScriptedStore
import Testing

/// Actions as path strings.
struct ActionPathTests {
  @Test(
    arguments: [
      ("increment", nil, ["type": "increment"]),
      ("increment", ["by": 2], ["type": "increment", "by": 2]),
      ("increment", .object([:]), ["type": "increment"]),
      ("increment", [], ["type": "increment"]),
      ("increment", 5, ["type": "increment", "value": 5]),
      ("increment", .null, ["type": "increment", "value": nil]),
      ("increment", [1, 2], ["type": "increment", "value": [1, 2]]),
      ("settings.reset", nil, ["type": "settings", "action": ["type": "reset"]]),
      (
        "settings.rename", ["to": "x"],
        ["type": "settings", "action": ["type": "rename", "to": "x"]]
      ),
      ("todos[3].toggle", nil, ["type": "todos", "id": 3, "action": ["type": "toggle"]]),
      (
        "a.b[1].c", "v",
        ["type": "a", "action": ["type": "b", "id": 1, "action": ["type": "c", "value": "v"]]]
      ),
      (
        "a[1].b[2].c", nil,
        ["type": "a", "id": 1, "action": ["type": "b", "id": 2, "action": ["type": "c"]]]
      ),
      (
        "destination.dismiss", nil, ["type": "destination", "action": ["type": "dismiss"]]
      ),
      ("binding.user.name", "Blob", ["type": "binding", "key": "user.name", "value": "Blob"]),
      ("binding.user", ["a": 1], ["type": "binding", "key": "user", "value": ["a": 1]]),
      ("binding.user", .object([:]), ["type": "binding", "key": "user", "value": [:]]),
      (
        "form.binding.user", true,
        ["type": "form", "action": ["type": "binding", "key": "user", "value": true]]
      ),
      ("ünï-cödé 1", nil, ["type": "ünï-cödé 1"]),
    ] as [(String, Value?, Value)])
  func aPathStandsForATable(_ path: String, _ payload: Value?, _ table: Value) throws {
    let action = try Action(path: path, payload: payload)
    #expect(action.value == table)
    #expect(action.value.json() == table.json())
  }

  @Test(
    arguments: [
      ("3", 3), ("-3", -3), ("007", 7), ("9223372036854775807", .integer(.max)),
      ("9223372036854775808", "9223372036854775808"), ("+3", "+3"), ("3.0", "3.0"), ("-", "-"),
      ("--1", "--1"), ("abc", "abc"), ("a.b", "a.b"), (" 3", " 3"), ("\"3\"", "3"), ("\"\"", ""),
      ("\"*\"", "*"), ("\"a]b\"", "a]b"), ("\"\\\"\\u00e4\"", "\"ä"), ("\"\\\\\"", "\\"),
      ("٣", "٣"), ("a[b", "a[b"), ("1.5", 1.5), ("-0.25", -0.25), ("1e+100", 1e100),
      ("\"1.5\"", "1.5"),
      ("1.50", "1.50"), ("1e5", "1e5"), (".5", ".5"), ("1.2.3", "1.2.3"), ("inf", "inf"),
      ("nan", "nan"), ("0x1p-1", "0x1p-1"),
      ("00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000001"),
    ] as [(String, Value)])
  func bracketsHoldAnIntegerAJSONStringOrTheTextItself(_ text: String, _ id: Value) throws {
    let action = try Action(path: "rows[\(text)].go")
    #expect(action.value["id"].debugDescription == id.debugDescription)
    #expect(action.value["action"] == ["type": "go"])
  }

  @Test(arguments: [
    ("", "a type is missing"), (".", "a type is missing"), ("a.", "a type is missing"),
    (".a", "a type is missing"), ("a..b", "a type is missing"), ("[1].a", "a type is missing"),
    ("a[1]b", "there is a 'b' where"), ("a[1][2].b", "there is a '[' where"),
    ("a]", "there is a ']' where"), ("a[1", "a bracket is not closed"),
    ("a[", "a bracket is not closed"), ("a[].b", "the id in brackets is empty"),
    ("a[\"x].b", "is not a JSON string"), ("a[\"x\\q\"].b", "is not a JSON string"),
    ("a[\"x\"", "a bracket is not closed"), ("a[\"x\"y].b", "a bracket is not closed"),
    ("a[\"\\", "is not a JSON string"), ("todos[3]", "the element's action is missing"),
    ("todos[*].toggle", "more [*] than there are ids"),
  ]) func aMalformedPathIsRefusedWithTheReason(_ path: String, _ reason: String) {
    let error = #expect(throws: ActionError.self) { try Action(path: path) }
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    #expect(error?.message.contains("\"\(path)\"") == true, "\(error?.message ?? "")")
  }

  /// By characters, what combines with a dot, a bracket or a quote would be one with it.
  @Test func whatCombinesWithADotOrABracketDoesNotHideIt() throws {
    let mark = "\u{301}"
    let action = try Action(path: "a.\(mark)b[\(mark)x].\(mark)c")
    #expect(
      action.value == [
        "type": "a",
        "action": [
          "type": .string(mark + "b"), "id": .string(mark + "x"),
          "action": ["type": .string(mark + "c")],
        ],
      ])
    #expect(action.path == "a.\(mark)b[\(mark)x].\(mark)c")
    for id in [mark, "]\(mark)", "\"\(mark)", "*\(mark)", "\\\(mark)", "1\(mark)", "\r\n"] {
      let action = try Action(["type": "rows", "id": .string(id), "action": ["type": "go"]])
      #expect(try Action(path: action.path) == action, "\(action.path)")
    }
    for path in ["a\(mark).b]", "a[x]\(mark).b", "a[\"x\"\(mark)].b"] {
      #expect(throws: ActionError.self) { try Action(path: path) }
    }
  }

  @Test(
    arguments: [
      ("", "", nil, true, ""), ("a", "a", nil, true, ""), ("a.b[1]", "a", nil, true, ".b[1]"),
      ("a[", "a", "", false, ""), ("a[x y", "a", "x y", false, ""),
      ("a[x.y].b", "a", "x.y", true, ".b"), ("a[*]", "a", "*", true, ""),
      ("a[\"x].b", "a", "\"x].b", false, ""), ("a[\"x\"", "a", "\"x\"", false, ""),
      ("a[\"]\\\"]\"].b", "a", "\"]\\\"]\"", true, ".b"),
      ("a[\"x\"y].b", "a", "\"x\"y", true, ".b"),
      ("a[\u{301}x]\u{301}", "a", "\u{301}x", true, "\u{301}"), ("a]b", "a", nil, true, "]b"),
    ] as [(String, String, String?, Bool, String)])
  func aSegmentOfATextThatIsNoPathYetIsReadAsThatOfAPath(
    _ text: String, _ name: String, _ id: String?, _ isClosed: Bool, _ rest: String
  ) {
    let segment = SegmentText(text.unicodeScalars[...])
    #expect(String(segment.name) == name)
    #expect(segment.id.map { String($0) } == id)
    #expect(segment.isClosed == isClosed)
    #expect(String(segment.rest) == rest)
  }

  @Test(arguments: [
    ("a 1", "a"), ("a[x y].b 1", "a[x y].b"), ("a[\"] \"].b 1", "a[\"] \"].b"), (" a", ""),
    ("a[x y", "a[x y"), ("a[\u{301} x].b 1", "a[\u{301} x].b"), ("a[x]\u{301} 1", "a[x]\u{301}"),
  ]) func aBlankInBracketsEndsNoPath(_ text: String, _ path: String) {
    let end = SegmentText.end(of: text) { $0 == " " }
    #expect(text[..<end] == path)
  }

  @Test(arguments: ["type", "action"])
  func aPayloadMayNotNameWhatTheActionIs(_ field: String) {
    let error = #expect(throws: ActionError.self) {
      try Action(path: "go", payload: [field: "x"])
    }
    #expect(error?.message == "the payload of go may not have a field '\(field)'")
    // Deeper down it may.
    #expect(throws: Never.self) { try Action(path: "go", payload: ["in": [field: "x"]]) }
  }

  @Test func aPathThatNestsTooDeepIsRefused() throws {
    let deepest = Array(repeating: "a", count: 128).joined(separator: ".")
    #expect(try Action(path: deepest).path == deepest)
    let error = #expect(throws: ActionError.self) { try Action(path: deepest + ".a") }
    #expect(error?.message.contains("128") == true)
  }

  @Test func aPayloadThatNestsTooDeepIsRefused() throws {
    let payload = try Value(
      json: String(repeating: "[", count: 128) + String(repeating: "]", count: 128))
    let error = #expect(throws: ActionError.self) { try Action(path: "go", payload: payload) }
    #expect(error?.message.contains("128") == true)
    #expect(throws: ActionError.self) { try Action(path: "binding.x", payload: payload) }
    #expect(throws: Never.self) { try Action(path: "go", payload: payload[0]) }
    #expect(throws: ActionError.self) { try Action(path: "a.go", payload: payload[0]) }
    // An object's fields take the place of the action's own.
    let object = try Value(
      json: String(repeating: "{\"a\":", count: 128) + "1" + String(repeating: "}", count: 128))
    #expect(throws: Never.self) { try Action(path: "go", payload: object) }
    #expect(throws: ActionError.self) { try Action(path: "a.go", payload: object) }
  }

  @Test(
    arguments: [
      1, -1, 1.5, -0.1, 2.0, 1e100, 1e-7, 9e18, "1.5", "2.0", "1e+100", "3", "*", "a]b", "", "é",
    ] as [Value])
  func theTextOfAnIdIsReadBackAsThatId(_ id: Value) throws {
    let action = try Action(["type": "rows", "id": id, "action": ["type": "go"]])
    #expect(try Action(path: action.path) == action, "\(action.path)")
  }
}
