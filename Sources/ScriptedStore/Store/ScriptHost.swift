import Logging
import LuaBridge
import Synchronization

/// Runs scripts: owns the Lua VMs, as many as it has workers, and pins each store that it makes to one of
/// them. Stores of different workers run in parallel.
///
/// ```swift
/// let host = try ScriptHost(root: "scripts")
/// let store = try host.store("todos")
/// try store.send("todos[3].toggle")
/// print(store.state["todos"][0]["isComplete"])
/// ```
public final class ScriptHost: Sendable {
  /// What a host may choose; the defaults do for most.
  public struct Configuration: Sendable {
    /// VMs; stores are dealt out to them in turn.
    public var workers: Int
    /// What scripts may use up; stores may be given other limits.
    public var limits: Limits
    /// Swift reducers that scripts can `require` by these names.
    public var reducers: [String: Reducer]
    /// What scripts reach through `deps`.
    public var dependencies: Dependencies
    /// Which values of the dependencies stores get.
    public var context: DependencyContext
    /// What effects wait on; nil for the time that passes.
    public var clock: VirtualClock?
    /// Gets every runtime warning, outside of the VM's lock, in order. Logs it by default (swift-log,
    /// label `ScriptedStore`, level warning).
    public var onWarning: (@Sendable (RuntimeWarning) -> Void)?
    /// Gets what an action raised, likewise; level error.
    public var onError: (@Sendable (ScriptError, Action) -> Void)?

    /// Kinds of warnings that nobody wants to hear of, in `onWarning` or in records of actions.
    public var silencedWarnings: Set<RuntimeWarning.Kind> = []
    /// How many warnings of one kind from one place `onWarning` gets in a second; those beyond are counted, and one
    /// warning tells how many there were, so that a loop cannot flood a log. nil: all of them, as in tests.
    public var warningLimit: Int? = 10
    /// Gets what `printChanges` and `printActions` say, likewise; level info.
    public var onPrint: (@Sendable (String) -> Void)?
    /// Measures what is under a `signpost`; nil for nothing.
    public var instrument: (any SignpostInstrument)?

    public init(
      workers: Int = 1, limits: Limits = .standard, reducers: [String: Reducer] = [:],
      dependencies: Dependencies = Dependencies(), context: DependencyContext = .live,
      clock: VirtualClock? = nil,
      onWarning: (@Sendable (RuntimeWarning) -> Void)? = ScriptHost.logWarning,
      onError: (@Sendable (ScriptError, Action) -> Void)? = ScriptHost.logError,
      onPrint: (@Sendable (String) -> Void)? = ScriptHost.logText,
      instrument: (any SignpostInstrument)? = nil
    ) {
      self.workers = workers
      self.limits = limits
      self.reducers = reducers
      self.dependencies = dependencies
      self.context = context
      self.clock = clock
      self.onWarning = onWarning
      self.onError = onError
      self.onPrint = onPrint
      self.instrument = instrument
    }
  }

  private let workers: [OwnedWorker]
  let reloader: Reloader
  private let next = Atomic<Int>(0)
  private let memoryLimit: Int?

  /// - Parameter root: the folder that `require` reads scripts from; nothing outside it.
  public init(
    root: String, configuration: Configuration = Configuration()
  ) throws(ScriptError) {
    let root = try ScriptRoot(root)
    memoryLimit = configuration.limits.memory
    var workers: [OwnedWorker] = []
    for _ in 0..<max(1, configuration.workers) {
      workers.append(try OwnedWorker(root: root, configuration: configuration))
    }
    self.workers = workers
    reloader = Reloader(workers, root: root, configuration: configuration)
  }

