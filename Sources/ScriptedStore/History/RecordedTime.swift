/// Conversions of times in a generated test.
enum RecordedTime {
  /// Rounds down, because a timer is due slightly before the action that it causes is recorded.
  /// Times above 1e9 s count as 1e9 s.
  static func milliseconds(_ time: Duration) -> Int {
    let seconds = time / .seconds(1)
    return Int((max(0, min(seconds, 1e9)) * 1000 + 0.001).rounded(.down))
  }

  static func seconds(_ milliseconds: Int) -> String {
    milliseconds % 1000 == 0 ? "\(milliseconds / 1000)" : "\(Double(milliseconds) / 1000)"
  }
}
