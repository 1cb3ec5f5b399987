import Dispatch
import LuaBridge

extension SharedValues {
  /// What a key finds in its file or table.
  struct Found: Sendable {
    /// Nil if the key has its default.
    var value: Value?
    /// Why what is stored, or a part of it, cannot be used; nil if it can.
    var failure: SharedStorageError?
    /// Whether the value that is stored is another one.
    var isNewer = false
  }

  /// The place for the values of this kind of keys; nil if they are not stored, or if there is none.
  func storage(of kind: SharedKey.Kind?) -> (any StoredValues)? {
    switch kind {
    case .fileStorage, .appStorage: files
    case .database: tables
    default: nil
    }
  }

  /// Declares a key whose value is stored, and reads it. Returns nil if it was declared before.
  func open(_ key: SharedKey) throws(ScriptError) -> Found? {
    try requireNotInside(key)
    let storage = try requireStorage(of: key)
    let found = try opening.withLock { _ throws(ScriptError) -> Found? in
      opener.withLock { $0 = (thread: currentThread(), key: key.name) }
      defer { opener.withLock { $0 = nil } }
      guard declaration(of: key.identity) == nil else { return nil }
      let (first, declaration) = (try key.firstValue(), try Declaration(key))
      hasStored.store(true, ordering: .releasing)
      let found = try storage.open(key, default: first, of: self)
      _ = declare(key.identity, declaration, first: nil)
      beginStatus(of: key)
      setStatus(of: key.identity, .load, found.failure, key.fileName)
      return found
    }
    // Both may enter another worker, where another key is declared.
    if found?.isNewer == true { storage.saveOpened(key, of: self) }
    reportFailures()
    return found
  }

  /// The place for the value of a stored key. Throws if there is none, or if a file is the database of a key and the file
  /// of another one.
  private func requireStorage(of key: SharedKey) throws(ScriptError) -> any StoredValues {
    let storage = storage(of: key.kind)
    let isTaken =
      storages.contains { $0 !== storage && $0.hasFile(named: key.fileName) }
      || key.kind == .database && key.fileName.lowercased() == SharedKey.appStorageFile
    guard !isTaken else {
      throw ScriptError(
        "\(key.origin): the file '\(key.fileName)' of the shared value '\(key.name)' is that of another kind of key; give it another name"
      )
    }
    if let storage { return storage }
    guard key.kind == .database else {
      throw ScriptError(
        """
        \(key.origin): the value of '\(key.name)' is stored, and this host has no place for stored values; give it one \
        with `Configuration.shared` (`--shared FOLDER` of the runner)
        """)
    }
    throw ScriptError(
      """
      \(key.origin): the value of '\(key.name)' is stored in a database, and this host has none; give it one with \
      `Configuration.database` (`--shared FOLDER` of a runner that `make build` has made)
      """)
  }

  /// Throws if this thread is just declaring a stored key, because it would wait for itself.
  private func requireNotInside(_ key: SharedKey) throws(ScriptError) {
    guard let outer = opener.withLock({ $0 }), outer.thread == currentThread() else { return }
    throw ScriptError(
      """
      \(key.origin): the shared value '\(key.name)' cannot be read while '\(outer.key)' is being read: the default, `migrate`, \
      `check` and `decode` of a stored value can use only those stored values that were read before; share '\(key.name)' in a \
      feature whose store is made earlier
      """)
  }

  /// Replaces the default of a key by the first value that a store's state has for it. That is no change
  /// of a stored value, so it is not written.
  func setFirst(_ key: SharedIdentity, to value: Value) {
    changeUnstored { current in
      current.values[key] = value
      storage(of: key.kind)?.setDefault(value, of: key)
    }
  }

  /// Throws if a host, a tool, a test or the first state of a store cannot give a value to a stored or custom key, because
  /// the next start would not use it. ``StoreSharing/checkWritten(from:)`` is the same for actions. No value is allowed,
  /// and the next start begins with the default.
  ///
  /// - Parameter check: calls the key's `check`.
  func requireUsable(
    _ value: Value?, of key: SharedIdentity, check: (Value) throws(ScriptError) -> Void
  ) throws(ScriptError) {
    guard let value, key.kind?.hasStatus == true, let declaration = declaration(of: key) else {
      return
    }
    do throws(ScriptError) {
      try SharedKey.requireType(of: value, like: declaration.value, as: "the new value")
      try check(value)
    } catch {
      var refusal = error
      refusal.message = "the shared value \(key) cannot be set: \(error.message)"
      throw refusal
    }
  }

