import LuaBridge

/// One `it` of a test file.
public struct ScriptTest: Sendable, Hashable {
  /// As messages name it: relative to the script root where it is below that.
  public let file: String
  /// Where the test begins, from 1.
  public let line: Int
  /// The names of the blocks around it, outermost first, and its own.
  public let path: [String]
  /// Without `#`; of its own name and of the blocks around it.
  public let tags: Set<String>
  /// Its place among the tests of the file, which may have several of one name on one line.
  let index: Int

  /// What selects it: all names, as busted joins them.
  public var name: String { path.joined(separator: " ") }
}

/// Some lines of a script, as it was when it was loaded.
public struct ScriptExcerpt: Sendable, Hashable {
  /// The number of the first, from 1.
  public let firstLine: Int
  /// Without their ends; each is cut after 200 bytes.
  public let lines: [String]

  private static let longestLine = 200

  /// The lines around one, from two before it to one behind it; nil where the text has no such line.
  init?(of text: [UInt8], around line: Int) {
    // A message may begin with any number as its line.
    guard 1...text.count + 1 ~= line else { return nil }
    let all = text.split(
      separator: UInt8(ascii: "\n"), maxSplits: line + 1, omittingEmptySubsequences: false)
    guard all.indices.contains(line - 1) else { return nil }
    let shown = max(0, line - 3)..<min(all.count, line + 1)
    firstLine = shown.lowerBound + 1
    lines = all[shown].map { String(decoding: $0.prefix(Self.longestLine), as: UTF8.self) }
  }
}

/// Why a test failed, or a block could not be entered.
public struct ScriptTestFailure: Error, Sendable, Hashable {
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// An assertion failed.
    case failure
    /// Something else was raised.
    case error
    /// It took longer than it may.
    case timeout
    /// It was stopped from outside.
    case interrupted
    /// The VM's memory was used up.
    case memory
  }

  public let kind: Kind
  /// What went wrong, without the position.
  public let message: String
  /// The script that it is about, as messages name it.
  public let script: String?
  /// From 1.
  public let line: Int?
  /// Lua's traceback, as far as scripts are in it.
  public let traceback: String?
  /// The lines around the one that it is about, where that is in a script that was loaded. A script can name its chunks
  /// after any file: no file is read for it.
  public let source: ScriptExcerpt?

  package init(
    kind: Kind, message: String, script: String? = nil, line: Int? = nil, traceback: String? = nil,
    source: ScriptExcerpt? = nil
  ) {
    self.kind = kind
    self.message = message
    self.script = script
    self.line = line
    self.traceback = traceback
    self.source = source
  }
}

extension ScriptTestFailure {
  init(_ error: ScriptError, source: ScriptExcerpt? = nil) {
    self.init(
      kind: error.kind == .memory ? .memory : .error, message: error.message,
      script: error.script, line: error.line, traceback: error.traceback, source: source)
  }
}

extension ScriptTestFailure: CustomStringConvertible {
  /// `todos_test.lua:12: Expected …`.
  public var description: String {
    guard let script else { return message }
    guard let line else { return "\(script): \(message)" }
    return "\(script):\(line): \(message)"
  }
}

/// How a test ended.
public enum ScriptTestOutcome: Sendable, Hashable {
  case passed
  /// All that went wrong: in `before_each`, in the test, in `finally`, at its end, in `after_each`.
  case failed([ScriptTestFailure])
  /// `pending`, with the reason if there was one.
  case skipped(String?)
}

/// A test that ran.
public struct ScriptTestResult: Sendable {
  public let test: ScriptTest
  public let outcome: ScriptTestOutcome
  /// How long its last attempt took, the hooks around it included.
  public let seconds: Double
  /// More than 1 if it was tried again after it had failed: one that passed then is flaky.
  public let attempts: Int
  /// The lines that it printed, one megabyte of them at most.
  public let output: [String]

  package init(
    test: ScriptTest, outcome: ScriptTestOutcome, seconds: Double, attempts: Int = 1,
    output: [String] = []
  ) {
    self.test = test
    self.outcome = outcome
    self.seconds = seconds
    self.attempts = attempts
    self.output = output
  }
}

/// What happens while tests run, in order.
public enum ScriptTestEvent: Sendable {
  case began(ScriptTest)
  case ended(ScriptTestResult)
  /// The body of a block raised, and its tests are not there; or its `setup` or `teardown`: tests that need that fail with
  /// the same. `path` are the names of the block, `where` is `describe` or the name of the hook. Without a path it is the
  /// file as a whole, as where its `snapshots` could not be written.
  case blockFailed(file: String, path: [String], where: String, ScriptTestFailure)
}
