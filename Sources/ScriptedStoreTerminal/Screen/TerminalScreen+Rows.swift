import ScriptValue
import ScriptView

/// What keys do with the row around the focus.
extension TerminalScreen {
  /// Deletes the row. Returns false if there is none, or it cannot be deleted.
  func deleteRow() -> Bool {
    guard let (row, list) = focused?.location.enclosingRow, list.node["onDelete"] != nil else {
      return false
    }
    perform(.delete([]), at: row.path)
    return true
  }

  /// Moves the row up or down by one, and past the end of its list into the one before or behind it
  /// that accepts it.
  func moveRow(down: Bool) {
    guard let (row, list) = rowOfFocus else { return }
    let target = down ? row.number + 2 : row.number - 1
    guard list.movesRowsWithin, target >= 1, target <= list.rowCount + 1 else {
      return drop(row, of: list, isBehind: down, before: down ? 1 : nil)
    }
    try? attempt(.move([], to: target), at: row.location.path)
    revealsFocus = true
  }

  /// Moves the row into the list before or behind its own that accepts it, to the same number there.
  func moveRowBeside(isBehind: Bool) {
    guard let (row, list) = rowOfFocus else { return }
    drop(row, of: list, isBehind: isBehind, before: row.number)
  }

  private var rowOfFocus: (row: ViewRow, list: ViewLocation)? {
    guard let (location, list) = focused?.location.enclosingRow else { return nil }
    let path = location.path
    return list.rows.first { $0.location.path == path }.map { ($0, list) }
  }

  /// - Parameter number: of the row before which it goes; nil for the end.
  private func drop(
    _ row: ViewRow, of list: ViewLocation, isBehind: Bool, before number: Int?
  ) {
    guard let target = list.dropTarget(isBehind: isBehind) else { return }
    let end = target.rowCount + 1
    let path = row.location.path
    let inside = (focused?.id.path.steps ?? []).dropFirst(path.steps.count)
    let gesture = ViewGesture.move([], to: min(number ?? end, end), into: target.path)
    guard perform(gesture, at: path), let id = row.id else { return }
    dropped = DroppedRow(list: target.path, id: id, inside: Array(inside))
    revealsFocus = true
  }
}

/// A row that had the focus and was dropped into another list, where it is to have it again.
struct DroppedRow {
  let list: ViewPath
  let id: Value
  /// The steps from the row to what had the focus.
  let inside: [ViewPath.Step]

  /// The stop that is to have the focus; nil while the row is not there.
  func stop(in root: ViewLocation, _ stops: [FocusStop]) -> FocusStop? {
    let rows = root.descending(list)?.rows ?? []
    guard let row = rows.first(where: { $0.id == id })?.location.path else { return nil }
    let path = ViewPath(row.steps + inside)
    return stops.first { $0.id.path == path } ?? stops.first { $0.id.path.isInside(row) }
  }
}
