import Dispatch
import LuaBridge

extension SharedValues {
  /// What a key finds in its file or table.
  struct Found {
    /// Nil if the key has its default.
    var value: Value?
    /// Why what is stored, or a part of it, cannot be used; nil if it can.
    var failure: SharedStorageError?
    /// Whether the value that is stored is another one.
    var isNewer = false
  }

  /// Declares a key whose value is stored, and reads it. Returns nil if it was declared before.
  func open(_ key: SharedKey) throws(ScriptError) -> Found? {
    try requireNotInside(key)
    try requireOwnFile(key)
    try requirePlace(for: key)
    var migratedTable: StoredTable?
    let found = try opening.withLock { _ throws(ScriptError) -> Found? in
      opener.withLock { $0 = (thread: currentThread(), key: key.name) }
      defer { opener.withLock { $0 = nil } }
      guard declaration(of: key.identity) == nil else { return nil }
      var first = try key.firstValue()
      if key.kind == .database { first = first ?? Value.array([]) }
      guard key.kind != .database || first?.array != nil else {
        throw ScriptError(
          "\(key.origin): the default of the shared value '\(key.name)' must be a list of rows")
      }
      let found = find(key)
      _ = declare(key.identity, try Declaration(key), first: found.value ?? first)
      beginStatus(of: key)
      setStatus(of: key.identity, .load, found.failure, key.fileName)
      if let file = saver?.file(with: key.identity) {
        if !found.isNewer {
          file.state.withLock { $0.takeForSaved(found.value ?? first, of: key.identity) }
        }
        didOpen(file)
      } else if let table = tables?.table(with: key.identity) {
        table.state.withLock { state in
          (state.isOpening, state.isChanged) = (false, found.isNewer)
          if found.value == nil { state.saved = first?.array ?? Value.List() }
        }
        if found.isNewer { migratedTable = table }
      }
      return found
    }
    // Both may enter another worker, where another key is declared.
    if let migratedTable { tables?.request(migratedTable.file, of: self) }
    reportFailures()
    return found
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
    let (file, table) = (saver?.file(with: key), tables?.table(with: key))
    file?.state.withLock { $0.isOpening = true }
    table?.state.withLock { $0.isOpening = true }
    set(key, to: value)
    table?.state.withLock { state in
      state.isOpening = false
      if state.base != .table || state.refusal != nil { state.saved = value.array ?? state.saved }
    }
    guard let file else { return }
    file.state.withLock { $0.takeForSaved(value, of: key) }
    didOpen(file)
  }

  private func didOpen(_ file: StoredFile) {
    file.state.withLock { $0.isOpening = false }
    // Something was migrated or recovered, or another thread has changed another value of the file.
    let isNewer = alone { file.appendUnsaved($0.values) }
    guard isNewer || file.state.withLock({ $0.migratedFrom != nil }) else { return }
    saver?.schedule(file, of: self)
  }

  /// Opens the file or the table of a key.
  private func find(_ key: SharedKey) -> Found {
    if let tables, key.kind == .database {
      let table = StoredTable(key)
      defer { tables.add(table) }
      return table.open(for: key, in: tables.database)
    }
    guard let saver else { return Found() }
    if let file = saver.file(named: key.fileName) { return file.field(of: key) }
    let file = StoredFile(of: key, in: saver.storage)
    let (found, kept) = file.open(for: key)
    tellOfKept(kept, in: file, by: key.origin)
    saver.add(file)
    return found
  }

  // MARK: Reports

  /// A file was read again, or could not be.
  func didLoad(_ file: StoredFile, _ loaded: LoadedText) {
    let parts = file.parts
    let origin = parts.first.flatMap { declaration(of: $0.key)?.origin } ?? "?"
    tellOfKept(loaded.kept, in: file, by: origin)
    for part in parts {
      let failure = file.failure(loaded.failure, of: part.key)
      setStatus(of: part.key, .load, failure, file.name)
      if let failure { tell(failure, of: part.key, .load, in: file.name) }
    }
  }

  /// Tells of a failure, if no feature shows it.
  func tell(
    _ failure: SharedStorageError, of key: SharedIdentity, _ operation: SharedOperation,
    in file: String
  ) {
    failures.tell(
      failure, of: key, operation, in: file, origin: declaration(of: key)?.origin ?? "?")
  }

