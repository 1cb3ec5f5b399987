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

  /// - Parameters:
  ///   - root: the folder from which `require` reads scripts. `require` reads no file outside this folder.
  ///   - configuration: what its scripts reach, what they may use, and who hears of it.
  public init(
    root: String, configuration: Configuration = Configuration()
  ) throws(ScriptError) {
    let root = try ScriptRoot(root)
    try configuration.checkDurableNames(in: root)
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
    let (worker, snapshot) = (try nextWorker(), StateSnapshot())
    let make = maker(of: .feature(feature), state, dependencies, limits, snapshot)
    return Store(StoreHandle(of: worker, slot: try worker.worker.perform(make), snapshot: snapshot))
  }

  /// Makes a store of a reducer described in Swift, which may name scripts.
  public func store(
    _ reducer: Reducer, state: Value, dependencies: [String: Dependency] = [:],
    limits: Limits? = nil
  ) throws(ScriptError) -> Store {
    let (worker, snapshot) = (try nextWorker(), StateSnapshot())
    let make = maker(of: .reducer(reducer), state, dependencies, limits, snapshot)
    return Store(StoreHandle(of: worker, slot: try worker.worker.perform(make), snapshot: snapshot))
  }

  /// `store(…)` without blocking the thread while the VM is busy, for tasks: they share few
  /// threads.
  public func makeStore(
    _ feature: String, state: Value? = nil, dependencies: [String: Dependency] = [:],
    limits: Limits? = nil
  ) async throws(ScriptError) -> Store {
    let (worker, snapshot) = (try nextWorker(), StateSnapshot())
    let make = maker(of: .feature(feature), state, dependencies, limits, snapshot)
    let slot = try await worker.worker.performAsynchronously(make)
    return Store(StoreHandle(of: worker, slot: slot, snapshot: snapshot))
  }

  /// Makes a store of a reducer described in Swift, without blocking the thread while the VM is busy.
  public func makeStore(
    _ reducer: Reducer, state: Value, dependencies: [String: Dependency] = [:],
    limits: Limits? = nil
  ) async throws(ScriptError) -> Store {
    let (worker, snapshot) = (try nextWorker(), StateSnapshot())
    let make = maker(of: .reducer(reducer), state, dependencies, limits, snapshot)
    let slot = try await worker.worker.performAsynchronously(make)
    return Store(StoreHandle(of: worker, slot: slot, snapshot: snapshot))
  }

  /// What makes the core of a store inside a worker. It returns the core's slot.
  private func maker(
    of reducing: StoreSource.Reducing, _ state: Value?, _ dependencies: [String: Dependency],
    _ limits: Limits?, _ snapshot: StateSnapshot
  ) -> @Sendable (Engine) throws(ScriptError) -> Int {
    { (engine) throws(ScriptError) in
      try engine.makeStore(
        of: reducing, state: state, dependencies: dependencies, limits: limits, snapshot: snapshot)
    }
  }

  /// Gives every store of the host the state that it began with: the feature's initial state as the
  /// scripts have it now, with the keys that the host replaced; or the state that the host gave.
  /// Cancels all effects of the stores, and removes their alarms. Histories record it as an edit, so that time travel leads
  /// back. Durable stores that are passive stay as they are.
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

  /// How a feature is composed: its reducers, actions, state and dependencies, with the source
  /// lines that made them. For people and tools. Loads features that scripts give as functions.
  public func tree(of feature: String) throws(ScriptError) -> ReducerTree {
    try perform { (engine) throws(ScriptError) in try engine.tree(of: feature) }
  }

  /// How a reducer described in Swift is composed.
  public func tree(of reducer: Reducer) throws(ScriptError) -> ReducerTree {
    try perform { (engine) throws(ScriptError) in try engine.tree(of: reducer) }
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

extension ScriptHost {
  /// How often the scripts were replaced by a reload; 0 at first.
  public var generation: Int { reloader.generation }

  /// Loads the scripts that have changed on the disk and all scripts that require them. Every store
  /// of the host then runs the new code on its current state. The stores switch between two
  /// actions: all of them, or none if anything is wrong.
  ///
  /// Scripts are compared by text, so a script that was only touched has not changed. If none has
  /// changed, the report is empty. If a feature has another `version` than before, its states are
  /// passed through its `migrate`. Effects in flight end on the old code, and the actions that they
  /// send reach the new code. The effects of features with `reload = "cancel"` are cancelled. The
  /// memory of the old code is freed when its last effect has ended.
  ///
  /// Blocks until the reload is complete. Actions continue meanwhile, except for the moment in
  /// which the code is exchanged.
  ///
  /// ```swift
  /// print(try host.reload())  // reloaded todo.lua, todos.lua in 3.1 ms (3 stores)
  /// ```
  ///
  /// - Returns: what the reload did.
  /// - Throws: ``ReloadError`` with the errors in the scripts; the old scripts then continue. Also
  ///   throws if it is called inside a reducer, or inside a function that an effect calls without
  ///   waiting for it.
  @discardableResult
  public func reload() throws(ReloadError) -> ReloadReport {
    try reloader.reload(since: .now)
  }

  /// ``reload()`` without blocking the thread, so that functions that effects wait for may call it.
  ///
  /// - Returns: what the reload did.
  /// - Throws: ``ReloadError`` as the blocking method does.
  @discardableResult
  public func reload() async throws(ReloadError) -> ReloadReport {
    let (reloader, start) = (reloader, ContinuousClock.now)
    let result: Result<ReloadReport, ReloadError> = await withCheckedContinuation { continuation in
      do throws(ScriptError) {
        try BlockingThread.run {
          continuation.resume(
            returning: Result { () throws(ReloadError) in try reloader.reload(since: start) })
        }
      } catch {
        continuation.resume(returning: .failure(ReloadError(error)))
      }
    }
    return try result.get()
  }
}

/// Stores that outlive the process (``HostConfiguration/journal``).
extension ScriptHost {
  /// The durable store with this name. Loads nothing: the store is made active by its first use, which throws for a key
  /// that no store can have, and if the host has no journal.
  ///
  /// - Parameters:
  ///   - feature: a module's name, or that of a reducer in ``HostConfiguration/reducers``.
  ///   - key: 1 to 128 characters of letters, digits, `_`, `-` and `.`.
  public func durable(_ feature: String, key: String) -> DurableStore {
    DurableStore(
      durables, Result { () throws(JournalError) in try StoreName(feature: feature, key: key) })
  }

  /// What the journal has of the durable stores of a feature, or of all features for nil, in the order of their names. Nothing
  /// for a host without a journal.
  ///
  /// ```swift
  /// for try await info in host.durableStores("room") { print(info.name, info.records) }
  /// ```
  ///
  /// Reads 1,000 at a time, so that a journal may have millions. A store that begins meanwhile may be among them or not. Throws
  /// a ``JournalError``.
  public func durableStores(
    _ feature: String? = nil
  ) -> AsyncThrowingStream<DurableStoreInfo, any Error> {
    guard let durables else { return AsyncThrowingStream { $0.finish() } }
    let page = Mutex<(left: ArraySlice<DurableStoreInfo>, last: StoreName?, isLast: Bool)>(
      ([], nil, false))
    return AsyncThrowingStream {
      if let next = page.withLock({ $0.left.popFirst() }) { return next }
      let (last, isLast) = page.withLock { ($0.last, $0.isLast) }
      if isLast { return nil }
      let found = try await durables.reading { (storage) throws(JournalError) in
        try storage.stores(of: feature, after: last, atMost: 1000)
      }
      return page.withLock { page in
        page = (found[...], found.last?.name, found.count < 1000)
        return page.left.popFirst()
      }
    }
  }

  /// The name of the module that a path leads to, as durable stores are named by it; the path itself if it leads to none.
  package static func module(of feature: String, in root: String) -> String {
    (try? ScriptRoot(root))?.moduleName(of: feature) ?? feature
  }

  /// Writes all shared values that have changed, and none from then on; makes all durable stores passive, and gives the journal
  /// free. The process can then end: nothing is lost, and nothing has to be recovered.
  public func close() async {
    await durables?.close()
    shared.flush()
    shared.endSaving()
  }

  /// The same where nothing is asynchronous: this blocks until it is done. The top level of `main.swift` calls this function, also
  /// with `await`. Inside of a reducer, or of a function that it calls, it only begins to close the durable stores.
  public func close() {
    durables?.closeAndWait()
    shared.flush()
    shared.endSaving()
  }
}
