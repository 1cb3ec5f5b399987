#if Server
import ScriptedStore

/// A text of the page itself, in place of which an author may have another one, as in another
/// language:
///
/// ```swift
/// configuration.texts[.failed] = "Das hat nicht geklappt"
/// ```
///
/// Why something cannot be done, as "the button is disabled", cannot be replaced.
public enum PageText: String, Sendable, CaseIterable {
  /// A handler has raised or was stopped, so that what the person did has changed nothing.
  case failed
  /// In production, the store of the page cannot be made.
  case unavailable
  /// The page has no connection, so that nothing can be done.
  case notConnected
  /// The page has lost its connection, and tries to get another one.
  case reconnecting
  /// The button of a navigation whose screen below has no title.
  case back
  /// The button of a sheet.
  case close
  /// The button of a row that can be deleted.
  case delete
  /// The handle of a row that can be moved.
  case move
  /// The action of a toast that gives it no name.
  case undo
  /// The buttons of a stepper.
  case increase
  case decrease
  /// A button has put its text into the clipboard.
  case copied
  /// The button of a search field.
  case clear
  /// The title of the list of shortcuts.
  case shortcuts
  /// What is read out when a row was moved by keys, with `{row}`, `{place}` and `{count}` in it.
  case moved
  /// The language in which the page and its screens are written, as `de`, by which they are read out.
  case language

  /// What stands there if the author has no other text. The page has those of its own in
  /// `notices.js`.
  public var standard: String {
    switch self {
    case .failed: "That did not work"
    case .unavailable: "this screen cannot be shown now"
    case .notConnected: "Not connected"
    case .reconnecting: "Reconnecting …"
    case .back: "Back"
    case .close: "Close"
    case .delete: "Delete"
    case .move: "Move"
    case .undo: "Undo"
    case .increase: "Increase"
    case .decrease: "Decrease"
    case .copied: "Copied"
    case .clear: "Clear"
    case .shortcuts: "Keyboard shortcuts"
    case .moved: "{row}: {place} of {count}"
    case .language: "en"
    }
  }

  /// Whether the page shows it without being told.
  var isOfPage: Bool { self != .failed && self != .unavailable }

  /// The text that is shown where an author has these.
  func shown(_ texts: [PageText: String]) -> String { texts[self] ?? standard }

  /// Those that a page has to be told, by name; nil for none.
  static func forPage(_ texts: [PageText: String]) -> Value? {
    var told: Value.Object = [:]
    for (text, words) in texts where text.isOfPage { told[text.rawValue] = .string(words) }
    return told.isEmpty ? nil : .object(told)
  }
}
#endif
