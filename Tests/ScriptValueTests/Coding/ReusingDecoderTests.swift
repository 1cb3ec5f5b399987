import ScriptValue
import Synchronization
import Testing

/// What has not changed is not decoded again.
struct ReusingDecoderTests {
  /// Counts how often it is decoded.
  private struct Row: Decodable, Equatable, Identifiable, Sendable {
    static let decoded = TaskLocalCounter()
    var id: Int
    var title: String
    var tags: [String]

    private enum CodingKeys: CodingKey { case id, title, tags }

    init(from decoder: any Decoder) throws {
      Row.decoded.count()
      let container = try decoder.container(keyedBy: CodingKeys.self)
      id = try container.decode(Int.self, forKey: .id)
      title = try container.decode(String.self, forKey: .title)
      tags = try container.decodeIfPresent([String].self, forKey: .tags) ?? []
    }
  }

  private struct Feature: Decodable, Equatable, Sendable {
    var rows: [Row]
    var filter: String?
    var settings: Settings?
    var byName: [String: Row]?

    struct Settings: Decodable, Equatable, Sendable { var isOn: Bool }
  }

  private func row(_ id: Int) -> Value { ["id": Value(id), "title": .string("Row \(id)")] }

  private func rows(_ count: Int) -> Value { .array(Value.List((0..<count).map(row))) }

  /// Expects that `body` decodes so many rows.
  private func expectDecoding(
    _ count: Int, _ body: () throws -> Void, location: SourceLocation = #_sourceLocation
  ) throws {
    let decoded = try Row.decoded.during(body)
    #expect(decoded == count, sourceLocation: location)
  }

