import ScriptValue

/// The rows of a `forEach` while rows come, go and move. Each change looks at all rows, which takes
/// about 2 ns for a row, and the list goes on sharing its nodes with the old one.
enum RowOrder {
  /// The rows after changes of their order: `insert`, `remove` and `move`.
  static func list(
    _ rows: Value.List, after changes: ArraySlice<ViewChange>
  ) throws(ViewChangeError) -> Value.List {
    var list = rows
    for index in changes.indices { try edit(&list, changes[index], index) }
    return list
  }

  private static func edit(
    _ list: inout Value.List, _ change: ViewChange, _ index: Int
  ) throws(ViewChangeError) {
    func position(_ row: ViewPath.Row?) throws(ViewChangeError) -> Int {
      guard let row else { return list.count }
      guard let found = list.index(of: row) else { throw missing(row, change, index) }
      return found
    }
    switch change {
    case .insert(_, let node, let before):
      let row = try key(of: node, change, index)
      guard list.index(of: row) == nil else { throw twice(row, change, index) }
      list.insert(node, at: try position(before))
    case .remove(let path):
      list.remove(at: try position(try row(path, change, index)))
    case .move(let path, let before):
      let node = list.remove(at: try position(try row(path, change, index)))
      list.insert(node, at: try position(before))
    default: break
    }
  }

  // MARK: Errors

  private static func row(
    _ path: ViewPath, _ change: ViewChange, _ index: Int
  ) throws(ViewChangeError) -> ViewPath.Row {
    guard case .row(let row)? = path.steps.last else {
      throw ViewChangeError(
        index: index, message: "`\(change.name)` at \"\(path)\" needs the id of a row")
    }
    return row
  }

  private static func key(
    of node: Value, _ change: ViewChange, _ index: Int
  ) throws(ViewChangeError) -> ViewPath.Row {
    guard let row = ViewNode(node).row else {
      throw ViewChangeError(index: index, message: "a row of \"\(change.path)\" needs an id")
    }
    return row
  }

  private static func missing(
    _ row: ViewPath.Row?, _ change: ViewChange, _ index: Int
  ) -> ViewChangeError {
    ViewChangeError(
      index: index,
      message:
        "there is no row \(row?.description ?? "") for `\(change.name)` at \"\(change.path)\"")
  }

  private static func twice(
    _ row: ViewPath.Row, _ change: ViewChange, _ index: Int
  ) -> ViewChangeError {
    ViewChangeError(index: index, message: "\"\(change.path)\" has a row \(row) already")
  }
}
