import ScriptValue
import ScriptView
import Testing

/// Drawings as text.
struct TextDrawingTests {
  private func expect(
    _ tree: Value, width: Int = 80, _ drawing: String, _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(TextDrawing.draw(tree, width: width) == drawing, sourceLocation: location)
  }

  @Test func aScreenReadsAsADrawing() {
    expect(
      Screens.milk,
      """
      Todos
      ═════

      Filter: ( all | [active] | completed )

      [ ] Milk____
      [x] Bread___

      [ Clear completed ] (disabled) [ Add ]
      """)
  }

  @Test func whatIsPresentedStandsInAFrameBelowTheRestAnAlertWithItsButtonsLast() {
    var tree = node("screen", ["title": "Items"])
    tree["alert"] = child(
      "alert", Screens.alert("Delete?", [button("Delete"), button("Cancel")], message: "For good."))
    tree["sheet"] = child("add", node("screen", ["title": "New"], [text("inside")]))
    expect(
      tree,
      """
      Items
      ═════

      ┌ sheet ─┐
      │ New    │
      │ ═══    │
      │        │
      │ inside │
      └────────┘

      ┌ alert ────────────────┐
      │ Delete?               │
      │ For good.             │
      │                       │
      │ [ Delete ] [ Cancel ] │
      └───────────────────────┘
      """)
  }

  @Test func columnsStandBesideEachOtherFrom60CellsOnAndBelowEachOtherOtherwise() {
    let tree = node("columns", [:], [text("one two"), button("three"), text("four")])
    expect(tree, width: 64, "one two               [ three ]             four")
    expect(tree, width: 59, "one two\n\n[ three ]\n\nfour")
    // Inside of a narrower place they do as in a narrower drawing.
    expect(
      node("columns", [:], [tree, text("x")]), width: 80,
      """
      one two                                  x

      [ three ]

      four
      """)
    expect(
      node("columns", ["spacing": "none"], [text("a"), text("b")]), width: 60,
      "a" + String(repeating: " ", count: 29) + "b")
  }

  @Test func theFirstColumnOfASidebarIsNarrowOrAsWideAsItsWords() {
    func sidebar(_ children: Value...) -> Value {
      node("columns", ["style": "sidebar", "spacing": "none"], children)
    }
    func blank(_ count: Int) -> String { String(repeating: " ", count: count) }
    expect(sidebar(text("a"), text("b")), width: 80, "a" + blank(23) + "b")
    expect(sidebar(text("a"), text("b")), width: 59, "a\n\nb")
    expect(
      sidebar(text("a"), text("b"), text("c")), width: 80,
      "a" + blank(23) + "b" + blank(27) + "c")
    // Two cells of 16 letters, and what is between them.
    let word = String(repeating: "w", count: 16)
    let wide = node("table", [:], [node("row", [:], [text(word), text(word)])])
    expect(sidebar(wide, text("b")), width: 80, word + "  " + word + "b")
    // What is beside it takes the room that is left, and has to be readable there.
    let three = node("table", [:], [node("row", [:], [text(word), text(word), text("www")])])
    expect(sidebar(text("a"), three), width: 63, "a" + blank(23) + "\(word)  \(word)  www")
    expect(sidebar(text("a"), three), width: 62, "a\n\n\(word)  \(word)  www")
    expect(sidebar(text("a")), width: 80, "a")
  }

  @Test func aScreenIsAsWideAsItsWordSaysAndARowThatWrapsGoesOnInTheNextLine() {
    let rule = node("divider")
    func widest(_ width: String?) -> Int {
      var screen = node("screen", [:], [rule])
      if let width { screen["width"] = .string(width) }
      return TextDrawing.draw(screen, width: 120).count
    }
    #expect(
      [widest("narrow"), widest("wide"), widest("full"), widest(nil)] == [60, 100, 120, 120])
    #expect(
      HTMLDrawing.draw(node("screen", ["width": "wide"])).contains(#"class="screen width-wide""#))
    expect(
      node("row", ["wrap": true], [button("first"), button("second"), button("third")]), width: 24,
      "[ first ] [ second ]\n[ third ]")
  }

