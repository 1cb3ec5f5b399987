import Testing

@testable import ScriptValue

/// Ranges in which two versions of a list differ.
struct ListHunkTests {
  private func row(_ id: Int, _ n: Int = 0) -> Value {
    ["id": .integer(Int64(id)), "n": .integer(Int64(n))]
  }

  private func rows(_ ids: some Sequence<Int>) -> Value.List { Value.List(ids.map { row($0) }) }

  private func hunk(_ removed: Range<Int>, _ added: Range<Int>) -> ListHunk {
    ListHunk(removed: removed, added: added)
  }

  @Test func aChangedRowOfManyIsARangeOfOne() {
    let old = rows(0..<100_000)
    var new = old
    new[70_000] = row(70_000, 1)
    #expect(new.hunks(from: old) == [hunk(70_000..<70_001, 70_000..<70_001)])
  }

  @Test func twoRowsThatAreSwappedAreTwoRangesOfOne() {
    let old = rows(0..<100_000)
    var new = old
    new.swapAt(1, 99_998)
    #expect(new.hunks(from: old) == [hunk(1..<2, 1..<2), hunk(99_998..<99_999, 99_998..<99_999)])
  }

  @Test func aRowThatMovesFromOneEndToTheOtherIsRemovedFromTheOneAndAddedToTheOther() {
    let old = rows(0..<10_000)
    var new = old
    new.append(new.remove(at: 0))
    #expect(new.hunks(from: old) == [hunk(0..<1, 0..<0), hunk(10_000..<10_000, 9999..<10_000)])
  }

  @Test func manyRowsThatArePutBetweenOthersAreOneRange() {
    let old = rows(0..<1000)
    var new = old
    new[3] = row(3, 1)
    new.insert(contentsOf: rows(5000..<6000), at: 500)
    #expect(new.hunks(from: old) == [hunk(3..<4, 3..<4), hunk(500..<500, 500..<1500)])
  }

  @Test func listsThatAreTheSameHaveNoRanges() {
    let list = rows(0..<10)
    #expect(list.hunks(from: list).isEmpty)
    #expect(Value.List(Array(list)).hunks(from: list).isEmpty)
    #expect(Value.List().hunks(from: []).isEmpty)
    #expect(Value.List([1, 2]).hunks(from: [1.0, 2.0]).isEmpty)
  }

  @Test func allRowsOfAListThatWasEmptyOrBecomesEmptyAreOneRange() {
    #expect(rows(0..<3).hunks(from: []) == [hunk(0..<0, 0..<3)])
    #expect(Value.List().hunks(from: rows(0..<3)) == [hunk(0..<3, 0..<0)])
  }

  @Test func emptyTablesOfTwoKindsEndTheWalk() {
    let old: Value.List = [[:], 1, [:]]
    let new: Value.List = [[], 2, []]
    #expect(!new.hunks(from: old).isEmpty)
  }

  @Test(arguments: 0..<300 as Range<UInt64>)
  func whatIsOutsideOfTheRangesIsTheSameInBothLists(seed: UInt64) {
    var random = SplitMix(seed: seed)
    let old = rows(0..<Int.random(in: 0...200, using: &random))
    var new = old
    for number in 0..<Int.random(in: 1...12, using: &random) {
      let at = Int.random(in: 0...new.count, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0: new.insert(row(1000 + number), at: at)
      case 1 where at < new.count: new.remove(at: at)
      case 2 where at < new.count: new[at] = row(new[at]["id"].int ?? 0, number + 1)
      case 3 where at < new.count:
        let moved = new.remove(at: at)
        new.insert(moved, at: Int.random(in: 0...new.count, using: &random))
      default:
        new.replaceSubrange(at..., with: rows(2000..<2000 + Int.random(in: 0...30, using: &random)))
      }
    }
    var (before, after) = (0, 0)
    for hunk in new.hunks(from: old) {
      #expect(hunk.removed.lowerBound - before == hunk.added.lowerBound - after)
      #expect(before == 0 || hunk.removed.lowerBound > before, "no two ranges are neighbours")
      for (a, b) in zip(old[before..<hunk.removed.lowerBound], new[after..<hunk.added.lowerBound]) {
        #expect(a.isIdentical(to: b))
      }
      (before, after) = (hunk.removed.upperBound, hunk.added.upperBound)
    }
    #expect(old.count - before == new.count - after)
    for (a, b) in zip(old[before...], new[after...]) { #expect(a.isIdentical(to: b)) }
  }
}
