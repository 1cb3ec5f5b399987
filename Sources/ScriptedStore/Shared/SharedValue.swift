import LuaBridge

extension ScriptHost {
  /// The shared value behind `scripted.shared.inMemory(name, …)` of this host's scripts.
  public func shared(_ name: String) -> SharedValue {
    SharedValue(key: SharedKey.identity(.inMemory, name), values: shared)
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
  fileprivate let key: String
  fileprivate let values: SharedValues

  /// The current value; nil if the key has none, and before a store with the key was made. O(1).
  public var value: Value? { values.version.values[key] }

  /// Changes the value. When it returns, all stores have taken the change over, except those of workers
  /// in which another thread is; these do it before their next action.
  ///
  /// - Parameter change: gets the current value. It is called again if another thread has meanwhile
  ///   changed the value.
  /// - Throws: what `change` throws; and an error inside a reducer or a dependency of one, which would
  ///   have to wait for itself.
  public func update(_ change: (inout Value?) throws -> Void) throws {
    guard !Worker.isInsideOne else {
      throw ScriptError(
        "a reducer, or a dependency that it calls, cannot update a shared value; write it in the state, or do it in an effect"
      )
    }
    while true {
      let current = values.version
      var value = current.values[key]
      try change(&value)
      guard value != current.values[key] else { return }
      var new = current.values
      new[key] = value
      if values.publish(new, basedOn: current, hasOpened: { $0 == key }) { break }
    }
    values.wakeOthers(than: nil)
    values.notifyObservers()
  }

  /// Calls `handler` with the newest value after it has changed, outside of all workers. Values that
  /// follow each other quickly may be left out. The observation ends when the result is released.
  public func observe(_ handler: @escaping @Sendable (Value?) -> Void) -> SharedObservation {
    SharedObservation(key, values, handler)
  }
}

/// Keeps an observation of a ``SharedValue`` alive.
public final class SharedObservation: Sendable {
  private let values: SharedValues
  private let observer: SharedValues.Observer

  fileprivate init(
    _ key: String, _ values: SharedValues, _ handler: @escaping @Sendable (Value?) -> Void
  ) {
    self.values = values
    observer = SharedValues.Observer(key, values.version, handler)
    values.add(observer)
  }

  deinit { values.remove(observer) }

  /// Ends the observation.
  public func cancel() { values.remove(observer) }
}
