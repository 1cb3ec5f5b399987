import ScriptValue
import ScriptView
import Testing

/// Selecting, deleting and moving rows.
struct RowGestureTests {
  private let list = child(
    "inbox",
    node(
      "list",
      [
        "selection": "selectedId", "onDelete": ["delete", ["source": "list"]], "onMove": "move",
        "window": ["first": 11, "count": 4, "total": 50],
      ],
      [
        text("header"),
        node(
          "forEach", ["action": "rows"],
          [row(1, text("a")), row(2, node("nothing")), row(3, text("c"))]),
      ]))

  private func sent(_ gesture: ViewGesture, at path: Value = [1]) throws -> Value {
    let outcome = try ViewScreen(list).perform(gesture, at: try #require(ViewPath(path)))
    guard case .send(let action, _) = outcome else { return .null }
    #expect(action["type"] == "inbox")
    return action["action"]
  }

  private func refusal(_ gesture: ViewGesture, at path: Value = [1]) -> ViewRefusal? {
    #expect(throws: ViewRefusal.self) { try sent(gesture, at: path) }
  }

  @Test func selectingBindsTheListsSelectionToTheIdOrToNothing() throws {
    let one: Value = ["type": "binding", "key": "selectedId", "value": 1]
    #expect(try sent(.select(1)) == one)
    #expect(try sent(.select(nil), at: [1, 2, [1]]) == one)
    #expect(try sent(.tap, at: [1, 2, [1]]) == one)
    #expect(try sent(.select(nil)) == ["type": "binding", "key": "selectedId", "value": .null])
    #expect(refusal(.select(9))?.message == "the list at \"1\" shows no row with the id 9")
    #expect(refusal(.select(nil), at: [1, 1])?.reason == .impossible)
  }

  @Test func deletingSendsTheIdsAndTheNumbersAmongAllRowsInTheOrderOfTheList() throws {
    #expect(
      try sent(.delete([3, 1, 3]))
        == ["type": "delete", "source": "list", "ids": [1, 3], "rows": [12, 14]])
    #expect(
      try sent(.delete([]), at: [1, 2, [3]])
        == ["type": "delete", "source": "list", "ids": [3], "rows": [14]])
    #expect(
      try sent(.delete([]), at: [1, 1])
        == ["type": "delete", "source": "list", "ids": [.null], "rows": [11]])
  }

  @Test func aRowThatIsNotShownCannotBeDeletedAndAListNeedsIds() {
    #expect(refusal(.delete([2]))?.reason == .absent)
    #expect(refusal(.delete([2, 3]))?.reason == .absent)
    #expect(refusal(.delete([]))?.reason == .value)
  }

  @Test func movingGoesBeforeARowOrBehindTheLastOne() throws {
    #expect(
      try sent(.move([3], to: 1)) == ["type": "move", "ids": [3], "rows": [14], "to": 1])
    #expect(try sent(.move([], to: 51), at: [1, 2, [1]])["to"] == 51)
    #expect(refusal(.move([1], to: 52))?.reason == .value)
    #expect(refusal(.move([1], to: 0))?.reason == .value)
    #expect(refusal(.move([1], to: .min))?.reason == .value)
    #expect(refusal(.move([1], to: .max))?.reason == .value)
  }

  @Test func aRowOfAListWithoutOnDeleteCannotBeDeletedAndWhatIsNoRowNeither() {
    let plain = ViewScreen(node("list", [:], [text("a")]))
    for gesture in [ViewGesture.delete([]), .move([], to: 1), .select(nil), .tap] {
      let error = #expect(throws: ViewRefusal.self) {
        try plain.perform(gesture, at: ViewPath([.child(1)]))
      }
      #expect(error?.reason == .impossible)
    }
    #expect(throws: ViewRefusal.self) { try ViewScreen(text("a")).perform(.delete([])) }
  }

  @Test(
    arguments: [
      ["first": 5, "count": 1, "total": 2], ["first": 1, "count": 1, "total": .integer(.max)], 3,
    ] as [Value])
  func aWindowOfNonsenseIsNone(window: Value) throws {
    let list = node(
      "list", ["onMove": "move", "window": window], [node("forEach", [:], [row(1, text("a"))])])
    let outcome = try ViewScreen(list).perform(.move([1], to: 1))
    #expect(outcome != .nothing)
  }
}
