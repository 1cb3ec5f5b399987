import ScriptValue
import Testing

/// Value.
struct ValueTests {
  @Test func numbersAreEqualByValueWhateverTheirKindExactly() {
    #expect(Value.integer(1) == .float(1))
    #expect(Value.float(-0.0) == .integer(0))
    #expect(Value.integer(1) != .float(1.5))
    let big: Int64 = 1 << 53
    #expect(Value.integer(big) == .float(9_007_199_254_740_992))
    #expect(Value.integer(big + 1) != .float(9_007_199_254_740_992))
    #expect(Value.integer(.max) != .float(9_223_372_036_854_775_808))
    #expect(Value.integer(.min) == .float(-9_223_372_036_854_775_808))
    #expect(Value.boolean(true) != .integer(1))
    #expect(Value.null != .boolean(false))
  }

  @Test func equalValuesHaveEqualHashes() {
    let pairs: [(Value, Value)] = [
      (1, 1.0), (.float(0), .float(-0.0)), ([], [:]),
      (["a": 1, "b": [1.0]], ["b": [1], "a": 1.0]),
      (.string("é"), .string("é")),
    ]
    for (a, b) in pairs {
      #expect(a == b)
      #expect(a.hashValue == b.hashValue)
    }
    #expect(Set<Value>([1, 1.0, "1", [], [:], .null]).count == 4)
  }

  @Test func stringsAreEqualByBytesAsInLuaAlsoInsideContainers() {
    let composed: Value = "\u{E9}"
    let decomposed: Value = "e\u{301}"
    #expect(composed != decomposed)
    #expect(Value.array([composed]) != [decomposed])
    #expect(Value.object([("k", composed)].asObject) != ["k": decomposed])
  }

  @Test func allEmptyContainersAreEqualAndUnlikeAnythingElse() {
    #expect(Value.array([]) == .object([:]))
    #expect(Value.array([.array([])]) == [[:]])
    #expect(Value.array([]) != .null)
    #expect(Value.array([]) != [1])
    #expect(Value.array([]).object?.isEmpty == true)
    #expect(Value.object([:]).array?.isEmpty == true)
    var emptied: Value.Object = ["a": 1]
    emptied["a"] = nil
    #expect(Value.object(emptied) == [])
  }

  @Test func objectsKeepTheOrderOfInsertionAndAreEqualWhateverItIs() {
    var object: Value.Object = ["b": 1, "a": 2]
    object["c"] = 3
    object["b"] = 4
    #expect(Array(object.keys) == ["b", "a", "c"])
    #expect(Array(object.values) == [4, 2, 3])
    #expect(object == ["a": 2, "c": 3, "b": 4])
    #expect(object != ["a": 2, "c": 3])
    #expect(object != ["a": 2, "c": 3, "d": 4])
    #expect(object.removeValue(forKey: "a") == 2)
    #expect(object.removeValue(forKey: "a") == nil)
    #expect(Array(object.keys) == ["b", "c"])
  }

  @Test(arguments: [2, 40])
  func ofAKeyThatOccursTwiceTheLastValueWinsAtTheFirstPlace(count: Int) {
    var pairs = (0..<count).map { (key: "k\($0)", value: Value.integer(Int64($0))) }
    pairs.append((key: "k1", value: "last"))
    let object = Value.Object(pairs)
    #expect(object.count == count)
    #expect(object["k1"] == "last")
    #expect(Array(object.keys) == (0..<count).map { "k\($0)" })
  }

  @Test func flatObjectsAndDictionariesWithTheSamePairsAreEqualAndDifferByOneValue() {
    let pairs = (0..<100).map { (key: "key \($0)", value: Value.integer(Int64($0))) }
    let forward = Value.Object(pairs)
    var backward = Value.Object(pairs.reversed())
    #expect(forward == backward)
    #expect(Value.object(forward).hashValue == Value.object(backward).hashValue)
    backward["key 50"] = 0
    #expect(forward != backward)
    var small = forward
    for index in 20..<100 { small["key \(index)"] = nil }
    #expect(small == Value.Object(pairs.prefix(20)))
    #expect(Value.Object(pairs.prefix(20)) == small)
    #expect(small.map(\.key) == pairs.prefix(20).map(\.key))
    #expect(forward.count == 100 && forward["key 99"] == 99)
  }

