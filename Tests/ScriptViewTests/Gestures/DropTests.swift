import ScriptValue
import ScriptView
import Testing

/// Dropping rows into other lists.
struct DropTests {
  private static func list(
    _ name: Value, accepts: Value? = nil, _ rows: [Value], _ more: Value.Object = [:]
  ) -> Value {
    var properties: Value.Object = ["label": name, "name": name]
    if let accepts {
      properties["accepts"] = accepts
      properties["onDrop"] = ["drop", ["board": 1]]
    }
    for (key, value) in more { properties[key] = value }
    return node("list", properties, [node("forEach", [:], rows.map { row($0, text("\($0)")) })])
  }

  private let board = child(
    "board",
    node(
      "row", [:],
      [
        list("todo", accepts: ["todo", "doing"], [1, 2, 3]),
        list("doing", accepts: ["todo", "doing"], [4, 5]),
        list("done", accepts: "doing", []),
        list("plain", [6], ["onMove": "move"]),
        list(
          "long", accepts: "todo", [70, 71],
          ["window": ["first": 11, "count": 2, "total": 50], "disabled": false]),
        list("off", accepts: "todo", [], ["disabled": true]),
        node("list", ["label": "named by nothing", "onMove": "move"], [text("a")]),
        text("no list"),
      ]))

  private func path(_ list: Int, _ id: Value? = nil) -> ViewPath {
    ViewPath([.child(1), .child(list)] + (id.map { [.child(1), .row(.init(id: $0))] } ?? []))
  }

  private func sent(
    _ id: Value, of list: Int, to row: Int, into other: Int?, in tree: Value? = nil
  ) throws -> Value {
    let gesture = ViewGesture.move([], to: row, into: other.map { path($0) })
    let outcome = try ViewScreen(tree ?? board).perform(gesture, at: path(list, id))
    guard case .send(let action, _) = outcome else { return .null }
    #expect(action["type"] == "board")
    return action["action"]
  }

  private func refusal(
    _ id: Value, of list: Int, to row: Int, into other: Int?
  ) -> ViewRefusal? {
    #expect(throws: ViewRefusal.self) { try sent(id, of: list, to: row, into: other) }
  }

  private func drop(_ id: Value, _ from: Value, _ to: Value, _ index: Value) -> Value {
    ["type": "drop", "board": 1, "id": id, "from": from, "to": to, "index": index]
  }

  @Test func theListThatItIsDroppedIntoSendsTheIdBothNamesAndThePlace() throws {
    #expect(try sent(2, of: 1, to: 1, into: 2) == drop(2, "todo", "doing", 1))
    #expect(try sent(2, of: 1, to: 3, into: 2) == drop(2, "todo", "doing", 3))
    #expect(try sent(4, of: 2, to: 1, into: 3) == drop(4, "doing", "done", 1))
  }

  @Test func thePlaceIsThatInTheWholeListNotInItsWindow() throws {
    #expect(try sent(1, of: 1, to: 12, into: 5) == drop(1, "todo", "long", 12))
    #expect(try sent(1, of: 1, to: 51, into: 5) == drop(1, "todo", "long", 51))
    #expect(refusal(1, of: 1, to: 52, into: 5)?.reason == .value)
  }

  @Test func insideOfItsListARowGetsTheNumberThatItHasAfterwards() throws {
    #expect(try sent(1, of: 1, to: 3, into: nil) == drop(1, "todo", "todo", 2))
    #expect(try sent(1, of: 1, to: 4, into: 1) == drop(1, "todo", "todo", 3))
    #expect(try sent(3, of: 1, to: 1, into: 1) == drop(3, "todo", "todo", 1))
  }

  @Test func insideOfAListWithBothOnMoveHasTheMoveAndOnDropWhatComesFromElsewhere() throws {
    let both = child(
      "board",
      node(
        "row", [:],
        [
          Self.list("todo", accepts: ["todo", "doing"], [1, 2], ["onMove": "move"]),
          Self.list("doing", [4]),
        ]))
    let move: Value = ["type": "move", "ids": [1], "rows": [1], "to": 3]
    #expect(try sent(1, of: 1, to: 3, into: nil, in: both) == move)
    #expect(try sent(1, of: 1, to: 3, into: 1, in: both) == move)
    #expect(try sent(4, of: 2, to: 3, into: 1, in: both) == drop(4, "doing", "todo", 3))
  }

