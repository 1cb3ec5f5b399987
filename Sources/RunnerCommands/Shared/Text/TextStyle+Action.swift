import ScriptedStore

extension TextStyle {
  /// The action's path and payload, and where it came from, such as `increment { by = 2 }  -- sent
  /// by an effect of Counter`.
  func title(
    _ action: Action, _ source: ActionRecord.Source, of feature: String?, in transaction: Value?
  ) -> TerminalText {
    var text = bold("\(action.path)")
    let payload = action.payload
    if !payload.isEmpty { text += " \(payload)" }
    switch source {
    case .input: break
    case .effect: text += dim("  -- sent by an effect\(feature.map { " of \($0)" } ?? "")")
    case .shared: text += dim("  -- changed elsewhere")
    case .edit: text += dim("  -- set by hand")
    }
    if let transaction { text += dim(", transaction \(transaction)") }
    return text
  }
}
