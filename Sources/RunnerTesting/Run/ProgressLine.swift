import Platform
import RunnerShared

/// The progress of a long run on the last line of a terminal. It goes to standard error, so that
/// the report is the same with and without it.
struct ProgressLine {
  private let start = ContinuousClock().now
  private var isShown = false
  private var stream = DescriptorWriter(STDERR_FILENO)

  /// A run that takes less time has no progress line.
  private static let delay = Duration.milliseconds(500)

  /// Whether a call of ``show(_:)`` can have an effect.
  static let isPossible = StandardStreams.errorIsTerminal && !StandardStreams.terminalIsDumb

  var seconds: Double { (ContinuousClock().now - start) / .seconds(1) }

  /// - Parameter text: makes the text of the seconds so far.
  mutating func show(_ text: (_ seconds: Double) -> String) {
    guard Self.isPossible, ContinuousClock().now - start > Self.delay else { return }
    isShown = true
    let width = TerminalWindow.size(of: STDERR_FILENO).columns - 1
    stream.write("\r\u{1B}[K\(oneLine(text(seconds)).prefix(width))")
  }

  /// Removes the line before other output.
  mutating func hide() {
    guard isShown else { return }
    isShown = false
    stream.write("\r\u{1B}[K")
  }
}
