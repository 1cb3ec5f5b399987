import Foundation
import ScriptValue
import Testing

@Suite struct ValueCodingTests {
  private struct Todo: Codable, Equatable {
    var id: Int
    var title: String
    var weight: Double
    var isComplete: Bool
    var note: String?
    var tags: [String]
  }

  private enum Filter: String, Codable { case all, active }

  private struct Feature: Codable, Equatable {
    var todos: [Todo]
    var filter: Filter
    var counts: [String: Int]
    var selection: Selection

    enum Selection: Codable, Equatable {
      case none
      case row(id: Int)
      case rows([UInt8])
    }
  }

  private let feature = Feature(
    todos: [
      Todo(id: 1, title: "Milk", weight: 1, isComplete: false, note: nil, tags: []),
      Todo(id: 2, title: "Mölk\n", weight: 0.1, isComplete: true, note: "n", tags: ["a", "b"]),
    ],
    filter: .active, counts: ["b": 2, "a": 1, "c": 3], selection: .row(id: 2))

  @Test func propertiesBecomeMembersInTheirOrder() throws {
    let value = try ValueEncoder().encode(feature)
    #expect(
      value.json()
        == #"{"todos":[{"id":1,"title":"Milk","weight":1.0,"isComplete":false,"tags":[]},"#
        + #"{"id":2,"title":"Mölk\n","weight":0.1,"isComplete":true,"note":"n","tags":["a","b"]}],"#
        + #""filter":"active","counts":{"a":1,"b":2,"c":3},"selection":{"row":{"id":2}}}"#)
  }

  /// The same pairs after other insertions and with other capacities, which makes Swift's own order another.
  private func histories<Key: Hashable, Element>(
    _ pairs: [(Key, Element)]
  ) -> [[Key: Element]] {
    [0, 64, 1000, 5000].flatMap { capacity in
      [pairs, pairs.reversed()].map { pairs in
        var dictionary = [Key: Element](minimumCapacity: capacity)
        for (key, element) in pairs { dictionary[key] = element }
        return dictionary
      }
    }
  }

  @Test func aDictionaryWithNumbersForKeysIsAnObjectInTheOrderOfTheirNames() throws {
    struct Scores: Codable, Equatable { var byRound: [Int: String] }
    let pairs = (-20..<80).map { ($0, "round \($0)") }
    for byRound in histories(pairs) {
      let scores = Scores(byRound: byRound)
      let value = try ValueEncoder().encode(scores)
      let object = try #require(value["byRound"].object)
      #expect(object.map(\.key) == pairs.map { String($0.0) }.sorted())
      #expect(try ValueDecoder().decode(Scores.self, from: value) == scores)
      #expect(try ValueDecoder().decode(Scores.self, from: Value(json: value.json())) == scores)
    }
  }

