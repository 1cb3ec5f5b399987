import ScriptValue

/// A node of a view's tree, as it is read from its value.
///
/// `docs/view-api.md` has the keys of a node. Reading never fails, because a tree may be made by
/// hand: a property of a wrong type counts as absent, a string or number is a `text`, and null and
/// booleans are nothing.
public struct ViewNode: Sendable, Hashable {
  public let value: Value

  public init(_ value: Value) { self.value = value }

  /// The name of the element, `"nothing"` for an absent child, and `""` for a table without a kind.
  public var kind: String {
    switch value {
    case .object(let object): object["kind"]?.string ?? ""
    case .string, .integer, .float: "text"
    case .array: ""
    case .null, .boolean: "nothing"
    }
  }

  /// The element of this kind; nil for the kinds that are no elements, and unknown ones.
  public var element: ViewElement? { ViewElement.named(kind) }

  /// Which element this is; nil for the kinds that are no elements, and unknown ones.
  package var elementKind: ElementKind? { element?.elementKind }

  /// Whether the node is an alert or dialog whose state is drawn.
  var isAlert: Bool { kind == "alert" || kind == "dialog" }

  /// Whether the node is an absent child, or a row whose view returned nothing.
  public var isNothing: Bool { kind == "nothing" }

  /// The children, absent ones included. Empty if there are none.
  public var children: Value.List {
    guard case .object(let object) = value, case .array(let list)? = object["children"] else {
      return []
    }
    return list
  }

  /// The id of a row; nil for any other node.
  public var row: ViewPath.Row? {
    guard case .object(let object) = value, let id = object["id"], id.isRowID else { return nil }
    return ViewPath.Row(id: id, occurrence: max(object["occurrence"]?.int ?? 1, 1))
  }

  /// The error of a view that raised; nil for any other node.
  public var failure: ViewFailure? {
    guard kind == "failed" else { return nil }
    let error = ViewNode(self["error"] ?? .null)
    return ViewFailure(
      message: error.scalar("message") ?? "the view raised an error",
      location: error.scalar("location"), traceback: error.scalar("traceback"))
  }

  /// The range of rows that a list or table has of its window; nil if it has none.
  public var window: ViewWindow? { self["window"].flatMap { ViewWindow($0) } }
}

/// Why a view has no tree.
public struct ViewFailure: Sendable, Hashable {
  public let message: String
  /// The script and the line.
  public let location: String?
  public let traceback: String?
}

/// Which rows of a long list are in the tree.
public struct ViewWindow: Sendable, Hashable {
  /// The number of the first row that is in the tree, from 1.
  public let first: Int
  public let count: Int
  /// The number of all rows.
  public let total: Int

  /// More rows than any list has. Who counts rows stops here, so that sums of their numbers do not overflow.
  package static let mostRows = 1 << 53

  /// Reads `{ first, count, total }`; nil if that is not what the value is.
  init?(_ value: Value) {
    guard let first = value["first"].int, let count = value["count"].int,
      let total = value["total"].int, first >= 1, 0...ViewWindow.mostRows ~= count,
      0...ViewWindow.mostRows ~= total, first - 1 <= total
    else { return nil }
    self.first = first
    self.count = count
    self.total = total
  }

  /// The number of rows before those in the tree.
  public var before: Int { first - 1 }

  /// The number of rows behind those in the tree.
  public var behind: Int { max(total - before - count, 0) }
}

extension Value {
  /// Whether a row may have this id.
  var isRowID: Bool { string != nil || double != nil }
}
