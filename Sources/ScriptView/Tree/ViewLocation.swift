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
      guard node.elementKind == .forEach, let index = node.children.index(of: row) else { return nil }
      return inside(node.children[index], step)
    case .presentation(let name):
      return presented(as: name)
    }
  }

  /// The node to which a path leads from here, on the screen or not; nil if there is none.
  public func descending(_ path: ViewPath) -> ViewLocation? {
    var location = self
    for step in path.steps {
      guard let next = location.descending(step) else { return nil }
      location = next
    }
    return location
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
  package var presentChildren: [ViewLocation] {
    let children = node.children
    let hasRows = node.elementKind == .forEach
    var locations: [ViewLocation] = []
    locations.reserveCapacity(children.count)
    for (index, child) in children.enumerated() where !child.isNull && child.bool == nil {
      let row = hasRows ? ViewNode(child).row : nil
      locations.append(inside(child, row.map { .row($0) } ?? .child(index + 1)))
    }
    return locations
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
