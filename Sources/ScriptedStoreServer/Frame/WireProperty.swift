import ScriptView

/// What a page gets of a property of a node.
enum WireProperty {
  /// Nothing: the page has no use for it.
  case never
  /// That the node does not have it, or has no value that may be shown.
  case removed
  /// That the node has it. Actions themselves stay here.
  case flag
  case value(Value)
  case id(Value)
  /// A presented child.
  case node(Value)
  case window(ViewWindow)

  private static let actions = Set(ViewElement.actionProperties)
  private static let presentations = Set(ViewElement.presentations)
  /// The properties whose texts a page shows.
  private static let texts: Set<String> = {
    let scalars = ViewElement.all.flatMap(\.properties).filter { $0.kind == .scalar }
    return Set(scalars.map(\.name)).union(["message", "icon", "currency", "shortcut"])
  }()
  private static let places: Set<String> = ["child", "forEach", "navigation"]

  /// - Parameter kind: that of the node.
  init(_ name: String, _ value: Value, ofKind kind: String, isProduction: Bool) {
    switch name {
    case "onAppear", "task", "animation", "compact": self = .never
    case _ where value.isNull: self = .removed
    case "action", "list", "dismiss":
      self = WireProperty.places.contains(kind) ? .never : name == "action" ? .flag : .value(value)
    case "bind", "selection", "focus": self = .flag
    case "id", "selected": self = .id(value)
    case "window":
      self = ViewNode(["window": value]).window.map { .window($0) } ?? .removed
    case "href": self = WireProperty.address(value, SafeAddress.link)
    case "file": self = ViewFile(value).map { .value(.string(FileAddress.of($0))) } ?? .removed
    case "source": self = WireProperty.address(value, SafeAddress.image)
    case "error" where value.object != nil:
      self =
        isProduction
        ? .value(["message": "this part cannot be shown"]) : .value(WireProperty.visible(value))
    case "options", "columns": self = .value(WireProperty.visible(value, name))
    case "value" where kind == "file":
      // A page needs the name alone.
      self = ViewFile(value).map { .value(WireProperty.visible(.string($0.name))) } ?? .removed
    case "value" where ViewElement.named(kind)?.group == .show:
      self = .value(WireProperty.visible(value))
    case _ where WireProperty.texts.contains(name): self = .value(WireProperty.visible(value))
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

  // MARK: Texts

  /// The value without characters that control a terminal or change the direction of text, as in all drawings. The text of
  /// an input is not changed in this way, because the page answers with changes of that text.
  static func visible(_ value: Value) -> Value {
    switch value {
    case .string(let text): .string(DrawnText.visible(text))
    case .object(let object):
      .object(Value.Object(object.map { (key: $0, value: visible($1)) }))
    default: value
    }
  }

  /// Options or columns with visible labels or titles. The value of an option is what a person chooses, and stays.
  private static func visible(_ list: Value, _ name: String) -> Value {
    guard let items = list.array else { return list }
    if name == "columns" { return .array(Value.List(items.map { visible($0) })) }
    return .array(
      Value.List(
        items.map { item in
          let value = item.object == nil ? item : item["value"]
          let label = item.object?["label"] ?? value
          let shown = visible(label)
          if shown == label { return item }
          return ["value": value, "label": shown]
        }))
  }

  private static func address(_ value: Value, _ safe: (String) -> String?) -> WireProperty {
    value.string.flatMap(safe).map { .value(.string($0)) } ?? .removed
  }
}
