import LuaBridge

/// What the tests of one VM share: the stores of the test that runs, and what went wrong beside what it asserts.
/// Inside a worker.
final class TestSession {
  /// Something that fails the statement during which it came up.
  struct Problem {
    let message: String
    let traceback: String?
  }

  private(set) var stores: [TestStoreCore] = []
  private var problems: [Problem] = []
  /// The warnings of functions that are expected to cause some, innermost last.
  private var expected: [[String]] = []
  /// While a function of the test's says what it expects, which may not go on with the test.
  private(set) var isExpecting = false
  private var waiters: [() -> Bool] = []
  /// States and actions that the test was given to read.
  private var kept: [Value] = []
  // Proof: the engine, which has this, keeps the VM.
  private unowned(unsafe) let vm: LuaVM
  /// Lets what other threads do happen, again and again until a function says that it is enough or so many seconds
  /// have passed. Nil where the thread may not wait: nothing happens then.
  var pump: ((_ seconds: Double, _ isOver: () -> Bool) -> Void)?

  init(vm: LuaVM) {
    self.vm = vm
    vm.beginViews()
  }

  // MARK: Tests

  /// A test begins.
  func begin() { end() }

  /// A test is over: its stores go. What a block of tests sets up before the next may be read until that begins.
  func end() {
    for store in stores { store.close() }
    stores = []
    problems = []
    expected = []
    waiters = []
    kept = []
    vm.beginViews()
  }

  func add(_ store: TestStoreCore) { stores.append(store) }

  /// What is left at the end of the test that must not be.
  func failuresAtEnd() -> String? {
    let failures = stores.compactMap { $0.failureAtEnd() } + [takeProblems()].compactMap(\.self)
    return failures.isEmpty ? nil : failures.joined(separator: "\n\n")
  }

  /// A state or an action as the test may read it until it is over.
  func view(of value: Value) throws(ScriptError) -> LuaValue {
    kept.append(value)
    return try vm.makeView(of: value)
  }

  func expecting<R>(_ body: () throws -> R) rethrows -> R {
    let outer = isExpecting
    isExpecting = true
    defer { isExpecting = outer }
    return try body()
  }

  /// Waits at most so many seconds until something is over.
  func wait(_ seconds: Double, until isOver: () -> Bool) {
    if seconds > 0 { pump?(seconds, isOver) }
  }

  /// Calls a function now and after each job of the worker's, until it returns true.
  func afterJobs(_ waiter: @escaping () -> Bool) {
    if !waiter() { waiters.append(waiter) }
  }

  func tellWaiters() {
    if !waiters.isEmpty { waiters.removeAll { $0() } }
  }

  // MARK: Problems

  func note(_ warning: RuntimeWarning) {
    if expected.isEmpty {
      problems.append(Problem(message: warning.message, traceback: warning.traceback))
    } else {
      expected[expected.count - 1].append(warning.message)
    }
  }

  func note(_ message: String) { problems.append(Problem(message: message, traceback: nil)) }

  /// What came up since it was last asked; nil if nothing did.
  func takeProblems() -> String? {
    guard !problems.isEmpty else { return nil }
    defer { problems = [] }
    return problems.map { problem in
      problem.traceback.map { "\(problem.message)\n\($0)" } ?? problem.message
    }.joined(separator: "\n\n")
  }

  /// Whether warnings are collected for a function that is expected to cause some.
  var isExpectingWarnings: Bool { !expected.isEmpty }

  func beginExpectingWarnings() { expected.append([]) }

  func endExpectingWarnings() -> [String] { expected.popLast() ?? [] }
}
