import LuaBridge

extension Dependency {
  /// What loads and saves the shared value of a `shared.custom` key without functions. The dependency has the name of
  /// the key. It is a client with the functions `load` and `save`, and the stream `subscribe`; those that are left out do nothing.
  ///
  /// - Parameters:
  ///   - load: returns what is stored, nil for nothing. Called when the first store with the key is made, and by `load()`.
  ///   - save: gets the value after a change, nil for none. One call runs at a time. After an error it is called
  ///     again after 1, 2, 4 … 60 seconds.
  ///   - subscribe: calls `yield` with each value that comes from outside. It is cancelled with the host.
  ///
  /// What they throw is the `loadError` or `saveError` of the value's status: of a ``SharedStorageError`` with its code,
  /// else with the code `failed`.
  public static func sharedKey(
    load: (@Sendable () async throws -> Value?)? = nil,
    save: (@Sendable (Value?) async throws -> Void)? = nil,
    subscribe: (
      @Sendable (_ yield: @escaping @Sendable (Value?) -> Void) async throws -> Void
    )? = nil
  ) -> Dependency {
    .client([
      // Without a function nothing is loaded, which is not the same as that nothing is stored.
      "loads": .value(.boolean(load != nil)),
      "load": .asyncFunction { () async throws -> Value? in
        try await telling { try await load?() }
      },
      "save": .asyncFunction("value") { (value: Value?) async throws in
        try await telling { try await save?(value) }
      },
      "subscribe": .stream {
        // Each value replaces the one before, so that a value which was not read yet may be dropped.
        AsyncThrowingStream<Value?, any Error>(bufferingPolicy: .bufferingNewest(1)) { values in
          let task = Task {
            do {
              try await telling { try await subscribe? { values.yield($0) } }
              values.finish()
            } catch {
              values.finish(throwing: error)
            }
          }
          values.onTermination = { _ in task.cancel() }
        }
      },
    ])
  }

  /// Lets scripts see the code of a failure.
  private static func telling<R>(_ body: () async throws -> R) async throws -> R {
    do {
      return try await body()
    } catch let failure as SharedStorageError {
      throw ScriptError(
        failure.message,
        value: ["code": .string(failure.code), "message": .string(failure.message)])
    }
  }
}

extension Dependencies {
  /// Loads and saves the shared value of a `shared.custom` key without functions in Swift. In tests nothing is loaded or
  /// saved, unless a test overrides the dependency.
  ///
  /// ```swift
  /// var dependencies = Dependencies()
  /// dependencies.register(
  ///   sharedKey: "rates", load: { try await api.rates() }, save: { try await api.store($0) })
  /// ```
  ///
  /// ```lua
  /// local rates = scripted.shared.custom { name = "rates", default = {} }
  /// ```
  ///
  /// The parameters are those of ``Dependency/sharedKey(load:save:subscribe:)``.
  public mutating func register(
    sharedKey name: String,
    load: (@Sendable () async throws -> Value?)? = nil,
    save: (@Sendable (Value?) async throws -> Void)? = nil,
    subscribe: (
      @Sendable (_ yield: @escaping @Sendable (Value?) -> Void) async throws -> Void
    )? = nil
  ) {
    register(
      name, live: .sharedKey(load: load, save: save, subscribe: subscribe), test: .sharedKey())
  }
}
