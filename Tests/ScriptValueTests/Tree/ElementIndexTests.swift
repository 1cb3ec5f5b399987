import Testing

@testable import ScriptValue

@Suite struct ElementIndexTests {
  private static let key: StaticString = "id"

  private static func withKey<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    var name = "id"
    return try name.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
  }

  private static func element(_ id: Value, _ content: Int = 0) -> Value {
    ["content": .integer(Int64(content)), "id": id]
  }

  private static func list(_ ids: [Value]) -> Value { .array(.init(ids.map { element($0) })) }

  private static func index(_ list: Value) -> ElementIndex {
    list.withSlot { slot in withKey { ElementIndex(slot, key: $0) } }
  }

  private func find(_ id: Value, _ list: Value, _ index: ElementIndex) -> (Int, Int?)? {
    list.withSlot { list in
      id.withSlot { id in
        index.find(id, in: list).map { ($0.position, $0.duplicate) }
      }
    }
  }

  @Test func elementsAreFoundByIdsOfAnyKindEqualAsInLua() {
    let list = ElementIndexTests.list([7, "seven", 2.5, 3.0, true, "", -1, "é"])
    let index = ElementIndexTests.index(list)
    for (id, position) in [
      (7, 0), (7.0, 0), ("seven", 1), (2.5, 2), (3, 3), (true, 4), ("", 5), (-1, 6), ("é", 7),
    ] as [(Value, Int)] {
      #expect(find(id, list, index)?.0 == position)
      #expect(find(id, list, index)?.1 == nil)
    }
    for id in ["7", 8, false, "e\u{301}", .null, 2] as [Value] {
      #expect(find(id, list, index) == nil)
    }
  }

  @Test func elementsWithoutAnIdAndWhatIsNoListAreLeftAlone() {
    let list: Value = [["id": 1], 5, ["other": 1], [["id": 2]], ["id": 3]]
    let index = ElementIndexTests.index(list)
    #expect(find(1, list, index)?.0 == 0)
    #expect(find(3, list, index)?.0 == 4)
    #expect(find(2, list, index) == nil)
    let other = ElementIndexTests.index(["a": 1])
    #expect(find(1, ["a": 1], other) == nil)
    #expect(find(1, list, other)?.0 == 0)
  }

  @Test func ofElementsWithOneIdTheFirstIsFoundWithAnotherOneThatHasIt() {
    let list = ElementIndexTests.list([1, 2, 1.0, 3, 1])
    let index = ElementIndexTests.index(list)
    #expect(find(1, list, index)?.0 == 0)
    #expect(find(1, list, index)?.1 == 2)
    #expect(find(3, list, index)?.1 == nil)
  }

  private enum Edit: CaseIterable {
    case insert, append, remove, move, swap, change, rename, duplicate, many, clear
  }

  /// The next version of a list after a random edit.
  private func edited(_ list: [Value], _ next: inout Int64, _ random: inout SplitMix) -> [Value] {
    var list = list
    func place(_ bound: Int) -> Int { bound == 0 ? 0 : Int.random(in: 0..<bound, using: &random) }
    func fresh() -> Value {
      next += 1
      return ElementIndexTests.element(next % 3 == 0 ? .string("s\(next)") : .integer(next))
    }
    switch Edit.allCases.randomElement(using: &random) ?? .insert {
    case .insert: list.insert(fresh(), at: place(list.count + 1))
    case .append: for _ in 0...place(3) { list.append(fresh()) }
    case .remove where !list.isEmpty: list.remove(at: place(list.count))
    case .move where !list.isEmpty:
      let moved = list.remove(at: place(list.count))
      list.insert(moved, at: place(list.count + 1))
    case .swap where !list.isEmpty: list.swapAt(place(list.count), place(list.count))
    case .change where !list.isEmpty:
      let index = place(list.count)
      list[index]["content"] = .integer(Int64(place(100)))
    case .rename where !list.isEmpty: list[place(list.count)]["id"] = fresh()["id"]
    case .duplicate where !list.isEmpty && place(4) == 0:
      list.insert(list[place(list.count)], at: place(list.count + 1))
    case .many where place(6) == 0:
      for _ in 0..<100 { list.insert(fresh(), at: place(list.count + 1)) }
    case .clear where place(10) == 0: list.removeAll { _ in place(2) == 0 }
    default: break
    }
    return list
  }

  @Test(arguments: 0..<6)
  func afterRandomEditsItAnswersAsAWalkThroughTheListDoes(seed: Int) {
    var random = SplitMix(seed: UInt64(seed))
    var next: Int64 = 0
    var list: [Value] = []
    var value = Value.array(.init())
    let index = ElementIndexTests.index(value)
    for step in 0..<150 {
      let old = value
      let oldList = list
      list = edited(list, &next, &random)
      var storage = old.array ?? .init()
      storage.replaceSubrange(
        difference(oldList, list).0, with: list[difference(oldList, list).1])
      value = .array(storage)
      let duplicates = old.withSlot { old in
        value.withSlot { new in index.update(from: old, to: new) }
      }
      #if DEBUG
      index.checkInvariants()
      #endif
      // Every new duplicate is told, at indices that have one id.
      for duplicate in duplicates {
        #expect(duplicate.first < duplicate.second && duplicate.second < list.count)
        #expect(list[duplicate.first]["id"] == list[duplicate.second]["id"])
      }
      let before = Dictionary(grouping: oldList.map { $0["id"] }, by: { $0 }).mapValues(\.count)
      let after = Dictionary(grouping: list.map { $0["id"] }, by: { $0 }).mapValues(\.count)
      for (id, count) in after where count > 1 && count > before[id, default: 0] {
        #expect(
          duplicates.contains { list[$0.first]["id"] == id },
          "seed \(seed), step \(step): \(id) is there \(count) times and nobody told")
      }
      var ids = Set((0..<12).compactMap { _ in list.randomElement(using: &random)?["id"] })
      ids.formUnion(oldList.prefix(3).map { $0["id"] })
      ids.insert(.integer(next + 1))
      if step % 20 == 0 { ids.formUnion(list.map { $0["id"] }) }
      for id in ids {
        let positions = list.indices.filter { list[$0]["id"] == id }
        let found = find(id, value, index)
        guard found?.0 == positions.first, found?.1 == positions.dropFirst().first else {
          Issue.record(
            "seed \(seed), step \(step): \(id) is at \(positions), found \(String(describing: found))"
          )
          return
        }
      }
    }
  }

  /// What is between the common start and end of two versions.
  private func difference(_ old: [Value], _ new: [Value]) -> (Range<Int>, Range<Int>) {
    var start = 0
    while start < min(old.count, new.count) && old[start] == new[start] { start += 1 }
    var end = 0
    while end < min(old.count, new.count) - start
      && old[old.count - 1 - end] == new[new.count - 1 - end]
    {
      end += 1
    }
    return (start..<(old.count - end), start..<(new.count - end))
  }

  @Test func aVersionBeforeTheLastUpdateIsAnsweredToo() {
    let old = ElementIndexTests.list([1, 2, 3, 4])
    var new = old
    new[1] = ElementIndexTests.element(2, 5)
    new[2] = ElementIndexTests.element(30)
    let index = ElementIndexTests.index(old)
    old.withSlot { old in new.withSlot { new in _ = index.update(from: old, to: new) } }
    #expect(find(30, new, index)?.0 == 2)
    #expect(find(3, new, index) == nil)
    #expect(find(3, old, index)?.0 == 2)
  }

  @Test func aListThatItHasNotSeenIsAnsweredRight() {
    let index = ElementIndexTests.index(ElementIndexTests.list([1, 2, 3]))
    let other = ElementIndexTests.list([3, 9, 1])
    #expect(find(3, other, index)?.0 == 0)
    #expect(find(9, other, index)?.0 == 1)
    #expect(find(1, other, index)?.0 == 2)
    #expect(find(2, other, index) == nil)
  }

  @Test func anElementWithoutAnIdTakesNobodysPlaceAlong() {
    let first: Value = [["id": 7], ["other": 1], ["id": 0], ["id": 8]]
    let second: Value = [["other": 1], ["id": 0], ["id": 8]]
    let third: Value = [["id": 0], ["id": 8]]
    let index = ElementIndexTests.index(first)
    for (old, new) in [(first, second), (second, third)] {
      old.withSlot { old in
        new.withSlot { new in _ = index.update(from: old, to: new) }
      }
    }
    #expect(find(0, third, index)?.0 == 0)
    #expect(find(8, third, index)?.0 == 1)
  }
}
