import ScriptValue
import ScriptView

/// What keys do.
extension TerminalScreen {
  /// Handles a key. The screen is up to date when this returns.
  public func handle(_ key: Key) -> Reaction {
    if key != .unknown { message = nil }
    let reaction = reaction(to: key)
    update()
    return reaction
  }

  private func reaction(to key: Key) -> Reaction {
    switch key {
    case .control("c"): return .leave
    case .control("z"): return .suspend
    case .control("l"): redraw()
    case .mouse(let event): handle(event)
    case .escape: return clearSearch() || close() ? .none : .escape
    case .tab: moveInOrder(by: 1)
    case .backTab: moveInOrder(by: -1)
    case .unknown: break
    default: handleInControl(key)
    }
    return .none
  }

  private func handleInControl(_ key: Key) {
    if listsShortcuts { return handleInShortcutList(key) }
    // A shortcut of the screen is stronger than a key of the editor.
    if let shortcuts = key.shortcuts, press(shortcuts) { return }
    if let stop = focused, stop.takesText, handleInText(key, stop) { return }
    if let stop = focused, handle(key, in: stop) { return }
    switch key {
    case .up: move(.up)
    case .down: move(.down)
    case .left: move(.left)
    case .right: move(.right)
    case .altUp: moveRow(down: false)
    case .altDown: moveRow(down: true)
    case .altLeft: moveRowBeside(isBehind: false)
    case .altRight: moveRowBeside(isBehind: true)
    case .delete, .backspace: if !deleteRow() { _ = press(["delete"]) }
    case .pageUp: movePage(by: -1)
    case .pageDown: movePage(by: 1)
    case .home: moveToEnd(isLast: false)
    case .end: moveToEnd(isLast: true)
    case .enter: _ = press(["enter"])
    case .character("?") where canListShortcuts: listsShortcuts = true
    case .character(let character): _ = press(["\(character)"])
    case .function(let number): _ = press(["f\(number)"])
    default: break
    }
  }

  /// The keys of a control itself. Returns false for all others.
  private func handle(_ key: Key, in stop: FocusStop) -> Bool {
    switch (key, stop.kind) {
    case (.enter, .field): submit(stop)
    case (.enter, .range), (.character(" "), .range), (.enter, .editor): return false
    case (.enter, _), (.character(" "), _):
      if case .row = stop.kind, stop.location.enclosingRow?.list.node["selection"] == nil {
        return false
      }
      activate(stop)
    case (.left, .openPicker), (.left, .tabs), (.left, .closedPicker): choose(stop, by: -1)
    case (.right, .openPicker), (.right, .tabs), (.right, .closedPicker): choose(stop, by: 1)
    case (.left, .range), (.character("-"), .range): step(stop, by: -1)
    case (.right, .range), (.character("+"), .range): step(stop, by: 1)
    case (.down, .menu): activate(stop)
    case (.right, .disclosure): enter(true, stop)
    case (.left, .disclosure): enter(false, stop)
    default: return false
    }
    return true
  }

  /// Enter in a field submits it, or goes on where there is nothing to submit.
  private func submit(_ stop: FocusStop) {
    do throws(ViewRefusal) {
      try attempt(.submit, at: stop.id.path)
    } catch {
      guard error.reason == .impossible else {
        message = error.message
        return
      }
      moveInOrder(by: 1)
    }
  }

  // MARK: Moving

  private enum Direction { case up, down, left, right }

  private func moveInOrder(by step: Int) {
    let count = top.stops.count
    guard count > 0 else {
      scroll(by: step * max(top.viewport.rows - 1, 1))
      return
    }
    guard let index = focusedIndex else { return moveFocus(to: step > 0 ? 0 : count - 1) }
    moveFocus(to: (index + step + count) % count)
  }

  /// Moves the focus to the nearest stop in a direction; scrolls where there is none, or where it is
  /// so far that what stands before it would not be seen.
  private func move(_ direction: Direction) {
    let layer = top
    let isVertical = direction == .up || direction == .down
    let step = direction == .up || direction == .left ? -1 : 1
    guard let index = focusedIndex, let here = layer.bounds[index] else {
      if isVertical, !layer.stops.isEmpty { return moveInOrder(by: step) }
      if isVertical { scroll(by: step) }
      return
    }
    let found = layer.bounds.enumerated().compactMap { index, bounds in
      bounds.flatMap { distance(from: here, to: $0, direction) }.map { (index: index, place: $0) }
    }
    let nearest = found.min { $0.place < $1.place }
    if let nearest, !isVertical || nearest.place.distance <= layer.viewport.rows {
      moveFocus(to: nearest.index)
    } else if isVertical, !scroll(by: step), let nearest {
      moveFocus(to: nearest.index)
    }
  }

