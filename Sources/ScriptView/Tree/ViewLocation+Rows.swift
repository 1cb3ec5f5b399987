import ScriptValue

/// A row of a list or table.
public struct ViewRow: Sendable {
  public let location: ViewLocation
  /// The number among all rows of the list, from 1, with those outside of the window.
  public let number: Int
  /// The id, if the row is one of a `forEach`.
  public var id: Value? { location.node.row?.id }
}

extension ViewLocation {
  /// Whether the node has rows.
  package var isList: Bool {
    switch node.elementKind {
    case .list, .table: true
    default: false
    }
  }

  /// The rows of a list or table that are in the tree, in their order: those of its `forEach` parts
  /// and its other children, those inside of its sections included. A row whose view returned
  /// nothing counts, because the list behind the rows has it. O(rows).
  public var rows: [ViewRow] {
    let first = node.window?.first ?? 1
    return rowsInside.enumerated().map { ViewRow(location: $1, number: first + $0) }
  }

  /// The rows inside of a list, or inside of a child of one that is no row itself.
  package var rowsInside: [ViewLocation] {
    var rows: [ViewLocation] = []
    appendRows(to: &rows)
    return rows
  }

  private func appendRows(to rows: inout [ViewLocation]) {
    for child in visibleChildren {
      if child.holdsRows {
        child.appendRows(to: &rows)
      } else if !child.node.isNothing || child.node.row != nil {
        rows.append(child)
      }
    }
  }

  /// Whether the node, in a list, is not a row itself, but its children are.
  var holdsRows: Bool { isTransparent || node.elementKind == .section }

  /// The list or table of which this node is a row; nil if it is none.
  private var listOfRow: ViewLocation? {
    guard !holdsRows else { return nil }
    var location = self
    while !location.isPresented, let parent = location.parent {
      if parent.isList { return parent }
      guard parent.holdsRows else { return nil }
      location = parent
    }
    return nil
  }

  /// The row of a list in which this node is, or that it is itself, with its list.
  package var enclosingRow: (row: ViewLocation, list: ViewLocation)? {
    var location: ViewLocation? = self
    while let row = location {
      if let list = row.listOfRow { return (row, list) }
      if row.isPresented { return nil }
      location = row.parent
    }
    return nil
  }
}
