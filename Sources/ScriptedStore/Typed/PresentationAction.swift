import LuaBridge

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
    guard let nested = Value.nesting(try action.encoded(), type: type) else {
      throw ActionError(tooDeep: type)
    }
    return nested
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
