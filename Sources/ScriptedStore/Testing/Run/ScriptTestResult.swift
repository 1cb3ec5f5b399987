import LuaBridge

/// The reason why a test failed, or why a block could not be entered.
public struct ScriptTestFailure: Error, Sendable, Hashable {
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// An assertion failed.
    case failure
    /// Another error was raised.
    case error
    /// The time limit was exceeded.
    case timeout
    /// The run was interrupted.
    case interrupted
    /// The VM's memory limit was exceeded.
    case memory
  }

  public let kind: Kind
  /// The message, without the source line.
  public let message: String
  /// The name of the script that the failure is about.
  public let script: String?
  /// The line in `script`, from 1.
  public let line: Int?
  /// Lua's traceback, with the frames of scripts only.
  public let traceback: String?
  /// The lines around `line`, if `script` was loaded. The excerpt comes from memory: a script can
  /// give its chunks the name of any file, so no file is read.
  public let source: ScriptExcerpt?
}

extension ScriptTestFailure {
  package init(_ error: ScriptError, source: ScriptExcerpt? = nil) {
    self.init(
      kind: error.kind == .memory ? .memory : .error, message: error.message,
      script: error.script, line: error.line, traceback: error.traceback, source: source)
  }
}

extension ScriptError {
  init(_ failure: ScriptTestFailure) {
    self.init(
      failure.message, kind: failure.kind == .memory ? .memory : .runtime,
      script: failure.script, line: failure.line, traceback: failure.traceback)
  }
}

extension ScriptTestFailure: CustomStringConvertible {
  /// The failure as one text: `todos_test.lua:12: Expected …`.
  public var description: String {
    guard let script else { return message }
    guard let line else { return "\(script): \(message)" }
    return "\(script):\(line): \(message)"
  }
}

/// How a test ended.
public enum ScriptTestOutcome: Sendable, Hashable {
  case passed
  /// All failures: of `before_each`, the test, `finally`, the checks at the end, and `after_each`.
  case failed([ScriptTestFailure])
  /// The test is pending; the value is the reason, if there is one.
  case skipped(String?)
}

/// The result of a test that ran.
public struct ScriptTestResult: Sendable {
  public let test: ScriptTest
  public let outcome: ScriptTestOutcome
  /// The duration of the last attempt, including the hooks around the test.
  public let duration: Duration
  /// The number of attempts. It is more than 1 if the test failed and was repeated. A test that
  /// passes then is flaky.
  public internal(set) var attempts = 1
  /// The lines that the test printed, at most one megabyte.
  public let output: [String]

  init(
    _ test: ScriptTest, _ outcome: ScriptTestOutcome, duration: Duration, output: [String]
  ) {
    self.test = test
    self.outcome = outcome
    self.duration = duration
    self.output = output
  }

  /// The result of a test during which the framework itself has failed.
  init(failed test: ScriptTest, _ failure: ScriptTestFailure) {
    self.init(test, .failed([failure]), duration: .zero, output: [])
  }
}

/// An event of a test run. Events come in order.
public enum ScriptTestEvent: Sendable {
  case began(ScriptTest)
  case ended(ScriptTestResult)
  /// A block failed. `where` says what raised the error:
  ///
  /// - `describe`: the block's body. The tests of the block do not exist then.
  /// - The name of a hook, as `setup` or `teardown`. The tests that need a failed setup fail with
  ///   the same failure.
  /// - `snapshots`: the snapshots could not be written.
  ///
  /// `path` has the names of the block. It is empty if the failure is about the file as a whole.
  case blockFailed(file: String, path: [String], where: String, ScriptTestFailure)
}

/// A few lines of a script, as they were when the script was loaded.
public struct ScriptExcerpt: Sendable, Hashable {
  /// The number of the first line, from 1.
  public let firstLine: Int
  /// The lines without their line ends. Each is cut after 200 bytes.
  public let lines: [String]

  private static let longestLine = 200

  /// The given line with up to two lines before it and one after it. Nil if the text has no such
  /// line.
  init?(of text: [UInt8], around line: Int) {
    // The line comes from a message, which can begin with any number.
    guard 1...text.count + 1 ~= line else { return nil }
    let all = text.split(
      separator: UInt8(ascii: "\n"), maxSplits: line + 1, omittingEmptySubsequences: false)
    guard all.indices.contains(line - 1) else { return nil }
    let shown = max(0, line - 3)..<min(all.count, line + 1)
    firstLine = shown.lowerBound + 1
    lines = all[shown].map { String(decoding: $0.prefix(Self.longestLine), as: UTF8.self) }
  }
}
