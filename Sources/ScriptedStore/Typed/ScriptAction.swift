import LuaBridge

/// The actions of a feature as a type of Swift, so that the compiler checks what is sent.
/// `runner swift` and the plug-in `ScriptTypes` make such types of features that are written in Lua.
///
/// ```swift
/// enum CounterAction: ScriptAction {
///   case increment(by: Int? = nil)
///
///   func encoded() throws -> Value {
///     switch self {
///     case .increment(let by): return try .action("increment", .field("by", by))
///     }
///   }
/// }
/// ```
public protocol ScriptAction: Sendable {
  /// The action's table: an object with a string `type`, and its payload.
  ///
  /// - Throws: What the encoding of a payload throws; an `ActionError` if the action nests too deep.
  func encoded() throws -> Value
}

/// Stands for the actions of a feature that nothing is known of.
extension Action: ScriptAction {
  public func encoded() throws -> Value { value }
}

/// A field of an action's payload.
public struct ActionField: Sendable {
  fileprivate let name: String
  /// nil for a field that the action does not have.
  fileprivate let value: Value?

  public static func field(_ name: String, _ value: some Encodable) throws -> ActionField {
    ActionField(name: name, value: try Value(encoding: value))
  }

  /// A field that the action has only if the value is not nil.
  public static func field<T: Encodable>(_ name: String, _ value: T?) throws -> ActionField {
    ActionField(name: name, value: try value.map { try Value(encoding: $0) })
  }
}

/// What implementations of ``ScriptAction/encoded()`` are made of.
extension Value {
  /// The table of an action with a payload.
  public static func action(_ type: String, _ fields: ActionField...) -> Value {
    var object: Value.Object = ["type": .string(type)]
    for field in fields { object[field.name] = field.value }
    return .object(object)
  }

  /// The table of an action with a payload that is known only when it is sent. The type wins over a
  /// field of that name.
  public static func action(_ type: String, fields: [String: Value]) -> Value {
    var object: Value.Object = ["type": .string(type)]
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) where name != "type" {
      object[name] = value
    }
    return .object(object)
  }

  /// The table of an action that holds the action of a child, or one of an own group.
  public static func action(_ type: String, _ nested: some ScriptAction) throws -> Value {
    try nesting(nested, in: type, id: nil)
  }

  /// The table of an action that holds the action of an element.
  public static func action(
    _ type: String, id: some Encodable, _ nested: some ScriptAction
  ) throws -> Value {
    try nesting(nested, in: type, id: try Value(encoding: id))
  }

  private static func nesting(
    _ nested: some ScriptAction, in type: String, id: Value?
  ) throws -> Value {
    guard let action = Value.nesting(try nested.encoded(), type: type, id: id) else {
      throw ActionError(tooDeep: type)
    }
    return action
  }
}
