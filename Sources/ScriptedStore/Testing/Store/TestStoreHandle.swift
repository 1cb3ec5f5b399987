import LuaBridge
import Synchronization

/// A test store with a VM of its own, as the Swift face has it from outside of the worker.
package final class TestStoreHandle: Sendable {
  private let worker: OwnedWorker

  /// A store of a feature, by its module or file.
  package init(
    _ feature: String, root: String, state: Value?, dependencies: [String: Dependency],
    configuration: ScriptHost.Configuration
  ) throws(ScriptError) {
    worker = try OwnedWorker(
      root: try ScriptRoot(root), configuration: TestStoreHandle.forTests(configuration))
    try worker.worker.perform { (engine) throws(ScriptError) in
      _ = try engine.makeTestStore(of: feature, overrides: state, dependencies: dependencies)
    }
  }

  /// A store of a reducer described in Swift.
  package init(
    _ reducer: Reducer, root: String, state: Value, dependencies: [String: Dependency],
    configuration: ScriptHost.Configuration
  ) throws(ScriptError) {
    worker = try OwnedWorker(
      root: try ScriptRoot(root), configuration: TestStoreHandle.forTests(configuration))
    try worker.worker.perform { (engine) throws(ScriptError) in
      _ = try engine.makeTestStore(of: reducer, state: state, dependencies: dependencies)
    }
  }

  private static func forTests(
    _ configuration: ScriptHost.Configuration
  ) -> ScriptHost.Configuration {
    var configuration = configuration
    configuration.context = .test
    return configuration
  }

  private func perform<R>(_ body: (TestStoreCore) throws -> R) throws(ScriptError) -> R {
    try worker.worker.performHere { (engine) throws(ScriptError) in
      defer { engine.endJob() }
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

  // MARK: Statements

  /// What a statement did.
  package enum Outcome: Sendable {
    /// An action was asserted, except for what it made of the state.
    case step(StateAssertion, skipped: String?, task: Task?)
    /// What the action raised.
    case raised(ScriptError)
    case failure(String)
  }

  /// What an action started.
  package struct Task: Sendable {
    fileprivate let key: JobKey
  }

  /// The outcome of a statement, and what came up during it beside that.
  package typealias Report<Result: Sendable> = (result: Result, problems: String?)

  package func send(_ action: Action) throws(ScriptError) -> Report<Outcome> {
    try perform { (self.outcome($0.send(action), of: $0), $0.session.takeProblems()) }
  }

  /// Which action is expected.
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
      // Without exhaustivity others may be received before it.
      await wait(end - .now) { $0.unasserted.count > known || $0.isStill }
      isLast = try ContinuousClock.now >= end || perform { $0.isStill }
    }
    throw ScriptError("the test of this store is over")
  }

  private func received(_ expected: Expected, isLast: Bool) throws -> Report<Outcome>? {
    var position: Int?
    var isAsked = true
    // The test's own function runs outside of the worker, where it may look at the store.
    if case .predicate(let predicate) = expected {
      let actions = try perform { $0.candidates }
      position = try actions.firstIndex(where: predicate)
      // It knows nothing of an action that comes after this.
      isAsked = !actions.isEmpty
    }
    return try perform { [position, isAsked] store in
      let matcher =
        switch expected {
        case .action(let action): ActionMatcher(action)
        case .pattern(let pattern): try ActionMatcher(pattern: pattern)
        case .predicate: ActionMatcher(position: position)
        }
      let received = try isAsked ? store.received(matcher) : nil
      let outcome = received ?? (isLast ? store.nothing(matcher) : nil)
      return outcome.map { (self.outcome($0, of: store), store.session.takeProblems()) }
    }
  }

  package func finish(_ task: Task?, timeout: Duration) async throws -> Report<String?> {
    let key = task?.key
    if let failure = try perform({ $0.failureBeforeFinish(key) }) {
      return (failure, try perform { $0.session.takeProblems() })
    }
    if try perform({ !$0.hasFinished(key) }) {
      await wait(timeout) { $0.hasFinished(key) || $0.isStill }
    }
    let seconds = timeout / .seconds(1)
    return try perform { store in
      let failure =
        store.hasFinished(key) ? nil : store.unfinished(store.isStill ? 0 : seconds)
      return (failure, store.session.takeProblems())
    }
  }

  package func cancel(_ task: Task) {
    let key = task.key
    try? perform { $0.cancel(key) }
  }

  package func skipReceivedActions(strict: Bool) throws(ScriptError) -> Report<String?> {
    try perform { ($0.skipReceivedActions(strict: strict), $0.session.takeProblems()) }
  }

  package func skipInFlightEffects(strict: Bool) throws(ScriptError) -> Report<String?> {
    try perform { ($0.skipInFlightEffects(strict: strict), $0.session.takeProblems()) }
  }

  package func override(
    _ name: String, by dependency: Dependency
  ) throws(ScriptError) {
    try perform { try $0.override(name, by: .host(.dependency(dependency)), origin: "the test") }
  }

  /// A failed assertion takes the place of what is checked at the end.
  package func fail() { try? perform { $0.fail() } }

  /// Ends the test: what is left that must not be.
  package func end() -> String? {
    let failures = try? perform { store in
      defer { store.session.end() }
      return store.session.failuresAtEnd()
    }
    return failures ?? nil
  }

  /// What came up since the last statement, as after time has passed.
  package func takeProblems() -> String? {
    (try? perform { $0.session.takeProblems() }) ?? nil
  }

  /// Calls `body`, and returns the warnings that came up since `begin`.
  package func beginExpectingWarnings() { try? perform { $0.session.beginExpectingWarnings() } }

  package func endExpectingWarnings() -> [String] {
    (try? perform { $0.session.endExpectingWarnings() }) ?? []
  }

  // MARK: State

  /// As of the last action that was asserted.
  package var state: Value { (try? perform { $0.state }) ?? .null }

  /// What a statement that is not about an action may say of the state.
  package var assertion: StateAssertion? { try? perform { $0.assertion } }

  package var isDismissed: Bool { (try? perform { $0.isDismissed }) ?? false }

  package func set(_ exhaustivity: Exhaustivity) {
    try? perform { $0.exhaustivity = exhaustivity }
  }

  package var exhaustivity: Exhaustivity { (try? perform { $0.exhaustivity }) ?? .on }

  // MARK: Waiting

  /// Suspends until something is so after some job of the worker's, or the time is over.
  private func wait(
    _ timeout: Duration, until isSo: @escaping @Sendable (TestStoreCore) -> Bool
  ) async {
    let signal = Signal()
    let timer = _Concurrency.Task {
      try? await _Concurrency.Task.sleep(for: timeout)
      signal.send()
    }
    await withCheckedContinuation { continuation in
      signal.whenSent { continuation.resume() }
      try? perform { store in
        store.session.afterJobs { [unowned store] in
          if !signal.isSent && isSo(store) { signal.send() }
          return signal.isSent
        }
      }
    }
    timer.cancel()
  }

  /// The assertion of a step is done by who gets it, outside of the worker.
  private func outcome(_ outcome: TestStoreCore.Outcome, of store: TestStoreCore) -> Outcome {
    switch outcome {
    case .failure(let failure): return .failure(failure)
    case .raised(let error): return .raised(error)
    case .step(let step, let task):
      store.end(step)
      return .step(step.assertion, skipped: step.skipped, task: task.map { Task(key: $0) })
    }
  }
}

/// Something that happens once, from whatever thread.
private final class Signal: Sendable {
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
