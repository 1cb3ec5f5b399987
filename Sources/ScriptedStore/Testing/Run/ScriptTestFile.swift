import LuaBridge
import Synchronization

/// The tests of one file, in a VM of its own.
///
/// ```swift
/// let file = try ScriptTestFile("scripts/tests/todos_test.lua", root: "scripts")
/// file.run { event in
///   if case .ended(let result) = event { print(result.test.name, result.outcome) }
///   return true
/// }
/// ```
///
/// Tests are written as for busted. They and all that they call run on the thread that calls ``run(_:retries:_:)``, which
/// should have a stack of some megabytes; files run side by side on threads of their own.
public final class ScriptTestFile: Sendable {
  /// What a runner may choose; the defaults do for most.
  public struct Configuration: Sendable {
    /// What scripts may use up, counted for each test; its time is `timeout`.
    public var limits: Limits
    /// Swift reducers that scripts can `require` by these names.
    public var reducers: [String: Reducer]
    /// What scripts reach through `deps`: the test values.
    public var dependencies: Dependencies
    /// Seconds that a test may take, its hooks included, and the file may to load; nil for any time.
    public var timeout: Double?
    /// Gets the lines of scripts that ran.
    public var coverage: Coverage?
    public var snapshots: SnapshotPolicy
    /// Shuffles the tests of a block, and its blocks; the same for the same seed.
    public var seed: UInt64?

    public init(
      limits: Limits = Limits(memory: 1 << 30), reducers: [String: Reducer] = [:],
      dependencies: Dependencies = Dependencies(), timeout: Double? = 60,
      coverage: Coverage? = nil, snapshots: SnapshotPolicy = .new, seed: UInt64? = nil
    ) {
      self.limits = limits
      self.reducers = reducers
      self.dependencies = dependencies
      self.timeout = timeout
      self.coverage = coverage
      self.snapshots = snapshots
      self.seed = seed
    }
  }

  /// As messages name it: relative to the script root where it is below that.
  public let name: String
  /// All tests, in the order in which they run.
  public let tests: [ScriptTest]
  private let path: String
  private let root: ScriptRoot
  private let configuration: Configuration
  private let watch: Watch
  let snapshots: SnapshotFile
  private let state: Mutex<State>

  private struct State: Sendable {
    var worker: OwnedWorker
    var modules: Set<String>
    var obsoleteSnapshots: [String] = []
  }

  /// Loads a test file. Throws where it does not compile, or where it raises; what a block of it raises comes with the
  /// first ``run(_:retries:_:)``.
  ///
  /// - Parameters:
  ///   - path: the file's, from the current folder.
  ///   - root: the folder that `require` reads scripts from; nothing outside it.
  public convenience init(
    _ path: String, root: String, configuration: Configuration = Configuration()
  ) throws(ScriptError) {
    var source: ScriptExcerpt?
    try self.init(path, root: root, configuration: configuration, failingAt: &source)
  }

  /// - Parameter source: the lines around the one that the error is about.
  package init(
    _ path: String, root: String, configuration: Configuration,
    failingAt source: inout ScriptExcerpt?
  ) throws(ScriptError) {
    self.path = path
    self.root = try ScriptRoot(root)
    self.configuration = configuration
    watch = try Watch(seconds: configuration.timeout)
    snapshots = SnapshotFile(beside: path, configuration.snapshots)
    let loaded = try ScriptTestFile.makeWorker(
      path, self.root, configuration, watch, snapshots, failingAt: &source)
    name = loaded.name
    tests = loaded.tests
    state = Mutex(State(worker: loaded.worker, modules: loaded.modules))
  }

  /// The scripts that were required so far, also by each other: absolute paths, sorted.
  public var modules: [String] { state.withLock { $0.modules.sorted() } }

  /// Names of snapshots that no test asked for: after a run of all tests.
  public var obsoleteSnapshots: [String] { state.withLock { $0.obsoleteSnapshots } }

  /// Stops the test that runs, from any thread; ``run(_:retries:_:)`` returns when its hooks have run, and never runs
  /// another.
  public func interrupt() {
    watch.interrupt()
    state.withLock { $0.worker }.worker.knock()
  }

  /// Runs tests on the calling thread, and returns when all of them have ended. Where there are none it still tells of
  /// blocks that raised.
  ///
  /// The thread is kept for as long, so it should be none of those that tasks run on: what tests call in the host could
  /// wait for them.
  ///
  /// - Parameters:
  ///   - selected: some of ``tests``; nil for all.
  ///   - retries: how often one that fails is tried again before it counts.
  ///   - handle: hears what happens, between the tests, on this thread, and should do no more than note it. With false
  ///     no other test begins.
  public func run(
    _ selected: [ScriptTest]? = nil, retries: Int = 0, _ handle: (ScriptTestEvent) -> Bool
  ) {
    let order = (selected ?? tests).map(\.index).filter { tests.indices.contains($0) }
    withoutActuallyEscaping(handle) { handle in
      let run = TestFileRun(name, tests, order, retries: retries, handle: handle)
      run.run(in: self)
    }
  }
}

// MARK: - The VM

extension ScriptTestFile {
  /// A worker with the file's tests, loaded.
  private static func makeWorker(
    _ path: String, _ root: ScriptRoot, _ configuration: Configuration, _ watch: Watch,
    _ snapshots: SnapshotFile, failingAt source: inout ScriptExcerpt?
  ) throws(ScriptError) -> (
    worker: OwnedWorker, name: String, tests: [ScriptTest], modules: Set<String>
  ) {
    let owned = try OwnedWorker(
      root: root,
      configuration: ScriptHost.Configuration(
        limits: configuration.limits, reducers: configuration.reducers,
        dependencies: configuration.dependencies, context: .test, clock: VirtualClock(),
        onWarning: nil, onError: nil))
    return try owned.worker.performHere { (engine) throws(ScriptError) in
      let context = try TestContext(
        engine, watch: watch, snapshots: snapshots, coverage: configuration.coverage)
      engine.tests = context
      do throws(ScriptError) {
        let name = try context.load(path, seed: configuration.seed)
        return (owned, name, context.tests, context.required)
      } catch {
        source = context.excerpt(of: error)
        throw error
      }
    }
  }

  /// Does something inside the worker.
  func perform<R>(_ body: (TestContext) throws(ScriptError) -> R) throws(ScriptError) -> R {
    let worker = state.withLock { $0.worker }
    return try worker.worker.performHere { (engine) throws(ScriptError) in
      guard let context = engine.tests else { throw ScriptError("there are no tests") }
      defer {
        context.giveCoverage()
        let required = context.required
        state.withLock { $0.modules.formUnion(required) }
      }
      return try body(context)
    }
  }

  /// Goes on with a new VM, as this one is of no more use.
  func replaceWorker() throws(ScriptError) {
    var source: ScriptExcerpt?
    let new = try ScriptTestFile.makeWorker(
      path, root, configuration, watch, snapshots, failingAt: &source)
    guard new.tests == tests else {
      throw ScriptError("\(path) has other tests than when it was loaded first")
    }
    state.withLock { $0.worker = new.worker }
  }

  var isInterrupted: Bool { watch.isInterrupted }

  func note(obsoleteSnapshots: [String]) {
    state.withLock { $0.obsoleteSnapshots = obsoleteSnapshots }
  }
}
