import LuaBridge

/// A field of a state that a control shows and changes.
///
/// ```swift
/// let draft = store.binding("draft")
/// Binding(get: { draft.get().string ?? "" }, set: { draft.set(.string($0)) })   // SwiftUI's
/// ```
@MainActor
public struct ObservableBinding {
  /// The field, as the script's bindings name it.
  public let key: String
  private let store: ObservableStore
  private let tree: ObservedTree

  init(_ key: String, _ store: ObservableStore, _ tree: ObservedTree) {
    self.key = key
    self.store = store
    self.tree = tree
  }

  /// The field's value; null if there is none. Who tracks hears of its changes.
  public func get() -> Value { store.part(ofBinding: key)?.value ?? .null }

  /// Sends `{ type = "binding", key = …, value = … }`. The state has the value when it returns, unless
  /// the script does something else with it.
  public func set(_ value: Value) {
    store.send(Action(trusted: ["type": "binding", "key": .string(key), "value": value]))
  }

  /// The field's value, as ``get()`` and ``set(_:)`` read and set it.
  public var value: Value {
    get { get() }
    nonmutating set { set(newValue) }
  }
}
