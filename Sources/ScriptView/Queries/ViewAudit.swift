import ScriptValue

extension ViewScreen {
  /// What is wrong with the screen, in its order, from the lowest layer to the topmost. O(shown
  /// nodes).
  public func audit() -> [ViewFinding] {
    layers.flatMap { layer in
      var audit = ViewAudit()
      audit.visit(layer.content, scope: 0)
      audit.checkListNames()
      return audit.findings
    }
  }
}

/// Looks at the nodes of one layer.
private struct ViewAudit {
  private(set) var findings: [ViewFinding] = []
  /// The controls by the place in which they are, their role and name.
  private var controls: [Control: ViewLocation] = [:]
  private var shortcuts: [Shortcut: ViewLocation] = [:]
  private var scopes = 0
  /// The lists by their names, and the names of which some list accepts rows.
  private var lists: [String: [ViewLocation]] = [:]
  private var acceptedNames: Set<String> = []

  private struct Control: Hashable {
    let scope: Int
    let role: String
    let name: String
  }

  /// - Parameter scope: the number of the row or named container in which the node is. Controls of
  ///   one role and name can be told apart in two of them.
  mutating func visit(_ location: ViewLocation, scope: Int) {
    var scope = scope
    if location.isScope {
      scopes += 1
      scope = scopes
    }
    let node = location.node
    if node.isControl { checkControl(location, scope) }
    switch node.elementKind {
    case .disclosure: checkControl(location, scope)
    case .list, .table: checkList(location)
    case .image, .canvas:
      if node.name == nil, !node.isDecorative {
        report(.unnamedImage, location, "has neither a label nor `decorative`")
      }
    case .forEach: checkIDs(location)
    case .columns where node.word("compact") == "tabs", .tabs:
      for tab in location.tabs where tab.tabName == nil {
        report(.unnamedControl, tab, "is a tab without a label or title")
      }
    default: break
    }
    if let shortcut = node.string("shortcut").flatMap({ Shortcut($0) }),
      let other = shortcuts.updateValue(location, forKey: shortcut)
    {
      report(.doubledShortcut, location, "has the shortcut of \(other.designation)")
    }
    for child in location.visibleChildren { visit(child, scope: scope) }
  }

  private mutating func checkControl(_ location: ViewLocation, _ scope: Int) {
    let node = location.node
    if let name = node.name {
      let control = Control(scope: scope, role: node.kind, name: name)
      if let other = controls.updateValue(location, forKey: control) {
        report(.alike, location, "is called as another one in its place, at \"\(other.path)\"")
      }
    } else {
      report(.unnamedControl, location, "has no label")
    }
    if node.control == .field || node.control == .editor, node.string("name") == nil,
      let container = location.focusContainer
    {
      report(
        .unnamedField, location, "has no `name`, so that \(container.designation) cannot focus it")
    }
  }

  private mutating func checkList(_ location: ViewLocation) {
    let node = location.node
    if let name = node.string("name") { lists[name, default: []].append(location) }
    let accepted = node.acceptedNames
    acceptedNames.formUnion(accepted)
    if accepted.isEmpty != (node["onDrop"] == nil) {
      report(
        .incompleteDrop, location,
        accepted.isEmpty
          ? "has `onDrop`, but does not say by `accepts` which rows can be dropped"
          : "accepts rows, but has no `onDrop`")
    }
  }

  /// Reports lists that others accept rows of, and of which there are two with one name.
  mutating func checkListNames() {
    for name in acceptedNames.sorted() {
      guard let same = lists[name], let first = same.first else { continue }
      for list in same.dropFirst() {
        report(
          .doubledName, list,
          "has the name '\(name.shownInMessage)' of the list at \"\(first.path)\", "
            + "so that `accepts` cannot tell their rows apart")
      }
    }
  }

  private mutating func checkIDs(_ location: ViewLocation) {
    var ids: [Value: Int] = [:]
    for (index, child) in location.node.children.enumerated() {
      guard let id = ViewNode(child).row?.id else { continue }
      if let first = ids[id] {
        report(
          .doubledID, location,
          "has two elements with the id \(id.inMessage): \(first + 1) and \(index + 1)"
        )
      } else {
        ids[id] = index
      }
    }
  }

  private mutating func report(_ kind: ViewFinding.Kind, _ location: ViewLocation, _ what: String) {
    let path = location.path
    // A name is often not enough to find the node.
    let place = location.node.name != nil && path != .root ? " at \"\(path)\"" : ""
    findings.append(
      ViewFinding(kind: kind, path: path, message: "\(location.designation)\(place) \(what)"))
  }
}

extension ViewLocation {
  /// Whether controls inside of the node can be told from equal ones outside of it: a row, or a
  /// container with a name.
  fileprivate var isScope: Bool {
    if case .row? = step { return true }
    return node.element?.group == .arrange && node.name != nil || node.elementKind == .menu
  }
}

/// Something about a screen that keeps people, or tests, from using it.
public struct ViewFinding: Sendable, Hashable, CustomStringConvertible {
  /// What is the matter.
  public enum Kind: String, Sendable {
    /// A control without a label or a title, so that a screen reader has no name for it.
    case unnamedControl
    /// An image that has no label and is not decorative.
    case unnamedImage
    /// Two controls of one role and name in one place.
    case alike
    /// Two rows of one id.
    case doubledID
    /// A text field without a `name` in a container with `focus`.
    case unnamedField
    /// Two shortcuts of the same keys.
    case doubledShortcut
    /// Two lists of one name, of which another list accepts rows.
    case doubledName
    /// A list with `accepts` and without `onDrop`, or the other way round.
    case incompleteDrop
  }

  public let kind: Kind
  public let path: ViewPath
  /// A sentence without a full stop.
  public let message: String

  public var description: String { message }

  init(kind: Kind, path: ViewPath, message: String) {
    self.kind = kind
    self.path = path
    self.message = message.asMessage
  }
}
