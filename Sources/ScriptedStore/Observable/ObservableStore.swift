import LuaBridge
import Observation

/// A store for code on the main actor that observes what it reads: SwiftUI, or any other that uses
/// `withObservationTracking`.
///
/// ```swift
/// let store = ObservableStore(try host.store("todos"))
/// withObservationTracking {
///   print(store["todos"][0]["title"].string ?? "")   // observes this title, and nothing else
/// } onChange: { … }
/// store.send("todos[3].toggle")                      // visible when it returns
/// ```
///
/// All reads of one turn of the main actor are of one version of the state, unless it sends. What
/// this store sends is there when `send` returns, as `Store.send` describes it; what other
/// threads, effects and other stores change arrives in a later turn.
///
/// A path that was read is remembered until its value has changed. The cost of telling observers
/// depends on what has changed, and not on how much they have read. The store lives as long as this
/// object.
@MainActor
public final class ObservableStore: Observable, Identifiable {
  /// The store, for all else: history, effects, actions. What is read of it is not observed.
  public nonisolated let store: Store
  /// The id of the element whose store this is; null for other stores.
  public nonisolated let id: Value

  private nonisolated let tree: ObservedTree
  /// The index at which the element was when the store was made.
  private nonisolated let hint: Int
  /// Looked up by the first read.
  private var foundNode: ObservedTree.Node?

  /// Observes a store, which may be a child.
  public init(_ store: Store) {
    self.store = store
    id = .null
    tree = ObservedTree(store)
    hint = 0
  }

  nonisolated init(_ store: Store, _ tree: ObservedTree, id: Value = .null, hint: Int = 0) {
    self.store = store
    self.tree = tree
    self.id = id
    self.hint = hint
  }

  private var node: ObservedTree.Node {
    if let foundNode { return foundNode }
    let node = tree.node(at: store.place, hint: hint)
    foundNode = node
    return node
  }

  // MARK: State

  /// The whole state; null while a child does not exist. Any change of it counts.
  public var state: Value { all.value }

  private var all: ObservedState { ObservedState(tree, node) }

  /// A part of the state. Registers nothing before it is read.
  public subscript(key: String) -> ObservedState { all[key] }

  /// A part of the state.
  public subscript(at path: ValuePath) -> ObservedState {
    ObservedState(tree, node(at: path))
  }

  private func node(at path: ValuePath) -> ObservedTree.Node {
    var node = node
    for component in path.components {
      switch component {
      case .key(let key): node = tree.child(of: node, under: key)
      case .index(let index): node = tree.child(of: node, at: index)
      }
    }
    return node
  }

  /// The value at `path` as a Swift type. Any change of it counts. Otherwise as
  /// ``Store/state(at:as:)``.
  public func state<T: Decodable & Sendable>(
    at path: ValuePath = .root, as type: T.Type = T.self
  ) throws(ValueTypeError) -> T {
    try store.decoded(self[at: path].value, at: path, as: type)
  }

  // MARK: Actions

  /// Sends an action, whose changes are visible when this returns. To an element that went it is a
  /// warning, as in the store.
  @discardableResult
  public func send(_ action: Action) -> StoreTask { tree.send(action, nil, to: store) }

  /// Sends an action with a transaction.
  @discardableResult
  public func send(_ action: Action, transaction: Value) -> StoreTask {
    tree.send(action, transaction, to: store)
  }

  /// Sends an action with the transaction `{ animation = … }`.
  @discardableResult
  public func send(_ action: Action, animation: Value) -> StoreTask {
    tree.send(action, ["animation": animation], to: store)
  }

  /// Sends the action of a path and a payload.
  @discardableResult
  public func send(_ path: String, _ payload: Value?) throws(ActionError) -> StoreTask {
    send(try Action(path: path, payload: payload))
  }

  /// Sends the action of a path that is made at run time. A literal is an ``Action`` itself, and does
  /// not throw.
  @_disfavoredOverload
  @discardableResult
  public func send(_ path: String) throws(ActionError) -> StoreTask {
    send(try Action(path: path))
  }

  // MARK: Children

  /// The store of a child, as ``Store/scope(state:action:)``.
  public func scope(state key: ValuePath, action: String? = nil) -> ObservableStore {
    ObservableStore(store.scope(state: key, action: action), tree)
  }

  /// The store of one case of a child, as ``Store/scope(state:action:case:)``.
  public func scope(
    state key: ValuePath, action: String? = nil, case name: String
  ) -> ObservableStore {
    ObservableStore(store.scope(state: key, action: action, case: name), tree)
  }

  /// The store of an element, as ``Store/scope(element:of:action:id:)``. O(n) to find it when it is
  /// read first.
  public func scope(
    element id: Value, of key: ValuePath, action: String? = nil, id field: String = "id"
  ) -> ObservableStore {
    ObservableStore(
      store.scope(element: id, of: key, action: action, id: field), tree, id: id)
  }

