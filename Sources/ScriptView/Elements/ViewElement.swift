/// An element of a view: its name, and what it may have.
///
/// ``ViewElement/all`` is the only list of elements. `scripted.ui`, `runner check`, the definitions
/// for the Lua language server and the renderers take it from here, or a test compares them with
/// it.
///
/// A new element is a case of `ElementKind`, its row in `ElementKind.element`, and its drawings in
/// `TextBuilder` and `HTMLBuilder`. A control also has its focus and keys in `FocusStop`.
public struct ViewElement: Sendable {
  /// What an element is for.
  public enum Group: String, Sendable, CaseIterable {
    case show, act, enter, arrange, place
    /// What is in an element that makes it of data, and has no function of its own.
    case part
  }

  /// Which children an element may have.
  public enum Children: Sendable {
    case none
    /// A text of its own: the first string or number of the array part, as its property `text`.
    case text
    case nodes
  }

  /// The text that an element shows of itself; what is in it has texts of its own.
  enum ShownText {
    case text, title
    /// The label, unless a property hides it.
    case visibleLabel
    /// The label, unless it is there for its looks only.
    case picture
    case value
    /// The label of the chosen option.
    case option
    /// A number or a date as it is drawn.
    case number, date
    /// The name of the file that was chosen.
    case file
  }

  /// The values that a person may enter.
  enum Entry {
    /// A text of one line.
    case line
    /// A text of any lines.
    case text
    case boolean, option, tab, number, date
    /// A file; see ``ViewFile``.
    case file
  }

  /// The value of `kind`, which is also the name of the function in `scripted.ui`.
  public var kind: String { elementKind.rawValue }
  package let elementKind: ElementKind
  public let group: Group
  public let children: Children
  /// The element's own properties, and those that all elements of its group have.
  public let properties: [ViewProperty]
  /// Nil for an element without a text of its own.
  let shownText: ShownText?
  /// Nil for an element into which nothing is entered.
  let entry: Entry?
  /// Whether a person perceives the element itself, and not only what is in it.
  let isItem: Bool

  fileprivate init(
    _ kind: ElementKind, _ group: Group, _ children: Children = .none,
    _ own: [ViewProperty] = [], shows shownText: ShownText? = nil, takes entry: Entry? = nil,
    isItem: Bool = true
  ) {
    elementKind = kind
    self.group = group
    self.children = children
    self.shownText = shownText
    self.entry = entry
    self.isItem = isItem
    let hasOwnText = own.contains { $0.name == "text" }
    properties =
      own + (children.isText && !hasOwnText ? [ViewProperty("text", .scalar)] : [])
      + group.properties
      + (children.isNodes ? ViewElement.container : []) + ViewElement.common
  }

  public static let all: [ViewElement] = ElementKind.allCases.map(\.element)

  public static func named(_ kind: String) -> ViewElement? { byKind[kind] }

  public func property(_ name: String) -> ViewProperty? {
    properties.first { $0.name == name }
  }

