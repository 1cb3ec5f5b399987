import LuaBridge
import ScriptedStore

/// A message of the library that may name lines of scripts. `TerminalText` prints it with
/// ``displayed``; other formats have to ask for it.
protocol ScriptMessage: CustomStringConvertible {}

extension ScriptMessage {
  /// The message with script names as paths from the current folder.
  var displayed: String { ScriptPaths.inMessage(description) }
}

extension ScriptError: ScriptMessage {
  var displayed: String {
    let message = ScriptPaths.inMessage(message)
    guard let path = script.map(ScriptPaths.path) else { return message }
    return (line.map { "\(path):\($0): " } ?? "\(path): ") + message
  }
}

extension RuntimeWarning: ScriptMessage {}
extension EffectDescription: ScriptMessage {}

extension ScriptTest {
  /// The path of the file.
  var displayedFile: String { ScriptPaths.path(of: file) }
}

extension ReducerTree {
  /// The tree with script names as paths from the current folder.
  var displayed: ReducerTree { mapOrigins(ScriptPaths.inMessage) }
}
