/// The lines of a script, which are counted from 1.
struct SourceLines {
  private let lines: [Substring]

  init(_ source: [UInt8]) {
    lines = String(decoding: source, as: UTF8.self)
      .split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
  }

  /// The text of a line; empty for a line that the script does not have.
  subscript(number: Int) -> Substring {
    lines.indices.contains(number - 1) ? lines[number - 1] : ""
  }
}
