import LuaBridge

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
    of reducer: LuaValue, overrides: Value?, dependencies: [String: DependencyOverride.Change],
    isDurable: Bool, origin: String
  ) throws(ScriptError) -> TestStoreCore {
    let session = makeSession()
    current.dependencies.registry.standIns = Set(dependencies.keys)
    let domain = try current.compiler.domain(of: reducer)
    let initial = try modules.prelude.describe(reducer)?.function("initial")
    let code = StoreCode(
      domain: domain,
      dependencies: try session.presented.scope(inside: current.dependencies).storeScope(
        overriding: dependencies, origin: origin))
    try check(overrides, of: domain.name, domain, isPart: initial != nil)
    let slot = try makeStore(
      of: code, state: try state(of: domain.name, initial, overrides, isTagged: domain.isTagged),
      snapshot: StateSnapshot(), source: nil)
    return try testStore(slot, session, isDurable: isDurable)
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
