import LuaBridge
import Synchronization

/// The tests of one file, loaded in their own VM.
///
/// ```swift
/// let file = try ScriptTestFile("scripts/tests/todos_test.lua", root: "scripts")
/// file.run { event in
///   if case .ended(let result) = event { print(result.test.name, result.outcome) }
///   return true
/// }
/// ```
///
/// Tests are written as for busted. The tests and everything they call run on the thread that calls
/// ``run(_:retries:_:)``, whose stack should have some megabytes. Several files can run at the same
/// time on several threads.
public final class ScriptTestFile: Sendable {
  /// The options of a test file.
  public struct Configuration: Sendable {
    /// The limits of scripts, for each test. The time limit is `timeout`.
    public var limits: Limits
    /// Swift reducers that scripts can `require`, by name.
    public var reducers: [String: Reducer]
    /// The dependencies that scripts find in `deps`, with their test values.
    public var dependencies: Dependencies
    /// The time limit of loading the file, and of each test with its hooks; nil for none.
    public var timeout: Duration?
    /// Collects the counts of the lines that ran; nil for none.
    public var coverage: Coverage?
    public var snapshots: SnapshotPolicy
    /// If set, the tests of each block, and its blocks, are shuffled. The same seed gives the same
    /// order.
    public var seed: UInt64?
    /// If set, the file tests a plain Lua library, outside of the sandbox; nil for the sandbox.
    public var plainLua: PlainLua?

    public init(
      limits: Limits = Limits(memory: 1 << 30), reducers: [String: Reducer] = [:],
      dependencies: Dependencies = Dependencies(), timeout: Duration? = .seconds(60),
      coverage: Coverage? = nil, snapshots: SnapshotPolicy = .new, seed: UInt64? = nil,
      plainLua: PlainLua? = nil
    ) {
      self.limits = limits
      self.reducers = reducers
      self.dependencies = dependencies
      self.timeout = timeout
      self.coverage = coverage
      self.snapshots = snapshots
      self.seed = seed
      self.plainLua = plainLua
    }
  }

  /// The file's name in messages: relative to the script root if it is below the root.
  public let name: String
  /// All tests, in the order in which they run. Those of a plain Lua library are known when they
  /// have been found, while they run.
  public var tests: [ScriptTest] { state.withLock { $0.tests } }
  private let path: String
  private let root: ScriptRoot
  private let configuration: Configuration
  private let watch: TimeoutWatch
  let snapshots: SnapshotFile
  private let state: Mutex<State>

  private struct State: Sendable {
    var worker: OwnedWorker
    var tests: [ScriptTest]
    var modules: Set<String>
    var obsoleteSnapshots: [String] = []
    var knowsAllTests = true
  }

  /// Loads a test file.
  ///
  /// - Parameters:
  ///   - path: The path of the file, absolute or relative to the current folder.
  ///   - root: The folder that `require` loads scripts from. No script outside of it can be
  ///     required.
  ///   - configuration: What the tests run with.
  /// - Throws: An error if the file does not compile, or if it raises an error. An error that a
  ///   block raises is not thrown: ``run(_:retries:_:)`` reports it when it is called first.
  public convenience init(
    _ path: String, root: String, configuration: Configuration = Configuration()
  ) throws(ScriptError) {
    var source: ScriptExcerpt?
    try self.init(path, root: root, configuration: configuration, failingAt: &source)
  }

  /// - Parameter source: Set to the lines around the one that the error is about.
  package init(
    _ path: String, root: String, configuration: Configuration,
    failingAt source: inout ScriptExcerpt?
  ) throws(ScriptError) {
    self.path = path
    self.root = try ScriptRoot(root)
    self.configuration = configuration
    watch = try TimeoutWatch(time: configuration.timeout)
    snapshots = SnapshotFile(beside: path, configuration.snapshots)
    let state: State
    (name, state) = try ScriptTestFile.load(
      path, root: self.root, configuration, watch, snapshots, failingAt: &source)
    self.state = Mutex(state)
  }

  /// The absolute paths of all scripts that were required so far, directly or indirectly, sorted.
  public var modules: [String] { state.withLock { $0.modules.sorted() } }

  /// The names of snapshots that no test has compared. Known after a run of all tests; empty
  /// before.
  public var obsoleteSnapshots: [String] { state.withLock { $0.obsoleteSnapshots } }

  /// Whether ``tests`` had all tests of the file at the end of the last run. A block that raises hides
  /// its tests, and a run that stops early has not found all of a plain Lua library.
  package var knowsAllTests: Bool { state.withLock { $0.knowsAllTests } }

  /// Stops the running test. Can be called from any thread. ``run(_:retries:_:)`` returns after the
  /// test's hooks have run, and never runs a test again.
  public func interrupt() {
    watch.interrupt()
    state.withLock { $0.worker }.worker.wakePump()
  }

