import ScriptValue

extension Value {
  /// Makes the changes of a view's tree, in their order. Nodes that they do not touch are shared
  /// with this tree.
  ///
  /// The cost is that of the changes, and O(rows) for each run of changes of the rows of one
  /// `forEach`.
  /// - Throws: ``ViewChangeError`` if a change does not fit to the tree, with its index.
  public func applying(_ changes: [ViewChange]) throws(ViewChangeError) -> Value {
    try ViewChangeApplication(depth: 0).apply(changes[...], to: self)
  }
}

/// Applies changes whose paths begin with one node: to that node, and to the nodes below it.
///
/// Neighbouring changes of one child are made together, and so are neighbouring changes of the
/// order of rows: a row is found by its id, which costs a look at all of them, or an index for
/// many.
private struct ViewChangeApplication {
  /// The number of steps of the path to the node.
  let depth: Int

  func apply(_ changes: ArraySlice<ViewChange>, to node: Value) throws(ViewChangeError) -> Value {
    var node = node
    var rest = changes
    while let first = rest.first {
      let scope = scope(of: first)
      let run = rest.prefix { self.scope(of: $0) == scope }
      switch scope {
      case .node: for index in run.indices { try change(&node, run[index], index) }
      case .order: node = try reordering(run, node)
      case .inside: node = try descending(run, node)
      }
      rest = rest[run.endIndex...]
    }
    return node
  }

  /// What a change is about, seen from this node.
  private enum Scope { case node, order, inside }

  private func scope(of change: ViewChange) -> Scope {
    let distance = change.path.steps.count - depth
    switch change {
    case .insert: return distance == 0 ? .order : .inside
    case .remove, .move: return distance <= 1 ? .order : .inside
    case .replace, .set, .window: return distance == 0 ? .node : .inside
    }
  }

  // MARK: The node itself

  private func change(_ node: inout Value, _ change: ViewChange, _ index: Int)
    throws(ViewChangeError)
  {
    if case .replace(_, let new) = change {
      node = new
      return
    }
    guard case .object(var object) = node else { throw missing(change, index) }
    switch change {
    case .set(_, let properties, let removed):
      for name in removed { object[name] = nil }
      for (name, value) in properties { object[name] = value }
    case .window(_, let window): object["window"] = window
    default: break
    }
    node = .object(object)
  }

  // MARK: The order of children

  private func reordering(
    _ changes: ArraySlice<ViewChange>, _ node: Value
  ) throws(ViewChangeError) -> Value {
    guard case .object(var object) = node else {
      throw missing(changes[changes.startIndex], changes.startIndex)
    }
    let children = ViewNode(node).children
    let result: Value.List
    if object["kind"] == "forEach" {
      result = try RowOrder.list(children, after: changes)
    } else {
      result = try appendingAndRemoving(changes, children)
    }
    object["children"] = result.isEmpty ? nil : .array(result)
    return .object(object)
  }

  /// Children that are known by their positions come and go at the end only.
  private func appendingAndRemoving(
    _ changes: ArraySlice<ViewChange>, _ children: Value.List
  ) throws(ViewChangeError) -> Value.List {
    var children = children
    for index in changes.indices {
      switch changes[index] {
      case .insert(_, let node, nil): children.append(node)
      case .remove(let path) where path.steps.last == .child(children.count):
        children.removeLast()
      default:
        throw ViewChangeError(
          index: index,
          message: "`\(changes[index].name)` at \"\(changes[index].path)\" is for rows of a forEach"
        )
      }
    }
    return children
  }

  // MARK: Nodes inside

  private func descending(
    _ changes: ArraySlice<ViewChange>, _ node: Value
  ) throws(ViewChangeError) -> Value {
    guard case .object(var object) = node else {
      throw missing(changes[changes.startIndex], changes.startIndex)
    }
    var children = ViewNode(node).children
    let rows = object["kind"] == "forEach" ? RowIndices(children, for: changes, at: depth) : nil
    let inner = ViewChangeApplication(depth: depth + 1)
    var rest = changes
    while let first = rest.first {
      let step = first.path.steps[depth]
      let run = rest.prefix { $0.path.steps[depth] == step }
      switch step {
      case .child(let position) where position >= 1 && position <= children.count:
        children[position - 1] = try inner.apply(run, to: children[position - 1])
      case .row(let row):
        guard let index = rows?.index(of: row, in: children) else {
          throw missing(first, run.startIndex)
        }
        children[index] = try inner.apply(run, to: children[index])
      case .presentation(let name):
        guard let presented = object[name] else { throw missing(first, run.startIndex) }
        object[name] = try inner.apply(run, to: presented)
      case .child: throw missing(first, run.startIndex)
      }
      rest = rest[run.endIndex...]
    }
    if !children.isEmpty { object["children"] = .array(children) }
    return .object(object)
  }

  private func missing(_ change: ViewChange, _ index: Int) -> ViewChangeError {
    ViewChangeError(
      index: index, message: "there is no node at \"\(change.path)\" to \(change.name)")
  }
}