  @Test func anErrorStandsInItsPlaceAboveTheLastGoodTree() {
    let broken = failed("attempt to index nil", location: "app.lua:12", text("last good"))
    expect(
      node("column", [:], [text("before"), child("a", broken), text("after")]),
      """
      before

      ! attempt to index nil
        app.lua:12
      last good

      after
      """)
    let rows = [Screens.todo(1, "Milk"), row(2, failed("no", traceback: "a\nb", text("last")))]
    expect(
      node("list", [:], [node("forEach", [:], rows)]), "[ ] Milk____\n\n! no\n  a\nb\nlast")
  }

  @Test func controlsShowWhatTheyAreWhatTheyHoldAndWhatIsWrongWithIt() {
    expect(
      node(
        "form", [:],
        [
          node(
            "textField",
            [
              "label": "Name", "prompt": "Who?", "value": "", "error": "too short",
              "hint": "In full",
            ]),
          node("textField", ["label": "Name", "labelHidden": true]),
          node("textField", ["label": "Find", "style": "search", "value": "tea"]),
          node("textField", ["label": "Find", "style": "search", "labelHidden": true]),
          node("secureField", ["label": "Password", "value": "secret"]),
          node("textEditor", ["label": "Notes", "value": "a\nb", "lines": 2]),
          node("toggle", ["label": "Done", "value": true]),
          node("slider", ["label": "Volume", "value": 40, "max": 100]),
          node("stepper", ["label": "Count", "value": 3.0]),
          node("datePicker", ["label": "Due", "value": "2024-05-01"]),
          node("datePicker", ["label": "Due"]),
          node("file", ["label": "Picture", "hint": "At most 2 MB"]),
          node("file", ["label": "Picture", "value": ["name": "cat.png", "path": "uploads/1"]]),
          node("picker", ["label": "Sort", "style": "menu", "value": 1, "options": [1, 2]]),
          node(
            "picker",
            ["style": "radio", "value": 2, "options": [1, ["value": 2, "label": "Two"]]]),
          node("menu", ["label": "More"], [button("Copy")]),
          node("menu", ["label": "More", "icon": "ellipsis", "labelHidden": true]),
          node("menu", ["label": "More", "icon": "trash", "labelHidden": true]),
          node("menu", ["label": "More", "labelHidden": true]),
          node("link", ["text": "Docs", "href": "https://a.b"]),
          node("link", ["text": "Docs", "href": "javascript:x"]),
          node("link", ["text": "Get", "file": "exports/all.csv"]),
        ]),
      """
      Name: (Who?)__
        In full
        ! too short
      (Name)__
      Find: ⌕ tea_____
      ⌕ (Find)__
      Password: ******__
      Notes:
      │ a
      │ b_
      [x] Done
      Volume: [####------] 40
      Count: [-] 3 [+]
      Due: [2024-05-01]
      Due: [ - ]
      Picture: [ choose a file ]
        At most 2 MB
      Picture: [ cat.png ]
      Sort: [ 1 ▾ ]
      ( ) 1
      (*) Two
      [ More ▾ ]
        [ Copy ]
      [ … ▾ ]
      [ More ▾ ]
      [ More ▾ ]
      <Docs>
      <Docs> (address left out)
      <Get>
      """)
  }

  @Test func whatShowsSomethingIsDrawnInWords() {
    expect(
      node(
        "column", [:],
        [
          node("heading", ["text": "Big", "level": 1]),
          node("heading", ["text": "Small", "level": 3]),
          text("a\nb"), node("image", ["label": "A cat"]), node("image", ["decorative": true]),
          node("icon", ["text": "star"]), node("progress", ["label": "Loading", "value": 0.4]),
          node("progress"), node("badge", ["text": 3]),
          node("date", ["value": "2024-05-01T12:00"]),
          node(
            "number", ["label": "Price", "value": 1234.5, "style": "currency", "currency": "EUR"]),
          node("text"), node("spacer"),
        ]),
      """
      Big
      ───

      Small

      a
      b
      [image: A cat]
      ★
      Loading: [####------] 40 %
      …
      (3)
      2024-05-01 12:00
      Price: 1,234.50 EUR
      """)
  }

