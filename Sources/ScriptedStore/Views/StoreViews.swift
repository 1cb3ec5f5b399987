import LuaBridge
import ScriptView

/// The screens of one store, and who looks at them. Inside of the worker.
///
/// ```
///   drain ends ─▶ update: each screen runs the views whose state has changed ─▶ deliver the changes to those who look
///                                └─ nodes with `task` came or went ─▶ send, or cancel, after the drain
/// ```
///
/// View trees with the same environment and the same windows share a screen, which runs once for all of them.
final class StoreViews {
  /// One view tree that shows the store.
  final class Look {
    let id: UInt64
    let environment: Value
    fileprivate(set) var windows = ListWindows()
    fileprivate(set) var screen: Screen?
    /// How many want to know which views run.
    fileprivate var recorders = 0
    let snapshot: ViewSnapshot
    /// Called by deliveries, with the changes from the tree before. Nil for a look that only reads the snapshot.
    fileprivate var handlers: [(id: UInt64, outbox: Outbox, handler: ViewTree.Handler)] = []

    init(_ id: UInt64, _ environment: Value, _ snapshot: ViewSnapshot, recordsRuns: Bool) {
      self.id = id
      self.environment = environment
      self.snapshot = snapshot
      recorders = recordsRuns ? 1 : 0
    }
  }

  private(set) var looks: [Look] = []
  private var screens: [(key: ScreenKey, screen: Screen)] = []
  private let tasks: AppearedTasks

  private struct ScreenKey: Hashable {
    let environment: Value
    var windows: ListWindows
  }

  /// - Parameter slot: the store's slot in its worker.
  init(slot: Int) { tasks = AppearedTasks(slot: slot) }

  var isEmpty: Bool { looks.isEmpty }

  // MARK: Looking

  /// Adds a look, which has a tree when this returns.
  func add(_ look: Look, _ core: StoreCore, _ engine: Engine) {
    looks.append(look)
    show(look, core, engine)
  }

  func remove(_ id: UInt64, _ core: StoreCore, _ engine: Engine) {
    looks.removeAll { $0.id == id }
    endUnusedScreens(core, engine)
  }

  func look(_ id: UInt64) -> Look? { looks.first { $0.id == id } }

  func add(
    _ handler: @escaping ViewTree.Handler, _ id: UInt64, _ outbox: Outbox, to look: Look
  ) {
    look.handlers.append((id, outbox, handler))
  }

  func removeHandler(_ id: UInt64) {
    for look in looks { look.handlers.removeAll { $0.id == id } }
  }

  func removeHandlers() {
    for look in looks { look.handlers = [] }
  }

  /// Shows other rows of a long list in a look. Does nothing if there is no list with a window at this path.
  func setWindow(
    of look: Look, _ list: ViewPath, first: Int, count: Int, _ core: StoreCore, _ engine: Engine
  ) {
    // A page may name any path.
    guard let tree = look.screen?.tree,
      ViewLocation(root: tree).descending(list)?.node.window != nil
    else { return }
    look.windows.show(list.steps, first: first, count: count)
    show(look, core, engine)
    endUnusedScreens(core, engine)
  }

  /// Gives a look the screen for its environment and windows.
  private func show(_ look: Look, _ core: StoreCore, _ engine: Engine) {
    let key = ScreenKey(environment: look.environment, windows: look.windows)
    if let known = screens.first(where: { $0.key == key })?.screen {
      look.screen = known
      recordRuns(of: known)
      return publish(known.tree, to: [look], engine)
    }
    let screen = makeScreen(key, core, engine)
    screens.append((key, screen))
    look.screen = screen
    recordRuns(of: screen)
    update(screen, core, engine)
    core.turn.end()
    publish(screen.tree, to: [look], engine)
  }

  private func makeScreen(_ key: ScreenKey, _ core: StoreCore, _ engine: Engine) -> Screen {
    let code = core.shownCode(engine)
    return Screen(
      code.domain, code.generation.context, environment: key.environment, windows: key.windows,
      nodeLimit: core.origin.allLimits(engine).viewNodes)
  }

