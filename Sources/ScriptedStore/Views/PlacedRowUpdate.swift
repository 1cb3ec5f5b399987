import LuaBridge

/// Brings the rows of a placed list up to date where they have changed. A row goes on with its element, wherever
/// that is now.
struct PlacedRowUpdate {
  private let list: PlacedList
  private let choice: RowChoice
  /// The first row that is shown.
  private let first: Int
  private let run: ViewRun
  /// Rows whose places are taken by others, by their ids.
  private var spare: [Value: [PlacedView]] = [:]
  /// The rows that were made, or have moved here.
  private(set) var arrived: [PlacedView] = []

  init(_ list: PlacedList, _ choice: RowChoice, first: Int, _ run: ViewRun) {
    self.list = list
    self.choice = choice
    self.first = first
    self.run = run
  }

  /// Throws if an element among the changes has no id. Called before ``apply(_:to:_:)``.
  func check(_ changes: [RowChange]) throws(ScriptError) {
    for row in changes.flatMap(\.new) {
      let id = choice.id(ofRow: first + row)
      defer { id.release() }
      if id.isAbsent { throw list.missingID(ofElement: choice.index(ofRow: first + row)) }
    }
  }

  /// Applies the changes to the rows and their nodes. Returns whether a node has changed.
  mutating func apply(
    _ changes: [RowChange], to rows: inout [PlacedView], _ nodes: inout PersistentList
  ) -> Bool {
    let kept = changes.map { keep($0, of: rows) }
    var changed = false
    var isRebuilt = false
    // From the last to the first, so that indices stay those of before.
    for (change, kept) in zip(changes, kept).reversed() {
      var made: [PlacedView] = []
      made.reserveCapacity(change.new.count)
      for (offset, row) in change.new.enumerated() {
        let (view, isChanged) = self.row(row, kept: kept[offset])
        made.append(view)
        changed = changed || isChanged
      }
      let isMoved =
        change.old.count != change.new.count
        || zip(rows[change.old], made).contains { $0 !== $1 }
      rows.replaceSubrange(change.old, with: made)
      changed = changed || isMoved
      if change.new.count + change.old.count > 64 {
        isRebuilt = true
      } else if !isRebuilt {
        replace(change, by: made, in: &nodes)
      }
    }
    if isRebuilt { nodes = PlacedRowUpdate.nodes(of: rows) }
    for rows in spare.values { for row in rows { row.end(run) } }
    return changed
  }

  /// The rows that stay where they are, by their offset in the change. The others become spare.
  private mutating func keep(_ change: RowChange, of rows: [PlacedView]) -> [PlacedView?] {
    var kept: [PlacedView?] = Array(repeating: nil, count: change.new.count)
    for (offset, index) in change.old.enumerated() {
      let row = rows[index]
      let id = row.id
      if offset < change.new.count {
        let new = choice.id(ofRow: first + change.new.lowerBound + offset)
        defer { new.release() }
        if !new.isAbsent && Slot.equal(id, new) {
          kept[offset] = row
          continue
        }
      }
      spare[Value(borrowing: id), default: []].append(row)
    }
    return kept
  }

  /// The view of a row, up to date, and whether its node has changed.
  private mutating func row(_ row: Int, kept: PlacedView?) -> (PlacedView, Bool) {
    let id = choice.id(ofRow: first + row)
    defer { id.release() }
    let view = kept ?? takeSpare(id) ?? PlacedView(list.site, in: list)
    if kept == nil { arrived.append(view) }
    let changed = view.update(
      run, to: choice.element(ofRow: first + row), list.environment(ofRow: id), id: id)
    return (view, changed)
  }

  private mutating func takeSpare(_ id: Slot) -> PlacedView? {
    let id = Value(borrowing: id)
    guard var rows = spare[id], !rows.isEmpty else { return nil }
    let row = rows.removeFirst()
    spare[id] = rows.isEmpty ? nil : rows
    return row
  }

  // MARK: Nodes

  private func replace(
    _ change: RowChange, by made: [PlacedView], in nodes: inout PersistentList
  ) {
    let common = min(change.old.count, made.count)
    for offset in 0..<common {
      let index = change.old.lowerBound + offset
      let node = made[offset].shown
      if !nodes.borrow(index).isIdentical(to: node) { nodes.set(index, node.retained()) }
    }
    for _ in common..<change.old.count {
      nodes.remove(at: change.old.lowerBound + common).release()
    }
    for offset in common..<made.count {
      nodes.insert(made[offset].shown.retained(), at: change.old.lowerBound + offset)
    }
  }

  private static func nodes(of rows: [PlacedView]) -> PersistentList {
    var builder = PersistentList.Builder()
    for row in rows { builder.append(row.shown.retained()) }
    return builder.finish()
  }
}
