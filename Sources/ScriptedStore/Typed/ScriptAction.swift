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
  /// The table of an action with a payload. The type wins over a field of that name.
  public static func action(_ type: String, _ fields: ActionField...) -> Value {
    var object: Value.Object = ["type": .string(type)]
    for field in fields where field.name != "type" { object[field.name] = field.value }
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

/// The actions of a child that `ifLet` presents. As TCA's `PresentationAction`.
public enum PresentationAction<Child: ScriptAction>: ScriptAction {
  /// Lets go of the child.
  case dismiss
  case presented(Child)

  public func encoded() throws -> Value {
    switch self {
    case .dismiss: return .action("dismiss")
    case .presented(let action): return try action.encoded()
    }
  }
}

/// The actions of a stack. As TCA's `StackAction`.
public enum StackAction<State: Encodable & Sendable, Child: ScriptAction>: ScriptAction {
  /// An action of the element with this id.
  case element(id: Int, Child)
  /// Takes the element with this id from the stack, and those above it.
  case popFrom(id: Int)
  /// Puts an element on the stack, which gives it the next id.
  case push(State)

  public func encoded() throws -> Value {
    switch self {
    case .element: throw ActionError("the action of a stack's element goes in `stack(_:_:)`")
    case .popFrom(let id): return try .action("popFrom", .field("id", id))
    case .push(let state): return try .action("push", .field("state", state))
    }
  }
}

extension Value {
  /// The table of an action of a stack: an element's id stands beside the type of the stack.
  public static func action<State, Child>(
    _ type: String, _ action: StackAction<State, Child>
  ) throws -> Value {
    if case .element(let id, let child) = action { return try .action(type, id: id, child) }
    return try nesting(action, in: type, id: nil)
  }
}

/// An element of a stack: its id, and its state.
public struct StackElement<State> {
  /// What the stack numbers its elements with. Ids never come twice.
  public var id: Int
  public var state: State

  public init(id: Int, state: State) {
    self.id = id
    self.state = state
  }

  private enum CodingKeys: String, CodingKey { case id }
}

extension StackElement: Identifiable {}
extension StackElement: Sendable where State: Sendable {}
extension StackElement: Equatable where State: Equatable {}

/// In Lua both are one table: `{ id = 0, detail = … }`.
extension StackElement: Decodable where State: Decodable {
  public init(from decoder: any Decoder) throws {
    id = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .id)
    state = try State(from: decoder)
  }
}

extension StackElement: Encodable where State: Encodable {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try state.encode(to: encoder)
  }
}

/// A field of a state, and the value that a control has given it: `.binding(.filter(.active))`. Generated
/// types have a function for each field.
public struct ScriptBinding<State>: ScriptAction {
  private let key: String
  private let encode: @Sendable () throws -> Value

  /// - Parameter key: the name of a field, or a path as `syncUp.title` and `attendees[3].name`.
  public init(key: String, _ value: some Encodable & Sendable) {
    self.key = key
    encode = { try Value(encoding: value) }
  }

  /// A binding of a field inside of another one: `.binding(.path("syncUp.title", "Design"))`. The
  /// compiler does not check it.
  public static func path(_ key: String, _ value: some Encodable & Sendable) -> ScriptBinding {
    ScriptBinding(key: key, value)
  }

  public func encoded() throws -> Value {
    try .action("binding", .field("key", key), .field("value", encode()))
  }
}
