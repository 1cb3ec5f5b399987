import LuaBridge
import ScriptView
import Synchronization

/// The test store of Swift tests, with its own VM. It is used outside the worker. The public API is
/// `TestStore` of ScriptedStoreTesting.
package final class TestStoreHandle: Sendable {
  private let worker: OwnedWorker

  /// Makes a store of a feature; `feature` is a module name, or a path that ends in `.lua`.
  package convenience init(
    _ feature: String, root: String, state: Value?, dependencies: [String: Dependency],
    configuration: ScriptHost.Configuration
  ) throws(ScriptError) {
    try self.init(root, configuration) { (engine) throws(ScriptError) in
      try engine.makeTestStore(of: feature, overrides: state, dependencies: dependencies)
    }
  }

  /// Makes a store of a reducer that is described in Swift.
  package convenience init(
    _ reducer: Reducer, root: String, state: Value, dependencies: [String: Dependency],
    configuration: ScriptHost.Configuration
  ) throws(ScriptError) {
    try self.init(root, configuration) { (engine) throws(ScriptError) in
      try engine.makeTestStore(of: reducer, state: state, dependencies: dependencies)
    }
  }

  private init(
    _ root: String, _ configuration: ScriptHost.Configuration,
    _ makeStore: @escaping @Sendable (Engine) throws(ScriptError) -> TestStoreCore
  ) throws(ScriptError) {
    var configuration = configuration
    configuration.context = .test
    worker = try OwnedWorker(root: try ScriptRoot(root), configuration: configuration)
    try worker.worker.perform { (engine) throws(ScriptError) in _ = try makeStore(engine) }
  }

  func perform<R>(_ body: (TestStoreCore) throws -> R) throws(ScriptError) -> R {
    try worker.worker.performHere { (engine) throws(ScriptError) in
      defer { engine.endRequest() }
      guard let store = engine.session?.stores.first else {
        throw ScriptError("the test of this store is over")
      }
      do {
        return try body(store)
      } catch {
        throw error as? ScriptError ?? ScriptError("\(error)", cause: error)
      }
    }
  }

  /// The state that a test expects, in which all fields of one shared value agree.
  package func agreed(
    _ expected: Value, before: Value, in statement: StateAssertion.Statement
  ) throws(ScriptError) -> Value {
    try perform {
      $0.sharesState ? try $0.agreed(expected, before: before, in: statement) : expected
    }
  }

  /// Changes a shared value as another store would.
  package func setShared(_ name: String, to value: Value?) throws(ScriptError) {
    try worker.worker.performHere { (engine) throws(ScriptError) in
      engine.sharing.set(
        at: [.string(SharedKey.identity(.inMemory, name))], to: value)
      engine.endRequest()
    }
  }

  /// A shared value by the name of its key; nil if it has none.
  package func shared(_ name: String) -> Value? {
    let key = SharedKey.identity(.inMemory, name)
    return try? worker.worker.performHere { (engine) throws(ScriptError) in
      engine.sharing.values.version.values[key]
    }
  }

  // MARK: Statements

  /// The result of a statement.
  package enum Outcome: Sendable {
    /// An action was sent or received. The caller checks the assertion about the state.
    case step(StateAssertion, skipped: String?, task: StartedEffects?)
    /// The error that the action raised.
    case raised(ScriptError)
    case failure(String)
  }

  /// The effects that an action started.
  package struct StartedEffects: Sendable {
    fileprivate let key: JobKey
  }

  /// A result, and the problems that came up during the statement besides it.
  package typealias Report<Result: Sendable> = (result: Result, problems: String?)

  func report<R: Sendable>(
    _ statement: (TestStoreCore) throws -> R
  ) throws(ScriptError) -> Report<R> {
    try perform { store in
      let result = try statement(store)
      store.testView?.update()
      return (result, store.session.takeProblems())
    }
  }

  package func send(_ action: Action) throws(ScriptError) -> Report<Outcome> {
    try report { self.outcome($0.send(action), of: $0) }
  }

  /// The action that a test expects to receive.
  package enum Expected: Sendable {
    case action(Action)
    case pattern(String)
    case predicate(@Sendable (Action) throws -> Bool)
  }

  package func receive(
    _ expected: Expected, timeout: Duration
  ) async throws -> Report<Outcome> {
    let end = ContinuousClock.now + timeout
    var isLast = false
    while true {
      let known = try perform { $0.unasserted.count }
      if let report = try received(expected, isLast: isLast) { return report }
      if isLast { break }
      // In a non-exhaustive test, other actions may arrive first, so this waits for any further
      // action.
      await wait(end - .now) { $0.unasserted.count > known || $0.isWaitingForTest }
      isLast = try ContinuousClock.now >= end || perform { $0.isWaitingForTest }
    }
    throw ScriptError("the test of this store is over")
  }

  private func received(_ expected: Expected, isLast: Bool) throws -> Report<Outcome>? {
    var position: Int?
    var isAsked = true
    // The test's function runs outside the worker, so that it can use the store.
    if case .predicate(let predicate) = expected {
      let actions = try perform { $0.candidates }
      position = try actions.firstIndex(where: predicate)
      // It has not seen an action that is received from here on.
      isAsked = !actions.isEmpty
    }
    return try perform { [position, isAsked] store in
      let matcher =
        switch expected {
        case .action(let action): ActionMatcher(action)
        case .pattern(let pattern): try ActionMatcher(pattern: pattern)
        case .predicate: ActionMatcher(position: position)
        }
      let received = try isAsked ? store.takeReceived(matcher) : nil
      let outcome = received ?? (isLast ? store.notReceived(matcher) : nil)
      return outcome.map {
        let outcome = self.outcome($0, of: store)
        store.testView?.update()
        return (outcome, store.session.takeProblems())
      }
    }
  }

  package func finish(_ task: StartedEffects?, timeout: Duration) async throws -> Report<String?> {
    let key = task?.key
    if let failure = try perform({ $0.failureBeforeFinish(key) }) {
      return try report { _ in failure }
    }
    if try perform({ !$0.hasFinished(key) }) {
      await wait(timeout) { $0.hasFinished(key) || $0.isWaitingForTest }
    }
    let seconds = timeout / .seconds(1)
    return try report { store in
      store.hasFinished(key) ? nil : store.unfinished(store.isWaitingForTest ? 0 : seconds)
    }
  }

  package func cancel(_ task: StartedEffects) {
    let key = task.key
    try? perform { $0.cancel(key) }
  }

  package func skipReceivedActions(strict: Bool) throws(ScriptError) -> Report<String?> {
    try report { $0.skipReceivedActions(strict: strict) }
  }

  package func skipInFlightEffects(strict: Bool) throws(ScriptError) -> Report<String?> {
    try report { $0.skipInFlightEffects(strict: strict) }
  }

  package func override(
    _ name: String, by dependency: Dependency
  ) throws(ScriptError) {
    try perform { try $0.override(name, by: .host(dependency), origin: "the test") }
  }

  /// Records that an assertion has failed. Then the checks at the end of the test are skipped.
  package func recordFailure() { try? perform { $0.recordFailure() } }

  /// Ends the test. Returns the failures at its end, or nil.
  package func end() -> String? {
    let failures = try? perform { store in
      defer { store.session.end() }
      return store.session.failuresAtEnd()
    }
    return failures ?? nil
  }

  /// Returns and removes the problems that came up since the last statement, for example while time
  /// passed.
  package func takeProblems() -> String? {
    (try? perform { $0.session.takeProblems() }) ?? nil
  }

  /// Begins to collect warnings, which then fail no statement. ``endExpectingWarnings()`` ends it
  /// and returns them. Calls can be nested.
  package func beginExpectingWarnings() { try? perform { $0.session.beginExpectingWarnings() } }

  package func endExpectingWarnings() -> [String] {
    (try? perform { $0.session.endExpectingWarnings() }) ?? []
  }

  // MARK: State

  /// The state after the last asserted action.
  package var state: Value { (try? perform { $0.state }) ?? .null }

  /// An assertion about the current state; nil if the test is over.
  package var assertion: StateAssertion? { try? perform { $0.assertion } }

  package var isDismissed: Bool { (try? perform { $0.isDismissed }) ?? false }

  package func set(_ exhaustivity: Exhaustivity) {
    try? perform { $0.exhaustivity = exhaustivity }
  }

  package var exhaustivity: Exhaustivity { (try? perform { $0.exhaustivity }) ?? .on }

  // MARK: Waiting

  /// Suspends until `isSo` returns true, which is checked now and after each job of the worker, or
  /// until the time is over.
  private func wait(
    _ timeout: Duration, until isSo: @escaping @Sendable (TestStoreCore) -> Bool
  ) async {
    let event = OneTimeEvent()
    let timer = Task {
      try? await Task.sleep(for: timeout)
      event.send()
    }
    await withCheckedContinuation { continuation in
      event.whenSent { continuation.resume() }
      try? perform { store in
        store.session.afterJobs { [unowned store] in
          if !event.isSent && isSo(store) { event.send() }
          return event.isSent
        }
      }
    }
    timer.cancel()
  }

  /// Converts the outcome. The caller checks the assertion outside the worker, so the step ends
  /// here.
  func outcome(_ outcome: TestStoreCore.Outcome, of store: TestStoreCore) -> Outcome {
    switch outcome {
    case .failure(let failure): return .failure(failure)
    case .raised(let error): return .raised(error)
    case .step(let step, let task):
      store.end(step)
      return .step(
        step.assertion, skipped: step.skipped, task: task.map { StartedEffects(key: $0) })
    }
  }
}

