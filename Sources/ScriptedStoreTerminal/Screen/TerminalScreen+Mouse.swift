import ScriptView

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
      if canClose, row == frame.row, mark..<mark + 3 ~= column {
        _ = close()
        return
      }
      if layer.isOpened, !frame.contains(column: column, row: row) {
        opened = nil
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
    case .field, .editor, .date: break
    default: activate(stop)
    }
  }
}
