import ScriptValue
import ScriptView

/// Typing in a field.
extension TerminalScreen {
  /// The keys of a text that is edited. Returns false for all others.
  func handleInText(_ key: Key, _ stop: FocusStop) -> Bool {
    guard var edit, edit.id == stop.id else { return false }
    let old = edit.buffer.characters
    guard change(&edit.buffer, key, stop) else { return false }
    revealsFocus = true
    if edit.buffer.characters == old {
      self.edit = edit
      return true
    }
    if edit.isDraft {
      self.edit = edit
      let style = stop.location.node.word("style") ?? "date"
      if stop.kind == .date, ISODate(edit.buffer.text, style) != nil {
        enter(.string(edit.buffer.text), stop)
      }
      return true
    }
    send(edit, stop)
    return true
  }

  private func send(_ edit: FieldEdit, _ stop: FocusStop) {
    self.edit = edit
    self.edit?.send()
    if !perform(.enter(.string(edit.buffer.text)), at: stop.id.path) {
      self.edit?.adopt(stop.location.node.scalar("value") ?? "")
    }
  }

  /// Whether Escape clears the text that is edited.
  var canClearSearch: Bool {
    guard let edit, let stop = focused, edit.id == stop.id else { return false }
    return stop.location.node.isSearch && !edit.buffer.isEmpty
  }

  /// Clears the text of a search field. Returns false if there is none. Undo brings it back.
  func clearSearch() -> Bool {
    guard canClearSearch, var edit, let stop = focused else { return false }
    edit.buffer.set("")
    revealsFocus = true
    send(edit, stop)
    return true
  }

  /// An editor takes keys for its lines, too.
  private func change(_ buffer: inout LineBuffer, _ key: Key, _ stop: FocusStop) -> Bool {
    guard stop.kind == .editor else { return buffer.handle(key) }
    switch key {
    case .paste(let text): buffer.insert(text.onlyLineFeeds)
    case .enter: buffer.insert("\n")
    case .up: return moveLine(&buffer, by: -1)
    case .down: return moveLine(&buffer, by: 1)
    default: return buffer.handle(key)
    }
    return true
  }

  /// Moves to the character that is drawn above or below. Returns false on the first or last line.
  private func moveLine(_ buffer: inout LineBuffer, by step: Int) -> Bool {
    let canvas = top.canvas
    guard let caret = canvas.caret, let index = focusedIndex,
      canvas.lines.indices.contains(caret.line + step)
    else { return false }
    let cells = canvas.lines[caret.line + step].enumerated().filter {
      $0.element.part > 0 && top.stop(of: $0.element) == index
    }
    guard let first = cells.first else { return false }
    let nearest = cells.last { $0.offset <= caret.column } ?? first
    buffer.move(by: Int(nearest.element.part) - 1 - buffer.cursor)
    return true
  }
}

extension String {
  /// Terminals paste line breaks as carriage returns.
  fileprivate var onlyLineFeeds: String {
    String(map { $0 == "\r" || $0 == "\r\n" ? "\n" : $0 })
  }
}
