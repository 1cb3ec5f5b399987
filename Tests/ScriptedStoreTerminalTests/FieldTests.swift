import ScriptValue
import ScriptView
import ScriptedStoreTerminal
import Testing

/// Fields on a terminal.
struct FieldTests {
  /// A field whose store writes what is entered.
  private func field(
    _ value: String, kind: String = "textField", _ properties: Value.Object = [:],
    columns: Int = 40, formatting: @escaping (String) -> String = { $0 }
  ) -> ScreenInUse {
    func tree(_ value: String) -> Value {
      var all: Value.Object = ["label": "F", "bind": "f", "value": .string(value)]
      for (key, value) in properties { all[key] = value }
      return node("column", [:], [node(kind, all), button("after")])
    }
    let use = ScreenInUse(tree(value), columns: columns)
    use.source.reduce = { source, action in
      if let text = action["value"].string { source.tree = tree(formatting(text)) }
    }
    return use
  }

  private func value(_ use: ScreenInUse) -> String? { use.source.sent.last?["value"].string }

  @Test func typingSendsEachTextWithTheCaretWhereItIs() {
    let use = field("")
    use.type("Milk")
    #expect(use.lines[0] == "F: Milk____________________")
    #expect(use.terminal.cursor == (7, 0))
    use.press(.left, .left, .backspace)
    use.type("u")
    #expect(value(use) == "Mulk")
    #expect(use.terminal.cursor == (5, 0))
    use.press(.home, .delete, .end, .character("!"))
    #expect(value(use) == "ulk!")
    use.press(.paste("a\nb"))
    #expect(value(use) == "ulk!a b")
  }

  @Test func theFocusAndTheTextStayWithAFieldWhenANodeComesOrGoesAboveIt() {
    func tree(_ above: [Value], _ value: String) -> Value {
      let fields = ["a", "b"].map { name -> Value in
        let text: Value = name == "b" ? .string(value) : ""
        return node(
          "textField", ["label": .string(name.uppercased()), "bind": .string(name), "value": text])
      }
      return node("form", ["label": "F"], above + fields)
    }
    let use = ScreenInUse(tree([], ""))
    use.source.reduce = { source, action in
      source.tree = tree([.string("Saved")], action["value"].string ?? "")
    }
    use.press(.tab)
    use.type("xyz")
    use.press(.left)
    use.type("!")
    #expect(use.source.sent.last == ["type": "binding", "key": "b", "value": "xy!z"])
    use.show(tree([], "xy!z"))
    use.type("?")
    #expect(use.source.sent.last == ["type": "binding", "key": "b", "value": "xy!?z"])
  }

  @Test func theFocusStaysInARowWhoseViewRaises() {
    func tree(_ isBroken: Bool) -> Value {
      func row(_ id: Value, _ value: Value) -> Value {
        let field = node("textField", ["label": "N", "bind": "n", "value": value])
        guard isBroken, id == 1 else { return node("row", ["id": id], [field]) }
        return node("failed", ["id": id, "error": ["message": "no"]], [node("row", [:], [field])])
      }
      let rows = node("forEach", ["action": "rows"], [row(1, "ba"), row(2, "")])
      return node("list", ["label": "L"], [rows])
    }
    let use = ScreenInUse(tree(false))
    for isBroken in [true, false] {
      use.show(tree(isBroken))
      use.type("g")
      #expect(use.source.sent.last?["id"] == 1)
    }
  }

  @Test func wideCharactersTakeTwoColumnsAndMarksNone() {
    let use = field("")
    use.type("日👍x")
    #expect(use.lines[0].hasPrefix("F: 日👍x_"))
    #expect(use.terminal.cursor == (8, 0))
    use.press(.left, .backspace, .left)
    #expect(value(use) == "日x")
    #expect(use.terminal.cursor == (3, 0))
    use.press(.end, .character("e"), .character("\u{301}"))
    #expect(value(use) == "日xe\u{301}")
    #expect(use.terminal.cursor == (7, 0))
  }

  @Test func aLongTextScrollsSoThatTheCaretIsSeen() {
    let use = field("", columns: 20)
    use.type("abcdefghijklmnopqrstuvwxyz")
    #expect(use.lines[0] == "F: klmnopqrstuvwxyz_")
    #expect(use.terminal.cursor == (19, 0))
    use.press(.home)
    #expect(use.lines[0] == "F: abcdefghijklmnopq")
    #expect(use.terminal.cursor == (3, 0))
    use.press(.tab)
    #expect(use.lines[0] == "F: abcdefghijklmnopq")
  }

  @Test func aClickSetsTheCaret() {
    let use = field("Milk")
    use.click("lk_")
    use.type("X")
    #expect(value(use) == "MiXlk")
    use.click("___", 2)
    use.type("Y")
    #expect(value(use) == "MiXlkY")
  }

  @Test func whatTheStoreMakesOfTheTextIsShownAndTheCaretStaysBehindItsCharacter() {
    let use = field("") { $0.uppercased().filter { $0 != "X" } }
    use.type("ab")
    #expect(use.lines[0].hasPrefix("F: AB_"))
    use.press(.left)
    use.type("x")
    #expect(use.lines[0].hasPrefix("F: AB_"))
    #expect(use.terminal.cursor == (4, 0))
    use.type("c")
    #expect(use.lines[0].hasPrefix("F: ACB_"))
    #expect(use.terminal.cursor == (5, 0))
  }

