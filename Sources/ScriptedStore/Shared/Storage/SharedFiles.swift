import Dispatch
import LuaBridge
import Synchronization

/// The shared values that are stored in files. It decides when each file is written (``StoredFile``): after the first change
/// at once, after further ones once in an interval. A journal that has become long shortens the interval.
///
/// 1. All files are written on `queue`, so one at a time. A file with a script's format is written by a thread
///    that is inside the worker with its key, and waits there for the queue.
/// 2. So a thread on the queue waits for no worker, and runs nothing of the host. What enters workers, stores or
///    observers is done on `outside`, for which no thread on the first queue or inside a worker waits.
final class SharedFiles: StoredValues {
  let storage: any SharedStorage
  private struct Files {
    /// In the order in which they were opened. In this order an action writes lines to their journals.
    var all: [StoredFile] = []
    var byName: [String: StoredFile] = [:]
  }

  private let files = Mutex(Files())
  private let queue = DispatchQueue(label: "ScriptedStore.shared")
  private let outside = DispatchQueue(label: "ScriptedStore.shared.outside")
  /// Marks the threads of the two: whether it is that of ``queue``.
  private static let isOnQueue = DispatchSpecificKey<Bool>()
  /// Whether a file has changed values or their status, and stores and observers have not been told yet.
  private let hasNews = Atomic<Bool>(false)

  init(_ storage: any SharedStorage) {
    self.storage = storage
    queue.setSpecific(key: SharedFiles.isOnQueue, value: true)
    outside.setSpecific(key: SharedFiles.isOnQueue, value: false)
  }

  func watch(for values: SharedValues) {
    storage.watch { [weak self, weak values] name in
      guard let self, let file = file(named: name) else { return }
      // An editor may still be writing.
      queue.asyncAfter(deadline: .now() + .milliseconds(100)) { [weak self, weak values] in
        if let self, let values { saveFromQueue(Saving(file: file), of: values) }
      }
    }
  }

  // MARK: Keys

  func file(named name: String) -> StoredFile? { files.withLock { $0.byName[name] } }

  func hasFile(named name: String) -> Bool {
    files.withLock { files in files.all.contains { $0.name.lowercased() == name.lowercased() } }
  }

  /// The file of the shared value with this key; nil if the value is not in a file.
  func file(with key: SharedIdentity) -> StoredFile? {
    guard let file = key.file.flatMap({ file(named: $0) }) else { return nil }
    return file.parts.contains { $0.key == key } ? file : nil
  }

  func requireSame(_ key: SharedKey) throws(ScriptError) {
    guard let file = file(with: key.identity), file.format != key.format else { return }
    throw ScriptError(
      """
      the file '\(file.name)' of the shared value '\(key.name)' at \(key.origin) has \(key.format.options), \
      other than where it was declared first; declare the key once, or start the program again
      """)
  }

  func open(
    _ key: SharedKey, default first: Value?, of values: SharedValues
  ) throws(ScriptError) -> SharedValues.Found {
    let declared = try key.plainDefault()
    var found = SharedValues.Found()
    let known = file(named: key.fileName)
    let file = known ?? StoredFile(of: key, in: storage)
    if known == nil {
      let kept = file.open(for: key, &found).kept
      try key.requireNotStopped(found.failure)
      if let kept { values.failures.tellOfConflict(in: file.name, kept: kept, origin: key.origin) }
    }
    values.changeUnstored { current in
      file.begin(key, &found, default: first, like: declared, in: &current.values)
      guard known == nil else { return }
      files.withLock { files in
        files.all.append(file)
        files.byName[file.name] = file
      }
    }
    return found
  }

  func saveOpened(_ key: SharedKey, of values: SharedValues) {
    if let file = file(with: key.identity) { schedule(file, of: values) }
  }

  func setDefault(_ value: Value, of key: SharedIdentity) {
    file(with: key)?.state.withLock { $0.takeForSaved(value, of: key) }
  }

