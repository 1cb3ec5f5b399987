/// Conversions of times in a generated test.
enum RecordedTime {
  /// Times above 1e9 s count as 1e9 s.
  static func nanoseconds(_ time: Duration) -> Int {
    let seconds = time / .seconds(1)
    return Int((max(0, min(seconds, 1e9)) * 1_000_000_000).rounded())
  }

  static func seconds(_ nanoseconds: Int) -> String {
    nanoseconds % 1_000_000_000 == 0
      ? "\(nanoseconds / 1_000_000_000)" : "\(Double(nanoseconds) / 1_000_000_000)"
  }
}
