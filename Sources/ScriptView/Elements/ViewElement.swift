/// An element of a view: its name, and what it may have.
///
/// ``ViewElement/all`` is the only list of elements. `scripted.ui`, `runner check`, the definitions for the Lua language server
/// and the renderers take it from here, or a test compares them with it. Its elements are the cases of `ElementKind`.
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

  /// The value of `kind`, which is also the name of the function in `scripted.ui`.
  public var kind: String { elementKind.rawValue }
  package let elementKind: ElementKind
  public let group: Group
  public let children: Children
  /// The element's own properties, and those that all elements of its group have.
  public let properties: [ViewProperty]
  /// What it draws, and what a person does with it.
  let behaviour: any Element

  private init(_ kind: ElementKind) {
    let behaviour = kind.behaviour
    elementKind = kind
    self.behaviour = behaviour
    group = behaviour.group
    children = behaviour.children
    let own = behaviour.properties
    let hasOwnText = own.contains { $0.name == "text" }
    properties =
      own + (children == .text && !hasOwnText ? [ViewProperty("text", .scalar)] : [])
      + group.properties
      + (children == .nodes ? ViewElement.container : []) + ViewElement.common
  }

  public static let all: [ViewElement] = ElementKind.allCases.map { ViewElement($0) }

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

// MARK: Properties that several elements have

extension ViewProperty {
  static let action = ViewProperty("action", .action)

  static func style(_ words: String...) -> ViewProperty {
    .init("style", .word(words))
  }

  static let entry: [ViewProperty] = [
    .init("bind", .field), .init("value", .any), .init("onChange", .action),
  ]

  static let textEntry: [ViewProperty] = [
    .init("prompt", .scalar), .init("onSubmit", .action),
  ]

  static let range: [ViewProperty] = [
    .init("min", .number), .init("max", .number), .init("step", .number),
  ]

  static let rows: [ViewProperty] = [
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
    case .act: [.init("disabled", .boolean), .init("shortcut", .shortcut)]
    case .enter:
      ViewProperty.entry + [
        .init("disabled", .boolean), .init("labelHidden", .boolean), .init("error", .scalar),
        .init("shortcut", .shortcut),
      ]
    case .place: [.init("env", .table)]
    case .part: [.init("disabled", .boolean)]
    }
  }
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
    /// Keys that use the element, as `mod+n`.
    case shortcut
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
