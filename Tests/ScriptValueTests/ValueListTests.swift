import ScriptValue
import Testing

/// Value.List.
struct ValueListTests {
  private func random(_ count: Int) -> [Value] { (0..<count).map { .integer(Int64($0)) } }

  @Test(arguments: 0..<4)
  func behavesAsAnArrayUnderTheCollectionProtocolsOperations(seed: Int) {
    var random = SplitMix(seed: UInt64(seed))
    var list = Value.List()
    var model: [Value] = []
    for step in 0..<400 {
      let lower = Int.random(in: 0...model.count, using: &random)
      let upper = Int.random(in: lower...min(model.count, lower + 30), using: &random)
      let new = (0..<Int.random(in: 0..<40, using: &random)).map { Value.string("\(step) \($0)") }
      switch step % 5 {
      case 0, 1:
        list.replaceSubrange(lower..<upper, with: new)
        model.replaceSubrange(lower..<upper, with: new)
      case 2:
        list.append(contentsOf: new)
        model.append(contentsOf: new)
      case 3:
        list.removeSubrange(lower..<upper)
        model.removeSubrange(lower..<upper)
      default:
        list.reverse()
        model.reverse()
      }
      #expect(list.count == model.count)
      #expect(list.elementsEqual(model))
    }
    #expect(list == Value.List(model))
    #expect(list.lastIndex(of: "0 0") == model.lastIndex(of: "0 0"))
    list.removeAll { $0.string?.hasSuffix("1") == true }
    model.removeAll { $0.string?.hasSuffix("1") == true }
    #expect(Array(list) == model)
  }

  @Test(arguments: 0..<6)
  func twoListsAreEqualWhateverTheHistoryThatMadeThem(seed: Int) {
    var random = SplitMix(seed: UInt64(seed))
    let elements = (0..<2_000).map { Value.string("\($0)") }
    let built = Value.List(elements)
    var grown = Value.List()
    var order = Array(elements.indices)
    order.shuffle(using: &random)
    var placed: [Int] = []
    for index in order {
      let place = placed.firstIndex { $0 > index } ?? placed.count
      placed.insert(index, at: place)
      grown.insert(elements[index], at: place)
    }
    #expect(grown == built && built == grown)
    #expect(Value.array(grown).hashValue == Value.array(built).hashValue)
    let index = Int.random(in: 0..<2_000, using: &random)
    var changed = grown
    changed[index] = "other"
    #expect(changed != built && built != changed && changed != grown)
    changed[index] = elements[index]
    #expect(changed == built)
    changed.remove(at: index)
    #expect(changed != built)
    changed.insert(elements[index], at: index)
    #expect(changed == built && changed == grown)
  }

  @Test func iterationSeesTheListAsItWasWhenItBegan() {
    var list = Value.List((0..<100).map { .integer(Int64($0)) })
    var seen: [Int] = []
    for element in list {
      seen.append(element.int ?? -1)
      list.append(0)
      list[0] = "gone"
    }
    #expect(seen == Array(0..<100))
    #expect(list.count == 200)
  }
}
