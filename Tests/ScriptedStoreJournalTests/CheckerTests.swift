import Testing

/// The checker finds each thing that can be wrong with a list.
@Suite struct CheckerTests {
  private static func item(_ number: Int) -> ListItem { ListItem(store: "a", number: number) }

  /// The items 1 and 2 one after the other, 3 without an answer, 4 that failed, and 5.
  private static let events: [ListEvent] = [
    .read(store: "a", numbers: []),
    .invoke(item(1)), .ok(item(1)), .read(store: "a", numbers: [1]),
    .invoke(item(2)), .invoke(item(3)), .ok(item(2)), .unknown(item(3)),
    .invoke(item(4)), .fail(item(4)), .invoke(item(5)), .ok(item(5)),
    .read(store: "a", numbers: [1, 2]),
  ]

  @Test(arguments: [[1, 2, 5], [1, 2, 3, 5], [1, 2, 5, 3]])
  func aListThatIsAsItShouldBeHasNoFaults(_ list: [Int]) {
    #expect(faults(of: Self.events, in: ["a": list]) == [])
  }

  @Test(arguments: [
    ([1, 2], ListFault.lost(item(5))),
    ([1, 2, 5, 5], .twice(item(5))),
    ([1, 2, 3, 5, 3], .twice(item(3))),
    ([1, 2, 4, 5], .failedButThere(item(4))),
    ([1, 2, 5, 6], .notSent(item(6))),
    ([1, 5, 2], .reordered(item(2), item(5))),
    ([2, 1, 5], .reordered(item(1), item(2))),
    ([1, 3, 2, 5], .readIsNoPrefix(store: "a", count: 2)),
  ])
  func aListThatIsNotIsTold(_ list: [Int], _ fault: ListFault) {
    #expect(faults(of: Self.events, in: ["a": list]).contains(fault))
  }

  @Test func aReadThatWentBackIsTold() {
    let events = Self.events + [.read(store: "a", numbers: [1])]
    #expect(
      faults(of: events, in: ["a": [1, 2, 5]]) == [.readWentBack(store: "a", count: 1)])
  }

  @Test func aRetryThatFailsTellsNothingOfWhatHadNoAnswer() {
    let events = Self.events + [.invoke(Self.item(3)), .fail(Self.item(3))]
    #expect(faults(of: events, in: ["a": [1, 2, 3, 5]]) == [])
    let retried = Self.events + [.invoke(Self.item(3)), .ok(Self.item(3))]
    #expect(faults(of: retried, in: ["a": [1, 2, 5]]) == [.lost(Self.item(3))])
  }

  @Test func theListsOfStoresAreJudgedApart() {
    let other = ListItem(store: "b", number: 1)
    let events = Self.events + [.invoke(other), .ok(other)]
    #expect(faults(of: events, in: ["a": [1, 2, 5], "b": [1]]) == [])
    #expect(faults(of: events, in: ["a": [1, 2, 5]]) == [.lost(other)])
  }
}
