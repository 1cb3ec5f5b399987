import ScriptValue

extension ViewLocation {
  /// The children that are on the screen if this node is, in their order: not the screens under the
  /// top of a navigation, the other tabs, and what a closed disclosure holds. O(children).
  public var visibleChildren: [ViewLocation] {
    switch node.elementKind {
    case .navigation: return [topOfNavigation].compactMap(\.self)
    case .tabs: return [chosenTab].compactMap(\.self)
    case .disclosure where !isOpen: return []
    default: return presentChildren
    }
  }

  /// The nodes that are drawn inside of this one: its visible children, with the children of places
  /// in the places' stead. `host` is one of them, because it is drawn itself. O(result).
  public var shownChildren: [ViewLocation] {
    var shown: [ViewLocation] = []
    appendShown(to: &shown)
    return shown
  }

  private func appendShown(to shown: inout [ViewLocation]) {
    for child in visibleChildren { child.appendStandIns(to: &shown) }
  }

  /// Appends the node itself, or for a place the nodes that stand in its stead.
  private func appendStandIns(to shown: inout [ViewLocation]) {
    if isTransparent {
      appendShown(to: &shown)
    } else if !node.isNothing {
      shown.append(self)
    }
  }

  /// Whether the node stands for its children and draws nothing itself.
  package var isTransparent: Bool {
    switch node.elementKind {
    case .child, .forEach, .navigation: true
    default: false
    }
  }

  /// Whether a disclosure shows what it holds.
  package var isOpen: Bool { node["value"]?.bool != false }

  /// Whether the node is on the screen, as far as the nodes around it say. What a presentation
  /// covers is on the screen. O(depth), and the children of each tabs and navigation around it.
  var isVisible: Bool {
    var location = self
    // The outermost node on the way that is no place; below `tabs` that is a tab.
    var tab = self
    while let parent = location.parent, let step = location.step {
      if case .presentation = step {} else if !parent.shows(location, tab) { return false }
      location = parent
      if !parent.isTransparent { tab = parent }
    }
    return true
  }

  private func shows(_ child: ViewLocation, _ tab: ViewLocation) -> Bool {
    switch node.elementKind {
    case .navigation: return child.step == (entries.isEmpty ? .child(1) : .child(2))
    case .tabs: return chosenTab?.path == tab.path
    case .disclosure: return isOpen
    case .forEach:
      guard let stack = parent, stack.node.elementKind == .navigation else { return true }
      return stack.entries.last?.step == child.step
    default: return true
    }
  }

  // MARK: Navigation

  /// The entries of a stack above its root. A `forEach` of a navigation has only those.
  package var entries: [ViewLocation] {
    guard node.elementKind == .navigation, let rows = descending(.child(2)) else { return [] }
    return rows.presentChildren.filter { !$0.node.isNothing }
  }

  /// The entry that is shown, or the root if there are none.
  private var topOfNavigation: ViewLocation? {
    entries.last ?? presentChildren.first { $0.step == .child(1) }
  }

  /// How one leaves an entry of a stack: the stack, and what is under the entry.
  package struct WayBack {
    package let navigation: ViewLocation
    let title: String
  }

  /// The way back, if this node is what is shown of the topmost entry of a stack.
  package var wayBack: WayBack? {
    var location = self
    while let parent = location.parent, parent.isTransparent, !location.isPresented {
      if parent.node.elementKind == .navigation {
        let entries = parent.entries
        guard !entries.isEmpty else { return nil }
        let below = entries.count > 1 ? entries[entries.count - 2] : parent.descending(.child(1))
        return WayBack(navigation: parent, title: below?.firstTitle ?? "Back")
      }
      location = parent
    }
    return nil
  }

  // MARK: Tabs

  /// The tab that is shown: the one whose value is that of the tabs, or the first.
  package var chosenTab: ViewLocation? {
    let tabs = self.tabs
    let value = node["value"]
    return tabs.first { value != nil && $0.tabValue == value } ?? tabs.first
  }

  /// The tabs of `tabs`, chosen or not.
  package var tabs: [ViewLocation] {
    var tabs: [ViewLocation] = []
    for child in presentChildren { child.appendStandIns(to: &tabs) }
    return tabs
  }

  /// What is entered when this tab is chosen: its `name`, or what it is called.
  package var tabValue: Value? { node["name"] ?? tabName.map { .string($0) } }

  var tabName: String? { node.scalar("label") ?? node.scalar("title") }
}
