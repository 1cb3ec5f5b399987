import ScriptValue
import ScriptedStore

/// What a reducer tree has to say about one state and its actions: the features that share them, and
/// the operators with children.
struct DomainParts {
  struct Handler {
    /// The names in the pattern: `todos`, `toggle` of `todos[*].toggle`.
    let names: [String]
    let source: SourceLine?
    /// Whether the feature only lists the action, and does not handle it.
    var isListed = false
  }

  private(set) var features: [ReducerTree] = []
  private(set) var operators: [ReducerTree] = []
  /// Whether an operator of the tree writes bindings, and not a feature.
  private(set) var binds = false

  init(of tree: ReducerTree) { add(tree) }

  private mutating func add(_ tree: ReducerTree) {
    switch tree.kind {
    case "feature", "reduce": features.append(tree)
    case "binding": binds = true
    default: break
    }
    if tree.presence != nil {
      operators.append(tree)
    } else {
      for child in tree.children { add(child) }
    }
  }

  var bindsFields: Bool { binds || features.contains { $0.actions.contains("binding") } }

  /// The handlers of all features in the order of their lines.
  var handlers: [Handler] { features.flatMap { DomainParts.handlers(of: $0) } }

  private static func handlers(of feature: ReducerTree) -> [Handler] {
    feature.handlers.compactMap { handler in
      guard handler.pattern != "*", let path = try? ActionPath(handler.pattern) else { return nil }
      return Handler(names: path.names, source: SourceLine(handler.origin))
    }
  }

  /// The actions that features list without a handler, but `binding`.
  var listed: [Handler] {
    features.flatMap { feature in
      feature.actions.filter { $0 != "binding" }.compactMap { try? ActionPath($0) }.map {
        Handler(names: $0.names, source: SourceLine(feature.origin), isListed: true)
      }
    }
  }
}
