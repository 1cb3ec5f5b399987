import ScriptValue
import ScriptView

/// What a person does with the controls of the topmost layer.
extension TerminalScreen {
  /// Does it, and says in the last row why not if that is refused.
  @discardableResult
  func perform(_ gesture: ViewGesture, at path: ViewPath = .root) -> Bool {
    do {
      try attempt(gesture, at: path)
      return true
    } catch {
      message = error.message
      return false
    }
  }

  func attempt(_ gesture: ViewGesture, at path: ViewPath = .root) throws(ViewRefusal) {
    refresh()
    let outcome = try source.perform(gesture, at: path, in: tree)
    switch outcome {
    case .open(let address): message = address
    case .download(let file): message = "\(file.name) is at \(file.path) among the files"
    case .copy(let text):
      copied = text
      message = "copied"
    case .send, .nothing: break
    }
    if case .nothing = outcome, let location = ViewLocation(root: tree).descending(path) {
      choices.take(gesture, at: location)
    }
  }

  // MARK: Focus

  /// Gives the focus to a stop of the topmost layer, and tells the state of it.
  func moveFocus(to index: Int, caret: Int? = nil) {
    let (old, new) = (focused, top.stops[index])
    revealsFocus = true
    if old?.id == new.id {
      if let caret, let edit { self.edit?.buffer.move(by: caret - edit.buffer.cursor) }
      return
    }
    focus[top.id] = new.id
    edit = new.takesText ? FieldEdit(new, caret: caret) : nil
    if new.canTellFocus { try? attempt(.focus, at: new.id.path) }
    // Nothing is sent if the state has the focus elsewhere already.
    if let old, old.canTellFocus { try? attempt(.blur, at: old.id.path) }
  }

  // MARK: Controls

  /// What Enter, Space and a click do.
  func activate(_ stop: FocusStop) {
    let path = stop.id.path
    switch stop.kind {
    case .button:
      let wasOpened = top.isOpened
      if perform(.tap, at: path), wasOpened { opened = nil }
    case .toggle: perform(.tap, at: path)
    case .disclosure: enter(.boolean(!stop.location.isOpen), stop)
    case .menu, .closedPicker: opened = path
    case .openPicker, .tabs: choose(stop, by: 1, wraps: true)
    case .row:
      if stop.location.enclosingRow?.list.node["selection"] != nil { perform(.tap, at: path) }
    case .back: perform(.back)
    case .option: chooseOption(stop.id.option, of: stop)
    case .range, .field, .editor: break
    case .date: enterDate(stop)
    case .file: chooseFile(stop)
    }
  }

  func enter(_ value: Value, _ stop: FocusStop) { perform(.enter(value), at: stop.id.path) }

  /// The values of the options or tabs, and the index of the chosen one.
  private func choices(of stop: FocusStop) -> (values: [Value], chosen: Int?) {
    guard stop.kind == .tabs else {
      let (node, options) = (stop.location.node, stop.location.node.options)
      return (options.map(\.value), options.firstIndex { node.isChosen($0) })
    }
    let (tabs, chosen) = (stop.location.tabs, stop.location.chosenTab?.path)
    return (tabs.map { $0.tabValue ?? .null }, tabs.firstIndex { $0.path == chosen } ?? 0)
  }

  /// Chooses the next or the last option or tab.
  func choose(_ stop: FocusStop, by step: Int, wraps: Bool = false) {
    let (values, chosen) = choices(of: stop)
    let next = (chosen ?? (step > 0 ? -1 : values.count)) + step
    if values.indices.contains(next) {
      enter(values[next], stop)
    } else if wraps, !values.isEmpty {
      enter(values[(next + values.count) % values.count], stop)
    }
  }

  /// Chooses an option or tab by its number from 1, and closes an open picker.
  func chooseOption(_ number: Int, of stop: FocusStop) {
    let values = choices(of: stop).values
    guard values.indices.contains(number - 1) else { return }
    enter(values[number - 1], stop)
    if stop.kind != .tabs { opened = nil }
  }

  /// Changes a slider or stepper by one step.
  func step(_ stop: FocusStop, by count: Double) {
    let node = stop.location.node
    guard let range = node.range else { return }
    let value = node.number("value") ?? range.min ?? 0
    let next = range.number(count, stepsFrom: value)
    if next != value { enter(.float(next), stop) }
  }

  /// Sets a slider by one of its ten marks.
  func slide(_ stop: FocusStop, toMark mark: Int) {
    guard stop.location.node.elementKind == .slider, let range = stop.location.node.range else {
      return step(stop, by: mark == 1 ? -1 : 1)
    }
    let part = Double(min(max(mark, 1), 10) - 1) / 9
    enter(.float(range.number(atPart: part)), stop)
  }

  private func enterDate(_ stop: FocusStop) {
    let text = edit?.buffer.text ?? ""
    enter(text.isEmpty ? .null : .string(text), stop)
  }

  private func chooseFile(_ stop: FocusStop) {
    // Terminals put quotes around the path of a file that is dropped on them.
    let path = (edit?.buffer.text ?? "").trimmingQuotes
    guard !path.isEmpty else { return }
    do throws(ViewRefusal) {
      refresh()
      try source.choose(file: path, at: stop.id.path, in: tree)
      edit?.buffer.clear()
    } catch {
      message = error.message
    }
  }

  // MARK: Shortcuts

  /// Presses the first of these shortcuts that something on the screen has. Returns false if nothing
  /// has one.
  func press(_ shortcuts: [String]) -> Bool {
    for shortcut in shortcuts {
      do throws(ViewRefusal) {
        try attempt(.press(shortcut))
        return true
      } catch {
        guard error.reason != .absent, error.reason != .value else { continue }
        message = error.message
        return true
      }
    }
    return false
  }

  /// Closes what is on top, or goes back. Returns false if there is nothing of the kind.
  func close() -> Bool {
    if listsShortcuts {
      listsShortcuts = false
      return true
    }
    if opened != nil {
      opened = nil
      return true
    }
    do throws(ViewRefusal) {
      try attempt(.press("escape"))
      return true
    } catch {
      if error.reason == .disabled { message = error.message }
      return error.reason == .disabled
    }
  }
}

extension String {
  /// Without blanks and a pair of quotes around it.
  fileprivate var trimmingQuotes: String {
    var text = self[...]
    while text.last?.isWhitespace == true { text.removeLast() }
    while text.first?.isWhitespace == true { text.removeFirst() }
    for quote in ["'", "\""] where text.count > 1 && text.hasPrefix(quote) && text.hasSuffix(quote)
    {
      text = text.dropFirst().dropLast()
    }
    return String(text)
  }
}

extension FocusStop {
  /// Whether a container may want to know that it has the focus.
  fileprivate var canTellFocus: Bool {
    switch kind {
    case .row, .back, .option, .tabs, .disclosure: false
    default: true
    }
  }
}