  private static let byKind = Dictionary(uniqueKeysWithValues: all.map { ($0.kind, $0) })

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

/// The elements, in the order of ``ViewElement/all``.
package enum ElementKind: String, Sendable, CaseIterable {
  // What shows.
  case text, heading, image, icon, progress, divider, spacer, badge, date, number
  case canvas
  // What acts.
  case button, link, menu, toast
  // What one enters.
  case textField, secureField, textEditor, toggle, picker, slider, stepper, datePicker, file
  // What arranges.
  case row, column, columns, grid, scroll, screen, form, section, list, table, toolbar, tabs,
    disclosure
  case group, empty
  // What places. `forEach`, `child` and `navigation` are made by functions of their own.
  case forEach, child, navigation, host
  // What a canvas makes of its shapes.
  case shape

  /// What the element may have, and how people know it.
  fileprivate var element: ViewElement {
    switch self {
    case .text:
      .init(
        self, .show, .text, [.style("title", "headline", "body", "caption", "code")],
        shows: .text)
    case .heading: .init(self, .show, .text, [.init("level", .count([]))], shows: .text)
    case .image:
      .init(
        self, .show, .none,
        [
          .init("source", .text), .init("file", .file), .init("width", .number),
          .init("height", .number),
        ], shows: .picture)
    case .icon: .init(self, .show, .text, [.init("text", .icon)], shows: .picture)
    case .progress:
      .init(
        self, .show, .none,
        [.init("value", .number), .init("max", .number), .style("bar", "spinner")])
    case .divider, .spacer: .init(self, .show, isItem: false)
    case .badge: .init(self, .show, .text, shows: .text)
    case .date:
      .init(
        self, .show, .none,
        [.init("value", .text), .style("date", "time", "dateTime", "relative")], shows: .date)
    case .number:
      .init(
        self, .show, .none,
        [
          .init("value", .number), .style("decimal", "percent", "currency", "bytes"),
          .init("digits", .number), .init("currency", .text),
        ], shows: .number)

    case .canvas:
      .init(
        self, .show, .none,
        [.init("width", .number), .init("height", .number), .init("shapes", .shapes)],
        shows: .picture)

    case .button:
      .init(
        self, .act, .text,
        [
          .init("action", .action), .init("role", .word(["primary", "cancel", "destructive"])),
          .style("plain", "bordered", "prominent"), .init("icon", .icon), .init("copy", .text),
        ], shows: .text)
    case .link:
      .init(
        self, .act, .text,
        [.init("action", .action), .init("href", .text), .init("file", .file)], shows: .text)
    case .menu:
      .init(self, .act, .nodes, [.init("icon", .icon), .init("labelHidden", .boolean)])
    case .toast:
      .init(
        self, .act, .text, [.init("action", .action), .init("button", .scalar)], shows: .text)

    case .textField:
      .init(
        self, .enter, .none, ViewProperty.textEntry + [.keyboard, .style("search")],
        shows: .value, takes: .line)
    case .secureField: .init(self, .enter, .none, ViewProperty.textEntry, takes: .line)
    case .textEditor:
      .init(
        self, .enter, .none, ViewProperty.textEntry + [.init("lines", .count([]))],
        shows: .value, takes: .text)
    case .toggle:
      .init(
        self, .enter, .none, [.style("checkbox", "switch")], shows: .visibleLabel,
        takes: .boolean)
    case .picker:
      .init(
        self, .enter, .none,
        [.init("options", .options), .style("menu", "segmented", "radio")], shows: .option,
        takes: .option)
    case .slider, .stepper:
      .init(self, .enter, .none, ViewProperty.range, shows: .value, takes: .number)
    case .datePicker:
      .init(
        self, .enter, .none,
        [.style("date", "time", "dateTime"), .init("min", .text), .init("max", .text)],
        shows: .value, takes: .date)
    case .file:
      .init(
        self, .enter, .none, [.init("accept", .names), .init("maxBytes", .count([]))],
        shows: .file, takes: .file)

    case .row: .init(self, .arrange, .nodes, [.init("wrap", .boolean)], isItem: false)
    case .column: .init(self, .arrange, .nodes, isItem: false)
    case .columns:
      .init(
        self, .arrange, .nodes,
        // On a narrow screen the store makes a `tabs` node of one with `compact = "tabs"`.
        ViewProperty.entry + [.init("compact", .word(["tabs"])), .style("sidebar")], isItem: false)
    case .grid: .init(self, .arrange, .nodes, [.init("columns", .count(["fit"]))], isItem: false)
    case .scroll:
      .init(self, .arrange, .nodes, [.init("axis", .word(["vertical", "horizontal"]))])
    case .screen:
      .init(
        self, .arrange, .nodes,
        [.init("title", .scalar), .init("width", .word(["narrow", "wide", "full"]))],
        shows: .title)
    case .form: .init(self, .arrange, .nodes, [.init("onSubmit", .action)])
    case .section:
      .init(
        self, .arrange, .nodes, [.init("title", .scalar), .init("footer", .scalar)],
        shows: .title)
    case .list:
      .init(self, .arrange, .nodes, ViewProperty.rows + [.style("plain", "inset", "cards")])
    case .table: .init(self, .arrange, .nodes, ViewProperty.rows + [.init("columns", .columns)])
    case .toolbar: .init(self, .arrange, .nodes)
    case .tabs: .init(self, .arrange, .nodes, ViewProperty.entry, takes: .tab)
    case .disclosure: .init(self, .arrange, .nodes, ViewProperty.entry, takes: .boolean)
    case .group: .init(self, .arrange, .nodes, [.init("title", .scalar)], shows: .title)
    case .empty: .init(self, .arrange, .nodes, isItem: false)

    case .forEach:
      .init(
        self, .place, .nodes,
        [.init("action", .text), .init("list", .any), .init("only", .any)], isItem: false)
    case .child, .navigation:
      .init(self, .place, .nodes, [.init("action", .text)], isItem: false)
    case .host: .init(self, .place, .nodes)

    case .shape:
      .init(self, .part, .none, [.init("shape", .text), .init("onTap", .action)], isItem: false)
    }
  }
}

// MARK: Properties that several elements have

extension ViewProperty {
  fileprivate static func style(_ words: String...) -> ViewProperty {
    .init("style", .word(words))
  }