  // MARK: Status

  /// Tells of a failure, if no feature shows it.
  func tell(
    _ failure: SharedStorageError, of key: SharedIdentity, _ operation: SharedOperation,
    in file: String
  ) {
    failures.tell(
      failure, of: key, operation, in: file, origin: declaration(of: key)?.origin ?? "?")
  }

  /// Begins the status of a key. It is loading from the beginning, if it has a function for that.
  func beginStatus(of key: SharedKey) {
    changeUnstored { current in
      guard current.values[key.identity.status] == nil else { return }
      current.values[key.identity.status] = ["isLoading": .boolean(key.loads)]
    }
  }

  /// The value of a custom key is not loading.
  func endLoading(_ key: SharedIdentity) {
    changeUnstored { current in
      guard var status = current.values[key.status]?.object, status["isLoading"] == true else {
        return
      }
      status["isLoading"] = false
      current.values[key.status] = .object(status)
    }
  }

  /// Sets an error in a value's status. Returns whether it was another one.
  @discardableResult
  func setStatus(
    of key: SharedIdentity, _ operation: SharedOperation, _ failure: SharedStorageError?,
    _ file: String
  ) -> Bool {
    changeUnstored { current in
      // A report may come after the key was forgotten.
      guard declaration(of: key) != nil else { return }
      _ = current.setStatus(of: key, operation, failure, file)
    }
  }

  /// Lets stores and observers take over what the storage has changed.
  func tellOthers() {
    wakeOthers(than: nil)
    reportFailures()
    notifyObservers()
  }

  // MARK: Requests

  /// Loads the value of a stored or custom key again, or saves it. Returns when that is done.
  func perform(_ request: SharedOperation, _ key: SharedIdentity) async throws(SharedStorageError) {
    let failure: SharedStorageError? = await withCheckedContinuation { continuation in
      guard let storage = storage(of: key.kind) else {
        return keepers.ask(request, key) { continuation.resume(returning: $0) }
      }
      storage.perform(request, key, of: self) { [self] in
        continuation.resume(returning: self.failure(of: request, key))
      }
    }
    if let failure { throw failure }
  }

  /// Does the same at once, for a test, whose effects are to be in one order. Nil for a custom key, and outside of tests.
  /// Called inside the worker of the key's VM.
  func performAtOnce(
    _ request: SharedOperation, _ key: SharedKey
  ) -> Result<Void, SharedStorageError>? {
    guard !savesInBackground, let storage = storage(of: key.kind) else { return nil }
    storage.performAtOnce(request, key, of: self)
    return failure(of: request, key.identity).map { .failure($0) } ?? .success(())
  }

  private func failure(of request: SharedOperation, _ key: SharedIdentity) -> SharedStorageError? {
    if request == .save, hasEndedSaving { return SharedValues.isClosed }
    let status = version.values[key.status]?.object
    return status?[request.errorField].flatMap { SharedStorageError(fields: $0) }
  }

  private static let isClosed = SharedStorageError(
    code: "closed", message: "the host writes no values any more")

  /// Writes all stored values that have changed since they were written, and returns when that has been
  /// tried. For the functions of custom keys it waits at most ``longestWait``.
  ///
  /// - Parameters:
  ///   - engine: that of the worker which the calling thread is inside of, if it is known.
  ///   - isDue: whether a file is written now.
  func flush(
    inside engine: Engine? = nil, where isDue: (StoredFile) -> Bool = { _ in true }
  ) {
    files?.flush(self, inside: engine, where: isDue)
    tables?.flush(self)
    let keys = keepers.keys
    // Inside a worker this would wait for itself.
    guard !keys.isEmpty, !Worker.isInsideOne else { return }
    let saves = DispatchGroup()
    for key in keys {
      saves.enter()
      keepers.ask(.save, key) { _ in saves.leave() }
    }
    _ = saves.wait(timeout: .now() + SharedValues.longestWait)
  }

  /// In seconds.
  private static let longestWait = 5.0

  /// Whether any value is stored, or being read for the first time.
  var isStoring: Bool { hasStored.load(ordering: .acquiring) }

  /// Writes nothing from now on, as after the end of the process.
  func endSaving() { hasEnded.store(true, ordering: .relaxed) }

  var hasEndedSaving: Bool { hasEnded.load(ordering: .relaxed) }
}
