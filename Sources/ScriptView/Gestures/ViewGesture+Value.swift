import ScriptValue

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
      self = .move(ids, to: row)
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
    case .move(let ids, let row):
      ["gesture": "move", "ids": .array(Value.List(ids)), "to": .integer(Int64(row))]
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
