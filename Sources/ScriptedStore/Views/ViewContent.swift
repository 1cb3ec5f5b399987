import LuaBridge
import ScriptView

/// What one run of a view, or of the function of a row, has returned: its nodes, with what others show at the
/// places among them. The base class of ``PlacedView`` and ``PlacedRow``.
class ViewContent {
  final let site: ViewSite
  /// The nodes as they were returned, with nothing at the places. Owned (+1).
  private(set) final var own = Slot.null
  /// The nodes with the places filled.
  private final var filled = Value.null
  /// The nodes with the places filled, without the rows that are outside of the windows of their lists.
  private final var visible = Value.null
  /// Whether `filled`, or what a window shows, is another one than `visible` was made of.
  private final var isChanged = false
  private(set) final var places: [ViewPlace] = []
  private final var lists: [ViewList] = []
  private final var appearing: [Appearances.Item] = []
  /// The number of nodes in `own`.
  private(set) final var nodes = 0
  /// Whether the kind of a node depends on the width of the screen.
  private(set) final var dependsOnWidth = false
  /// Whether a node may keep its children from being seen.
  private final var mayHide = false
  /// Why the last run has returned nothing; nil if it has.
  final var error: ViewError?

  init(_ site: ViewSite) { self.site = site }

  deinit { own.release() }

  final var hasPlaces: Bool { !places.isEmpty }

  /// The error above the last good nodes, or else the nodes.
  ///
  /// - Parameter former: the last good nodes of a view that has none of its own.
  final func node(after former: Value? = .none) -> Value {
    error?.node(above: former ?? visible, id: id) ?? visible
  }

  // MARK: Where it stands

  /// The view whose state this shows.
  var view: PlacedView? { nil }
  /// The id of the row that this shows, which the outermost node gets; nil for what is no row.
  var id: Value? { nil }
  /// The rows of data around the nodes, from outside in.
  var rows: [ViewPath.Row] { [] }
  /// For a row of a list of the view's state: the path of the list.
  var listPath: String? { nil }
  /// The path of the place of the view, for the actions of this content; empty for the root.
  var path: String { "" }
  /// The steps to the outermost node in the screen's tree.
  var treePath: [ViewPath.Step] { [] }

  // MARK: New nodes

  /// Checks and takes over what a run has returned, and calls the functions of `forEach` that belong to that run: those that
  /// make rows of data, and those that choose rows by the view's state. Places that stand where they stood go on.
  ///
  /// - Throws: if a place cannot be made, or its rows cannot. The content then keeps its nodes and its places.
  final func take(
    _ output: consuming ViewOutput, _ screen: Screen, _ state: Slot, _ environment: Slot
  ) throws(ScriptError) {
    site.check(output.actions, beside: output.places, screen)
    site.check(absentBindings: output.absentBindings, inRowsOf: listPath, screen)
    site.add(optionalBindings: output.absentSelections, inRowsOf: listPath)
    let (oldPlaces, oldLists, oldFilled) = (places, lists, filled)
    let newPlaces = try places(for: output.places, reusing: oldPlaces)
    let node = output.takeNode()
    places = newPlaces
    // The nodes with nothing at the places; `updatePlaces` fills them.
    filled = Value(borrowing: node)
    lists = ViewList.all(in: filled, newPlaces)
    ViewList.enter(lists, places)
    do throws(ScriptError) {
      assignWindows(screen, state)
      for place in newPlaces { try place.runFunctions(screen, state, environment) }
    } catch {
      for place in newPlaces.without(oldPlaces) { place.end(screen) }
      node.release()
      (places, lists, filled) = (oldPlaces, oldLists, oldFilled)
      ViewList.enter(lists, places)
      throw error
    }
    for place in oldPlaces.without(newPlaces) { place.end(screen) }
    screen.nodes += output.count - nodes
    nodes = output.count
    dependsOnWidth = output.dependsOnWidth
    setMayHide(output.mayHide, on: screen)
    own.release()
    own = node
    isChanged = true
    hideRows()
    let steps = output.appearing.isEmpty ? [] : treePath
    let items = output.appearing.map {
      Appearances.Item(
        place: path, rows: rows, path: $0.path, property: $0.property, action: $0.action,
        transaction: $0.transaction,
        treePath: ViewPath(steps + $0.path.map { .child($0 + 1) }))
    }
    screen.appearances.change(from: appearing, to: items)
    appearing = items
    for place in places { place.isStale = true }
  }

  /// Nothing fills a `host` node: the host draws it.
  private final func places(
    for new: [ViewOutput.Place], reusing old: [ViewPlace]
  ) throws(ScriptError) -> [ViewPlace] {
    var places: [ViewPlace] = []
    let byPosition = Dictionary(grouping: old, by: \.position)
    for given in new where given.kind != "host" {
      let known = byPosition[given.path]?.first { $0.kind == given.kind }
      if let known, try known.configure(given) {
        places.append(known)
      } else {
        places.append(try ViewPlace.make(given, in: self))
      }
    }
    return places
  }

  /// Whether a window shows rows for which the view has to run again.
  final func showsNewRows(_ screen: Screen, _ state: Slot) -> Bool {
    if !lists.isEmpty { assignWindows(screen, state) }
    return places.contains { $0.showsNewRows(screen, state) }
  }

  // MARK: Updating

  /// Brings what others show up to date. Returns whether the nodes have changed.
  final func updatePlaces(_ screen: Screen, _ state: Slot, _ environment: Slot) -> Bool {
    assignWindows(screen, state)
    for place in places {
      guard place.update(screen, state, environment) || place.isStale else { continue }
      place.isStale = false
      place.checkDepth(screen)
      filled = place.filled(in: filled)
      isChanged = true
    }
    defer { hideRows() }
    return isChanged
  }

  /// Makes `visible` of `filled`.
  private final func hideRows() {
    guard isChanged else { return }
    isChanged = false
    visible = filled
    for position in lists.flatMap(\.shown.hidden) {
      visible = NodeEditing.replacing(in: visible, at: position[...], by: .null)
    }
  }

  private final func assignWindows(_ screen: Screen, _ state: Slot) {
    for index in lists.indices {
      let list = lists[index]
      let new = list.assign(screen, state, at: { treePath + list.treePosition })
      guard new != list.shown else { continue }
      lists[index].shown = new
      isChanged = true
      guard new.window != list.shown.window,
        var node = NodeEditing.node(at: list.position[...], in: filled)
      else { continue }
      node["window"] = new.node
      filled = NodeEditing.replacing(in: filled, at: list.position[...], by: .object(node))
    }
  }

  private final func setMayHide(_ new: Bool, on screen: Screen) {
    screen.contentsThatMayHide += (new ? 1 : 0) - (mayHide ? 1 : 0)
    mayHide = new
  }

  /// Everything has left the screen.
  func end(_ screen: Screen) {
    screen.nodes -= nodes
    setMayHide(false, on: screen)
    screen.appearances.change(from: appearing, to: [])
    for place in places { place.end(screen) }
  }
}

extension Array where Element == ViewPlace {
  /// The places that are not among others. O(places).
  fileprivate func without(_ others: [ViewPlace]) -> [ViewPlace] {
    let others = Set(others.map(ObjectIdentifier.init))
    return filter { !others.contains(ObjectIdentifier($0)) }
  }
}
