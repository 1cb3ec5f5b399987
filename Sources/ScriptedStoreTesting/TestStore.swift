import IssueReporting
@_exported import ScriptedStore
import Synchronization

/// A store whose test must assert every change: what each action makes of the state, which actions
/// its effects send, and that all effects have ended. It works as TCA's `TestStore`. It is the same
/// store that scripts have in `require "scripted.test"`.
///
/// ```swift
/// @Test func sorts() async throws {
///   let clock = TestClock()
///   let store = try TestStore("todos", root: "scripts", dependencies: ["clock": .clock(clock)])
///   await store.send("todos[7].completeTapped") { $0["todos"][0]["isComplete"] = true }
///   clock.advance(by: .seconds(1))
///   await store.receive("sortCompletedTodos")
/// }
/// ```
///
/// Failures are reported to Swift Testing or XCTest, whichever runs the test, at the line of the
/// statement; the test continues. Dependencies have their test values, or fail when they are used.
public final class TestStore: Sendable {
  let handle: TestStoreHandle
  let made: StatementLocation
  let options = Mutex(Options())

  struct Options {
    var timeout = Duration.seconds(1)
    /// The state before the action that a closure of the test asserts now; nil outside of such a
    /// closure.
    var before: Value?
  }

  /// Changes a state into the one that a test expects.
  typealias Expectation = (inout Value) throws -> Void

  /// The source location of a statement, for failures.
  struct StatementLocation: Sendable {
    let fileID: StaticString
    let filePath: StaticString
    let line: UInt
    let column: UInt

    init(_ fileID: StaticString, _ filePath: StaticString, _ line: UInt, _ column: UInt) {
      (self.fileID, self.filePath, self.line, self.column) = (fileID, filePath, line, column)
    }
  }

  /// Makes a store of a feature, with a VM of its own.
  ///
  /// - Parameters:
  ///   - feature: a module's name, or a path that ends in `.lua`.
  ///   - root: the folder of the scripts.
  ///   - state: top-level keys that replace those of the feature's initial state. To begin without a key that has a
  ///     default, test the reducer `Reducer.script(_:)` with the whole state.
  ///   - dependencies: values that scripts find in `deps` instead of test values.
  ///   - isDurable: whether handlers that call a function that writes raise, as those of a durable store do
  ///     (`Dependency.writing()`).
  ///   - configuration: the configuration of the store's host; its context is always `.test`.
  ///   - fileID: where the store is made, for failures.
  ///   - filePath: where the store is made, for failures.
  ///   - line: where the store is made, for failures.
  ///   - column: where the store is made, for failures.
  public init(
    _ feature: String, root: String, state: Value? = nil,
    dependencies: [String: Dependency] = [:], isDurable: Bool = false,
    configuration: ScriptHost.Configuration = ScriptHost.Configuration(),
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) throws(ScriptError) {
    handle = try TestStoreHandle(
      of: .feature(feature), state: state, root: root, dependencies: dependencies,
      isDurable: isDurable, configuration: configuration)
    made = StatementLocation(fileID, filePath, line, column)
  }

  /// Makes a store of a reducer that is described in Swift, which may name scripts under `root`.
  public init(
    _ reducer: Reducer, root: String = ".", state: Value,
    dependencies: [String: Dependency] = [:], isDurable: Bool = false,
    configuration: ScriptHost.Configuration = ScriptHost.Configuration(),
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) throws(ScriptError) {
    handle = try TestStoreHandle(
      of: .reducer(reducer), state: state, root: root, dependencies: dependencies,
      isDurable: isDurable, configuration: configuration)
    made = StatementLocation(fileID, filePath, line, column)
  }

  /// Reports what must not be left at the end, such as unasserted actions and effects in flight,
  /// unless an assertion failed before.
  deinit {
    let failures = try? handle.perform { store in
      defer { store.session.end() }
      return store.session.failuresAtEnd()
    }
    if let failure = failures ?? nil { report(failure, at: made) }
  }

  // MARK: State

  /// The state after the last asserted action. In a closure that asserts an action, it is the state
  /// before that action.
  public var state: Value {
    options.withLock { $0.before } ?? (try? handle.perform { $0.state }) ?? .null
  }

  /// Whether the feature asked to be dismissed. Its effects are then cancelled, and sending to it
  /// fails.
  public var isDismissed: Bool { (try? handle.perform { $0.isDismissed }) ?? false }