  func letGo(of key: SharedIdentity, in values: Value.Object) -> Bool {
    guard let file = file(with: key) else { return true }
    guard file.state.withLock({ $0.letGo(of: key, in: values) }) else { return false }
    // The file of all `appStorage` keys stays.
    guard file.name != SharedKey.appStorageFile else { return true }
    files.withLock { files in
      files.all.removeAll { $0 === file }
      files.byName[file.name] = nil
    }
    for name in [file.name, file.journal, file.oldJournal] { storage.forget(name) }
    // Its key may be that of a new file by then.
    file.state.withLock(\.worker)?.submit { $0.sharing.endFormat(of: file.name) }
    return true
  }

  // MARK: Changes

  func commit(from old: Value.Object, to new: inout SharedVersion, of values: SharedValues) {
    for file in files.withLock({ $0.all }) where file.append(from: old, to: new.values) {
      schedule(file, of: values)
    }
  }

  private func schedule(_ file: StoredFile, of values: SharedValues, after delay: UInt64 = 0) {
    guard values.savesInBackground else { return }
    let planned = file.state.withLock { state in
      state.schedule.plan(after: delay, isUrgent: state.hasLongJournal)
    }
    guard let time = planned else { return }
    queue.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: time)) { [weak self, weak values] in
      guard let self, let values, file.state.withLock({ $0.schedule.next == time }) else { return }
      saveFromQueue(Saving(file: file), of: values)
    }
  }

  func perform(
    _ request: SharedOperation, _ key: SharedIdentity, of values: SharedValues,
    _ done: @escaping @Sendable () -> Void
  ) {
    guard let file = file(with: key) else { return done() }
    let saving = Saving(file: file, rereads: request == .load, done: done)
    queue.async { [self] in saveFromQueue(saving, of: values) }
  }

  /// What it tells is told by the next ``flush(_:inside:where:)``. No thread may wait for the worker on the queue.
  func performAtOnce(_ request: SharedOperation, _ key: SharedKey, of values: SharedValues) {
    guard let file = file(with: key.identity) else { return }
    queue.sync { save(Saving(file: file, rereads: request == .load), as: key, of: values) }
  }

  /// A thread inside a worker does not wait for files with a script's format that only another worker can write.
  func flush(_ values: SharedValues, inside engine: Engine?, where isDue: (StoredFile) -> Bool) {
    let files = files.withLock { $0.all }.filter(isDue)
    for file in files {
      let saving = Saving(file: file)
      let key = engine?.sharing.formats[file.name]
      if file.format.needsWorker, key == nil, let worker = file.state.withLock(\.worker) {
        worker.perform { [self] in saveFromWorker(saving, of: values, inside: $0) }
      } else {
        queue.sync { save(saving, as: key, of: values) }
      }
    }
    finishTelling(of: values, inside: engine)
    guard engine == nil else { return }
    // Another thread that writes a file inside the worker may have to tell the stores there yet.
    for file in files { file.state.withLock(\.worker)?.perform { _ in } }
  }

  // MARK: Saving

  /// One time that a file is saved.
  private struct Saving: Sendable {
    let file: StoredFile
    /// Whether the file is read also if there is no sign of a change.
    var rereads = false
    /// Called on ``outside`` when stores and observers have been told of the changes.
    var done: (@Sendable () -> Void)?
  }

  /// Saves a file at once or, if it has a script's format, soon inside the worker with its key. Called on the queue.
  private func saveFromQueue(_ saving: Saving, of values: SharedValues) {
    let file = saving.file
    guard file.format.needsWorker else {
      save(saving, as: nil, of: values)
      return tellSoon(of: values, saving.done)
    }
    // The queue's own thread would wait for itself, if it found the worker free.
    outside.async { [self] in
      let worker = file.state.withLock(\.worker)
      let isQueued = worker?.submit { self.saveFromWorker(saving, of: values, inside: $0) }
      guard isQueued != true else { return }
      queue.sync { save(saving, as: nil, of: values) }
      tellSoon(of: values, saving.done)
    }
  }

  /// Saves a file with a script's format. Called by a thread inside the worker with its key.
  private func saveFromWorker(_ saving: Saving, of values: SharedValues, inside engine: Engine) {
    if isOnQueue == true { return saveFromQueue(saving, of: values) }
    queue.sync { save(saving, as: engine.sharing.formats[saving.file.name], of: values) }
    tellSoon(of: values, saving.done)
  }

  /// Takes over what other programs have made of a file, and writes the file if it has other values. Called on the queue.
  ///
  /// - Parameter key: whose functions read and make the text. The thread is inside of its worker then. Nil for another
  ///   format than a script's, and if no worker has the key.
  private func save(_ saving: Saving, as key: SharedKey?, of values: SharedValues) {
    let file = saving.file
    guard !values.hasEndedSaving, file.state.withLock({ $0.beginSaving() }) else { return }
    defer { file.state.withLock { $0.saving = .no } }
    var hasWritten = false
    var failure: SharedStorageError?
    do throws(SharedStorageError) {
      try storage.alone { () throws(SharedStorageError) in
        if saving.rereads || file.state.withLock(\.isUnread) || storage.mayHaveChanged(file.name) {
          let loaded = file.takeOver(values, as: key)
          if let kept = loaded.kept {
            let origin = file.parts.first.flatMap { values.declaration(of: $0.key)?.origin } ?? "?"
            values.failures.tellOfConflict(in: file.name, kept: kept, origin: origin)
          }
          report(file, .load, loaded.failure, of: values)
          hasNews.store(true, ordering: .releasing)
        }
        hasWritten = try file.write(values, as: key)
      }
      file.state.withLock { $0.schedule.didSave(hasWritten: hasWritten) }
    } catch {
      failure = error
      let delay = file.state.withLock { state in
        state.refusal == nil || state.isUnread ? state.schedule.didFail() : nil
      }
      if let delay { schedule(file, of: values, after: delay) }
    }
    report(file, .save, failure, of: values)
    // What could not be read has another name now.
    if hasWritten { report(file, .load, nil, of: values) }
  }

  // MARK: Telling

  /// Sets the status of a file's values, and tells of a failure.
  private func report(
    _ file: StoredFile, _ operation: SharedOperation, _ failure: SharedStorageError?,
    of values: SharedValues
  ) {
    for part in file.parts {
      let failure = file.failure(failure, of: part.key)
      if values.setStatus(of: part.key, operation, failure, file.name) {
        hasNews.store(true, ordering: .releasing)
      }
      if let failure { values.tell(failure, of: part.key, operation, in: file.name) }
    }
  }

  /// Nil outside of both queues.
  private var isOnQueue: Bool? { DispatchQueue.getSpecific(key: SharedFiles.isOnQueue) }

  private func tellSoon(of values: SharedValues, _ done: (@Sendable () -> Void)? = nil) {
    guard done != nil || hasNews.load(ordering: .acquiring) else { return }
    outside.async { [self] in
      tellNews(of: values)
      done?()
    }
  }

  /// Lets stores and observers take over what the files have changed. Called on ``outside``.
  private func tellNews(of values: SharedValues) {
    if takeNews() { values.tellOthers() }
  }

  private func takeNews() -> Bool { hasNews.exchange(false, ordering: .acquiringAndReleasing) }

  /// Tells of what the files have changed, and of what others have begun to tell. Returns when that is done, if
  /// the calling thread may wait for it.
  private func finishTelling(of values: SharedValues, inside engine: Engine?) {
    if let engine {
      guard takeNews() else { return }
      engine.deliver(to: engine.sharing.calls) { values.tellOthers() }
    } else if isOnQueue == true || Worker.isInsideOne {
      tellSoon(of: values)
    } else if isOnQueue == false {
      tellNews(of: values)
    } else {
      outside.sync { tellNews(of: values) }
    }
  }
}
