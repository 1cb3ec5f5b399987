import ScriptValue
import Testing

/// The identity of nodes.
struct IdentityTests {
  @Test func aCopyIsTheSameNodeAnEqualContainerOfItsOwnIsNot() {
    let list: Value = [1, 2]
    let copy = list
    #expect(copy.isIdentical(to: list))
    #expect(!([1, 2] as Value).isIdentical(to: list))
    #expect(!(["a": 1] as Value).isIdentical(to: ["a": 1]))
    #expect(("text" as Value).isIdentical(to: "text"))
    #expect(!list.isIdentical(to: ["a": 1]))
    #expect(!([] as Value).isIdentical(to: 0))
  }

  @Test func theFirstRowWithAnIdIsFoundByLuasEquality() {
    let list: Value.List = [["id": 1], 2, ["id": "a", "n": 1], ["id": "a", "n": 2]]
    #expect(list.firstIndex(ofID: "a") == 2)
    #expect(list.firstIndex(ofID: 1.0) == 0)
    #expect(list.firstIndex(ofID: 2) == nil)
  }

  @Test func keysAreTheSameIdsByTheirBytes() {
    let object: Value = ["\u{E9}": 1]
    #expect(object.hasSameIDs(as: ["\u{E9}": 2], under: "id"))
    #expect(!object.hasSameIDs(as: ["e\u{301}": 1], under: "id"))
  }

  @Test func differingKeysOfObjectsAreToldWithBothValuesAndEqualNodesAreNotEntered() throws {
    func differences(_ old: Value.Object, _ new: Value.Object) -> [String] {
      var found: [String] = []
      new.forEachDifference(from: old) { key, old, new in
        found.append("\(key): \(old.map(\.description) ?? "-") \(new.map(\.description) ?? "-")")
      }
      return found
    }
    let list: Value = [1]
    #expect(differences(["a": 1, "b": list], ["a": 1.0, "b": list]) == [])
    #expect(differences(["a": 1, "b": list], ["a": 2, "b": [1]]) == ["a: 1 2", "b: { 1 } { 1 }"])
    #expect(differences(["a": 1, "b": 2], ["c": 3, "b": 2]) == ["a: 1 -", "c: - 3"])
    #expect(differences([:], [:]) == [])
  }
}
