import ScriptValue
import ScriptView
import Testing

/// Paths to nodes.
struct ViewPathTests {
  private let path = ViewPath([
    .child(2), .presentation("sheet"), .row(.init(id: "sheet")), .row(.init(id: 7, occurrence: 2)),
    .child(3),
  ])

  @Test func aPathAsAValueSaysWhatEachOfItsStepsIs() {
    #expect(path.value == [2, "sheet", ["sheet"], [7, 2], 3])
    #expect(ViewPath(path.value) == path)
    #expect(ViewPath([]) == .root)
  }

  @Test func theTextOfAPathIsThatOfMessages() {
    #expect(path.description == "2.sheet[sheet][7, 2].3")
    #expect(ViewPath.root.description == "")
    #expect(ViewPath([.row(.init(id: "3"))]).description == #"["3"]"#)
  }

  @Test(
    arguments: [
      0, "sheet", [0], [-1], [1.5], ["window"], [[]], [[[1]]], [[1, 0]], [[1, 2, 3]], [true],
      [.null], ["kind": 1],
    ] as [Value])
  func whatIsNoPathIsRefused(value: Value) {
    #expect(ViewPath(value) == nil)
  }
}
