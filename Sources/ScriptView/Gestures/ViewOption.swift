import ScriptValue

/// One of the options of a picker.
public struct ViewOption: Sendable, Hashable {
  /// What is entered when the option is chosen.
  public let value: Value
  public let label: String
}

extension ViewNode {
  /// The options of a picker: texts and numbers, or `{ value, label }`. All else is left out.
  public var options: [ViewOption] {
    (self["options"]?.array ?? []).compactMap { option in
      if let label = option.drawnScalar { return ViewOption(value: option, label: label) }
      guard case .object(let object) = option else { return nil }
      let value = object["value"] ?? .null
      guard let label = object["label"]?.drawnScalar ?? value.drawnScalar else { return nil }
      return ViewOption(value: value, label: label)
    }
  }

  /// Whether an option is that of the node's value.
  public func isChosen(_ option: ViewOption) -> Bool { option.value == (self["value"] ?? .null) }
}
