import LuaBridge
import ScriptView

/// The elements of a `forEach`, or some of them, where a view has placed them.
///
/// ```
///   list of the state     a  b  c  d  e  f          all elements
///   `where` or `only`     a     c  d     f          the rows of the place
///   shownRows (1..<3)           c  d                what is shown, with a view each
/// ```
class PlacedList: ViewPlace {
  /// That of the elements.
  final let site: ViewSite
  private let elements: NodeElements
  let action: String
  /// The line of the script that has placed the rows.
  private var call: String?
  /// The node of this place without rows.
  private let emptyNode: Value
  /// What the view passes to each row; null for nothing.
  private var passed: OwnedSlot
  private var environment = ViewEnvironment()
  private var selectedEnvironment = ViewEnvironment()
  /// The environments of the rows at the last update: of those that are not selected, and of the selected one.
  private var plainRowEnvironment = OwnedSlot()
  private var selectedRowEnvironment = OwnedSlot()
  /// Which elements are rows.
  private var choice: RowChoice
  private var shownSelected: Value?

  /// The list at the last update.
  private var list = OwnedSlot()
  /// Which rows were shown at the last update.
  private var range = 0..<0
  private(set) var rows: [PlacedView] = []
  /// Whether several rows have one id.
  private var hasSameIDs = false
  /// The nodes of `rows`.
  private var nodes = Value.List()
  /// Why it is unknown which elements are rows.
  private var choiceError: ViewError?
  /// Why the rows cannot be shown.
  private var rowError: ViewError?
  /// Whether an error is shown.
  private var isFailed = false

  override init(_ place: ViewOutput.Place, in content: ViewContent) throws(ScriptError) {
    action = place.fields["action"].string ?? ""
    let domain = content.site.domain
    try domain.requireAttached(place.kind == "navigation" ? .stack : .rows, at: action)
    guard let elements = domain.root.child(named: action)?.elements else {
      throw ScriptError("there is no list \(action)")
    }
    self.elements = elements
    site = try elements.domain.domain().viewSite
    passed = OwnedSlot(place.fields["env"])
    emptyNode = ["kind": "forEach", "action": .string(action)]
    choice = RowChoice(place, of: elements)
    call = place.call
    try super.init(place, in: content)
  }

  override func configure(_ place: ViewOutput.Place) throws(ScriptError) -> Bool {
    guard place.fields["action"].string == action else { return false }
    passed = OwnedSlot(place.fields["env"])
    choice.configure(place)
    call = place.call
    return true
  }

  // MARK: Updating

  /// Asks a `where` that reads more than its element while that can be read. It has to be asked again whenever the state
  /// changes, so the view runs again then.
  override func runFunctions(
    _ screen: Screen, _ state: Slot, _ environment: Slot
  ) throws(ScriptError) {
    guard choice.readsState else { return }
    screen.vm.recordWholeState()
    _ = rowCount(screen, state)
  }

  override func rowCount(_ screen: Screen, _ state: Slot) -> Int {
    let list = elements.state.childState(in: state)
    do throws(ScriptError) {
      let count = try choice.count(of: list, screen)
      choiceError = nil
      return count
    } catch {
      choiceError = screen.record(error, at: site.origin, after: choiceError)
      return 0
    }
  }

  override func rowOfFirstShown(_ screen: Screen, _ state: Slot) -> Int? {
    guard choiceError == nil, shownRows.lowerBound == range.lowerBound, let first = rows.first
    else { return nil }
    let old = range.lowerBound
    if let count = try? choice.count(of: elements.state.childState(in: state), screen),
      old < count
    {
      let id = choice.id(ofRow: old)
      defer { id.release() }
      if Slot.equal(id, first.rowID.slot) { return old }
    }
    return choice.position(of: first.rowID.slot, in: elements.state.childState(in: state))
  }

  override func update(_ screen: Screen, _ state: Slot, _ environment: Slot) -> Bool {
    let new = elements.state.childState(in: state)
    let count = rowCount(screen, state)
    if let choiceError {
      choice.forgetStop()
      return show(choiceError)
    }
    let range = shownRows.clamped(to: 0..<count)
    let isForAll = setEnvironments(environment)
    do throws(ScriptError) {
      var changed = try updateRows(to: new, range, screen)
      if isForAll || screen.visitsAll {
        changed = updateAll(screen) || changed
      } else if selected != shownSelected {
        changed = updateSelection(screen) || changed
      }
      shownSelected = selected
      rowError = nil
      guard changed || shown == .none || isFailed else { return false }
      isFailed = false
      return show(makeNode())
    } catch {
      let new = screen.record(error, at: site.origin, after: rowError)
      rowError = new
      return show(new)
    }
  }

  /// Shows an error above the last good rows.
  private func show(_ error: ViewError) -> Bool {
    isFailed = true
    return show(error.node(above: nodes.isEmpty ? .null : makeNode()))
  }

  private func updateRows(
    to new: Slot, _ range: Range<Int>, _ screen: Screen
  ) throws(ScriptError) -> Bool {
    try screen.checkRows(range.count)
    let changes = choice.changes(from: list.slot, self.range, to: new, range)
    var update = PlacedRowUpdate(self, choice, first: range.lowerBound, screen)
    do throws(ScriptError) {
      try update.check(changes)
    } catch {
      choice.discardChanges()
      throw error
    }
    list = OwnedSlot(new)
    self.range = range
    if changes.isEmpty { return false }
    let changed = update.apply(changes, to: &rows, &nodes)
    if hasSameIDs || update.arrived.contains(where: { mayHaveOther(with: $0.rowID.slot) }) {
      number()
    }
    return changed
  }

