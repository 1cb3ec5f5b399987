import ScriptValue
import ScriptView
import Testing

/// Making changes of a tree.
struct ApplyingTests {
  private let tree = node(
    "column", [:],
    [
      text("a"),
      node("forEach", [:], (1...3).map { row(.integer(Int64($0)), text("row \($0)")) }),
    ])

  private func path(_ value: Value) throws -> ViewPath { try #require(ViewPath(value)) }

  private func apply(_ change: Value, to tree: Value? = nil) throws -> Value {
    try (tree ?? self.tree).applying([try ViewChange(change)])
  }

  private func ids(_ tree: Value) -> [Value] {
    ViewNode(ViewNode(tree).children[1]).children.map { $0["id"] }
  }

  @Test func whatAChangeDoesNotTouchIsShared() throws {
    let new = try apply(["change": "set", "path": [2, [2]], "properties": ["text": "x"]])
    #expect(new[at: "children[1].children[1].text"] == "x")
    #expect(ViewNode(new).children.hunks(from: ViewNode(tree).children).map(\.added) == [1..<2])
  }

  @Test func laterChangesSeeWhatEarlierOnesHaveDone() throws {
    let changes = try ViewChange.changes([
      ["change": "insert", "path": [2], "node": row(9, text("x")), "before": [1]],
      ["change": "set", "path": [2, [9]], "properties": ["text": "y"]],
      ["change": "move", "path": [2, [3]], "before": [9]],
      ["change": "remove", "path": [2, [1]]],
      ["change": "replace", "path": [1], "node": heading("h")],
      ["change": "set", "path": [1], "properties": ["level": 2]],
    ])
    let new = try tree.applying(changes)
    #expect(ids(new) == [3, 9, 2])
    #expect(new[at: "children[1].children[1].text"] == "y")
    #expect(new[at: "children[0].level"] == 2)
  }

  @Test(arguments: 0..<50 as Range<UInt64>)
  func manyChangesOfRowsGiveWhatFewGive(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    var changes: [ViewChange] = []
    var present = Array(1...3)
    for id in 4..<40 {
      let before = present.randomElement(using: &random)
      let row = before.map { ViewPath.Row(id: .integer(Int64($0))) }
      switch Int.random(in: 0..<4, using: &random) {
      case 0 where present.count > 2:
        let gone = present.remove(at: Int.random(in: 0..<present.count, using: &random))
        changes.append(.remove(try path([2, [.integer(Int64(gone))]])))
      case 1 where present.first != before:
        changes.append(.move(try path([2, [.integer(Int64(present[0]))]]), before: row))
      default:
        let node = ScriptViewTests.row(.integer(Int64(id)), text("\(id)"))
        changes.append(.insert(try path([2]), node: node, before: row))
        present.append(id)
      }
    }
    var oneByOne = tree
    for change in changes { oneByOne = try oneByOne.applying([change]) }
    #expect(try tree.applying(changes) == oneByOne)
  }

  @Test(
    arguments: [
      ["change": "set", "path": [3]], ["change": "set", "path": [1, 1]],
      ["change": "set", "path": [2, [9]]], ["change": "set", "path": ["sheet"]],
      ["change": "replace", "path": [9], "node": 1], ["change": "remove", "path": [1]],
      ["change": "remove", "path": []], ["change": "remove", "path": [2, [9]]],
      ["change": "move", "path": [2], "before": [1]],
      ["change": "move", "path": [2, [1]], "before": [1]],
      ["change": "move", "path": [2, [1]], "before": [8]],
      ["change": "insert", "path": [2], "node": ["kind": "text"]],
      ["change": "insert", "path": [2], "node": ["kind": "text", "id": 1]],
      ["change": "insert", "path": [], "node": "x", "before": [1]],
      ["change": "insert", "path": [7], "node": "x"],
    ] as [Value])
  func aChangeThatDoesNotFitIsRefusedWithItsIndex(change: Value) throws {
    let fine = ViewChange.set(.root, properties: ["tone": "danger"], removed: [])
    let error = #expect(throws: ViewChangeError.self) {
      try tree.applying([fine, try ViewChange(change)])
    }
    #expect(error?.index == 1)
    let many =
      Array(repeating: fine, count: 2)
      + (20..<40).map {
        .insert(ViewPath([.child(2)]), node: row(.integer($0), text("")), before: nil)
      } + [try ViewChange(change)]
    #expect(#expect(throws: ViewChangeError.self) { try tree.applying(many) }?.index == 22)
  }

  @Test func aScalarHasNothingToChangeInside() throws {
    for change in [
      ["change": "set", "path": []], ["change": "insert", "path": [], "node": 1],
      ["change": "window", "path": []], ["change": "set", "path": [1]],
    ] as [Value] {
      #expect(throws: ViewChangeError.self) { try apply(change, to: "text") }
    }
    #expect(try apply(["change": "replace", "path": [], "node": 1], to: "text") == 1)
  }

  @Test(
    arguments: [
      1, ["path": []], ["change": "explode", "path": []], ["change": "set"],
      ["change": "set", "path": ["nowhere"]], ["change": "replace", "path": []],
      ["change": "move", "path": [[1]], "before": 1], ["change": "set", "path": [], "removed": 1],
    ] as [Value])
  func aValueThatIsNoChangeIsRefused(value: Value) {
    #expect(throws: ViewChangeError.self) { try ViewChange(value) }
    let error = #expect(throws: ViewChangeError.self) {
      try ViewChange.changes([["change": "remove", "path": [1]], value])
    }
    #expect(error?.index == 1)
    #expect(throws: ViewChangeError.self) { try ViewChange.changes(["a": 1]) }
  }
}
