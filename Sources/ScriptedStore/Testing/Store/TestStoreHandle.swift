import LuaBridge

/// The worker of the test store of a Swift test, which has a VM of its own. The public API is
/// `TestStore` of ScriptedStoreTesting.
package final class TestStoreHandle: Sendable {
  private let worker: OwnedWorker

  /// - Parameter state: of a reducer; for a feature, keys that replace those of its initial state.
  package init(
    of reducing: StoreSource.Reducing, state: Value?, root: String,
    dependencies: [String: Dependency], isDurable: Bool, configuration: HostConfiguration
  ) throws(ScriptError) {
    var configuration = configuration
    configuration.context = .test
    worker = try OwnedWorker(
      root: try ScriptRoot(root), configuration: configuration, TestSupport.additions)
    try worker.worker.perform { (engine) throws(ScriptError) in
      try engine.makeTestStore(
        of: reducing, state: state, dependencies: dependencies, isDurable: isDurable)
    }
  }

  /// Calls `body` with the store, inside the worker. Throws inside a worker, which it would wait for.
  package func perform<R>(_ body: (TestStoreCore) throws -> R) throws(ScriptError) -> R {
    guard !Worker.isInsideOne else { throw TestStoreCore.notTheTest }
    return try worker.worker.performHere { (engine) throws(ScriptError) in
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

  /// Suspends until `isSo` returns true, which is checked now and after each request of the worker,
  /// or until the time is over.
  package func wait(
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
        store.session.afterRequests {
          if !waiter.isOver && isSo(store) { waiter.call() }
          return waiter.isOver
        }
      }
    }
    timer.cancel()
  }
}
