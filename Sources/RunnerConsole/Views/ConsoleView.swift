import RunnerShared
import ScriptedStoreTerminal

/// A view that covers the whole terminal until the user leaves it.
protocol ConsoleView: AnyObject {
  /// The first row of the screen.
  var title: String { get }
  /// The keys that the last row of the screen lists.
  var keys: [(key: String, does: String)] { get }
  /// Seconds after which the view must be redrawn without a key; nil if it changes only with
  /// events.
  var interval: Double? { get }

  /// The rows between the first and the last one; at most `height` rows are shown.
  func rows(width: Int, height: Int) -> [TerminalText]
  func handle(_ key: Key, height: Int) -> KeyOutcome
}

/// The result of a key in a view.
enum KeyOutcome {
  case stay
  case leave
  /// Leave the view, and put this text into the edited line.
  case edit(String)
}

/// The chosen row of a list, and the part of the list that is on the screen.
struct ListSelection {
  private(set) var index = 0
  private(set) var top = 0

  mutating func move(to index: Int, of count: Int) { self.index = max(0, min(count - 1, index)) }

  /// Handles the keys that move the choice in every list. Returns false for other keys.
  mutating func handle(_ key: Key, of count: Int, height: Int) -> Bool {
    switch key {
    case .up, .character("k"), .control("p"): move(to: index - 1, of: count)
    case .down, .character("j"), .control("n"): move(to: index + 1, of: count)
    case .pageUp, .control("b"): move(to: index - height, of: count)
    case .pageDown, .control("f"): move(to: index + height, of: count)
    case .home, .character("g"): move(to: 0, of: count)
    case .end, .character("G"): move(to: count - 1, of: count)
    default: return false
    }
    return true
  }

  /// Returns the indices of the rows to show. They include the chosen row.
  mutating func window(of count: Int, height: Int) -> Range<Int> {
    index = max(0, min(count - 1, index))
    if index < top { top = index }
    if index >= top + height { top = index - height + 1 }
    top = max(0, min(top, count - height))
    return top..<min(count, top + height)
  }
}
