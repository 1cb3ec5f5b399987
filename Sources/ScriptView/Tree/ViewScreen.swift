import ScriptValue

/// What is on the screen: a tree's shown nodes in layers.
///
/// The root is the lowest layer. Each presentation is a layer over the one that presents it, and
/// covers all below it.
public struct ViewScreen: Sendable {
  /// What can be used while it is the topmost layer.
  public struct Layer: Sendable {
    /// The root, or the presented child.
    public let content: ViewLocation
    /// `"sheet"` …; nil for the root.
    public let presentation: String?

    /// The title of an alert, or the first title or heading that is shown.
    public var title: String? { content.firstTitle }
  }

  /// From the lowest to the topmost.
  public let layers: [Layer]
  /// Whether the reader's choices are in the tree. Otherwise they follow from the node of a gesture.
  private let hasChoices: Bool

  /// Looks for the presentations in a tree. O(shown nodes).
  public init(_ tree: Value) { self.init(tree, hasChoices: false) }

  /// The screen of a reader whose choices are known.
  package init(_ tree: Value, _ choices: ReaderChoices) {
    self.init(choices.applied(to: tree), hasChoices: true)
  }

  private init(_ tree: Value, hasChoices: Bool, seenAt paths: [ViewPath] = []) {
    self.hasChoices = hasChoices
    layers = ViewScreen.layers(
      Layer(content: ViewLocation(root: tree), presentation: nil), seenAt: paths)
  }

  /// The screen of a reader who sees the nodes at these paths.
  ///
  /// The program does not know what tabs and disclosures without a binding show. Here they show these
  /// nodes. A presentation in another tab of that kind does not cover them.
  func seen(at paths: [ViewPath]) -> ViewScreen {
    let locations = hasChoices ? [] : paths.filter { $0 != .root }.compactMap { location(at: $0) }
    guard !locations.isEmpty else { return self }
    let choices = ReaderChoices(seeing: locations)
    if choices.isEmpty, layers.count == 1 { return self }
    return ViewScreen(choices.applied(to: root.node.value), hasChoices: true, seenAt: paths)
  }

  /// The root of the tree.
  public var root: ViewLocation { layers[0].content }

  /// The layer that can be used.
  public var top: Layer { layers[layers.count - 1] }

  /// The node at a path, on the screen or not; nil if there is none.
  public func location(at path: ViewPath) -> ViewLocation? { root.descending(path) }

  /// A layer and those that it presents. Of two that are presented by nodes of one layer,
  /// the one that covers more is above, as an alert above a sheet; then the later one.
  ///
  /// - Parameter paths: those of nodes that the person sees; none if that is not known.
  private static func layers(_ layer: Layer, seenAt paths: [ViewPath]) -> [Layer] {
    let presenting = layer.content.visible.filter {
      $0.node.hasPresentation && (paths.isEmpty || $0.isShown(toAllWhoSee: paths))
    }
    return [layer]
      + ViewElement.presentations.flatMap { name in
        presenting.compactMap { $0.presented(as: name) }
          .flatMap { layers(Layer(content: $0, presentation: name), seenAt: paths) }
      }
  }
}

extension ViewLocation {
  /// This node and all visible nodes inside of it, places included, from outside in; not what they
  /// present. O(visible nodes).
  package var visible: [ViewLocation] {
    var visible: [ViewLocation] = []
    appendVisible(to: &visible)
    return visible
  }

  private func appendVisible(to visible: inout [ViewLocation]) {
    visible.append(self)
    for child in visibleChildren { child.appendVisible(to: &visible) }
  }

  /// The toasts that are this node or inside of it, in the order of the tree. They are shown at the end of the layer, wherever
  /// they stand in it. O(visible nodes).
  package var toasts: [ViewLocation] { visible.filter { $0.node.elementKind == .toast } }

  /// The title of the node, or the first title or heading inside of it. O(nodes before it).
  var firstTitle: String? {
    if node.isNothing { return nil }
    if let title = node.scalar("title") { return title }
    if node.elementKind == .heading { return node.text }
    for child in visibleChildren {
      if let title = child.firstTitle { return title }
    }
    return nil
  }
}

extension ViewNode {
  /// Whether the node presents something. Most nodes do not.
  var hasPresentation: Bool {
    guard case .object(let object) = value else { return false }
    return ViewElement.presentations.contains { object.contains(key: $0) }
  }
}

extension ViewScreen {
  /// The fewest columns of a screen that is not compact.
  package static let leastRegularWidth = 60

  /// What views find as `width` in their `env`.
  package static func width(columns: Int) -> String {
    columns < leastRegularWidth ? "compact" : "regular"
  }
}
