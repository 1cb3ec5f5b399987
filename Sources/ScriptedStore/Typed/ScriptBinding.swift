import LuaBridge

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
