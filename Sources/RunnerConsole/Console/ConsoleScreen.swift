import RunnerShared
import ScriptView
import ScriptedStore

/// The screen of a store that a console looks at.
///
/// As long as it exists, views run, and the effects of nodes with `task` are in flight: it is there
/// from the first `:view` to `:view off`.
final class ConsoleScreen {
  private let views: ViewTree
  /// The errors that were told already.
  private var told: Set<ViewFailure> = []
  /// The tree that was shown last.
  private var shown: Value?
  /// Adds an event for each change; nil unless the screen is shown whenever it changes.
  private var observation: StoreObservation?

  init(_ store: Store, columns: Int) {
    let width = ScreenWidth(clamping: columns)
    views = store.viewRecordingRuns(environment: ["width": .string(width.word)])
  }

  /// Adds an event for each change of the screen from now on.
  func watch(_ events: ConsoleEvents) {
    guard observation == nil else { return }
    observation = views.observe { _, _ in events.add(.screen) }
  }

  /// The views that ran for the last change that made any run.
  var lastRuns: ViewRunReport? { views.lastRuns }

  /// Whether the screen is another one than the one that was shown last.
  var hasChanged: Bool { shown != views.value }

  /// The screen as text. It counts as shown.
  func drawing(columns: Int) -> String {
    let tree = views.value
    shown = tree
    return TextDrawing.draw(tree, width: columns)
  }

  /// The errors of views on the screen that were shown last, without those that were taken before.
  func takeFailures() -> [ViewFailure] {
    guard let shown else { return [] }
    return ViewNode(shown).failures.filter { told.insert($0).inserted }
  }
}
