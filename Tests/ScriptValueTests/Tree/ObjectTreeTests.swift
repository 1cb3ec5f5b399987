import Testing

@testable import ScriptValue

/// ObjectTree.
struct ObjectTreeTests {
  private func position(_ tree: ObjectTree, _ key: String) -> Int? {
    var key = key
    return key.withUTF8 { tree.position(of: UnsafeRawBufferPointer($0)) }
  }

  private func set(_ tree: inout ObjectTree, _ key: String, _ value: Slot) {
    let node = Slot.string(key)
    tree.set(key: node.address, value)
    node.release()
  }

  private func contents(_ tree: ObjectTree) -> [String] {
    var result: [String] = []
    tree.visit { key, value in result.append("\(key.text)=\(value.text)") }
    return result
  }

  @Test(arguments: [3, 8, 12, 32, 40, 300])
  func randomEditsAgreeWithAnOrderedModelAndKeptVersionsDoNotChange(keys: Int) {
    var random = SplitMix(seed: UInt64(keys))
    var tree = ObjectTree()
    var model: [(String, String)] = []
    var kept: [(ObjectTree, [String])] = []
    for step in 0..<4_000 {
      let key = "key \(Int.random(in: 0..<keys, using: &random))"
      let known = model.firstIndex { $0.0 == key }
      #expect((position(tree, key) != nil) == (known != nil))
      switch Int.random(in: 0..<(step % 1000 < 500 ? 12 : 8), using: &random) {
      case 0...3:
        if let known, let position = position(tree, key) {
          tree.remove(position).release()
          model.remove(at: known)
        }
      case 4:
        tree.compact()
      case 5:
        kept.append((tree, model.map { "\($0.0)=\($0.1)" }))
        if kept.count > 5 { kept.removeFirst() }
      default:
        set(&tree, key, .string("value \(step)"))
        if let known {
          model[known].1 = "value \(step)"
        } else {
          model.append((key, "value \(step)"))
        }
      }
      #expect(tree.count == model.count)
      if step % 50 == 0 { #expect(contents(tree) == model.map { "\($0.0)=\($0.1)" }) }
    }
    #expect(contents(tree) == model.map { "\($0.0)=\($0.1)" })
    for (tree, model) in kept { #expect(contents(tree) == model) }
  }

  @Test func rowsBuiltWithTheSameKeysShareOneShape() {
    var first = ObjectTree()
    var second = ObjectTree.Builder()
    for key in ["id", "title", "isComplete"] {
      set(&first, key, .null)
      second.append(key: Slot.string(key).address, .null)
    }
    #expect(first.shapeAddress != nil)
    #expect(first.shapeAddress == second.finish().shapeAddress)
  }

  @Test func moreThan32KeysBecomeADictionaryFewBecomeFlatAgain() {
    var tree = ObjectTree()
    for index in 0..<40 {
      set(&tree, "k\(index)", .string("v"))
      #expect(tree.borrowedSlot.tag == (index < 32 ? .object : .dictionary))
    }
    for index in 0..<30 {
      if let position = position(tree, "k\(index)") { tree.remove(position).release() }
    }
    #expect(tree.borrowedSlot.tag == .dictionary)
    #expect(tree.livePosition(from: 0) == 30)
    tree.compact()
    #expect(tree.borrowedSlot.tag == .object)
    #expect(tree.livePosition(from: 0) == 0)
    while let position = tree.livePosition(from: 0) { tree.remove(position).release() }
    #expect(tree.isEmpty)
    #expect(tree.borrowedSlot.emptyKind == .formerObject)
  }
}