/// What Swift tests see of a store's views, and do there.
extension TestStoreHandle {
  /// Lets the test look at the store's views, if it does not yet.
  package func look(_ environment: Value.Object = [:]) throws(ScriptError) -> Report<Void> {
    try report { store in if store.testView == nil { _ = store.look(environment) } }
  }

  private func view(_ store: TestStoreCore) -> TestView { store.testView ?? store.look([:]) }

  package func find(_ query: ViewQuery) throws(ScriptError) -> ViewItem {
    try perform { try view($0).find(query) }
  }

  package func query(_ query: ViewQuery) throws(ScriptError) -> ViewItem? {
    try perform { try view($0).viewScreen.query(query) }
  }

  package func all(_ query: ViewQuery) throws(ScriptError) -> [ViewItem] {
    try perform { try view($0).viewScreen.all(query) }
  }

  package func scroll(_ list: ViewPath, to row: Int) throws(ScriptError) -> Report<Void> {
    try report { view($0).scroll(list, to: row) }
  }

  package func setEnvironment(
    _ name: String, to value: Value
  ) throws(ScriptError) -> Report<Void> {
    try report { view($0).setEnvironment(name, to: value) }
  }

  /// The tree, and the places whose views have run for the last statement.
  package func shown() throws(ScriptError) -> (tree: Value, evaluated: [String]) {
    try perform { (view($0).tree, view($0).evaluated) }
  }

