import ScriptValue
import ScriptView
import Testing

/// What a person can do with a node, and what not.
struct GestureTests {
  private func perform(
    _ gesture: ViewGesture, at path: Value = [], in tree: Value
  ) throws -> ViewOutcome {
    try ViewScreen(tree).perform(gesture, at: try #require(ViewPath(path)))
  }

  private func refusal(
    _ gesture: ViewGesture, at path: Value = [], in tree: Value
  ) -> String? {
    let error = #expect(throws: ViewRefusal.self) { try perform(gesture, at: path, in: tree) }
    return error.map { "\($0.reason): \($0.message)" }
  }

  private func binding(_ key: String, _ value: Value) -> ViewOutcome {
    .send(["type": "binding", "key": .string(key), "value": value], transaction: nil)
  }

  // MARK: On the screen

  @Test func whatIsNotThereOrNotShownCannotBeUsed() {
    let stack = node(
      "navigation", ["action": "path"],
      [button("Root", ["action": "a"]), node("forEach", [:], [row(1, text("top"))])])
    #expect(refusal(.tap, at: [3], in: stack) == #"absent: there is nothing at "3" on the screen"#)
    #expect(refusal(.tap, at: [1], in: stack) == #"absent: there is nothing at "1" on the screen"#)
  }

  @Test func whatTabsAndDisclosuresWithoutABindingMayShowCanBeUsed() throws {
    func tree(_ more: Value.Object) -> Value {
      var disclosure = more
      disclosure["value"] = false
      return node(
        "column", [:],
        [
          node(
            "tabs", more,
            [
              node("column", ["label": "One"], [button("A", ["action": "a"])]),
              child("b", node("column", ["label": "Two"], [button("B", ["action": "b"])])),
            ]),
          node("disclosure", disclosure, [button("C", ["action": "c"])]),
        ])
    }
    let own = tree([:])
    #expect(try perform(.tap, at: [1, 1, 1], in: own) == .send(["type": "a"], transaction: nil))
    #expect(
      try perform(.tap, at: [1, 2, 1, 1], in: own)
        == .send(["type": "b", "action": ["type": "b"]], transaction: nil))
    #expect(try perform(.tap, at: [2, 1], in: own) == .send(["type": "c"], transaction: nil))
    for more: Value.Object in [["bind": "x"], ["onChange": "x"]] {
      #expect(try perform(.tap, at: [1, 1, 1], in: tree(more)) != .nothing)
      #expect(
        refusal(.tap, at: [1, 2, 1, 1], in: tree(more))
          == #"absent: there is nothing at "1.2.1.1" on the screen"#)
      #expect(
        refusal(.tap, at: [2, 1], in: tree(more))
          == #"absent: there is nothing at "2.1" on the screen"#)
    }
  }

  @Test func aSheetInATabWithoutABindingCoversWhoeverSeesThatTab() throws {
    func tab(_ name: String) -> Value {
      let sheet = child("add", node("screen", ["title": "New"], [button("Save", ["action": "s"])]))
      return node(
        "column", ["label": .string(name), "sheet": sheet], [button("Open", ["action": "o"])])
    }
    let tabs = node(
      "tabs", [:], [tab("One"), node("column", ["label": "Two"], [button("B", ["action": "b"])])])
    let beside = button("Beside", ["action": "c"])
    let tree = node("column", [:], [tabs, beside])
    #expect(
      refusal(.tap, at: [1, 1, 1], in: tree)
        == "covered: the button 'Open' is covered by the sheet 'New'; dismiss it first")
    // Who does one of these may see the other tab.
    #expect(try perform(.tap, at: [1, 2, 1], in: tree) == .send(["type": "b"], transaction: nil))
    #expect(try perform(.tap, at: [2], in: tree) == .send(["type": "c"], transaction: nil))
    let dismissal = ViewOutcome.send(
      ["type": "add", "action": ["type": "dismiss"]], transaction: nil)
    #expect(try perform(.dismiss, in: tree) == dismissal)

