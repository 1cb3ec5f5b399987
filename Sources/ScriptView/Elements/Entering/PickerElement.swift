import ScriptValue

struct PickerElement: EnteredElement {
  let properties = [
    ViewProperty("options", .options), .style("menu", "segmented", "radio"),
  ]

  func shownText(_ location: ViewLocation) -> String? {
    location.node.options.first { location.node.isChosen($0) }?.label
  }

  func parts(of location: ViewLocation) -> [ViewItem] {
    let node = location.node
    return node.options.enumerated().map { index, option in
      ViewItem(
        "option", option.label, location, number: index + 1, isSelected: node.isChosen(option),
        option: option)
    }
  }

  func control(_ node: ViewNode) -> ControlKind? {
    node.pickerStyle == "menu" ? .closedPicker : .openPicker
  }

  func accept(_ value: Value, _ location: ViewLocation) throws(ViewRefusal) -> Value? {
    let options = location.node.options
    if let found = options.first(where: { $0.value == value }) { return found.value }
    if let found = options.first(where: { .string($0.label) == value }) { return found.value }
    throw location.refusal(value, "has the options", options.map(\.label))
  }

  func writeHTML(_ location: ViewLocation, to builder: inout HTMLBuilder) {
    let node = location.node
    guard node.word("style") == "segmented" || node.word("style") == "radio" else {
      return writeMenu(location, to: &builder)
    }
    var group = builder.element("fieldset", location, isNamed: node.shownLabel != nil)
    group.set("role", "radiogroup")
    builder.setError(of: node, on: &group)
    group.set("disabled", if: location.disabled != nil)
    builder.wrap(group) { builder in
      if let label = node.shownLabel {
        builder.line(HTMLElement("legend", text: label))
      }
      for option in node.options {
        var input = HTMLElement(
          "input", ["type": "radio", "value": option.value.drawnScalar ?? option.label])
        input.set("checked", if: node.isChosen(option))
        var line = HTMLElement("label")
        line.append(input)
        line.append(text: " " + option.label)
        builder.line(line)
      }
    }
  }

  private func writeMenu(_ location: ViewLocation, to builder: inout HTMLBuilder) {
    let node = location.node
    let select = builder.control("select", location)
    func options(_ builder: inout HTMLBuilder) {
      builder.wrap(select) { builder in
        for option in node.options {
          var line = HTMLElement(
            "option", ["value": option.value.drawnScalar ?? option.label], text: option.label)
          line.set("selected", if: node.isChosen(option))
          builder.line(line)
        }
      }
    }
    guard let label = node.shownLabel else { return options(&builder) }
    builder.wrap(HTMLElement("label")) { builder in
      builder.line(HTMLElement("span", text: label))
      options(&builder)
    }
  }

  func block(_ location: ViewLocation, in builder: TextBuilder) -> (any Block)? {
    let node = location.node
    let style = builder.style(of: location)
    var text = builder.label(node)
    switch node.pickerStyle {
    case "radio":
      let lines = builder.radioLines(location, style)
      guard !text.isEmpty || location.disabled != nil else { return ColumnBlock(lines) }
      return ColumnBlock([builder.control(text, location), IndentBlock(ColumnBlock(lines))])
    case "menu":
      text.append("[ \(shownText(location) ?? "-") ▾ ]", style)
      return builder.control(text, location)
    default:
      text.append(
        builder.segments(node.options.map { ($0.label, node.isChosen($0)) }, style))
      return builder.control(text, location, breaks: true)
    }
  }
}

extension TextBuilder {
  /// The options of a picker below each other: `(*) All`.
  func radioLines(_ location: ViewLocation, _ style: Canvas.Style) -> [any Block] {
    let node = location.node
    return node.options.enumerated().map { index, option in
      let isChosen = node.isChosen(option)
      var text = StyledText()
      text.append(
        (isChosen ? "(*) " : "( ) ") + option.label, isChosen ? style.union(.selected) : style,
        part: index + 1)
      return TextBlock(text, owner: location.path, hanging: 4)
    }
  }
}

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

  /// How the options of a picker are drawn, also if the script does not say how.
  var pickerStyle: String {
    word("style") ?? (options.count <= ViewNode.fewOptions ? "segmented" : "menu")
  }

  /// The most options that are drawn beside each other if the script does not say how.
  private static let fewOptions = 5
}
