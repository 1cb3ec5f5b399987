import ScriptValue

/// What a person does with a node.
public enum ViewGesture: Sendable, Hashable {
  /// Uses a button, a link, a toggle, a disclosure or a tab; selects a row; focuses a field.
  case tap
  /// Enters a whole value: the text of a field, an option's value, a number, whether a toggle is
  /// on.
  case enter(Value)
  /// Submits a field or a form.
  case submit
  /// Gives the focus to a control, or takes it away.
  case focus, blur
  /// Selects a row of a list by its id, or none. Of a row itself: that row.
  case select(Value?)
  /// Deletes rows of a list by their ids. Of a row itself, without ids: that row.
  case delete([Value])
  /// Moves rows of a list by their ids before the row with a number, from 1; that of the end is one
  /// more than there are. Of a row itself, without ids: that row. With the path of another list it
  /// is dropped there.
  case move([Value], to: Int, into: ViewPath? = nil)
  /// Closes what is presented.
  case dismiss
  /// Goes back in a navigation.
  case back
  /// Presses a shortcut, as `"mod+n"`.
  case press(String)

  /// What one does with a node, before the node's name in a message.
  func phrase(onList: Bool) -> String {
    switch self {
    case .tap: "tap"
    case .enter: "enter a value into"
    case .submit: "submit"
    case .focus, .blur: "focus"
    case .select: onList ? "select a row of" : "select"
    case .delete: onList ? "delete rows of" : "delete"
    case .move: onList ? "move rows of" : "move"
    case .dismiss: "dismiss"
    case .back: "go back in"
    case .press: "press a shortcut of"
    }
  }
}

/// What follows from a gesture.
public enum ViewOutcome: Sendable, Hashable {
  /// An action of the root store, nested by the places around the node; with what its observers get
  /// with the change, if the node has an `animation`.
  case send(Value, transaction: Value?)
  /// The address of a link, which is safe to open.
  case open(String)
  /// The file of a link, which the person wants to have.
  case download(ViewFile)
  /// The text of a button, for the clipboard.
  case copy(String)
  /// Nothing that the state knows of, as opening a menu.
  case nothing
}

/// Why a person cannot do something.
public struct ViewRefusal: Error, Sendable, Hashable, CustomStringConvertible {
  /// What kind of obstacle there is.
  public enum Reason: String, Sendable {
    /// The node is not on the screen.
    case absent
    /// A presentation covers the node.
    case covered
    /// The node, or one around it, is disabled.
    case disabled
    /// The element has no such gesture.
    case impossible
    /// The control does not take the value.
    case value
    /// The action that the script has given is malformed.
    case action
  }

  public let reason: Reason
  /// A sentence without a full stop, which names the node.
  public let message: String

  public var description: String { message }

  package init(_ reason: Reason, _ message: String) {
    self.reason = reason
    self.message = message.asMessage
  }
}

extension ViewGesture {
  /// Reads a gesture as a client sends it: `{ gesture = "enter", value = "Milk" }`. Nil if it is
  /// none.
  public init?(_ value: Value) {
    switch value["gesture"].string {
    case "tap": self = .tap
    case "enter":
      guard value.object?.contains(key: "value") == true else { return nil }
      self = .enter(value["value"])
    case "submit": self = .submit
    case "focus": self = .focus
    case "blur": self = .blur
    case "select": self = .select(value["id"].isNull ? Optional.none : value["id"])
    case "delete":
      guard let ids = value.ids else { return nil }
      self = .delete(ids)
    case "move":
      guard let ids = value.ids, let row = value["to"].int else { return nil }
      let list = ViewPath(value["into"])
      guard list != nil || value["into"].isNull else { return nil }
      self = .move(ids, to: row, into: list)
    case "dismiss": self = .dismiss
    case "back": self = .back
    case "press":
      guard let shortcut = value["shortcut"].string else { return nil }
      self = .press(shortcut)
    default: return nil
    }
  }

  /// The gesture as an object; see ``init(_:)``.
  public var value: Value {
    switch self {
    case .tap: ["gesture": "tap"]
    case .enter(let value): ["gesture": "enter", "value": value]
    case .submit: ["gesture": "submit"]
    case .focus: ["gesture": "focus"]
    case .blur: ["gesture": "blur"]
    case .select(nil): ["gesture": "select"]
    case .select(let id?): ["gesture": "select", "id": id]
    case .delete(let ids): ["gesture": "delete", "ids": .array(Value.List(ids))]
    case .move(let ids, let row, nil):
      ["gesture": "move", "ids": .array(Value.List(ids)), "to": .integer(Int64(row))]
    case .move(let ids, let row, let list?):
      [
        "gesture": "move", "ids": .array(Value.List(ids)), "to": .integer(Int64(row)),
        "into": list.value,
      ]
    case .dismiss: ["gesture": "dismiss"]
    case .back: ["gesture": "back"]
    case .press(let shortcut): ["gesture": "press", "shortcut": .string(shortcut)]
    }
  }
}

extension Value {
  /// The `ids` of a gesture, none if it has no such key; nil if they are no list.
  fileprivate var ids: [Value]? {
    self["ids"].isNull ? [] : self["ids"].array.map { Array($0) }
  }
}