  /// A store of a feature.
  ///
  /// - Parameters:
  ///   - feature: a module's name (`"todos"`, `"a.b"`), or a path that ends in `.lua`.
  ///   - state: top-level keys that replace those of the feature's initial state, as `Feature.initial`
  ///     takes them; all of the state for a reducer without one.
  ///   - dependencies: what its scripts find in `deps` instead of the host's; a client replaces only the members
  ///     that it names. Throws for a name that nobody offers, and for a member that the dependency does not have.
  ///   - limits: what its actions and effects may use up, instead of the host's limits; ``Limits/memory`` stays
  ///     the host's.
  public func store(
    _ feature: String, state: Value? = nil, dependencies: [String: Dependency] = [:],
    limits: Limits? = nil
  ) throws(ScriptError) -> Store {
    let (worker, box) = (try nextWorker(), SnapshotBox())
    let limits = limits.map { TurnLimits($0, memory: memoryLimit) }
    let slot = try worker.worker.perform { (engine) throws(ScriptError) in
      try engine.makeStore(
        of: feature, overrides: state, dependencies: dependencies, limits: limits, box: box)
    }
    return Store(StoreHandle(of: worker, slot: slot, box: box))
  }

  /// A store of a reducer described in Swift, which may name scripts.
  public func store(
    _ reducer: Reducer, state: Value, dependencies: [String: Dependency] = [:],
    limits: Limits? = nil
  ) throws(ScriptError) -> Store {
    let (worker, box) = (try nextWorker(), SnapshotBox())
    let limits = limits.map { TurnLimits($0, memory: memoryLimit) }
    let slot = try worker.worker.perform { (engine) throws(ScriptError) in
      try engine.makeStore(
        of: reducer, state: state, dependencies: dependencies, limits: limits, box: box)
    }
    return Store(StoreHandle(of: worker, slot: slot, box: box))
  }

  /// How a feature is composed: its reducers, actions, state and dependencies, with the lines that made them. For
  /// people and tools; features that scripts give as functions are loaded for it.
  public func tree(of feature: String) throws(ScriptError) -> ReducerTree {
    try nextWorker().worker.perform { (engine) throws(ScriptError) in try engine.tree(of: feature) }
  }

  /// The same of a reducer described in Swift.
  public func tree(of reducer: Reducer) throws(ScriptError) -> ReducerTree {
    try nextWorker().worker.perform { (engine) throws(ScriptError) in try engine.tree(of: reducer) }
  }

  /// Does something in one of the workers and waits for it.
  func perform<R: Sendable>(
    _ body: @escaping @Sendable (Engine) throws(ScriptError) -> R
  ) throws(ScriptError) -> R {
    try nextWorker().worker.perform(body)
  }

  func nextWorker() throws(ScriptError) -> OwnedWorker {
    guard !Worker.isInsideOne else {
      throw ScriptError("a reducer cannot make stores; do that in an observer")
    }
    return workers.count == 1
      ? workers[0] : workers[next.wrappingAdd(1, ordering: .relaxed).oldValue % workers.count]
  }

  // MARK: Logging

  /// Logs a warning with swift-log.
  @Sendable public static func logWarning(_ warning: RuntimeWarning) {
    var metadata: Logger.Metadata = [
      "action": "\(warning.action ?? "none")", "origin": "\(warning.origin)",
      "kind": "\(warning.kind)",
    ]
    if let traceback = warning.traceback { metadata["traceback"] = "\(traceback)" }
    Logger(label: "ScriptedStore").warning("\(warning.message)", metadata: metadata)
  }

  /// Logs what reducers print with swift-log.
  @Sendable public static func logText(_ text: String) {
    // Many loggers write to a terminal, and actions may have any names.
    Logger(label: "ScriptedStore").info("\(VisibleText.text(of: text))")
  }

  /// Logs an action's error with swift-log.
  @Sendable public static func logError(_ error: ScriptError, _ action: Action) {
    var metadata: Logger.Metadata = ["action": "\(action.path)"]
    if let feature = error.feature { metadata["feature"] = "\(feature)" }
    if let traceback = error.traceback { metadata["traceback"] = "\(traceback)" }
    Logger(label: "ScriptedStore").error("\(error)", metadata: metadata)
  }
}
