// A screen is a tree of placed views, and what they have placed:
//
//     Screen ── root: PlacedView ── places: ViewPlace
//                                     ├ PlacedChild  ── PlacedView
//                                     ├ PlacedList   ── PlacedView for each row
//                                     └ PlacedRows   ── PlacedRow for each row ── places: ViewPlace
//
// `PlacedView` and `PlacedRow` are `ViewContent`: the nodes of one run, and the places among them.
//
// Invariants:
//
// 1. `shown` is what the place shows for the state and the environment that it was last updated to.
// 2. A view runs only if what it has read differs from what it would read now (`ReadShape`), or if its
//    last run raised an error.
// 3. A node that is deeply equal to the one before it stays the same node.
// 4. A `Slot` argument is borrowed (+0).

import LuaBridge
import ScriptView

/// The view of one reducer at one place of a screen.
final class PlacedView: ViewContent {
  /// Retained, because a site does not retain its domain, which owns it.
  private let domain: Domain
  /// Where this stands; nil for the root. The place owns this view.
  // Proof: a place is deallocated after the views that it owns.
  unowned(unsafe) let parent: ViewPlace?
  /// The state and the environment of the last update.
  private(set) var state = OwnedSlot()
  private var environment = OwnedSlot()
  /// Of a row: its id.
  private(set) var rowID = OwnedSlot()
  /// Of a row: 1 for the first one with its id, 2 for the second.
  var occurrence = 1
  /// What the last run has read; nil if it raised an error, or there was none.
  private var reads: ReadShape?
  /// A placed child has more rows or fewer than a list around it has counted.
  var hasOtherRows = false
  /// What stands in the tree: the content, or the error above it.
  private(set) var shown = Value.null
  /// What the place showed before a reload, while no run of the reloaded view has ended without an error.
  private var former: FormerContent?
  /// What `list.count` found in the last run.
  private var counts = MatchCounts()

  init(_ site: ViewSite, in parent: ViewPlace?) {
    domain = site.domain
    self.parent = parent
    super.init(site)
  }

  override var view: PlacedView? { self }
  override var id: Value? { Value(ifPresent: rowID.slot) }
  /// As `todos[3].editor`.
  override var path: String { parent.map { $0.path(of: self) } ?? "" }
  override var treePath: [ViewPath.Step] { parent.map { $0.treePath(of: self) } ?? [] }

  /// Brings the view up to date. Returns whether `shown` has changed.
  ///
  /// - Parameter id: the `id` of the outermost node; absent for none.
  func update(_ screen: Screen, to state: Slot, _ environment: Slot, id: Slot = .absent) -> Bool {
    let isSame =
      state.isIdentical(to: self.state.slot)
      && environment.isIdentical(to: self.environment.slot)
    if isSame && !screen.visitsAll && reads != nil { return false }
    let readsSame =
      isSame
      || reads?.isUnchanged(
        from: ViewArguments(state: self.state.slot, environment: self.environment.slot),
        to: ViewArguments(state: state, environment: environment)) == true
    self.state = OwnedSlot(state)
    self.environment = OwnedSlot(environment)
    if !id.isIdentical(to: rowID.slot) { rowID = OwnedSlot(id) }
    if reads == nil || !readsSame || showsNewRows(screen, state) {
      self.run(screen)
    } else if hasPlaces {
      _ = updatePlaces(screen, state, environment)
    } else {
      return false
    }
    if hasOtherRows { countAgain(screen) }
    return show()
  }

  /// Counts the rows of the lists again, now that the placed children in them are up to date.
  private func countAgain(_ screen: Screen) {
    hasOtherRows = false
    if showsNewRows(screen, state.slot) {
      self.run(screen)
    } else {
      _ = updatePlaces(screen, state.slot, environment.slot)
    }
  }

  /// The view and all below it have left the screen.
  override func end(_ screen: Screen) {
    dropFormer(screen)
    super.end(screen)
  }

  // MARK: Running

  private func run(_ screen: Screen) {
    do throws(ScriptError) {
      guard let view = site.view else { return try showPresentCase(screen) }
      guard screen.goesOn else {
        reads = nil
        error = .notRun(site)
        keepFormer(screen)
        return
      }
      screen.runs?.begin(path)
      defer { screen.runs?.end() }
      let shape = try read(view, screen)
      site.record(shape)
      reads = shape
      error = nil
      dropFormer(screen)
    } catch {
      reads = nil
      keepFormer(screen)
      self.error = screen.record(error, at: site.origin, after: self.error)
    }
  }

  /// Runs the view and its rows, and updates the children that it has placed. Returns what the view has read.
  private func read(
    _ view: ViewFunction, _ screen: Screen
  ) throws(ScriptError) -> ReadShape {
    let arguments = ViewArguments(state: state.slot, environment: environment.slot)
    var failure: ScriptError?
    let shape = try screen.vm.recordingReads(of: arguments, owner: view.owner, among: site.shapes) {
      () throws(ScriptError) in
      do throws(ScriptError) {
        try take(
          try output(view, arguments, screen), screen, state.slot, environment.slot)
      } catch {
        failure = view.locating(error)
      }
    }
    if let failure { throw failure }
    _ = updatePlaces(screen, state.slot, environment.slot)
    return shape
  }

  /// Shows the view of the present case, for `cases` without a view.
  private func showPresentCase(_ screen: Screen) throws(ScriptError) {
    guard site.domain.root.cases != nil else { throw ViewError.withoutView(site.domain) }
    try take(.place("child", id: rowID.slot), screen, state.slot, environment.slot)
    _ = updatePlaces(screen, state.slot, environment.slot)
    reads = site.nothing
    error = nil
    dropFormer(screen)
  }

  private func output(
    _ view: ViewFunction, _ arguments: ViewArguments, _ screen: Screen
  ) throws(ScriptError) -> ViewOutput {
    let limit = screen.nodeLimit - screen.nodes + nodes
    switch view.body {
    case .script(let handler):
      return try screen.vm.counting(&counts) { () throws(ScriptError) in
        try screen.vm.runView(
          handler, on: arguments, kinds: screen.kinds, limit: limit, id: rowID.slot, reusing: own)
      }
    case .host(let body):
      return try screen.vm.runHostView(
        arguments, kinds: screen.kinds, limit: limit, id: rowID.slot, reusing: own
      ) {
        (state, environment) throws(ScriptError) in
        do {
          return try body(ViewState(state), ViewState(environment))
        } catch let error as ScriptError {
          throw error
        } catch {
          throw ScriptError("\(error)", cause: error)
        }
      }
    }
  }

  // MARK: Showing

  /// The view has no nodes in its first update: it shows those from before a reload.
  private func keepFormer(_ screen: Screen) {
    guard former == nil, let kept = screen.former?.content(of: self) else { return }
    former = kept
    screen.appearances.change(from: [], to: kept.appearing)
  }

  /// The view has nodes of its own, or is gone.
  private func dropFormer(_ screen: Screen) {
    guard let former else { return }
    screen.appearances.change(from: former.appearing, to: [])
    self.former = nil
  }

  /// Takes over what is to be shown. Returns whether it changed.
  private func show() -> Bool {
    let new = node(after: former?.node)
    if new.isIdentical(to: shown) { return false }
    shown = new
    return true
  }
}
