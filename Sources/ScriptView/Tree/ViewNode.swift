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

  /// Whether a person can use the node itself: what acts, what one enters something with, and a shape that can be tapped.
  package var isControl: Bool {
    switch element?.group {
    case .act, .enter: true
    case .part: self["onTap"] != nil
    default: false
    }
  }

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

  /// More rows than any list has. Numbers of rows end here, so that their sums do not overflow.
  package static let mostRows = 1 << 53

  package init(first: Int, count: Int, total: Int) {
    self.first = first
    self.count = count
    self.total = total
  }

  /// Reads `{ first, count, total }`; nil if that is not what the value is.
  init?(_ value: Value) {
    guard let first = value["first"].int, let count = value["count"].int,
      let total = value["total"].int, first >= 1, 0...ViewWindow.mostRows ~= count,
      0...ViewWindow.mostRows ~= total, first - 1 <= total
    else { return nil }
    self.init(first: first, count: count, total: total)
  }

  /// The number of rows before those in the tree.
  public var before: Int { first - 1 }

  /// The number of rows after those in the tree.
  public var behind: Int { max(total - before - count, 0) }
}

extension Value {
  /// Whether a row may have this id.
  var isRowID: Bool { string != nil || double != nil }
}

extension ViewNode {
  /// A property; nil if it is absent or null.
  public subscript(name: String) -> Value? {
    guard case .object(let object) = value, let found = object[name], !found.isNull else {
      return nil
    }
    return found
  }

  /// A property that is a text or a number, as it is drawn.
  public func scalar(_ name: String) -> String? { self[name]?.drawnScalar }

  /// A property that is a text.
  public func string(_ name: String) -> String? { self[name]?.string }

  /// A property that is a number.
  public func number(_ name: String) -> Double? { self[name]?.double }

  /// A property that is a number, as a whole one between two bounds.
  func wholeNumber(_ name: String, in range: ClosedRange<Int>) -> Int? {
    number(name).map { Int($0, in: range) }
  }

  /// Whether a property is `true`.
  public func isSet(_ name: String) -> Bool { self[name]?.bool == true }

  /// A property that is one of the words that the element knows.
  public func word(_ name: String) -> String? {
    guard let text = string(name), case .word(let words)? = element?.property(name)?.kind,
      words.contains(text)
    else { return nil }
    return text
  }

  /// The element's own text: `text`, or the node itself if it is a string or a number.
  public var text: String? { value.drawnScalar ?? scalar("text") }

  /// What names a control: its `label`, or its own text.
  public var label: String? { scalar("label") ?? text }

  /// The label, unless a property hides it.
  var shownLabel: String? { isSet("labelHidden") ? nil : scalar("label") }

  /// The icon that a menu shows in place of its label; nil if it shows the label.
  var iconForLabel: String? { isSet("labelHidden") ? string("icon") : nil }

  /// The name of the node for a screen reader: its label, or the title that it shows.
  /// Nil if it is empty.
  public var name: String? {
    let name = label ?? scalar("title")
    return name?.contains { !$0.isWhitespace } == true ? name : nil
  }

  /// Whether the node is there for its looks only, so that it needs no name.
  public var isDecorative: Bool { isSet("decorative") }
}

extension Int {
  /// The whole part of a number, brought between two bounds; the lower bound for NaN. `Int(_:)` stops the process for
  /// numbers that it cannot hold, and numbers of trees may be any.
  init(_ number: Double, in range: ClosedRange<Int>) {
    if number >= Double(range.upperBound) {
      self = range.upperBound
    } else {
      self = number > Double(range.lowerBound) ? Int(number) : range.lowerBound
    }
  }
}

extension Value {
  /// A string as it is, and a number as it is drawn: without `.0`, because `1` and `1.0` are equal.
  /// Nil for all other values.
  var drawnScalar: String? {
    switch self {
    case .string(let text): text
    case .integer(let number): String(number)
    case .float(let number): Int64(exactly: number).map(String.init) ?? String(number)
    default: nil
    }
  }
}

extension ViewNode {
  /// The errors of all views of this tree that raised, from outside in. O(nodes).
  public var failures: [ViewFailure] {
    let inside = children + ViewElement.presentations.compactMap { self[$0] }
    return [failure].compactMap(\.self) + inside.flatMap { ViewNode($0).failures }
  }
}
