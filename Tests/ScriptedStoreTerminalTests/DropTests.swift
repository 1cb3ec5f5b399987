import ScriptValue
import ScriptView
import ScriptedStoreTerminal
import Testing

/// Rows that go to another list by keys.
struct DropTests {
  private static func list(_ name: Value, _ accepts: Value, _ rows: [Int64]) -> Value {
    node(
      "list",
      ["name": name, "label": name, "accepts": accepts, "onDrop": "drop"],
      [
        node(
          "forEach", [:],
          rows.map { ["kind": "text", "text": .string("r\($0)"), "id": .integer($0)] })
      ])
  }

  /// A board whose rows go where they are dropped.
  private func board(_ columns: [(name: String, accepts: Value)], _ rows: [[Int64]]) -> ScreenInUse
  {
    var rows = rows
    func tree() -> Value {
      node(
        "column", [:],
        columns.indices.map { Self.list(.string(columns[$0].name), columns[$0].accepts, rows[$0]) })
    }
    let use = ScreenInUse(tree(), columns: 80)
    use.source.reduce = { source, action in
      guard action["type"] == "drop", let id = action["id"].int, let index = action["index"].int,
        let from = columns.firstIndex(where: { action["from"] == .string($0.name) }),
        let to = columns.firstIndex(where: { action["to"] == .string($0.name) })
      else { return }
      rows[from].removeAll { $0 == Int64(id) }
      rows[to].insert(Int64(id), at: index - 1)
      source.tree = tree()
    }
    return use
  }

  private func sent(_ use: ScreenInUse) -> [Value] {
    use.source.sent.map { [$0["id"], $0["from"], $0["to"], $0["index"]] }
  }

  @Test func altWithLeftAndRightGoesToTheListBeforeOrBehindThatAcceptsItWithTheFocus() {
    let use = board(
      [("a", ["a", "c"]), ("b", "none"), ("c", ["a", "c"])], [[1, 2, 3], [4], [5]])
    #expect(use.marked == "r1")
    use.press(.down, .altLeft)
    #expect(sent(use) == [])
    #expect(use.status.contains("Alt-↑↓ moves · Alt-←→ to another list"))
    use.press(.altRight)
    #expect(sent(use) == [[2, "a", "c", 2]])
    #expect(use.marked == "r2")
    use.press(.altRight)
    #expect(sent(use).count == 1)
    use.press(.altLeft)
    #expect(sent(use).last == [2, "c", "a", 2])
    #expect(use.marked == "r2")
  }

  @Test func aRowThatLeavesItsListUpOrDownGoesToTheEndOrTheBeginningOfTheNext() {
    let use = board([("a", ["a", "b"]), ("b", ["a", "b"])], [[1, 2], [3, 4]])
    use.press(.altDown, .altDown)
    #expect(sent(use) == [[1, "a", "a", 2], [1, "a", "b", 1]])
    use.press(.altUp)
    #expect(sent(use).last == [1, "b", "a", 2])
    #expect(use.marked == "r1")
    use.press(.altUp, .altUp)
    #expect(sent(use).count == 4)
  }

  @Test func theFocusFollowsARowWhoseTreeComesLaterAndGivesUpWhenItHasSettled() {
    let use = board([("a", "b"), ("b", "a")], [[1, 2], []])
    let before = use.source.tree
    use.press(.altRight)
    let after = use.source.tree
    #expect(use.marked == "r1" && before != after)
    let slow = ScreenInUse(before)
    slow.source.isSettled = false
    slow.press(.altRight)
    slow.show(after)
    #expect(slow.marked == "r1")
    // Nothing came of the drop, and another change moves the row later.
    let other = ScreenInUse(before)
    other.press(.altRight)
    other.show(after)
    #expect(other.marked == "r2")
  }
}
