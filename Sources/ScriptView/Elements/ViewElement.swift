/// An element of a view: its name, and what it may have.
///
/// ``ViewElement/all`` is the only list of elements. `scripted.ui`, `runner check`, the definitions
/// for the Lua language server and those who draw take it from here, or are compared with it by a
/// test.
public struct ViewElement: Sendable {
  /// What an element is for.
  public enum Group: String, Sendable, CaseIterable {
    case show, act, enter, arrange, place
  }

  /// Which children an element may have.
  public enum Children: Sendable {
    case none
    /// A text of its own: the first string or number of the array part, as its property `text`.
    case text
    case nodes
  }

  /// The value of `kind`, which is also the name of the function in `scripted.ui`.
  public let kind: String
  public let group: Group
  public let children: Children
  /// The element's own properties, and those that all elements of its group have.
  public let properties: [ViewProperty]

  init(
    _ kind: String, _ group: Group, _ children: Children = .none,
    _ own: [ViewProperty] = []
  ) {
    self.kind = kind
    self.group = group
    self.children = children
    properties =
      own + (children.isText ? [ViewProperty("text", .scalar)] : []) + group.properties
      + (children.isNodes ? ViewElement.container : []) + ViewElement.common
  }

  public static func named(_ kind: String) -> ViewElement? { byKind[kind] }

  public func property(_ name: String) -> ViewProperty? {
    properties.first { $0.name == name }
  }

  private static let byKind = Dictionary(uniqueKeysWithValues: all.map { ($0.kind, $0) })

  // MARK: The elements

  public static let all: [ViewElement] = [
    // What shows.
    ViewElement("text", .show, .text, [style("title", "headline", "body", "caption", "code")]),
    ViewElement("heading", .show, .text, [.init("level", .count([]))]),
    ViewElement("image", .show, .none, [.init("source", .text)]),
    ViewElement("icon", .show, .text),
    ViewElement(
      "progress", .show, .none,
      [.init("value", .number), .init("max", .number), style("bar", "spinner")]),
    ViewElement("divider", .show),
    ViewElement("spacer", .show),
    ViewElement("badge", .show, .text),
    ViewElement(
      "date", .show, .none,
      [.init("value", .text), style("date", "time", "dateTime", "relative")]),
    ViewElement(
      "number", .show, .none,
      [
        .init("value", .number), style("decimal", "percent", "currency", "bytes"),
        .init("digits", .number), .init("currency", .text),
      ]),

    // What acts.
    ViewElement(
      "button", .act, .text,
      [
        .init("action", .action), .init("role", .word(["primary", "cancel", "destructive"])),
        style("plain", "bordered", "prominent"), .init("icon", .text),
      ]),
    ViewElement("link", .act, .text, [.init("action", .action), .init("href", .text)]),
    ViewElement("menu", .act, .nodes, [.init("icon", .text)]),

    // What one enters.
    ViewElement("textField", .enter, .none, textEntry + [keyboard]),
    ViewElement("secureField", .enter, .none, textEntry),
    ViewElement("textEditor", .enter, .none, textEntry + [.init("lines", .count([]))]),
    ViewElement("toggle", .enter, .none, [style("checkbox", "switch")]),
    ViewElement(
      "picker", .enter, .none,
      [.init("options", .options), style("menu", "segmented", "radio")]),
    ViewElement("slider", .enter, .none, range),
    ViewElement("stepper", .enter, .none, range),
    ViewElement(
      "datePicker", .enter, .none,
      [style("date", "time", "dateTime"), .init("min", .text), .init("max", .text)]),

    // What arranges.
    ViewElement("row", .arrange, .nodes, [.init("wrap", .boolean)]),
    ViewElement("column", .arrange, .nodes),
    ViewElement("grid", .arrange, .nodes, [.init("columns", .count(["fit"]))]),
    ViewElement("scroll", .arrange, .nodes, [.init("axis", .word(["vertical", "horizontal"]))]),
    ViewElement("screen", .arrange, .nodes, [.init("title", .scalar)]),
    ViewElement("form", .arrange, .nodes, [.init("onSubmit", .action)]),
    ViewElement("section", .arrange, .nodes, [.init("title", .scalar), .init("footer", .scalar)]),
    ViewElement("list", .arrange, .nodes, rows + [style("plain", "inset", "cards")]),
    ViewElement("table", .arrange, .nodes, rows + [.init("columns", .columns)]),
    ViewElement("toolbar", .arrange, .nodes),
    ViewElement("tabs", .arrange, .nodes, entry),
    ViewElement("disclosure", .arrange, .nodes, entry),
    ViewElement("group", .arrange, .nodes, [.init("title", .scalar)]),

    // What places. `forEach`, `child` and `navigation` are made by functions of their own.
    ViewElement(
      "forEach", .place, .nodes,
      [.init("action", .text), .init("list", .any), .init("only", .any)]),
    ViewElement("child", .place, .nodes, [.init("action", .text)]),
    ViewElement("navigation", .place, .nodes, [.init("action", .text)]),
    ViewElement("host", .place, .nodes),
  ]

  // MARK: Properties that several elements have

  static func style(_ words: String...) -> ViewProperty { .init("style", .word(words)) }

  private static let keyboard = ViewProperty(
    "keyboard", .word(["text", "email", "url", "number", "phone"]))

  private static let entry: [ViewProperty] = [
    .init("bind", .field), .init("value", .any), .init("onChange", .action),
  ]

  private static let textEntry: [ViewProperty] = [
    .init("prompt", .scalar), .init("onSubmit", .action),
  ]

  private static let range: [ViewProperty] = [
    .init("min", .number), .init("max", .number), .init("step", .number),
  ]

  private static let rows: [ViewProperty] = [
    .init("selection", .field), .init("onDelete", .action), .init("onMove", .action),
    .init("window", .boolean),
  ]

  /// What a container may have: how it arranges, and what it presents.
  private static let container: [ViewProperty] = [
    .init("spacing", .word(["none", "small", "medium", "large"])), .init("focus", .field),
    .init("sheet", .presentation), .init("cover", .presentation),
    .init("popover", .presentation), .init("dialog", .presentation),
    .init("alert", .presentation),
  ]

  /// What any element may have.
  private static let common: [ViewProperty] = [
    .init("label", .scalar), .init("hint", .scalar), .init("decorative", .boolean),
    .init("announce", .boolean), .init("tone", .word(tones)), .init("class", .text),
    .init("align", .word(["start", "center", "end", "stretch"])), .init("grow", .boolean),
    .init("onAppear", .action), .init("task", .action), .init("animation", .any),
    .init("name", .text),
  ]

  public static let tones = ["neutral", "accent", "success", "warning", "danger", "secondary"]

  /// The presentations, from the one that covers least to the one that covers most.
  public static let presentations = ["popover", "dialog", "sheet", "cover", "alert"]
}

extension ViewElement.Group {
  /// The properties that all elements of the group have.
  fileprivate var properties: [ViewProperty] {
    switch self {
    case .show: []
    // Nothing inside of it can be used.
    case .arrange: [.init("disabled", .boolean)]
    case .act: [.init("disabled", .boolean), .init("shortcut", .text)]
    case .enter:
      [
        .init("bind", .field), .init("value", .any), .init("onChange", .action),
        .init("disabled", .boolean), .init("labelHidden", .boolean), .init("error", .scalar),
        .init("shortcut", .text),
      ]
    case .place: [.init("env", .table)]
    }
  }
}

extension ViewElement.Children {
  package var isText: Bool { if case .text = self { true } else { false } }
  package var isNodes: Bool { if case .nodes = self { true } else { false } }
}
