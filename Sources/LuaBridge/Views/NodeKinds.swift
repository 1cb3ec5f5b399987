import ScriptValue

/// The kinds of nodes that views may return, and what the reader of nodes has to know of them.
package final class NodeKinds {
  package enum Role {
    /// An element that is drawn as it is.
    case element
    /// A node that stands for others, as `forEach`, which the caller puts in its place.
    case place
  }

  struct Kind {
    /// All nodes of a kind share its name.
    let name: StringNode
    let role: Role
    /// Whether the bound field is absent while nothing is entered.
    let isClearable: Bool
  }

  /// A property that the reader has to know.
  enum Property: Equatable {
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
  enum BoundProperty {
    case value, selected, focused
  }

  private let kinds: [String: Kind]
  private var properties: [String: Property] = [
    "kind": .kind, "children": .children, "bind": .bound(as: .value),
    "selection": .bound(as: .selected), "focus": .bound(as: .focused), "animation": .animation,
  ]

  /// - Parameter clearable: the kinds whose bound field is absent while nothing is entered.
  package init(
    _ kinds: [(name: String, role: Role)], presentations: [String], actions: [String],
    clearable: Set<String>
  ) {
    self.kinds = Dictionary(
      uniqueKeysWithValues: kinds.map { name, role in
        (name, Kind(name: .make(name), role: role, isClearable: clearable.contains(name)))
      })
    for name in presentations { properties[name] = .presentation }
    for name in actions {
      properties[name] = name == "task" || name == "onAppear" ? .appearing : .action
    }
  }

  /// The kind with this name; nil if there is none.
  func kind(_ name: UnsafeRawBufferPointer) -> Kind? {
    kinds[String(decoding: name, as: UTF8.self)]
  }

  /// What the reader has to know of a property; nil for one that it need not know.
  func property(_ name: UnsafeRawBufferPointer) -> Property? {
    properties[String(decoding: name, as: UTF8.self)]
  }

  var all: [String] { kinds.keys.sorted() }
}
