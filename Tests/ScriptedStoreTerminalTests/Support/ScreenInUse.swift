import ScriptValue
import ScriptView
import ScriptedStoreTerminal
import TerminalEmulator

/// A source whose tree a test makes, and which keeps what was sent.
final class TreeSource: ScreenSource {
  var tree: Value
  var isSettled = true
  private(set) var sent: [Value] = []
  private(set) var chosen: [(file: String, path: ViewPath)] = []
  private(set) var windows: [(list: ViewPath, first: Int, count: Int)] = []
  /// Called with each action. May change the tree.
  var reduce: (TreeSource, Value) -> Void = { _, _ in }
  var showWindow: (TreeSource, _ first: Int, _ count: Int) -> Void = { _, _, _ in }

  init(_ tree: Value) { self.tree = tree }

  func perform(
    _ gesture: ViewGesture, at path: ViewPath, in shown: Value
  ) throws(ViewRefusal) -> ViewOutcome {
    let outcome = try ViewScreen(shown).perform(gesture, at: path)
    if case .send(let action, _) = outcome {
      sent.append(action)
      reduce(self, action)
    }
    return outcome
  }

  func choose(file: String, at path: ViewPath, in shown: Value) throws(ViewRefusal) {
    guard file.hasPrefix("/") else { throw ViewRefusal(.value, "\(file): there is no file") }
    chosen.append((file, path))
  }

  func show(_ list: ViewPath, first: Int, count: Int) {
    windows.append((list, first, count))
    showWindow(self, first, count)
  }
}

/// A screen with a terminal that shows it.
final class ScreenInUse {
  let source: TreeSource
  let screen: TerminalScreen
  private(set) var terminal: TerminalEmulator
  /// How many bytes the last frame had.
  private(set) var frameBytes = 0

  init(_ tree: Value, columns: Int = 40, rows: Int = 12, takesColor: Bool = false) {
    source = TreeSource(tree)
    screen = TerminalScreen(
      source, size: TerminalSize(columns: columns, rows: rows), takesColor: takesColor)
    terminal = TerminalEmulator(columns: columns, rows: rows)
    terminal.take("\u{1B}[?7l".utf8)
    draw()
  }

  func draw() {
    let bytes = screen.bytes()
    frameBytes = bytes.count
    terminal.take(bytes)
  }

  @discardableResult
  func press(_ keys: Key...) -> TerminalScreen.Reaction {
    var reaction = TerminalScreen.Reaction.none
    for key in keys { reaction = screen.handle(key) }
    draw()
    return reaction
  }

  func type(_ text: String) {
    for character in text { _ = screen.handle(.character(character)) }
    draw()
  }

  /// Clicks where a text stands.
  func click(_ text: String, _ offset: Int = 0) {
    for (row, line) in terminal.lines.enumerated() {
      guard let range = line.firstRange(of: text) else { continue }
      press(
        .mouse(
          MouseEvent(
            .press, column: line.distance(from: line.startIndex, to: range.lowerBound) + offset,
            row: row)))
      return
    }
  }

  func resize(columns: Int, rows: Int) {
    terminal.resize(columns: columns, rows: rows)
    screen.resize(to: TerminalSize(columns: columns, rows: rows))
    draw()
  }

  func show(_ tree: Value) {
    source.tree = tree
    screen.update()
    draw()
  }

  var lines: [String] { terminal.lines }
  var text: String { terminal.text }
  var status: String { terminal.lines.last ?? "" }

  /// What is marked as having the focus: the reversed cells.
  var marked: String {
    terminal.cells.flatMap(\.self).filter { $0.pen.contains(7) }.map(\.text).joined()
  }
}

func node(_ kind: String, _ properties: Value.Object = [:], _ children: [Value] = []) -> Value {
  var node: Value.Object = ["kind": .string(kind)]
  for (key, value) in properties { node[key] = value }
  if !children.isEmpty { node["children"] = .array(Value.List(children)) }
  return .object(node)
}

func button(_ text: String, _ properties: Value.Object = [:]) -> Value {
  var node: Value.Object = ["kind": "button", "text": .string(text), "action": .string(text)]
  for (key, value) in properties { node[key] = value }
  return .object(node)
}

func field(_ name: String, _ value: String, _ properties: Value.Object = [:]) -> Value {
  var all: Value.Object = ["label": .string(name), "bind": .string(name), "value": .string(value)]
  for (key, value) in properties { all[key] = value }
  return node("textField", all)
}