  @Test func anUnchangedValueIsNotDecodedAgain() throws {
    let decoder = ReusingDecoder<[Row]>()
    let value = rows(10)
    try expectDecoding(10) { _ = try decoder.decode(value) }
    try expectDecoding(0) { () throws in #expect(try decoder.decode(value).count == 10) }
  }

  @Test func oneChangedElementOfAnArrayIsDecoded() throws {
    let decoder = ReusingDecoder<Feature>()
    var value: Value = ["rows": rows(100), "filter": "all", "settings": ["isOn": true]]
    _ = try decoder.decode(value)
    value[at: "rows[40].title"] = "Other"
    try expectDecoding(1 + 100) {
      let feature = try decoder.decode(value)
      #expect(feature.rows[40].title == "Other")
      #expect(feature == (try value.decoded(as: Feature.self)))
    }
    value["filter"] = "active"
    try expectDecoding(0) { () throws in #expect(try decoder.decode(value).filter == "active") }
  }

  @Test func elementsThatMoveAreRecognized() throws {
    let decoder = ReusingDecoder<[Row]>()
    var list = try #require(rows(100).array)
    _ = try decoder.decode(.array(list))
    list.insert(row(1000), at: 0)
    list.remove(at: 50)
    try expectDecoding(1) { () throws in
      let expected = Array(list.map { $0["id"].int })
      #expect(try decoder.decode(.array(list)).map(\.id) == expected)
    }
    list.removeSubrange(10..<20)
    try expectDecoding(0) { () throws in #expect(try decoder.decode(.array(list)).count == 90) }
  }

  @Test func fieldsOfADictionaryAreRecognized() throws {
    let decoder = ReusingDecoder<Feature>()
    var value: Value = ["rows": [], "byName": ["a": row(1), "b": row(2)]]
    _ = try decoder.decode(value)
    value[at: "byName.a.title"] = "Other"
    try expectDecoding(1) { () throws in #expect(try decoder.decode(value).byName?["b"]?.id == 2) }
  }

  /// Random edits, after each of which a decoder that remembers makes what one makes that does not.
  @Test func theResultIsThatOfDecodingAnew() throws {
    var random = SystemRandomNumberGenerator()
    let decoder = ReusingDecoder<[Row]>()
    var list = try #require(rows(30).array)
    for step in 0..<500 {
      let index = Int.random(in: 0...list.count, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0: list.insert(row(1000 + step), at: index)
      case 1 where index < list.count: list.remove(at: index)
      case 2 where index < list.count: list[index]["title"] = .string("Step \(step)")
      case 3 where index < list.count: list.append(list.remove(at: index))
      case 4 where list.count > 20: list.removeSubrange(index / 2..<index)
      default: list.append(row(step))
      }
      let value = Value.array(list)
      #expect(try decoder.decode(value) == (try value.decoded(as: [Row].self)))
    }
  }

  @Test func whatWasMadeOutlivesAFailure() throws {
    let decoder = ReusingDecoder<[Row]>()
    let good = rows(10)
    var bad = good
    bad[at: "[3].title"] = .null
    _ = try decoder.decode(good)
    #expect(throws: ValueTypeError.self) { try decoder.decode(bad) }
    try expectDecoding(0) { _ = try decoder.decode(good) }
  }

  @Test func instancesOfClassesAreNotShared() throws {
    let decoder = ReusingDecoder<Holder>()
    var value: Value = ["box": ["n": 1], "other": 1]
    let first = try decoder.decode(value)
    value["other"] = 2
    let second = try decoder.decode(value)
    #expect(first.box !== second.box)
  }

  private struct Holder: Decodable, Sendable {
    final class Box: Decodable, Sendable {
      let n: Int
    }
    var box: Box
    var other: Int
  }

  // MARK: DecodedList

  @Test func aListDecodesWhatIsRead() throws {
    let decoder = ReusingDecoder<DecodedList<Row>>()
    var value = rows(1000)
    try expectDecoding(2) { () throws in
      let list = try decoder.decode(value)
      #expect(list.count == 1000)
      #expect(try list.item(5).title == "Row 5")
      #expect(try list[5].get().id == 5)
      #expect(try list.item(id: 700)?.title == "Row 700")
      #expect(try list.item(id: 7000) == nil)
    }
    value[at: "[5].title"] = "Other"
    try expectDecoding(1) { () throws in
      let list = try decoder.decode(value)
      #expect(try list.item(5).title == "Other")
      #expect(try list.item(700).title == "Row 700")
    }
  }

  @Test func aListIsAFieldOfAState() throws {
    struct Feature: Decodable, Sendable {
      var rows: DecodedList<Row>
      var maybe: DecodedList<Row>?
    }
    let decoder = ReusingDecoder<Feature>()
    var value: Value = ["rows": rows(10), "maybe": rows(10), "n": 1]
    let before = try decoder.decode(value)
    try expectDecoding(20) { _ = try (before.rows.items(), before.maybe?.items()) }
    value[at: "maybe[1].title"] = "Other"
    let after = try decoder.decode(value)
    try expectDecoding(1) { _ = try (after.rows.items(), after.maybe?.items()) }
    #expect(before.rows == after.rows)
    #expect(before.maybe != after.maybe)
    #expect(try before.maybe?.item(1).title == "Row 1")
  }

  @Test func aListOfScalars() throws {
    let list = try ReusingDecoder<DecodedList<String>>().decode(["a", "b", 3])
    #expect(try list.item(1) == "b")
    #expect(throws: ValueTypeError(path: "[2]", expected: "String", found: "an integer")) {
      try list.item(2)
    }
    #expect(try ReusingDecoder<DecodedList<Int>>().decode([]).isEmpty)
    #expect(try ReusingDecoder<DecodedList<Int>>().decode([:]).isEmpty)
  }

  @Test func readersOfOldVersionsDoNotFillTheMemory() throws {
    let decoder = ReusingDecoder<DecodedList<Row>>()
    var value = rows(10)
    var old = try decoder.decode(value)
    for step in 0..<300 {
      value[at: "[5].title"] = .string("Step \(step)")
      let new = try decoder.decode(value)
      #expect(try old.items().count == 10)
      #expect(try new.item(5).title == "Step \(step)")
      old = new
    }
  }

  // MARK: Errors

  private func error<T: Decodable & Sendable>(_ type: T.Type, _ value: Value) -> String? {
    do throws(ValueTypeError) {
      _ = try ReusingDecoder<T>().decode(value, at: "state")
      return nil
    } catch {
      return error.description
    }
  }

  private enum Color: String, Decodable { case red }

  @Test func errorsNamePathExpectationAndFinding() {
    #expect(
      error(Feature.self, ["rows": [row(1), ["id": 2, "title": nil]]])
        == "state.rows[1].title: expected String, found null")
    #expect(
      error(Feature.self, ["rows": [row(1), ["id": 2]]])
        == "state.rows[1].title: expected String, found nothing")
    #expect(
      error(Feature.self, ["rows": "none"]) == "state.rows: expected an array, found a string")
    #expect(error(Feature.self, 5) == "state: expected an object, found an integer")
    #expect(error(Int.self, nil) == "state: expected Int, found null")
    #expect(error(UInt8.self, 300) == "state: expected UInt8, found 300")
    #expect(error([Double].self, [1, true]) == "state[1]: expected Double, found a boolean")
    #expect(error([Int: Int].self, ["3": "x"]) == "state.3: expected Int, found a string")
    #expect(
      error([Color].self, ["red", "blue"])
        == "state[1]: expected a valid value, found a string (Cannot initialize Color from "
        + "invalid String value blue)")
  }

  @Test func anErrorOfAListThatIsReadLater() throws {
    let list = try ReusingDecoder<DecodedList<Row>>().decode([row(1), ["id": "x"]], at: "todos")
    #expect(try list.item(0).id == 1)
    #expect(throws: ValueTypeError(path: "todos[1].id", expected: "Int", found: "a string")) {
      try list.item(1)
    }
    guard case .failure(let error) = list[1] else {
      Issue.record("an element that does not fit was decoded")
      return
    }
    #expect("\(error)" == "todos[1].id: expected Int, found a string")
    #expect(throws: ValueTypeError.self) { try list.items() }
  }

  @Test func readersOnManyThreadsGetTheSame() async throws {
    let decoder = ReusingDecoder<[Row]>()
    let value = rows(50)
    await withTaskGroup(of: Int?.self) { group in
      for _ in 0..<20 { group.addTask { try? decoder.decode(value).count } }
      for await count in group { #expect(count == 50) }
    }
  }
}

/// Counts for the test that runs: tests run beside each other.
private final class TaskLocalCounter: Sendable {
  private final class Box: Sendable { let count = Atomic(0) }
  @TaskLocal private static var current: Box?

  func count() { TaskLocalCounter.current?.count.add(1, ordering: .relaxed) }

  func during(_ body: () throws -> Void) rethrows -> Int {
    let box = Box()
    try TaskLocalCounter.$current.withValue(box) { try body() }
    return box.count.load(ordering: .relaxed)
  }
}