  /// The error for an element, by its index, that has no id.
  func missingID(ofElement index: Int) -> ScriptError {
    ScriptError(
      """
      ui.forEach "\(action)": the element \(index + 1) has no \(elements.idKey.text); give the element an id where it is \
      inserted, or name the field that has it in the options of the operator, as { id = "uuid" }
      """, atCall: call)
  }

  // MARK: Rows with one id

  /// Whether several shown rows may have an id (+0). If they may, to number all rows finds it out.
  private func mayHaveOther(with id: Slot) -> Bool {
    if rows.count > ViewList.longest {
      return choice.mayHaveSeveral(with: id, in: list.slot)
    }
    var count = 0
    for row in rows where Slot.equal(row.rowID.slot, id) { count += 1 }
    return count > 1
  }

  /// Numbers the rows with one id.
  private func number() {
    var counts: [Value: Int] = [:]
    hasSameIDs = false
    for (index, row) in rows.enumerated() {
      let count = counts[Value(borrowing: row.rowID.slot), default: 0] + 1
      counts[Value(borrowing: row.rowID.slot)] = count
      row.occurrence = count
      if count > 1 { hasSameIDs = true }
      nodes[index] = NodeEditing.withOccurrence(count, row.shown)
    }
  }

  private func makeNode() -> Value {
    if nodes.isEmpty { return emptyNode }
    return NodeEditing.setting("children", of: emptyNode, to: .array(nodes))
  }

  // MARK: Environments

  /// Takes over the environments of the rows. Returns whether those of all rows are other ones.
  private func setEnvironments(_ environment: Slot) -> Bool {
    let plain = self.environment.adding(passed.slot, to: environment)
    let marked =
      selected == nil ? plain : selectedEnvironment.adding(PlacedList.isSelected, to: plain)
    let isSame =
      plainRowEnvironment.slot.isIdentical(to: plain)
      && selectedRowEnvironment.slot.isIdentical(to: marked)
    if isSame { return false }
    plainRowEnvironment = OwnedSlot(plain)
    selectedRowEnvironment = OwnedSlot(marked)
    return true
  }

  private static let isSelected: Slot = Value.object(["isSelected": true]).ownedSlot()

  /// The environment (+0) of the row with an id (+0).
  func environment(ofRow id: Slot) -> Slot {
    guard let selected, !id.isAbsent, Value(borrowing: id) == selected else {
      return plainRowEnvironment.slot
    }
    return selectedRowEnvironment.slot
  }

  private func updateAll(_ screen: Screen) -> Bool {
    var changed = false
    for index in rows.indices where update(row: index, screen) { changed = true }
    return changed
  }

  /// Updates the rows that were selected, and those that are.
  private func updateSelection(_ screen: Screen) -> Bool {
    if hasSameIDs { return updateAll(screen) }
    var changed = false
    for id in [shownSelected, selected] {
      guard let id, let index = index(ofRow: id) else { continue }
      if update(row: index, screen) { changed = true }
    }
    return changed
  }

  private func update(row index: Int, _ screen: Screen) -> Bool {
    let row = rows[index]
    let id = row.rowID.slot
    guard row.update(screen, to: row.state.slot, environment(ofRow: id), id: id) else {
      return false
    }
    nodes[index] = NodeEditing.withOccurrence(row.occurrence, row.shown)
    return true
  }

  /// The index among the shown rows of the one with an id.
  private func index(ofRow id: Value) -> Int? {
    let slot = id.ownedSlot()
    defer { slot.release() }
    guard rows.count > ViewList.longest else {
      return rows.firstIndex { Slot.equal($0.rowID.slot, slot) }
    }
    guard let position = choice.position(of: slot, in: list.slot) else { return nil }
    let index = position - range.lowerBound
    return rows.indices.contains(index) ? index : nil
  }

  override func end(_ screen: Screen) {
    for row in rows { row.end(screen) }
  }

  override func path(of view: PlacedView) -> String {
    path(appending: "\(action)[\((view.id ?? .null).idInBrackets)]")
  }

  override func treePath(of view: PlacedView) -> [ViewPath.Step] {
    treePathOfRows + [.row(ViewPath.Row(id: view.id ?? .null, occurrence: view.occurrence))]
  }

  var treePathOfRows: [ViewPath.Step] { treePath }
}

/// A navigation stack: the root's nodes, and the entries' views above them. It has no window, so that each entry is kept.
final class PlacedStack: PlacedList {
  override var treePathOfRows: [ViewPath.Step] { treePath + [.child(2)] }

  /// The entries become the second child of the node, whose first one is the root.
  override func filled(in nodes: Value) -> Value {
    guard var node = NodeEditing.node(at: position[...], in: nodes) else { return nodes }
    var children = node["children"]?.array ?? []
    if children.isEmpty { children.append(.null) }
    children.replaceSubrange(1..<min(children.count, 2), with: [shown ?? .null])
    node["children"] = .array(children)
    return NodeEditing.replacing(in: nodes, at: position[...], by: .object(node))
  }
}
