import LuaBridge
import Synchronization

/// Runs scripts. A host owns one Lua VM for each of its workers, and pins each store that it makes
/// to one of them. Stores of different workers run in parallel.
///
/// ```swift
/// let host = try ScriptHost(root: "scripts")
/// let store = try host.store("todos")
/// try store.send("todos[3].toggle")
/// print(store.state["todos"][0]["isComplete"])
/// ```
public final class ScriptHost: Sendable {
  public typealias Configuration = HostConfiguration

  private static let additions = EngineAdditions(
    testSupport: { TestSupport($0) }, didRunOutOfMemory: { $0.replaceFullVM() })

  private let workers: [OwnedWorker]
  let reloader: Reloader
  /// The values that its stores share.
  let shared: SharedValues
  /// Its durable stores; nil without a journal.
  let durables: DurableStores?
  private let next = Atomic<Int>(0)
  private let memoryLimit: Int?

  /// - Parameters:
  ///   - root: the folder from which `require` reads scripts. `require` reads no file outside this folder.
  ///   - configuration: what its scripts reach, what they may use, and who hears of it.
  public init(
    root: String, configuration: Configuration = Configuration()
  ) throws(ScriptError) {
    let root = try ScriptRoot(root)
    memoryLimit = configuration.limits.memory
    shared = SharedValues(
      configuration.shared, configuration.database, mostKeys: configuration.limits.sharedKeys,
      mostBytes: configuration.limits.sharedBytes)
    var workers: [OwnedWorker] = []
    for _ in 0..<max(1, configuration.workers) {
      workers.append(
        try OwnedWorker(
          root: root, configuration: configuration, ScriptHost.additions, shared: shared))
    }
    self.workers = workers
    reloader = Reloader(workers, root: root, configuration: configuration)
    durables = try configuration.journal.map { (journal) throws(ScriptError) in
      do throws(JournalError) {
        return try DurableStores(journal, configuration, workers)
      } catch {
        throw ScriptError(error.message, cause: error)
      }
    }
  }

  /// Makes a store of a feature.
  ///
  /// - Parameters:
  ///   - feature: a module's name (`"todos"`, `"a.b"`), or a path that ends in `.lua`.
  ///   - state: top-level keys that replace those of the feature's initial state, as
  ///     `Feature.initial` takes them; for a reducer without an initial state, the whole state.
  ///   - dependencies: what its scripts find in `deps` instead of the host's dependencies. A client
  ///     replaces only the members that it names. Throws for a name that neither host nor scripts
  ///     offer, and for a member that the dependency does not have.
  ///   - limits: what its actions and effects may use, instead of the host's limits.
  ///     `Limits.memory` remains the host's.
  ///
  /// Blocks while the VM is busy; `makeStore` does not.
  public func store(
    _ feature: String, state: Value? = nil, dependencies: [String: Dependency] = [:],
    limits: Limits? = nil
  ) throws(ScriptError) -> Store {
    let (worker, box) = (try nextWorker(), StateSnapshot())
    let make = maker(of: feature, state, dependencies, limits, box)
    return Store(StoreHandle(of: worker, slot: try worker.worker.perform(make), box: box))
  }

  /// Makes a store of a reducer described in Swift, which may name scripts.
  public func store(
    _ reducer: Reducer, state: Value, dependencies: [String: Dependency] = [:],
    limits: Limits? = nil
  ) throws(ScriptError) -> Store {
    let (worker, box) = (try nextWorker(), StateSnapshot())
    let make = maker(of: reducer, state, dependencies, limits, box)
    return Store(StoreHandle(of: worker, slot: try worker.worker.perform(make), box: box))
  }

  /// `store(…)` without blocking the thread while the VM is busy, for tasks: they share few
  /// threads.
  public func makeStore(
    _ feature: String, state: Value? = nil, dependencies: [String: Dependency] = [:],
    limits: Limits? = nil
  ) async throws(ScriptError) -> Store {
    let (worker, box) = (try nextWorker(), StateSnapshot())
    let make = maker(of: feature, state, dependencies, limits, box)
    let slot = try await worker.worker.performAsynchronously(make)
    return Store(StoreHandle(of: worker, slot: slot, box: box))
  }

