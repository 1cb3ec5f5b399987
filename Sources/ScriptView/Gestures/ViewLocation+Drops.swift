import ScriptValue

// Rows go from one list into another if that list accepts them:
//
//   list { name = "todo", accepts = { "doing", "done" }, onDrop = "drop" }
//
// 1. The list that a row is dropped into says from which lists, and sends the action.
// 2. `onMove` is for moves inside of a list. A list without it that accepts its own rows gets them by
//    `onDrop` as well, so that one action is enough for a board.

extension ViewLocation {
  /// Whether rows of a list can be dropped into this one. A list does so by its name.
  package func accepts(rowsOf list: ViewLocation) -> Bool {
    guard isList, node["onDrop"] != nil, let name = list.node.string("name") else { return false }
    return node.acceptedNames.contains(name)
  }

  /// Whether a row of this list can be moved to another place in the same list.
  package var movesRowsWithin: Bool { node["onMove"] != nil || accepts(rowsOf: self) }

  /// The lists of the layer into which rows of this one can be dropped, in the order of the screen,
  /// this one included if it accepts its own. O(shown nodes) if it has a name, otherwise O(1).
  package var dropTargets: [ViewLocation] { lists { $0.accepts(rowsOf: self) } }

  /// The next list on the screen that accepts the rows of this one, or the previous one. O(shown nodes)
  package func dropTarget(isBehind: Bool) -> ViewLocation? {
    let path = path
    let lists = lists { $0.path == path || $0.accepts(rowsOf: self) }
    guard let index = lists.firstIndex(where: { $0.path == path }) else { return nil }
    return isBehind ? lists[(index + 1)...].first : lists[..<index].last
  }

  /// The lists of the layer that can be used and for which the predicate holds, if this one has a
  /// name, without those inside of its rows.
  private func lists(_ isWanted: (ViewLocation) -> Bool) -> [ViewLocation] {
    guard isList, node.string("name") != nil else { return [] }
    let path = path
    return layerContent.visible.filter { location in
      location.isList && isWanted(location) && location.disabled == nil
        && (location.path == path || !location.path.isInside(path))
    }
  }

  /// How many rows the list has, with those outside of its window. O(rows)
  package var rowCount: Int { node.window?.total ?? rows.count }

  /// Drops a row of a list into this one, before the row with a number.
  func drop(
    _ rows: [ViewRow], of list: ViewLocation, _ target: Int
  ) throws(ViewRefusal) -> ViewOutcome {
    guard isList else {
      throw ViewRefusal(.impossible, "no row can move into \(designation), which is no list")
    }
    guard accepts(rowsOf: list) else {
      throw ViewRefusal(.impossible, "\(designation) does not accept rows of \(list.designation)")
    }
    guard rows.count == 1, let row = rows.first else {
      throw ViewRefusal(.value, "one row at a time can move into \(designation)")
    }
    guard !path.isInside(row.location.path) else {
      throw ViewRefusal(
        .impossible, "\(row.location.designation) cannot move into a list inside of it")
    }
    guard let id = row.id else {
      throw ViewRefusal(
        .impossible, "\(row.location.designation) has no id, so that it cannot move to another list"
      )
    }
    try checkCanMove(before: target)
    // The number that the row has afterwards, when it is no longer where it was.
    let isPassed = path == list.path && target > row.number
    return try send(
      "onDrop",
      adding: [
        "id": id, "from": list.node["name"] ?? .null, "to": node["name"] ?? .null,
        "index": .integer(Int64(isPassed ? target - 1 : target)),
      ])
  }
}

extension ViewNode {
  /// The names of the lists whose rows can be dropped here: `accepts`, a name or a list of names.
  var acceptedNames: [String] { names("accepts") }

  /// A property that is a name or a list of names.
  func names(_ property: String) -> [String] {
    if let name = string(property) { return [name] }
    return self[property]?.array?.compactMap(\.string) ?? []
  }
}
