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
