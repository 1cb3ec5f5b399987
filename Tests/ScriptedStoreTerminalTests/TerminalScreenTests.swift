import ScriptValue
import ScriptView
import ScriptedStoreTerminal
import Testing

/// A screen in use on a terminal.
struct TerminalScreenTests {
  // MARK: Focus

  @Test func tabGoesThroughWhatCanBeUsedInTheOrderOfTheScreenAndAround() {
    let use = ScreenInUse(
      node(
        "column", [:],
        [button("one"), button("two", ["disabled": true]), node("row", [:], [button("three")])]))
    #expect(use.marked == "[ one ]")
    use.press(.tab)
    #expect(use.marked == "[ three ]")
    use.press(.tab)
    #expect(use.marked == "[ one ]")
    use.press(.backTab, .enter)
    #expect(use.source.sent == [["type": "three"]])
  }

  @Test func arrowsGoToTheNearestInTheirDirection() {
    let cells = (1...9).map { button("\($0)") }
    let use = ScreenInUse(node("grid", ["columns": 3], cells))
    use.press(.right, .down)
    #expect(use.marked == "[ 5 ]")
    use.press(.left, .down, .down)
    #expect(use.marked == "[ 7 ]")
    use.press(.up, .up, .up)
    #expect(use.marked == "[ 1 ]")
  }

  @Test func whatHasTheFocusKeepsItWhileTheScreenChangesAndANeighbourGetsItAtTheEnd() {
    func rows(_ ids: [Int]) -> Value {
      node(
        "list", [:],
        [
          node(
            "forEach", ["action": "rows"],
            ids.map { id in
              var row = button("b\(id)")
              row["id"] = .integer(Int64(id))
              return row
            })
        ])
    }
    let use = ScreenInUse(rows([1, 2, 3]))
    use.press(.tab)
    use.show(rows([3, 4, 2, 1]))
    #expect(use.marked == "[ b2 ]")
    use.show(rows([3, 4, 1]))
    #expect(use.marked == "[ b1 ]")
    use.show(rows([]))
    #expect(use.marked == "")
    use.show(rows([5]))
    #expect(use.marked == "[ b5 ]")
  }

  @Test func theStateGivesTheFocusToAFieldByItsNameAndAPersonsFocusIsToldToIt() {
    func form(_ focused: Value) -> Value {
      node(
        "form", ["focus": "at", "focused": focused],
        [field("a", "", ["name": "a"]), field("b", "", ["name": "b"]), button("ok")])
    }
    let use = ScreenInUse(form(.null))
    use.source.reduce = { source, action in
      if action["key"] == "at" { source.tree = form(action["value"]) }
    }
    // Nothing was told to the state before the person has done something.
    #expect(use.marked == "[ ok ]")
    #expect(use.source.sent.isEmpty)
    use.show(form("b"))
    #expect(use.terminal.cursor == (3, 1))
    #expect(use.terminal.modes.contains(25))
    use.press(.backTab)
    #expect(use.terminal.cursor == (3, 0))
    #expect(use.source.sent == [["type": "binding", "key": "at", "value": "a"]])
    use.press(.backTab)
    #expect(use.source.sent.last == ["type": "binding", "key": "at", "value": .null])
    #expect(use.marked == "[ ok ]")
  }

  @Test func whatStandsInPlaceOfRowsHasTheFocusOfItsOwnControls() {
    let empty = node("empty", [:], [.string("Nothing yet"), button("add")])
    let list = node("list", ["selection": "at", "onDelete": "delete"], [node("forEach"), empty])
    let use = ScreenInUse(list)
    #expect(use.marked == "[ add ]")
    use.press(.enter)
    #expect(use.source.sent == [["type": "add"]])
  }