  fileprivate static let keyboard = ViewProperty(
    "keyboard", .word(["text", "email", "url", "number", "phone"]))

  fileprivate static let entry: [ViewProperty] = [
    .init("bind", .field), .init("value", .any), .init("onChange", .action),
  ]

  fileprivate static let textEntry: [ViewProperty] = [
    .init("prompt", .scalar), .init("onSubmit", .action),
  ]

  fileprivate static let range: [ViewProperty] = [
    .init("min", .number), .init("max", .number), .init("step", .number),
  ]

  fileprivate static let rows: [ViewProperty] = [
    .init("selection", .field), .init("onDelete", .action), .init("onMove", .action),
    .init("window", .boolean), .init("empty", .node), .init("accepts", .names),
    .init("onDrop", .action),
  ]
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
    case .part: [.init("disabled", .boolean)]
    }
  }
}

extension ViewElement.Children {
  package var isText: Bool { if case .text = self { true } else { false } }
  package var isNodes: Bool { if case .nodes = self { true } else { false } }
}

/// A property that an element may have.
public struct ViewProperty: Sendable, Hashable {
  /// What a property's value must be. Any property may be left out.
  public enum Kind: Sendable, Hashable {
    case boolean
    case number
    case text
    /// A text or a number.
    case scalar
    /// One of these words.
    case word([String])
    /// A whole number from `1`, or one of these words.
    case count([String])
    /// A path, `{ path, payload }`, or an action's table.
    case action
    /// The dotted path of a field of the view's state.
    case field
    /// The name of an icon of ``ViewIcon``, or a text without letters that is shown as it is.
    case icon
    /// A list of texts, numbers, or `{ value, label }`.
    case options
    /// A list of `{ title, grow?, align? }`.
    case columns
    /// A name, or a list of names.
    case names
    /// The path of a file, or what a `file` element has entered; see ``ViewFile``.
    case file
    /// A list of shapes: what ``ViewElement`` `canvas` draws.
    case shapes
    /// The action path of a child that is presented while it is there.
    case presentation
    /// A node, or nothing. It becomes the last child.
    case node
    /// A table.
    case table
    /// Any value that a state may have.
    case any
  }

  public let name: String
  public let kind: Kind

  init(_ name: String, _ kind: Kind) {
    self.name = name
    self.kind = kind
  }
}
