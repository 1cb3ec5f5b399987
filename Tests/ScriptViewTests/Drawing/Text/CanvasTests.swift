import ScriptValue
import ScriptView
import Testing

/// The cells of a drawing.
struct CanvasTests {
  @Test func eachCellKnowsTheNodeThatDrewIt() {
    let canvas = TextDrawing.canvas(Screens.milk)
    // `[ ] Milk____`
    #expect(canvas.owner(column: 1, line: 5)?.value == [2, 1, [1], 1])
    #expect(canvas.owner(column: 4, line: 5)?.value == [2, 1, [1], 2])
    #expect(canvas.owner(column: 0, line: 0)?.value == [])
    #expect(canvas.owner(column: 3, line: 5) == nil)
    #expect(canvas.owner(column: 0, line: 99) == nil)
    #expect(canvas.owner(column: -1, line: 0) == nil)
  }

  @Test func aWideCharacterHasTwoCellsAndIsInTheTextOnce() {
    let canvas = TextDrawing.canvas(text("牛a"))
    #expect(canvas.lines[0].map(\.width) == [2, 0, 1])
    #expect(canvas.text == "牛a")
  }

  @Test func cellsSayWhatTheyMean() {
    let tree = node(
      "form", ["focus": "f", "focused": "name"],
      [
        node("textField", ["name": "name", "value": "x"]),
        button("Delete", ["role": "destructive", "disabled": true]),
        node("text", ["text": "!", "tone": "warning", "style": "caption"]),
      ])
    let lines = TextDrawing.canvas(tree).lines
    #expect(lines[0][0].style == [.control, .focused])
    #expect(lines[1][0].style == [.control, .disabled, .danger])
    #expect(lines[2][0].style == [.warning, .caption])
  }

  @Test(arguments: [1, 2, 7, 20, 80, 200])
  func noLineIsWiderThanTheCanvasWhateverIsDrawn(width: Int) {
    for seed in 0..<60 as Range<UInt64> {
      var random = SplitMix(seed: seed)
      let canvas = TextDrawing.canvas(RandomViews.tree(&random), width: width)
      for line in canvas.lines {
        #expect(line.count <= width)
        #expect(line.reduce(0) { $0 + Int($1.width) } == line.count)
      }
    }
  }
}