  /// How far a stop is in a direction, and how far beside it; nil if it is not there.
  private func distance(
    from here: CellRect, to there: CellRect, _ direction: Direction
  ) -> (distance: Int, deviation: Int)? {
    switch direction {
    case .up, .down:
      let (upper, lower) = direction == .up ? (there, here) : (here, there)
      let distance = lower.row - (upper.row + upper.rows - 1)
      return distance > 0 ? (distance, abs(here.column - there.column)) : nil
    case .left, .right:
      let isBeside = there.row < here.row + here.rows && here.row < there.row + there.rows
      let distance =
        direction == .left ? here.column - there.column : there.column - here.column
      return isBeside && distance > 0 ? (distance, abs(here.row - there.row)) : nil
    }
  }

  private func movePage(by step: Int) {
    guard scroll(by: step * max(top.viewport.rows - 1, 1)) else {
      return moveToEnd(isLast: step > 0, keepsWindow: true)
    }
    focusOnScreen()
  }

  /// Gives the focus to a stop that is seen, if that which has it is not.
  func focusOnScreen() {
    let layer = top
    let seen = layer.scroll..<layer.scroll + layer.viewport.rows
    if let index = focusedIndex, let bounds = layer.bounds[index], seen.contains(bounds.row) {
      return
    }
    guard let index = layer.bounds.firstIndex(where: { $0.map { seen.contains($0.row) } ?? false })
    else { return }
    moveFocus(to: index)
    revealsFocus = false
  }

  private func moveToEnd(isLast: Bool, keepsWindow: Bool = false) {
    if !keepsWindow { showEnd(isLast: isLast) }
    scroll(by: isLast ? top.lastScroll : -top.lastScroll)
    guard !top.stops.isEmpty else { return }
    moveFocus(to: isLast ? top.stops.count - 1 : 0)
  }
}

extension Key {
  /// The shortcuts that this key stands for wherever the focus is; nil for keys that belong to the
  /// control with the focus.
  fileprivate var shortcuts: [String]? {
    switch self {
    case .control(let character): ["mod+\(character)", "ctrl+\(character)"]
    case .alt("\r"): ["mod+enter", "alt+enter"]
    case .alt(let character):
      if character.isUppercase {
        ["alt+shift+\(character)", "mod+shift+\(character)"]
      } else {
        ["alt+\(character)", "mod+\(character)"]
      }
    case .function(let number): ["f\(number)"]
    default: nil
    }
  }
}

/// Clicks and the wheel.
extension TerminalScreen {
  private static let wheelLines = 3

  func handle(_ event: MouseEvent) {
    switch event.kind {
    case .press: press(event.column, event.row)
    case .wheelUp: scroll(by: -Self.wheelLines)
    case .wheelDown: scroll(by: Self.wheelLines)
    case .other: break
    }
  }

  private func press(_ column: Int, _ row: Int) {
    let layer = top
    if let frame = layer.frame {
      let mark = frame.column + frame.columns - ScreenPainter.closeMark.offset
      let isMark = canClose && row == frame.row && mark..<mark + 3 ~= column
      if isMark || layer.isOpened && !frame.contains(column: column, row: row) {
        _ = close()
        return
      }
    }
    guard let cell = layer.cell(column: column, row: row), let index = layer.stop(of: cell)
    else { return }
    let part = Int(cell.part)
    let stop = layer.stops[index]
    moveFocus(to: index, caret: part > 0 ? part - 1 : nil)
    // What is clicked is seen already.
    revealsFocus = false
    switch stop.kind {
    case .openPicker, .tabs: if part > 0 { chooseOption(part, of: stop) }
    case .range: if part > 0 { slide(stop, toMark: part) }
    case .field, .editor, .date, .file: break
    default: activate(stop)
    }
  }
}