  @Test func aTableHasColumnsASelectedRowAndAWindow() {
    let rows = [("Milk", 0.95), ("牛乳 and honey", 1200.0)].enumerated().map { index, item in
      row(
        .integer(Int64(index)),
        node("row", [:], [text(item.0), node("number", ["value": .float(item.1), "digits": 2])]))
    }
    expect(
      node(
        "table",
        [
          "columns": [["title": "Name"], ["title": "Price", "align": "end"]], "selection": "s",
          "selected": 1, "window": ["first": 61, "count": 2, "total": 100_000],
        ], [node("forEach", [:], rows)]),
      """
      … 60 before
        Name               Price
        ────────────────────────
        Milk                0.95
      > 牛乳 and honey  1,200.00
      … 99,938 more
      """)
  }

  @Test func sectionsGroupsTabsDisclosuresAndStacksAreToldApart() {
    expect(
      node(
        "column", [:],
        [
          node(
            "list", [:], [node("section", ["title": "Fruit", "footer": "fresh"], [text("Apple")])]),
          node("group", ["title": "Set"], [text("x")]), node("group", [:], [text("y")]),
          node(
            "tabs", ["value": "B"],
            [node("column", ["label": "A"]), node("column", ["label": "B"], [text("b")])]),
          node("disclosure", ["label": "Open"], [text("inside")]),
          node("disclosure", ["label": "Closed", "value": false], [text("inside")]),
          node(
            "navigation", ["action": "path"],
            [node("screen", ["title": "Root"]), node("forEach", [:], [row(1, text("Detail"))])]),
          node("host", ["name": "map"]), node("slidr", [:], [text("z")]), ["x": 1],
        ]),
      """
      Fruit
        Apple
        fresh

      Set
        x

      y

      ( A | [B] )

      b

      ▾ Open
        inside
      ▸ Closed
      ‹ Root
      Detail
      [host: map]
      (unknown element 'slidr')
      z
      (a node without a kind)
      """)
  }

  @Test func rowsLayOutByWordsSpacersAndGrowTakeTheRestAlignmentsGoToAnEdge() {
    expect(
      node("row", [:], [text("left"), node("spacer"), text("right")]), width: 20,
      "left           right")
    expect(
      node("row", ["spacing": "large"], [node("text", ["text": "a", "grow": true]), text("b")]),
      width: 12, "a          b")
    expect(
      node(
        "column", [:],
        [
          node("text", ["text": "end", "align": "end"]),
          node("text", ["text": "mid", "align": "center"]),
        ]),
      width: 9, "      end\n   mid")
    expect(
      node("row", ["wrap": true], (1...5).map { button("b\($0)") }), width: 19,
      "[ b1 ] [ b2 ]\n[ b3 ] [ b4 ]\n[ b5 ]")
  }

  @Test func aRowThatIsTooLongGivesEachTextItsShareAndWrapsIfThatIsNotEnough() {
    let words = "one two three four five six"
    expect(
      node("row", [:], [text(words), text(words)]), width: 31,
      """
      one two three   one two three
      four five six   four five six
      """)
    expect(
      node("row", [:], [text("wonderful"), text("marvellous")]), width: 12, "wonderful\nmarvellous")
  }

  @Test func textsAreBrokenBetweenWordsWideCharactersAnywhereLongWordsWhereTheyMust() {
    expect(text("the quick brown fox"), width: 10, "the quick\nbrown fox")
    expect(text("牛乳牛乳牛乳"), width: 5, "牛乳\n牛乳\n牛乳")
    expect(text("abcdefghij"), width: 4, "abcd\nefgh\nij")
    expect(text("  indented text"), width: 10, "  indented\ntext")
    expect(
      node("toggle", ["label": "the quick brown fox"]), width: 16, "[ ] the quick\n    brown fox")
  }

  @Test func gridsHaveSoManyColumnsOrAsManyAsFit() {
    let cells = (1...5).map { text("cell \($0)") }
    expect(node("grid", ["columns": 2], cells), "cell 1  cell 2\ncell 3  cell 4\ncell 5")
    expect(node("grid", [:], cells), width: 24, "cell 1  cell 2  cell 3\ncell 4  cell 5")
    expect(
      node("grid", ["columns": 0], cells), width: 3,
      "cel\nl 1\ncel\nl 2\ncel\nl 3\ncel\nl 4\ncel\nl 5")
  }

  @Test(arguments: [.null, false, [], node("column"), node("nothing")] as [Value])
  func nothingIsDrawnOfNothing(tree: Value) {
    #expect(!TextDrawing.draw(tree).contains("\n"))
  }
}
