import Dispatch
import LuaBridge

/// The keys whose values are stored.
extension SharedValues {
  /// What a key finds in its file.
  private struct Found {
    var value: Value?
    var failure: SharedStorageError?
    /// Whether the file does not have the value as it is now.
    var isNewer = false
  }

  /// What became of a key whose file was read.
  struct Opened {
    /// Why the file has no usable value; nil if there is none, or if the key was declared before.
    var failure: SharedStorageError?
    /// Whether the key was declared now, and has its default.
    var hasDefault = false
  }

  /// Declares a key whose value is stored, and reads its file.
  func open(_ key: SharedKey) throws(ScriptError) -> Opened {
    try requireOwnFile(key)
    if key.kind == .database { return try openTable(key) }
    guard let saver else {
      throw ScriptError(
        """
        \(key.origin): the value of '\(key.name)' is stored, and this host has no place for stored values; give it one \
        with `Configuration.shared` (`--shared FOLDER` of the runner)
        """)
    }
    return try saver.open { () throws(ScriptError) in
      guard declaration(of: key.identity) == nil else { return Opened() }
      let first = try key.firstValue()
      let found = find(key, saver)
      let declaration = Declaration(
        value: try key.plainDefault(), origin: key.origin, version: key.version,
        hasCheck: key.hasCheck)
      _ = declare(key.identity, declaration, first: found.value ?? first)
      if let file = saver.file(named: key.fileName) {
        if !found.isNewer { file.takeForSaved(found.value ?? first, of: key.identity) }
        didOpen(file, saver)
      }
      setStatus(key.identity, "loadError", found.failure, key.fileName)
      return Opened(failure: found.failure, hasDefault: found.value == nil)
    }
  }

  /// Replaces the default of a key by the first value that a store's state has for it. That is no change
  /// of a stored value, so it is not written.
  func setFirst(_ key: String, to value: Value) {
    let (file, table) = (saver?.file(with: key), tables?.table(with: key))
    file?.state.withLock { $0.isOpening = true }
    table?.state.withLock { $0.isOpening = true }
    set(key, to: value)
    table?.state.withLock { $0.isOpening = false }
    guard let file else { return }
    file.takeForSaved(value, of: key)
    if let saver { didOpen(file, saver) }
  }

  private func didOpen(_ file: StoredFile, _ saver: SharedSaver) {
    file.state.withLock { $0.isOpening = false }
    // Something was migrated or recovered, or another thread has changed another value of the file.
    let isNewer = alone { current in
      let content = file.content(of: current.values)
      guard file.state.withLock({ $0.saved != content }) else { return false }
      file.journal(content, in: saver.storage)
      return true
    }
    if isNewer || file.state.withLock({ $0.migratedFrom != nil }) { saver.schedule() }
  }

  private func find(
    _ key: SharedKey, _ saver: SharedSaver
  ) -> Found {
    if let file = saver.file(named: key.fileName) {
      file.state.withLock { $0.isOpening = true }
      return found(key, in: file)
    }
    let file = StoredFile(of: key)
    let loaded = file.load(from: saver.storage, as: key)
    tellOfKept(in: file, by: key.origin)
    reportFailures()
    let hasRecovered = file.state.withLock { $0.saved } != loaded.value
    saver.add(file)
    if key.kind == .appStorage {
      file.state.withLock { $0.rest = loaded.value?.object ?? Value.Object() }
      var found = found(key, in: file)
      found.failure = loaded.failure ?? found.failure
      if let value = loaded.value, value.object == nil, value != [:] {
        file.state.withLock { $0.isBroken = true }
        found.failure = SharedStorageError(code: "invalid", message: "it is no object")
      }
      found.isNewer = hasRecovered
      return found
    }
    file.state.withLock { state in
      state.parts = [(key.identity, nil)]
      state.version = key.version
    }
    var found = adapted(loaded, key, file)
    found.isNewer = found.isNewer || hasRecovered
    return found
  }

