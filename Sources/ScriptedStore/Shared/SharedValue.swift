import LuaBridge
import Synchronization

extension ScriptHost {
  /// The shared value behind a key of this host's scripts.
  ///
  /// - Parameters:
  ///   - name: as in the script: `scripted.shared.inMemory("count", …)`; of a stored one the path.
  ///   - kind: the function of `scripted.shared` that made the key.
  public func shared(_ name: String, kind: SharedValue.Kind = .inMemory) -> SharedValue {
    SharedValue(kind: kind, name: name, values: shared)
  }
}

/// A value that the stores of a host share, for the host itself.
///
/// ```swift
/// let theme = host.shared("theme")
/// try theme.update { $0 = "dark" }
/// let observation = theme.observe { print("theme", $0 ?? .null) }
/// ```
public struct SharedValue: Sendable {
  /// The kinds of keys: the functions of `scripted.shared`.
  public enum Kind: String, Sendable, Hashable {
    case inMemory, fileStorage, appStorage, database, custom
  }

  private let key: SharedIdentity
  private let all: SharedValues
  private let use: SharedUse

  init(kind: Kind, name: String, values: SharedValues) {
    all = values
    key = SharedIdentity(SharedKey.Kind(rawValue: kind.rawValue) ?? .inMemory, name)
    use = SharedUse(of: key, values.uses)
  }

  /// The current value; nil if the key has none, and before a store with the key was made. O(1).
  public var value: Value? { all.version.values[key] }

  /// What `key:status()` is in scripts: `{ isLoading, loadError?, saveError? }`. Nil for a value that is not
  /// stored, and before a store with the key was made. O(1).
  public var status: Value? { all.version.values[key.status] }

  /// Reads a stored or custom value again. Returns when that is done.
  ///
  /// - Throws: a ``SharedStorageError``, as `broken` or `denied`.
  public func load() async throws { try await perform(.load) }

  /// Writes a stored or custom value, if it is not written yet. When it returns, the value is durable.
  ///
  /// - Throws: a ``SharedStorageError``, as `full` or `denied`.
  public func save() async throws { try await perform(.save) }

  private func perform(_ request: SharedOperation) async throws {
    try requireDeclaration()
    try await all.perform(request, key)
  }

  /// A stored value is not known before a store has its key: the script says what the default is.
  private func requireDeclaration() throws(ScriptError) {
    guard key.kind != .inMemory, all.declaration(of: key) == nil else { return }
    throw ScriptError(
      "no store of this host shares \(key) yet; make a store whose feature shares it first"
    )
  }

  /// Changes the value. When it returns, the states of all stores have the change, except of workers
  /// in which another thread is; these do it before their next action.
  ///
  /// - Parameter change: gets the current value. It is called again if another thread has meanwhile
  ///   changed the value. The new value of a stored or custom key must have the type of the default, and the key's
  ///   `check` must accept it. That function runs inside the workers with stores that share the key, and this waits for
  ///   them.
  /// - Throws: what `change` throws; an error if the key cannot have the value; and an error inside a reducer or a
  ///   dependency of one, which would have to wait for itself.
  public func update(_ change: (inout Value?) throws -> Void) throws {
    guard !Worker.isInsideOne else {
      throw ScriptError(
        "a reducer, or a dependency that it calls, cannot update a shared value; write it in the state, or do it in an effect"
      )
    }
    try requireDeclaration()
    while true {
      let current = all.version
      var value = current.values[key]
      try change(&value)
      guard value != current.values[key] else { return }
      try all.requireUsable(value, of: key) { value throws(ScriptError) in
        try all.check(value, of: key)
      }
      var new = current.values
      new[key] = value
      let isStored = key.kind?.isStored == true
      if all.publish(new, basedOn: current, isStored: isStored, opened: { [key.text] }) { break }
    }
    all.tellOthers()
  }

  /// Calls `handler` with the newest value after it has changed, outside of all workers. Values that
  /// follow each other quickly may be left out. The observation ends when the result is released.
  public func observe(_ handler: @escaping @Sendable (Value?) -> Void) -> SharedObservation {
    SharedObservation(key, all, handler)
  }

  /// The value now, and the newest after each change. Does not retain the host.
  public var values: AsyncStream<Value?> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let observation = observe { continuation.yield($0) }
      observation.begin()
      continuation.onTermination = { _ in observation.cancel() }
    }
  }
}

/// Keeps an observation of a ``SharedValue`` alive.
public final class SharedObservation: Sendable {
  private let values: SharedValues
  private let observer: SharedValues.Observer
  private let use: SharedUse

  fileprivate init(
    _ key: SharedIdentity, _ values: SharedValues, _ handler: @escaping @Sendable (Value?) -> Void
  ) {
    self.values = values
    use = SharedUse(of: key, values.uses)
    observer = SharedValues.Observer(key, values.version, handler)
    values.add(observer)
    // A change may have come before it was added.
    observer.notify(values.version)
  }

  deinit { values.remove(observer) }

  /// Lets the handler have the current value.
  fileprivate func begin() { observer.begin() }

  /// Ends the observation.
  public func cancel() { values.remove(observer) }
}

extension SharedValues {
  /// A handler of the host. It gets the newest value, by one thread at a time: a thread that finds
  /// another one in the handler leaves its value to that one.
  final class Observer: Sendable {
    private struct State {
      var value: Value?
      /// The version that ``value`` is from.
      var number: UInt64
      /// Whether the handler has not got ``value`` yet.
      var isNew = false
      var isCalling = false
    }

    private let key: SharedIdentity
    private let state: Mutex<State>
    private let handler: @Sendable (Value?) -> Void

    init(
      _ key: SharedIdentity, _ version: SharedVersion,
      _ handler: @escaping @Sendable (Value?) -> Void
    ) {
      self.key = key
      state = Mutex(State(value: version.values[key], number: version.number))
      self.handler = handler
    }

    /// Calls the handler with the value from the beginning, or a newer one.
    func begin() { callHandler { _ in true } }

    func notify(_ version: SharedVersion) {
      let value = version.values[key]
      callHandler { state in
        guard version.number > state.number else { return false }
        state.number = version.number
        guard value != state.value else { return false }
        state.value = value
        return true
      }
    }

    /// - Parameter change: returns whether the handler is to get the value.
    private func callHandler(_ change: @Sendable (inout State) -> Bool) {
      let isMine = state.withLock { state in
        guard change(&state) else { return false }
        state.isNew = true
        defer { state.isCalling = true }
        return !state.isCalling
      }
      guard isMine else { return }
      while true {
        let next: Value?? = state.withLock { state in
          state.isCalling = state.isNew
          guard state.isNew else { return nil }
          state.isNew = false
          return .some(state.value)
        }
        guard let next else { return }
        handler(next)
      }
    }
  }
}
