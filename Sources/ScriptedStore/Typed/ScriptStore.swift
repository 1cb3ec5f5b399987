import LuaBridge
import Synchronization

/// A ``Store`` whose state and actions have types, which `runner swift` and the plug-in `ScriptTypes`
/// make of the script, so that the compiler checks both.
///
/// ```swift
/// let store = try ScriptStore<TodosState, TodosAction>(host.store("todos"))
/// store.send(.todos(id: 3, .toggle))
/// print(store.todos[0].description)
/// ```
///
/// A script can give its state any value at any time, also one that is not of the type. Reading never
/// traps and never throws: ``state`` and the members of the store then are those of the last state that
/// was of the type, and the host's `onError` gets a `ValueTypeError` as the cause of a `ScriptError`, once
/// for each such state, with the action `{ type = "state" }`. ``decodedState()`` throws it instead.
///
/// Thread-safe, as ``Store`` is.
@dynamicMemberLookup
public final class ScriptStore<State: Decodable & Sendable, Action: ScriptAction>: Sendable {
  /// The store without types: for paths, histories and whatever else a ``Store`` can do.
  public let store: Store
  private let decoder: StateDecoder<State>

  /// - Throws: a `ValueTypeError` if the present state is not of the type; also for a child that is not
  ///   there.
  public init(_ store: Store) throws(ValueTypeError) {
    self.store = store
    decoder = try StateDecoder(store)
  }

  // MARK: State

  /// The state after the last drain. For a child that is not there, and where a script has made a
  /// state of another type, the last one that was of the type.
  ///
  /// O(1) if the state is the one that was read last. Else what was made of unchanged parts of it is reused, as `ReusingDecoder`
  /// describes.
  public var state: State { decoder.state(for: store.state) }

  /// The state after the last drain.
  ///
  /// - Throws: a `ValueTypeError` if it is not of the type; also for a child that is not there.
  public func decodedState() throws(ValueTypeError) -> State { try decoder.decoded(store.state) }

  /// Whether the child is there. Always true for the store of a root feature.
  public var isPresent: Bool { store.state != .null }

  public subscript<Member>(dynamicMember keyPath: KeyPath<State, Member>) -> Member {
    state[keyPath: keyPath]
  }

  // MARK: Actions

  /// Sends an action, as ``Store/send(_:)-(Action)`` does. One that cannot be encoded, or that nests too
  /// deep, is not sent; the host's `onError` gets the error.
  @discardableResult
  public func send(_ action: Action) -> StoreTask {
    do {
      return store.send(try ScriptedStore.Action(action.encoded()))
    } catch {
      let what = "\(action)".prefix(200)
      store.handle.away.report(
        "the action \(what) cannot be sent: \(error)", cause: error, as: "send")
      return StoreTask(nil)
    }
  }

  /// Returns when no effect of the whole store is in flight.
  public func finish(isolation: isolated (any Actor)? = #isolation) async { await store.finish() }

  // MARK: Children

  /// A store of a child: `store.scope(.settings)`, or `store.scope(.todos(id: 3))` of an element.
  ///
  /// - Throws: a `ValueTypeError` if the child is not there, or if its state is of another type.
  public func scope<ChildState, ChildAction>(
    _ child: ScriptScope<Action, ChildState, ChildAction>
  ) throws(ValueTypeError) -> ScriptStore<ChildState, ChildAction> {
    try ScriptStore<ChildState, ChildAction>(child.child(of: store))
  }

  // MARK: Observing

  /// Calls `handler` with the new state when a drain has changed it, as `Store.observe` does. A
  /// state of another type is reported, as ``state`` does, and left out; so is a child that is gone.
  public func observe(_ handler: @escaping @Sendable (State) -> Void) -> StoreObservation {
    store.observe { [decoder] value in
      if let state = decoder.newState(for: value) { handler(state) }
    }
  }

  /// The state now and after each change, without those that ``observe(_:)`` leaves out. A reader that
  /// falls behind gets the newest one. The sequence ends with the store, and does not retain it.
  public func values() -> some AsyncSequence<State, Never> & Sendable {
    store.values().compactMap { [decoder] value in decoder.newState(for: value) }
  }
}

/// Decodes states, and remembers the last one.
private final class StateDecoder<State: Decodable & Sendable>: Sendable {
  private struct Memory {
    var value: Value
    var state: State
    /// The last value that was of another type.
    var refused: Value?
  }

  private let decoder = ReusingDecoder<State>()
  private let memory: Mutex<Memory>
  private let link: StoreLink

  init(_ store: Store) throws(ValueTypeError) {
    let value = store.state
    memory = Mutex(Memory(value: value, state: try decoder.decode(value)))
    link = store.handle.away
  }

  func decoded(_ value: Value) throws(ValueTypeError) -> State {
    let known = memory.withLock { $0.value.isIdentical(to: value) ? $0.state : nil }
    if let known { return known }
    // Without the lock, as the type's own code may read the store.
    let state = try decoder.decode(value)
    memory.withLock { $0 = Memory(value: value, state: state) }
    return state
  }

  /// The state of a value, or else the last one that was of the type.
  func state(for value: Value) -> State { newState(for: value) ?? memory.withLock { $0.state } }

  /// The state of a value. Nil, and reported, if it is not of the type.
  func newState(for value: Value) -> State? {
    do {
      return try decoded(value)
    } catch {
      let isNew = memory.withLock { memory in
        defer { memory.refused = value }
        return memory.refused != value
      }
      if isNew && value != .null {
        let remedy = "annotate the field in the script, or make the types anew with `runner swift`"
        link.report("the state is of another type: \(error); \(remedy)", cause: error, as: "state")
      }
      return nil
    }
  }
}

extension StoreLink {
  /// Gives an error to the host's `onError`.
  fileprivate func report(_ message: String, cause: any Error, as type: String) {
    let error = ScriptError(message, cause: cause)
    let action = Action(trusted: .object(["type": .string(type)]))
    perform { $1.report(error, action, of: $0) }
  }
}

/// A child of a feature with the types of its state and its actions, for ``ScriptStore/scope(_:)``.
/// Generated types have one for each child: `.settings`, `.todos(id: 3)`.
public struct ScriptScope<Parent: ScriptAction, State: Decodable & Sendable, Action: ScriptAction>:
  Sendable
{
  private let key: ValuePath
  private let action: String
  private let element: Value?

  private init(_ key: String, _ action: String, _ element: Value?) {
    self.key = ValuePath(key.splitAtDots().map { .key($0) })
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
