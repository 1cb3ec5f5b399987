import ScriptValue
import ScriptView
import Testing

/// What stands in place of the rows of a list.
struct EmptyListTests {
  private func list(
    _ rows: [Value], _ properties: Value.Object = [:], kind: String = "list"
  ) -> Value {
    let empty = node("empty", [:], [text("Nothing yet"), button("Add", ["action": "add"])])
    return node(kind, properties, [node("forEach", ["action": "rows"], rows), empty])
  }

  @Test(arguments: ["list", "table"])
  func itIsOnTheScreenWhileThereIsNoRow(kind: String) throws {
    let properties: Value.Object = ["selection": "at", "onDelete": "delete"]
    let none = ViewScreen(list([], properties, kind: kind))
    let button = try none.find(ViewQuery("button", "Add"))
    #expect(try none.all(ViewQuery("row")).isEmpty)
    #expect(
      try none.perform(.tap, on: button) == .send(["type": "add"], transaction: nil))
    #expect(none.root.rows.isEmpty && button.location.enclosingRow == nil)
    let one = ViewScreen(list([row(1, text("A"))], properties, kind: kind))
    #expect(try one.query(ViewQuery("button", "Add")) == nil)
    #expect(one.root.rows.count == 1)
    #expect(throws: ViewRefusal.self) {
      try one.perform(.tap, at: ViewPath([.child(2), .child(2)]))
    }
    let nothing = ViewScreen(list([["kind": "nothing", "id": 1]], properties, kind: kind))
    #expect(try nothing.query(ViewQuery("button", "Add")) == nil)
  }

  @Test func aSectionWithoutRowsAndAChildThatIsNotThereLeaveTheListWithoutRows() throws {
    let empty = node("empty", [:], [text("Nothing yet")])
    let section = node("section", ["title": "A"], [node("forEach")])
    #expect(
      try ViewScreen(node("list", [:], [section, child("a", nil), empty])).query(ViewQuery("text"))
        != nil)
    let full = node("section", ["title": "A"], [text("row")])
    #expect(
      try ViewScreen(node("list", [:], [full, empty])).query(ViewQuery("text", "Nothing yet"))
        == nil)
  }

  @Test func itIsDrawnInThePlaceOfTheRows() {
    #expect(TextDrawing.draw(list([])) == "Nothing yet\n[ Add ]")
    #expect(TextDrawing.draw(list([row(1, text("A"))], ["selection": "at"])) == "  A")
    #expect(TextDrawing.draw(list([], ["selection": "at"])) == "Nothing yet\n[ Add ]")
    #expect(
      HTMLDrawing.draw(list([])) == """
        <ul class="list">
          <li class="empty">
            <p class="text">Nothing yet</p>
            <button class="button" type="button">Add</button>
          </li>
        </ul>
        """)
    #expect(
      HTMLDrawing.draw(list([], ["columns": ["A", "B"]], kind: "table")).contains(
        #"<td class="empty" colspan="2">"#))
    #expect(
      TextDrawing.draw(list([], ["columns": ["A", "B"]], kind: "table"))
        == "A  B\n────\nNothing yet\n[ Add ]")
  }
}