  @Test func aCopyDoesNotSeeLaterWrites() {
    var value: Value = ["todos": [["id": 1, "title": "Milk"], ["id": 2, "title": "Bread"]]]
    let snapshot = value
    value["todos"][0]["title"] = "Oats"
    value["todos"][2] = ["id": 3]
    value["filter"] = "all"
    #expect(snapshot == ["todos": [["id": 1, "title": "Milk"], ["id": 2, "title": "Bread"]]])
    #expect(
      value == [
        "todos": [["id": 1, "title": "Oats"], ["id": 2, "title": "Bread"], ["id": 3]],
        "filter": "all",
      ])
  }

  @Test func whatIsAbsentReadsAsNullAndExistsTellsTheTwoApart() {
    let value: Value = ["a": [nil, 1], "b": nil]
    #expect(value["a"][0].isNull && value["a"][5].isNull && value["x"]["y"][0].isNull)
    #expect(value.exists(at: "a[0]") && value.exists(at: "b"))
    #expect(!value.exists(at: "a[2]") && !value.exists(at: "c") && !value.exists(at: "b.c"))
    #expect(value.get("a[1]") == 1 && value.get("a[2]") == nil)
    #expect(value[at: "a[1]"] == 1)
    #expect(value.get("") == value)
  }

  @Test func writingToAPathMakesWhatIsMissingAndRefusesWhatDoesNotFit() throws {
    var value: Value = [:]
    try value.set(1, at: "a.b.c")
    try value.set("x", at: "list[0].name")
    #expect(value == ["a": ["b": ["c": 1]], "list": [["name": "x"]]])
    let before = value
    for (path, place) in [
      ("a.b.c.d", "a.b.c.d"), ("list.name", "list.name"), ("list[3]", "list[3]"), ("a[0]", "a[0]"),
    ] {
      let error = #expect(throws: ValuePathError.self) { try value.set(1, at: ValuePath(path)) }
      #expect(error?.path == place)
    }
    #expect(value == before)
    #expect(value.remove(at: "list[0].name") == "x")
    #expect(value.remove(at: "list[7]") == nil && value.remove(at: "") == nil)
    #expect(value == ["a": ["b": ["c": 1]], "list": [[:]]])
  }

  @Test func typedAccessorsGiveWhatFitsAndNilOtherwise() {
    #expect(Value.integer(3).int == 3 && Value.float(3).int == 3 && Value.float(3.5).int == nil)
    #expect(Value.float(1e300).int == nil)
    #expect(Value.integer(3).double == 3 && Value.float(0.5).double == 0.5)
    #expect(Value.string("x").string == "x" && Value.null.string == nil)
    #expect(Value.boolean(true).bool == true && Value.integer(1).bool == nil)
    #expect(Value.array([1]).array == [1] && Value.array([1]).object == nil)
    #expect(Value.object(["a": 1]).object == ["a": 1] && Value.object(["a": 1]).array == nil)
  }

  @Test func numbersThatAreNotFiniteAreKeptAsNull() {
    let list: Value.List = [.float(.nan), .float(.infinity), .float(1)]
    #expect(list == [.null, .null, 1])
  }

  @Test func valuesNest128DeepAndAWriteThatWouldGoDeeperIsRefused() throws {
    var value: Value = 1
    for _ in 0..<128 { value = [value] }
    #expect(value.depth == 128)
    var object: Value = [:]
    #expect(throws: ValuePathError.self) { try object.set(value, at: "deep") }
    #expect(object == [:])
    // What was deep once and is no longer may be put in again.
    value[0] = 1
    #expect(value.depth == 1)
    try object.set(value, at: "shallow")
    #expect(object == ["shallow": [1]])
  }

  @Test func valuesReadAsLuaSource() {
    let value: Value = [
      "id": 1, "title": "Say \"hi\"\n\u{1}", "ratio": 1.0, "odd key": true, "end": nil,
      "list": [1, 2.5, "x", []], "1a": false, "": 0,
    ]
    #expect(
      value.description == #"""
        { id = 1, title = "Say \"hi\"\n\001", ratio = 1.0, ["odd key"] = true, ["end"] = null, list = { 1, 2.5, "x", {} }, ["1a"] = false, [""] = 0 }
        """#)
    #expect(String(reflecting: value["list"]) == #"{ 1, 2.5, "x", {} }"#)
    #expect(Value.float(1e100).description == "1e+100")
    #expect(Value.string("é☃").description == "\"é☃\"")
  }

  @Test func aPreviewIsCutWhereItIsTooLongAndOnlyThere() {
    let russian = String(repeating: "ж", count: 60)
    #expect(ValuePreview.text(of: .string(russian), width: 80) == "\"\(russian)\"")
    #expect(ValuePreview.text(of: "123456789", width: 8) == "\"12345678\"…")
    // To Swift this is one character.
    let stacked = "e" + String(repeating: "\u{301}", count: 1000)
    #expect(ValuePreview.text(of: .string(stacked), width: 8).unicodeScalars.count == 11)
    #expect(ValuePreview.text(of: [stacked: 1], width: 8).unicodeScalars.count == 17)
  }
}

extension [(String, Value)] {
  fileprivate var asObject: Value.Object { Value.Object(lazy.map { (key: $0.0, value: $0.1) }) }
}
