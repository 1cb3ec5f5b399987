import ScriptValue
import Testing

struct ShapeTests {
  private func keys(_ count: Int, length: Int, _ name: String) -> [StringNode] {
    (0..<count).map { .make("\(name) \($0)" + String(repeating: "x", count: length)) }
  }

  @Test(arguments: [(1, 1_000_000), (1, 4_000), (32, 100)])
  func aShapeWithLongKeysGoesWithTheLastObjectOfIt(count: Int, length: Int) {
    weak var shape: Shape?
    do {
      let made = Shape.of(keys(count, length: length, "long"))
      shape = made
      #expect(made.count == count)
    }
    #expect(shape == nil)
  }

  @Test func objectsWithTheSameShortKeysShareAShape() {
    let shape = Shape.of(keys(3, length: 5, "short"))
    #expect(shape === Shape.of(keys(3, length: 5, "short")))
  }

  @Test func objectsWithLongKeysAreWhatOthersAre() throws {
    let long = String(repeating: "k", count: 3_000)
    let (one, other): (Value, Value) = (["a": 1, .init(long): 2], ["a": 1, .init(long): 2])
    #expect(one == other && one[long] == 2)
    var edited = try #require(one.object)
    edited["b"] = 3
    edited["a"] = nil
    #expect(Value.object(edited) == [long: 2, "b": 3])
    #expect(try Value(json: one.json()) == one)
  }
}
