import ScriptValue
import ScriptView
import Testing

/// Drawings that show the focus, the cursor and the presentations of somebody who uses the screen.
struct ScreenReaderTests {
  private func canvas(_ tree: Value, edit: ScreenReader.Edit? = nil, width: Int = 40) -> Canvas {
    TextDrawing.canvas(ViewScreen(tree).top, for: ScreenReader(edit: edit), width: width)
  }

  private let form = node(
    "column", [:], [node("textField", ["label": "Name", "value": "Blob"]), button("OK")])

  @Test func aFieldHasRoomToWriteThatDoesNotGrowWithEachLetter() {
    #expect(canvas(form).text == "Name: Blob____________________\n[ OK ]")
    #expect(canvas(form, width: 14).text == "Name: Blob____\n[ OK ]")
  }

  @Test func theTextThatIsEditedStandsInThePlaceOfTheValueWithItsCaret() {
    let path = ViewPath([.child(1)])
    let canvas = canvas(form, edit: .init(path: path, text: Array("日本x"), caret: 2), width: 14)
    #expect(canvas.text == "Name: 日本x___\n[ OK ]")
    #expect(canvas.caret == Canvas.Position(column: 10, line: 0))
    #expect(self.canvas(form).caret == nil)
  }

  @Test func cellsSayWhichPartOfTheirNodeTheyShow() {
    let options = canvas(
      node("picker", ["label": "P", "value": "a", "options": ["a", "bc"]]))
    #expect(options.text == "P: ( [a] | bc )")
    #expect(options.lines[0].map(\.part) == [0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 2, 2, 0, 0])
    let stepper = canvas(node("stepper", ["label": "S", "value": 1]))
    #expect(stepper.lines[0].map(\.part) == [0, 0, 0, 1, 1, 1, 0, 0, 0, 2, 2, 2])
    let field = canvas(form, width: 14)
    #expect(field.lines[0].map(\.part) == [0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 5, 5, 5])
  }

  @Test func aControlStaysInOnePieceAndAMenuIsClosed() {
    let row = node("row", [:], [button("One two"), button("Three four")])
    #expect(canvas(row, width: 18).text == "[ One two ]\n[ Three four ]")
    let menu = node("menu", ["label": "More"], [button("Copy")])
    #expect(canvas(menu).text == "[ More ▾ ]")
    let opened = TextDrawing.canvas(
      opened: ViewScreen(menu).root, for: ScreenReader(), width: 40)
    #expect(opened.text == "[ Copy ]")
  }

  @Test func anEditorBreaksBetweenWordsWithACellForTheCaretAtEachEnd() {
    let tree = node("textEditor", ["label": "E", "labelHidden": true, "value": "one two three\nx"])
    let edit = ScreenReader.Edit(path: .root, text: Array("one two three\nx"), caret: 13)
    let canvas = canvas(tree, edit: edit, width: 12)
    #expect(canvas.text == "│ one two\n│ three\n│ x")
    #expect(canvas.caret == Canvas.Position(column: 7, line: 1))
  }

  @Test(arguments: ["textEditor", "textField"])
  func theCaretIsShownHoweverFarItIsInTheText(kind: String) {
    let text = Array(String(repeating: "ab ", count: 30_000))
    let edit = ScreenReader.Edit(path: .root, text: text, caret: text.count)
    let canvas = canvas(node(kind, ["label": "Name"]), edit: edit, width: 40)
    #expect(canvas.caret != nil)
    #expect(canvas.lines.joined().map(\.part).max() == UInt32(text.count + 1))
  }
}