  @Test func whatElseHasNoOrderIsEncodedInOneThatStays() throws {
    struct Cell: Codable, Hashable { var x, y: Int }
    let numbers = (-20..<80).map { Int64($0) }
    for dictionary in histories(numbers.map { ($0, "\($0)") }) {
      let value = try ValueEncoder().encode(dictionary)
      #expect(
        value == .array(Value.List(numbers.flatMap { [.integer($0), .string("\($0)")] })))
      #expect(try ValueDecoder().decode([Int64: String].self, from: value) == dictionary)
      let set = Set(dictionary.keys)
      #expect(try ValueEncoder().encode(set) == .array(Value.List(numbers.map { .integer($0) })))
    }
    let cells = (0..<100).map { Cell(x: $0 % 10, y: $0 / 10) }
    let texts = try Set(
      histories(cells.map { ($0, 1) }).map { try ValueEncoder().encode($0).json() })
    #expect(texts.count == 1)
    #expect(texts.first?.hasPrefix(#"[{"x":0,"y":0},1,{"x":0,"y":1},1,"#) == true)
  }

  @Test func aValueEncodesAndDecodesItself() throws {
    let value = try Value(encoding: feature)
    #expect(value["todos"][0]["title"] == "Milk")
    #expect(try value.decoded(as: Feature.self) == feature)
    let ids: [Int] = try Value(encoding: [1, 2]).decoded()
    #expect(ids == [1, 2])
    #expect(throws: DecodingError.self) { try value.decoded(as: [Int].self) }
  }

  @Test func whatWasEncodedDecodes() throws {
    for selection in [Feature.Selection.none, .row(id: 7), .rows([1, 2]), .rows([])] {
      var feature = feature
      feature.selection = selection
      let value = try ValueEncoder().encode(feature)
      #expect(try ValueDecoder().decode(Feature.self, from: value) == feature)
      let read = try Value(json: value.json())
      #expect(try ValueDecoder().decode(Feature.self, from: read) == feature)
    }
  }

  /// The forms that scripts have for them: `deps.date.now()` is the seconds since 1970.
  @Test func datesDurationsURLsAndDataAreScalars() throws {
    struct Visit: Codable, Equatable {
      var at = Date(timeIntervalSince1970: 12.5)
      var all = [Date(timeIntervalSince1970: 0), nil]
      var byName = ["a": Date(timeIntervalSince1970: -1)]
      var lasted = Duration.milliseconds(1500)
      // Its attoseconds do not fit 64 bits.
      var limit: Duration? = .seconds(3600)
      var page = URL(string: "https://example.org/a?b=c")
      var next: URL?
      var body = Data("hé".utf8)
      var none = Data()
    }
    let value = try ValueEncoder().encode(Visit())
    #expect(
      value == [
        "at": 12.5, "all": [0, nil], "byName": ["a": -1], "lasted": 1.5, "limit": 3600,
        "page": "https://example.org/a?b=c", "body": "hé", "none": "",
      ])
    #expect(try value.decoded(as: Visit.self) == Visit())
    #expect(try ReusingDecoder<Visit>().decode(Value(json: value.json())) == Visit())
    #expect(try Value(encoding: Date(timeIntervalSince1970: 3)) == 3)
    #expect(try Value.integer(0).decoded(as: Date.self) == Date(timeIntervalSince1970: 0))
    #expect(try Value.string("a").decoded(as: Data?.self) == Data("a".utf8))
  }

  @Test func aTimeOfAScriptComesBackAsItWas() throws {
    for seconds in [1_700_000_000.123456, 1_700_000_000, 4_102_444_800.75] {
      #expect(try Value(encoding: Value.float(seconds).decoded(as: Date.self)) == .float(seconds))
    }
  }

  @Test func whatIsNoDateDurationURLOrDataIsRefused() throws {
    struct Visit: Codable {
      var at: Date?
      var lasted: Duration?
      var page: URL?
      var body: Data?
    }
    func failure(_ value: Value) throws -> String {
      let error = #expect(throws: ValueTypeError.self) { try ReusingDecoder<Visit>().decode(value) }
      return try "\(#require(error))"
    }
    #expect(try failure(["at": "today"]) == "at: expected Date, found a string")
    #expect(try failure(["lasted": 1e300]) == "lasted: expected Duration, found 1e+300")
    #expect(try failure(["page": 3]) == "page: expected URL, found an integer")
    #expect(try failure(["page": ""]).hasPrefix("page: expected URL, found "))
    #expect(try failure(["body": 3]) == "body: expected Data, found an integer")

    let error = #expect(throws: EncodingError.self) {
      try Value(encoding: Visit(body: Data([0x61, 0xFF])))
    }
    guard case .invalidValue(_, let context) = error else { return }
    #expect(context.codingPath.map(\.stringValue) == ["body"])
    #expect(context.debugDescription.hasSuffix("store data.base64EncodedString()"))
    #expect(throws: EncodingError.self) {
      try Value(encoding: Date(timeIntervalSince1970: .infinity))
    }
  }

  /// Before it became a string, `Data` was a list, which files may still have.
  @Test func dataDecodesFromAListOfBytes() throws {
    #expect(try ([1, 2, 255] as Value).decoded(as: Data.self) == Data([1, 2, 255]))
  }

  @Test func otherTypesOfFoundationGoByTheirOwnCoding() throws {
    struct Mixed: Codable, Equatable {
      var id = UUID()
      var decimal = Decimal(string: "1.25")
      var optionals: [Int?] = [1, nil]
      var byNumber: [Int: String] = [1: "a"]
      var large: UInt64 = 1 << 62
      var small: Int8 = -5
      var single: Float = 0.1
    }
    let mixed = Mixed()
    let value = try ValueEncoder().encode(mixed)
    #expect(value["optionals"] == [1, nil])
    #expect(value["byNumber"] == ["1": "a"])
    #expect(try ValueDecoder().decode(Mixed.self, from: value) == mixed)
  }

  @Test func scalarsAndArraysMayBeTheRoot() throws {
    #expect(try ValueEncoder().encode(1) == 1)
    #expect(try ValueEncoder().encode("a") == "a")
    #expect(try ValueEncoder().encode([true, false]) == [true, false])
    #expect(try ValueEncoder().encode(Int?.none) == .null)
    #expect(try ValueDecoder().decode(Int?.self, from: .null) == nil)
    #expect(try ValueDecoder().decode([Int].self, from: [1, 2]) == [1, 2])
    #expect(try ValueDecoder().decode(String.self, from: "a") == "a")
  }

  @Test func numbersAreExact() throws {
    #expect(try ValueDecoder().decode(Int.self, from: 2.0) == 2)
    #expect(try ValueDecoder().decode(Double.self, from: 2) == 2)
    #expect(throws: DecodingError.self) { try ValueDecoder().decode(Int.self, from: 2.5) }
    #expect(throws: DecodingError.self) { try ValueDecoder().decode(UInt8.self, from: 256) }
    #expect(throws: DecodingError.self) { try ValueDecoder().decode(UInt.self, from: -1) }
    #expect(throws: DecodingError.self) {
      try ValueDecoder().decode(Double.self, from: 9_007_199_254_740_993)
    }
    #expect(throws: DecodingError.self) { try ValueDecoder().decode(Float.self, from: 1e300) }
    #expect(throws: DecodingError.self) { try ValueDecoder().decode(Bool.self, from: 1) }
    #expect(try ValueEncoder().encode(Int64.min) == .integer(.min))
  }

  @Test func theEmptyTableIsBothKindsOfContainer() throws {
    struct Nothing: Codable, Equatable { var a: Int? }
    #expect(try ValueDecoder().decode([Int].self, from: [:]) == [])
    #expect(try ValueDecoder().decode([String: Int].self, from: []) == [:])
    #expect(try ValueDecoder().decode(Nothing.self, from: []) == Nothing())
  }

  @Test func errorsSayWhere() throws {
    struct Rows: Codable { var rows: [[String: Double]] }
    let encoding = try #require(throws: EncodingError.self) {
      try ValueEncoder().encode(Rows(rows: [["x": 1], ["y": .nan]]))
    }
    guard case .invalidValue(_, let context) = encoding else { return }
    #expect(context.codingPath.map(\.stringValue) == ["rows", "Index 1", "y"])
    let decoding = try #require(throws: DecodingError.self) {
      try ValueDecoder().decode(Rows.self, from: ["rows": [["x": 1], ["y": "1"]]])
    }
    guard case .typeMismatch(_, let context) = decoding else {
      Issue.record("\(decoding)")
      return
    }
    #expect(context.codingPath.map(\.stringValue) == ["rows", "Index 1", "y"])
    #expect(context.debugDescription == "expected a number, found a string")
    let missing = try #require(throws: DecodingError.self) {
      try ValueDecoder().decode(Rows.self, from: ["row": []])
    }
    guard case .keyNotFound(let key, _) = missing else {
      Issue.record("\(missing)")
      return
    }
    #expect(key.stringValue == "rows")
  }

  @Test func whatIsNotStateIsRefused() {
    #expect(throws: EncodingError.self) { try ValueEncoder().encode(Double.infinity) }
    #expect(throws: EncodingError.self) { try ValueEncoder().encode([Float.nan]) }
    #expect(throws: EncodingError.self) { try ValueEncoder().encode(Value.float(.nan)) }
    #expect(throws: EncodingError.self) { try ValueEncoder().encode(UInt64.max) }
    #expect(throws: EncodingError.self) { try JSONEncoder().encode(Value.float(.nan)) }
  }

  @Test func nestingIsLimited() throws {
    final class Nest: Encodable {
      let depth: Int
      init(_ depth: Int) { self.depth = depth }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        if depth > 1 { try container.encode(Nest(depth - 1)) }
      }
    }
    #expect(try ValueEncoder().encode(Nest(128)).depth == 128)
    #expect(throws: EncodingError.self) { try ValueEncoder().encode(Nest(129)) }
    #expect(throws: EncodingError.self) { try ValueEncoder().encode(Nest(100_000)) }
    let deep = try ValueEncoder().encode(Nest(128))
    #expect(throws: EncodingError.self) { try ValueEncoder().encode(["a": deep]) }
    let text = String(repeating: "[", count: 140) + String(repeating: "]", count: 140)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Value.self, from: Data(text.utf8))
    }
  }

  @Test func aValuePassesThroughEveryCoder() throws {
    struct Envelope: Codable, Equatable { var payload: Value }
    let text = #"{"a":[1,2.5,"x",null,true,[],{}],"b":{"c":-1}}"#
    let envelope = Envelope(payload: try Value(json: text))
    let value = try ValueEncoder().encode(envelope)
    #expect(value["payload"].json() == text)
    #expect(try ValueDecoder().decode(Envelope.self, from: value) == envelope)
    let data = try JSONEncoder().encode(envelope)
    #expect(try JSONDecoder().decode(Envelope.self, from: data) == envelope)
    let list = try PropertyListEncoder().encode(Envelope(payload: [1, "a", ["b": 2.5]]))
    #expect(
      try PropertyListDecoder().decode(Envelope.self, from: list).payload == [1, "a", ["b": 2.5]])
  }

  @Test func classesThatInheritKeepBothParts() throws {
    class Base: Codable {
      var a = 1
      init() {}
    }
    final class Derived: Base {
      var b = 2
      enum CodingKeys: CodingKey { case b }
      override init() { super.init() }
      required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try super.init(from: container.superDecoder())
        b = try container.decode(Int.self, forKey: .b)
      }
      override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try super.encode(to: container.superEncoder())
        try container.encode(b, forKey: .b)
      }
    }
    let derived = Derived()
    derived.a = 5
    derived.b = 6
    let value = try ValueEncoder().encode(derived)
    #expect(value == ["super": ["a": 5], "b": 6])
    let read = try ValueDecoder().decode(Derived.self, from: value)
    #expect(read.a == 5 && read.b == 6)
  }
}