  /// The field of the file of all `appStorage` keys. The whole file is kept under another name if the field
  /// has another type than the key.
  private func found(_ key: SharedKey, in file: StoredFile) -> Found {
    let value = file.state.withLock { state in
      state.parts.append((key.identity, key.name))
      return state.rest.removeValue(forKey: key.name)
    }
    do throws(ScriptError) {
      if let value { try key.requireType(of: value) }
      return Found(value: value)
    } catch {
      file.state.withLock { $0.isBroken = true }
      return Found(failure: SharedStorageError(code: "invalid", message: "\(error)"))
    }
  }

  /// Migrates and checks what was read.
  private func adapted(_ loaded: StoredFile.Loaded, _ key: SharedKey, _ file: StoredFile) -> Found {
    if let failure = loaded.failure { return Found(failure: failure) }
    guard var value = loaded.value else { return Found() }
    var isMigrated = false
    if loaded.version > key.version {
      let failure = SharedStorageError(
        code: "newer",
        message: "it has version \(loaded.version), and the scripts know up to \(key.version)")
      file.state.withLock { $0.refusal = failure }
      return Found(failure: failure)
    }
    if loaded.version < key.version {
      do throws(ScriptError) {
        value = try key.migrated(value, from: loaded.version)
      } catch {
        let failure = SharedStorageError(code: "migration", message: "\(error)")
        file.state.withLock { $0.refusal = failure }
        return Found(failure: failure)
      }
      file.state.withLock { $0.migratedFrom = loaded.version }
      isMigrated = true
    }
    do throws(ScriptError) {
      try key.requireType(of: value)
      try key.check(value)
    } catch {
      file.state.withLock { state in
        state.isBroken = true
        state.migratedFrom = nil
      }
      return Found(failure: SharedStorageError(code: "invalid", message: "\(error)"))
    }
    return Found(value: value, isNewer: isMigrated)
  }

  /// Takes over what another program has made of a file since it was read or written here. What cannot be
  /// read leaves the values as they are.
  ///
  /// - Parameter key: whose functions read the text, if the file has a format.
  /// - Returns: why it cannot be read; nil if it could.
  func takeOver(_ file: StoredFile, as key: SharedKey?) -> SharedStorageError? {
    guard let storage = saver?.storage else { return nil }
    let loaded = file.readAgain(from: storage, as: key)
    if loaded.failure == nil {
      alone { current in
        let new = file.merge(loaded, into: current.values, in: storage) {
          declaration(of: $0)?.value
        }
        guard new != current.values else { return }
        current.values = new
        current.number += 1
      }
    }
    let parts = file.state.withLock { $0.parts }
    tellOfKept(in: file, by: parts.first.flatMap { declaration(of: $0.key)?.origin } ?? "?")
    for part in parts {
      setStatus(part.key, "loadError", loaded.failure, file.name)
      if let failure = loaded.failure {
        tell(failure, of: part.key, .loaded, in: SharedFailures.Place(file: file.name))
      }
    }
    saver?.hasNews()
    return loaded.failure
  }

  /// Tells of a failure, if no feature shows it.
  func tell(
    _ failure: SharedStorageError, of key: String, _ operation: SharedFailures.Operation,
    in place: SharedFailures.Place
  ) {
    failures.tell(
      failure, of: key, operation, in: place, origin: declaration(of: key)?.origin ?? "?")
  }

  /// Tells of a text that was kept because others have changed what was changed here.
  private func tellOfKept(in file: StoredFile, by origin: String) {
    let kept = file.state.withLock { state in
      defer { state.kept = nil }
      return state.kept
    }
    if let kept { failures.tellOfConflict(in: file.name, kept: kept, origin: origin) }
  }

  /// Begins the status of a custom key. It is loading from the beginning, if it has a function for that.
  func beginStatus(of key: SharedKey) {
    let identity = SharedKey.statusIdentity(of: key.identity)
    alone { current in
      guard current.values[identity] == nil else { return }
      current.values[identity] = ["isLoading": .boolean(key.loads)]
      current.number += 1
    }
  }

