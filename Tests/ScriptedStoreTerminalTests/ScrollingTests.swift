import ScriptValue
import ScriptView
import ScriptedStoreTerminal
import Testing

/// Scrolling on a terminal.
struct ScrollingTests {
  private func rows(_ numbers: ClosedRange<Int>, _ window: Value.Object? = nil) -> Value {
    var list: Value.Object = [:]
    if let window { list["window"] = .object(window) }
    let rows = numbers.map { number in
      var row = button("row \(number)")
      row["id"] = .integer(Int64(number))
      return row
    }
    return node(
      "screen", ["title": "Rows"],
      [node("list", list, [node("forEach", ["action": "rows"], rows)])])
  }

  @Test func aLongScreenScrollsWithTheFocusByPagesToItsEndsAndByTheWheel() {
    let use = ScreenInUse(rows(1...50), rows: 10)
    #expect(use.lines[0] == "Rows")
    #expect(use.status.hasSuffix("1–9 of 53"))
    for _ in 0..<10 { use.press(.down) }
    #expect(use.marked == "[ row 11 ]")
    #expect(use.lines[8] == "[ row 11 ]")
    use.press(.pageDown)
    #expect(use.lines[0] == "[ row 11 ]")
    use.press(.end)
    #expect(use.marked == "[ row 50 ]")
    #expect(use.lines[8] == "[ row 50 ]")
    use.press(.mouse(MouseEvent(.wheelUp, column: 0, row: 0)))
    #expect(use.lines[8] == "[ row 47 ]")
    use.press(.home)
    #expect(use.marked == "[ row 1 ]")
    #expect(use.lines[0] == "Rows")
  }

  @Test func aScreenOfAStackIsWhereItWasLeftAfterGoingBack() {
    func tree(_ isOpen: Bool) -> Value {
      let detail = node("screen", ["id": 0, "title": "Detail"], [button("Edit")])
      let entries = node("forEach", [:], isOpen ? [detail] : [])
      return node("navigation", ["action": "path"], [rows(1...50), entries])
    }
    let use = ScreenInUse(tree(false), rows: 10)
    for _ in 0..<30 { use.press(.down) }
    let lines = use.lines
    #expect(use.marked == "[ row 31 ]")
    use.show(tree(true))
    #expect(use.text.contains("Detail"))
    #expect(use.marked != "")
    use.show(tree(false))
    #expect(use.marked == "[ row 31 ]")
    #expect(use.lines == lines)
  }

  @Test func whatIsLookedAtStaysWhereItIsWhenRowsAboveComeAndGo() {
    let use = ScreenInUse(rows(10...50), rows: 10)
    for _ in 0..<12 { use.press(.down) }
    let line = use.lines[8]
    use.show(rows(1...50))
    #expect(use.lines[8] == line)
  }

  @Test func aWindowOfALongListFollowsWhatIsSeenToTheEndAndBack() {
    func tree(_ first: Int, _ count: Int) -> Value {
      let last = min(first + count - 1, 10_000)
      return rows(
        first...last,
        [
          "first": .integer(Int64(first)), "count": .integer(Int64(last - first + 1)),
          "total": 10000,
        ])
    }
    let use = ScreenInUse(tree(1, 60), rows: 10)
    use.source.showWindow = { source, first, count in source.tree = tree(first, count) }
    for number in 2...150 {
      use.press(.down)
      #expect(use.marked == "[ row \(number) ]")
    }
    for _ in 0..<30 { use.press(.mouse(MouseEvent(.wheelDown, column: 0, row: 0))) }
    #expect(use.text.contains("[ row 235 ]"))
    use.press(.end)
    #expect(use.marked == "[ row 10000 ]")
    #expect(use.status.hasSuffix("9992–10000 of 10000"))
    for _ in 0..<100 { use.press(.up) }
    #expect(use.marked == "[ row 9900 ]")
    use.press(.home)
    #expect(use.marked == "[ row 1 ]")
    #expect(use.lines[0] == "Rows")
  }

