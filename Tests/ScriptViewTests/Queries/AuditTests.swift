import ScriptValue
import ScriptView
import Testing

/// The audit of a screen.
struct AuditTests {
  private func audit(_ children: [Value], _ properties: Value.Object = [:]) -> [String] {
    ViewScreen(node("column", properties, children)).audit().map { "\($0.kind): \($0.message)" }
  }

  @Test func aScreenWhoseControlsHaveNamesIsFineEqualOnesInTwoRowsAsWell() {
    #expect(ViewScreen(Screens.milk).audit() == [])
    let sections = ["A", "B"].map { node("section", ["title": .string($0)], [button("Edit")]) }
    #expect(audit(sections + [button("Edit")]) == [])
  }

  @Test func controlsImagesAndTabsWithoutANameAreFound() {
    #expect(
      audit([
        node("button", ["icon": "plus"]), node("textField", ["prompt": "Name"]), node("disclosure"),
        node("image", ["source": "a.png"]), node("image", ["decorative": true]),
        node("image", ["label": "A cat"]), node("tabs", [:], [node("column")]),
      ]) == [
        #"unnamedControl: the button at "1" has no label"#,
        #"unnamedControl: the textField at "2" has no label"#,
        #"unnamedControl: the disclosure at "3" has no label"#,
        #"unnamedImage: the image at "4" has neither a label nor `decorative`"#,
        #"unnamedControl: the column at "7.1" is a tab without a label or title"#,
      ])
  }

  @Test func columnsThatBecomeTabsHaveNamesWhereverTheyAreSeen() {
    let children = [node("column", ["label": "A"]), node("column")]
    #expect(audit([node("columns", [:], children)]) == [])
    #expect(
      audit([node("columns", ["compact": "tabs"], children)])
        == [#"unnamedControl: the column at "1.2" is a tab without a label or title"#])
  }

  @Test func twoControlsOfOneRoleAndNameInOnePlaceAreFound() {
    #expect(
      audit([button("Edit"), node("row", [:], [button("Edit")]), node("link", ["text": "Edit"])])
        == [
          #"alike: the button 'Edit' at "2.1" is called as another one in its place, at "1""#
        ])
  }

  @Test func twoRowsOfOneIdAreFoundByTheIndex() {
    var second = row(1, text("b"))
    second["occurrence"] = 2
    #expect(
      audit([node("forEach", [:], [row(1, text("a")), row(2, text("c")), second])]) == [
        #"doubledID: the forEach at "1" has two elements with the id 1: 1 and 3"#
      ])
  }

  @Test func aTextFieldWithoutANameInAContainerWithFocusIsFoundOtherControlsNeedNone() {
    #expect(
      audit(
        [
          node("textField", ["label": "A", "name": "a"]), node("textField", ["label": "B"]),
          node("toggle", ["label": "C"]), node("picker", ["label": "D", "options": ["x"]]),
          node("slider", ["label": "E"]), node("datePicker", ["label": "F"]),
        ],
        ["focus": "field"]) == [
          #"unnamedField: the textField 'B' at "2" has no `name`, so that the column cannot focus it"#
        ])
  }

  @Test func twoNodesOfOneShortcutAreFoundOnEachLayerByItself() {
    let add = button("Add", ["shortcut": "mod+n"])
    #expect(audit([add], ["sheet": child("a", button("New", ["shortcut": "mod+n"]))]) == [])
    #expect(
      audit([add, button("New", ["shortcut": "Mod+N"])]) == [
        #"doubledShortcut: the button 'New' at "2" has the shortcut of the button 'Add'"#
      ])
  }
}
