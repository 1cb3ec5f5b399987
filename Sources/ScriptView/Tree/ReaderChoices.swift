import ScriptValue

/// The choices that one reader of a screen has made where the script has neither `bind` nor `onChange`:
/// which tab is shown, and whether a disclosure is open.
package struct ReaderChoices: Sendable {
  private var values: [ViewPath: Value] = [:]

  package init() {}

  /// The choices that a reader must have made to see all of these nodes. O(depth) for each node.
  init(seeing locations: [ViewLocation]) {
    for location in locations {
      var (inner, tab) = (location, location)
      while let parent = inner.parent {
        if parent.isReadersOwn, !inner.isPresented {
          values[parent.path] = parent.node.elementKind == .tabs ? tab.tabValue : true
        }
        inner = parent
        if !parent.isTransparent { tab = parent }
      }
    }
  }

  var isEmpty: Bool { values.isEmpty }

  /// A tree in which the nodes have the values that the person has chosen.
  package func applied(to tree: Value) -> Value {
    guard !values.isEmpty else { return tree }
    let root = ViewLocation(root: tree)
    let changes = values.compactMap { path, value -> ViewChange? in
      guard root.descending(path)?.isReadersOwn == true else { return nil }
      return .set(path, properties: ["value": value], removed: [])
    }
    return (try? tree.applying(changes)) ?? tree
  }

  /// Takes the choice that a gesture on a node has made, if no script decides about it.
  package mutating func take(_ gesture: ViewGesture, at location: ViewLocation) {
    var chooser = location
    let chosen: Value
    switch gesture {
    case .enter(let value): chosen = value
    case .tap:
      chooser = location.tabsOfTab ?? location
      chosen = location.tabsOfTab == nil ? .boolean(!location.isOpen) : location.tabValue ?? .null
    default: return
    }
    guard chooser.isReadersOwn, let value = try? chooser.accepting(chosen) else { return }
    values[chooser.path] = value
  }
}

extension ViewLocation {
  /// Whether tabs or a disclosure with a binding keep the node at a path from being seen. O(depth), and
  /// the children of each tabs around it.
  package func hides(_ path: ViewPath) -> Bool {
    var location = self
    for step in path.steps {
      if !location.isReadersOwn, !location.leads(by: step, to: path) { return true }
      guard let next = location.descending(step) else { return false }
      location = next
    }
    return false
  }

  private func leads(by step: ViewPath.Step, to path: ViewPath) -> Bool {
    if case .presentation = step { return true }
    switch node.elementKind {
    case .tabs: return chosenTab.map { path.isInside($0.path) } ?? true
    case .disclosure: return isOpen
    default: return true
    }
  }

  /// Whether these tabs, or this disclosure, show what each reader has chosen, and not what the script says.
  var isReadersOwn: Bool {
    switch node.elementKind {
    case .tabs, .disclosure: node["bind"] == nil && node["onChange"] == nil
    default: false
    }
  }

  /// Whether a reader who sees the nodes at these paths sees this one, too, whatever that reader has chosen.
  func isShown(toAllWhoSee paths: [ViewPath]) -> Bool {
    ancestors.allSatisfy { around in
      guard around.isReadersOwn else { return true }
      let path = around.path
      return paths.contains { $0.isInside(path) }
    }
  }
}
