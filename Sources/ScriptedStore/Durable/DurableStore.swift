import LuaBridge

/// A store that outlives its process: a name in a ``Journal``. Nothing of it is in memory until it is used.
///
/// ```swift
/// let room = host.durable("room", key: "r17")
/// let receipt = try await room.send("move", ["to": "e4"], request: "c9f1")
/// ```
///
/// When ``send(_:request:after:)`` returns, the record of the action is on the disk. Observers, pages and effects get to see
/// a state when its record is there. Actions are reduced one after the other, also while earlier records are being written.
public struct DurableStore: Sendable {
  /// Nil if the host has no journal; then each use throws.
  private let stores: DurableStores?
  private let found: Result<StoreName, JournalError>

  init(_ stores: DurableStores?, _ name: Result<StoreName, JournalError>) {
    (self.stores, found) = (stores, name)
  }

  /// The name. Throws for a key that no store can have.
  public var name: StoreName {
    get throws(JournalError) { try found.get() }
  }

  private func use() throws(JournalError) -> (DurableStores, StoreName) {
    let name = try found.get()
    guard let stores else {
      throw JournalError(
        .closed,
        "\(name) cannot be used: the host has no journal; set `configuration.journal`, as `.sqlite(\"rooms.db\")`"
      )
    }
    return (stores, name)
  }

  /// Sends an action, and returns when it, and all that its effects sent at once, is durable.
  ///
  /// - Parameters:
  ///   - request: an id of the sender's, at most 128 bytes. The same request again has the same receipt, and is not reduced
  ///     again: the store knows its last 64.
  ///   - receipt: one that the sender has. If the journal does not have it, it went back in time, and this throws.
  /// - Returns: the receipt of the last record; for a request, that of the record of its action. Of an action that had nothing to
  ///   do, that of the store's last record.
  /// - Throws: the `ScriptError` that the action raised, or why it was refused; ``JournalError`` if it could not
  ///   be written, and then did nothing.
  @discardableResult
  public func send(
    _ action: Action, request: String? = nil, after receipt: Receipt? = nil
  ) async throws -> Receipt {
    let (stores, name) = try use()
    if let flaw = action.flaw { throw flaw }
    if let request { try Self.check(request) }
    try Self.check(action)
    if let receipt, receipt != .none {
      let has = try await stores.reading { (storage) throws(JournalError) in
        try storage.has(receipt)
      }
      guard has else {
        throw JournalError(
          .wentBack,
          "\(name): the journal has no record \(receipt.seq) with that hash, so it went back in time; a newer backup may have it"
        )
      }
    }
    return try await stores.send(action, to: name, request: request)
  }

  /// Sends the action of a path with a payload.
  @discardableResult
  public func send(
    _ path: String, _ payload: Value?, request: String? = nil, after receipt: Receipt? = nil
  ) async throws -> Receipt {
    try await send(try Action(path: path, payload: payload), request: request, after: receipt)
  }

  /// The most bytes of a record, and so of an action.
  static let mostBytes = 1 << 20

  private static func check(_ action: Action) throws(JournalError) {
    guard action.value.size(upTo: mostBytes) <= mostBytes else {
      throw JournalError(
        .tooLarge,
        "the action \(action.path) has more than \(mostBytes) bytes, which is the most that a record may have; send it in parts"
      )
    }
  }

  private static func check(_ request: String) throws(JournalError) {
    guard (1...128).contains(request.utf8.count) else {
      throw JournalError(.name, "the id of a request must have 1 to 128 bytes")
    }
  }

  /// Removes the store and its records from the journal. Effects of the store are cancelled, and sends that wait for a
  /// record throw. The next use of the name begins a new store.
  public func remove() async throws {
    let (stores, name) = try use()
    try await stores.remove(name)
  }

  /// The durable states: that of now, and then each one. Only the newest is kept for a reader that falls behind. The
  /// stream ends when the store is removed or the host is closed, and if the store cannot be made active: the host's `onError` then
  /// hears why.
  public var states: AsyncStream<Value> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let task = Task {
        do {
          // The reader retains the store, which stays active for that long.
          let store = try await open()
          for await state in store.values() { continuation.yield(state) }
          withExtendedLifetime(store) {}
        } catch {
          stores?.report(error, of: try? found.get())
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// A store for views and observers. The store is active as long as it is held.
  ///
  /// Its `send` does not wait for the disk; what it shows is durable.
  public func open() async throws -> Store {
    let (stores, name) = try use()
    return Store(try await stores.handle(of: name))
  }
}

extension Store {
  /// Returns when all that the store has recorded so far is durable, or never will be; at once for a store that is not
  /// durable, and one of a lazy journal.
  public func untilDurable() async {
    await Waiter.untilCalled { waiter in
      handle.perform { core, _ in core.gate?.whenDurable { _ in { waiter.call() } } }
    }
  }
}
