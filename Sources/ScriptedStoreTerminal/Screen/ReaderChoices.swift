import ScriptValue
import ScriptView

/// What is only the person's concern: which tab is chosen, and whether a disclosure is open, where
/// there is neither `bind` nor `onChange`.
struct ReaderChoices {
  private var values: [ViewPath: Value] = [:]

  /// A tree in which the nodes have the values that the person has chosen.
  func applied(to tree: Value) -> Value {
    guard !values.isEmpty else { return tree }
    let root = ViewLocation(root: tree)
    let changes = values.compactMap { path, value -> ViewChange? in
      guard let node = root.descending(path)?.node, ReaderChoices.areOwn(node) else { return nil }
      return .set(path, properties: ["value": value], removed: [])
    }
    return (try? tree.applying(changes)) ?? tree
  }

  /// Takes a choice if it is only the person's concern.
  mutating func take(_ value: Value, at location: ViewLocation) {
    guard ReaderChoices.areOwn(location.node) else { return }
    values[location.path] = value
  }

  private static func areOwn(_ node: ViewNode) -> Bool {
    [.tabs, .disclosure].contains(node.elementKind) && node["bind"] == nil
      && node["onChange"] == nil
  }
}