  @Test func aToastTakesNoFocusWhenItComesSaysItsKeyAndIsReachedBehindAllElse() {
    func screen(_ toast: Value?) -> Value {
      node("column", [:], [toast ?? .null, button("first"), button("last")])
    }
    let use = ScreenInUse(screen(nil), columns: 60)
    use.show(
      screen(node("toast", ["text": "Deleted", "action": "undo", "shortcut": "mod+u"])))
    #expect(use.marked == "[ first ]")
    #expect(use.text.contains("│ Deleted [ Undo ] │"))
    #expect(use.status.hasPrefix("Deleted · Ctrl-U Undo · "))
    use.press(.tab, .tab)
    #expect(use.marked == "[ Undo ]")
    use.press(.enter)
    use.press(.control("u"))
    use.click("Deleted [")
    #expect(use.source.sent == [["type": "undo"], ["type": "undo"]])
    use.show(screen(nil))
    #expect(use.marked == "[ last ]")
  }

  @Test func columnsStandBesideEachOtherOnAWideTerminalAndArrowsLeadFromOneToTheNext() {
    let use = ScreenInUse(node("columns", [:], [button("left"), button("right")]), columns: 70)
    #expect(use.lines[0].contains("[ left ]") && use.lines[0].contains("[ right ]"))
    use.press(.right)
    #expect(use.marked == "[ right ]")
    use.resize(columns: 40, rows: 12)
    #expect(use.lines[0] == "[ left ]" && use.lines[2] == "[ right ]")
    use.press(.up)
    #expect(use.marked == "[ left ]")
  }

  // MARK: Presentations

  @Test func aSheetStandsOverTheRestHasTheFocusAndGivesItBack() {
    func screen(_ sheet: Value?) -> Value {
      var properties: Value.Object = ["title": "Below"]
      if let sheet {
        properties["sheet"] = node("child", ["action": "add"], [sheet])
      }
      return node("screen", properties, [button("first"), button("second")])
    }
    let use = ScreenInUse(screen(nil))
    use.press(.tab)
    use.show(screen(node("column", [:], [.string("In it"), button("save")])))
    #expect(use.text.contains("│ In it"))
    #expect(use.marked == "[ save ]")
    use.press(.tab)
    #expect(use.marked == "[ save ]")
    use.source.reduce = { source, _ in source.tree = screen(nil) }
    use.press(.escape)
    #expect(use.source.sent == [["type": "add", "action": ["type": "dismiss"]]])
    #expect(use.marked == "[ second ]")
    #expect(!use.text.contains("│"))
  }

  @Test func aSheetWhoseFieldsHaveNamesOpensOnTheFirstOneThatCanBeTypedInto() {
    func sheet(_ children: Value...) -> ScreenInUse {
      let form = node("form", ["focus": "at"], children)
      return ScreenInUse(node("column", ["sheet": node("child", ["action": "a"], [form])]))
    }
    let toggle = node("toggle", ["label": "Pro", "bind": "pro", "name": "pro"])
    let use = sheet(button("Help"), toggle, field("Email", "", ["name": "email"]), button("Save"))
    use.type("B")
    let typed: Value = ["type": "binding", "key": "Email", "value": "B"]
    #expect(use.source.sent == [["type": "a", "action": typed]])
    // Without a field it is the first control.
    #expect(sheet(toggle, button("Save")).marked == "[ Save ]")
    #expect(sheet(toggle).marked == "[ ]")
  }

  @Test func aSheetIsClosedByAClickOnItsMarkAndWhatItCoversCannotBeClicked() {
    let sheet = node("child", ["action": "a.b"], [.string("In it")])
    let use = ScreenInUse(node("column", ["sheet": sheet], [button("covered")]))
    use.click("[ covered ]")
    #expect(use.source.sent.isEmpty)
    use.click("[x]", 1)
    #expect(use.source.sent == [["type": "a", "action": ["type": "dismiss"]]])
  }

  @Test func anAlertBeginsWithTheButtonThatDestroysNothing() {
    let alert = node(
      "child", ["action": "alert"],
      [
        node(
          "alert", ["title": "Sure?", "message": "It is gone then."],
          [button("Delete", ["role": "destructive"]), button("Keep", ["action": "dismiss"])])
      ])
    let use = ScreenInUse(node("column", ["alert": alert], [.string("below")]))
    #expect(use.text.contains("Sure?"))
    #expect(use.marked == "[ Keep ]")
    #expect(!use.text.contains("[x]"))
    use.press(.enter)
    #expect(use.source.sent == [["type": "alert", "action": ["type": "dismiss"]]])
  }

