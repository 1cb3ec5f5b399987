import ScriptValue

/// What a run of a view has returned: its nodes as a value, and the places in them that others fill.
package struct ViewOutput: ~Copyable {
  /// A place among the nodes: a `forEach`, a child, or what a node presents.
  package struct Place {
    /// The positions of the children, from 0, on the way from the outermost node.
    package let path: [Int]
    /// `forEach`, `child`, `navigation`; or the name of a presentation, as `sheet`, of the node at `path`.
    package let kind: String
    /// The properties of the place; for a presentation, the path of the presented child.
    package let fields: Value
    package var functions: [Function] = []
    /// For each property whose value is a container of the view's state, and lies in no list: the container's dotted path in
    /// the state.
    package var paths: [String: String] = [:]
  }

  /// A function among the properties of a place.
  package struct Function {
    package let name: String
    package let function: LuaFunction
    /// Whether the function has captured an argument of the view, so that it may read more of it whenever it
    /// is called.
    package let capturesArgument: Bool
    /// Whether the function has captured an argument, or a container inside of one, and so can be called only while the
    /// view's reads are recorded.
    package let capturesState: Bool
  }

  /// A node that sends an action when it appears.
  package struct Appearing {
    package let path: [Int]
    /// `task` or `onAppear`.
    package let property: String
    package let action: Value
    package let transaction: Value?
  }

  /// The outermost node, owned (+1); null if the view returned nothing.
  package internal(set) var node = Slot.null
  /// In the order in which they stand.
  package internal(set) var places: [Place] = []
  package internal(set) var appearing: [Appearing] = []
  /// The actions among the properties, each once for each node that has it. Owned (+1), because the node that holds
  /// an action is released where it equals the node of the run before.
  package private(set) var actions: [Slot] = []
  /// The bindings whose key the state does not have, as paths.
  package internal(set) var absentBindings: [String] = []
  /// The keys of `selection` and `focus` that the state does not have, as paths.
  package internal(set) var absentSelections: [String] = []
  /// The number of nodes.
  package internal(set) var count = 0
  /// Whether the kind of a node depends on the width of the screen.
  package internal(set) var dependsOnWidth = false
  /// Whether a node may keep its children from being seen.
  package internal(set) var mayHide = false

  init() {}

  /// A place of this kind without properties, as a view might have returned it. `id` is borrowed (+0); absent for none.
  package static func place(_ kind: String, id: Slot) -> ViewOutput {
    var output = ViewOutput()
    var node: Value.Object = ["kind": .string(kind)]
    if !id.isAbsent { node["id"] = Value(borrowing: id) }
    output.node = Value.object(node).ownedSlot()
    output.places = [Place(path: [], kind: kind, fields: [:])]
    output.count = 1
    return output
  }

  deinit {
    node.release()
    for action in actions { action.release() }
  }

  /// Adds an action, borrowed (+0).
  mutating func add(action: Slot) { actions.append(action.retained()) }

  /// The outermost node, owned (+1) by the caller from now on.
  package mutating func takeNode() -> Slot {
    defer { node = .null }
    return node
  }
}
