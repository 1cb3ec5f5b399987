import LuaBridge
import ScriptView

/// What a test looks at: the screen of a test store, as of the last asserted action.
///
/// ```
///   statement ─▶ the action is asserted ─▶ update: views run, nodes with `task` come and go ─▶ received actions
/// ```
package final class TestView {
  // Proof: the store owns this object, and the engine owns the store.
  private unowned(unsafe) let store: TestStoreCore
  private unowned(unsafe) let engine: Engine
  private let core: StoreCore
  private var environment: Value.Object
  private let screen: Screen
  /// The state that the screen shows; null before the first update.
  private var shownState = Value.null
  /// What nodes with `task` have started.
  private var tasks: [Appearances.Item: JobKey] = [:]
  /// The places whose views have run for the last statement.
  package private(set) var evaluated: [String] = []
  /// What the test has chosen in tabs and disclosures without a binding.
  private var choices = ReaderChoices()
  private var known: ViewScreen?
  /// How wide the screen is when it is drawn as text.
  package private(set) var columns = TestView.usualColumns

  private static let usualColumns = 80

  init(_ store: TestStoreCore, _ core: StoreCore, _ engine: Engine, environment: Value.Object) {
    self.store = store
    self.core = core
    self.engine = engine
    self.environment = Store.environment(with: environment)
    screen = Screen(
      core.domain, engine.context, environment: .object(self.environment), windows: ListWindows(),
      nodeLimit: core.origin.allLimits(engine).viewNodes)
    screen.runs = ViewRuns()
  }

  // MARK: What is shown

  package var tree: Value { screen.tree }

  package var viewScreen: ViewScreen {
    if let known { return known }
    let new = ViewScreen(tree, choices)
    known = new
    return new
  }

  /// A statement has ended: shows the state of the last asserted action. What a view raises, and warnings, become problems of the
  /// statement.
  func update() {
    evaluated = []
    guard !store.state.isIdentical(to: shownState) || screen.visitsAll else { return }
    shownState = store.state
    let slot = shownState.ownedSlot()
    defer { slot.release() }
    _ = screen.update(to: slot, core.indexes, of: core)
    known = nil
    evaluated = screen.runs?.runs.map(\.place) ?? []
    engine.report(screen.takeWarnings())
    for error in screen.takeErrors() { store.session.report(error) }
    takeAppearances()
  }

  /// Sends the actions of nodes that came, which the test receives as those of effects, and cancels what nodes that went have
  /// started.
  private func takeAppearances() {
    let appearances = screen.takeAppearances()
    for item in appearances.went {
      if let key = tasks.removeValue(forKey: item) { store.cancel(key) }
    }
    for item in appearances.came {
      guard let action = ViewAction.lifted(item.action, to: item.place) else { continue }
      if let key = store.appear(action, item.transaction), item.isTask { tasks[item] = key }
    }
  }

  /// Changes the environment, as by another width. The end of the statement shows it.
  package func setEnvironment(_ name: String, to value: Value) {
    environment[name] = value
    screen.setEnvironment(.object(environment))
  }

  /// Makes the screen as wide as a number of columns, which views know as a word.
  ///
  /// - Parameter columns: nil for as many as a new screen has.
  package func resize(to width: String, columns: Int? = nil) {
    self.columns = columns ?? TestView.usualColumns
    setEnvironment("width", to: .string(width))
  }

  /// A person scrolls a long list to the row with this number. The end of the statement shows it.
  package func scroll(_ list: ViewPath, to row: Int) throws(ViewRefusal) {
    try viewScreen.requireUncovered(list)
    show(list, around: row)
  }

  private func show(_ list: ViewPath, around row: Int) {
    var windows = screen.windows
    windows.show(
      list.steps, first: max(row, 1) - 1 - ListWindows.usual / 2, count: ListWindows.usual)
    screen.setWindows(windows)
  }

  /// The screen goes: what its nodes have started is cancelled.
  func close() {
    for key in tasks.values { store.cancel(key) }
    tasks = [:]
  }

  // MARK: Finding

  /// The only item that matches. A row outside of the window of its list is scrolled to.
  package func find(_ query: ViewQuery) throws(ViewQueryError) -> ViewItem {
    do throws(ViewQueryError) {
      return try viewScreen.find(query)
    } catch {
      guard error.reason == .outsideWindow, let list = error.list, let row = query.number else {
        throw error
      }
      show(list, around: row)
      update()
      return try viewScreen.find(query)
    }
  }

  // MARK: Doing

  /// Does what a person would do. The outcome is nil if that sends nothing.
  package func perform(_ gesture: ViewGesture, on item: ViewItem?) -> TestStoreCore.Outcome? {
    do throws(ViewRefusal) {
      let outcome =
        if let item {
          try viewScreen.perform(gesture, on: item)
        } else {
          try viewScreen.perform(gesture)
        }
      guard case .send(let action, let transaction) = outcome else {
        if let item, case .nothing = outcome {
          choices.take(gesture, at: item.location)
          known = nil
        }
        return nil
      }
      return store.send(Action(trusted: action), transaction: transaction)
    } catch {
      return .failure(error.message)
    }
  }

  /// What is wrong with the screen, as text; nil if nothing is.
  var auditFailure: String? {
    let findings = viewScreen.audit()
    guard !findings.isEmpty else { return nil }
    return "the screen has faults that keep people from using it:\n"
      + findings.map { "  - \($0)" }.joined(separator: "\n")
  }
}
