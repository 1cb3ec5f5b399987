import LuaBridge
import ScriptView

/// What a screen showed before scripts were loaded again.
///
/// A reload makes screens anew, and so their views have no last good nodes. A view that raises in its first run shows those of
/// its place before the reload instead, and their tasks go on.
struct FormerScreen {
  let tree: Value
  /// The nodes with `task` and `onAppear`.
  let appearing: [Appearances.Item]

  /// What the place of a view showed; nil if there was no such place, or nothing in it.
  func content(of view: PlacedView) -> FormerContent? {
    let path = view.path
    var location = ViewLocation(root: tree).lastGood
    for step in view.treePath { location = location?.descending(step)?.lastGood }
    guard let location, location.actionPath == path else { return nil }
    return FormerContent(
      node: location.node.value, appearing: appearing.filter { $0.isInside(path) })
  }
}

/// What one place showed before a reload.
struct FormerContent {
  let node: Value
  let appearing: [Appearances.Item]
}

extension Appearances.Item {
  /// Whether the view of the node is at this path, or at a path below it.
  fileprivate func isInside(_ path: String) -> Bool {
    // By bytes: a dot before a combining character is not the `Character` ".".
    path.isEmpty || place == path || place.utf8.starts(with: "\(path).".utf8)
  }
}

extension ViewLocation {
  /// This node, or that below the errors of views; nil if there is none.
  fileprivate var lastGood: ViewLocation? {
    var location = self
    while location.node.failure != nil {
      guard let child = location.descending(.child(1)) else { return nil }
      location = child
    }
    return location.node.isNothing ? nil : location
  }

  /// The path of the actions of the place in which the node is, as `todos[3].editor`; empty for the root.
  fileprivate var actionPath: String {
    var names: [String] = []
    var location = self
    while let parent = location.parent {
      if let name = parent.actionName(of: location) { names.append(name) }
      location = parent
    }
    return names.reversed().joined(separator: ".")
  }

  /// The name of the actions of a child of this place; nil if the place has none.
  private func actionName(of child: ViewLocation) -> String? {
    switch node.elementKind {
    case .child: return node.string("action")
    case .forEach:
      guard case .row(let row)? = child.step, let action = actionOfRows else { return nil }
      return "\(action)[\(row.id.idInBrackets)]"
    default: return nil
    }
  }
}
