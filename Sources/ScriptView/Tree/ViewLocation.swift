import ScriptValue

/// A node of a tree together with the nodes around it.
///
/// What a node sends, whether it can be used and what it is called depend on those. They are a
/// linked list from the node to the root, so that a location costs one allocation at any depth.
public struct ViewLocation: Sendable {
  public let node: ViewNode
  /// Nil for the root.
  private let link: Link?

  private final class Link: Sendable {
    let parent: ViewLocation
    let step: ViewPath.Step

    init(parent: ViewLocation, step: ViewPath.Step) {
      self.parent = parent
      self.step = step
    }
  }

  private init(node: ViewNode, link: Link?) {
    self.node = node
    self.link = link
  }

  /// The root of a tree.
  public init(root: Value) { self.init(node: ViewNode(root), link: nil) }

  /// The node around this one, or the one that presents it; nil for the root.
  public var parent: ViewLocation? { link?.parent }

  /// How the parent leads here; nil for the root.
  public var step: ViewPath.Step? { link?.step }

  /// The nodes around this one, the nearest one first.
  public var ancestors: some Sequence<ViewLocation> {
    sequence(first: self, next: \.parent).dropFirst()
  }

  /// This node and those around it in the same layer, the nearest one first. The node that presents
  /// the layer is not among them.
  var inLayer: some Sequence<ViewLocation> {
    sequence(first: self) { $0.isPresented ? nil : $0.parent }
  }

  /// O(depth).
  public var path: ViewPath {
    ViewPath(sequence(first: self, next: \.parent).compactMap(\.step).reversed())
  }

  /// The node to which a step leads, on the screen or not; nil if there is none. O(log n), or O(n)
  /// for a row of n.
  public func descending(_ step: ViewPath.Step) -> ViewLocation? {
    switch step {
    case .child(let position):
      let children = node.children
      guard position >= 1, position <= children.count else { return nil }
      return inside(children[position - 1], step)
    case .row(let row):
      guard node.elementKind == .forEach, let index = node.children.index(of: row) else {
        return nil
      }
      return inside(node.children[index], step)
    case .presentation(let name):
      return presented(as: name)
    }
  }

  /// The node to which a path leads from here, on the screen or not; nil if there is none.
  public func descending(_ path: ViewPath) -> ViewLocation? {
    path.steps.reduce(self) { $0?.descending($1) }
  }

  /// What stays the same when other nodes come or go before this one: its kind, its `name`, what it
  /// is bound to or what it is called, and the rows and presentations around it. Nil for a node that
  /// nothing names. O(depth).
  package var identity: [Value]? {
    guard let name = node["name"] ?? node["bind"] ?? node.name.map({ .string($0) }) else {
      return nil
    }
    let steps = path.steps.filter { if case .child = $0 { false } else { true } }
    return [.string(node.kind), name] + steps.map(\.value)
  }

  /// Where a node of an earlier tree is in the one of which this is the root: at its path, unless
  /// another node is there now, and the node is beside that.
  package func path(of old: ViewLocation) -> ViewPath {
    let path = old.path
    guard let identity = old.identity, case .child? = path.steps.last,
      descending(path)?.identity != identity
    else { return path }
    let same = descending(ViewPath(path.steps.dropLast()))?.presentChildren
      .filter { $0.identity == identity }
    return same?.count == 1 ? same?.first?.path ?? path : path
  }

  /// Whether the parent presents this node.
  package var isPresented: Bool { if case .presentation? = step { true } else { false } }

  /// The child that the node presents under a name; nil if there is none.
  func presented(as name: String) -> ViewLocation? {
    guard ViewElement.presentations.contains(name), let child = node[name], case .object = child
    else { return nil }
    return inside(child, .presentation(name))
  }

  /// All children but absent ones. Those of a `forEach` are known by their ids.
  var presentChildren: [ViewLocation] {
    let hasRows = node.elementKind == .forEach
    return node.children.enumerated().compactMap { index, child in
      guard !child.isNull, child.bool == nil else { return nil }
      let row = hasRows ? ViewNode(child).row : nil
      return inside(child, row.map { .row($0) } ?? .child(index + 1))
    }
  }

  private func inside(_ child: Value, _ step: ViewPath.Step) -> ViewLocation {
    ViewLocation(node: ViewNode(child), link: Link(parent: self, step: step))
  }
}

extension Value.List {
  /// The index of a row; nil if there is none. O(n).
  ///
  /// While changes are made, the rows of one id need not be in the order of their occurrences.
  func index(of row: ViewPath.Row) -> Int? {
    guard let first = firstIndex(ofID: row.id) else { return nil }
    return self[first...].firstIndex { ViewNode($0).row == row }
  }
}

