import RunnerShared
import ScriptedStoreTerminal

/// Edits one line with the keys of Emacs and readline, with a history, a search in the history, and
/// completion.
struct LineEditor {
  /// The result of a key.
  enum Outcome: Equatable {
    case none
    case line(String)
    /// Ctrl-D was pressed on an empty line.
    case end
    /// The key is not a key of the editor.
    case other
  }

  private(set) var buffer = LineBuffer()
  private(set) var history: LineHistory
  private(set) var menu: Menu?
  private(set) var search: Search?
  /// The history line that is shown, and the text that was typed before; nil if no history line is
  /// shown.
  private var recalled: (index: Int, draft: String)?

  /// A menu of completions.
  struct Menu {
    var completion: Completion
    /// The candidate that is in the line now; nil for the typed text.
    var chosen: Int?
    let typed: String
  }

  struct Search {
    var query = ""
    /// The index of the history line that was found.
    var index: Int?
    let draft: String
  }

  init(history: LineHistory) { self.history = history }

  // MARK: Keys

  /// Handles one key.
  ///
  /// - Parameter complete: returns the completions of the text before the cursor.
  mutating func handle(_ key: Key, complete: (String) -> Completion) -> Outcome {
    if search != nil, let outcome = handleInSearch(key) { return outcome }
    switch key {
    case .tab: return choose(+1, complete)
    case .backTab: return choose(-1, complete)
    case .escape where menu != nil, .control("g") where menu != nil:
      if let menu { buffer.replaceBeforeCursor(with: menu.typed) }
      menu = nil
      return .none
    default: menu = nil
    }
    switch key {
    case .enter: return submit()
    case .control("d") where buffer.isEmpty: return .end
    case .up, .control("p"): recall(-1)
    case .down, .control("n"): recall(+1)
    case .control("r"): search = Search(draft: buffer.text)
    case .control("c"), .control("g"): clear()
    case .left where buffer.isEmpty, .right where buffer.isEmpty: return .other
    default: return buffer.handle(key) ? .none : .other
    }
    return .none
  }

  mutating func clear() {
    buffer.clear()
    (menu, search, recalled) = (nil, nil, nil)
  }

  /// Replaces the line with text that the user can edit further.
  mutating func put(_ text: String) {
    clear()
    buffer.set(text)
  }

  private mutating func submit() -> Outcome {
    let text = buffer.text
    history.add(text)
    clear()
    return .line(text)
  }

  // MARK: History

  private mutating func recall(_ step: Int) {
    let count = history.lines.count
    let index = (recalled?.index ?? count) + step
    guard index >= 0 && index <= count else { return }
    let draft = recalled?.draft ?? buffer.text
    recalled = index == count ? nil : (index, draft)
    buffer.set(index == count ? draft : history.lines[index])
  }

  /// Handles a key while searching. Returns nil if the key ends the search and must then be handled
  /// as usual.
  private mutating func handleInSearch(_ key: Key) -> Outcome? {
    guard var current = search else { return nil }
    switch key {
    case .character(let character):
      current.query.append(character)
      find(&current, from: current.index ?? history.lines.count - 1)
    case .paste(let text):
      current.query += text.onOneLine
      find(&current, from: current.index ?? history.lines.count - 1)
    case .backspace:
      if !current.query.isEmpty { current.query.removeLast() }
      find(&current, from: history.lines.count - 1)
    case .control("r"), .up: find(&current, from: (current.index ?? history.lines.count) - 1)
    case .control("g"), .control("c"):
      buffer.set(current.draft)
      search = nil
      return .some(.none)
    default:
      search = nil
      return key == .escape ? .some(.none) : nil
    }
    search = current
    return .some(.none)
  }

  private mutating func find(_ search: inout Search, from start: Int) {
    guard !search.query.isEmpty else {
      search.index = nil
      return
    }
    let found = history.lines.indices.reversed()
      .first { $0 <= start && history.lines[$0].contains(search.query) }
    // If no other line matches, the last match stays in the line.
    guard let found else { return }
    search.index = found
    buffer.set(history.lines[found])
  }

  // MARK: Completion

  private mutating func choose(_ step: Int, _ complete: (String) -> Completion) -> Outcome {
    if var current = menu {
      let count = current.completion.candidates.count
      // The choice cycles through the candidates and the typed text.
      let next = ((current.chosen ?? count) + step + count + 1) % (count + 1)
      current.chosen = next == count ? nil : next
      buffer.replaceBeforeCursor(
        with: current.chosen.map { current.completion.text(choosing: $0) } ?? current.typed)
      menu = current
      return .none
    }
    let typed = buffer.textBeforeCursor
    let completion = complete(typed)
    switch completion.candidates.count {
    case 0: break
    case 1: buffer.replaceBeforeCursor(with: completion.text(choosing: 0))
    default:
      let common = completion.commonText
      if common.count > typed.count { buffer.replaceBeforeCursor(with: common) }
      menu = Menu(completion: completion, chosen: nil, typed: buffer.textBeforeCursor)
    }
    return .none
  }
}
