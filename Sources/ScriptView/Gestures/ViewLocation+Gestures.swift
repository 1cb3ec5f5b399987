import ScriptValue

extension ViewLocation {
  /// What follows from a gesture on this node, which is on the screen and not disabled.
  func perform(_ gesture: ViewGesture) throws(ViewRefusal) -> ViewOutcome {
    switch gesture {
    case .tap: try tap()
    case .enter(let value): try enter(value)
    case .submit: try submit()
    case .focus: try focus(true)
    case .blur: try focus(false)
    case .select(let id): try select(id)
    case .delete(let ids): try delete(ids)
    case .move(let ids, let row, _): try move(ids, to: row)
    case .dismiss, .back, .press: throw cannot(gesture)
    }
  }

  /// An action of the node is sent, with what the element adds to its payload.
  func send(
    _ property: String, adding fields: Value.Object = [:]
  ) throws(ViewRefusal) -> ViewOutcome {
    guard let given = node[property] else {
      throw ViewRefusal(.impossible, "\(designation) has no `\(property)`")
    }
    return .send(try action(given, adding: fields), transaction: transaction)
  }

  // MARK: Tapping

  private func tap() throws(ViewRefusal) -> ViewOutcome {
    if let tabs = tabsOfTab { return try tabs.enter(tabValue ?? .null) }
    if let outcome = try node.element?.behaviour.tap(self) { return outcome }
    if let (row, list) = enclosingRow, row.path == path, list.node["selection"] != nil {
      return try select(nil)
    }
    guard node.element?.group == .enter else { throw cannot(.tap) }
    return try focus(true)
  }

  // MARK: Entering

  func enter(_ value: Value) throws(ViewRefusal) -> ViewOutcome {
    let accepted = try accepting(value)
    if let field = node.string("bind") {
      return .send(try binding(field, accepted), transaction: transaction)
    }
    if node["onChange"] != nil { return try send("onChange", adding: ["value": accepted]) }
    // Tabs and disclosures without a binding: the renderer alone keeps which tab is chosen, and
    // whether the disclosure is open.
    if node.element?.group != .enter { return .nothing }
    throw ViewRefusal(.impossible, "\(designation) has neither `bind` nor `onChange`")
  }

  /// The value that the control takes when a person enters one.
  func accepting(_ value: Value) throws(ViewRefusal) -> Value {
    guard let accepted = try node.element?.behaviour.accept(value, self) else {
      throw cannot(.enter(value))
    }
    return accepted
  }

  func boolean(_ value: Value) throws(ViewRefusal) -> Bool {
    guard let bool = value.bool else { throw refusal(value, "takes true or false") }
    return bool
  }

  private func submit() throws(ViewRefusal) -> ViewOutcome {
    if node["onSubmit"] != nil { return try send("onSubmit") }
    let form = inLayer.dropFirst().first {
      $0.node.elementKind == .form && $0.node["onSubmit"] != nil
    }
    guard let form else { throw cannot(.submit) }
    return try form.send("onSubmit")
  }

  // MARK: Focus

  /// Tells the container around a field that the field has got or lost the focus. If no container
  /// has `focus`, nothing is sent.
  private func focus(_ isFocused: Bool) throws(ViewRefusal) -> ViewOutcome {
    guard node.isControl else { throw cannot(.focus) }
    guard let name = node.string("name"), let container = focusContainer,
      let field = container.node.string("focus")
    else { return .nothing }
    let isKnown = container.node["focused"]?.string == name
    if isFocused == isKnown { return .nothing }
    return .send(try container.binding(field, isFocused ? .string(name) : .null), transaction: nil)
  }

  /// The nearest node around this one that has `focus`, in the same layer.
  package var focusContainer: ViewLocation? { inLayer.first { $0.node.string("focus") != nil } }

  // MARK: Refusals

  /// The refusal of a gesture that the element does not have, with those that it has.
  func cannot(_ gesture: ViewGesture) -> ViewRefusal {
    let possible = possibleGestures
    return ViewRefusal(
      .impossible,
      "one cannot \(gesture.phrase(onList: isList)) \(designation)"
        + (possible.isEmpty ? "" : "; one can \(possible.joined(separator: ", "))"))
  }

  /// The refusal of a value that the control does not take.
  func refusal(_ value: Value, _ rule: String, _ names: [String] = []) -> ViewRefusal {
    let shown = names.prefix(20).map { "'\($0.shownInMessage)'" } + (names.count > 20 ? ["…"] : [])
    let list = shown.isEmpty ? "" : " " + shown.joined(separator: ", ")
    let text = value.description
    let entered = text.utf8.count > 60 ? text.prefix(60) + "…" : text[...]
    return ViewRefusal(.value, "\(designation) \(rule)\(list), not \(entered)")
  }

  private var possibleGestures: [String] {
    var gestures: [String] = []
    switch node.element?.group {
    case .act: gestures = ["tap", "focus"]
    case .enter:
      gestures = (node.control == .toggle ? ["tap"] : []) + ["enter a value", "focus"]
    case .part where node.isControl: gestures = ["tap", "focus"]
    default: if node.control == .disclosure || tabsOfTab != nil { gestures = ["tap"] }
    }
    if node["onSubmit"] != nil { gestures.append("submit") }
    let list = isList ? self : enclosingRow.flatMap { $0.row.path == path ? $0.list : nil }
    if let list {
      if list.node["selection"] != nil { gestures.append("select") }
      if list.node["onDelete"] != nil { gestures.append("delete") }
      if list.node["onMove"] != nil || !list.dropTargets.isEmpty { gestures.append("move") }
    }
    return gestures
  }
}

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

  /// Moves rows inside of their list, or drops one into another list.
  func move(
    _ ids: [Value], to target: Int, into other: ViewLocation? = nil
  ) throws(ViewRefusal) -> ViewOutcome {
    let (list, row) = try listAndRow(.move(ids, to: target))
    let isWithin = other == nil || other?.path == list.path
    if let other, !isWithin { return try other.drop(try list.rows(ids, or: row), of: list, target) }
    guard list.node["onMove"] != nil else {
      guard list.accepts(rowsOf: list) else { throw cannot(.move(ids, to: target)) }
      return try list.drop(try list.rows(ids, or: row), of: list, target)
    }
    var fields = payload(of: try list.rows(ids, or: row))
    try list.checkCanMove(before: target)
    fields["to"] = .integer(Int64(target))
    return try list.send("onMove", adding: fields)
  }

  /// Checks the number of the row before which rows move.
  func checkCanMove(before target: Int) throws(ViewRefusal) {
    let total = rowCount
    guard target >= 1, target - 1 <= total else {
      throw ViewRefusal(
        .value, "\(designation) has \(total) rows, so that none can move before row \(target)")
    }
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
