import ScriptValue

/// The kinds of nodes that views may return, with their traits.
package final class NodeKinds {
  /// What the reader has to know of the nodes of a kind.
  package struct Traits: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A node stands for others, as `forEach`, which the caller puts in its place. Without this trait it is drawn as it is.
    package static let place = Traits(rawValue: 1)
    /// The bound field is absent while nothing is entered.
    package static let clearable = Traits(rawValue: 2)
    /// A node takes another kind on a narrow screen: its property `compact` names it.
    package static let folding = Traits(rawValue: 4)
    /// A node may keep its children from being seen.
    package static let hiding = Traits(rawValue: 8)
  }

  /// The nodes of the names, which all nodes of a kind share.
  private let names: [StringNode]
  private let traits: [Traits]
  /// The index of a kind by the last bits of its name's hash; -1 for none. The table is large enough that no two kinds share a
  /// place.
  private let indices: [Int]
  private let mask: UInt64
  let keys: NodeKeys

  package init(
    _ kinds: [(name: String, traits: Traits)], presentations: [String], actions: [String]
  ) {
    names = kinds.map { StringNode.make($0.name) }
    traits = kinds.map(\.traits)
    keys = NodeKeys(presentations: presentations, actions: actions)
    let hashes = names.map { UTF8Text.hash($0.bytes) }
    var size = 64
    while Set(hashes.map { $0 & UInt64(size - 1) }).count < hashes.count { size *= 2 }
    var indices = Array(repeating: -1, count: size)
    for (index, hash) in hashes.enumerated() { indices[Int(hash & UInt64(size - 1))] = index }
    self.indices = indices
    mask = UInt64(size - 1)
  }

  /// The index of a kind; nil if there is none with this name.
  @inline(__always)
  func index(of name: UnsafeRawBufferPointer) -> Int? {
    let index = indices[Int(UTF8Text.hash(name) & mask)]
    return index >= 0 && UTF8Text.equals(names[index].bytes, name) ? index : nil
  }

  func name(_ index: Int) -> StringNode { names[index] }

  /// Whether a kind has a trait. No kind, -1, has none.
  func has(_ trait: Traits, _ index: Int) -> Bool { index >= 0 && traits[index].contains(trait) }

  var all: [String] { names.map(\.string) }
}

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
    /// The kind that the node takes on a narrow screen.
    case compact
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
    add("compact", .compact)
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