  @Test func aListRefusesRowsOfListsThatItDoesNotAccept() {
    #expect(
      refusal(1, of: 1, to: 1, into: 3)?.message
        == "the list 'done' does not accept rows of the list 'todo'")
    #expect(refusal(6, of: 4, to: 1, into: 1)?.reason == .impossible)
    #expect(refusal(1, of: 1, to: 1, into: 4)?.reason == .impossible)
    #expect(refusal(1, of: 1, to: 1, into: 7)?.reason == .impossible)
    #expect(refusal(4, of: 2, to: 1, into: 6)?.reason == .disabled)
    #expect(
      refusal(1, of: 1, to: 1, into: 8)?.message
        == "no row can move into the text 'no list', which is no list")
    for row in [0, 4, .min, .max] {
      #expect(refusal(1, of: 1, to: row, into: 2)?.reason == .value)
    }
  }

  @Test func aRowOrAListThatIsGoneIsRefusedAsAbsent() {
    #expect(refusal(9, of: 1, to: 1, into: 2)?.reason == .absent)
    #expect(refusal(1, of: 1, to: 1, into: 12)?.reason == .absent)
  }

  @Test func onlyOneRowAtATimeIsDroppedAndOnlyOneWithAnId() throws {
    let screen = ViewScreen(board)
    let several = #expect(throws: ViewRefusal.self) {
      try screen.perform(.move([1, 2], to: 1, into: path(2)), at: path(1))
    }
    #expect(several?.reason == .value)
    #expect(
      try screen.perform(.move([2], to: 1, into: path(2)), at: path(1))
        != ViewOutcome.nothing)
    let title = node(
      "row", [:],
      [
        node("list", ["name": "a"], [text("title")]),
        node("list", ["name": "b", "accepts": "a", "onDrop": "drop"]),
      ])
    let unnamed = #expect(throws: ViewRefusal.self) {
      try ViewScreen(title).perform(
        .move([], to: 1, into: ViewPath([.child(2)])), at: ViewPath([.child(1), .child(1)]))
    }
    #expect(unnamed?.reason == .impossible)
  }

  @Test func aRowDoesNotGoIntoAListInsideOfItself() {
    let inner = node("list", ["name": "in", "accepts": "out", "onDrop": "drop"])
    let outer = node("list", ["name": "out"], [node("forEach", [:], [row(1, inner)])])
    let rowPath = ViewPath([.child(1), .row(.init(id: 1))])
    let refusal = #expect(throws: ViewRefusal.self) {
      try ViewScreen(outer).perform(.move([], to: 1, into: rowPath), at: rowPath)
    }
    #expect(refusal?.reason == .impossible)
  }

  @Test func whatIsCoveredTakesNoRow() {
    var tree = board.object ?? [:]
    tree["sheet"] = Self.list("sheet", accepts: "sheet", [1, 2])
    let refusal = #expect(throws: ViewRefusal.self) {
      try ViewScreen(.object(tree)).perform(
        .move([], to: 1, into: path(1)),
        at: ViewPath([.presentation("sheet"), .child(1), .row(.init(id: 1))]))
    }
    #expect(refusal?.reason == .covered)
  }

  @Test func theAuditNamesListsThatCannotBeToldApartAndDropsThatLeadNowhere() {
    let tree = node(
      "row", [:],
      [
        Self.list("a", accepts: "b", []), Self.list("b", []), Self.list("b", []),
        Self.list("c", []), Self.list("c", []),
        node("list", ["label": "d", "accepts": ["a"]]),
        node("list", ["label": "e", "onDrop": "x"]),
      ])
    let findings = ViewScreen(tree).audit()
    #expect(findings.map(\.kind) == [.incompleteDrop, .incompleteDrop, .doubledName])
    #expect(findings.map(\.path) == [6, 7, 3].map { ViewPath([.child($0)]) })
    #expect(ViewScreen(board).audit().isEmpty)
  }
}
