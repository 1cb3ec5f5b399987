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
      if ISODate.isValid(edit.buffer.text, style) { enter(.string(edit.buffer.text), stop) }
      return true
    }
    edit.send()
    self.edit = edit
    if !perform(.enter(.string(edit.buffer.text)), at: stop.id.path) {
      self.edit?.adopt(stop.location.node.scalar("value") ?? "")
    }
    return true
  }

  /// Edits as readline and Emacs do, as far as the keys belong to a text.
  private func change(_ buffer: inout LineBuffer, _ key: Key, _ stop: FocusStop) -> Bool {
    let isEditor = stop.kind == .editor
    switch key {
    case .character(let character): buffer.insert(String(character))
    case .paste(let text): buffer.insert(isEditor ? text.onlyLineFeeds : text.withoutLines)
    case .enter where isEditor: buffer.insert("\n")
    case .backspace: buffer.deleteBackward()
    case .delete, .control("d"): buffer.deleteForward()
    case .left, .control("b"): buffer.move(by: -1)
    case .right, .control("f"): buffer.move(by: 1)
    case .wordLeft, .alt("b"): buffer.moveToWordStart()
    case .wordRight, .alt("f"): buffer.moveToWordEnd()
    case .home, .control("a"): moveToEnd(of: &buffer, isLast: false)
    case .end, .control("e"): moveToEnd(of: &buffer, isLast: true)
    case .up where isEditor: return moveLine(&buffer, by: -1)
    case .down where isEditor: return moveLine(&buffer, by: 1)
    case .control("k"): buffer.killToEnd()
    case .control("u"): buffer.killToStart()
    case .control("w"): buffer.killBackwardToBlank()
    case .control("y"): buffer.yank()
    case .control("t"): buffer.transpose()
    case .control("_"): buffer.undo()
    case .alt("d"): buffer.killWordForward()
    case .alt("\u{7F}"): buffer.killWordBackward()
    default: return false
    }
    return true
  }

  /// Moves to the start or the end of a line of the text.
  private func moveToEnd(of buffer: inout LineBuffer, isLast: Bool) {
    let text = buffer.characters
    let cursor = buffer.cursor
    if isLast {
      let end = text[cursor...].firstIndex { $0.isNewline } ?? text.count
      buffer.move(by: end - cursor)
    } else {
      let start = text[..<cursor].lastIndex { $0.isNewline }.map { $0 + 1 } ?? 0
      buffer.move(by: start - cursor)
    }
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
  /// A pasted text for a field of one line, which has no line breaks.
  fileprivate var withoutLines: String {
    split(whereSeparator: \.isNewline).joined(separator: " ").replacing("\t", with: " ")
  }

  /// Terminals paste line breaks as carriage returns.
  fileprivate var onlyLineFeeds: String {
    String(map { $0 == "\r" || $0 == "\r\n" ? "\n" : $0 })
  }
}
