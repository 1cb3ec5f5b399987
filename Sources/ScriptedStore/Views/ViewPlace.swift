import LuaBridge
import ScriptView

/// A place among the nodes of a view where others stand: a child, the elements of a list, or what a node
/// presents.
class ViewPlace {
  /// The child positions, from 0, on the way to this place's node. For a presentation, to the presenting node.
  final let position: [Int]
  final let kind: String
  // Proof: the content owns this place.
  final unowned(unsafe) let content: ViewContent
  /// The node of this place has to be put into the content again.
  final var isStale = true
  /// What stands in the tree; nil for nothing.
  final private(set) var shown: Value?
  /// Why what was to be shown is too deep.
  private final var depthError: ViewError?

  init(_ place: ViewOutput.Place, in content: ViewContent) throws(ScriptError) {
    position = place.path
    kind = place.kind
    self.content = content
  }

  static func make(
    _ place: ViewOutput.Place, in content: ViewContent
  ) throws(ScriptError) -> ViewPlace {
    switch place.kind {
    case "child": try PlacedChild(place, in: content)
    case "forEach" where place.fields["action"].string != nil: try PlacedList(place, in: content)
    case "forEach": try PlacedRows(place, in: content)
    case "navigation": try PlacedStack(place, in: content)
    default: try PresentedChild(place, in: content)
    }
  }

  /// Takes over what a new run of the view says of this place. Returns false if another place must be made.
  func configure(_ place: ViewOutput.Place) throws(ScriptError) -> Bool { false }

  /// Calls the functions of the place that belong to the run of the view, while the view's reads are recorded.
  func runFunctions(_ screen: Screen, _ state: Slot, _ environment: Slot) throws(ScriptError) {}

  /// Brings the place up to date with a state and an environment of the view around it. Returns whether
  /// `shown` has changed.
  func update(_ screen: Screen, _ state: Slot, _ environment: Slot) -> Bool { false }

  /// The place has left the screen.
  func end(_ screen: Screen) {}

  /// The number of rows of this place in a list that shows all of them.
  func rowCount(_ screen: Screen, _ state: Slot) -> Int { 0 }
  /// The rows, from 0, that are shown of them.
  var shownRows = 0..<Int.max
  /// Whether a window shows rows for which the view has to run, because the function that makes them belongs to a run.
  func showsNewRows(_ screen: Screen, _ state: Slot) -> Bool { false }
  /// The number, from 0, that the first of the shown rows has now; nil if it is gone, or not shown yet. Called after
  /// ``rowCount(_:_:)``.
  func rowOfFirstShown(_ screen: Screen, _ state: Slot) -> Int? { nil }
  /// In a list with a selection: the id of the selected row, and null while none is. nil in other lists. ``PlacedList`` tells
  /// its rows.
  final var selected: Value?

  /// Takes over a node for this place; nil for none. Returns whether it is another one.
  final func show(_ new: Value?) -> Bool {
    let isSame =
      switch (shown, new) {
      case (.some(let old), .some(let new)): new.isIdentical(to: old)
      case (.none, .none): true
      default: false
      }
    if !isSame { shown = new }
    return !isSame
  }

  /// Shows an error instead if the nodes of the content with this place's node in them would nest too deeply for a value.
  final func checkDepth(_ screen: Screen) {
    // A node and its list of children for each step, and as much for what the place itself adds.
    guard let shown, 2 * position.count + 2 + shown.depth > maximumDepth else {
      depthError = nil
      return
    }
    let error = ScriptError(
      "the views of a screen are nested deeper than \(maximumDepth) tables; does a view show itself again and again?"
    )
    let new = screen.record(error, at: content.site.origin, after: depthError)
    depthError = new
    _ = show(new.node())
  }

  /// The nodes of the content with this place's node in them.
  func filled(in nodes: Value) -> Value {
    var node = shown ?? .null
    // The outermost node of a row has the row's id.
    if position.isEmpty, let id = content.id {
      node = NodeEditing.setting("id", of: node, to: id)
    }
    return NodeEditing.replacing(in: nodes, at: position[...], by: node)
  }

  // MARK: Paths

  func path(of view: PlacedView) -> String { content.path }
  func treePath(of view: PlacedView) -> [ViewPath.Step] { treePath }
  final var treePath: [ViewPath.Step] {
    content.treePath + position.map { .child($0 + 1) }
  }

  /// A path of actions with one more step.
  final func path(appending step: String) -> String {
    content.path.isEmpty ? step : "\(content.path).\(step)"
  }
}

/// A slot that is retained as long as a property has it.
struct OwnedSlot: ~Copyable {
  /// Borrowed (+0).
  let slot: Slot

  /// - Parameter slot: borrowed (+0).
  init(_ slot: Slot = .absent) { self.slot = slot.retained() }
  init(_ value: Value) { slot = value.ownedSlot() }

  deinit { slot.release() }
}

/// An environment with what a view passes on: the same object as long as both are the same.
struct ViewEnvironment: ~Copyable {
  private var base = OwnedSlot()
  private var added = OwnedSlot()
  private var sum = OwnedSlot()

  /// The environment (+0) with the keys of `passed` (+0) added; valid until the next call.
  mutating func adding(_ passed: Slot, to environment: Slot) -> Slot {
    guard passed.isContainer else { return environment }
    if base.slot.isIdentical(to: environment) && added.slot.isIdentical(to: passed) {
      return sum.slot
    }
    var object = Value(borrowing: environment).object ?? Value.Object()
    for (key, value) in Value(borrowing: passed).object ?? Value.Object() { object[key] = value }
    base = OwnedSlot(environment)
    added = OwnedSlot(passed)
    sum = OwnedSlot(.object(object))
    return sum.slot
  }
}
