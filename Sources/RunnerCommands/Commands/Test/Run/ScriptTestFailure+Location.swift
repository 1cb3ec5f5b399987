import LuaBridge
import ScriptedStore

extension ScriptTestFailure {
  /// The failure of a file that cannot be loaded.
  init(loading error: ScriptError, _ source: ScriptExcerpt?) {
    self.init(
      kind: error.kind == .memory ? .memory : .error, message: error.message, script: error.script,
      line: error.line, traceback: error.traceback, source: source)
  }

  /// The message after its location: `scripts/todos_test.lua:3: …`. The location is not repeated if
  /// the message begins with it.
  var locatedMessage: String {
    guard let path, let location, !message.hasPrefix(location) else { return displayedMessage }
    return (line.map { "\(path):\($0): " } ?? "\(path): ") + displayedMessage
  }

  /// The message without the location.
  var bareMessage: String {
    guard let location, message.hasPrefix(location + ": ") else { return displayedMessage }
    return ScriptPaths.inMessage(String(message.dropFirst(location.count + 2)))
  }

  private var displayedMessage: String { ScriptPaths.inMessage(message) }

  /// The path of the script that the failure is about.
  var path: String? { script.map(ScriptPaths.path) }

  /// The traceback with paths of scripts.
  var displayedTraceback: String? { traceback.map(ScriptPaths.inMessage) }

  /// The location by the script's name: `todos_test.lua:3`.
  private var location: String? {
    guard let script else { return nil }
    return line.map { "\(script):\($0)" } ?? script
  }
}
