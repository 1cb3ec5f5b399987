import LuaBridge

/// What readers with one environment and one choice of windows see of a store.
///
/// It belongs to one worker, as the store does.
final class Screen {
  let run: ViewRun
  private let root: PlacedView
  /// Owned (+1).
  private var environment: Slot

  init(
    _ domain: Domain, _ context: ReduceContext, environment: Value, windows: ListWindows,
    nodeLimit: Int?
  ) {
    run = ViewRun(context, nodeLimit: nodeLimit, windows: windows)
    root = PlacedView(domain.viewSite, in: nil)
    self.environment = environment.ownedSlot()
  }

  deinit { environment.release() }

  /// The tree, as of the last update.
  var tree: Value { Value(borrowing: root.shown) }

  /// Brings the screen up to date with a state (+0) of the store. Returns whether the tree has changed.
  ///
  /// Costs what has changed, and the views that have read it.
  func update(to state: Slot, limits: TurnLimits?) -> Bool {
    run.begin()
    run.vm.beginTurn(limits)
    defer { run.vm.endTurn(limits) }
    let changed = root.update(run, to: state, environment)
    run.visitsAll = false
    run.hasNewWindows = false
    return changed
  }

  /// Shows other rows of a long list.
  func setWindows(_ windows: ListWindows) {
    run.windows = windows
    run.hasNewWindows = true
    run.visitsAll = true
  }

  /// Gives the views another environment.
  func setEnvironment(_ new: Value) {
    environment.release()
    environment = new.ownedSlot()
    run.visitsAll = true
  }

  /// The screen is not looked at any more.
  func end() { root.end(run) }
}