  private func endUnusedScreens(_ core: StoreCore, _ engine: Engine) {
    screens.removeAll { _, screen in
      guard !looks.contains(where: { $0.screen === screen }) else { return false }
      screen.end()
      tasks.take(screen.takeAppearances(), core, engine)
      return true
    }
  }

  // MARK: Which views run

  /// One more wants to know which views run for a look, or one less.
  func recordRuns(ofLook id: UInt64, _ isOn: Bool) {
    guard let look = look(id) else { return }
    look.recorders += isOn ? 1 : -1
    if let screen = look.screen { recordRuns(of: screen) }
  }

  private func recordRuns(of screen: Screen) {
    let isRecorded = looks.contains { $0.screen === screen && $0.recorders > 0 }
    if isRecorded != (screen.runs != nil) { screen.runs = isRecorded ? ViewRuns() : nil }
  }

  // MARK: Updating

  /// Whether nodes with `task` or `onAppear` are on a screen.
  var hasAppeared: Bool { !tasks.isEmpty }

  /// Brings all screens up to date with the state of the store, and delivers the changes. Screens of other code than that of the
  /// state stay as they are: during a reload their views may not know the state, and ``adopt(_:_:)`` follows.
  func update(_ core: StoreCore, _ engine: Engine) {
    let context = core.shownCode(engine).generation.context
    for index in screens.indices {
      let screen = screens[index].screen
      guard screen.context === context, update(screen, core, engine) else { continue }
      // Windows follow the elements that they show.
      screens[index].key.windows = screen.windows
      let looks = looks.filter { $0.screen === screen }
      for look in looks { look.windows = screen.windows }
      publish(screen.tree, to: looks, engine)
    }
  }

  /// Makes all screens anew: the state that the store shows was made by other code than theirs, or the store has come back from
  /// its journal.
  ///
  /// - Parameter appearsAgain: whether nodes with `task` and `onAppear` send once more. Otherwise those that are on the screen before
  ///   and after have not gone.
  func adopt(appearsAgain: Bool = false, _ core: StoreCore, _ engine: Engine) {
    let old = screens
    screens = []
    if appearsAgain { tasks.cancelAll() }
    for (key, screen) in old {
      let new = makeScreen(key, core, engine)
      screens.append((key, new))
      let looks = looks.filter { $0.screen === screen }
      for look in looks { look.screen = new }
      recordRuns(of: new)
      screen.end()
      let gone = screen.takeAppearances()
      new.former = FormerScreen(tree: screen.tree, appearing: gone.went)
      update(new, core, engine)
      // What is on both screens goes on, because the tasks of the new one come first.
      if !appearsAgain { tasks.take(gone, core, engine) }
      publish(new.tree, to: looks, engine)
    }
  }

  @discardableResult
  private func update(_ screen: Screen, _ core: StoreCore, _ engine: Engine) -> Bool {
    let changed = screen.update(to: core.shown, core.shownIndexes, of: core)
    screen.keepRuns(after: core.number)
    engine.report(screen.takeWarnings(), of: core)
    for error in screen.takeErrors() {
      engine.report(error, Action(trusted: ["type": "view"]), of: core)
    }
    tasks.take(screen.takeAppearances(), core, engine)
    return changed
  }

  /// Publishes the tree of a screen to those who look at it. They share one comparison with the tree before.
  private func publish(_ tree: Value, to looks: [Look], _ engine: Engine) {
    var known: (old: Value, changes: [ViewChange])?
    for look in looks {
      let old = look.snapshot.publish(tree)
      guard !look.handlers.isEmpty else { continue }
      if known?.old.isIdentical(to: old) != true {
        known = (old, ViewDifference.changes(from: old, to: tree))
      }
      guard let changes = known?.changes, !changes.isEmpty else { continue }
      for (_, outbox, handler) in look.handlers {
        engine.deliver(to: outbox) { handler(changes, tree) }
      }
    }
  }
}
