import LuaBridge

/// A child of a feature with the types of its state and its actions, for ``ScriptStore/scope(_:)``.
/// Generated types have one for each child: `.settings`, `.todos(id: 3)`.
public struct ScriptScope<Parent: ScriptAction, State: Decodable & Sendable, Action: ScriptAction>:
  Sendable
{
  private let key: ValuePath
  private let action: String
  private let element: Value?

  private init(_ key: String, _ action: String, _ element: Value?) {
    self.key = ValuePath(key.split(separator: ".").map { .key(String($0)) })
    self.action = action
    self.element = element
  }

  /// The child whose state is at `key`.
  public init(of key: String, action: String) { self.init(key, action, nil) }

  /// An element of the list or object at `key`.
  public init(element id: Value, of key: String, action: String) { self.init(key, action, id) }

  /// An element of the list at `key`.
  public init(element id: Int, of key: String, action: String) {
    self.init(key, action, .integer(Int64(id)))
  }

  /// An element of the list or object at `key`.
  public init(element id: String, of key: String, action: String) {
    self.init(key, action, .string(id))
  }

  func child(of store: Store) -> Store {
    guard let element else { return store.scope(state: key, action: action) }
    return store.scope(element: element, of: key, action: action)
  }
}
