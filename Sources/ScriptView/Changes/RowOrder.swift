import ScriptValue

/// Finds rows by their ids for a run of changes inside of one `forEach`, which leave its order
/// alone.
struct RowIndices {
  /// Nil for few changes, for which looking at the rows costs less than an index.
  private let indices: [ViewPath.Row: Int]?

  /// - Parameter depth: the number of steps to the `forEach`.
  init(_ rows: Value.List, for changes: ArraySlice<ViewChange>, at depth: Int) {
    guard changes.count > RowOrder.fewChanges else {
      indices = nil
      return
    }
    var indices: [ViewPath.Row: Int] = [:]
    for (index, node) in rows.enumerated() {
      if let row = ViewNode(node).row, indices[row] == nil { indices[row] = index }
    }
    self.indices = indices
  }

  func index(of row: ViewPath.Row, in rows: Value.List) -> Int? {
    if let indices { return indices[row] }
    return rows.index(of: row)
  }
}

/// The rows of a `forEach` while rows come, go and move: a linked list with an index by id, so that
/// each change costs O(1), whatever the number of rows.
struct RowOrder {
  /// Up to so many changes are made in the list itself. Each looks at all rows then, which takes
  /// about 2 ns for a row, and the list goes on sharing its nodes with the old one.
  static let fewChanges = 16

  /// The rows after changes of their order: `insert`, `remove` and `move`.
  static func list(
    _ rows: Value.List, after changes: ArraySlice<ViewChange>
  ) throws(ViewChangeError) -> Value.List {
    if changes.count <= fewChanges {
      var list = rows
      for index in changes.indices { try edit(&list, changes[index], index) }
      return list
    }
    var order = RowOrder(rows)
    for index in changes.indices { try order.edit(changes[index], index) }
    return order.list
  }

  // MARK: In the list

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

  // MARK: In a linked list

  /// Index 0 is no row but the end of the list, behind the last row and before the first one.
  private var nodes: [Value]
  /// The neighbours of each node.
  private var next: [Int]
  private var previous: [Int]
  private var indices: [ViewPath.Row: Int] = [:]
  private var end: Int { 0 }

  private init(_ rows: Value.List) {
    nodes = [.null] + rows
    next = Array(1..<rows.count + 1) + [0]
    previous = [rows.count] + Array(0..<rows.count)
    for (index, node) in rows.enumerated() {
      if let row = ViewNode(node).row, indices[row] == nil { indices[row] = index + 1 }
    }
  }

  private var list: Value.List {
    var list: [Value] = []
    list.reserveCapacity(nodes.count)
    var index = next[end]
    while index != end {
      list.append(nodes[index])
      index = next[index]
    }
    return Value.List(list)
  }

  private mutating func edit(_ change: ViewChange, _ index: Int) throws(ViewChangeError) {
    switch change {
    case .insert(_, let node, let before):
      let row = try RowOrder.key(of: node, change, index)
      guard indices[row] == nil else { throw RowOrder.twice(row, change, index) }
      let target = try position(before, change, index)
      nodes.append(node)
      next.append(end)
      previous.append(end)
      indices[row] = nodes.count - 1
      link(nodes.count - 1, before: target)
    case .remove(let path):
      let row = try RowOrder.row(path, change, index)
      unlink(try position(row, change, index))
      indices[row] = nil
    case .move(let path, let before):
      let moved = try position(try RowOrder.row(path, change, index), change, index)
      let target = try position(before, change, index)
      guard moved != target else { throw RowOrder.missing(before, change, index) }
      unlink(moved)
      link(moved, before: target)
    default: break
    }
  }

  private func position(
    _ row: ViewPath.Row?, _ change: ViewChange, _ index: Int
  ) throws(ViewChangeError) -> Int {
    guard let row else { return end }
    guard let found = indices[row] else { throw RowOrder.missing(row, change, index) }
    return found
  }

  private mutating func link(_ node: Int, before target: Int) {
    (next[node], previous[node]) = (target, previous[target])
    next[previous[node]] = node
    previous[target] = node
  }

  private mutating func unlink(_ node: Int) {
    next[previous[node]] = next[node]
    previous[next[node]] = previous[node]
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
