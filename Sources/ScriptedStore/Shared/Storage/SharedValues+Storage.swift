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
      let found = key.kind == .database ? findRows(of: key) : findValue(of: key)
      let declaration = Declaration(
        value: try key.plainDefault(), origin: key.origin, version: key.version,
        hasCheck: key.hasCheck)
      _ = declare(key.identity, declaration, first: found.value ?? first)
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
    let isNewer = alone { file.appendUnsaved($0.values).isUnsaved }
    guard isNewer || file.state.withLock({ $0.migratedFrom != nil }) else { return }
    saver?.schedule(file, of: self)
  }

  // MARK: What is stored

  private func findValue(of key: SharedKey) -> Found {
    guard let saver else { return Found() }
    if let file = saver.file(named: key.fileName) { return field(of: key, in: file) }
    let file = StoredFile(of: key, in: saver.storage)
    let loaded = file.load(as: key)
    tellOfKept(loaded.kept, in: file, by: key.origin)
    saver.add(file)
    var found: Found
    if key.kind == .appStorage {
      file.state.withLock { $0.rest = loaded.value?.object ?? Value.Object() }
      found = field(of: key, in: file)
      found.failure = loaded.failure ?? found.failure
      if let value = loaded.value, value.object == nil, value != [:] {
        let failure = SharedStorageError(code: "invalid", message: "it is no object")
        file.state.withLock { $0.refuse(failure, by: key.identity) }
        found.failure = failure
      }
    } else {
      found = whole(loaded, of: key, in: file)
    }
    found.isNewer = found.isNewer || loaded.inFile != loaded.value
    return found
  }

  /// The field of the file of all `appStorage` keys. The whole file is kept under another name if the field
  /// has another type than the key.
  private func field(of key: SharedKey, in file: StoredFile) -> Found {
    let value = file.state.withLock { $0.add(key.identity, field: key.name) }
    do throws(ScriptError) {
      if let value { try key.requireType(of: value) }
      return Found(value: value)
    } catch {
      let failure = SharedStorageError(code: "invalid", message: "\(error)")
      file.state.withLock { $0.refuse(failure, by: key.identity) }
      return Found(failure: failure)
    }
  }

  private func whole(_ loaded: LoadedText, of key: SharedKey, in file: StoredFile) -> Found {
    file.state.withLock { ($0.parts, $0.version) = ([(key.identity, nil)], key.version) }
    guard loaded.failure == nil, let value = loaded.value else {
      return Found(failure: loaded.failure)
    }
    do throws(SharedStorageError) {
      let (new, isMigrated) = try key.adapted(value, from: loaded.version)
      if isMigrated { file.state.withLock { $0.migratedFrom = loaded.version } }
      return Found(value: new, isNewer: isMigrated)
    } catch {
      file.state.withLock { state in
        if error.code == "invalid" {
          state.refuse(error, by: key.identity)
        } else {
          state.text.use = .refused(error)
        }
      }
      return Found(failure: error)
    }
  }

  private func findRows(of key: SharedKey) -> Found {
    guard let tables else { return Found() }
    let table = StoredTable(key)
    defer { tables.add(table) }
    var content = SharedTable.Content()
    do throws(SharedStorageError) {
      content = try tables.database.read([table.table], in: table.file)[0]
      guard let rows = content.rows else { return Found() }
      table.state.withLock { ($0.saved, $0.base) = (rows, .table) }
      let (new, isMigrated) = try key.adapted(.array(rows), from: content.version)
      if isMigrated {
        table.state.withLock { $0.base = .newTable(keepingOldAs: "v\(content.version)") }
      }
      let failure = content.failure.map { SharedStorageError(code: "broken", message: $0) }
      return Found(value: new, failure: failure, isNewer: isMigrated)
    } catch {
      // What cannot be read is not written either, except for rows that `check` refuses.
      table.state.withLock { [content] state in
        if error.code == "invalid" {
          state.base = .newTable(keepingOldAs: "broken")
          state.invalid = content.rows.map {
            StoredTable.Invalid(rows: $0, version: content.version, failure: error)
          }
        } else {
          state.refusal = error
        }
      }
      return Found(failure: error)
    }
  }

  // MARK: What others change

  /// Takes over what another program has made of a file since it was read or written here. What cannot be
  /// read leaves the values as they are.
  ///
  /// - Parameter key: whose functions read the text, if the file has a format.
  /// - Returns: why it cannot be read; nil if it could.
  func takeOver(_ file: StoredFile, as key: SharedKey?) -> SharedStorageError? {
    let loaded = file.readAgain(as: key)
    var kept = loaded.kept
    if loaded.failure == nil {
      alone { current in
        var new = current.values
        kept = file.merge(loaded, into: &new) { declaration(of: $0)?.value } ?? kept
        if new != current.values { current.values = new }
      }
    }
    let parts = file.parts
    tellOfKept(kept, in: file, by: parts.first.flatMap { declaration(of: $0.key)?.origin } ?? "?")
    for part in parts {
      let failure = file.failure(loaded.failure, of: part.key)
      setStatus(of: part.key, .load, failure, file.name)
      if let failure {
        tell(failure, of: part.key, .load, in: file.name)
      }
    }
    return loaded.failure
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
  func didSave(_ file: StoredFile, _ result: Result<Bool, SharedStorageError>) -> Bool {
    var isNews = false
    for part in file.parts {
      switch result {
      case .success(let hasWritten):
        isNews = setStatus(of: part.key, .save, nil, file.name) || isNews
        // What could not be read has another name now.
        if hasWritten { isNews = setStatus(of: part.key, .load, nil, file.name) || isNews }
      case .failure(let failure):
        isNews = setStatus(of: part.key, .save, failure, file.name) || isNews
        tell(failure, of: part.key, .save, in: file.name)
      }
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
    if let saver, let file = saver.file(with: key.identity), !saver.isInBackground {
      let failure = saver.performAtOnce(request, file, as: key, of: self)
      return file.failure(failure, of: key.identity).map { .failure($0) } ?? .success(())
    }
    if let tables, let table = tables.table(with: key.identity), !tables.isInBackground {
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
  func endSaving() {
    saver?.end()
    tables?.end()
  }
}
