/// What a node shows of itself to those who draw the tree.
struct NodeOutline {
  struct Handler {
    let pattern: String
    let script: String
    let line: Int
  }

  /// Of what: `feature`, `scope`, `forEach`, …
  var kind: String
  /// Made for a feature, which says that it has it.
  var isPartOfFeature = false
  /// What it is about: the path of a child's state, the name of a dependency.
  var key: String?
  /// The type of the child's actions.
  var action: String?
  var handlers: [Handler] = []
  /// Types of actions that it knows and has no handler for.
  var actions: [String] = []
  /// What a feature declares.
  var dependencies: [String] = []
  /// The keys of a feature's initial state.
  var state: [String] = []
  /// Reducers of the same state and actions that it runs, in their order.
  var parts: [ReducerNode] = []
  /// Reducers of a part of the state, with the name of the case that they are for if there are cases.
  var children: [(name: String?, domain: DomainReference)] = []
}

extension ReducerNode {
  /// The first feature of the domain here, whose name stands for what belongs to none.
  var firstFeature: FeatureNode? {
    if let feature = self as? FeatureNode { return feature }
    for part in outline.parts {
      if let feature = part.firstFeature { return feature }
    }
    return nil
  }
}
