import ScriptedStore

/// Adds colours to text, or leaves it plain.
package struct TextStyle: Sendable {
  package let takesColor: Bool

  package init(takesColor: Bool) { self.takesColor = takesColor }

  /// For standard output.
  package static var output: TextStyle {
    TextStyle(takesColor: StandardStreams.outputTakesColor)
  }

  package func bold(_ text: TerminalText) -> TerminalText { styled(text, "1") }
  package func dim(_ text: TerminalText) -> TerminalText { styled(text, "2") }
  package func red(_ text: TerminalText) -> TerminalText { styled(text, "31") }
  package func green(_ text: TerminalText) -> TerminalText { styled(text, "32") }
  package func yellow(_ text: TerminalText) -> TerminalText { styled(text, "33") }
  package func cyan(_ text: TerminalText) -> TerminalText { styled(text, "36") }
  /// Marks the chosen item.
  package func reversed(_ text: TerminalText) -> TerminalText { styled(text, "7") }
  /// White on red.
  package func alarm(_ text: TerminalText) -> TerminalText { styled(text, "1;97;41") }

  private func styled(_ text: TerminalText, _ code: StaticString) -> TerminalText {
    takesColor && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}

extension TextStyle {
  /// The action's path and payload, and where it came from, such as `increment { by = 2 }  -- sent
  /// by an effect of Counter`.
  package func title(
    _ action: Action, _ source: ActionRecord.Source, of feature: String?, in transaction: Value?
  ) -> TerminalText {
    var text = bold("\(action.path)")
    let payload = action.payload
    if !payload.isEmpty { text += " \(payload)" }
    switch source {
    case .input: break
    case .effect: text += dim("  -- sent by an effect\(feature.map { " of \($0)" } ?? "")")
    case .shared: text += dim("  -- changed elsewhere")
    case .edit: text += dim("  -- \(Self.tool(action))")
    }
    if let transaction { text += dim(", transaction \(transaction)") }
    return text
  }

  /// What an entry says that no action has made.
  package static func tool(_ action: Action) -> String {
    switch action.path {
    case "migrate": "migrated by a deploy"
    case "forget": "transient fields forgotten"
    case "alarms": "alarms changed"
    default: "set by hand"
    }
  }
}
