/// Something that takes the whole terminal until it is left.
protocol ConsoleView: AnyObject {
  /// What it is, and which keys it takes, for the first row and the last.
  var title: String { get }
  var keys: [(key: String, does: String)] { get }
  /// How long what it shows stays right, in seconds; nil while nothing happens.
  var interval: Double? { get }

  /// What is between them. `height` rows, or fewer.
  func rows(width: Int, height: Int) -> [TerminalText]
  func handle(_ key: Key, height: Int) -> ViewOutcome
}

/// What a key led to.
enum ViewOutcome {
  case stay
  case leave
  /// To go on with this in the line that is edited.
  case edit(String)
}

/// Which of many rows is chosen, and which of them are on the screen.
struct Selection {
  private(set) var index = 0
  private(set) var top = 0

  mutating func move(to index: Int, of count: Int) { self.index = max(0, min(count - 1, index)) }

  /// What keys do to every list; false for others.
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

  /// The rows that are to be shown, with the chosen one among them.
  mutating func window(of count: Int, height: Int) -> Range<Int> {
    index = max(0, min(count - 1, index))
    if index < top { top = index }
    if index >= top + height { top = index - height + 1 }
    top = max(0, min(top, count - height))
    return top..<min(count, top + height)
  }
}