  @Test func rowsAreSelectedDeletedAndMovedByKeys() {
    let list = node(
      "list",
      ["selection": "sel", "selected": 2, "onDelete": "remove", "onMove": "shift"],
      [
        node(
          "forEach", ["action": "rows"],
          (1...3).map { ["kind": "text", "text": .string("r\($0)"), "id": .integer($0)] })
      ])
    let use = ScreenInUse(list)
    #expect(use.lines[1] == "> r2")
    use.press(.down, .down, .enter)
    #expect(use.source.sent.last == ["type": "binding", "key": "sel", "value": 3])
    use.press(.up, .delete)
    #expect(use.source.sent.last == ["type": "remove", "ids": [2], "rows": [2]])
    use.press(.altDown)
    #expect(use.source.sent.last == ["type": "shift", "ids": [2], "rows": [2], "to": 4])
    use.press(.altUp)
    #expect(use.source.sent.last == ["type": "shift", "ids": [2], "rows": [2], "to": 1])
    use.click("r1")
    #expect(use.source.sent.last == ["type": "binding", "key": "sel", "value": 1])
  }

  @Test(arguments: [(20, 10), (12, 5), (11, 4), (5, 3), (2, 2), (1, 1), (300, 100)])
  func anySizeIsDrawnAndNoCellIsBeyondIt(columns: Int, rows: Int) {
    let sheet = node("child", ["action": "add"], [field("名前", "日本語のとても長いテキスト"), button("Save")])
    let base = node(
      "screen", ["title": "A title that is long"],
      [field("Name", "a value that does not fit"), button("A button with many words")])
    let use = ScreenInUse(base)
    use.resize(columns: columns, rows: rows)
    use.type("xyz")
    var presenting = base
    presenting["sheet"] = sheet
    use.show(presenting)
    use.type("日")
    use.press(.tab, .backTab, .down, .pageDown, .mouse(MouseEvent(.press, column: 0, row: 0)))
    use.resize(columns: 40, rows: 12)
    #expect(use.text.contains("[ Save ]"))
  }

  @Test func withColourTonesAreColouredWithoutItEverythingCanStillBeToldApart() {
    let tree = node(
      "column", [:], [node("text", ["text": "bad", "tone": "danger"]), button("one")])
    let plain = ScreenInUse(tree)
    #expect(plain.terminal.cells[0][0].pen.isEmpty)
    #expect(plain.marked == "[ one ]")
    let colored = ScreenInUse(tree, takesColor: true)
    #expect(colored.terminal.cells[0][0].pen == [31])
    #expect(colored.marked == "[ one ]")
  }

  @Test func aViewThatRaisedIsShownInItsPlaceAndWhatIsAroundItCanBeUsed() {
    let failed = node(
      "failed", ["error": ["message": "out of order", "location": "a.lua:3"]], [button("old")])
    let use = ScreenInUse(node("column", [:], [button("before"), failed, button("behind")]))
    #expect(use.text.contains("! out of order"))
    use.press(.tab, .tab, .enter)
    #expect(use.source.sent == [["type": "behind"]])
  }

  @Test func oneChangedCellOfALargeScreenCostsAtMost40Bytes() {
    func tree(_ count: Int) -> Value {
      node(
        "column", [:],
        [
          node("textField", ["label": "F", "value": "text", "bind": "f"]),
          .string("Count: \(count)"),
        ]
          + (0..<46).map { .string(String(repeating: "words \($0) ", count: 20)) })
    }
    let use = ScreenInUse(tree(1), columns: 200, rows: 50, takesColor: true)
    use.show(tree(2))
    #expect(use.lines[1] == "Count: 2")
    #expect(use.frameBytes > 0 && use.frameBytes <= 40, "\(use.frameBytes)")
    use.show(tree(2))
    #expect(use.frameBytes == 0)
  }
}
