import ScriptValue
import ScriptView
import Testing

/// Toasts.
struct ToastTests {
  private static let toast = node(
    "toast", ["text": "Deleted", "action": "undo", "shortcut": "mod+z"])
  private static let screen = node(
    "column", [:],
    [toast, text("Above"), node("disclosure", ["label": "More", "value": false], [toast])])

  @Test func aToastCoversNothingAndItsActionIsThatOfATap() throws {
    let screen = ViewScreen(Self.screen)
    #expect(screen.layers.count == 1 && screen.audit().isEmpty)
    let toast = try screen.find(ViewQuery("toast", "Deleted"))
    #expect(try screen.perform(.tap, on: toast) == .send(["type": "undo"], transaction: nil))
    #expect(try screen.perform(.press("mod+z")) == .send(["type": "undo"], transaction: nil))
    #expect(throws: ViewRefusal.self) {
      try ViewScreen(node("toast", ["text": "Saved"])).perform(.tap)
    }
  }

  @Test func itIsDrawnAtTheEndOfItsLayerWhereverItStands() {
    #expect(
      TextDrawing.draw(Self.screen) == """
        Above
        ▸ More

        ┌ toast ───────────┐
        │ Deleted [ Undo ] │
        └──────────────────┘
        """)
    var tree = text("Below")
    tree["sheet"] = child("a", node("column", [:], [text("In it"), Self.toast]))
    #expect(
      TextDrawing.draw(tree) == """
        Below

        ┌ sheet ───────────────┐
        │ In it                │
        │                      │
        │ ┌ toast ───────────┐ │
        │ │ Deleted [ Undo ] │ │
        │ └──────────────────┘ │
        └──────────────────────┘
        """)
    #expect(
      HTMLDrawing.draw(node("column", [:], [Self.toast, text("Above")])) == """
        <div class="column">
          <p class="text">Above</p>
        </div>
        <div class="toast" role="status">
          <p>Deleted</p>
          <button type="button" data-shortcut="mod+z">Undo</button>
        </div>
        """)
    #expect(
      TextDrawing.draw(node("toast", ["text": "Saved"])) == "┌ toast ─┐\n│ Saved  │\n└────────┘")
  }
}
