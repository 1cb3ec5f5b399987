import ScriptValue
import ScriptedStore

/// Formats a run for people: the action's path and payload, and the state change in Lua syntax.
struct TextReport {
  private let style: TextStyle

  init(takesColor: Bool) { style = TextStyle(takesColor: takesColor) }

  func text(_ record: ActionRecord) -> TerminalText {
    var text = style.title(
      record.action, record.source, of: record.feature, in: record.transaction)
    text += "\n\(change(record))\n"
    for warning in record.warnings { text += style.yellow("  " + TerminalText(warning)) + "\n" }
    return text
  }

  /// A warning that is not part of an action's record.
  func text(_ warning: RuntimeWarning) -> TerminalText {
    style.yellow(TerminalText(warning)) + "\n"
  }

  /// A failed effect. The error message goes to standard error.
  func failure(_ warning: RuntimeWarning) -> TerminalText {
    let feature = warning.effect?.feature.map { " of \($0)" } ?? ""
    return
      "\(style.red("an effect\(feature) failed"))\(style.dim("  -- \(ScriptPaths.inMessage(warning.origin))"))\n"
  }

  func text(effects: [EffectDescription]) -> TerminalText {
    var text =
      style.bold("effects") + (effects.isEmpty ? style.dim("  -- none in flight") : "") + "\n"
    for effect in effects { text += "  \(effect)\n" }
    return text
  }

  func text(state: Value) -> TerminalText { "\(style.bold("state")) \(state)\n" }

  private func change(_ record: ActionRecord) -> TerminalText {
    // The error message goes to standard error.
    guard record.error == nil else { return style.red("  raised, rolled back") }
    return TerminalText(from: record.before, to: record.after, style)
      ?? style.dim("  -- nothing changed")
  }
}
