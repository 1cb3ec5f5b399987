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
    var isContainer: Bool { StateView.childCount(of: value) > 0 }
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
    switch line.value {
    case .array(let list):
      list.enumerated().map { index, value in
        Line(path: line.path.appending(.index(index)), label: "[\(index + 1)]", value: value)
      }
    case .object(let object):
      object.map { Line(path: line.path.appending(.key($0)), label: $0, value: $1) }
    default: []
    }
  }

  private static func childCount(of value: Value) -> Int {
    switch value {
    case .array(let list): list.count
    case .object(let object): object.count
    default: 0
    }
  }

  func rows(width: Int, height: Int) -> [TerminalText] {
    let lines = lines()
    let window = selection.window(of: lines.count, height: height)
    return window.map { row(lines[$0], width: width, isChosen: $0 == selection.index) }
  }

  private func row(_ line: Line, width: Int, isChosen: Bool) -> TerminalText {
    let style = console.text.style
    let isUnfolded = line.isContainer && unfolded.contains(line.path)
    var row = Row(limit: width)
    row.add(isChosen ? "› " : "  ", style.cyan)
    row.add(String(repeating: "  ", count: line.depth))
    row.add(line.isContainer ? (isUnfolded ? "▾ " : "▸ ") : "  ", style.dim)
    let label = line.label.isEmpty ? "state" : line.label
    row.add(label, isChosen ? style.reversed : style.bold)
    row.add(" ")
    if isUnfolded {
      row.add(ValuePreview.count(of: line.value), style.dim)
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
      let path = StatePath.text(line.path)
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
