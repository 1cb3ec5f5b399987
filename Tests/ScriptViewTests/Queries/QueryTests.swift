import Foundation
import ScriptValue
import Testing

@testable import ScriptView

/// Finding what a person perceives.
struct QueryTests {
  private func find(_ query: ViewQuery, in tree: Value) throws -> ViewItem {
    try ViewScreen(tree).find(query)
  }

  private func path(_ query: ViewQuery, in tree: Value) throws -> Value {
    try find(query, in: tree).location.path.value
  }

  private func failure(_ query: ViewQuery, in tree: Value) -> String? {
    let error = #expect(throws: ViewQueryError.self) { try find(query, in: tree) }
    return error.map { "\($0.reason): \($0.message)" }
  }

  /// The constants cannot be listed, so this reads them in the text that makes them.
  @Test func eachRoleHasAConstantForTestsInSwift() throws {
    let file = URL(filePath: #filePath).appending(
      path: "../../../../Sources/ScriptView/Queries/ViewItem.swift"
    ).standardizedFileURL
    let source = try String(contentsOf: file, encoding: .utf8)
    let constants = source.matches(of: /static let (\w+): ViewRole = "(\w+)"/)
    for constant in constants { #expect(constant.1 == constant.2) }
    #expect(Set(constants.map { String($0.2) }) == Set(ViewQuery.roles))
  }

  @Test func aControlIsFoundByItsRoleAndName() throws {
    #expect(try path(ViewQuery("button", "Add"), in: Screens.milk) == [3, 2])
    #expect(try path(ViewQuery("picker"), in: Screens.milk) == [1])
    #expect(try path(ViewQuery("screen", "Todos"), in: Screens.milk) == [])
    #expect(try find(ViewQuery("button", "Clear completed"), in: Screens.milk).isDisabled)
  }

  @Test func aRowIsFoundByItsNumberOrATextInItAndWhatIsInItWithinTheRow() throws {
    let second = try find(ViewQuery("row", number: 2), in: Screens.milk)
    #expect(second.location.path.value == [2, 1, [2]])
    #expect(second.name == "Bread")
    #expect(try path(ViewQuery("row", "Milk"), in: Screens.milk) == [2, 1, [1]])
    #expect(
      try path(
        ViewQuery("textField", "Untitled todo", within: second.location.path), in: Screens.milk)
        == [2, 1, [2], 2])
    #expect(
      try path(ViewQuery("toggle", isSelected: true), in: Screens.milk) == [2, 1, [2], 1])
    let bare = node(
      "list", [:], [node("forEach", [:], [row(1, button("Go")), row(2, node("nothing"))])])
    #expect(try path(ViewQuery("button", within: ViewPath([1, [1]])), in: bare) == [1, [1]])
    #expect(try ViewScreen(bare).all(ViewQuery("row")).count == 1)
  }

  @Test func optionsAndTabsAreFoundChosenOrNotAndCanBeTapped() throws {
    let screen = ViewScreen(Screens.milk)
    let active = try screen.find(ViewQuery("option", isSelected: true))
    #expect(active.name == "active" && active.number == 2)
    let all = try screen.find(ViewQuery("option", "all"))
    #expect(
      try screen.perform(.tap, on: all)
        == .send(["type": "binding", "key": "filter", "value": "all"], transaction: nil))
    #expect(throws: ViewRefusal.self) { try screen.perform(.focus, on: all) }

    let tabs = ViewScreen(
      node("tabs", ["bind": "t"], [node("column", ["label": "A"]), node("column", ["label": "B"])]))
    #expect(try tabs.find(ViewQuery("tab", isSelected: true)).name == "A")
    #expect(
      try tabs.perform(.tap, on: try tabs.find(ViewQuery("tab", "B")))
        == .send(["type": "binding", "key": "t", "value": "B"], transaction: nil))
  }

  @Test func aTableHasCellsAListItsSelectedRow() throws {
    let table = node(
      "table", ["selection": "id", "selected": 2],
      [
        node(
          "forEach", [:],
          (1...2).map { id in
            row(
              .integer(Int64(id)),
              node("row", [:], [text("a\(id)"), node("number", ["value": 1234])]))
          })
      ])
    #expect(try path(ViewQuery("row", isSelected: true), in: table) == [1, [2]])
    #expect(
      try path(ViewQuery("cell", number: 2, within: ViewPath([1, [2]])), in: table) == [1, [2], 2])
    #expect(
      try ViewScreen(table).all(ViewQuery("cell")).map(\.name) == ["a1", "1,234", "a2", "1,234"])
    #expect(try path(ViewQuery("cell", "a2"), in: table) == [1, [2], 1])
  }

  @Test func presentationsAreFoundByTheirTitleAloneTheyCanBeUsed() throws {
    var tree = Screens.milk
    tree["alert"] = child(
      "alert", Screens.alert("Delete?", [button("Delete")], message: "It cannot be undone."))
    #expect(try path(ViewQuery("alert", "Delete?"), in: tree) == ["alert"])
    #expect(try path(ViewQuery("button"), in: tree) == ["alert", 1, 1])
    #expect(try path(ViewQuery("text", "It cannot be undone."), in: tree) == ["alert", 1])
    #expect(
      failure(ViewQuery("button", "Add"), in: tree)
        == "covered: the button 'Add' is covered by the alert 'Delete?'; tap one of its buttons first"
    )
  }

  @Test func whatIsNotThereIsToldWithTheNearestNameOrWithWhatThereIs() {
    #expect(
      failure(ViewQuery("button", "Ad"), in: Screens.milk)
        == "none: the screen has no button 'Ad'; did you mean 'Add'?")
    #expect(
      failure(ViewQuery("button", "Save"), in: Screens.milk)
        == "none: the screen has no button 'Save'; there are the buttons 'Clear completed', 'Add'")
    #expect(
      failure(ViewQuery("link", "Add"), in: Screens.milk)
        == "none: the screen has no link 'Add'; there is a button 'Add'")
    #expect(
      failure(ViewQuery("slider"), in: node("column", [:], [text("a"), text("a"), button("b")]))
        == "none: the screen has no slider; there are text 'a', button 'b'")
    #expect(
      failure(ViewQuery("text"), in: .null) == "none: the screen has no text; nothing is shown")
    #expect(
      failure(ViewQuery("buton"), in: .null)
        == "role: there is no role 'buton'; did you mean 'button'?")
  }

  @Test func moreThanOneIsToldWithThePlacesANumberOrWithinSaysWhich() throws {
    #expect(
      failure(ViewQuery("toggle", "Done"), in: Screens.milk)
        == #"several: there are 2 toggles 'Done', at "2.1[1].1", "2.1[2].1"; "#
        + "say which by a number, or where with `within`")
    #expect(try path(ViewQuery("toggle", "Done", number: 2), in: Screens.milk) == [2, 1, [2], 1])
    #expect(throws: ViewQueryError.self) { try ViewScreen(Screens.milk).query(ViewQuery("toggle")) }
    #expect(try ViewScreen(Screens.milk).query(ViewQuery("slider")) == nil)
    #expect(try ViewScreen(Screens.milk).all(ViewQuery("toggle")).count == 2)
  }

  @Test func aRowOutsideOfTheWindowIsToldWithItsList() throws {
    let list = node(
      "list", ["label": "Todos", "window": ["first": 11, "count": 2, "total": 500]],
      [node("forEach", [:], [row(11, text("a")), row(12, text("b"))])])
    let screen = ViewScreen(node("column", [:], [list]))
    #expect(try screen.find(ViewQuery("row", number: 12)).name == "b")
    let error = #expect(throws: ViewQueryError.self) {
      try screen.find(ViewQuery("row", number: 300))
    }
    #expect(error?.reason == .outsideWindow)
    #expect(error?.list == ViewPath([.child(1)]))
    #expect(
      error?.message
        == "row 300 is not in the window of the list 'Todos', which shows 11 to 12 of 500")
    #expect(
      #expect(throws: ViewQueryError.self) { try screen.find(ViewQuery("row", number: 501)) }?
        .reason
        == ViewQueryError.Reason.none)
  }

  @Test func messagesHoldOnlySoMuchOfALargeOrHostileScreen() {
    let tree = node(
      "column", [:],
      (0..<1000).map { button("\u{1B}[31m\($0)" + String(repeating: "x", count: 100)) })
    for query in [ViewQuery("button", "y"), ViewQuery("slider"), ViewQuery("button")] {
      let message = failure(query, in: tree) ?? ""
      #expect(message.utf8.count < 2000 && !message.contains("\u{1B}"))
    }
  }
}

extension ViewPath {
  fileprivate init(_ steps: Value...) { self = ViewPath(.array(Value.List(steps))) ?? .root }

  fileprivate init(_ steps: [Value]) { self = ViewPath(.array(Value.List(steps))) ?? .root }
}
