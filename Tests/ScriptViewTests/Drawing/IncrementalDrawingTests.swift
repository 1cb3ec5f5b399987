import ScriptValue
import ScriptView
import Testing

/// What is drawn from changes equals what is drawn whole.
struct IncrementalDrawingTests {
  @Test(arguments: 0..<80 as Range<UInt64>)
  func afterAnySequenceOfChangesTextAndHTMLAreThoseOfTheTree(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    var tree = RandomViews.tree(&random)
    // What a reader of changes has.
    var copy = try Value(json: tree.json())
    for _ in 0..<5 {
      let old = tree
      for _ in 0..<Int.random(in: 1...4, using: &random) { RandomViews.edit(&tree, &random) }
      let sent = ViewChange.value(of: ViewDifference.changes(from: old, to: tree))
      copy = try copy.applying(try ViewChange.changes(try Value(json: sent.json())))
      #expect(TextDrawing.draw(copy) == TextDrawing.draw(tree))
      #expect(HTMLDrawing.draw(copy) == HTMLDrawing.draw(tree))
      #expect(ViewScreen(copy).audit() == ViewScreen(tree).audit())
    }
  }

  @Test(arguments: 0..<50 as Range<UInt64>)
  func aDrawingDoesNotDependOnTheOrderOfKeysNorOnTheSubtypeOfNumbers(seed: UInt64) {
    var random = SplitMix(seed: seed)
    let tree = RandomViews.tree(&random)
    func turned(_ value: Value) -> Value {
      switch value {
      case .array(let list): .array(Value.List(list.map(turned)))
      case .object(let object):
        .object(Value.Object(object.reversed().map { ($0.key, turned($0.value)) }))
      case .integer(let number): .float(Double(number))
      default: value
      }
    }
    #expect(turned(tree) == tree)
    #expect(TextDrawing.draw(turned(tree)) == TextDrawing.draw(tree))
    #expect(HTMLDrawing.draw(turned(tree)) == HTMLDrawing.draw(tree))
  }
}