  /// How much the test must assert.
  public var exhaustivity: Exhaustivity {
    get { (try? handle.perform { $0.exhaustivity }) ?? .on }
    set { try? handle.perform { $0.exhaustivity = newValue } }
  }

  /// How long the `receive` functions and ``finish(timeout:fileID:filePath:line:column:)`` wait for
  /// dependencies of the host; initially one second. They do not wait for effects that wait for a
  /// test clock or a test stream.
  public var timeout: Duration {
    get { options.withLock { $0.timeout } }
    set { options.withLock { $0.timeout = newValue } }
  }

  /// Runs `operation` with another exhaustivity.
  @discardableResult
  public func withExhaustivity<R>(
    _ exhaustivity: Exhaustivity, isolation: isolated (any Actor)? = #isolation,
    operation: () async throws -> R
  ) async rethrows -> R {
    let outer = self.exhaustivity
    self.exhaustivity = exhaustivity
    defer { self.exhaustivity = outer }
    return try await operation()
  }

  /// Replaces a dependency of the feature from now on.
  public func override(_ name: String, by dependency: Dependency) throws(ScriptError) {
    try handle.perform { try $0.override(name, by: dependency) }
  }

  // MARK: Shared values

  /// The shared value behind `scripted.shared.inMemory(name, …)`; nil if it has none. Each test
  /// store has shared values of its own.
  public func shared(_ name: String) -> Value? { (try? handle.perform { $0.shared(name) }) ?? nil }

  /// Changes a shared value as another store would. If the store's state changes by it, the store
  /// receives the action `shared`, which is to be asserted as any other. Null removes the value.
  public func setShared(_ name: String, to value: Value) throws(ScriptError) {
    try handle.perform { $0.setShared(name, to: value == .null ? .none : value) }
  }

  // MARK: Sending

  /// Sends an action and asserts what it makes of the state.
  ///
  /// The closure changes the state before the action to the expected state after it; nil if nothing
  /// is to change. Without exhaustivity it gets the state after the action.
  ///
  /// - Returns: a task for the effects that the action started.
  @discardableResult
  public func send(
    _ path: String, _ payload: Value? = nil, assert expect: ((inout Value) throws -> Void)? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column, isolation: isolated (any Actor)? = #isolation
  ) async -> TestStoreTask {
    perform(at: .init(fileID, filePath, line, column), expect) {
      $0.send(try Action(path: path, payload: payload))
    }
  }

  /// Sends an action and asserts what it makes of the state, as the function above does.
  @discardableResult
  public func send(
    _ action: Action, assert expect: ((inout Value) throws -> Void)? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column, isolation: isolated (any Actor)? = #isolation
  ) async -> TestStoreTask {
    perform(at: .init(fileID, filePath, line, column), expect) { $0.send(action) }
  }

  /// Does what a lost process does: gives transient fields their defaults and cancels the effects in flight; alarms stay.
  /// Then places that had effects are sent `recovered`, which is to be received.
  ///
  /// The closure changes the state before to the expected state after the loss; nil if nothing is to change.
  public func crash(
    assert expect: ((inout Value) throws -> Void)? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column, isolation: isolated (any Actor)? = #isolation
  ) async {
    perform(at: .init(fileID, filePath, line, column), expect) { try $0.crash() }
  }

  // MARK: Receiving

  /// Asserts that an effect has sent an action. Without a payload the action must match a pattern,
  /// as keys of `on` do; with one it must be exactly that action. Waits for dependencies of the
  /// host.
  public func receive(
    _ pattern: String, _ payload: Value? = nil, timeout: Duration? = nil,
    assert expect: ((inout Value) throws -> Void)? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column, isolation: isolated (any Actor)? = #isolation
  ) async {
    await receive(at: .init(fileID, filePath, line, column), timeout, expect) {
      if let payload { return ActionMatcher(try Action(path: pattern, payload: payload)) }
      return try ActionMatcher(pattern: pattern)
    }
  }

  /// Asserts that an effect has sent exactly this action.
  public func receive(
    _ action: Action, timeout: Duration? = nil,
    assert expect: ((inout Value) throws -> Void)? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column, isolation: isolated (any Actor)? = #isolation
  ) async {
    await receive(at: .init(fileID, filePath, line, column), timeout, expect) {
      ActionMatcher(action)
    }
  }

