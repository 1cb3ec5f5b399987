import LuaBridge
import ScriptView

/// What readers with one environment and one choice of windows see of a store.
///
/// It belongs to one worker, as the store does. All of its places get it when it is brought up to date.
final class Screen {
  let context: ReduceContext
  private let root: PlacedView
  private var environment: OwnedSlot
  /// The most nodes that the screen may have.
  let nodeLimit: Int
  /// The rows that are shown of long lists.
  var windows: ListWindows
  /// The number of nodes that the views of the screen have returned.
  var nodes = 0
  /// The views that have run in the last update. Nil if the screen does not record them.
  var runs: ViewRuns?
  /// The views that have run in the last update in which a view ran and the screen recorded it.
  private(set) var lastRuns: ViewRunReport?
  /// Whether no window follows the elements that it shows in this update: the screen is new, or its windows were changed.
  private(set) var hasNewWindows = true
  /// Every place is visited, because a window is another one, or because of what no state tells.
  var visitsAll = false
  var appearances = Appearances()
  private var appearing = AppearingNodes()
  /// Whether the tree has changed since appearances were taken.
  private var hasChanged = false
  /// In how many contents a node may keep its children from being seen.
  var contentsThatMayHide = 0
  /// What the screen showed before a reload, until the first update has shown it: a view that raises keeps what its place had.
  var former: FormerScreen?
  /// The errors of the views that have run.
  private var errors: [ScriptError] = []
  private var warnings: [RuntimeWarning] = []
  /// How many views of this update a limit has stopped.
  private var stops = 0
  private static let mostStops = 3

  /// More nodes than there is memory for. A screen has a limit also where the host has set none.
  private static let mostNodes = Int(UInt32.max)

  /// - Parameter nodeLimit: nil for none but that of any screen.
  init(
    _ domain: Domain, _ context: ReduceContext, environment: Value, windows: ListWindows,
    nodeLimit: Int?
  ) {
    self.context = context
    self.nodeLimit = min(nodeLimit ?? .max, Screen.mostNodes)
    self.windows = windows
    root = PlacedView(domain.viewSite, in: nil)
    self.environment = OwnedSlot(environment)
  }

  /// The tree, as of the last update.
  var tree: Value { root.shown }

  var vm: LuaVM { context.vm }

  var kinds: NodeKinds { context.nodeKinds }

  // MARK: Updating

  /// Brings the screen up to date with a state (+0) of the store, whose lists have these indexes. Returns whether the tree has
  /// changed.
  ///
  /// Costs what has changed, and the views that have read it.
  func update(to state: Slot, _ indexes: ElementIndexes, of core: StoreCore) -> Bool {
    stops = 0
    if runs != nil { runs = ViewRuns() }
    context.begin(.absent, indexes, .passUnretained(core.dependencies))
    vm.beginTurn(core.limits)
    defer { vm.endTurn(core.limits) }
    let changed = root.update(self, to: state, environment.slot)
    hasChanged = hasChanged || changed
    visitsAll = false
    hasNewWindows = false
    former = nil
    return changed
  }

  /// Makes a report of the views that the last update has run.
  ///
  /// - Parameter action: the number of the action that has made the change.
  func keepRuns(after action: Int) {
    guard let runs = runs?.runs, !runs.isEmpty else { return }
    lastRuns = ViewRunReport(action: action, runs: runs)
  }

  /// Shows other rows of a long list.
  func setWindows(_ windows: ListWindows) {
    self.windows = windows
    hasNewWindows = true
    visitsAll = true
  }

  /// Gives the views another environment.
  func setEnvironment(_ new: Value) {
    environment = OwnedSlot(new)
    visitsAll = true
  }

  /// The screen is not looked at any more.
  func end() { root.end(self) }

  // MARK: What views report

  /// Takes over an error of a place, and reports it unless the place shows that very error already.
  ///
  /// - Parameters:
  ///   - origin: where the view was declared, for an error without a place of its own.
  ///   - last: what the place shows so far.
  /// - Returns: what it shows from now on.
  func record(_ error: ScriptError, at origin: String?, after last: ViewError?) -> ViewError {
    let new = ViewError(error, at: origin)
    if new != last { report(error) }
    return new
  }

  private func report(_ error: ScriptError) {
    errors.append(error)
    guard error.isStop || error.kind == .viewNodes else { return }
    stops += 1
    // What is left of the screen gets a turn of its own. A screen of rows that all loop must end, too.
    if goesOn {
      vm.endTurn(nil)
      vm.beginTurn(nil)
    }
  }

  /// Whether views still run. False after several of them were stopped by a limit.
  var goesOn: Bool { stops < Screen.mostStops }

  /// Throws if so many rows are more nodes than a screen may have.
  func checkRows(_ count: Int) throws(ScriptError) {
    if count > nodeLimit { throw .tooManyNodes() }
  }

  func warn(_ kind: RuntimeWarning.Kind, _ message: String, _ site: ViewSite) {
    warnings.append(
      RuntimeWarning(
        kind: kind, message: "\(site.origin): \(message)", origin: site.origin, action: nil))
  }

  func takeErrors() -> [ScriptError] {
    defer { errors = [] }
    return errors
  }

  func takeWarnings() -> [RuntimeWarning] {
    defer { warnings = [] }
    return warnings
  }

  func takeAppearances() -> Appearances {
    guard hasChanged || !appearances.isEmpty else { return appearances }
    defer { (appearances, hasChanged) = (Appearances(), false) }
    return appearing.take(appearances, in: tree, mayHide: contentsThatMayHide > 0)
  }
}
