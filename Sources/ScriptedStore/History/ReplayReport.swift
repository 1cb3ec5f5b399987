import LuaBridge

/// How a replay went.
public struct ReplayReport: Sendable {
  /// How many actions were reduced.
  public internal(set) var count = 0
  /// The first entry whose state or error is another one than it was.
  public internal(set) var difference: ReplayDifference?

  mutating func add(_ entry: HistoryEntry, _ result: Replay.Result) {
    count += 1
    guard difference == nil else { return }
    if entry.state == result.state && entry.error?.message == result.error?.message { return }
    difference = ReplayDifference(
      number: entry.number, action: entry.action, source: entry.source, feature: entry.feature,
      expected: entry.state, actual: result.state, expectedError: entry.error,
      actualError: result.error)
  }
}

/// An entry that a replay makes something else of.
public struct ReplayDifference: Sendable {
  public let number: Int
  public let action: Action
  public let source: ActionRecord.Source
  /// Whose effect sent it, nil for what came from outside.
  public let feature: String?
  /// The state as it was, and as it is now.
  public let expected: Value
  public let actual: Value
  /// What was raised, nil for nothing.
  public let expectedError: ScriptError?
  public let actualError: ScriptError?
}

extension ReplayDifference: CustomStringConvertible {
  /// Which entry it is, what was raised if that differs, and the difference of the states in Lua syntax.
  public var description: String {
    guard let difference = LuaDiff().text(from: expected, to: actual) else { return heading }
    return "\(heading)\n\n\(difference)"
  }

  /// The same without the difference of the states.
  package var heading: String {
    var text = "entry \(number), \(action)"
    if let feature { text += " (from an effect of \(feature))" }
    if expectedError?.message != actualError?.message {
      text += "\n\n- \(Self.text(expectedError))\n+ \(Self.text(actualError))"
    }
    return text
  }

  private static func text(_ error: ScriptError?) -> String {
    error.map { "raised: \($0)" } ?? "raised nothing"
  }
}
