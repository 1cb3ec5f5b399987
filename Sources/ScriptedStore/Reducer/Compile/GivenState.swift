import LuaBridge

/// What the reducers of a domain say about its state, by which the state that a host or a test gives to a
/// store is checked.
struct GivenState {
  private struct Child {
    let path: ValuePath
    /// The operator and its source line.
    let origin: String
    /// Whether the operator runs on the elements, and not on the table itself.
    let hasElements: Bool
  }

  /// The fields of which the reducers say that the state has them.
  private var fields: Set<String> = []
  private var children: [Child] = []

  init(_ root: ReducerNode) { add(root) }

  private mutating func add(_ node: ReducerNode) {
    let outline = node.outline
    fields.formUnion(outline.state)
    fields.formUnion(outline.shared.map(\.name))
    fields.formUnion(outline.dynamicShared)
    let steps = outline.key?.splitAtDots() ?? []
    if let field = steps.first, outline.kind != "dependency" {
      fields.insert(field)
      if !outline.children.isEmpty {
        children.append(
          Child(
            path: ValuePath(steps.map { .key($0) }), origin: node.origin,
            hasElements: node.children.first?.elements != nil))
      }
    }
    for part in node.parts { add(part) }
  }

  /// Throws for a field that the state does not have while it has one with nearly that name. A field
  /// with another name may be one that is absent at first.
  func checkFields(_ given: Value, of feature: String) throws(ScriptError) {
    guard let object = given.object, !fields.isEmpty else { return }
    var others: [String]?
    // One edit makes any name of two letters another one.
    for key in object.keys where key.utf8.count > 2 && !fields.contains(key) {
      let names = others ?? fields.filter { object[$0] == nil }.sorted()
      others = names
      guard let nearest = Suggestion.nearest(to: key, in: names) else { continue }
      throw ScriptError(
        "the state given to \(feature) has the key '\(key)', which its initial state does not have; did you mean "
          + "'\(nearest)'? If not, give '\(key)' a default in the script's `state`")
    }
  }

  /// Throws for a part that is no table although an operator runs a child on it.
  func checkChildren(_ given: Value, of feature: String) throws(ScriptError) {
    guard let (value, place, origin) = misfit(in: given) else { return }
    throw ScriptError(
      "the state given to \(feature) has \(value) as '\(place)', which must be a table, as "
        + "\(origin) runs on it")
  }

  /// The first part that is no table although an operator runs a child on it: the part, its place, and the operator with its
  /// source line.
  func misfit(in state: Value) -> (value: Value, place: ValuePath, origin: String)? {
    for child in children {
      guard let value = state.get(child.path), !value.isNull else { continue }
      if !value.isTable { return (value, child.path, child.origin) }
      guard child.hasElements else { continue }
      switch value {
      case .array(let list):
        if let index = list.firstIndex(where: { !$0.isTable }) {
          return (list[index], child.path.appending(.index(index)), child.origin)
        }
      case .object(let object):
        if let (key, element) = object.first(where: { !$0.value.isTable }) {
          return (element, child.path.appending(.key(key)), child.origin)
        }
      default: break
      }
    }
    return nil
  }
}

extension Value {
  fileprivate var isTable: Bool {
    switch self {
    case .array, .object: true
    default: false
    }
  }
}
