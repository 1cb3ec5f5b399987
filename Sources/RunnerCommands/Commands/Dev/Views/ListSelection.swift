import ScriptedStoreTerminal

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
