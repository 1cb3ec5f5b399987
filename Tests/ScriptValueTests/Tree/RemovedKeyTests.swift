import ScriptValue
import Testing

/// Which keys leave an object from one version to the next.
@Suite struct RemovedKeyTests {
  private func removed(from old: Value?, to new: Value?) -> [String] {
    let old = old?.ownedSlot() ?? .absent
    let new = new?.ownedSlot() ?? .absent
    defer {
      old.release()
      new.release()
    }
    var keys: [String] = []
    ObjectTree.forEachRemovedKey(from: old, to: new) { key in
      keys.append(key.text)
    }
    return keys
  }

  @Test func aKeyWhoseValueChangesOrThatMovesToTheEndIsNotGone() {
    #expect(removed(from: ["a": 1, "b": 2], to: ["a": 3, "b": 2]).isEmpty)
    #expect(removed(from: ["a": 1, "b": 2], to: ["b": 2, "c": 0, "a": 3]).isEmpty)
    #expect(removed(from: ["a": 1, "b": 2, "c": 3], to: ["c": 1, "d": 2]) == ["a", "b"])
  }

  @Test(arguments: [nil, [:], [], [1, 2], 5, .null] as [Value?])
  func whereAnObjectGivesWayToSomethingElseAllItsKeysAreGone(new: Value?) {
    #expect(removed(from: ["a": 1, "b": 2], to: new) == ["a", "b"])
    #expect(removed(from: new, to: ["a": 1, "b": 2]).isEmpty)
  }

  @Test(arguments: 0..<6)
  func afterRandomEditsExactlyTheKeysThatWentAreTold(seed: Int) {
    var random = SplitMix(seed: UInt64(seed))
    var object = ObjectTree()
    for step in 0..<400 {
      let old = Value(borrowing: object.borrowedSlot)
      // Grows and shrinks across the sizes at which an object is kept in another way.
      let grows = step / 60 % 2 == 0
      for _ in 0..<Int.random(in: 0..<5, using: &random) {
        let key = "k\(Int.random(in: 0..<120, using: &random))"
        let position = position(of: key, in: object)
        if let position, Int.random(in: 0..<3, using: &random) > 0 || !grows {
          object.remove(position).release()
        } else if grows || position != nil {
          set(key, of: &object, to: Int64(step))
        }
      }
      if !grows, let position = object.livePosition(from: 0) { object.remove(position).release() }
      if step % 3 == 0 { object.compact() }
      let new = Value(borrowing: object.borrowedSlot)
      let before = keys(old)
      let after = keys(new)
      let told = removed(from: old, to: new)
      guard Set(told) == before.subtracting(after), told.count == Set(told).count else {
        Issue.record("seed \(seed), step \(step): \(before.subtracting(after)), told \(told)")
        return
      }
    }
  }

  private func keys(_ value: Value) -> Set<String> { Set(value.object?.keys.map { $0 } ?? []) }

  private func position(of key: String, in object: ObjectTree) -> Int? {
    var key = key
    return key.withUTF8 { object.position(of: UnsafeRawBufferPointer($0)) }
  }

  private func set(_ key: String, of object: inout ObjectTree, to number: Int64) {
    let slot = Slot.string(key)
    defer { slot.release() }
    object.set(key: slot.address, .integer(number))
  }
}