  @Test func escapeWithNothingToCloseIsLeftToTheCallerAndSoAreCtrlCAndCtrlZ() {
    let use = ScreenInUse(node("column", [:], [button("one")]))
    #expect(use.press(.escape) == .escape)
    #expect(use.press(.control("c")) == .leave)
    #expect(use.press(.control("z")) == .suspend)
  }

  // MARK: Controls

  @Test func controlsTakeTheKeysThatChangeThemAndClicksOnTheirParts() {
    let use = ScreenInUse(
      node(
        "column", [:],
        [
          node("toggle", ["label": "On", "bind": "on", "value": false]),
          node(
            "picker",
            ["label": "P", "bind": "p", "value": "b", "options": ["a", "b", "c"]]),
          node("stepper", ["label": "S", "bind": "s", "value": 3]),
          node("slider", ["label": "L", "bind": "l", "value": 2, "max": 9, "step": 1]),
        ]))
    func values() -> [Value] { use.source.sent.map { $0["value"] } }
    use.press(.character(" "), .tab, .left, .right, .tab, .right, .left, .tab, .right)
    #expect(values() == [true, "a", "c", 4, 2, 3])
    use.click("c )")
    use.click("[+]", 1)
    use.click("[#", 10)
    use.click("[ ] On", 5)
    #expect(values().suffix(4) == ["c", 4, 9, true])
  }

