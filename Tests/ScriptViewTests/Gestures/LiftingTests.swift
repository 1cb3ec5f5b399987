import ScriptValue
import ScriptView
import Testing

/// The actions of nodes become actions of the root.
struct LiftingTests {
  private func sent(
    _ gesture: ViewGesture = .tap, at path: Value, in tree: Value
  ) throws -> Value {
    let outcome = try ViewScreen(tree).perform(gesture, at: try #require(ViewPath(path)))
    guard case .send(let action, _) = outcome else {
      Issue.record("nothing is sent: \(outcome)")
      return .null
    }
    return action
  }

  private let save = button("Save", ["action": "save"])

  @Test func anActionOutsideOfPlacesIsSentAsItIsAPathAPathWithAPayloadATable() throws {
    func action(_ given: Value) throws -> Value {
      try sent(at: [], in: button("x", ["action": given]))
    }
    #expect(try action("save") == ["type": "save"])
    #expect(try action(["save"]) == ["type": "save"])
    #expect(
      try action("todos[3].toggle") == ["type": "todos", "id": 3, "action": ["type": "toggle"]])
    #expect(try action(["rename", ["title": "Milk"]]) == ["type": "rename", "title": "Milk"])
    #expect(try action(["select", 3]) == ["type": "select", "value": 3])
    #expect(try action(["type": "save", "now": true]) == ["type": "save", "now": true])
    #expect(try action("binding.filter") == ["type": "binding", "key": "filter"])
  }

  @Test(
    arguments: ["a..b", "todos[*].x", 3, [1], ["a", 1, 2], ["kind": "a"], ["type": ""], true]
      as [Value])
  func aMalformedActionIsRefused(given: Value) {
    let error = #expect(throws: ViewRefusal.self) {
      try ViewScreen(button("x", ["action": given])).perform(.tap)
    }
    #expect(error?.reason == .action)
  }

  @Test func insideOfAChildAnActionIsNestedInTheChildsDottedOnesTwice() throws {
    let tree = child("destination.add", child("settings", node("column", [:], [save])))
    #expect(
      try sent(at: [1, 1, 1], in: tree) == [
        "type": "destination",
        "action": ["type": "add", "action": ["type": "settings", "action": ["type": "save"]]],
      ])
  }

  @Test func insideOfARowItIsNestedWithTheRowsIdTheRowsOwnNodeIsInsideToo() throws {
    let tree = node("forEach", ["action": "todos"], [row(3, save), row("a", save)])
    #expect(
      try sent(at: [[3]], in: tree)
        == ["type": "todos", "id": 3, "action": ["type": "save"]])
    #expect(
      try sent(at: [["a"]], in: tree)
        == ["type": "todos", "id": "a", "action": ["type": "save"]])
  }

  @Test func anEntryOfAStackHasTheNavigationsActionACaseInsideOfItItsOwn() throws {
    let entry = row(0, child("detail", save))
    let expected: Value = [
      "type": "path", "id": 0, "action": ["type": "detail", "action": ["type": "save"]],
    ]
    for rows: Value.Object in [[:], ["action": "path"]] {
      let tree = node(
        "navigation", ["action": "path"], [text("root"), node("forEach", rows, [entry])])
      #expect(try sent(at: [2, [0], 1], in: tree) == expected)
    }
    let root = node("navigation", ["action": "path"], [save, node("forEach")])
    #expect(try sent(at: [1], in: root) == ["type": "save"])
  }

  @Test func rowsOfDataNestNothingButTheirBindingsNameTheElement() throws {
    let field = node("textField", ["bind": "name", "label": "Name"])
    let phones = node("forEach", ["list": "phones"], [row("home", field)])
    let tree = child(
      "form",
      node(
        "forEach", ["list": "meeting.attendees"], [row(3, node("row", [:], [field, phones, save]))])
    )
    #expect(
      try sent(.enter("Blob"), at: [1, [3], 1], in: tree) == [
        "type": "form",
        "action": ["type": "binding", "key": "meeting.attendees[3].name", "value": "Blob"],
      ])
    #expect(
      try sent(.enter("x"), at: [1, [3], 2, ["home"]], in: tree)["action"]["key"]
        == "meeting.attendees[3].phones[home].name")
    #expect(try sent(at: [1, [3], 3], in: tree) == ["type": "form", "action": ["type": "save"]])
  }

  @Test func aBindingInsideOfARowThatIsAFeatureIsOfTheRowsState() throws {
    let field = node("textField", ["bind": "name"])
    let tree = node(
      "forEach", ["list": "outer"],
      [
        row(1, node("column", [:], [node("forEach", ["action": "todos"], [row(2, field)])]))
      ])
    #expect(
      try sent(.enter("x"), at: [[1], 1, [2]], in: tree) == [
        "type": "todos", "id": 2,
        "action": ["type": "binding", "key": "name", "value": "x"],
      ])
    let range = node("forEach", [:], [row(1, field)])
    #expect(try sent(.enter("x"), at: [[1]], in: range)["key"] == "name")
  }

  @Test func whatAnElementAddsJoinsThePayloadOfTheInnermostAction() throws {
    func changed(_ given: Value) throws -> Value {
      try sent(.enter("x"), at: [], in: node("textField", ["onChange": given]))
    }
    #expect(try changed("textChanged") == ["type": "textChanged", "value": "x"])
    #expect(try changed(["set", ["key": 1]]) == ["type": "set", "key": 1, "value": "x"])
    #expect(
      try changed(["type": "a", "action": ["type": "b", "n": 1]])
        == ["type": "a", "action": ["type": "b", "n": 1, "value": "x"]])
    #expect(try changed("binding.name") == ["type": "binding", "key": "name", "value": "x"])
  }

  @Test func anAnimationBecomesTheTransactionOfTheAction() throws {
    let outcome = try ViewScreen(button("x", ["action": "save", "animation": "default"])).perform(
      .tap)
    #expect(outcome == .send(["type": "save"], transaction: ["animation": "default"]))
  }

  @Test func anActionThatWouldNestTooDeepIsRefused() {
    var tree = save
    var path = ViewPath.root
    for _ in 0..<40 {
      tree = child("a.b.c.d", tree)
      path = path.appending(.child(1))
    }
    let error = #expect(throws: ViewRefusal.self) { try ViewScreen(tree).perform(.tap, at: path) }
    #expect(error?.reason == .action)
  }
}
