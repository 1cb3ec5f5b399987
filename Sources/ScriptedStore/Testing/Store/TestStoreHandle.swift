import LuaBridge

/// The worker of the test store of a Swift test, which has a VM of its own. The public API is
/// `TestStore` of ScriptedStoreTesting.
package final class TestStoreHandle: Sendable {
  /// What a test store is made of, and its first state.
  package enum Subject: Sendable {
    /// A module's name, or a path that ends in `.lua`. `overrides` has keys of the initial state.
    case feature(String, overrides: Value?)
    case reducer(Reducer, state: Value)
  }

  private let worker: OwnedWorker

  package init(
    _ subject: Subject, root: String, dependencies: [String: Dependency],
    configuration: HostConfiguration
  ) throws(ScriptError) {
    var configuration = configuration
    configuration.context = .test
    worker = try OwnedWorker(
      root: try ScriptRoot(root), configuration: configuration, TestSupport.additions)
    try worker.worker.perform { (engine) throws(ScriptError) in
      try engine.makeTestStore(of: subject, dependencies: dependencies)
    }
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