  /// Runs tests on the calling thread, and returns when all have ended. Without any test it still
  /// reports the blocks that raised an error.
  ///
  /// The thread is blocked until then, so it should not belong to Swift's pool for tasks: tests may
  /// wait for functions of the host that need that pool.
  ///
  /// - Parameters:
  ///   - selected: Some of ``tests``; nil for all.
  ///   - retries: How often a failing test is repeated before it counts as failed.
  ///   - handle: Gets the events, between the tests, on the calling thread. It should only record
  ///     them. If it returns false, no further test begins.
  public func run(
    _ selected: [ScriptTest]? = nil, retries: Int = 0, _ handle: (ScriptTestEvent) -> Bool
  ) {
    if runsLate {
      let selected = selected.map { Set($0) }
      _ = run(where: { selected?.contains($0) ?? true }, retries: retries, handle)
      return
    }
    let tests = tests
    let order = (selected ?? tests).map(\.index).filter { tests.indices.contains($0) }
    withoutActuallyEscaping(handle) { handle in
      ListedRun(self, tests, order, retries: retries, handle: handle).run()
    }
  }
}

extension ScriptTestFile {
  /// Whether tests are found while they run: those of a plain Lua library.
  var runsLate: Bool { configuration.plainLua?.isOnlyListed == false }

  /// Runs tests as ``run(_:retries:_:)`` does, chosen by a function. It is the way to run the tests
  /// of a plain Lua library, which are found while they run: a block's function is called after the
  /// `setup` of the blocks around it.
  ///
  /// - Returns: Why the file of a plain Lua library did not load; nil if it did.
  public func run(
    where selects: (ScriptTest) -> Bool, retries: Int = 0, _ handle: (ScriptTestEvent) -> Bool
  ) -> ScriptTestFailure? {
    guard runsLate else {
      run(tests.filter(selects), retries: retries, handle)
      return nil
    }
    return withoutActuallyEscaping(selects) { selects in
      withoutActuallyEscaping(handle) { handle in
        FoundRun(self, retries: retries, selects: selects, handle: handle).run()
      }
    }
  }
}

// MARK: - The VM

extension ScriptTestFile {
  /// Loads the file's tests in a new worker.
  private static func load(
    _ path: String, root: ScriptRoot, _ configuration: Configuration, _ watch: TimeoutWatch,
    _ snapshots: SnapshotFile, failingAt source: inout ScriptExcerpt?
  ) throws(ScriptError) -> (name: String, state: State) {
    var host = HostConfiguration(
      limits: configuration.limits, reducers: configuration.reducers,
      dependencies: configuration.dependencies, context: .test, clock: VirtualClock(),
      onWarning: nil, onError: nil)
    host.offersScripted = configuration.plainLua == nil
    let owned = try OwnedWorker(root: root, configuration: host, TestSupport.additions)
    return try owned.worker.performHere { (engine) throws(ScriptError) in
      let context = try engine.makeTestContext(configuration, watch, snapshots)
      do throws(ScriptError) {
        try context.load(path)
      } catch {
        source = context.excerpt(of: error)
        throw error
      }
      let state = State(worker: owned, tests: context.tests, modules: context.required)
      return (context.name, state)
    }
  }

  /// Calls `body` inside the worker, on the calling thread. Also collects coverage and the names of
  /// the scripts that were required.
  func perform<R>(_ body: (TestContext) throws(ScriptError) -> R) throws(ScriptError) -> R {
    let worker = state.withLock { $0.worker }
    return try worker.worker.performHere { (engine) throws(ScriptError) in
      guard let context = engine.testContext else { throw ScriptError("there are no tests") }
      defer {
        context.addLineCounts()
        let (required, tests) = (context.required, context.tests)
        state.withLock { state in
          state.modules.formUnion(required)
          state.tests = tests
        }
      }
      return try body(context)
    }
  }

  /// Continues with a new VM after the old one has become unusable.
  func replaceWorker() throws(ScriptError) {
    var source: ScriptExcerpt?
    let new = try ScriptTestFile.load(
      path, root: root, configuration, watch, snapshots, failingAt: &source
    ).state
    guard new.tests == tests || configuration.plainLua != nil else {
      throw ScriptError("\(path) has other tests than when it was loaded first")
    }
    state.withLock { $0.worker = new.worker }
  }

  var isInterrupted: Bool { watch.isInterrupted }

  func setObsoleteSnapshots(_ names: [String]) {
    state.withLock { $0.obsoleteSnapshots = names }
  }

  func setKnowsAllTests(_ isSo: Bool) { state.withLock { $0.knowsAllTests = isSo } }
}

/// One test of a test file: a call of `it`, or of one of its other names.
public struct ScriptTest: Sendable, Hashable {
  /// The test file's name in messages: relative to the script root if it is below the root.
  public let file: String
  /// The line where the test begins, from 1.
  public let line: Int
  /// The names of the blocks around the test, outermost first, and the test's own name.
  public let path: [String]
  /// The tags in the test's name and in the names of the blocks around it, without `#`.
  public let tags: Set<String>
  /// The index among the file's tests. It identifies the test, because several tests may have the
  /// same name and line.
  let index: Int

  /// All names, joined by spaces, as in busted. A runner selects tests by this name.
  public var name: String { path.joined(separator: " ") }
}
