import ScriptView

/// The last row of the terminal: a message, or what keys do now.
extension TerminalScreen {
  func paintStatus(on painter: inout ScreenPainter) {
    let row = size.rows - 1
    let place = scrolledPlace
    let room = size.columns - (place.isEmpty ? 0 : place.count + 2)
    var text = Canvas.cells(of: message ?? keys(room), .caption)
    var width = text.columns
    if width > room {
      while width > max(room - 1, 0), let last = text.popLast() { width -= Int(last.width) }
      text += Canvas.cells(of: "…", .caption)
    }
    painter.write(text, column: 0, row: row)
    guard !place.isEmpty, room > 0 else { return }
    painter.write(
      Canvas.cells(of: place, .caption), column: size.columns - place.count, row: row)
  }

  /// Which rows of a long list are seen, or which lines of the topmost layer: `13–48 of 95`; empty if
  /// all are.
  private var scrolledPlace: String {
    for (list, window) in windowedLists(of: top) {
      guard let seen = rowsSeen(of: list, in: top) else { continue }
      return "\(seen.lowerBound)–\(seen.upperBound) of \(window.total)"
    }
    guard top.lastScroll > 0 else { return "" }
    let last = min(top.scroll + top.viewport.rows, top.canvas.lines.count)
    return "\(top.scroll + 1)–\(last) of \(top.canvas.lines.count)"
  }

  /// What the control that has the focus says of itself, and the keys that it takes.
  ///
  /// - Parameter room: the columns that there are for it.
  private func keys(_ room: Int) -> String {
    // A toast may stand below what is seen.
    var parts = top.isOpened ? [] : top.location.toasts.flatMap { toastParts($0.node) }
    if let stop = focused {
      // That of what takes input is drawn below it.
      if stop.location.node.element?.group != .enter, let hint = stop.location.node.scalar("hint") {
        parts.append(hint)
      }
      parts += keys(of: stop)
      if let shortcut = stop.location.node.string("shortcut") { parts.append(shownKey(shortcut)) }
    }
    if size.columns >= 40 { parts.append("Tab next") }
    if canClearSearch {
      parts.append("Esc clears")
    } else if canClose {
      parts.append("Esc closes")
    } else if top.stops.contains(where: { $0.kind == .back }) {
      parts.append("Esc back")
    }
    parts.append("Ctrl-C leaves")
    let text = parts.joined(separator: " · ")
    guard canListShortcuts else { return text }
    parts.insert("? keys", at: parts.count - 1)
    let longer = parts.joined(separator: " · ")
    return Canvas.cells(of: longer).columns <= room ? longer : text
  }

  /// What a toast says, and the key of its action.
  private func toastParts(_ toast: ViewNode) -> [String] {
    let key = toast["action"] == nil ? nil : toast.string("shortcut")
    return [toast.text, key.map { "\(shownKey($0)) \(toast.toastButton)" }].compactMap(\.self)
  }

  private func keys(of stop: FocusStop) -> [String] {
    var keys: [String] =
      switch stop.kind {
      case .openPicker, .tabs: ["←→ choose"]
      case .range: ["←→ change"]
      case .date: ["Enter sets"]
      case .file: ["Enter chooses the file at this path"]
      case .closedPicker, .menu: ["Enter opens"]
      default: []
      }
    if let list = stop.location.enclosingRow?.list {
      if list.node["onDelete"] != nil, !stop.takesText { keys.append("Del deletes") }
      if list.movesRowsWithin { keys.append("Alt-↑↓ moves") }
      let path = list.path
      let goesOn = list.dropTargets.contains { $0.path != path }
      if goesOn, !stop.takesText { keys.append("Alt-←→ to another list") }
    }
    return keys
  }
}
