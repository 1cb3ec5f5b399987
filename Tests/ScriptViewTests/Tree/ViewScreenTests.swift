import ScriptValue
import ScriptView
import Testing

/// The layers of a screen.
struct ViewScreenTests {
  private func layers(_ tree: Value) -> [String] {
    ViewScreen(tree).layers.map { "\($0.presentation ?? "root"): \($0.title ?? "-")" }
  }

  private func sheet(_ title: String, _ more: Value.Object = [:]) -> Value {
    var properties: Value.Object = ["title": .string(title)]
    for (key, value) in more { properties[key] = value }
    return child("destination.add", node("screen", properties))
  }

  @Test func aScreenThatPresentsNothingIsOneLayer() {
    #expect(layers(Screens.milk) == ["root: Todos"])
    #expect(layers(.null) == ["root: -"])
  }

  @Test func anAlertIsAboveASheetAndWhatASheetPresentsAboveTheSheet() {
    let tree = node(
      "column", ["alert": child("alert", Screens.alert("Sure?", []))],
      [
        node("column", ["sheet": sheet("Item", ["popover": child("p", heading("Colour"))])]),
        node("column", ["dialog": child("d", Screens.alert("Which?", []))]),
      ])
    #expect(
      layers(tree) == [
        "root: -", "dialog: Which?", "sheet: Item", "popover: Colour", "alert: Sure?",
      ])
  }

  @Test func whatAHiddenNodePresentsIsNotOnTheScreen() {
    let tab = node("column", ["label": "B", "sheet": sheet("Item")])
    #expect(
      layers(node("tabs", ["value": "A"], [node("column", ["label": "A"]), tab])) == ["root: -"])
    #expect(layers(node("tabs", ["value": "B"], [node("column", ["label": "A"]), tab])).count == 2)
  }

  @Test func aPresentationOfAWrongTypeIsNone() {
    #expect(layers(node("column", ["sheet": "destination.add", "alert": 3])) == ["root: -"])
  }
}
