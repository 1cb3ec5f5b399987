import ScriptValue
import ScriptView
import Testing

/// A node is read from its value.
struct ViewNodeTests {
  @Test func aStringAndANumberAreTextsNullFalseAndTrueAreNothing() {
    #expect(ViewNode("Milk").kind == "text")
    #expect(ViewNode("Milk").text == "Milk")
    #expect(ViewNode(3).text == "3")
    #expect(ViewNode(2.0).text == "2")
    #expect(ViewNode(2.5).text == "2.5")
    for value in [.null, false, true] as [Value] { #expect(ViewNode(value).isNothing) }
  }

  @Test func propertiesOfAWrongTypeCountAsAbsent() {
    let node = ViewNode([
      "kind": "button", "text": ["x"], "disabled": "yes", "role": "king", "children": "none",
      "label": true, "window": ["first": 0], "id": [1], "error": 3, "min": "low",
    ])
    #expect(node.text == nil)
    #expect(node.label == nil)
    #expect(node.name == nil)
    #expect(!node.isSet("disabled"))
    #expect(node.word("role") == nil)
    #expect(node.children.isEmpty)
    #expect(node.window == nil)
    #expect(node.row == nil)
    #expect(node.failure == nil)
    #expect(node.number("min") == nil)
  }

  @Test(arguments: [[1, 2], [:], ["kind": 3]] as [Value])
  func whatIsNoNodeAtAllIsAnUnknownElementWithoutChildren(value: Value) {
    let node = ViewNode(value)
    #expect(node.kind == "" && node.element == nil && node.children.isEmpty && !node.isNothing)
  }

  @Test func aControlIsNamedByItsLabelOtherwiseByItsTextAScreenByItsTitle() {
    #expect(ViewNode(button("Add", ["label": "Add a todo"])).name == "Add a todo")
    #expect(ViewNode(button("Add")).name == "Add")
    #expect(ViewNode(button(" ")).name == nil)
    #expect(ViewNode(node("screen", ["title": "Todos"])).name == "Todos")
  }

  @Test func anErrorWithAMessageIsThatOfAViewATextIsThatOfAField() {
    let failure = ViewNode(failed("no", location: "a.lua:3")).failure
    #expect(failure?.message == "no" && failure?.location == "a.lua:3")
    #expect(ViewNode(node("textField", ["error": "too short"])).failure == nil)
  }

  @Test func aWindowTellsHowManyRowsAreBeforeAndBehindIt() throws {
    let window = try #require(
      ViewNode(node("list", ["window": ["first": 61, "count": 40, "total": 1000]])).window)
    #expect(window.before == 60 && window.behind == 900)
  }
}
