import ScriptView

/// What a page gets of a property of a node.
enum WireProperty {
  /// Nothing: the page has no use for it.
  case absent
  /// That the node has it. Actions themselves stay here.
  case flag
  case value(Value)
  case id(Value)
  /// A presented child.
  case node(Value)
  case window(ViewWindow)

  private static let actions = Set(ViewElement.actionProperties)
  private static let presentations = Set(ViewElement.presentations)
  private static let places: Set<String> = ["child", "forEach", "navigation"]

  /// - Parameter kind: that of the node.
  init(_ name: String, _ value: Value, ofKind kind: String, isProduction: Bool) {
    if value.isNull {
      self = .absent
      return
    }
    switch name {
    case "onAppear", "task", "animation": self = .absent
    case "action", "list", "dismiss":
      self = WireProperty.places.contains(kind) ? .absent : name == "action" ? .flag : .value(value)
    case "bind", "selection", "focus": self = .flag
    case "id", "selected": self = .id(value)
    case "window":
      self = ViewNode(["window": value]).window.map { .window($0) } ?? .absent
    case "href": self = WireProperty.address(value, SafeAddress.link)
    case "source": self = WireProperty.address(value, SafeAddress.image)
    case "error" where value.object != nil:
      self = isProduction ? .value(["message": "this part cannot be shown"]) : .value(value)
    default:
      if WireProperty.actions.contains(name) {
        self = .flag
      } else if WireProperty.presentations.contains(name), value.object != nil {
        self = .node(value)
      } else {
        self = .value(value)
      }
    }
  }

  private static func address(_ value: Value, _ safe: (String) -> String?) -> WireProperty {
    value.string.flatMap(safe).map { .value(.string($0)) } ?? .absent
  }
}
