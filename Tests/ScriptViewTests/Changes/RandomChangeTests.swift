import ScriptValue
import ScriptView
import Testing

/// The changes between any two trees.
struct RandomChangeTests {
  @Test(arguments: 0..<400 as Range<UInt64>)
  func changesTurnTheOldTreeIntoTheNewOne(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let old = RandomViews.tree(&random)
    var new = old
    for _ in 0..<Int.random(in: 1...5, using: &random) { RandomViews.edit(&new, &random) }
    let changes = ViewDifference.changes(from: old, to: new)
    #expect(try old.applying(changes) == new)
    #expect(changes.isEmpty == (old == new))
    #expect(try ViewChange.changes(ViewChange.value(of: changes)) == changes)
    #expect(
      try ViewChange.changes(try Value(json: ViewChange.value(of: changes).json())) == changes)
  }

  @Test(arguments: 0..<100 as Range<UInt64>)
  func treesThatShareNothingHaveChangesToo(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let old = RandomViews.tree(&random)
    let new = try Value(json: RandomViews.tree(&random).json())
    #expect(try old.applying(ViewDifference.changes(from: old, to: new)) == new)
  }

  @Test(arguments: 0..<100 as Range<UInt64>)
  func aTreeThatWasMadeAnewAndSharesWhatIsEqualHasTheSameChanges(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let old = RandomViews.tree(&random)
    var new = try Value(json: old.json())
    for _ in 0..<3 { RandomViews.edit(&new, &random) }
    let shared = new.reusing(old)
    #expect(shared == new)
    let changes = ViewDifference.changes(from: old, to: new)
    #expect(ViewDifference.changes(from: old, to: shared) == changes)
    #expect(try old.applying(changes) == new)
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func asFewRowsMoveAsPossible(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    var ids = Array(0..<Int.random(in: 2...40, using: &random))
    func tree() -> Value {
      node("forEach", [:], ids.map { row(.integer(Int64($0)), text("\($0)")) })
    }
    let old = tree()
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let moved = ids.remove(at: Int.random(in: 0..<ids.count, using: &random))
      ids.insert(moved, at: Int.random(in: 0...ids.count, using: &random))
    }
    if seed % 10 == 0 { ids.shuffle(using: &random) }
    let changes = ViewDifference.changes(from: old, to: tree())
    #expect(changes.count == ids.count - RandomChangeTests.longestIncreasing(ids))
    for change in changes { #expect(change.name == "move") }
    #expect(try old.applying(changes) == tree())
  }

  /// By the definition: O(n²).
  private static func longestIncreasing(_ numbers: [Int]) -> Int {
    var lengths: [Int] = []
    for index in numbers.indices {
      let before = lengths.indices.filter { numbers[$0] < numbers[index] }.map { lengths[$0] }
      lengths.append(1 + (before.max() ?? 0))
    }
    return lengths.max() ?? 0
  }
}
