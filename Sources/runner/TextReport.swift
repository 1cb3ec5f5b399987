import LuaBridge
import ScriptedStore

/// A run for people: the action as a path with its payload, and the change in Lua syntax.
struct TextReport {
  let takesColor: Bool

  func text(_ record: ActionRecord) -> [UInt8] {
    var text = bold(record.action.path)
    let payload = record.action.payload
    if !payload.isEmpty { text += " \(payload)" }
    if record.source == .effect {
      text += dim("  -- sent by an effect\(record.feature.map { " of \($0)" } ?? "")")
    }
    if let transaction = record.transaction { text += dim(", transaction \(transaction)") }
    text += "\n"
    text += change(record) + "\n"
    for warning in record.warnings { text += yellow("  warning: \(warning)") + "\n" }
    return Array(text.utf8)
  }

  /// A warning about an effect, which belongs to no action.
  func text(_ warning: RuntimeWarning) -> [UInt8] {
    Array((yellow("warning: \(warning)") + "\n").utf8)
  }

  /// An effect that failed. Standard error has the message.
  func failure(_ warning: RuntimeWarning) -> [UInt8] {
    let feature = warning.effect?.feature.map { " of \($0)" } ?? ""
    return Array((red("an effect\(feature) failed") + dim("  -- \(warning.origin)") + "\n").utf8)
  }

  func text(effects: [EffectDescription]) -> [UInt8] {
    var text = bold("effects") + (effects.isEmpty ? dim("  -- none in flight") : "") + "\n"
    for effect in effects { text += "  \(effect)\n" }
    return Array(text.utf8)
  }

  func text(state: Value) -> [UInt8] { Array("\(bold("state")) \(state)\n".utf8) }

  private func change(_ record: ActionRecord) -> String {
    // Standard error has the message.
    guard record.error == nil else { return red("  raised, rolled back") }
    return LuaDiff(isColored: takesColor).text(from: record.before, to: record.after)
      ?? dim("  -- nothing changed")
  }

  private func bold(_ text: String) -> String { styled(text, 1) }
  private func dim(_ text: String) -> String { styled(text, 2) }
  private func red(_ text: String) -> String { styled(text, 31) }
  private func yellow(_ text: String) -> String { styled(text, 33) }

  private func styled(_ text: String, _ code: Int) -> String {
    takesColor ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
