import RunnerShared
import ScriptView
import ScriptedStore
import ScriptedStoreTerminal

/// Lays out the rows at the bottom of a terminal console: the edited line, a menu of completions,
/// and a status row.
struct PromptRows {
  let console: Console
  let editor: LineEditor
  let size: TerminalSize
  private var style: TextStyle { console.text.style }
  /// The last column stays empty, because a terminal may wrap after a character there.
  private var width: Int { size.columns - 1 }

  /// Returns the rows, and the column of the cursor, which is in the first row.
  func layout() -> (rows: [TerminalText], column: Int) {
    let (line, column) = line()
    var rows = [line]
    let room = size.rows - 2
    if room > 1 { rows += menu(height: min(6, room - 1)) }
    if room > 0 { rows.append(status()) }
    return (rows, column)
  }

  // MARK: The line

  private var prompt: String {
    if let search = editor.search { return "search “\(search.query)” › " }
    let history = console.history
    let last = history.numbers.upperBound - 1
    let position = history.position < last ? " \(history.position)/\(last)" : ""
    return "\(console.name)\(position)\(history.isLocked ? " locked" : "") › "
  }

  private func line() -> (text: TerminalText, column: Int) {
    var prompt = prompt
    if CharacterWidth.of(prompt) > width / 2 { prompt = "› " }
    var row = Row(limit: width)
    row.add(prompt, style.cyan)
    let room = width - row.width
    let buffer = editor.buffer
    // A line that is too long is scrolled just far enough to show the cursor.
    var start = buffer.cursor
    var before = 0
    while start > 0 {
      let wider = before + CharacterWidth.of(buffer.characters[start - 1])
      if wider >= room { break }
      before = wider
      start -= 1
    }
    let column = row.width + before
    row.add(String(buffer.characters[start...]))
    return (row.text, column)
  }

  // MARK: Below it

  private func menu(height: Int) -> [TerminalText] {
    guard let menu = editor.menu, height > 0 else { return [] }
    let candidates = menu.completion.candidates
    let cell = min(width, (candidates.map { CharacterWidth.of($0) }.max() ?? 0) + 2)
    let columns = max(1, width / max(1, cell))
    let all = (candidates.count + columns - 1) / columns
    let chosenRow = menu.chosen.map { $0 / columns } ?? 0
    let top = max(0, min(chosenRow - height / 2, all - height))
    return (top..<min(all, top + height)).map { number in
      var row = Row(limit: width)
      for index in number * columns..<min((number + 1) * columns, candidates.count) {
        let start = row.width
        row.add(candidates[index], index == menu.chosen ? style.reversed : style.bold)
        guard index + 1 < (number + 1) * columns else { break }
        row.add(String(repeating: " ", count: max(0, cell - (row.width - start))))
      }
      return row.text
    }
  }

  private func status() -> TerminalText {
    var parts = ["#\(console.history.position)"]
    let effects = console.store.effects.count
    if effects > 0 { parts.append(count(effects, "effect")) }
    let warnings = console.warnings.count
    if warnings > 0 { parts.append(count(warnings, "warning")) }
    if let clock = console.clock { parts.append("\(clock.now / .seconds(1)) s") }
    var row = Row(limit: width)
    row.add(parts.joined(separator: "  "), style.dim)
    row.add("   ")
    let hints =
      editor.buffer.isEmpty
      ? [("F2", "state"), ("F3", "history"), ("F4", "effects"), ("←→", "in time")]
      : [("Tab", "complete"), ("Ctrl-R", "search"), ("Ctrl-C", "clear")]
    for (key, does) in hints {
      row.add(key, style.bold)
      row.add(" \(does)  ", style.dim)
    }
    return row.text
  }

  /// A row that lists keys and their effects.
  static func keys(
    _ keys: [(key: String, does: String)], _ style: TextStyle, width: Int
  ) -> TerminalText {
    var row = Row(limit: width)
    for (key, does) in keys {
      row.add(" \(key)", style.bold)
      row.add(" \(does) ", style.dim)
    }
    return row.text
  }
}
