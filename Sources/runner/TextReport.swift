import LuaBridge
import ScriptedStore

/// A run for people: the action as a path with its payload, and the change in Lua syntax.
struct TextReport {
  private let style: TextStyle

  init(takesColor: Bool) { style = TextStyle(takesColor: takesColor) }

  func text(_ record: ActionRecord) -> [UInt8] {
    var text = style.bold(record.action.path)
    let payload = record.action.payload
    if !payload.isEmpty { text += " \(payload)" }
    if record.source == .effect {
      text += style.dim("  -- sent by an effect\(record.feature.map { " of \($0)" } ?? "")")
    }
    if let transaction = record.transaction { text += style.dim(", transaction \(transaction)") }
    text += "\n"
    text += change(record) + "\n"
    for warning in record.warnings { text += style.yellow("  warning: \(warning)") + "\n" }
    return Array(text.utf8)
  }

  /// A warning about an effect, which belongs to no action.
  func text(_ warning: RuntimeWarning) -> [UInt8] {
    Array((style.yellow("warning: \(warning)") + "\n").utf8)
  }

  /// An effect that failed. Standard error has the message.
  func failure(_ warning: RuntimeWarning) -> [UInt8] {
    let feature = warning.effect?.feature.map { " of \($0)" } ?? ""
    return Array(
      (style.red("an effect\(feature) failed") + style.dim("  -- \(warning.origin)") + "\n").utf8)
  }

  func text(effects: [EffectDescription]) -> [UInt8] {
    var text =
      style.bold("effects") + (effects.isEmpty ? style.dim("  -- none in flight") : "") + "\n"
    for effect in effects { text += "  \(effect)\n" }
    return Array(text.utf8)
  }

  func text(state: Value) -> [UInt8] { Array("\(style.bold("state")) \(state)\n".utf8) }

  private func change(_ record: ActionRecord) -> String {
    // Standard error has the message.
    guard record.error == nil else { return style.red("  raised, rolled back") }
    return LuaDiff(isColored: style.takesColor).text(from: record.before, to: record.after)
      ?? style.dim("  -- nothing changed")
  }
}
