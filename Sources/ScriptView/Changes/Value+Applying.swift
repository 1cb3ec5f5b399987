import ScriptValue

extension Value {
  /// Makes the changes of a view's tree, in their order. Nodes that they do not touch are shared
  /// with this tree.
  ///
  /// The cost of a change is that of its path, and O(rows) for a row, which is found by its id.
  /// - Throws: ``ViewChangeError`` if a change does not fit to the tree, with its index.
  public func applying(_ changes: [ViewChange]) throws(ViewChangeError) -> Value {
    var tree = self
    for (index, change) in changes.enumerated() {
      tree = try ViewChangeApplication(change: change, index: index).apply(to: tree, at: 0)
    }
    return tree
  }
}

/// Makes one change of a tree.
private struct ViewChangeApplication {
  let change: ViewChange
  let index: Int

  /// Makes the change in a node, or in one below it.
  ///
  /// - Parameter depth: the number of steps of the path to the node.
  func apply(to node: Value, at depth: Int) throws(ViewChangeError) -> Value {
    let rest = change.path.steps[depth...]
    if rest.isEmpty, case .replace(_, let new) = change { return new }
    guard case .object(var object) = node else { throw missing }
    switch change {
    case .set(_, let properties, let removed) where rest.isEmpty:
      for name in removed { object[name] = nil }
      for (name, value) in properties { object[name] = value }
    case .window(_, let window) where rest.isEmpty: object["window"] = window
    case .insert where rest.isEmpty, .remove where rest.count <= 1, .move where rest.count <= 1:
      var children = ViewNode(node).children
      if object["kind"] == "forEach" {
        try changeRows(&children)
      } else {
        try changeEnd(of: &children)
      }
      object["children"] = children.isEmpty ? nil : .array(children)
    default: try descend(rest[depth], &object, at: depth)
    }
    return .object(object)
  }

  private func descend(
    _ step: ViewPath.Step, _ object: inout Value.Object, at depth: Int
  ) throws(ViewChangeError) {
    var children = ViewNode(.object(object)).children
    let child: Int?
    switch step {
    case .presentation(let name):
      guard let presented = object[name] else { throw missing }
      object[name] = try apply(to: presented, at: depth + 1)
      return
    case .child(let position): child = position >= 1 ? position - 1 : nil
    case .row(let row): child = object["kind"] == "forEach" ? children.index(of: row) : nil
    }
    guard let child, children.indices.contains(child) else { throw missing }
    children[child] = try apply(to: children[child], at: depth + 1)
    object["children"] = .array(children)
  }

  // MARK: The order of children

  /// Rows of a `forEach` come, go and move.
  private func changeRows(_ rows: inout Value.List) throws(ViewChangeError) {
    switch change {
    case .insert(let path, let node, let before):
      guard let row = ViewNode(node).row else { throw error("a row of \"\(path)\" needs an id") }
      guard rows.index(of: row) == nil else { throw error("\"\(path)\" has a row \(row) already") }
      rows.insert(node, at: try position(before, in: rows))
    case .remove: rows.remove(at: try position(try changedRow, in: rows))
    case .move(_, let before):
      let node = rows.remove(at: try position(try changedRow, in: rows))
      rows.insert(node, at: try position(before, in: rows))
    default: break
    }
  }

  /// The row that goes or moves.
  private var changedRow: ViewPath.Row {
    get throws(ViewChangeError) {
      guard case .row(let row)? = change.path.steps.last else {
        throw error("`\(change.name)` at \"\(change.path)\" needs the id of a row")
      }
      return row
    }
  }

  /// The index of a row; the end for nil.
  private func position(
    _ row: ViewPath.Row?, in rows: Value.List
  ) throws(ViewChangeError) -> Int {
    guard let row else { return rows.count }
    guard let found = rows.index(of: row) else {
      throw error("there is no row \(row) for `\(change.name)` at \"\(change.path)\"")
    }
    return found
  }

  /// Children that are known by their positions come and go at the end only.
  private func changeEnd(of children: inout Value.List) throws(ViewChangeError) {
    switch change {
    case .insert(_, let node, nil): children.append(node)
    case .remove(let path) where path.steps.last == .child(children.count): children.removeLast()
    default:
      throw error("`\(change.name)` at \"\(change.path)\" is for rows of a forEach")
    }
  }

  // MARK: Errors

  private var missing: ViewChangeError {
    error("there is no node at \"\(change.path)\" to \(change.name)")
  }

  private func error(_ message: String) -> ViewChangeError {
    ViewChangeError(index: index, message: message)
  }
}
