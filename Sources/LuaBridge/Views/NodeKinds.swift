import ScriptValue

/// The kinds of nodes that views may return, and what the reader of nodes has to know of them.
package final class NodeKinds {
  package enum Role {
    /// An element that is drawn as it is.
    case element
    /// A node that stands for others, as `forEach`, which the caller puts in its place.
    case place
  }

  /// Retained, so that all nodes of a kind share its name.
  fileprivate let names: [StringNode]
  fileprivate let roles: [Role]
  /// The kinds whose bound field is absent while nothing is entered.
  private let clearable: Set<String>
  /// The index of a kind by the last bits of its name's hash; -1 for none. The table is large enough that no two kinds share a
  /// place.
  private let indices: [Int]
  private let mask: UInt64
  let keys: NodeKeys

  /// - Parameter clearable: the kinds whose bound field is absent while nothing is entered.
  package init(
    _ kinds: [(name: String, role: Role)], presentations: [String], actions: [String],
    clearable: Set<String>
  ) {
    self.clearable = clearable
    names = kinds.map { StringNode.make($0.name) }
    roles = kinds.map(\.role)
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
  func role(_ index: Int) -> Role { roles[index] }

  func isClearable(_ index: Int) -> Bool { clearable.contains(names[index].string) }

  var all: [String] { names.map(\.string) }
}
