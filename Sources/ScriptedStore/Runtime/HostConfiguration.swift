import Logging
import LuaBridge

/// The options of a ``ScriptHost``. The defaults suit most hosts.
public struct HostConfiguration: Sendable {
  /// The number of VMs. Stores are assigned to them in turn.
  public var workers: Int
  /// What scripts may use. A store may get other limits.
  public var limits: Limits
  /// Swift reducers that scripts can `require` by these names.
  public var reducers: [String: Reducer]
  /// What scripts reach through `deps`.
  public var dependencies: Dependencies
  /// Which of the dependencies' values stores get.
  public var context: DependencyContext
  /// The clock that effects wait on; nil for real time.
  public var clock: VirtualClock?
  /// Gets every runtime warning, outside of the VM's lock, those of one store in order. By default logs it
  /// (swift-log, label `ScriptedStore`, level warning).
  public var onWarning: (@Sendable (RuntimeWarning) -> Void)?
  /// Gets the error of an action or a view, outside of the VM's lock, those of one store in order. Also gets why a durable store
  /// cannot be made active for its alarms or interrupted effects, with a ``JournalError`` as the cause and the action
  /// `recovered`. By default logs it (level error).
  public var onError: (@Sendable (ScriptError, Action) -> Void)?

  /// Kinds of warnings that the host does not want, neither in `onWarning` nor in records of
  /// actions.
  public var silencedWarnings: Set<RuntimeWarning.Kind> = []
  /// How many warnings of one kind and one origin `onWarning` gets in a second, so that a loop
  /// cannot flood a log. Further ones are counted, and one warning reports the count. nil for no
  /// limit. Applies only in the context ``DependencyContext/live``, so that tests get all
  /// warnings.
  public var warningLimit: Int? = 10
  /// Whether a reload gives new top-level keys of a feature's `state` their defaults, in each state
  /// of the feature that lacks them.
  public var addsNewFieldsOnReload = true
  /// Gets the output of `printChanges` and `printActions`, outside of the VM's lock, that of one store in order. By
  /// default logs it (level info).
  public var onPrint: (@Sendable (String) -> Void)?
  /// Where the values of `fileStorage` and `appStorage` keys are stored. nil: features with such keys
  /// are refused. ``SharedStorage/memory`` ends with the host.
  public var shared: (any SharedStorage)?
  /// Where the values of `database` keys are stored. nil: features with such keys are refused.
  /// ``SharedDatabase/memory`` ends with the host.
  public var database: (any SharedDatabase)?
  /// Measures what is under a `signpost`; nil to measure nothing.
  public var instrument: (any SignpostInstrument)?
  /// Where durable stores are, as `.sqlite("rooms.db")` of `ScriptedStoreJournal`; nil for a host without them.
  public var journal: Journal?
  /// How the durable stores of a feature are made, by the feature's name. Features without an entry have the host's
  /// dependencies and limits. A name that no feature has is refused if it is nearly that of one.
  public var durable: [String: DurableFeature] = [:]
  /// How many durable stores may be in memory. Above that, those that nobody uses leave it, the least recently used first.
  public var maxActive = 10_000
  /// How long a durable store that nobody uses stays in memory.
  public var idleTime = Duration.seconds(60)
  /// Whether scripts can require `scripted`. The tests of plain Lua libraries cannot, and their VMs
  /// are made in less time without it.
  var offersScripted = true

  public init(
    workers: Int = 1, limits: Limits = .standard, reducers: [String: Reducer] = [:],
    dependencies: Dependencies = Dependencies(), context: DependencyContext = .live,
    clock: VirtualClock? = nil, shared: (any SharedStorage)? = nil,
    database: (any SharedDatabase)? = nil,
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
    self.shared = shared
    self.database = database
    self.onWarning = onWarning
    self.onError = onError
    self.onPrint = onPrint
    self.instrument = instrument
  }
}

extension HostConfiguration {
  /// Throws for a name in ``durable`` that no feature has, if it is nearly the name of one. Other names stay, because a script may
  /// come later.
  func checkDurableNames(in root: ScriptRoot) throws(ScriptError) {
    // A tool opens the store that it watches at once, and that fails with a better message.
    for (name, feature) in durable.sorted(by: { $0.key < $1.key }) where feature.watch == nil {
      guard reducers[name] == nil, try root.module(name) == nil,
        let nearest = root.nearestModule(to: name, provided: reducers.keys.sorted())
      else { continue }
      throw ScriptError(
        "configuration.durable: there is no feature '\(name)' under \(root.path); did you mean '\(nearest)'?"
      )
    }
  }
}

/// How the durable stores of a feature are made each time that they become active.
public struct DurableFeature: Sendable {
  /// What its scripts find in `deps` instead of the host's dependencies.
  public var dependencies: [String: Dependency]
  /// What its actions and effects may use; nil for the host's limits.
  public var limits: Limits?
  /// The tool that looks at one of the stores; nil for none.
  package var watch: DurableWatch?

  public init(dependencies: [String: Dependency] = [:], limits: Limits? = nil) {
    (self.dependencies, self.limits) = (dependencies, limits)
  }
}

/// A tool that hears of a durable store from the moment at which it becomes active. ``Store/onAction(_:)`` and
/// ``Store/record(limit:)`` are too late for what a store does when it comes back. The store stays active.
package struct DurableWatch: Sendable {
  package var key: String
  /// The limit of the store's history.
  package var historyLimit: Int
  package var onAction: @Sendable (ActionRecord) -> Void

  package init(
    key: String, historyLimit: Int, onAction: @escaping @Sendable (ActionRecord) -> Void
  ) {
    (self.key, self.historyLimit, self.onAction) = (key, historyLimit, onAction)
  }
}

/// Where warnings, errors and output go unless the host says otherwise.
extension ScriptHost {
  /// Logs a warning with swift-log.
  @Sendable public static func logWarning(_ warning: RuntimeWarning) {
    var metadata: Logger.Metadata = [
      "action": "\(warning.action ?? "none")", "origin": "\(warning.origin)",
      "kind": "\(warning.kind)",
    ]
    if let traceback = warning.traceback { metadata["traceback"] = "\(traceback)" }
    Logger(label: "ScriptedStore").warning("\(warning.message)", metadata: metadata)
  }

  /// Logs the output of reducers with swift-log.
  @Sendable public static func logText(_ text: String) {
    // Makes control characters visible: many loggers write to a terminal, and an action may have
    // any name.
    Logger(label: "ScriptedStore").info("\(VisibleText.text(of: text))")
  }

  /// Logs the error of an action with swift-log.
  @Sendable public static func logError(_ error: ScriptError, _ action: Action) {
    var metadata: Logger.Metadata = ["action": "\(action.path)"]
    if let feature = error.feature { metadata["feature"] = "\(feature)" }
    if let traceback = error.traceback { metadata["traceback"] = "\(traceback)" }
    Logger(label: "ScriptedStore").error("\(error)", metadata: metadata)
  }
}