  /// Asserts that an effect has sent an action for which `predicate` is true.
  public func receive(
    where predicate: @escaping @Sendable (Action) throws -> Bool, timeout: Duration? = nil,
    assert expect: ((inout Value) throws -> Void)? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column, isolation: isolated (any Actor)? = #isolation
  ) async {
    await receive(at: .init(fileID, filePath, line, column), timeout, expect) {
      ActionMatcher(predicate)
    }
  }

  private func receive(
    at location: StatementLocation, _ timeout: Duration?, _ expect: Expectation?,
    isolation: isolated (any Actor)? = #isolation, _ matcher: () throws -> ActionMatcher
  ) async {
    do {
      let matcher = try matcher()
      let end = ContinuousClock.now + (timeout ?? self.timeout)
      var isLast = false
      while true {
        let known = try handle.perform { $0.unassertedCount }
        if let report = try received(matcher, isLast: isLast) {
          try self.end(report, expect, at: location)
          return
        }
        // In a non-exhaustive test, other actions may arrive first, so this waits for any further
        // action.
        await handle.wait(end - .now) { $0.unassertedCount > known || $0.isWaitingForTest }
        isLast = try ContinuousClock.now >= end || handle.perform { $0.isWaitingForTest }
      }
    } catch {
      fail("\(error)", at: location)
    }
  }

  /// The end of the statement if an action can be taken or `isLast`; else nil.
  private func received(
    _ matcher: ActionMatcher, isLast: Bool
  ) throws -> TestStoreCore.Report? {
    let actions = try handle.perform { $0.receivableActions() }
    // The test's function runs outside the worker, so that it can use the store.
    let match = try actions.firstIndex(where: matcher.matches)
    return try handle.perform { store in
      // An action that has arrived since then was not matched.
      let received = actions.isEmpty ? nil : store.takeReceived(matcher, at: match)
      let outcome = received ?? (isLast ? store.notReceived(matcher) : nil)
      return outcome.map { store.report($0) }
    }
  }

  // MARK: Asserting

  /// Asserts parts of the state between actions: `expect` sets them to their expected values, and
  /// must change nothing.
  public func assert(
    _ expect: (inout Value) throws -> Void,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) {
    let location = StatementLocation(fileID, filePath, line, column)
    attempt(at: location) {
      guard let assertion = try? handle.perform({ $0.assertion }) else { return }
      try withoutActuallyEscaping(expect) { try check(assertion, $0, at: location) }
    }
  }

  /// Waits until all effects have ended. Fails at once if the remaining ones can only continue by a
  /// test clock or stream, or if received actions were not asserted before.
  public func finish(
    timeout: Duration? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    await finish(nil, timeout, at: .init(fileID, filePath, line, column))
  }

  func finish(
    _ task: JobKey?, _ timeout: Duration?, at location: StatementLocation
  ) async {
    let timeout = timeout ?? self.timeout
    do {
      if let failure = try handle.perform({ $0.failureBeforeFinish(task) }) {
        perform(at: location) { _ in failure }
        return
      }
      if try handle.perform({ !$0.hasFinished(task) }) {
        await handle.wait(timeout) { $0.hasFinished(task) || $0.isWaitingForTest }
      }
      perform(at: location) { $0.unfinished(task, after: timeout / .seconds(1)) }
    } catch {
      fail("\(error)", at: location)
    }
  }

  /// Drops the actions that were received and not asserted. With `strict`, fails if there are none.
  public func skipReceivedActions(
    strict: Bool = true,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) {
    perform(at: .init(fileID, filePath, line, column)) { $0.skipReceivedActions(strict: strict) }
  }

  /// Allows the effects that are in flight now to be in flight at the end; they continue. With
  /// `strict`, fails if there are none.
  public func skipInFlightEffects(
    strict: Bool = true,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) {
    perform(at: .init(fileID, filePath, line, column)) { $0.skipInFlightEffects(strict: strict) }
  }

  /// The alarms that are set, in the order of their times. Those that were read count as asserted: an exhaustive
  /// test fails if others are set at its end.
  public var alarms: [AlarmDescription] { (try? handle.perform { $0.readAlarms() }) ?? [] }

  /// Allows the alarms that are set now to be set at the end. With `strict`, fails if there are none.
  public func skipAlarms(
    strict: Bool = true,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) {
    perform(at: .init(fileID, filePath, line, column)) { $0.skipAlarms(strict: strict) }
  }