  /// The stores of the elements of the list or object at `key`, in their order. Observers are told when
  /// elements come, go or move, and not when one of them changes.
  ///
  /// ```swift
  /// ForEach(store.elements("todos")) { todo in TodoRow(store: todo) }
  /// ```
  ///
  /// - Parameters:
  ///   - action: the type of the elements' actions here; by default the last segment of `key`.
  ///   - field: the field that identifies an element of a list.
  public func elements(
    _ key: ValuePath, action: String? = nil, id field: String = "id"
  ) -> ObservableElements {
    let part = node(at: key).content
    part.didReadOrder(under: field)
    return ObservableElements(part.value, of: key, store, tree, action: action, field: field)
  }

  /// The field `key` as something that is read and set. Setting sends the action of a binding, which
  /// features with `binding = true` take; null removes the field.
  ///
  /// - Parameter key: field names with dots between, and ids of elements after the names of their lists:
  ///   `attendees[3].name`. A malformed one reads null, and is refused when it is set.
  public func binding(_ key: String) -> ObservableBinding { ObservableBinding(key, self) }

  /// The part of the state that a binding's key names.
  func part(ofBinding key: String) -> ObservedState? {
    guard let path = try? ActionPath(bindingKey: key) else { return nil }
    var node = node
    for segment in path.segments {
      node = tree.child(of: node, under: segment.name)
      if case .value(let id)? = segment.id {
        node = tree.child(of: node, at: .element(id: id, field: "id"))
      }
    }
    return ObservedState(tree, node)
  }
}

/// The stores of the elements of a list or an object, as they were when ``ObservableStore`` made this.
/// Each is made when it is asked for, O(log n).
public struct ObservableElements: RandomAccessCollection, Sendable {
  private enum Elements {
    case list(Value.List)
    case keys([String])
  }

  private let elements: Elements
  private let key: ValuePath
  private let parent: Store
  private let tree: ObservedTree
  private let action: String?
  private let field: String

  init(
    _ value: Value, of key: ValuePath, _ parent: Store, _ tree: ObservedTree, action: String?,
    field: String
  ) {
    elements =
      switch value {
      case .array(let list): .list(list)
      case .object(let object): .keys(Array(object.keys))
      default: .list([])
      }
    self.key = key
    self.parent = parent
    self.tree = tree
    self.action = action
    self.field = field
  }

  public var startIndex: Int { 0 }

  public var endIndex: Int {
    switch elements {
    case .list(let list): list.count
    case .keys(let keys): keys.count
    }
  }

  /// The store of the element at a zero-based index, which must be in range. Its `id` is the element's.
  public subscript(index: Int) -> ObservableStore {
    let id: Value =
      switch elements {
      case .list(let list): list[index][field]
      case .keys(let keys): .string(keys[index])
      }
    return ObservableStore(
      parent.scope(element: id, of: key, action: action, id: field), tree, id: id, hint: index)
  }
}

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

  init(_ key: String, _ store: ObservableStore) {
    self.key = key
    self.store = store
  }

  /// The field's value; null if there is none. Observers are told of its changes.
  public func get() -> Value { store.part(ofBinding: key)?.value ?? .null }

  /// Sends `{ type = "binding", key = …, value = … }`. The state has the value when it returns, unless
  /// the script does something else with it.
  public func set(_ value: Value) {
    store.send(["type": "binding", "key": .string(key), "value": value])
  }

  /// The field's value, as ``get()`` and ``set(_:)`` read and set it.
  public var value: Value {
    get { get() }
    nonmutating set { set(newValue) }
  }
}

/// A part of a state on the main actor. Reading it with one of the properties registers its path, and
/// no other: an observer is told when that part changes.
@MainActor
public struct ObservedState {
  private let tree: ObservedTree
  private let node: ObservedTree.Node

  init(_ tree: ObservedTree, _ node: ObservedTree.Node) {
    self.tree = tree
    self.node = node
  }

  /// The value under a key of an object. Registers nothing. O(1) for a path that was read before.
  public subscript(key: String) -> ObservedState {
    ObservedState(tree, tree.child(of: node, under: key))
  }

  /// The element of a list at an index from 0. It follows the place and not the element; for that see
  /// ``ObservableStore/elements(_:action:id:)``. Registers nothing.
  public subscript(index: Int) -> ObservedState {
    ObservedState(tree, tree.child(of: node, at: index))
  }

  /// The whole value; null if there is none. If it is a container, any change in it counts.
  public var value: Value {
    node.content.didRead(.whole)
    return node.content.value
  }

  public var string: String? { value.string }
  public var int: Int? { value.int }
  public var double: Double? { value.double }
  public var bool: Bool? { value.bool }

  /// The number of elements of a list; 0 for other values. Only a change of that number counts.
  public var count: Int {
    node.content.didRead(.count)
    return node.content.count
  }

  /// Whether there is no value. Only a change of that counts.
  public var isNull: Bool {
    node.content.didRead(.presence)
    return node.content.value.isNull
  }
}
