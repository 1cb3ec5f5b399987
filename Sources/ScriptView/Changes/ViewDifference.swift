import ScriptValue

/// Finds the changes from one tree to the next one.
///
/// 1. It enters a node only if the two versions are not the same node of the persistent trees. So
///    the cost is that of the new nodes: O(changes × depth), however large the tree.
/// 2. The rows of a `forEach` correspond by their ids, all other children by their positions,
///    presented children by the name of the presentation.
/// 3. Nodes that correspond but have another kind, or are another place, are replaced.
/// 4. `old.applying(changes)` equals `new`. This needs trees whose rows have different ids or
///    occurrences within a `forEach`, as views have them.
public struct ViewDifference {
  private var steps: [ViewPath.Step] = []
  private var changes: [ViewChange] = []

  /// The changes that turn `old` into `new`; none if they are equal.
  public static func changes(from old: Value, to new: Value) -> [ViewChange] {
    var difference = ViewDifference()
    difference.compare(old, new)
    return difference.changes
  }

  private var path: ViewPath { ViewPath(steps) }

  private mutating func compare(_ old: Value, _ new: Value) {
    guard case .object(let before) = old, case .object(let after) = new else {
      if old != new { changes.append(.replace(path, node: new)) }
      return
    }
    let start = changes.count
    if !compareMembers(before, after) {
      changes.removeSubrange(start...)
      if old != new { changes.append(.replace(path, node: new)) }
    }
  }

  /// Compares two nodes. Returns false if the new one has to replace the old one.
  private mutating func compareMembers(_ old: Value.Object, _ new: Value.Object) -> Bool {
    let kind = new["kind"]?.string ?? ""
    var members = NodeDifference(kind: kind)
    new.forEachDifference(from: old) { members.add($0, $1, $2) }
    guard members.isSameNode else { return false }
    if !members.properties.isEmpty || !members.removed.isEmpty {
      changes.append(
        .set(path, properties: Value.Object(members.properties), removed: members.removed))
    }
    if let window = members.window { changes.append(.window(path, window.new)) }
    if let children = members.children {
      if let before = Value.List(canonicalChildren: children.old),
        let after = Value.List(canonicalChildren: children.new)
      {
        if kind != "forEach" {
          compareChildren(before, after)
        } else if !compareRows(before, after) {
          return false
        }
      } else if children.old != children.new {
        return false
      }
    }
    for (name, before, after) in members.presented {
      descend(.presentation(name), before, after)
    }
    return true
  }

  private mutating func descend(_ step: ViewPath.Step, _ old: Value, _ new: Value) {
    steps.append(step)
    compare(old, new)
    steps.removeLast()
  }

  // MARK: Children by position

  private mutating func compareChildren(_ old: Value.List, _ new: Value.List) {
    new.forEachDifference(from: old) { index, before, after in
      descend(.child(index + 1), before, after)
    }
    for index in (new.count..<max(new.count, old.count)).reversed() {
      changes.append(.remove(path.appending(.child(index + 1))))
    }
    for index in old.count..<max(new.count, old.count) {
      changes.append(.insert(path, node: new[index], before: nil))
    }
  }

  // MARK: Rows by id

  /// Compares the rows of two versions of a `forEach`. Returns false if the new one has to replace
  /// the old one: nothing is left of it, or rows cannot be told apart.
  private mutating func compareRows(_ old: Value.List, _ new: Value.List) -> Bool {
    let hunks = new.hunks(from: old)
    if hunks.count == 1, hunks[0].removed.count == 1, hunks[0].added.count == 1 {
      let (before, after) = (old[hunks[0].removed.lowerBound], new[hunks[0].added.lowerBound])
      if let row = ViewNode(after).row, row == ViewNode(before).row {
        descend(.row(row), before, after)
        return true
      }
    }
    guard let rows = RowDifference(hunks, from: old, to: new) else { return false }
    if rows.sharesNothing, old.count + new.count > 1 { return false }
    for row in rows.removed { changes.append(.remove(path.appending(.row(row)))) }
    for placement in rows.placements {
      if placement.isNew {
        changes.append(.insert(path, node: new[placement.index], before: placement.before))
      } else {
        changes.append(.move(path.appending(.row(placement.row)), before: placement.before))
      }
    }
    for (row, before, after) in rows.kept where !old[before].isIdentical(to: new[after]) {
      descend(.row(row), old[before], new[after])
    }
    return true
  }
}

extension Value.List {
  /// The children of a node in the form that changes keep: left out where there are none. Nil for
  /// all other values.
  fileprivate init?(canonicalChildren value: Value?) {
    switch value {
    case nil: self = []
    case .array(let list)? where !list.isEmpty: self = list
    default: return nil
    }
  }
}

/// The members of a node that differ between two versions, by what a change says of them.
struct NodeDifference {
  /// A member of the old and of the new version; nil if there is none.
  typealias Versions = (old: Value?, new: Value?)

  private let kind: String
  /// Whether both versions are the same node: one kind and id, and for a place one child or list.
  private(set) var isSameNode = true
  private(set) var properties: [(key: String, value: Value)] = []
  private(set) var removed: [String] = []
  /// Nil if the window has not changed.
  private(set) var window: Versions?
  /// Nil if the children are the same nodes.
  private(set) var children: Versions?
  /// Presented children that are there in both versions.
  private(set) var presented: [(name: String, old: Value, new: Value)] = []

  /// - Parameter kind: the kind of the new version.
  init(kind: String) { self.kind = kind }

  /// Adds a member that is not the same node in both versions.
  mutating func add(_ name: String, _ old: Value?, _ new: Value?) {
    if name == "children" {
      children = (old, new)
    } else if case .object? = old, case .object? = new, let old, let new,
      ViewElement.presentations.contains(name)
    {
      presented.append((name, old, new))
    } else if old != new {
      addProperty(name, old, new)
    }
  }

  private mutating func addProperty(_ name: String, _ old: Value?, _ new: Value?) {
    switch (kind, name) {
    case (_, "kind"), (_, "id"), (_, "occurrence"), ("child", "action"), ("navigation", "action"),
      ("forEach", "action"), ("forEach", "list"), ("host", "name"):
      isSameNode = false
    case (_, "window"): window = (old, new)
    default:
      if let new { properties.append((name, new)) } else { removed.append(name) }
    }
  }
}
