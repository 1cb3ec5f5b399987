import ScriptValue

/// The properties of nodes that their reader has to know, by their names.
///
/// The lookup runs for each property of each node, so it has to be fast: a name has 16 bytes at most, and is compared as two
/// numbers, its first and its last eight bytes.
struct NodeKeys {
  enum Role: Equatable {
    case kind
    case children
    /// What is shown comes from a field: a property of the reader's own gets the value.
    case bound(as: BoundProperty)
    case animation
    case action
    /// An action that is sent when the node appears.
    case appearing
    case presentation
  }

  /// The property that shows the value of a bound field.
  enum BoundProperty: Equatable {
    case value, selected, focused
  }

  private struct Entry {
    let ends: (low: UInt64, high: UInt64)
    let count: Int
    let role: Role
  }

  private var entries: [Entry] = []

  init(presentations: [String], actions: [String]) {
    add("kind", .kind)
    add("children", .children)
    add("bind", .bound(as: .value))
    add("selection", .bound(as: .selected))
    add("focus", .bound(as: .focused))
    add("animation", .animation)
    for name in presentations { add(name, .presentation) }
    for name in actions { add(name, name == "task" || name == "onAppear" ? .appearing : .action) }
  }

  private mutating func add(_ name: String, _ role: Role) {
    var name = name
    precondition(name.utf8.count <= 16, "a name is compared by its first and last eight bytes")
    name.withUTF8 { bytes in
      guard let start = bytes.baseAddress else { return }
      entries.append(
        Entry(ends: UTF8Text.ends(of: start, bytes.count), count: bytes.count, role: role))
    }
  }

  /// The role of a property; nil for one that the reader need not know.
  @inline(__always)
  func role(of name: UnsafeRawBufferPointer) -> Role? {
    guard let start = name.baseAddress else { return nil }
    let ends = UTF8Text.ends(of: start, name.count)
    for entry in entries
    where entry.ends.low == ends.low && entry.ends.high == ends.high && entry.count == name.count {
      return entry.role
    }
    return nil
  }
}