  /// Tells of a text that was kept because others have changed what was changed here.
  private func tellOfKept(_ kept: String?, in file: StoredFile, by origin: String) {
    if let kept { failures.tellOfConflict(in: file.name, kept: kept, origin: origin) }
  }

  // MARK: Status

  /// Begins the status of a key. It is loading from the beginning, if it has a function for that.
  func beginStatus(of key: SharedKey) {
    alone { current in
      guard current.values[key.identity.status] == nil else { return }
      current.values[key.identity.status] = ["isLoading": .boolean(key.loads)]
    }
  }

  /// The value of a custom key is not loading.
  func endLoading(_ key: SharedIdentity) {
    alone { current in
      guard var status = current.values[key.status]?.object, status["isLoading"] == true else {
        return
      }
      status["isLoading"] = false
      current.values[key.status] = .object(status)
    }
  }

  /// Sets an error in a value's status. Returns whether it was another one.
  @discardableResult
  private func setStatus(
    of key: SharedIdentity, _ operation: SharedOperation, _ failure: SharedStorageError?,
    _ file: String
  ) -> Bool {
    change { current in
      // A report may come after the key was forgotten.
      guard declaration(of: key) != nil else { return }
      _ = current.setStatus(of: key, operation, failure, file)
    }
  }

  /// A file was written, had its value already, or could not be written. Returns whether that is news.
  func didSave(_ file: StoredFile, hasWritten: Bool, _ failure: SharedStorageError?) -> Bool {
    var isNews = false
    for part in file.parts {
      isNews = setStatus(of: part.key, .save, failure, file.name) || isNews
      // What could not be read has another name now.
      if hasWritten { isNews = setStatus(of: part.key, .load, nil, file.name) || isNews }
      if let failure { tell(failure, of: part.key, .save, in: file.name) }
    }
    return isNews
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
    let failure = await withCheckedContinuation { continuation in
      start(request, key) { continuation.resume(returning: $0) }
    }
    if let failure { throw failure }
  }

  /// Does the same at once, for a test, whose effects are to be in one order. Nil for a custom key, and outside of tests.
  /// Called inside the worker of the key's VM.
  func performAtOnce(
    _ request: SharedOperation, _ key: SharedKey
  ) -> Result<Void, SharedStorageError>? {
    if savesInBackground { return nil }
    if let saver, let file = saver.file(with: key.identity) {
      let failure = saver.performAtOnce(request, file, as: key, of: self)
      return file.failure(failure, of: key.identity).map { .failure($0) } ?? .success(())
    }
    if let tables, let table = tables.table(with: key.identity) {
      tables.performAtOnce(request, table, of: self)
      return failure(of: request, key.identity).map { .failure($0) } ?? .success(())
    }
    return nil
  }

  private func start(
    _ request: SharedOperation, _ key: SharedIdentity, _ done: @escaping SharedKeepers.Waiter
  ) {
    if let saver, let file = saver.file(with: key) {
      saver.perform(request, file, of: self) { done(file.failure($0, of: key)) }
    } else if let tables, let table = tables.table(with: key) {
      tables.perform(request, table, of: self) { [self] in done(failure(of: request, key)) }
    } else {
      keepers.ask(request, key, done)
    }
  }

  private func failure(of request: SharedOperation, _ key: SharedIdentity) -> SharedStorageError? {
    let status = version.values[key.status]?.object
    return status?[request.errorField].flatMap { SharedStorageError(fields: $0) }
  }

  /// Writes all stored values that have changed since they were written, and returns when that has been
  /// tried. For the functions of custom keys it waits at most ``longestWait``.
  ///
  /// - Parameters:
  ///   - engine: that of the worker which the calling thread is inside of, if it is known.
  ///   - isDue: whether a file is written now.
  func flush(
    inside engine: Engine? = nil, where isDue: (StoredFile) -> Bool = { _ in true }
  ) {
    saver?.flush(self, inside: engine, where: isDue)
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

  /// Whether any value is stored.
  var isStoring: Bool { saver?.isUsed == true || tables?.isUsed == true }

  /// Writes nothing from now on, as after the end of the process.
  func endSaving() { hasEnded.store(true, ordering: .relaxed) }

  var hasEndedSaving: Bool { hasEnded.load(ordering: .relaxed) }
}
