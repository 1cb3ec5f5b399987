import LuaBridge

/// The state that a test of a script gives to its store.
enum TestState {
  /// Top-level keys that replace those of the initial state; nil for none.
  case keys(Value?)
  /// What a function makes of the initial state.
  case change((Value) throws(ScriptError) -> Value)
}

/// What tests add to an engine.
extension Engine {
  /// Loads a test file with the test framework. Its blocks run; its tests do not.
  func loadTestFile(_ path: String, _ watch: TimeoutWatch) throws(ScriptError) {
    let snapshots = SnapshotFile(beside: path, .never)
    try makeTestContext(ScriptTestFile.Configuration(), watch, snapshots).load(path)
  }

  /// Nil in an engine that is not in the context of tests.
  private var support: TestSupport? { testSupport as? TestSupport }

  /// The context of the test file that this worker exists for; nil in other workers.
  var testContext: TestContext? { support?.context }

  /// Loads the test framework, and makes this the worker of a test file.
  func makeTestContext(
    _ configuration: ScriptTestFile.Configuration, _ watch: TimeoutWatch, _ snapshots: SnapshotFile
  ) throws(ScriptError) -> TestContext {
    guard let support else {
      throw ScriptError("a test file needs an engine in the context of tests")
    }
    let context = try TestContext(self, configuration, watch, snapshots)
    support.context = context
    return context
  }

  /// The session of this VM's tests, which observes the engine; nil if there is none.
  var session: TestSession? { tests as? TestSession }

  /// The session, made on first use. From then on it gets the warnings instead of the host.
  func makeSession() -> TestSession {
    if let session { return session }
    let new = TestSession(vm: context.vm)
    tests = new
    return new
  }

  /// Makes a test store of a script's reducer.
  func makeTestStore(
    of reducer: LuaValue, state given: TestState,
    dependencies: [String: DependencyOverride.Change], isDurable: Bool, origin: String
  ) throws(ScriptError) -> TestStoreCore {
    let session = makeSession()
    current.dependencies.registry.standIns = Set(dependencies.keys)
    let domain = try current.compiler.domain(of: reducer)
    let initial = try modules.prelude.describe(reducer)?.function("initial")
    let code = StoreCode(
      domain: domain,
      dependencies: try session.presented.scope(inside: current.dependencies).storeScope(
        overriding: dependencies, origin: origin))
    let slot = try makeStore(
      of: code, state: try state(given, of: domain, initial), snapshot: StateSnapshot(),
      source: nil)
    return try testStore(slot, session, isDurable: isDurable)
  }

  /// The state that a test store begins with.
  ///
  /// - Parameter initial: the script's function that makes the initial state; nil for a reducer that is built on no feature.
  private func state(
    _ given: TestState, of domain: Domain, _ initial: LuaFunction?
  ) throws(ScriptError) -> Value {
    let name = domain.name
    switch given {
    case .keys(let keys):
      try check(keys, of: name, domain, isPart: initial != nil)
      return try state(of: name, initial, keys, isTagged: domain.isTagged)
    case .change(let change):
      guard initial != nil else {
        throw ScriptError(
          "\(name) is a reducer that is built on no feature, so it has no initial state that a function could change: "
            + "`state` must be a table")
      }
      let defaults = try state(of: name, initial, nil, isTagged: domain.isTagged)
      let state = try change(defaults)
      // A misspelt key is one that the function has added. The keys that it has left alone are not misspelt.
      try check(state.members(unlike: defaults), of: name, domain, isPart: true)
      return state
    }
  }

  /// Makes the test store of a Swift test.
  func makeTestStore(
    of reducing: StoreSource.Reducing, state: Value?, dependencies: [String: Dependency],
    isDurable: Bool
  ) throws(ScriptError) {
    let session = makeSession()
    // A test stands for what presents the feature, unless it says otherwise.
    let dependencies = dependencies.merging(["isPresented": .value(true)]) { ofTest, _ in ofTest }
    let slot = try makeStore(
      of: reducing, state: state, dependencies: dependencies, snapshot: StateSnapshot())
    _ = try testStore(slot, session, isDurable: isDurable)
  }

  private func testStore(
    _ slot: Int, _ session: TestSession, isDurable: Bool
  ) throws(ScriptError) -> TestStoreCore {
    guard let core = core(slot) else { throw ScriptError("no store") }
    return TestStoreCore(self, slot: slot, core: core, session: session, isDurable: isDurable)
  }

  /// Runs effects until none can go on before time passes or a task ends.
  func runUntilIdle() {
    runAllEffects()
    guard sharing.values.isStoring else { return }
    saveTestStorage()
    // Other stores may take a step by what was saved.
    sharing.takeSteps()
    runAllEffects()
  }

  /// Runs the effects that are ready. What keepers publish meanwhile is a step of the stores, which may start further
  /// ones.
  private func runAllEffects() {
    effects.runUntilIdle()
    while sharing.hasPublished {
      sharing.takeSteps()
      effects.runUntilIdle()
    }
  }

  /// Whether no effect goes on unless a test lets it.
  var isStill: Bool { effects.isSettled && (clock.isManual || clock.earliest == .max) }
}

extension Value {
  /// The keys that `other` does not have with the same values; the whole value if one of the two is not an object.
  fileprivate func members(unlike other: Value) -> Value {
    guard let new = object, let old = other.object else { return self }
    return .object(Value.Object(new.filter { old[$0.key] != $0.value }))
  }
}
