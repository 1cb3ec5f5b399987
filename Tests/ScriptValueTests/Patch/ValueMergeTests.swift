import ScriptValue
import Testing

/// Two changes of one value, laid over each other.
struct ValueMergeTests {
  private func merged(
    _ ours: Value?, _ theirs: Value?, from base: Value?
  ) -> (value: Value?, hasConflict: Bool) {
    let merge = ValueMerge(ours: ours, theirs: theirs, base: base)
    return (merge.value, merge.hasConflict)
  }

  private func list(_ elements: KeyValuePairs<String, Int>) -> Value {
    .array(Value.List(elements.map { ["id": .string($0.key), "n": .integer(Int64($0.value))] }))
  }

  @Test func aChangeOfOneSideIsTaken() {
    #expect(merged(1, 2, from: 1) == (2, false))
    #expect(merged(2, 1, from: 1) == (2, false))
    #expect(merged(2, 2, from: 1) == (2, false))
    #expect(merged(nil, 1, from: 1) == (nil, false))
    #expect(merged(nil, 1, from: nil) == (1, false))
  }

  @Test func ourChangeStaysWhereBothChangedTheSame() {
    #expect(merged(2, 3, from: 1) == (2, true))
    #expect(merged(nil, 3, from: 1) == (nil, true))
    #expect(merged(["a": 2], ["a": 3, "b": 1], from: ["a": 1]) == (["a": 2, "b": 1], true))
    #expect(merged([1, 2], [1, 3], from: [1]) == ([1, 2], true))
  }

  @Test func objectsAreMergedByKeys() {
    let base: Value = ["a": ["x": 1, "y": 1], "b": 1, "c": 1]
    let ours: Value = ["a": ["x": 2, "y": 1], "b": 1, "d": 4]
    let theirs: Value = ["a": ["x": 1, "y": 3], "c": 1, "e": 5]
    #expect(
      merged(ours, theirs, from: base) == (["a": ["x": 2, "y": 3], "e": 5, "d": 4], false))
  }

  @Test func listsAreMergedByIDs() {
    let base = list(["a": 1, "b": 1, "c": 1])
    let ours = list(["a": 1, "new": 1, "b": 2])
    let theirs = list(["first": 1, "b": 1, "c": 1, "a": 7])
    #expect(
      merged(ours, theirs, from: base)
        == (list(["first": 1, "b": 2, "a": 7, "new": 1]), false))
  }

  @Test func ourOrderStaysIfWeChangedIt() {
    let base = list(["a": 1, "b": 1, "c": 1])
    let ours = list(["c": 1, "b": 1, "a": 1])
    let theirs = list(["a": 1, "b": 5, "new": 1, "c": 1])
    #expect(
      merged(ours, theirs, from: base) == (list(["c": 1, "b": 5, "new": 1, "a": 1]), false))
  }

  @Test func anElementThatWeRemovedAndTheyChangedStaysRemoved() {
    let merge = merged(list(["a": 1]), list(["a": 1, "b": 2]), from: list(["a": 1, "b": 1]))
    #expect(merge == (list(["a": 1]), true))
  }

  @Test func listsWithoutDistinctIDsAreTakenAsAWhole() {
    #expect(merged(list(["a": 1, "a": 2]), list(["b": 1]), from: []).hasConflict)
    #expect(merged([["n": 1]], [["n": 2]], from: []) == ([["n": 1]], true))
  }
}