/// A row of a list or table.
public struct ViewRow: Sendable {
  public let location: ViewLocation
  /// The number among all rows of the list, from 1, with those outside of the window.
  public let number: Int
  /// The id, if the row is one of a `forEach`.
  public var id: Value? { location.node.row?.id }
}

extension ViewLocation {
  /// Whether the node has rows.
  package var isList: Bool {
    switch node.elementKind {
    case .list, .table: true
    default: false
    }
  }

  /// The rows of a list or table that are in the tree, in their order: those of its `forEach` parts
  /// and its other children, those inside of its sections included. A row whose view returned
  /// nothing counts, because the list in the state has it. O(rows).
  public var rows: [ViewRow] {
    let first = node.window?.first ?? 1
    return rowsInside.enumerated().map { ViewRow(location: $1, number: first + $0) }
  }

  /// The rows inside of a list, or inside of a child of one that is no row itself.
  package var rowsInside: [ViewLocation] {
    visibleChildren.flatMap { $0.holdsRows ? $0.rowsInside : $0.isRow ? [$0] : [] }
  }

  /// Whether a child of a list, or of what holds rows, is a row.
  package var isRow: Bool {
    node.elementKind != .empty && (!node.isNothing || node.row != nil)
  }

  /// The children of a list that are on the screen. An `empty` is one of them only while there is no row.
  private var childrenOfList: [ViewLocation] {
    let children = presentChildren
    guard children.contains(where: { $0.node.elementKind == .empty }) else { return children }
    let hasRows = node.window.map { $0.total > 0 } ?? children.contains { $0.hasRows }
    return hasRows ? children.filter { $0.node.elementKind != .empty } : children
  }

  private var hasRows: Bool {
    holdsRows ? visibleChildren.contains { $0.hasRows } : isRow
  }

  /// Whether the node, in a list, is not a row itself, but its children are.
  var holdsRows: Bool { isTransparent || node.elementKind == .section }

  /// The list or table of which this node is a row; nil if it is none.
  private var listOfRow: ViewLocation? {
    guard !holdsRows, node.elementKind != .empty else { return nil }
    let around = inLayer.dropFirst().first { !$0.holdsRows }
    return around?.isList == true ? around : nil
  }

  /// The row of a list in which this node is, or that it is itself, with its list.
  package var enclosingRow: (row: ViewLocation, list: ViewLocation)? {
    for row in inLayer {
      if let list = row.listOfRow { return (row, list) }
    }
    return nil
  }
}

extension ViewLocation {
  /// The children that are on the screen if this node is, in their order: not the screens under the
  /// top of a navigation, the other tabs, the children of a closed disclosure, and the `empty` of a list that has rows.
  /// O(children).
  public var visibleChildren: [ViewLocation] {
    switch node.elementKind {
    case .navigation: return [topOfNavigation].compactMap(\.self)
    case .tabs: return [chosenTab].compactMap(\.self)
    case .disclosure where !isOpen: return []
    case .list, .table: return childrenOfList
    default: return presentChildren
    }
  }

  /// The nodes that are drawn inside of this one: its visible children, where each place is replaced by
  /// its children. `host` is one of them, because it is drawn itself. O(result).
  public var shownChildren: [ViewLocation] { visibleChildren.flatMap(\.standIns) }

  /// The node itself, or for a place its shown children.
  private var standIns: [ViewLocation] {
    isTransparent ? shownChildren : node.isNothing ? [] : [self]
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

  /// Whether the node is on the screen, as far as the nodes around it say. A node that a presentation
  /// covers counts as on the screen. O(depth), and the children of each tabs and navigation around it.
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
    case .list, .table:
      return child.node.elementKind != .empty || childrenOfList.contains { $0.step == child.step }
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
    let places = inLayer.dropFirst().prefix { $0.isTransparent }
    guard let navigation = places.first(where: { $0.node.elementKind == .navigation }) else {
      return nil
    }
    let entries = navigation.entries
    guard !entries.isEmpty else { return nil }
    let below = entries.count > 1 ? entries[entries.count - 2] : navigation.descending(.child(1))
    return WayBack(navigation: navigation, title: below?.firstTitle ?? "Back")
  }

  // MARK: Tabs

  /// The tab that is shown: the one whose value is that of the tabs, or the first.
  package var chosenTab: ViewLocation? {
    let tabs = self.tabs
    let value = node["value"]
    return tabs.first { value != nil && $0.tabValue == value } ?? tabs.first
  }

  /// The tabs of `tabs`, chosen or not.
  package var tabs: [ViewLocation] { presentChildren.flatMap(\.standIns) }

  /// What is entered when this tab is chosen: its `name`, or what it is called.
  package var tabValue: Value? { node["name"] ?? tabName.map { .string($0) } }

  var tabName: String? { node.scalar("label") ?? node.scalar("title") }
}