    let second = node("tabs", [:], [node("column", ["label": "One"]), tab("Two")])
    #expect(
      try perform(.tap, at: [2, "sheet", 1, 1], in: second)
        == .send(["type": "add", "action": ["type": "s"]], transaction: nil))
    #expect(try perform(.dismiss, at: [2, "sheet"], in: second) == dismissal)
    #expect(throws: ViewRefusal.self) { try perform(.dismiss, in: second) }
  }

  @Test func whatIsDisabledOrInsideOfSomethingThatIsCannotBeUsed() {
    let tree = node(
      "form", ["label": "Profile", "disabled": true],
      [button("Save", ["action": "save"]), button("Undo", ["action": "undo", "disabled": true])])
    #expect(
      refusal(.tap, at: [1], in: tree)
        == "disabled: the button 'Save' is disabled, because the form 'Profile' is")
    #expect(refusal(.tap, at: [2], in: tree) == "disabled: the button 'Undo' is disabled")
  }

  @Test func whatAPresentationCoversCannotBeUsedAndTheTopmostOneIsNamed() throws {
    var tree = Screens.milk
    tree["sheet"] = child(
      "add", node("screen", ["title": "New item"], [button("Save", ["action": "s"])]))
    #expect(
      refusal(.tap, at: [3, 2], in: tree)
        == "covered: the button 'Add' is covered by the sheet 'New item'; dismiss it first")
    #expect(
      try perform(.tap, at: ["sheet", 1, 1], in: tree)
        == .send(
          ["type": "add", "action": ["type": "s"]], transaction: nil))
    tree["alert"] = child("alert", Screens.alert("Sure?", []))
    #expect(
      refusal(.tap, at: ["sheet", 1, 1], in: tree)
        == "covered: the button 'Save' is covered by the alert 'Sure?'; tap one of its buttons first"
    )
  }

  @Test func aWayBackAndAShortcutBelowAPresentationAreCoveredByIt() {
    func stack(_ presented: Value.Object) -> Value {
      var entries = node("forEach", [:], [row(1, node("screen", ["title": "Entry"]))])
      entries["action"] = "path"
      var properties = presented
      properties["action"] = "path"
      let root = node(
        "screen", ["title": "Root"], [button("Add", ["shortcut": "mod+n", "action": "a"])])
      return node(
        "column", presented,
        [
          node("navigation", ["action": "path"], [root, entries]),
          button("New", ["shortcut": "mod+n", "action": "new"]),
        ])
    }
    let alert = stack(["alert": child("alert", Screens.alert("Sure?", []))])
    #expect(
      refusal(.back, in: alert)
        == "covered: the way back of the navigation at \"1\" is covered by the alert 'Sure?'; tap one of its buttons first"
    )
    #expect(
      refusal(.press("mod+n"), in: alert)
        == "covered: the button 'New' with the shortcut 'mod+n' is covered by the alert 'Sure?'; tap one of its buttons first"
    )
    let sheet = stack(["sheet": child("add", node("screen", ["title": "New item"]))])
    #expect(
      refusal(.back, in: sheet)
        == "covered: the way back of the navigation at \"1\" is covered by the sheet 'New item'; dismiss it first"
    )
    #expect(refusal(.press("mod+q"), in: sheet)?.hasPrefix("absent: nothing on the sheet") == true)
    #expect(
      refusal(.back, in: node("column", ["alert": child("alert", Screens.alert("Sure?", []))]))
        == "impossible: there is nothing to go back to: no navigation has an entry")
  }

  @Test func whatPresentsASheetAndIsDisabledDoesNotDisableTheSheet() throws {
    let tree = node(
      "form", ["disabled": true, "sheet": child("add", button("Save", ["action": "s"]))])
    #expect(try perform(.tap, at: ["sheet", 1], in: tree) != .nothing)
  }

  @Test func aGestureThatTheElementDoesNotHaveIsRefusedWithThoseThatItHas() {
    #expect(
      refusal(.enter("x"), in: button("Add"))
        == "impossible: one cannot enter a value into the button 'Add'; one can tap, focus")
    #expect(refusal(.tap, in: text("Milk")) == "impossible: one cannot tap the text 'Milk'")
    #expect(refusal(.tap, in: button("Add")) == "impossible: the button 'Add' has no `action`")
    #expect(
      refusal(.enter(true), in: node("toggle", ["label": "Done"]))
        == "impossible: the toggle 'Done' has neither `bind` nor `onChange`")
    #expect(
      refusal(.delete([1]), in: node("list", ["selection": "id"]))
        == "impossible: one cannot delete rows of the list; one can select")
    let list = node(
      "list", ["label": "Inbox"],
      [text("header"), node("forEach", ["action": "rows"], [row(1, node("row"))])])
    #expect(
      refusal(.delete([]), at: [2, [1]], in: list)
        == "impossible: one cannot delete row 2 of the list 'Inbox'")
  }

  @Test func namesInMessagesAreCutAndMadeVisible() {
    let name = "\u{1B}[2J\u{202E}" + String(repeating: "x", count: 1000)
    let message = refusal(.tap, in: text(name)) ?? ""
    #expect(message.contains(#"\027[2J\u{202e}xxx"#) && message.hasSuffix("…'"))
    #expect(message.utf8.count < 200)
  }

  // MARK: Tapping

  @Test func aToggleFlipsADisclosureOpensAndCloses() throws {
    func tapped(_ kind: String, _ value: Value) throws -> ViewOutcome {
      try perform(.tap, in: node(kind, ["bind": "x", "value": value]))
    }
    #expect(try tapped("toggle", false) == binding("x", true))
    #expect(try tapped("toggle", true) == binding("x", false))
    #expect(try tapped("toggle", .null) == binding("x", true))
    #expect(try tapped("disclosure", false) == binding("x", true))
    #expect(try tapped("disclosure", .null) == binding("x", false))
    #expect(try perform(.tap, in: node("disclosure", ["label": "More"])) == .nothing)
    #expect(try perform(.tap, in: node("menu", ["label": "More"])) == .nothing)
  }

  @Test func aLinkOpensWhatIsSafeToOpen() throws {
    func tapped(_ address: Value) throws -> ViewOutcome {
      try perform(.tap, in: node("link", ["text": "Docs", "href": address]))
    }
    #expect(try tapped("https://swift.org") == .open("https://swift.org"))
    #expect(try tapped("docs/a.html#b") == .open("docs/a.html#b"))
    for address in [
      "javascript:alert(1)", "java\nscript:alert(1)", " javascript:x", "//evil.com", "",
    ] {
      #expect(throws: ViewRefusal.self) { try tapped(.string(address)) }
    }
    #expect(
      try perform(.tap, in: node("link", ["text": "x", "action": "go", "href": "https://a.b"]))
        == .send(["type": "go"], transaction: nil))
  }

  @Test func aLinkGivesAFileByItsPathOrAsAPersonHasChosenIt() throws {
    func tapped(_ file: Value) throws -> ViewOutcome {
      try perform(.tap, in: node("link", ["text": "Get", "file": file]))
    }
    #expect(
      try tapped("exports/all.csv")
        == .download(ViewFile(name: "all.csv", type: "", size: 0, path: "exports/all.csv")))
    let cat = ViewFile(name: "cat.png", type: "image/png", size: 3, path: "uploads/1.png")
    #expect(try tapped(cat.value) == .download(cat))
    for none in ["", [:], ["size": 3], 5, ["a"]] as [Value] {
      #expect(throws: ViewRefusal.self) { try tapped(none) }
    }
  }

  @Test func aButtonWithATextToCopyGivesThatAndSendsNothing() throws {
    let button = node("button", ["text": "Copy", "copy": "a\nb", "action": "go"])
    #expect(try perform(.tap, in: button) == .copy("a\nb"))
    #expect(throws: ViewRefusal.self) {
      try perform(.tap, in: node("button", ["text": "Copy", "copy": "x", "disabled": true]))
    }
  }

  @Test func aTabIsChosenByTappingItShownOrNot() throws {
    let tabs: [Value] = [
      node("column", ["label": "Inbox"]), node("column", ["name": "old", "label": "Archive"]),
    ]
    let bound = node("tabs", ["bind": "tab", "value": "Inbox"], tabs)
    #expect(try perform(.tap, at: [2], in: bound) == binding("tab", "old"))
    #expect(try perform(.enter("Archive"), in: bound) == binding("tab", "old"))
    #expect(try perform(.tap, at: [2], in: node("tabs", [:], tabs)) == .nothing)
    #expect(
      refusal(.enter("Trash"), in: bound)
        == #"value: the tabs has the tabs 'Inbox', 'Archive', not "Trash""#)
  }

  // MARK: Focus and submitting

  @Test func focusingANamedFieldSendsItsNameToTheContainerThatAsksForIt() throws {
    func form(_ focused: Value) -> Value {
      child(
        "signup",
        node(
          "form", ["focus": "focusedField", "focused": focused],
          [node("textField", ["name": "email"]), node("textField", ["label": "x"])]))
    }
    func sent(_ value: Value) -> ViewOutcome {
      .send(
        [
          "type": "signup",
          "action": ["type": "binding", "key": "focusedField", "value": value],
        ], transaction: nil)
    }
    #expect(try perform(.focus, at: [1, 1], in: form(.null)) == sent("email"))
    #expect(try perform(.tap, at: [1, 1], in: form("password")) == sent("email"))
    #expect(try perform(.focus, at: [1, 1], in: form("email")) == .nothing)
    #expect(try perform(.blur, at: [1, 1], in: form("email")) == sent(.null))
    #expect(try perform(.blur, at: [1, 1], in: form(.null)) == .nothing)
    #expect(try perform(.focus, at: [1, 2], in: form(.null)) == .nothing)
    #expect(try perform(.focus, in: node("textField", ["name": "a"])) == .nothing)
    #expect(throws: ViewRefusal.self) { try perform(.focus, in: text("a")) }
  }

  @Test func aFieldSubmitsItselfOrTheFormAroundIt() throws {
    let form = node(
      "form", ["onSubmit": "save"],
      [node("textField", ["onSubmit": "search"]), node("section", [:], [node("textField")])])
    #expect(try perform(.submit, at: [1], in: form) == .send(["type": "search"], transaction: nil))
    #expect(
      try perform(.submit, at: [2, 1], in: form) == .send(["type": "save"], transaction: nil))
    #expect(try perform(.submit, in: form) == .send(["type": "save"], transaction: nil))
    #expect(throws: ViewRefusal.self) { try perform(.submit, in: node("textField")) }
  }

  // MARK: Presentations

  @Test func aCloseSendsThePresentingChildsDismiss() throws {
    func closed(_ child: Value) throws -> ViewOutcome {
      try perform(.dismiss, in: ScriptViewTests.child("root", node("column", ["sheet": child])))
    }
    func sent(_ path: Value) -> ViewOutcome {
      .send(["type": "root", "action": path], transaction: nil)
    }
    #expect(
      try closed(child("destination.add", text("a")))
        == sent(["type": "destination", "action": ["type": "dismiss"]]))
    #expect(
      try closed(child("editor", text("a")))
        == sent(["type": "editor", "action": ["type": "dismiss"]]))
    var scoped = child("settings.editor", text("a"))
    scoped["dismiss"] = "settings.editor.dismiss"
    #expect(
      try closed(scoped)
        == sent([
          "type": "settings", "action": ["type": "editor", "action": ["type": "dismiss"]],
        ]))
    #expect(
      refusal(.dismiss, in: Screens.milk)
        == "impossible: there is nothing to dismiss: no sheet, alert or the like is shown")
  }

  @Test func theButtonsOfAnAlertSendItsActionsDismissLetsGoOfIt() throws {
    let alert = Screens.alert(
      "Delete?",
      [
        button("Delete", ["role": "destructive", "action": "confirm", "animation": "default"]),
        button("Cancel", ["role": "cancel", "action": "dismiss"]),
      ])
    func tree(_ action: String) -> Value { node("column", ["alert": child(action, alert)]) }
    #expect(
      try perform(.tap, at: ["alert", 1, 1], in: tree("alert"))
        == .send(
          ["type": "alert", "action": ["type": "confirm"]], transaction: ["animation": "default"]))
    #expect(
      try perform(.tap, at: ["alert", 1, 2], in: tree("alert"))
        == .send(["type": "alert", "action": ["type": "dismiss"]], transaction: nil))
    #expect(
      try perform(.tap, at: ["alert", 1, 2], in: tree("destination.alert"))
        == .send(["type": "destination", "action": ["type": "dismiss"]], transaction: nil))
    #expect(
      try perform(.dismiss, at: ["alert"], in: tree("destination.alert"))
        == .send(["type": "destination", "action": ["type": "dismiss"]], transaction: nil))
  }

  @Test func aDismissOfAChildsOwnInsideOfADialogIsTheChilds() throws {
    let inner = child("form", button("x", ["action": "dismiss"]))
    let tree = node("column", ["dialog": child("destination.edit", inner)])
    #expect(
      try perform(.tap, at: ["dialog", 1, 1], in: tree)
        == .send(
          [
            "type": "destination",
            "action": ["type": "edit", "action": ["type": "form", "action": ["type": "dismiss"]]],
          ], transaction: nil))
  }

  @Test func goingBackPopsTheLastEntryOfTheInnermostStack() throws {
    func stack(_ entries: [Value], root: Value = "root") -> Value {
      node("navigation", ["action": "path"], [root, node("forEach", [:], entries)])
    }
    let tree = child("app", stack([row(0, text("a")), row(7, text("b"))]))
    #expect(
      try perform(.back, in: tree)
        == .send(
          [
            "type": "app",
            "action": ["type": "path", "action": ["type": "popFrom", "id": 7]],
          ], transaction: nil))
    let nested = stack([row(1, child("detail", stack([row(5, text("x"))])))])
    #expect(
      try perform(.back, in: nested)
        == .send(
          [
            "type": "path", "id": 1,
            "action": [
              "type": "detail",
              "action": ["type": "path", "action": ["type": "popFrom", "id": 5]],
            ],
          ], transaction: nil))
    #expect(throws: ViewRefusal.self) { try perform(.back, in: stack([])) }
  }

  // MARK: Shortcuts

  @Test func aShortcutUsesTheNodeThatHasItWhateverTheOrderOfItsKeys() throws {
    let tree = node(
      "column", [:],
      [
        button("Add", ["action": "add", "shortcut": "mod+shift+N"]),
        button("Old", ["action": "old", "shortcut": "mod+o", "disabled": true]),
        node("toggle", ["bind": "on", "shortcut": "mod++"]),
      ])
    #expect(
      try perform(.press("Shift+mod+n"), in: tree) == .send(["type": "add"], transaction: nil))
    #expect(try perform(.press("mod++"), in: tree) == binding("on", true))
    #expect(refusal(.press("mod+o"), in: tree) == "disabled: the button 'Old' is disabled")
    #expect(
      refusal(.press("mod+x"), in: tree)
        == "absent: nothing on the screen has the shortcut 'mod+x'; "
        + "there are mod+shift+N, mod+o, mod++")
    #expect(
      refusal(.press("hyper+x"), in: tree) == "value: 'hyper+x' is no shortcut; one is \"mod+n\"")
  }

  @Test func escapeClosesWhatIsPresentedAndOtherwiseGoesBack() throws {
    let tree = node("column", ["sheet": child("editor", text("a"))])
    #expect(
      try perform(.press("esc"), in: tree)
        == .send(["type": "editor", "action": ["type": "dismiss"]], transaction: nil))
    let stack = node(
      "navigation", ["action": "path"], [text("root"), node("forEach", [:], [row(0, text("a"))])])
    #expect(try perform(.press("Escape"), in: stack) != .nothing)
    #expect(throws: ViewRefusal.self) { try perform(.press("escape"), in: text("a")) }
  }
}
