import ScriptValue
import ScriptView
import Testing

/// Any gesture on any node of any tree.
struct RandomGestureTests {
  private static let gestures: [ViewGesture] = [
    .tap, .enter("a"), .enter(2.5), .enter(true), .enter(.null), .submit, .focus, .blur,
    .select(nil), .select(1), .delete([]), .delete([1, "a"]), .move([], to: 1), .move([1], to: 2),
    .move([], to: 1, into: .root), .move([], to: 1, into: ViewPath([.child(1)])), .dismiss, .back,
    .press("mod+n"), .press("escape"),
  ]

  @Test(arguments: 0..<40 as Range<UInt64>)
  func itLeadsToAnActionWithATypeOrIsRefusedWithASentence(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let screen = ViewScreen(RandomViews.tree(&random, depth: 3))
    var items: [ViewItem] = []
    for role in ViewElement.all.map(\.kind) + ["cell", "option", "tab", "sheet", "alert"] {
      items += (try? screen.all(ViewQuery(role))) ?? []
    }
    for item in items.shuffled(using: &random).prefix(30) {
      for gesture in RandomGestureTests.gestures {
        do throws(ViewRefusal) {
          guard case .send(let action, _) = try screen.perform(gesture, on: item) else { continue }
          #expect(action["type"].string?.isEmpty == false)
        } catch {
          #expect(!error.message.isEmpty && !error.message.hasSuffix("."))
        }
      }
    }
  }
}