  @Test func whileTheStoreIsBusyThePersonTypesOn() {
    let use = field("")
    let reduce = use.source.reduce
    var late: [Value] = []
    use.source.reduce = { late.append($1) }
    use.source.isSettled = false
    use.type("abc")
    #expect(use.lines[0].hasPrefix("F: abc_"))
    reduce(use.source, late[0])
    use.show(use.source.tree)
    #expect(use.lines[0].hasPrefix("F: abc_"))
    reduce(use.source, late[2])
    use.source.isSettled = true
    use.show(use.source.tree)
    #expect(use.lines[0].hasPrefix("F: abc_"))
    #expect(use.terminal.cursor == (6, 0))
  }

  @Test func enterSubmitsTheFormOrGoesOn() {
    let use = field("")
    use.press(.enter)
    #expect(use.marked == "[ after ]")
    let form = field("", ["onSubmit": "done"])
    form.press(.enter)
    #expect(form.source.sent == [["type": "done"]])
  }

  @Test func anEditorHasLinesInWhichArrowsAndClicksMoveTheCaret() {
    let use = field("", kind: "textEditor", ["lines": 3], columns: 30)
    use.type("one two")
    use.press(.enter)
    use.type("three")
    #expect(value(use) == "one two\nthree")
    #expect(use.terminal.cursor == (7, 2))
    use.press(.up)
    #expect(use.terminal.cursor == (7, 1))
    use.press(.home, .character("X"), .end, .character("Y"))
    #expect(value(use) == "Xone twoY\nthree")
    use.click("three", 2)
    use.press(.backspace)
    #expect(value(use) == "Xone twoY\ntree")
    use.press(.down)
    #expect(use.marked == "[ after ]")
  }

  @Test func escapeEmptiesASearchFieldAndThenItDoesWhatItDid() {
    func tree(_ value: String) -> Value {
      let search = node(
        "textField", ["label": "F", "bind": "F", "value": .string(value), "style": "search"])
      let form = node("form", [:], [search, button("after")])
      return node("screen", ["sheet": node("child", ["action": "add"], [form])])
    }
    let use = ScreenInUse(tree("tea"))
    use.source.reduce = { source, action in
      if let text = action["action"]["value"].string { source.tree = tree(text) }
    }
    var entered: String? { use.source.sent.last?["action"]["value"].string }
    #expect(use.text.contains("F: ⌕ tea_"))
    #expect(use.status.contains("Esc clears") && !use.status.contains("Esc closes"))
    use.press(.escape)
    #expect(entered == "")
    #expect(use.text.contains("F: ⌕ ____"))
    #expect(use.status.contains("Esc closes"))
    use.type("x")
    #expect(entered == "x")
    use.press(.escape, .control("_"))
    #expect(entered == "x")
    // Another control leaves Escape to the sheet.
    use.press(.tab)
    #expect(use.status.contains("Esc closes"))
    use.press(.backTab, .escape)
    #expect(use.press(.escape) == .none)
    #expect(use.source.sent.last == ["type": "add", "action": ["type": "dismiss"]])
  }

  @Test func escapeLeavesAFieldOfAnotherStyleAsItIs() {
    let use = field("tea")
    #expect(!use.status.contains("Esc"))
    #expect(use.press(.escape) == .escape)
    #expect(use.source.sent.isEmpty)
  }

  @Test func aSearchFieldThatRefusesToBeEmptyKeepsItsText() {
    let use = ScreenInUse(node("textField", ["label": "F", "style": "search", "value": "tea"]))
    use.press(.escape)
    #expect(use.lines[0].hasPrefix("F: ⌕ tea_"))
    #expect(use.status.hasPrefix("the textField 'F' has neither"))
  }

  @Test func aPasswordIsNotShown() {
    let use = field("", kind: "secureField")
    use.type("ab")
    #expect(use.lines[0].hasPrefix("F: **_"))
  }

  @Test func aDateIsEnteredWhenItIsOne() {
    let use = field("2024-05-01", kind: "datePicker")
    use.press(.backspace)
    #expect(use.source.sent.isEmpty)
    #expect(use.lines[0] == "F: [2024-05-0]")
    use.type("9")
    #expect(value(use) == "2024-05-09")
    use.press(.backspace, .enter)
    #expect(use.status.contains("takes a date"))
  }

  @Test func aFileIsChosenByItsPathWhichTheSourceTakesWithEnter() {
    let use = ScreenInUse(
      node("file", ["label": "F", "bind": "f", "value": ["name": "old.png", "path": "uploads/1"]]))
    #expect(use.lines[0].hasPrefix("F: (old.png)"))
    use.press(.enter)
    #expect(use.source.chosen.isEmpty)
    use.type("'/tmp/a b.png' ")
    #expect(use.status.contains("Enter chooses the file at this path"))
    use.press(.enter)
    #expect(use.source.chosen.map(\.file) == ["/tmp/a b.png"])
    #expect(use.lines[0].hasPrefix("F: (old.png)"))
    use.type("none")
    use.press(.enter)
    #expect(use.status.contains("there is no file"))
    #expect(use.lines[0].hasPrefix("F: none_"))
  }

  @Test func aCopiedTextGoesToTheClipboardOfTheTerminalOnce() {
    let use = ScreenInUse(node("button", ["text": "Copy", "copy": "Grüße"]))
    _ = use.screen.handle(.enter)
    let bytes = String(decoding: use.screen.bytes(), as: UTF8.self)
    #expect(bytes.hasPrefix("\u{1B}]52;c;R3LDvMOfZQ==\u{07}"))
    _ = use.screen.handle(.tab)
    #expect(!String(decoding: use.screen.bytes(), as: UTF8.self).contains("]52;"))
    #expect(use.source.sent.isEmpty)
  }

  @Test func aTextOfAStateCannotCommandTheTerminal() {
    let use = field("a\u{1B}[2Jb")
    #expect(use.lines[0].hasPrefix("F: a\\027[2Jb_"))
    use.press(.left, .backspace)
    #expect(value(use) == "a\u{1B}[2b")
  }
}
