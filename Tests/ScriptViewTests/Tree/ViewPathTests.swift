import ScriptValue
import ScriptView
import Testing

@Suite("Paths to nodes")
struct ViewPathTests {
  private let path = ViewPath([
    .child(2), .presentation("sheet"), .row(.init(id: "sheet")), .row(.init(id: 7, occurrence: 2)),
    .child(3),
  ])

  @Test("A path as a value says what each of its steps is")
  func value() {
    #expect(path.value == [2, "sheet", ["sheet"], [7, 2], 3])
    #expect(ViewPath(path.value) == path)
    #expect(ViewPath([]) == .root)
  }

  @Test("The text of a path is that of messages")
  func text() {
    #expect(path.description == "2.sheet[sheet][7, 2].3")
    #expect(ViewPath.root.description == "")
    #expect(ViewPath([.row(.init(id: "3"))]).description == #"["3"]"#)
  }

  @Test(
    "What is no path is refused",
    arguments: [
      0, "sheet", [0], [-1], [1.5], ["window"], [[]], [[[1]]], [[1, 0]], [[1, 2, 3]], [true],
      [.null], ["kind": 1],
    ] as [Value])
  func malformed(value: Value) {
    #expect(ViewPath(value) == nil)
  }
}
