import LuaBridge
import ScriptedStore

extension ScriptTestFailure {
  /// The failure of a file that cannot be loaded.
  init(loading error: ScriptError, _ source: ScriptExcerpt?) {
    self.init(
      kind: error.kind == .memory ? .memory : .error, message: error.message, script: error.script,
      line: error.line, traceback: error.traceback, source: source)
  }

  /// The message after its location: `todos_test.lua:3: …`. The location is not repeated if the
  /// message begins with it.
  var locatedMessage: String {
    guard let location, !message.hasPrefix(location) else { return message }
    return "\(location): \(message)"
  }

  /// The message without the location.
  var bareMessage: String {
    guard let location, message.hasPrefix(location + ": ") else { return message }
    return String(message.dropFirst(location.count + 2))
  }

  /// The location: `todos_test.lua:3`.
  var location: String? {
    guard let script else { return nil }
    return line.map { "\(script):\($0)" } ?? script
  }
}