  /// Expects runtime warnings while `operation` runs: at least one, and `isExpected` must be true
  /// for each message.
  public func expectWarning(
    where isExpected: (String) -> Bool = { _ in true },
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column, isolation: isolated (any Actor)? = #isolation,
    operation: () async throws -> Void
  ) async rethrows {
    let location = StatementLocation(fileID, filePath, line, column)
    try? handle.perform { $0.session.beginExpectingWarnings() }
    func end() {
      let warnings = (try? handle.perform { $0.session.endExpectingWarnings() }) ?? []
      if warnings.isEmpty { fail("a warning was expected, but there was none", at: location) }
      for warning in warnings where !isExpected(warning) {
        fail("another warning was expected than this one:\n\(warning)", at: location)
      }
    }
    do { try await operation() } catch {
      end()
      throw error
    }
    end()
  }
}

/// How a statement of a test ends: its failures are reported at its line.
extension TestStore {
  /// Performs a statement. Returns the task for the effects that it has started.
  @discardableResult
  func perform(
    at location: StatementLocation, _ expect: Expectation? = nil,
    _ statement: (TestStoreCore) throws -> TestStoreCore.Outcome?
  ) -> TestStoreTask {
    var task: JobKey?
    attempt(at: location) {
      let report = try handle.perform { $0.report(try statement($0)) }
      task = try end(report, expect, at: location)
    }
    return TestStoreTask(store: self, task: task)
  }

  private func attempt(at location: StatementLocation, _ body: () throws -> Void) {
    do {
      try body()
    } catch {
      fail("\(error)", at: location)
    }
  }

  @discardableResult
  private func end(
    _ statement: TestStoreCore.Report, _ expect: Expectation?, at location: StatementLocation
  ) throws -> JobKey? {
    var started: JobKey?
    switch statement.outcome {
    case nil: break
    case .failure(let failure): fail(failure, at: location)
    case .raised(let error):
      fail(
        [error.description, error.traceback].compactMap(\.self).joined(separator: "\n"),
        at: location)
      // The other problems led to this error.
      return nil
    case .step(let assertion, let skipped, let task):
      started = task
      if let skipped { showSkipped(skipped, at: location) }
      try check(assertion, expect, at: location)
    }
    if let problems = statement.problems { fail(problems, at: location) }
    return started
  }

  private func check(
    _ assertion: StateAssertion, _ expect: Expectation?, at location: StatementLocation
  ) throws {
    let result =
      if let expect {
        try expecting(assertion.before) {
          try assertion.check { state in
            var state = state
            let before = state
            try expect(&state)
            return try self.handle.perform {
              try $0.agreed(state, before: before, in: assertion.statement)
            }
          }
        }
      } else {
        try assertion.check(nil)
      }
    if let failure = result.failure { fail(failure, at: location) }
    if let skipped = result.skipped { showSkipped(skipped, at: location) }
  }

  private func expecting<R>(_ before: Value, _ body: () throws -> R) rethrows -> R {
    options.withLock { $0.before = before }
    defer { options.withLock { $0.before = nil } }
    return try body()
  }

  private func fail(_ message: String, at location: StatementLocation) {
    try? handle.perform { $0.recordFailure() }
    report(message, at: location)
  }

  private func report(_ message: String, at location: StatementLocation) {
    reportIssue(
      message, fileID: location.fileID, filePath: location.filePath, line: location.line,
      column: location.column)
  }

  /// Shows a message that does not fail the test.
  private func showSkipped(_ skipped: String, at location: StatementLocation) {
    withExpectedIssue(isIntermittent: true) { report("not asserted:\n\(skipped)", at: location) }
  }
}

/// The effects that an action of a test started, and those of the actions that they send, and so
/// on. It works as TCA's `TestStoreTask`.
public final class TestStoreTask: Sendable {
  private let store: TestStore
  /// Nil if no effect of the action was still in flight.
  private let task: JobKey?
  private let cancelled = Mutex(false)

  init(store: TestStore, task: JobKey?) {
    self.store = store
    self.task = task
  }

  /// Whether ``cancel()`` was called.
  public var isCancelled: Bool { cancelled.withLock { $0 } }

  /// Cancels the effects that are still in flight.
  public func cancel() {
    cancelled.withLock { $0 = true }
    if let task { try? store.handle.perform { $0.cancel(task) } }
  }

  /// Waits until all the effects have ended. Fails at once if they can only continue by a test
  /// clock or stream.
  public func finish(
    timeout: Duration? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    guard let task else { return }
    await store.finish(
      task, timeout, at: .init(fileID, filePath, line, column))
  }
}