  /// The value of a custom key is not loading.
  func endLoading(_ key: String) {
    let identity = SharedKey.statusIdentity(of: key)
    alone { current in
      guard var status = current.values[identity]?.object, status["isLoading"] == true else {
        return
      }
      status["isLoading"] = false
      current.values[identity] = .object(status)
      current.number += 1
    }
  }

  /// Sets a field of a value's status, which is itself a shared value (``SharedKey/statusIdentity``).
  /// Returns whether it was another one.
  @discardableResult
  func setStatus(
    _ identity: String, _ field: String, _ failure: SharedStorageError?, _ file: String
  ) -> Bool {
    let key = SharedKey.statusIdentity(of: identity)
    return change { current in
      // A report may come after the key was forgotten.
      guard declaration(of: identity) != nil else { return }
      var status = current.values[key]?.object ?? ["isLoading": false]
      let new: Value? = failure.map {
        ["code": .string($0.code), "message": .string($0.message), "path": .string(file)]
      }
      guard status[field] != new || current.values[key] == nil else { return }
      status[field] = new
      current.values[key] = .object(status)
      current.number += 1
    }
  }

  /// A file was written, had its value already, or could not be written.
  func didSave(_ file: StoredFile, _ result: Result<Bool, SharedStorageError>) {
    var isNews = false
    for part in file.state.withLock({ $0.parts }) {
      switch result {
      case .success(let hasWritten):
        isNews = setStatus(part.key, "saveError", nil, file.name) || isNews
        // What could not be read has another name now.
        if hasWritten { isNews = setStatus(part.key, "loadError", nil, file.name) || isNews }
      case .failure(let failure):
        isNews = setStatus(part.key, "saveError", failure, file.name) || isNews
        tell(failure, of: part.key, .saved, in: SharedFailures.Place(file: file.name))
      }
    }
    if isNews { saver?.hasNews() }
  }

  /// Lets stores and observers take over what the storage has changed.
  func tellOthers() {
    wakeOthers(than: nil)
    reportFailures()
    notifyObservers()
  }

  /// Loads the value of a stored or custom key again, or saves it. Returns when that is done.
  func perform(_ request: SharedRequest, _ key: String) async throws(SharedStorageError) {
    let failure = await withCheckedContinuation { continuation in
      start(request, key) { continuation.resume(returning: $0) }
    }
    if let failure { throw failure }
  }

  /// Does the same at once, for a test, whose effects are to be in one order. Nil for a custom key, and outside of tests.
  /// Called inside the worker of the key's VM.
  func performAtOnce(
    _ request: SharedRequest, _ key: SharedKey
  ) -> Result<Void, SharedStorageError>? {
    let identity = key.identity
    if let saver, let file = saver.file(with: identity), !saver.isInBackground {
      return saver.perform(request, file, as: key).map { .failure($0) } ?? .success(())
    }
    if let tables, let table = tables.table(with: identity), !tables.isInBackground {
      tables.performAtOnce(request, table)
      return failure(of: request, identity).map { .failure($0) } ?? .success(())
    }
    return nil
  }

  private func start(
    _ request: SharedRequest, _ key: String, _ done: @escaping SharedKeepers.Waiter
  ) {
    if let saver, let file = saver.file(with: key) {
      saver.perform(request, file, done)
    } else if let tables, let table = tables.table(with: key) {
      tables.perform(request, table) { [self] in done(failure(of: request, key)) }
    } else {
      keepers.ask(request, key, done)
    }
  }

  /// The error in the status of a value.
  private func failure(of request: SharedRequest, _ key: String) -> SharedStorageError? {
    let field = request == .load ? "loadError" : "saveError"
    let status = version.values[SharedKey.statusIdentity(of: key)]?.object
    return status?[field].flatMap { SharedStorageError(fields: $0) }
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
    saver?.flush(inside: engine, where: isDue)
    tables?.flush()
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
