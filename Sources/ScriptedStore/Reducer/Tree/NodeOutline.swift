import LuaBridge

/// What a drawing of the reducer tree shows of one node.
struct NodeOutline {
  struct Handler {
    let pattern: String
    let script: String
    let line: Int
  }

  /// What the node is: `feature`, `scope`, `forEach`, …
  var kind: String
  /// Whether the node was made for a feature whose outline already shows it.
  var isPartOfFeature = false
  /// The path of the child's state, or the name of the dependency.
  var key: String?
  /// The type of the child's actions.
  var action: String?
  var handlers: [Handler] = []
  /// Action types that the node knows and has no handler for.
  var actions: [String] = []
  /// The names that a feature declares.
  var dependencies: [String] = []
  /// The keys of a feature's initial state.
  var state: [String] = []
  /// The script's table of a feature's initial state; nil if it has none.
  var defaults: LuaTable?
  /// The shared fields of a feature, sorted by name.
  var shared: [SharedField] = []
  /// The names of shared fields whose keys a function chooses.
  var dynamicShared: [String] = []
  /// The reducers of the same state and actions that the node runs, in their order.
  var parts: [ReducerNode] = []
  /// The reducers of a part of the state. Those under `cases` have the name of their case.
  var children: [(name: String?, domain: DomainReference)] = []
}

extension ReducerNode {
  /// The first feature of the domain below this node. Its name stands for reducers that belong to
  /// no feature.
  var firstFeature: FeatureNode? {
    if let feature = self as? FeatureNode { return feature }
    for part in outline.parts {
      if let feature = part.firstFeature { return feature }
    }
    return nil
  }
}