  /// Makes a store of a reducer described in Swift, without blocking the thread while the VM is busy.
  public func makeStore(
    _ reducer: Reducer, state: Value, dependencies: [String: Dependency] = [:],
    limits: Limits? = nil
  ) async throws(ScriptError) -> Store {
    let (worker, box) = (try nextWorker(), StateSnapshot())
    let make = maker(of: reducer, state, dependencies, limits, box)
    let slot = try await worker.worker.performAsynchronously(make)
    return Store(StoreHandle(of: worker, slot: slot, box: box))
  }

  /// What makes the core of a store inside a worker. It returns the core's slot.
  private func maker(
    of feature: String, _ state: Value?, _ dependencies: [String: Dependency], _ limits: Limits?,
    _ box: StateSnapshot
  ) -> @Sendable (Engine) throws(ScriptError) -> Int {
    let limits = limits.map { TurnLimits($0, memory: memoryLimit) }
    return { (engine) throws(ScriptError) in
      try engine.makeStore(
        of: feature, overrides: state, dependencies: dependencies, limits: limits, box: box)
    }
  }

  private func maker(
    of reducer: Reducer, _ state: Value, _ dependencies: [String: Dependency], _ limits: Limits?,
    _ box: StateSnapshot
  ) -> @Sendable (Engine) throws(ScriptError) -> Int {
    let limits = limits.map { TurnLimits($0, memory: memoryLimit) }
    return { (engine) throws(ScriptError) in
      try engine.makeStore(
        of: reducer, state: state, dependencies: dependencies, limits: limits, box: box)
    }
  }

  /// Gives every store of the host the state that it began with: the feature's initial state as the
  /// scripts have it now, with the keys that the host replaced; or the state that the host gave.
  /// Cancels all effects of the stores, and removes their alarms. Histories record it as an edit, so that time travel leads
  /// back.
  ///
  /// - Throws: an error if a script's initial state cannot be made; also inside a reducer. The stores
  ///   of that worker do not change then.
  public func reset() throws(ScriptError) {
    guard !Worker.isInsideOne else {
      throw ScriptError("a reducer cannot reset the host; do that in an observer")
    }
    for worker in workers {
      try worker.worker.perform { (engine) throws(ScriptError) in try engine.resetStores() }
    }
  }

  deinit { shared.flush() }

  /// Writes all stored shared values that have changed since they were written. Returns when that has
  /// been tried; it blocks for the time that the disk takes. What was changed before outlives the process
  /// in any case, unless the key has `durability = "exit"`. Also done when the host is released.
  public func flush() { shared.flush() }

  /// Writes what has changed, as ``flush()`` does, and nothing from then on. The stores go on.
  public func close() {
    shared.flush()
    shared.endSaving()
  }

  /// How a feature is composed: its reducers, actions, state and dependencies, with the source
  /// lines that made them. For people and tools. Loads features that scripts give as functions.
  public func tree(of feature: String) throws(ScriptError) -> ReducerTree {
    try nextWorker().worker.perform { (engine) throws(ScriptError) in try engine.tree(of: feature) }
  }

  /// How a reducer described in Swift is composed.
  public func tree(of reducer: Reducer) throws(ScriptError) -> ReducerTree {
    try nextWorker().worker.perform { (engine) throws(ScriptError) in try engine.tree(of: reducer) }
  }

  /// Runs `body` inside one of the workers, and waits for its result.
  func perform<R: Sendable>(
    _ body: @escaping @Sendable (Engine) throws(ScriptError) -> R
  ) throws(ScriptError) -> R {
    try nextWorker().worker.perform(body)
  }

  /// The worker for the next store. Throws inside a worker, because making a store waits for a
  /// worker.
  func nextWorker() throws(ScriptError) -> OwnedWorker {
    try worker(workers.count == 1 ? 0 : next.wrappingAdd(1, ordering: .relaxed).oldValue)
  }

  /// One of the workers, counted around. Throws as ``nextWorker()`` does.
  func worker(_ index: Int) throws(ScriptError) -> OwnedWorker {
    guard !Worker.isInsideOne else {
      throw ScriptError("a reducer cannot make stores; do that in an observer")
    }
    return workers[index % workers.count]
  }
}
