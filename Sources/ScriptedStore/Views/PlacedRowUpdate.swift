import LuaBridge

/// A part of the rows that differs from the last update: numbers of rows before, and of rows now.
struct RowChange {
  let old: Range<Int>
  let new: Range<Int>

  private static let mostReplaced = 32

  /// The rows of a range that were replaced between two lists (+0) of as many elements; nil if there are too many.
  static func replaced(_ old: Slot, _ new: Slot, _ range: Range<Int>) -> [RowChange]? {
    guard old.tag == .list, new.tag == .list,
      PersistentList.count(old) == PersistentList.count(new)
    else { return nil }
    let (before, after) = (PersistentList(borrowing: old), PersistentList(borrowing: new))
    var changes: [RowChange] = []
    after.forEachReplaced(from: before) { index in
      if range.contains(index) {
        let row = index - range.lowerBound
        changes.append(RowChange(old: row..<row + 1, new: row..<row + 1))
      }
      return index < range.upperBound && changes.count <= mostReplaced
    }
    return changes.count <= mostReplaced ? changes : nil
  }

  /// This change among all rows, as it appears among those that are shown: where the rows `oldRange` were
  /// shown, and `newRange` are. The numbers in the result count from the first shown row.
  ///
  /// ```
  ///   before   a b c d e f        old: c d
  ///   after    a b x e f          new: x         rows before and behind the change are kept, as far as both ranges
  ///                                              show them
  /// ```
  func shown(_ oldRange: Range<Int>, _ newRange: Range<Int>) -> [RowChange] {
    let first = oldRange.lowerBound
    func change(_ old: Range<Int>, _ new: Range<Int>) -> [RowChange] {
      if old.isEmpty && new.isEmpty { return [] }
      return [
        RowChange(
          old: old.lowerBound - first..<old.upperBound - first,
          new: new.lowerBound - first..<new.upperBound - first)
      ]
    }
    // After scrolling, rows are found by their ids.
    guard newRange.lowerBound == first else {
      return [RowChange(old: 0..<oldRange.count, new: 0..<newRange.count)]
    }
    let shift = new.upperBound - old.upperBound
    let head = min(max(old.lowerBound, first), oldRange.upperBound, newRange.upperBound)
    let tail = max(head, old.upperBound, first - shift)
    let end = min(oldRange.upperBound, newRange.upperBound - shift)
    guard tail < end else {
      return change(head..<oldRange.upperBound, head..<newRange.upperBound)
    }
    return change(head..<tail, head..<tail + shift)
      + change(end..<oldRange.upperBound, end + shift..<newRange.upperBound)
  }
}

/// Brings the rows of a placed list up to date where they have changed. A row goes on with its element, wherever
/// that is now.
struct PlacedRowUpdate {
  private let list: PlacedList
  private let choice: RowChoice
  /// The first row that is shown.
  private let first: Int
  private let screen: Screen
  /// The old rows of the changes that have no place yet, by their ids.
  private var spare: [Value: [PlacedView]] = [:]
  /// The rows that were made, or have moved here.
  private(set) var arrived: [PlacedView] = []

  init(_ list: PlacedList, _ choice: RowChoice, first: Int, _ screen: Screen) {
    self.list = list
    self.choice = choice
    self.first = first
    self.screen = screen
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
    _ changes: [RowChange], to rows: inout [PlacedView], _ nodes: inout Value.List
  ) -> Bool {
    for row in changes.flatMap({ rows[$0.old] }) {
      spare[Value(borrowing: row.rowID.slot), default: []].append(row)
    }
    var changed = false
    var isRebuilt = false
    // From the last to the first, so that indices stay those of before.
    for change in changes.reversed() {
      var made: [PlacedView] = []
      made.reserveCapacity(change.new.count)
      for row in change.new {
        let index = change.old.lowerBound + made.count
        let former = change.old.contains(index) ? rows[index] : nil
        let (view, isChanged) = self.row(row, after: former)
        if former !== view { arrived.append(view) }
        made.append(view)
        changed = changed || isChanged
      }
      changed = changed || change.old.count != change.new.count
      rows.replaceSubrange(change.old, with: made)
      if change.new.count + change.old.count > 64 {
        isRebuilt = true
      } else if !isRebuilt {
        replace(change, by: made, in: &nodes)
      }
    }
    if isRebuilt { nodes = Value.List(rows.lazy.map(\.shown)) }
    for rows in spare.values { for row in rows { row.end(screen) } }
    return changed || !arrived.isEmpty
  }

  /// The view of a row, up to date, and whether its node has changed.
  ///
  /// - Parameter former: the view that stood there; nil if none did.
  private mutating func row(_ row: Int, after former: PlacedView?) -> (PlacedView, Bool) {
    let id = choice.id(ofRow: first + row)
    defer { id.release() }
    let view = takeSpare(id, after: former) ?? PlacedView(list.site, in: list)
    let changed = view.update(
      screen, to: choice.element(ofRow: first + row), list.environment(ofRow: id), id: id)
    return (view, changed)
  }

  /// Takes an old row with an id. Of several, the one that stood there stays.
  private mutating func takeSpare(_ id: Slot, after former: PlacedView?) -> PlacedView? {
    guard let found = spare.index(forKey: Value(borrowing: id)) else { return nil }
    let index = spare.values[found].firstIndex { $0 === former } ?? 0
    return spare.values[found].isEmpty ? nil : spare.values[found].remove(at: index)
  }

  // MARK: Nodes

  private func replace(
    _ change: RowChange, by made: [PlacedView], in nodes: inout Value.List
  ) {
    let common = min(change.old.count, made.count)
    for offset in 0..<common {
      let index = change.old.lowerBound + offset
      let node = made[offset].shown
      if !nodes[index].isIdentical(to: node) { nodes[index] = node }
    }
    let start = change.old.lowerBound + common
    nodes.replaceSubrange(start..<change.old.upperBound, with: made[common...].lazy.map(\.shown))
  }
}
