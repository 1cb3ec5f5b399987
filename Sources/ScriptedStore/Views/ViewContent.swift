import LuaBridge
import ScriptView

/// What one run of a view, or of the function of a row, has returned: its nodes, with what others show at the
/// places among them.
final class ViewContent {
  /// The view that this belongs to; the view owns it.
  // Proof: a view is deallocated after its content and the rows in it.
  unowned(unsafe) var owner: PlacedView?
  /// For the content of a row: the place of the rows, and what identifies the row among them.
  private(set) var row: (rows: PlacedRows, row: ViewPath.Row)?
  /// The nodes as they were returned, with nothing at the places.
  private(set) var own = Slot.null
  /// The nodes with the places filled.
  private var filled = Value.null
  /// The nodes with the places filled, without the rows that are outside of the windows of their lists.
  private(set) var shown = Value.null
  /// Whether `filled`, or what a window shows, is another one than `shown` was made of.
  private var isChanged = false
  private(set) var places: [ViewPlace] = []
  private var lists: [ViewList] = []
  private var appearing: [Appearances.Item] = []
  /// The number of nodes in `own`.
  private(set) var nodes = 0
  /// Whether the kind of a node depends on the width of the screen.
  private(set) var dependsOnWidth = false

  init(of row: (rows: PlacedRows, row: ViewPath.Row)? = nil, in owner: PlacedView? = nil) {
    self.row = row
    self.owner = owner
  }

  deinit { own.release() }

  var hasPlaces: Bool { !places.isEmpty }

  // MARK: New nodes

  /// Takes over what a run has returned, and calls the functions of `forEach` that belong to that run: those that make rows of
  /// data, and those that choose rows by the view's state. Places that stand where they stood go on.
  ///
  /// - Throws: if a place cannot be made, or its rows cannot. The content then stays what it was.
  func take(
    _ output: consuming ViewOutput, in site: ViewSite, _ screen: Screen, _ state: Slot,
    _ environment: Slot
  ) throws(ScriptError) {
    let (oldPlaces, oldLists, oldFilled) = (places, lists, filled)
    let newPlaces = try places(for: output.places, reusing: oldPlaces, in: site)
    let node = output.takeNode()
    places = newPlaces
    // The nodes with nothing at the places; `updatePlaces` fills them.
    filled = Value(borrowing: node)
    lists = ViewList.all(in: filled, newPlaces)
    do throws(ScriptError) {
      assignWindows(screen, state)
      for place in newPlaces { try place.runFunctions(screen, state, environment) }
    } catch {
      for place in newPlaces where !oldPlaces.contains(place) { place.end(screen) }
      node.release()
      (places, lists, filled) = (oldPlaces, oldLists, oldFilled)
      throw error
    }
    for place in oldPlaces where !newPlaces.contains(place) { place.end(screen) }
    screen.nodes += output.count - nodes
    nodes = output.count
    dependsOnWidth = output.dependsOnWidth
    own.release()
    own = node
    isChanged = true
    show()
    let items = output.appearing.map {
      Appearances.Item(
        place: path, rows: rows, path: $0.path, property: $0.property, action: $0.action,
        transaction: $0.transaction)
    }
    screen.appearances.change(from: appearing, to: items)
    appearing = items
    for place in places { place.isStale = true }
  }

  private func places(
    for new: [ViewOutput.Place], reusing old: [ViewPlace], in site: ViewSite
  ) throws(ScriptError) -> [ViewPlace] {
    var places: [ViewPlace] = []
    for given in new {
      let known = old.first { $0.position == given.path && $0.kind == given.kind }
      if let known, try known.configure(given) {
        places.append(known)
      } else {
        places.append(try ViewPlace.make(given, in: site, self))
      }
    }
    return places
  }

  /// Whether a window shows rows for which the view has to run again.
  func showsNewRows(_ screen: Screen, _ state: Slot) -> Bool {
    if !lists.isEmpty { assignWindows(screen, state) }
    return places.contains { $0.showsNewRows(screen, state) }
  }

  // MARK: Updating

  /// Brings what others show up to date. Returns whether `shown` has changed.
  func updatePlaces(_ screen: Screen, _ state: Slot, _ environment: Slot) -> Bool {
    assignWindows(screen, state)
    for place in places {
      guard place.update(screen, state, environment) || place.isStale else { continue }
      place.isStale = false
      place.checkDepth(screen)
      filled = place.filled(in: filled)
      isChanged = true
    }
    defer { show() }
    return isChanged
  }

  /// Makes `shown` of `filled`.
  private func show() {
    guard isChanged else { return }
    isChanged = false
    shown = filled
    for position in lists.flatMap(\.shown.hidden) {
      shown = NodeEditing.replacing(in: shown, at: position[...], by: .null)
    }
  }

  private func assignWindows(_ screen: Screen, _ state: Slot) {
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

  /// Everything has left the screen.
  func end(_ screen: Screen) {
    screen.nodes -= nodes
    screen.appearances.change(from: appearing, to: [])
    for place in places { place.end(screen) }
  }

  /// The id of the row whose content this is.
  var rowID: Value? {
    if let row { return row.row.id }
    return owner.flatMap { Value(ifPresent: $0.id) }
  }

  /// The rows of data around the nodes, from outside in.
  private var rows: [ViewPath.Row] {
    guard let row else { return [] }
    return row.rows.content.rows + [row.row]
  }

  // MARK: Paths

  /// The path of the place of the view, for the actions of this content.
  var path: String { owner?.path ?? "" }

  /// The path to the outermost node.
  var treePath: [ViewPath.Step] {
    guard let row else { return owner?.treePath ?? [] }
    return row.rows.treePath + [.row(row.row)]
  }
}

extension Array where Element == ViewPlace {
  fileprivate func contains(_ place: ViewPlace) -> Bool { contains { $0 === place } }
}
