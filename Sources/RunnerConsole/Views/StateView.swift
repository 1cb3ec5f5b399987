import RunnerShared
import ScriptValue
import ScriptedStoreTerminal

/// The state as a tree whose nodes can be folded.
final class StateView: ConsoleView {
  private let console: Console
  private var selection = ListSelection()
  /// Paths of the unfolded values.
  private var unfolded: Set<ValuePath> = [.root]

  /// A row of the tree.
  private struct Line {
    let path: ValuePath
    let label: String
    let value: Value
    var depth: Int { path.components.count }
    var isContainer: Bool { value.memberCount > 0 }
  }

  /// The most lists and objects that one press of `*` unfolds.
  private static let unfoldLimit = 1000

  init(_ console: Console) { self.console = console }

  let interval: Double? = nil
  var title: String { "state of \(console.name)" }
  let keys: [(key: String, does: String)] = [
    ("↑↓", "choose"), ("→←", "unfold, fold"), ("*", "all below"), ("Enter", "set"), ("q", "back"),
  ]

  // MARK: Rows

  private func lines() -> [Line] {
    var lines: [Line] = []
    add(Line(path: .root, label: "", value: console.store.state), to: &lines)
    return lines
  }

  private func add(_ line: Line, to lines: inout [Line]) {
    lines.append(line)
    guard unfolded.contains(line.path) else { return }
    for child in children(of: line) { add(child, to: &lines) }
  }

  private func children(of line: Line) -> [Line] {
    line.value.members().map { component, value in
      Line(path: line.path.appending(component), label: component.label, value: value)
    }
  }

  /// The size of a container: `3 elements`, `1 key`.
  private static func count(of value: Value) -> String {
    RunnerShared.count(value.memberCount, value.array == nil ? "key" : "element")
  }

  func rows(width: Int, height: Int) -> [TerminalText] {
    let lines = lines()
    let window = selection.window(of: lines.count, height: height)
    let changes = console.history.changes(of: console.history.position)
    return window.map { index in
      let line = lines[index]
      return row(
        line, changes[line.path].mark, width: width, isChosen: index == selection.index)
    }
  }

  private func row(
    _ line: Line, _ mark: ValueChanges.Mark?, width: Int, isChosen: Bool
  ) -> TerminalText {
    let style = console.text.style
    let isUnfolded = line.isContainer && unfolded.contains(line.path)
    var row = Row(limit: width)
    row.add(isChosen ? "› " : "  ", style.cyan)
    switch mark {
    case .added: row.add("+ ", style.green)
    case .changed: row.add("~ ", style.yellow)
    case .inside: row.add("· ", style.yellow)
    case nil: row.add("  ")
    }
    row.add(String(repeating: "  ", count: line.depth))
    row.add(line.isContainer ? (isUnfolded ? "▾ " : "▸ ") : "  ", style.dim)
    let label = line.label.isEmpty ? "state" : line.label
    row.add(label, isChosen ? style.reversed : style.bold)
    row.add(" ")
    if isUnfolded {
      row.add(Self.count(of: line.value), style.dim)
    } else {
      row.add(ValuePreview.text(of: line.value, width: width))
    }
    return row.text
  }

  // MARK: Keys

  func handle(_ key: Key, height: Int) -> KeyOutcome {
    let lines = lines()
    if selection.handle(key, of: lines.count, height: height) { return .stay }
    guard lines.indices.contains(selection.index) else { return .leave }
    let line = lines[selection.index]
    switch key {
    case .right, .character("l"):
      if line.isContainer && !unfolded.insert(line.path).inserted {
        selection.move(to: selection.index + 1, of: lines.count)
      }
    case .left, .character("h"): fold(line, lines)
    case .character(" "):
      if unfolded.remove(line.path) == nil && line.isContainer { unfolded.insert(line.path) }
    case .character("*"): unfoldAll(below: line)
    case .enter:
      let path = line.path.luaDescription
      return .edit(path.isEmpty ? ":set \(line.value)" : ":set \(path) \(line.value)")
    case .escape, .character("q"), .function(2), .control("c"), .control("d"): return .leave
    default: break
    }
    return .stay
  }

  /// Folds the chosen value. If it is not unfolded, moves the choice to its parent.
  private func fold(_ line: Line, _ lines: [Line]) {
    if line.isContainer && unfolded.remove(line.path) != nil { return }
    let parent = ValuePath(line.path.components.dropLast())
    guard let index = lines.firstIndex(where: { $0.path == parent }) else { return }
    selection.move(to: index, of: lines.count)
  }

  private func unfoldAll(below line: Line) {
    var open = [line]
    var count = 0
    while let next = open.popLast(), count < Self.unfoldLimit {
      guard next.isContainer else { continue }
      unfolded.insert(next.path)
      count += 1
      open += children(of: next).reversed()
    }
  }
}
