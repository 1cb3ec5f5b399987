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
