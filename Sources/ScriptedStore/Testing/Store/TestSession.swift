import LuaBridge

/// The state that the tests of one VM share: the stores of the running test, and the problems that
/// came up besides failed assertions. Used inside a worker.
package final class TestSession: TestObserver {
  private(set) var stores: [TestStoreCore] = []
  /// Warnings, unimplemented calls and errors of views. They fail the statement during which they
  /// came up.
  private var problems: [String] = []
  /// The warnings that were collected for each nested `expectWarning`, innermost last.
  private var expected: [[String]] = []
  /// True while a function of the test computes what the test expects. Such a function must not
  /// send actions or let time pass.
  private(set) var isExpecting = false
  private var waiters: [() -> Bool] = []
  /// The states and actions that the test has views of. They are retained until the test ends,
  /// because a view does not retain its value.
  private var viewedValues: [Value] = []
  /// Sets `isPresented`: a test stands for what presents the feature. All test stores have this one, so
  /// that they share the bindings of their dependencies.
  let presented = Presentation.override(origin: "the test store")
  // Proof: the engine owns this object and the VM.
  private unowned(unsafe) let vm: LuaVM
  /// Runs requests of other threads until the function returns true or the seconds have passed. Nil if
  /// the thread cannot wait; then nothing happens.
  var pump: ((_ seconds: Double, _ isOver: () -> Bool) -> Void)?

  init(vm: LuaVM) {
    self.vm = vm
    vm.beginViews()
  }

  // MARK: Tests

  /// Ends a test and closes its stores. Called before each test too: the stores of a `setup` can be
  /// used until the first test begins.
  package func end() {
    for store in stores { store.close() }
    stores = []
    problems = []
    expected = []
    waiters = []
    viewedValues = []
    vm.beginViews()
  }

  func add(_ store: TestStoreCore) { stores.append(store) }

  /// The failures of a test at its end: unasserted actions, effects in flight, and problems. Nil if
  /// there are none.
  package func failuresAtEnd() -> String? {
    let failures = stores.compactMap { $0.failureAtEnd() } + [takeProblems()].compactMap(\.self)
    return failures.isEmpty ? nil : failures.joined(separator: "\n\n")
  }

  /// A read-only view of a state or an action. It is valid until the test ends.
  func view(of value: Value) throws(ScriptError) -> LuaValue {
    viewedValues.append(value)
    return try vm.makeView(of: value)
  }

  func expecting<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    let outer = isExpecting
    isExpecting = true
    defer { isExpecting = outer }
    return try body()
  }

  /// Waits until `isOver` returns true, at most `seconds`.
  func wait(_ seconds: Double, until isOver: () -> Bool) {
    if seconds > 0 { pump?(seconds, isOver) }
  }

  /// Calls `waiter` now and after each request of the worker, until it returns true.
  func afterRequests(_ waiter: @escaping () -> Bool) {
    if !waiter() { waiters.append(waiter) }
  }

  func requestEnded() {
    if !waiters.isEmpty { waiters.removeAll { $0() } }
  }

  // MARK: Problems

  func report(_ warning: RuntimeWarning) {
    reportWarning(warning.message, warning.traceback, heading: warning.heading)
  }

  func reportCaught(_ error: String) {
    reportWarning(
      "effect.result caught a programming error, which the reducer gets as a failure: \(error)", nil
    )
  }

  /// - Parameter heading: what a failure of a test has in front of the message.
  private func reportWarning(_ message: String, _ traceback: String?, heading: String? = nil) {
    if expected.isEmpty {
      addProblem(heading.map { "\($0): \(message)" } ?? message, traceback)
    } else {
      expected[expected.count - 1].append(message)
    }
  }

  /// A view has raised an error.
  func report(_ error: ScriptError) {
    addProblem(
      error.feature.map { "the view of \($0) raised an error: \(error)" } ?? "\(error)",
      error.traceback)
  }

  func report(_ call: UnimplementedCall) { addProblem(call.description, nil) }

  private func addProblem(_ message: String, _ traceback: String?) {
    problems.append(traceback.map { "\(message)\n\($0)" } ?? message)
  }

  /// Ends a statement of a test that a script calls. Returns the problems that came up during it.
  func endStatement() -> String? {
    for store in stores { store.locateReceived() }
    return takeProblems()
  }

  /// Returns and removes the problems that came up since the last call; nil if there are none.
  package func takeProblems() -> String? {
    guard !problems.isEmpty else { return nil }
    defer { problems = [] }
    return problems.joined(separator: "\n\n")
  }

  /// False while warnings are collected for an `expectWarning`.
  var refusesLateSends: Bool { expected.isEmpty }

  package func beginExpectingWarnings() { expected.append([]) }

  package func endExpectingWarnings() -> [String] { expected.popLast() ?? [] }
}
