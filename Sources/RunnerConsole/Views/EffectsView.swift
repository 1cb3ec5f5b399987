import RunnerShared
import ScriptedStore
import ScriptedStoreTerminal

/// The effects in flight.
final class EffectsView: ConsoleView {
  private let console: Console
  private var selection = ListSelection()
  private var effects: [(number: UInt64, description: EffectDescription)] = []

  init(_ console: Console) { self.console = console }

  /// The rows show how long each effect has been in flight. On a virtual clock this changes only
  /// with events.
  var interval: Double? { console.clock == nil && !effects.isEmpty ? 0.5 : nil }
  var title: String { "effects of \(console.name)" }
  let keys: [(key: String, does: String)] = [("↑↓", "choose"), ("c", "cancel"), ("q", "back")]

  func rows(width: Int, height: Int) -> [TerminalText] {
    let style = console.text.style
    let chosen = effects.indices.contains(selection.index) ? effects[selection.index].number : nil
    effects = console.store.numberedEffects
    // The choice follows its effect when the list changes.
    if let chosen, let index = effects.firstIndex(where: { $0.number == chosen }) {
      selection.move(to: index, of: effects.count)
    }
    guard !effects.isEmpty else { return [style.dim("  nothing is in flight")] }
    return selection.window(of: effects.count, height: height).map { index in
      var row = Row(limit: width)
      let isChosen = index == selection.index
      row.add(isChosen ? "› " : "  ", style.cyan)
      row.add(effects[index].description.displayed, isChosen ? style.reversed : { $0 })
      return row.text
    }
  }

  func handle(_ key: Key, height: Int) -> KeyOutcome {
    if selection.handle(key, of: effects.count, height: height) { return .stay }
    switch key {
    case .character("c"), .delete, .backspace:
      guard effects.indices.contains(selection.index) else { break }
      console.store.cancelEffect(effects[selection.index].number)
    case .escape, .character("q"), .function(4), .control("c"), .control("d"): return .leave
    default: break
    }
    return .stay
  }
}