  /// Does what a person would do. The outcome is nil if that sends nothing.
  package func perform(
    _ gesture: ViewGesture, on item: ViewItem?
  ) throws(ScriptError) -> Report<Outcome?> {
    try report { store in
      let screen = view(store).viewScreen
      do throws(ViewRefusal) {
        let outcome =
          if let item { try screen.perform(gesture, on: item) } else { try screen.perform(gesture) }
        guard case .send(let action, let transaction) = outcome else { return nil }
        return self.outcome(
          store.send(Action(trusted: action), transaction: transaction), of: store)
      } catch {
        return .failure(error.message)
      }
    }
  }
}

/// An event that happens once. Any thread may send it; one waiter is called.
final class OneTimeEvent: Sendable {
  private enum State {
    case waiting((@Sendable () -> Void)?)
    case sent
  }

  private let state = Mutex(State.waiting(nil))

  var isSent: Bool {
    state.withLock { if case .sent = $0 { true } else { false } }
  }

  func send() {
    let waiter = state.withLock { state -> (@Sendable () -> Void)? in
      defer { state = .sent }
      if case .waiting(let waiter) = state { return waiter }
      return nil
    }
    waiter?()
  }

  func whenSent(_ waiter: @escaping @Sendable () -> Void) {
    let isSent = state.withLock { state in
      if case .sent = state { return true }
      state = .waiting(waiter)
      return false
    }
    if isSent { waiter() }
  }
}
