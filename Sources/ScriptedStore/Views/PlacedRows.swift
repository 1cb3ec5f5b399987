import LuaBridge
import ScriptView

/// Rows that a view makes of data by a function: `ui.forEach(state.fruits, function(fruit, index) … end)`, or of a range.
///
/// The function belongs to one run of the view. So the rows run with the view, and then only those whose element or index is
/// another one, or all of them if the function does something else than the one before.
final class PlacedRows: ViewPlace {
  private var elements: RowElements
  private var function: LuaFunction
  /// Whether the function is called with the index.
  private var takesIndex: Bool
  /// Whether each row has to run again.
  private var runsAll = true
  private var rows: [PlacedRow] = []
  /// The rows, from 0, that have run.
  private var range = 0..<0
  private var nodes = Value.List()
  private var isChanged = true

  override init(_ place: ViewOutput.Place, in content: ViewContent) throws(ScriptError) {
    guard let function = PlacedRows.function(of: place) else {
      throw ScriptError("ui.forEach over data needs a function that makes a row")
    }
    self.function = function.function
    takesIndex = Handler(function.function).takes(2)
    elements = RowElements(place)
    try super.init(place, in: content)
  }

  private static func function(of place: ViewOutput.Place) -> ViewOutput.Function? {
    place.functions.first { $0.name == "row" }
  }

  override func configure(_ place: ViewOutput.Place) throws(ScriptError) -> Bool {
    guard place.fields["action"].isNull, let new = PlacedRows.function(of: place) else {
      return false
    }
    elements = RowElements(place)
    runsAll = runsAll || new.capturesArgument || !function.isSame(as: new.function)
    function = new.function
    takesIndex = Handler(new.function).takes(2)
    return true
  }

  override func rowCount(_ screen: Screen, _ state: Slot) -> Int { elements.count }

  override func showsNewRows(_ screen: Screen, _ state: Slot) -> Bool {
    shownRows.clamped(to: 0..<elements.count) != range
      || rows.contains { $0.hasPlaces && $0.showsNewRows(screen, state) }
  }

  override func rowOfFirstShown(_ screen: Screen, _ state: Slot) -> Int? {
    guard shownRows.lowerBound == range.lowerBound, let first = rows.first else { return nil }
    return elements.index(ofID: first.identity.id, near: first.index)
  }

  /// The path of the list in the view's state, through the lists around it; nil for another list.
  fileprivate var listPath: String? {
    elements.path.map { path in content.listPath.map { "\($0).\(path)" } ?? path }
  }

  // MARK: Running

  /// Runs the rows that are shown, while the reads of the view are recorded.
  ///
  /// - Throws: if an element has no id. No row has run then.
  override func runFunctions(
    _ screen: Screen, _ state: Slot, _ environment: Slot
  ) throws(ScriptError) {
    let range = shownRows.clamped(to: 0..<elements.count)
    try screen.checkRows(range.count)
    let ids = try range.map { (index) throws(ScriptError) in try elements.id(at: index) }
    self.range = range
    var known: [ViewPath.Row: PlacedRow] = [:]
    for row in rows { known[row.identity] = row }
    var first: [Value: (index: Int, count: Int)] = [:]
    var new: [PlacedRow] = []
    new.reserveCapacity(range.count)
    for (index, id) in zip(range, ids) {
      let seen = first[id] ?? (index, 0)
      if seen.count == 1 { warnOfDuplicate(id, seen.index, index, screen) }
      first[id] = (seen.index, seen.count + 1)
      let identity = ViewPath.Row(id: id, occurrence: seen.count + 1)
      let last = known.removeValue(forKey: identity)
      new.append(row(identity, at: index, after: last, screen, state, environment))
    }
    for row in known.values { row.end(screen) }
    rows = new
    runsAll = false
    isChanged = true
  }

  private func row(
    _ identity: ViewPath.Row, at index: Int, after known: PlacedRow?, _ screen: Screen,
    _ state: Slot, _ environment: Slot
  ) -> PlacedRow {
    let element = elements[index]
    if let known, !runsAll, known.error == nil, RowElements.isSame(known.element, element),
      !takesIndex || known.index == index, !known.dependsOnWidth
    {
      return known
    }
    let row = known ?? PlacedRow(identity, in: self, element, index)
    (row.element, row.index) = (element, index)
    guard screen.goesOn else {
      row.error = .notRun(content.site)
      return row
    }
    do throws(ScriptError) {
      try self.run(row, screen, state, environment)
      row.error = nil
    } catch {
      let error = content.site.view?.locating(error) ?? error
      row.error = screen.record(error, at: content.site.origin, after: row.error)
    }
    return row
  }

  private func run(
    _ row: PlacedRow, _ screen: Screen, _ state: Slot, _ environment: Slot
  ) throws(ScriptError) {
    let slots = (element: row.element.ownedSlot(), id: row.identity.id.ownedSlot())
    defer {
      slots.element.release()
      slots.id.release()
    }
    let output = try screen.vm.runRow(
      function, element: slots.element, index: row.index + 1, bindsFields: elements.path != nil,
      kinds: screen.kinds,
      limit: screen.nodeLimit - screen.nodes + row.nodes, id: slots.id, reusing: row.own)
    try row.take(output, screen, state, environment)
  }

  /// Warns of two elements with one id. Both are shown.
  private func warnOfDuplicate(_ id: Value, _ first: Int, _ second: Int, _ screen: Screen) {
    screen.warn(
      .duplicateID,
      """
      ui.forEach in the view of \(content.site.name): two elements have the id \(id), at the indices \(first + 1) and \(second + 1); \
      ids must be unique
      """, content.site)
  }

  // MARK: Updating

  override func update(_ screen: Screen, _ state: Slot, _ environment: Slot) -> Bool {
    var changed = isChanged
    for row in rows where row.hasPlaces {
      changed = row.updatePlaces(screen, state, environment) || changed
    }
    isChanged = false
    guard changed else { return false }
    return show(makeNode())
  }

  private func makeNode() -> Value {
    let new = Value.List(
      rows.lazy.map { NodeEditing.withOccurrence($0.identity.occurrence, $0.node()) })
    if !new.elementsEqual(nodes, by: { $0.isIdentical(to: $1) }) { nodes = new }
    var node: Value.Object = ["kind": "forEach"]
    if let path = elements.path { node["list"] = .string(path) }
    if !nodes.isEmpty { node["children"] = .array(nodes) }
    return Value.object(node).reusing(shown ?? .null)
  }

  override func end(_ screen: Screen) {
    for row in rows { row.end(screen) }
  }
}

/// A row that a view has made of data.
final class PlacedRow: ViewContent {
  // Proof: only the place retains its rows, so that it is deallocated after them.
  unowned(unsafe) let place: PlacedRows
  let identity: ViewPath.Row
  /// What the row was last made of.
  fileprivate(set) var element: Value
  fileprivate(set) var index: Int

  init(_ identity: ViewPath.Row, in place: PlacedRows, _ element: Value, _ index: Int) {
    self.identity = identity
    self.place = place
    self.element = element
    self.index = index
    super.init(place.content.site)
  }

  override var view: PlacedView? { place.content.view }
  override var id: Value? { identity.id }
  override var rows: [ViewPath.Row] { place.content.rows + [identity] }
  override var listPath: String? { place.listPath }
  override var path: String { place.content.path }
  override var treePath: [ViewPath.Step] { place.treePath + [.row(identity)] }
}
