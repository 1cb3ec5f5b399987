import ScriptValue

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
