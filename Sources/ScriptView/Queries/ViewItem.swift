import ScriptValue

/// Something on the screen as a person perceives it: its role, and what it is called.
///
/// The roles are the kinds of elements, and `row`, `cell`, `option`, `tab`, `alert`, `dialog`,
/// `sheet`, `cover` and `popover`. One node may have two: a row may be a button.
public struct ViewItem: Sendable {
  public let role: String
  /// What it is called; nil if it has no name.
  public let name: String?
  /// The node; of an option that of its picker.
  public let location: ViewLocation
  /// The number of a row in its list, of a cell in its row, of an option or tab; from 1.
  public let number: Int?
  /// Whether a row is selected, an option or tab chosen, or a toggle on.
  public let isSelected: Bool
  /// The option, which is no node of its own: its location is that of the picker.
  public let option: ViewOption?

  init(
    _ role: String, _ name: String?, _ location: ViewLocation, number: Int? = nil,
    isSelected: Bool = false, option: ViewOption? = nil
  ) {
    self.role = role
    self.name = name
    self.location = location
    self.number = number
    self.isSelected = isSelected
    self.option = option
  }

  /// Whether the node, or one around it, is disabled.
  public var isDisabled: Bool { location.disabled != nil }

  /// Whether the item is called so. A row is also called as each text in it.
  func isCalled(_ name: String) -> Bool {
    self.name == name || (role == "row" || role == "cell") && location.texts.contains(name)
  }

  /// The item in a message: `button 'Add'`.
  var description: String { role.shownInMessage + (name.map { " '\($0.shownInMessage)'" } ?? "") }
}

extension ViewScreen {
  /// Does something with an item; see ``perform(_:at:)``. An option is chosen by tapping it.
  public func perform(
    _ gesture: ViewGesture, on item: ViewItem
  ) throws(ViewRefusal) -> ViewOutcome {
    guard let option = item.option else { return try perform(gesture, at: item.location.path) }
    guard gesture == .tap || gesture == .select(nil) else {
      throw ViewRefusal(
        .impossible,
        "one cannot \(gesture.phrase(onList: false)) the option '\(option.label.shownInMessage)'; "
          + "one can tap")
    }
    return try perform(.enter(option.value), at: item.location.path)
  }
}

/// The role of something on a screen, as tests and assistive technology name it: the kind of an element, or one of `row`, `cell`,
/// `option`, `tab`, `alert`, `dialog`, `sheet`, `cover`, `popover`.
public struct ViewRole: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }
  public init(stringLiteral value: String) { rawValue = value }

  public static let alert: ViewRole = "alert"
  public static let badge: ViewRole = "badge"
  public static let button: ViewRole = "button"
  public static let canvas: ViewRole = "canvas"
  public static let cell: ViewRole = "cell"
  public static let cover: ViewRole = "cover"
  public static let date: ViewRole = "date"
  public static let datePicker: ViewRole = "datePicker"
  public static let dialog: ViewRole = "dialog"
  public static let disclosure: ViewRole = "disclosure"
  public static let file: ViewRole = "file"
  public static let form: ViewRole = "form"
  public static let group: ViewRole = "group"
  public static let heading: ViewRole = "heading"
  public static let host: ViewRole = "host"
  public static let icon: ViewRole = "icon"
  public static let image: ViewRole = "image"
  public static let link: ViewRole = "link"
  public static let list: ViewRole = "list"
  public static let menu: ViewRole = "menu"
  public static let number: ViewRole = "number"
  public static let option: ViewRole = "option"
  public static let picker: ViewRole = "picker"
  public static let popover: ViewRole = "popover"
  public static let progress: ViewRole = "progress"
  public static let row: ViewRole = "row"
  public static let screen: ViewRole = "screen"
  public static let scroll: ViewRole = "scroll"
  public static let secureField: ViewRole = "secureField"
  public static let section: ViewRole = "section"
  public static let sheet: ViewRole = "sheet"
  public static let slider: ViewRole = "slider"
  public static let stepper: ViewRole = "stepper"
  public static let tab: ViewRole = "tab"
  public static let table: ViewRole = "table"
  public static let tabs: ViewRole = "tabs"
  public static let text: ViewRole = "text"
  public static let textEditor: ViewRole = "textEditor"
  public static let textField: ViewRole = "textField"
  public static let toast: ViewRole = "toast"
  public static let toggle: ViewRole = "toggle"
  public static let toolbar: ViewRole = "toolbar"
}
