import Testing

@testable import ScriptValue

/// PersistentList.
struct PersistentListTests {
  /// Strings, so that a wrong retain shows as a crash or a leak.
  private func slot(_ value: Int) -> Slot {
    value % 3 == 0 ? .string("element \(value)") : .integer(Int64(value))
  }

  private func contents(_ list: PersistentList) -> [Int] {
    var result: [Int] = []
    list.visit { slot in
      switch slot.tag {
      case .integer: result.append(Int(slot.integer))
      case .string:
        result.append(Int(slot.text.dropFirst("element ".count)) ?? -1)
      default: result.append(-2)
      }
    }
    return result
  }

  @Test(arguments: 0..<12)
  func randomEditsAgreeWithAnArrayAndKeptVersionsDoNotChange(seed: Int) {
    var random = SplitMix(seed: UInt64(seed))
    var list = PersistentList()
    var model: [Int] = []
    var kept: [(PersistentList, [Int])] = []
    let bias = seed % 3
    for step in 0..<6_000 {
      switch Int.random(in: 0..<(12), using: &random) {
      case 0, 1:
        list.append(slot(step))
        model.append(step)
      case 2, 3, 4:
        if bias == 1 && step > 2000 && !model.isEmpty { fallthrough }
        let index = Int.random(in: 0...model.count, using: &random)
        list.insert(slot(step), at: index)
        model.insert(step, at: index)
      case 5, 6:
        if model.isEmpty { continue }
        let index = Int.random(in: 0..<model.count, using: &random)
        list.remove(at: index).release()
        model.remove(at: index)
      case 7:
        if model.isEmpty { continue }
        list.removeLast().release()
        model.removeLast()
      case 8, 9, 10:
        if model.isEmpty { continue }
        let index = Int.random(in: 0..<model.count, using: &random)
        list.set(index, slot(step))
        model[index] = step
      default:
        if Int.random(in: 0..<20, using: &random) == 0 { kept.append((list, model)) }
        if kept.count > 6 { kept.removeFirst() }
      }
      #expect(list.count == model.count)
      if step % 500 == 0 { #expect(contents(list) == model) }
      #if DEBUG
      if step % 50 == 0 { list.checkInvariants() }
      #endif
    }
    #expect(contents(list) == model)
    for index in model.indices where model[index] % 3 != 0 {
      #expect(Int(list.borrow(index).integer) == model[index])
    }
    for (list, model) in kept { #expect(contents(list) == model) }
    while !model.isEmpty {
      let index = Int.random(in: 0..<model.count, using: &random)
      list.remove(at: index).release()
      model.remove(at: index)
      if model.count % 97 == 0 { #expect(contents(list) == model) }
      #if DEBUG
      if model.count % 50 == 0 { list.checkInvariants() }
      #endif
    }
    #expect(list.isEmpty && list.borrowedSlot.tag == .empty)
    for (list, model) in kept { #expect(contents(list) == model) }
  }

  @Test(arguments: [0, 1, 7, 8, 9, 128, 129, 5_000])
  func aBuilderMakesTheSameListAsAppending(count: Int) {
    var builder = PersistentList.Builder()
    var appended = PersistentList()
    for value in 0..<count {
      builder.append(slot(value))
      appended.append(slot(value))
    }
    #expect(builder.count == count)
    let built = builder.finish()
    #if DEBUG
    built.checkInvariants()
    #endif
    #expect(contents(built) == Array(0..<count))
    #expect(contents(appended) == Array(0..<count))
    for value in stride(from: 1, to: count, by: 3) {
      #expect(built.borrow(value).integer == Int64(value))
    }
  }

  @Test(arguments: [1, 8, 100, 128, 129, 2_048, 3_001])
  func aListOfHolesCanBeFilledInAnyOrder(count: Int) {
    let holes = PersistentList(repeatingAbsent: count)
    #expect(holes.count == count)
    #if DEBUG
    holes.checkInvariants()
    #endif
    var list = holes
    for value in (0..<count).reversed() { list.set(value, slot(value)) }
    #expect(contents(list) == Array(0..<count))
    #expect(contents(holes) == Array(repeating: -2, count: count))
  }

  @Test func depthCountsContainersAndGrowsWithWhatIsPutIn() {
    var list = PersistentList()
    #expect(list.borrowedSlot.depth == 1)
    for value in 0..<1_000 { list.append(slot(value)) }
    #expect(list.borrowedSlot.depth == 1)
    var inner = PersistentList()
    inner.append(.empty(.table))
    let kept = list
    list.set(500, inner.ownedSlot())
    #expect(list.borrowedSlot.depth == 3)
    #expect(kept.borrowedSlot.depth == 1)
    list.set(500, .null)
    #expect(list.borrowedSlot.depth == 3)
    #expect(list.borrowedSlot.exactDepth() == 1)
  }
}
