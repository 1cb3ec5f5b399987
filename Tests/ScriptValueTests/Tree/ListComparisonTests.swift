import Testing

@testable import ScriptValue

/// Comparing lists.
struct ListComparisonTests {
  private func list(_ values: [Int]) -> PersistentList {
    var builder = PersistentList.Builder()
    for value in values { builder.append(.integer(Int64(value))) }
    return builder.finish()
  }

  /// How many elements are the same at the start, and behind that at the end.
  private func ends(_ old: PersistentList, _ new: PersistentList) -> [Int] {
    let change = ListChange(from: old.borrowedSlot, to: new.borrowedSlot)
    return [change.removed.lowerBound, old.count - change.removed.upperBound]
  }

  @Test(arguments: 0..<30)
  func commonEndsAndDifferencesAgreeWithArraysWhateverTheEdits(seed: Int) {
    var random = SplitMix(seed: UInt64(seed))
    let old = Array(0..<Int.random(in: 1...1_500, using: &random))
    let oldList = list(old)
    var new = old
    var newList = oldList
    for step in 0..<Int.random(in: 0...4, using: &random) {
      guard !new.isEmpty else { break }
      let index = Int.random(in: 0..<new.count, using: &random)
      switch (seed + step) % 3 {
      case 0:
        new[index] = -step
        newList.set(index, .integer(Int64(-step)))
      case 1:
        new.insert(-step, at: index)
        newList.insert(.integer(Int64(-step)), at: index)
      default:
        new.remove(at: index)
        newList.remove(at: index).release()
      }
    }
    let shorter = min(old.count, new.count)
    let prefix = zip(old, new).prefix { $0 == $1 }.count
    let suffix = zip(old.reversed(), new.reversed()).prefix { $0 == $1 }.count
    #expect(ends(oldList, newList) == [prefix, min(suffix, shorter - prefix)])
    #expect(ends(newList, oldList) == [prefix, min(suffix, shorter - prefix)])
    var seen: [Int] = []
    newList.forEachDifference(from: oldList) { index, before, after in
      seen.append(index)
      return before.integer == Int64(old[index]) && after.integer == Int64(new[index])
    }
    #expect(seen == (0..<shorter).filter { old[$0] != new[$0] })
    #expect(PersistentList.equal(oldList, newList) == (old == new))
    #expect(PersistentList.equal(list(new), newList))
  }

  @Test func anElementThatKeepsItsIDIsVisitedWithItsOldVersion() {
    let old: Value = [["id": 1], ["id": 2], ["id": 3], ["id": 4]]
    var new = old
    new[1]["n"] = 5
    new[2]["id"] = 30
    var visits: [String] = []
    old.withSlot { old in
      new.withSlot { new in
        let key = FieldKey("id")
        ListChange(from: old, to: new).forEachElement(key.bytes) { index, before, after in
          let ids = [before, after].map { Value(ifPresent: key.value(in: $0))?.int ?? 0 }
          visits.append("\(index): \(ids[0]) \(ids[1])")
        }
      }
    }
    #expect(visits == ["1: 2 2", "2: 0 30"])
  }

  @Test func aListThatGrewByALevelStillSharesItsFront() {
    let old = list(Array(0..<512))
    var new = old
    new.append(.integer(512))
    #expect(ends(old, new) == [512, 0])
    #expect(new.remove(at: 512).integer == 512)
    #expect(PersistentList.equal(old, new))
    #expect(ends(PersistentList(), old) == [0, 0])
  }
}
