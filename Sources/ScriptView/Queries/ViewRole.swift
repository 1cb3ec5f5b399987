/// The role of something on a screen, as tests and assistive technology name it: the kind of an element, or one of `row`, `cell`,
/// `option`, `tab`, `alert`, `dialog`, `sheet`, `cover`, `popover`.
public struct ViewRole: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }
  public init(stringLiteral value: String) { rawValue = value }

  public static let alert: ViewRole = "alert"
  public static let button: ViewRole = "button"
  public static let datePicker: ViewRole = "datePicker"
  public static let dialog: ViewRole = "dialog"
  public static let heading: ViewRole = "heading"
  public static let link: ViewRole = "link"
  public static let list: ViewRole = "list"
  public static let menu: ViewRole = "menu"
  public static let option: ViewRole = "option"
  public static let picker: ViewRole = "picker"
  public static let row: ViewRole = "row"
  public static let secureField: ViewRole = "secureField"
  public static let sheet: ViewRole = "sheet"
  public static let slider: ViewRole = "slider"
  public static let stepper: ViewRole = "stepper"
  public static let tab: ViewRole = "tab"
  public static let table: ViewRole = "table"
  public static let text: ViewRole = "text"
  public static let textEditor: ViewRole = "textEditor"
  public static let textField: ViewRole = "textField"
  public static let toggle: ViewRole = "toggle"
}
