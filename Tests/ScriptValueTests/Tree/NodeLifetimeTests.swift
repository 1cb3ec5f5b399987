import Testing

@testable import ScriptValue

/// Node lifetimes.
struct NodeLifetimeTests {
  /// Sees when a string node ends.
  private struct Witness {
    weak var node: StringNode?
  }

  /// An owned slot and its witness.
  private func witnessed(_ text: String, _ witnesses: inout [Witness]) -> Slot {
    let slot = Slot.string(text)
    let node = Unmanaged<StringNode>.fromOpaque(slot.address).takeUnretainedValue()
    witnesses.append(Witness(node: node))
    return slot
  }

  @Test(arguments: 0..<4)
  func everyElementOfAnEditedListEndsWithTheLastVersionThatHoldsIt(seed: Int) {
    var random = SplitMix(seed: UInt64(seed))
    var witnesses: [Witness] = []
    var kept: [PersistentList] = []
    var list = PersistentList()
    for step in 0..<3_000 {
      let count = list.count
      switch Int.random(in: 0..<6, using: &random) {
      case 0, 1:
        let place = Int.random(in: 0...count, using: &random)
        list.insert(witnessed("inserted \(step)", &witnesses), at: place)
      case 2:
        list.append(witnessed("appended \(step)", &witnesses))
      case 3 where count > 0:
        list.set(Int.random(in: 0..<count, using: &random), witnessed("set \(step)", &witnesses))
      case 4 where count > 0:
        list.remove(at: Int.random(in: 0..<count, using: &random)).release()
      default:
        if step % 7 == 0 { kept.append(list) }
      }
      if kept.count > 4 { kept.removeFirst() }
    }
    let held = Set(kept.flatMap(texts) + texts(list))
    #expect(Set(witnesses.compactMap { $0.node?.string }) == held)
    kept = []
    #expect(witnesses.count { $0.node != nil } == list.count)
    list = PersistentList()
    #expect(witnesses.allSatisfy { $0.node == nil })
  }

  private func texts(_ list: PersistentList) -> [String] {
    var result: [String] = []
    list.visit { result.append($0.text) }
    return result
  }

  @Test(arguments: [5, 60])
  func everyValueOfAnEditedObjectEndsWithTheLastVersionThatHoldsIt(keys: Int) {
    var random = SplitMix(seed: 9)
    var witnesses: [Witness] = []
    var kept: [ObjectTree] = []
    var object = ObjectTree()
    for step in 0..<2_000 {
      let key = Slot.string("key \(Int.random(in: 0..<keys, using: &random))")
      let position = object.position(of: key.stringBytes)
      if let position, step % 3 == 0 {
        object.remove(position).release()
        if step % 30 == 0 { object.compact() }
      } else {
        object.set(key: key.address, witnessed("value \(step)", &witnesses))
      }
      key.release()
      if step % 50 == 0 { kept.append(object) }
      if kept.count > 3 { kept.removeFirst() }
    }
    kept = []
    #expect(witnesses.count { $0.node != nil } == object.count)
    object = ObjectTree()
    #expect(witnesses.allSatisfy { $0.node == nil })
  }

  @Test func whatAnUnfinishedBuilderWasGivenEndsWithIt() {
    var witnesses: [Witness] = []
    do {
      var list = PersistentList.Builder()
      for index in 0..<20 { list.append(witnessed("element \(index)", &witnesses)) }
      var object = ObjectTree.Builder()
      for index in 0..<40 {
        let key = witnessed("key \(index)", &witnesses)
        object.append(key: key.address, witnessed("value \(index)", &witnesses))
      }
      #expect(witnesses.allSatisfy { $0.node != nil })
      #expect(list.count == 20 && object.count == 40)
    }
    #expect(witnesses.allSatisfy { $0.node == nil })
  }

  @Test func versionsMayBeReadAndDroppedOnOtherThreadsWhileTheNewestIsWritten() async {
    var list = PersistentList()
    for index in 0..<1_000 { list.append(.string("\(index)")) }
    let total = await withTaskGroup(of: Int.self) { group in
      for round in 0..<200 {
        let version = list
        group.addTask {
          var count = 0
          version.visit { count += $0.stringBytes.count }
          return count
        }
        list.set(round * 5, .string("\(round * 5)"))
        list.insert(list.borrow(0).retained(), at: 0)
        list.remove(at: 0).release()
      }
      return await group.reduce(0, +)
    }
    #expect(total == 200 * (10 + 90 * 2 + 900 * 3))
  }

  @Test func aRowOfThreeKeysTakes56BytesOfWhichTwoWordsAreTheObjectsHeader() {
    #expect(ObjectNode.wordsOffset(count: 3) + 3 * 8 == 56)
    #expect(ObjectNode.wordsOffset(count: 5) == 40)
    #expect(ObjectNode.wordsOffset(count: 32) == 64)
  }
}
