import ScriptValue
import ScriptView
import Testing

/// The changes from one tree to the next one.
struct ViewDifferenceTests {
  private func changes(_ old: Value, _ new: Value) throws -> Value {
    let changes = ViewDifference.changes(from: old, to: new)
    #expect(try old.applying(changes) == new)
    return ViewChange.value(of: changes)
  }

  private func rows(_ ids: some Sequence<Int>) -> Value {
    node(
      "list", [:],
      [node("forEach", ["action": "rows"], ids.map { row(.integer(Int64($0)), text("row \($0)")) })]
    )
  }

  @Test func aLeafThatChangesIsOneSet() throws {
    var new = Screens.milk
    new[at: "children[1].children[0].children[1].children[1].value"] = "Butter"
    #expect(
      try changes(Screens.milk, new) == [
        ["change": "set", "path": [2, 1, [2], 2], "properties": ["value": "Butter"]]
      ])
  }

  @Test func propertiesThatGoAreNamedSoThatANullIsAValue() throws {
    #expect(
      try changes(button("a", ["tone": "danger", "hint": "x"]), button("a", ["value": .null])) == [
        ["change": "set", "path": [], "properties": ["value": .null], "removed": ["tone", "hint"]]
      ])
  }

  @Test func aNodeOfAnotherKindIsReplacedAndSoIsAPlaceOfAnotherChild() throws {
    let old = node(
      "column", [:], [text("a"), child("a", text("b")), .null, node("host", ["name": "x"])])
    let new = node(
      "column", [:], [heading("a"), child("b", text("b")), text("c"), node("host", ["name": "y"])])
    let changes = ViewDifference.changes(from: old, to: new)
    #expect(changes.map(\.name) == ["replace", "replace", "replace", "replace"])
    #expect(changes.map(\.path.value) == [[1], [2], [3], [4]])
    #expect(try old.applying(changes) == new)
  }

  @Test func anAbsentChildThatComesLeavesItsNeighboursAlone() throws {
    let old = node("column", [:], [.null, text("b")])
    #expect(
      try changes(old, node("column", [:], [text("a"), text("b")])) == [
        ["change": "replace", "path": [1], "node": text("a")]
      ])
  }

  @Test func childrenThatAreKnownByPositionComeAndGoAtTheEnd() throws {
    let one = node("column", [:], [text("a")])
    let three = node("column", [:], [text("a"), text("b"), .null])
    #expect(
      try changes(one, three) == [
        ["change": "insert", "path": [], "node": text("b")],
        ["change": "insert", "path": [], "node": .null],
      ])
    #expect(
      try changes(three, node("column")) == [
        ["change": "remove", "path": [3]], ["change": "remove", "path": [2]],
        ["change": "remove", "path": [1]],
      ])
  }

  @Test func aPresentedChildComesAsAPropertyChangesInsideAndGoes() throws {
    let closed = node("column", [:], [text("a")])
    var open = closed
    open["sheet"] = child("add", node("screen", ["title": "New"]))
    var edited = open
    edited[at: "sheet.children[0].title"] = "Item"
    #expect(
      try changes(closed, open) == [
        ["change": "set", "path": [], "properties": ["sheet": open["sheet"]]]
      ])
    #expect(
      try changes(open, edited) == [
        ["change": "set", "path": ["sheet", 1], "properties": ["title": "Item"]]
      ])
    #expect(try changes(edited, closed) == [["change": "set", "path": [], "removed": ["sheet"]]])
    var other = open
    other["sheet"]["action"] = "edit"
    #expect(
      try changes(open, other) == [
        ["change": "replace", "path": ["sheet"], "node": other["sheet"]]
      ])
  }

  @Test func aWindowIsAChangeOfItsOwn() throws {
    let window: Value = ["first": 1, "count": 2, "total": 9]
    let old = node("list")
    let new = node("list", ["window": window])
    #expect(try changes(old, new) == [["change": "window", "path": [], "window": window]])
    #expect(try changes(new, old) == [["change": "window", "path": []]])
  }

  // MARK: Rows

  @Test func aRowThatComesFirstInTheMiddleOrLastIsOneInsertBeforeTheNextOne() throws {
    let new = { (id: Int) in row(.integer(Int64(id)), text("row \(id)")) }
    #expect(
      try changes(rows([1, 2]), rows([0, 1, 2])) == [
        ["change": "insert", "path": [1], "node": new(0), "before": [1]]
      ])
    #expect(
      try changes(rows([1, 2]), rows([1, 7, 2])) == [
        ["change": "insert", "path": [1], "node": new(7), "before": [2]]
      ])
    #expect(
      try changes(rows([1, 2]), rows([1, 2, 3])) == [
        ["change": "insert", "path": [1], "node": new(3)]
      ])
    #expect(
      try changes(rows([]), rows([1])) == [["change": "insert", "path": [1], "node": new(1)]])
  }

  @Test(arguments: [0, 500, 999])
  func aRowThatGoesIsOneRemoveWhereverItIs(index: Int) throws {
    let ids = Array(0..<1000)
    #expect(
      try changes(rows(ids), rows(ids.filter { $0 != index })) == [
        ["change": "remove", "path": [1, [.integer(Int64(index))]]]
      ])
  }

  @Test func twoRowsThatAreSwappedAreTwoMovesNeighboursOne() throws {
    #expect(
      try changes(rows(0..<10), rows([0, 8, 2, 3, 4, 5, 6, 7, 1, 9])) == [
        ["change": "move", "path": [1, [1]], "before": [9]],
        ["change": "move", "path": [1, [8]], "before": [2]],
      ])
    #expect(
      ViewDifference.changes(from: rows(0..<3), to: rows([1, 0, 2])).map(\.name) == ["move"])
  }

  @Test func aRowThatMovesAndChangesMovesOnceAndIsSet() throws {
    var new = rows([2, 0, 1])
    new[at: "children[0].children[0].text"] = "other"
    #expect(
      try changes(rows(0..<3), new) == [
        ["change": "move", "path": [1, [2]], "before": [0]],
        ["change": "set", "path": [1, [2]], "properties": ["text": "other"]],
      ])
  }

  @Test func rowsOfWhichNoneIsLeftAreReplacedWithTheirForEach() throws {
    #expect(
      ViewDifference.changes(from: rows(0..<50), to: rows(100..<150)).map(\.name) == ["replace"])
    #expect(ViewDifference.changes(from: rows([]), to: rows(0..<50)).map(\.name) == ["replace"])
  }

  @Test func rowsOfOneIdAreToldApartByTheirOccurrence() throws {
    func tree(_ last: String) -> Value {
      var second = row(1, text(last))
      second["occurrence"] = 2
      return node("forEach", [:], [row(1, text("a")), row(2, text("b")), second])
    }
    #expect(
      try changes(tree("c"), tree("d")) == [
        ["change": "set", "path": [[1, 2]], "properties": ["text": "d"]]
      ])
  }

  @Test func rowsWithoutIdsOrOfOneIdMakeTheForEachBeReplaced() throws {
    let old = node("forEach", [:], [row(1, text("a")), row(1, text("b")), row(2, text("c"))])
    let new = node("forEach", [:], [row(1, text("x")), row(1, text("y")), row(2, text("c"))])
    #expect(try changes(old, new) == [["change": "replace", "path": [], "node": new]])
    let bare = node("forEach", [:], [text("a"), text("b")])
    let other = node("forEach", [:], [text("c"), text("d")])
    #expect(try changes(bare, other) == [["change": "replace", "path": [], "node": other]])
  }

  // MARK: Equal trees

  @Test func treesThatAreEqualHaveNoChangesOtherNodesOtherOrderOfKeys1And10() throws {
    #expect(try changes(Screens.milk, try Value(json: Screens.milk.json())) == [])
    #expect(try changes(["kind": "text", "text": 1], ["text": 1.0, "kind": "text"]) == [])
    #expect(try changes(.null, .null) == [])
  }

  @Test func aTreeThatComesOrGoesAsAWholeIsReplaced() throws {
    #expect(
      try changes(.null, Screens.milk) == [["change": "replace", "path": [], "node": Screens.milk]])
    #expect(try changes("a", "b") == [["change": "replace", "path": [], "node": "b"]])
  }

  @Test func childrenThatAreNoListOrAnEmptyOneLeadToTheNewTreeAllTheSame() throws {
    let trees: [Value] = [
      node("column"), ["kind": "column", "children": []], ["kind": "column", "children": 3],
      node("column", [:], [text("a")]), ["kind": "forEach", "children": [1]],
    ]
    for old in trees { for new in trees { _ = try changes(old, new) } }
  }
}