  @Test func aSliderAndAStepperGoOnWithinAnyBounds() {
    // NaN and the infinities become null in a tree.
    let numbers: [Value] = [
      .float(1.7e308), .float(-1.7e308), .float(.leastNonzeroMagnitude), .float(.nan),
      .integer(.max), .integer(.min), 0,
    ]
    for (min, max) in numbers.flatMap({ min in numbers.map { (min, $0) } }) {
      for (value, step) in [(min, max), (max, Value.null)] {
        let range: Value.Object = [
          "label": "L", "bind": "l", "value": value, "min": min, "max": max, "step": step,
        ]
        let use = ScreenInUse(node("column", [:], [node("slider", range), node("stepper", range)]))
        use.press(.right, .left, .tab, .right, .left)
        for mark in [1, 5, 10] { use.click("L: [", 3 + mark) }
        use.click("[+]", 1)
        for sent in use.source.sent.compactMap(\.["value"].double) { #expect(sent.isFinite) }
      }
    }
    let use = ScreenInUse(
      node("slider", ["bind": "l", "value": 0, "min": .float(-1e308), "max": .float(1e308)]))
    use.press(.right)
    #expect(use.source.sent.last?["value"] == .float(1e307))
    use.click("[###", 1)
    #expect(use.source.sent.last?["value"] == .float(-1e308))
  }

  @Test func aPickerWithManyOptionsOpensOverTheRestAndClosesWithTheChoice() {
    let options = (1...8).map { Value.string("o\($0)") }
    let use = ScreenInUse(
      node(
        "column", [:],
        [
          node(
            "picker",
            ["label": "P", "bind": "p", "value": "o2", "options": .array(Value.List(options))])
        ]), rows: 14)
    #expect(use.lines[0] == "P: [ o2 ▾ ]")
    use.press(.enter)
    #expect(use.marked == "(*) o2")
    use.press(.down, .enter)
    #expect(use.source.sent.last?["value"] == "o3")
    #expect(!use.text.contains("( ) o1"))
    use.press(.enter, .escape)
    #expect(use.source.sent.count == 1)
    #expect(!use.text.contains("( ) o1"))
  }

  @Test func aMenuOpensWithItsButtonsAndAClickBesideItClosesIt() {
    let use = ScreenInUse(
      node("column", [:], [node("menu", ["label": "More"], [button("Copy"), button("Cut")])]))
    #expect(use.lines[0] == "[ More ▾ ]")
    #expect(!use.text.contains("Copy"))
    use.press(.enter, .down, .enter)
    #expect(use.source.sent == [["type": "Cut"]])
    use.press(.enter)
    #expect(use.text.contains("[ Copy ]"))
    use.press(.mouse(MouseEvent(.press, column: 39, row: 9)))
    #expect(!use.text.contains("[ Copy ]"))
  }

  @Test func tabsAndDisclosuresWithoutABindingAreThePersonsOwnConcern() {
    let use = ScreenInUse(
      node(
        "column", [:],
        [
          node(
            "tabs", [:],
            [
              node("column", ["label": "One"], [.string("first page")]),
              node("column", ["label": "Two"], [button("inside")]),
            ]), node("disclosure", ["label": "More"], [.string("details")]),
        ]))
    #expect(use.text.contains("( [One] | Two )"))
    use.press(.right)
    #expect(use.text.contains("( One | [Two] )"))
    #expect(!use.text.contains("first page"))
    use.press(.tab, .enter)
    #expect(use.source.sent == [["type": "inside"]])
    use.press(.tab, .enter)
    #expect(use.text.contains("▸ More"))
    #expect(!use.text.contains("details"))
  }

  @Test func shortcutsAreCtrlOrAltWhereTheTerminalKeepsCtrl() {
    let use = ScreenInUse(
      node(
        "column", [:],
        [
          field("f", ""), button("new", ["shortcut": "mod+n"]),
          button("mail", ["shortcut": "mod+m"]), button("help", ["shortcut": "f1"]),
        ]))
    use.press(.control("n"), .alt("m"), .function(1))
    #expect(use.source.sent.map { $0["type"] } == ["new", "mail", "help"])
    use.press(.tab)
    #expect(use.status.hasPrefix("Ctrl-N"))
    use.press(.tab)
    #expect(use.status.hasPrefix("Alt-M"))
  }

  @Test func aShortcutOfThePlusKeyIsShown() {
    let more = button("more", ["shortcut": "mod++"])
    let use = ScreenInUse(node("column", [:], [field("f", ""), more]))
    use.press(.tab)
    #expect(use.status.hasPrefix("Ctrl-+ "))
  }

  /// A screen with shortcuts, of which some cannot be used.
  private func screenWithShortcuts(_ more: Value...) -> Value {
    let off = node("form", ["disabled": true], [button("Off too", ["shortcut": "mod+e"])])
    let children = [
      button("Save", ["shortcut": "mod+s"]), button("Mail", ["shortcut": "mod+m"]),
      button("Off", ["shortcut": "mod+o", "disabled": true]), off, button("No key"),
      button("Odd", ["shortcut": "hyper+x"]),
      node("toggle", ["label": "On", "bind": "on", "shortcut": "alt+o"]),
      node("toast", ["text": "Deleted", "action": "undo", "shortcut": "mod+u"]),
    ]
    return node("screen", [:], children + more)
  }

  @Test(arguments: [Key.escape, .character("?")])
  func aQuestionMarkListsTheShortcutsThatCanBeUsed(_ closing: Key) {
    let use = ScreenInUse(screenWithShortcuts(), columns: 70, rows: 14)
    #expect(use.status.hasSuffix("Tab next · ? keys · Ctrl-C leaves"))
    use.press(.character("?"))
    let list = use.lines.compactMap { line -> String? in
      let parts = line.split(separator: "│")
      guard parts.count > 1, parts[1].contains("-") else { return nil }
      return parts[1].split(separator: " ").joined(separator: " ")
    }
    #expect(list == ["Save Ctrl-S", "Mail Alt-M", "On Alt-O", "Undo Ctrl-U"])
    #expect(use.text.contains("Keyboard shortcuts"))
    #expect(use.marked == "")
    #expect(use.status == "Tab next · Esc closes · Ctrl-C leaves")
    // Nothing behind it is used.
    use.press(.control("s"), .enter, .tab, .character("x"), .alt("m"))
    #expect(use.source.sent.isEmpty)
    #expect(use.press(closing) == .none)
    #expect(!use.text.contains("Keyboard shortcuts"))
    #expect(use.marked == "[ Save ]")
    use.press(.control("s"))
    #expect(use.source.sent.map { $0["type"] } == ["Save"])
  }

  @Test func theListOfShortcutsIsClosedByAClickOnItsMarkAndBesideIt() {
    let use = ScreenInUse(screenWithShortcuts(), columns: 70, rows: 14)
    use.press(.character("?"))
    use.click("Keyboard")
    #expect(use.text.contains("Keyboard shortcuts"))
    use.click("[x]")
    #expect(!use.text.contains("Keyboard shortcuts"))
    use.press(.character("?"), .mouse(MouseEvent(.press, column: 0, row: 0)))
    #expect(!use.text.contains("Keyboard shortcuts"))
    #expect(use.source.sent.isEmpty)
  }

  @Test func aQuestionMarkIsALetterInAFieldAndAShortcutWhereItIsOne() {
    let saving = button("Save", ["shortcut": "mod+s"])
    let use = ScreenInUse(node("column", [:], [field("f", ""), saving]), columns: 60)
    #expect(!use.status.contains("? keys"))
    use.press(.character("?"))
    #expect(use.source.sent.last?["value"] == "?")
    use.press(.tab)
    #expect(use.status.contains("? keys"))
    let help = ScreenInUse(
      node("column", [:], [saving, button("Help", ["shortcut": "?"])]), columns: 60)
    #expect(!help.status.contains("? keys"))
    help.press(.character("?"))
    #expect(help.source.sent.map { $0["type"] } == ["Help"])
    help.show(node("column", [:], [saving, button("Help", ["shortcut": "?", "disabled": true])]))
    help.press(.character("?"))
    #expect(!help.text.contains("Keyboard shortcuts"))
    let none = ScreenInUse(button("Save"), columns: 60)
    none.press(.character("?"))
    #expect(!none.status.contains("? keys") && !none.text.contains("Keyboard shortcuts"))
    // Where there is no room for it, the last row has the other keys.
    let narrow = ScreenInUse(node("column", [:], [saving]), columns: 30)
    #expect(narrow.status == "Ctrl-S · Ctrl-C leaves")
    narrow.press(.character("?"))
    #expect(narrow.text.contains("Keyboard shortcuts"))
  }

  @Test func theListOfShortcutsIsThatOfTheUppermostLayerAndFollowsIt() {
    func screen(_ sheet: Value?) -> Value {
      var properties: Value.Object = [:]
      if let sheet { properties["sheet"] = node("child", ["action": "add"], [sheet]) }
      return node("screen", properties, [button("Save", ["shortcut": "mod+s"])])
    }
    let use = ScreenInUse(screen(button("Add", ["shortcut": "mod+a"])), columns: 60, rows: 14)
    use.press(.character("?"))
    #expect(use.text.contains("Ctrl-A") && !use.text.contains("Ctrl-S"))
    use.show(screen(nil))
    #expect(use.text.contains("Ctrl-S") && !use.text.contains("Ctrl-A"))
    use.show(button("Save"))
    #expect(!use.text.contains("Keyboard shortcuts"))
    use.show(screen(button("Add", ["shortcut": "mod+a"])))
    #expect(!use.text.contains("Keyboard shortcuts"))
    use.press(.character("?"), .escape)
    #expect(use.source.sent.isEmpty)
    use.press(.escape)
    #expect(use.source.sent == [["type": "add", "action": ["type": "dismiss"]]])
  }

  @Test func aListOfManyShortcutsIsScrolled() {
    let buttons = (1...9).map { button("B\($0)", ["shortcut": .string("f\($0)")]) }
    let use = ScreenInUse(node("grid", ["columns": 3], buttons), columns: 40, rows: 8)
    use.press(.character("?"))
    #expect(use.text.contains("F1") && !use.text.contains("F9"))
    use.press(.end)
    #expect(use.text.contains("F9") && !use.text.contains("F1"))
    use.press(.home, .down, .up, .pageDown, .pageUp)
    #expect(use.text.contains("F1"))
    use.press(.function(1))
    #expect(use.source.sent.isEmpty)
  }

  @Test func whatIsRefusedIsSaidInTheLastRow() {
    let use = ScreenInUse(node("column", [:], [node("textField", ["label": "F", "value": "a"])]))
    use.type("b")
    #expect(use.status.hasPrefix("the textField 'F' has neither"))
    #expect(use.lines[0].hasPrefix("F: a_"))
  }
}
