import IssueReporting
import ScriptedStore

/// How a statement of a test ends: its failures are reported at its line.
extension TestStore {
  func attempt<R>(at location: StatementLocation, _ body: () throws -> R) -> R? {
    do {
      return try body()
    } catch {
      fail("\(error)", at: location)
      return nil
    }
  }

  @discardableResult
  func end(
    _ statement: TestStoreHandle.Report<TestStoreHandle.Outcome>,
    _ expect: ((inout Value) throws -> Void)?, at location: StatementLocation
  ) throws -> TestStoreHandle.StartedEffects? {
    var started: TestStoreHandle.StartedEffects?
    switch statement.result {
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

  func check(
    _ assertion: StateAssertion, _ expect: ((inout Value) throws -> Void)?,
    at location: StatementLocation
  ) throws {
    let result =
      if let expect {
        try expecting(assertion.before) {
          try assertion.check { state in
            var state = state
            let before = state
            try expect(&state)
            return try self.handle.agreed(state, before: before, in: assertion.statement)
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

  func report(
    _ statement: TestStoreHandle.Report<String?>, at location: StatementLocation
  ) {
    if let failure = statement.result { fail(failure, at: location) }
    if let problems = statement.problems { fail(problems, at: location) }
  }

  func fail(_ message: String, at location: StatementLocation) {
    handle.recordFailure()
    report(message, at: location)
  }

  func report(_ message: String, at location: StatementLocation) {
    reportIssue(
      message, fileID: location.fileID, filePath: location.filePath, line: location.line,
      column: location.column)
  }

  /// Shows a message that does not fail the test.
  func showSkipped(_ skipped: String, at location: StatementLocation) {
    withExpectedIssue(isIntermittent: true) { report("not asserted:\n\(skipped)", at: location) }
  }
}
