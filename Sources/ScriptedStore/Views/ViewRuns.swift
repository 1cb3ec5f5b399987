/// A view that has run.
package struct ViewRun: Sendable, Hashable {
  /// The place of the view, as `todos[3]`; empty for the root.
  package let place: String
  /// The time that it took, without that of the views in it.
  package fileprivate(set) var duration: Duration
}

/// The views that ran for a change of the state.
package struct ViewRunReport: Sendable {
  /// The number of the action that has made the change.
  package let action: Int
  /// In the order in which they began.
  package let runs: [ViewRun]
}

/// Records the views that a screen runs in an update.
struct ViewRuns {
  private(set) var runs: [ViewRun] = []
  /// The views that are running, the innermost one last.
  private var open: [(index: Int, start: ContinuousClock.Instant, nested: Duration)] = []

  mutating func begin(_ place: String) {
    open.append((runs.count, .now, .zero))
    runs.append(ViewRun(place: place, duration: .zero))
  }

  /// The view that has begun last ends.
  mutating func end() {
    guard let ended = open.popLast() else { return }
    let time = ended.start.duration(to: .now)
    runs[ended.index].duration = time - ended.nested
    if !open.isEmpty { open[open.count - 1].nested += time }
  }
}
