import ScriptValue

/// Gestures on a list or table, and on a row of one.
extension ViewLocation {
  /// Selects a row: of a list the one with the id, or none; of a row that row.
  func select(_ id: Value?) throws(ViewRefusal) -> ViewOutcome {
    let (list, row) = try listAndRow(.select(id))
    guard let field = list.node.string("selection") else { throw cannot(.select(id)) }
    var selected = Value.null
    if row != nil || id != nil {
      selected = try list.rows(id.map { [$0] } ?? [], or: row).first?.id ?? .null
      guard !selected.isNull else {
        throw ViewRefusal(.impossible, "\(designation) has no id, so that it cannot be selected")
      }
    }
    return .send(try list.binding(field, selected), transaction: list.transaction)
  }

  func delete(_ ids: [Value]) throws(ViewRefusal) -> ViewOutcome {
    let (list, row) = try listAndRow(.delete(ids))
    guard list.node["onDelete"] != nil else { throw cannot(.delete(ids)) }
    return try list.send("onDelete", adding: payload(of: try list.rows(ids, or: row)))
  }

  func move(_ ids: [Value], to target: Int) throws(ViewRefusal) -> ViewOutcome {
    let (list, row) = try listAndRow(.move(ids, to: target))
    guard list.node["onMove"] != nil else { throw cannot(.move(ids, to: target)) }
    var fields = payload(of: try list.rows(ids, or: row))
    let total = list.node.window?.total ?? list.rows.count
    guard target >= 1, target - 1 <= total else {
      throw ViewRefusal(
        .value, "\(list.designation) has \(total) rows, so that none can move before row \(target)")
    }
    fields["to"] = .integer(Int64(target))
    return try list.send("onMove", adding: fields)
  }

  /// The list that this node is or in which it is a row, and the row.
  private func listAndRow(
    _ gesture: ViewGesture
  ) throws(ViewRefusal) -> (list: ViewLocation, row: ViewLocation?) {
    if isList { return (self, nil) }
    guard let (row, list) = enclosingRow, row.path == path else { throw cannot(gesture) }
    return (list, row)
  }

  /// The rows with these ids in their order, or the row itself if there are no ids.
  private func rows(
    _ ids: [Value], or row: ViewLocation?
  ) throws(ViewRefusal) -> [ViewRow] {
    let shown = rows.filter { !$0.location.node.isNothing }
    if ids.isEmpty, let row {
      let path = row.path
      return shown.filter { $0.location.path == path }
    }
    guard !ids.isEmpty else {
      throw ViewRefusal(.value, "\(designation) needs the ids of rows")
    }
    var found: [Value: ViewRow] = [:]
    for row in shown { if let id = row.id, found[id] == nil { found[id] = row } }
    var rows: [Int: ViewRow] = [:]
    for id in ids {
      guard let row = found[id] else {
        throw ViewRefusal(.absent, "\(designation) shows no row with the id \(id.inMessage)")
      }
      rows[row.number] = row
    }
    return rows.values.sorted { $0.number < $1.number }
  }

  /// What `onDelete` and `onMove` get: the ids (null for a row without one), and the numbers of the
  /// rows among those shown.
  private func payload(of rows: [ViewRow]) -> Value.Object {
    [
      "ids": .array(Value.List(rows.map { $0.id ?? .null })),
      "rows": .array(Value.List(rows.map { .integer(Int64($0.number)) })),
    ]
  }
}
