import LuaBridge
import ScriptedStore

extension TerminalText {
  /// The number and action of the entry, the errors if they differ, and the difference of the
  /// states in Lua syntax.
  init(of difference: ReplayDifference, _ style: TextStyle) {
    self.init(ScriptPaths.inMessage(difference.heading))
    if let states = TerminalText(from: difference.expected, to: difference.actual, style) {
      self += "\n\n\(states)"
    }
  }
}
