import ScriptValue
import ScriptView
import Testing

/// Gestures as clients send them.
struct GestureValueTests {
  @Test(
    arguments: [
      .tap, .enter("Milk"), .enter(.null), .submit, .focus, .blur, .select(3), .select(nil),
      .delete([1, "a"]), .delete([]), .move([1], to: 4), .dismiss, .back, .press("mod+n"),
      .move([], to: 1, into: .root),
      .move([], to: 1, into: ViewPath([.child(2), .row(.init(id: 7))])),
    ] as [ViewGesture])
  func aGestureIsReadAsItWasWritten(gesture: ViewGesture) throws {
    #expect(ViewGesture(gesture.value) == gesture)
    #expect(ViewGesture(try Value(json: gesture.value.json())) == gesture)
  }

  @Test(
    arguments: [
      .null, "tap", [:], ["gesture": "fly"], ["gesture": "enter"], ["gesture": "move", "ids": [1]],
      ["gesture": "delete", "ids": 3], ["gesture": "press"],
      ["gesture": "move", "to": 1, "into": 3],
    ] as [Value])
  func whatIsNoGestureIsRefused(value: Value) {
    #expect(ViewGesture(value) == nil)
  }
}
