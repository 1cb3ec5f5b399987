import ScriptValue
import Testing

@testable import ScriptView

/// Finding nodes, and what is shown.
struct ViewLocationTests {
  private func at(_ path: Value, in tree: Value) throws -> ViewLocation? {
    ViewLocation(root: tree).descending(try #require(ViewPath(path)))
  }

  private func kinds(_ locations: [ViewLocation]) -> [String] { locations.map(\.node.kind) }

  @Test func aPathLeadsThroughPositionsAndRowsAndALocationKnowsItsPath() throws {
    let field = try #require(try at([2, 1, [2], 2], in: Screens.milk))
    #expect(field.node["value"] == "Bread")
    #expect(field.path.value == [2, 1, [2], 2])
    #expect(kinds(Array(field.ancestors)) == ["row", "forEach", "list", "screen"])
    #expect(try at([2, 1, [9]], in: Screens.milk) == nil)
    #expect(try at([[1]], in: Screens.milk) == nil)
    #expect(try at([4], in: Screens.milk) == nil)
    #expect(try at(["sheet"], in: Screens.milk) == nil)
  }

  @Test func absentChildrenCountAsPositions() throws {
    let tree = node("column", [:], [.null, text("a"), false, text("b")])
    #expect(try at([4], in: tree)?.node.text == "b")
    #expect(ViewLocation(root: tree).shownChildren.map(\.path.value) == [[2], [4]])
  }

  @Test func aSecondRowOfOneIdIsKnownByItsOccurrence() throws {
    var second = row(1, text("b"))
    second["occurrence"] = 2
    let tree = node("forEach", [:], [row(1, text("a")), row(2, text("c")), second])
    #expect(try at([[1, 2]], in: tree)?.node.text == "b")
    #expect(try at([[1]], in: tree)?.node.text == "a")
    #expect(try at([[2, 2]], in: tree) == nil)
    #expect(ViewLocation(root: tree).shownChildren.map(\.path.value) == [[[1]], [[2]], [[1, 2]]])
  }

  @Test func placesStandForTheirChildrenOfAStackTheLastEntryIsShownOrTheRoot() throws {
    func stack(_ entries: [Value]) -> Value {
      node(
        "navigation", ["action": "path"],
        [node("screen", ["title": "Root"]), node("forEach", ["action": "path"], entries)])
    }
    let tree = node(
      "column", [:],
      [
        child("settings", text("a")), child("editor", nil),
        node("forEach", [:], [row(1, text("b")), row(2, node("nothing"))]),
        stack([]),
        stack([row(0, node("screen", ["title": "A"])), row(1, node("screen", ["title": "B"]))]),
        node("host", ["name": "map"]),
      ])
    let shown = ViewLocation(root: tree).shownChildren
    #expect(shown.map { $0.node.name ?? $0.node.kind } == ["a", "b", "Root", "B", "host"])
    #expect(shown.map(\.path.value) == [[1, 1], [3, [1]], [4, 1], [5, 2, [1]], [6]])
    for location in shown { #expect(location.isVisible) }
    #expect(try at([5, 1], in: tree)?.isVisible == false)
    #expect(try at([5, 2, [0]], in: tree)?.isVisible == false)
    #expect(try at([4, 1], in: tree)?.isVisible == true)
  }

  @Test func aViewThatRaisedIsShownItselfAndCountsAsARow() {
    let broken = row(1, failed("no", text("last good")))
    let list = node("list", [:], [node("forEach", ["action": "rows"], [broken])])
    #expect(kinds(ViewLocation(root: list).shownChildren) == ["failed"])
    #expect(ViewLocation(root: list).rows.map(\.id) == [1])
    #expect(ViewLocation(root: child("a", failed("no"))).shownChildren.count == 1)
  }

  @Test func ofTabsTheChosenOneIsShownOfAClosedDisclosureNothing() throws {
    let tabs = node(
      "tabs", ["value": "b"],
      [
        node("column", ["label": "A"]), .null,
        node("forEach", [:], [row(1, node("screen", ["name": "b", "title": "B"]))]),
      ])
    let root = ViewLocation(root: tabs)
    #expect(root.tabs.map(\.tabName) == ["A", "B"])
    #expect(root.shownChildren.map(\.path.value) == [[3, [1]]])
    #expect(try at([3, [1]], in: tabs)?.isVisible == true)
    #expect(try at([1], in: tabs)?.isVisible == false)

    let closed = node("disclosure", ["label": "More", "value": false], [text("a")])
    #expect(ViewLocation(root: closed).shownChildren.isEmpty)
    #expect(try at([1], in: closed)?.isVisible == false)
    #expect(ViewLocation(root: node("disclosure", [:], [text("a")])).shownChildren.count == 1)
  }

  @Test func aNodeIsFoundByItsNameWhereOthersCameBeforeIt() throws {
    func form(_ children: [Value]) -> Value { node("column", [:], [node("form", [:], children)]) }
    func field(_ properties: Value.Object) -> Value { node("textField", properties) }
    let (a, b) = (field(["bind": "a", "label": "x"]), field(["bind": "b", "label": "x"]))
    func path(_ old: Value, _ new: [Value]) throws -> Value {
      let location = try #require(try at([1, 2], in: form([a, old])))
      return ViewLocation(root: form(new)).path(of: location).value
    }
    #expect(try path(b, [a, b]) == [1, 2])
    #expect(try path(b, [text("new"), a, b]) == [1, 3])
    #expect(try path(b, [b]) == [1, 1])
    // It has gone, or several are alike, or it has no name.
    #expect(try path(b, [text("new"), a]) == [1, 2])
    #expect(try path(b, [b, a, b]) == [1, 2])
    #expect(try path(field([:]), [text("new"), a, field([:])]) == [1, 2])
    let named = field(["name": "n", "bind": "b"])
    #expect(try path(named, [text("new"), a, field(["name": "n", "bind": "c"])]) == [1, 3])
  }

  @Test func rowsAreThoseOfForEachPartsOfSectionsAndOtherChildrenCountedFromTheWindowOn() throws {
    let list = node(
      "list", ["window": ["first": 11, "count": 5, "total": 99]],
      [
        text("first"),
        node(
          "section", ["title": "S"],
          [node("forEach", ["action": "a"], [row(1, text("x")), row(2, node("nothing"))])]),
        .null,
        child("b", text("y")),
      ])
    let rows = ViewLocation(root: list).rows
    #expect(rows.map(\.number) == [11, 12, 13, 14])
    #expect(rows.map(\.id) == [nil, 1, 2, nil])
    let x = try #require(try at([2, 1, [1]], in: list))
    #expect(x.enclosingRow?.row.path == x.path)
    #expect(x.enclosingRow?.list.path == .root)
    #expect(try at([2], in: list)?.enclosingRow == nil)
    let inner = try #require(try at([2, 1, [1], 2], in: Screens.milk))
    #expect(inner.enclosingRow?.row.path.value == [2, 1, [1]])
  }
}
