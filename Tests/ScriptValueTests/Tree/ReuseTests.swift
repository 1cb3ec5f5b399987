import ScriptValue
import Testing

/// A value that is made again shares its equal parts with the one before.
struct ReuseTests {
  /// The same value of nodes of its own.
  private func copy(_ value: Value) throws -> Value { try Value(json: value.json()) }

  private let state: Value = [
    "title": "Todos",
    "rows": [["id": 1, "tags": ["a", "b"]], ["id": 2, "tags": ["c"]], ["id": 3, "tags": []]],
    "filter": ["name": "all", "options": [1, 2, 3]],
  ]

  @Test func aValueThatIsEqualBecomesTheOldOne() throws {
    #expect(try copy(state).reusing(state).isIdentical(to: state))
  }

  @Test func whatHasNotChangedBesideAChangeIsShared() throws {
    var new = try copy(state)
    new["filter"]["name"] = "active"
    let result = new.reusing(state)
    #expect(result == new)
    #expect(result["rows"].isIdentical(to: state["rows"]))
    #expect(result["filter"]["options"].isIdentical(to: state["filter"]["options"]))
  }

  @Test func rowsAreFoundByTheirIdsWhenTheyHaveMoved() throws {
    var new = try copy(state)
    new["rows"] = [["id": 9], new["rows"][2], new["rows"][0]]
    let result = new.reusing(state)
    #expect(result == new)
    #expect(result["rows"][1].isIdentical(to: state["rows"][2]))
    #expect(result["rows"][2].isIdentical(to: state["rows"][0]))
  }

  @Test func oneChangedRowOfManyLeavesTheNodesOfTheListToBothVersions() throws {
    let old = Value.List((0..<10_000).map { ["id": .integer($0)] })
    var new = try #require(try copy(.array(old)).array)
    new[5000]["x"] = 1
    let result = try #require(Value.array(new).reusing(.array(old)).array)
    #expect(result == new)
    #expect(result.hunks(from: old).count == 1)
    #expect((0..<5000).allSatisfy { result[$0].isIdentical(to: old[$0]) })
  }

  @Test func numbersKeepTheirSubtype() throws {
    let result = (["x": 1.0] as Value).reusing(["x": 1])
    #expect(result.json() == #"{"x":1.0}"#)
  }

  @Test(arguments: 0..<300 as Range<UInt64>)
  func theResultIsTheNewValueWhateverTheOldOneWas(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let old = RandomTree.value(&random, depth: 4)
    var new = try copy(old)
    for _ in 0..<Int.random(in: 0...3, using: &random) { RandomTree.edit(&new, &random) }
    #expect(new.reusing(old) == new)
  }
}
