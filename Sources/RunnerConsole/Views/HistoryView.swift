import RunnerShared
import ScriptValue
import ScriptedStore
import ScriptedStoreTerminal

/// The history of the store, with the state change of the chosen entry. The store can be moved to
/// an entry.
final class HistoryView: ConsoleView {
  private let console: Console
  private var selection = ListSelection()
  /// A message about the last key; shown instead of the state change.
  private var note = ""

  init(_ console: Console) {
    self.console = console
    choosePosition()
  }

  let interval: Double? = nil
  var title: String {
    "history of \(console.name): \(console.place)\(console.history.isLocked ? ", locked" : "")"
  }
  let keys: [(key: String, does: String)] = [
    ("↑↓", "choose"), ("Enter", "go there"), ("←→", "step"), ("s", "skip"), ("r", "replay"),
    ("l", "lock"), ("q", "back"),
  ]

  /// The first row stands for the state before the oldest entry.
  private var first: Int { console.history.numbers.lowerBound - 1 }
  private var count: Int { console.history.numbers.count + 1 }
  private var chosen: Int { first + selection.index }

  private func choosePosition() {
    selection.move(to: console.history.position - first, of: count)
  }

  // MARK: Rows

  func rows(width: Int, height: Int) -> [TerminalText] {
    let style = console.text.style
    // The list gets as many rows as it needs, but at most half of the screen.
    let listHeight = max(1, min(count, height / 2))
    var rows = selection.window(of: count, height: listHeight).map {
      row(first + $0, width: width, isChosen: $0 == selection.index)
    }
    rows.append(style.dim("\(String(repeating: "─", count: width))"))
    let left = height - rows.count
    let change = changeText().split(separator: "\n", omittingEmptySubsequences: false)
    rows += change.prefix(max(0, left)).map { line in
      var row = Row(limit: width)
      row.add(String(line), lineStyle(line))
      return row.text
    }
    return rows
  }

  private func row(_ number: Int, width: Int, isChosen: Bool) -> TerminalText {
    let style = console.text.style
    var row = Row(limit: width)
    row.add(isChosen ? "› " : "  ", style.cyan)
    row.add(number == console.history.position ? "● " : "  ", style.green)
    guard let entry = console.history[number] else {
      row.add("\(number) ", style.dim)
      row.add("the beginning", isChosen ? style.reversed : { $0 })
      return row.text
    }
    row.add("\(number) ", style.dim)
    row.add(entry.action.path, isChosen ? style.reversed : style.bold)
    if !entry.action.payload.isEmpty {
      row.add(" " + ValuePreview.text(of: .object(entry.action.payload), width: width))
    }
    if entry.error != nil { row.add("  raised", style.red) }
    if !entry.warnings.isEmpty { row.add("  warning", style.yellow) }
    if entry.isSkipped { row.add("  skipped", style.yellow) }
    if number < console.history.firstReachable { row.add("  before a reload", style.dim) }
    switch entry.source {
    case .input: break
    case .effect: row.add("  effect\(entry.feature.map { " of \($0)" } ?? "")", style.dim)
    case .shared: row.add("  from elsewhere", style.dim)
    case .edit: row.add("  \(TextStyle.tool(entry.action))", style.dim)
    }
    return row.text
  }

  /// The state change of the chosen entry. It has no colours, because a row may cut an escape
  /// sequence.
  private func changeText() -> String {
    if !note.isEmpty { return note }
    let number = chosen
    guard let entry = console.history[number] else {
      return LuaLayout().text(of: console.history.initialState)
    }
    let plain = ConsoleText(style: TextStyle(takesColor: false))
    var text = plain.entry(entry, before: console.state(before: number)).text
    for effect in entry.started { text += ScriptPaths.inMessage("\n  started \(effect)") }
    for effect in entry.ended { text += ScriptPaths.inMessage("\n  ended \(effect)") }
    for call in console.history.calls(of: number).prefix(Self.mostCalls) {
      text += ScriptPaths.inMessage("\n  \(call.text(width: ConsoleText.valueWidth))")
    }
    return text
  }

  /// The most calls that are listed. `:calls` lists all.
  private static let mostCalls = 100

  private func lineStyle(_ line: Substring) -> (TerminalText) -> TerminalText {
    let style = console.text.style
    switch line.first {
    case "-": return style.red
    case "+": return style.green
    default: return { $0 }
    }
  }

  // MARK: Keys

  func handle(_ key: Key, height: Int) -> KeyOutcome {
    note = ""
    if selection.handle(key, of: count, height: max(1, height / 2)) { return .stay }
    let (history, chosen) = (console.history, chosen)
    switch key {
    case .enter: attempt { try history.go(to: chosen) }
    case .left, .character("h"):
      attempt { try history.step(by: -1) }
      choosePosition()
    case .right:
      attempt { try history.step(by: 1) }
      choosePosition()
    case .character("s"):
      guard let entry = history[chosen] else { break }
      attempt { try history.skip(chosen, !entry.isSkipped) }
    case .character("r"):
      attempt {
        let report = try history.replay(from: max(chosen, history.numbers.lowerBound))
        note =
          report.difference.map { ScriptPaths.inMessage("another result from here on:\n\($0)") }
          ?? "reduced anew, with the same result"
      }
    case .character("l"): history.isLocked.toggle()
    case .escape, .character("q"), .function(3), .control("c"), .control("d"): return .leave
    default: break
    }
    return .stay
  }

  private func attempt(_ body: () throws -> Void) {
    do {
      try body()
    } catch {
      note = ScriptPaths.inMessage("\(error)")
    }
  }
}
