import LuaBridge

/// The way of Swift tests to a test store, which has a worker and a VM of its own. The public API is
/// `TestStore` of ScriptedStoreTesting.
package final class TestStoreHandle: Sendable {
  private let worker: OwnedWorker

  /// Makes a store of a feature; `feature` is a module name, or a path that ends in `.lua`.
  package convenience init(
    _ feature: String, root: String, state: Value?, dependencies: [String: Dependency],
    configuration: HostConfiguration
  ) throws(ScriptError) {
    try self.init(root, configuration) { (engine) throws(ScriptError) in
      try engine.makeTestStore(of: feature, overrides: state, dependencies: dependencies)
    }
  }

  /// Makes a store of a reducer that is described in Swift.
  package convenience init(
    _ reducer: Reducer, root: String, state: Value, dependencies: [String: Dependency],
    configuration: HostConfiguration
  ) throws(ScriptError) {
    try self.init(root, configuration) { (engine) throws(ScriptError) in
      try engine.makeTestStore(of: reducer, state: state, dependencies: dependencies)
    }
  }

  private init(
    _ root: String, _ configuration: HostConfiguration,
    _ makeStore: @escaping @Sendable (Engine) throws(ScriptError) -> TestStoreCore
  ) throws(ScriptError) {
    var configuration = configuration
    configuration.context = .test
    worker = try OwnedWorker(
      root: try ScriptRoot(root), configuration: configuration, TestSupport.additions)
    try worker.worker.perform { (engine) throws(ScriptError) in _ = try makeStore(engine) }
  }

  /// Calls `body` with the store, inside the worker.
  package func perform<R>(_ body: (TestStoreCore) throws -> R) throws(ScriptError) -> R {
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

  // MARK: Statements

  /// The outcome of a statement, and the problems that came up during it besides. Without an outcome there is nothing to
  /// assert about the state, and nothing has failed.
  package typealias Report = (outcome: TestStoreCore.Outcome?, problems: String?)

  /// Performs a statement whose assertion about the state is checked outside of the worker. The store goes on before that.
  package func step(
    _ statement: (TestStoreCore) throws -> TestStoreCore.Outcome?
  ) throws(ScriptError) -> Report {
    try perform { Self.end(try statement($0), of: $0) }
  }

  private static func end(
    _ outcome: TestStoreCore.Outcome?, of store: TestStoreCore
  ) -> Report {
    if case .step(let assertion, _, _)? = outcome { store.end(assertion) }
    return (outcome, store.endStatement())
  }

  /// The action that a test expects to receive.
  package enum Expected: Sendable {
    case action(Action)
    case pattern(String)
    case predicate(@Sendable (Action) throws -> Bool)
  }

  package func receive(_ expected: Expected, timeout: Duration) async throws -> Report {
    let end = ContinuousClock.now + timeout
    var isLast = false
    while true {
      let known = try perform { $0.unasserted.count }
      if let report = try received(expected, isLast: isLast) { return report }
      // In a non-exhaustive test, other actions may arrive first, so this waits for any further
      // action.
      await wait(end - .now) { $0.unasserted.count > known || $0.isWaitingForTest }
      isLast = try ContinuousClock.now >= end || perform { $0.isWaitingForTest }
    }
  }

  /// The end of the statement if an action can be taken or `isLast`; else nil.
  private func received(_ expected: Expected, isLast: Bool) throws -> Report? {
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
      return outcome.map { Self.end($0, of: store) }
    }
  }

  package func finish(_ key: JobKey?, timeout: Duration) async throws -> Report {
    if let failure = try perform({ $0.failureBeforeFinish(key) }) {
      return try step { _ in failure }
    }
    if try perform({ !$0.hasFinished(key) }) {
      await wait(timeout) { $0.hasFinished(key) || $0.isWaitingForTest }
    }
    return try step { $0.unfinished(key, after: timeout / .seconds(1)) }
  }

  /// Suspends until `isSo` returns true, which is checked now and after each job of the worker, or
  /// until the time is over.
  private func wait(
    _ timeout: Duration, until isSo: @escaping @Sendable (TestStoreCore) -> Bool
  ) async {
    let waiter = Waiter()
    let timer = Task {
      try? await Task.sleep(for: timeout)
      waiter.call()
    }
    await withCheckedContinuation { continuation in
      waiter.wait { continuation.resume() }
      try? perform { store in
        store.session.afterJobs { [unowned store] in
          if !waiter.isOver && isSo(store) { waiter.call() }
          return waiter.isOver
        }
      }
    }
    timer.cancel()
  }

  // MARK: The rest

  package func override(_ name: String, by dependency: Dependency) throws(ScriptError) {
    try perform { try $0.override(name, by: .host(dependency), origin: "the test") }
  }

  /// Changes a shared value as another store would.
  package func setShared(_ name: String, to value: Value?) throws(ScriptError) {
    try worker.worker.performHere { (engine) throws(ScriptError) in
      engine.sharing.set(at: [.string(SharedKey.identity(.inMemory, name))], to: value)
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
}
