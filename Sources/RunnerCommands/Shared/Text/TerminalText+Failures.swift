import LuaBridge
import ScriptView
import ScriptedStore

/// What standard error has about failures.
extension TerminalText {
  /// The error that an action raised.
  init(_ error: ScriptError, of record: ActionRecord) {
    let feature = error.feature.map { " of \($0)" } ?? ""
    self = """
      \(TerminalText(error))
      in action \(record.number)\(feature): \(record.action.value.json())
      """
  }

  /// The error that an effect raised.
  init(effectError warning: RuntimeWarning) {
    let traceback = warning.traceback.map(ScriptPaths.inMessage)
    let lines = [warning.displayed, traceback, warning.effectText].compactMap(\.self)
    self = "\(warning.head): \(lines.joined(separator: "\n"))"
  }

  /// The error that a view raised, without the `error: ` in front.
  init(_ failure: ViewFailure) {
    let place = failure.location.map { ScriptPaths.inMessage($0 + ":") + " " } ?? ""
    let traceback = failure.traceback.map(ScriptPaths.inMessage)
    let lines = [place + ScriptPaths.inMessage(failure.message), traceback].compactMap(\.self)
    self = "\(lines.joined(separator: "\n"))"
  }
}
