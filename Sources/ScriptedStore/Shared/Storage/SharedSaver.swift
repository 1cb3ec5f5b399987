import Dispatch
import LuaBridge
import Synchronization

/// Writes the files of a host's shared values: the first change at once, further ones once in an
/// interval, on a thread of its own. Before that, and when the storage tells of it, it takes over what other
/// programs have made of a file. A journal that has become long shortens the interval. After a failure it tries again after 1, 2, 4 … 60 seconds, and
/// with the next change.
///
/// 1. All files are written on the queue, so one at a time. A file with a format is written by a thread that is
///    inside the worker with its key, and waits there for the queue.
/// 2. So a thread on the queue waits for no worker, and runs nothing of the host: stores and observers are told on
///    a queue of their own, for which no thread on the first queue or inside a worker waits.
final class SharedSaver: Sendable {
  let storage: any SharedStorage
  private struct Files {
    /// In the order in which they were opened. In this order an action writes lines to their journals.
    var all: [StoredFile] = []
    var byName: [String: StoredFile] = [:]
  }

  private let files = Mutex(Files())
  private let hasFiles = Atomic<Bool>(false)
  private let queue = DispatchQueue(label: "ScriptedStore.shared")
  /// Marks the queue's thread.
  private static let isOnQueue = DispatchSpecificKey<Bool>()
  /// Whose thread enters workers for files with a format. It may wait for ``queue``.
  private let entrance = DispatchQueue(label: "ScriptedStore.shared.formats")
  /// Where stores and observers are told of what the files have changed.
  private let tellers = DispatchQueue(label: "ScriptedStore.shared.tellers")
  /// Marks the thread of ``tellers``.
  private static let isTeller = DispatchSpecificKey<Bool>()
  /// Held while a file is opened, so that it is read once.
  private let opening = Mutex<Void>(())
  private let schedules = Mutex<[String: Schedule]>([:])
  /// The current values, and what is told about a file. Set once, when the host is made.
  private let host = Mutex<Host?>(nil)
  /// Whether a file has changed values or their status, and nobody was told yet.
  private let news = Atomic<Bool>(false)

  struct Host: Sendable {
    /// Calls a function with the current values, while no action changes them. Does nothing if the host is
    /// gone.
    let whileNothingChanges: @Sendable ((Value.Object) -> Void) -> Void
    /// Takes over what another program has made of a file, with the key if the file has a format.
    /// Returns why it cannot be read; nil if it could.
    let takeOver: @Sendable (StoredFile, SharedKey?) -> SharedStorageError?
    /// Whether a file was written, or why it could not be.
    let report: @Sendable (StoredFile, Result<Bool, SharedStorageError>) -> Void
    /// Lets stores and observers take over what has changed.
    let tellOthers: @Sendable () -> Void
  }

  private struct Schedule {
    /// When the file is written next, in nanoseconds; nil if no write is planned.
    var next: UInt64?
    /// The time before which the file is not written again, in nanoseconds.
    var earliest: UInt64 = 0
    var failures = 0
  }

  /// Whether it writes without ``flush()``.
  let isInBackground: Bool
  private let hasEnded = Atomic<Bool>(false)

  init(_ storage: any SharedStorage, inBackground: Bool) {
    self.storage = storage
    isInBackground = inBackground
    queue.setSpecific(key: SharedSaver.isOnQueue, value: true)
    tellers.setSpecific(key: SharedSaver.isTeller, value: true)
  }

  func connect(_ host: Host) {
    self.host.withLock { $0 = host }
    storage.watch { [weak self] name in
      guard let self, let file = file(named: name) else { return }
      // An editor may still be writing.
      queue.asyncAfter(deadline: .now() + .milliseconds(100)) { [weak self] in
        self?.start(file) { saver, key in saver.save(file, as: key) }
      }
    }
  }

  var isUsed: Bool { hasFiles.load(ordering: .acquiring) }

  // MARK: Files

  /// Calls `body` while no other thread opens a file.
  func open<R>(_ body: () throws(ScriptError) -> R) throws(ScriptError) -> R {
    try opening.alone(body)
  }

  func file(named name: String) -> StoredFile? { files.withLock { $0.byName[name] } }

  /// The file of the shared value with this key; nil if the value is not in a file.
  func file(with key: String) -> StoredFile? {
    guard let file = SharedKey.file(of: key).flatMap({ file(named: $0) }) else { return nil }
    return file.state.withLock { $0.parts.contains { $0.key == key } } ? file : nil
  }

  func add(_ file: StoredFile) {
    files.withLock { files in
      files.all.append(file)
      files.byName[file.name] = file
    }
    hasFiles.store(true, ordering: .releasing)
  }

  /// Forgets a file whose keys have been let go of.
  func remove(_ file: StoredFile) {
    files.withLock { files in
      files.all.removeAll { $0 === file }
      files.byName[file.name] = nil
    }
    schedules.withLock { _ = $0.removeValue(forKey: file.name) }
    for name in [file.name, file.journal, file.oldJournal] { storage.forget(name) }
    // Its key may be that of a new file by then.
    file.worker.withLock { $0 }?.submit { $0.endFormat(of: file.name) }
  }

  // MARK: Changes

  /// Appends the changes to the journals. Called before the new values can be read.
  ///
  /// - Returns: the files whose contents have changed, for ``schedule(_:after:)``.
  func journal(from old: Value.Object, to new: Value.Object) -> [StoredFile] {
    if hasEnded.load(ordering: .relaxed) { return [] }
    return files.withLock { $0.all }.filter { $0.journal(from: old, to: new, in: storage) }
  }

  /// Looks soon which files have to be written.
  func schedule() {
    for file in files.withLock({ $0.all }) { schedule(file) }
  }

  /// Writes a file soon.
  func schedule(_ file: StoredFile, after delay: UInt64 = 0) {
    guard isInBackground else { return }
    let now = DispatchTime.now().uptimeNanoseconds
    let isUrgent = file.hasLongJournal
    let time: UInt64? = schedules.withLock { schedules in
      var schedule = schedules[file.name] ?? Schedule()
      let earliest = isUrgent && schedule.failures == 0 ? now : schedule.earliest
      let time = max(earliest, now + delay)
      // A change does not wait for a try after a failure, which may be a minute away.
      if let next = schedule.next, next <= time { return nil }
      schedule.next = time
      schedules[file.name] = schedule
      return time
    }
    guard let time else { return }
    queue.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: time)) { [weak self] in
      guard let self, schedules.withLock({ $0[file.name]?.next == time }) else { return }
      start(file) { saver, key in saver.save(file, as: key) }
    }
  }

  /// Loads a file again or writes it, and then calls `done` with the failure.
  func perform(
    _ request: SharedRequest, _ file: StoredFile, _ done: @escaping SharedKeepers.Waiter
  ) {
    queue.async { [self] in
      start(file) { saver, key in
        let saveFailure = saver.save(file, as: key, rereads: request == .load)
        let failure = request == .load ? file.state.withLock { $0.loadFailure } : saveFailure
        saver.tellers.async {
          saver.tellNews()
          done(failure)
        }
      }
    }
  }

  /// Loads a file again or writes it, and returns why that failed. What that tells is told by the next ``flush(inside:where:)``.
  /// Called inside the worker with the key, while no thread waits for that worker on the queue: in a test.
  func perform(
    _ request: SharedRequest, _ file: StoredFile, as key: SharedKey
  ) -> SharedStorageError? {
    queue.sync {
      let saveFailure = save(file, as: key, rereads: request == .load)
      return request == .load ? file.state.withLock { $0.loadFailure } : saveFailure
    }
  }

  // MARK: The queue

  /// What is done with a file on the queue. The key is that of a file with a format; nil if no worker has it.
  private typealias Work = @Sendable (SharedSaver, SharedKey?) -> Void

  /// Does something with a file. Called on the queue.
  private func start(_ file: StoredFile, _ work: @escaping Work) {
    if file.hasFormat { return startInside(file, work) }
    work(self, nil)
    tellSoon()
  }

  /// Does something soon with a file that has a format.
  private func startInside(_ file: StoredFile, _ work: @escaping Work) {
    // The queue's own thread would wait for itself, if it found the worker free.
    entrance.async { [self] in
      let worker = file.worker.withLock { $0 }
      let isQueued = worker?.submit { self.perform(work, file, inside: $0) }
      guard isQueued != true else { return }
      queue.sync { work(self, nil) }
      tellSoon()
    }
  }

  /// Does something with a file that has a format. Called by a thread inside the worker with its key.
  private func perform(_ work: @escaping Work, _ file: StoredFile, inside engine: Engine) {
    if isOnQueue { return startInside(file, work) }
    queue.sync { work(self, engine.formats[file.name]) }
    tellSoon()
  }

  private var isOnQueue: Bool { DispatchQueue.getSpecific(key: SharedSaver.isOnQueue) == true }

  // MARK: News

  /// Notes that a file has changed values or their status.
  func hasNews() { news.store(true, ordering: .releasing) }

  private func takeNews() -> Bool { news.exchange(false, ordering: .acquiringAndReleasing) }

  private func tellSoon() {
    if news.load(ordering: .acquiring) { tellers.async { [self] in tellNews() } }
  }

  /// Tells of what the files have changed. Called on ``tellers``.
  private func tellNews() {
    if takeNews() { host.withLock { $0 }?.tellOthers() }
  }

  /// Tells of what the files have changed, and of what others have begun to tell. Returns when that is done, if
  /// the calling thread may wait for it.
  private func finishTelling(inside engine: Engine?) {
    if let engine {
      if takeNews(), let host = host.withLock({ $0 }) {
        engine.deliver(to: engine.sharedCalls, host.tellOthers)
      }
    } else if DispatchQueue.getSpecific(key: SharedSaver.isTeller) == true {
      tellNews()
    } else if isOnQueue || Worker.isInsideOne {
      tellSoon()
    } else {
      tellers.sync { tellNews() }
    }
  }

  /// Takes over what other programs have made of a file, and writes the file if it has other values.
  ///
  /// - Parameters:
  ///   - key: whose functions read and make the text; nil for a file without a format.
  ///   - rereads: whether the file is read also if there is no sign of a change.
  /// - Returns: why it could not be written.
  @discardableResult
  private func save(
    _ file: StoredFile, as key: SharedKey?, rereads: Bool = false
  ) -> SharedStorageError? {
    if hasEnded.load(ordering: .relaxed) { return SharedSaver.isClosed }
    schedules.withLock { $0[file.name, default: Schedule()].next = nil }
    guard let host = host.withLock({ $0 }), file.beginSaving() else { return nil }
    defer { file.state.withLock { $0.isSaving = false } }
    var hasWritten = false
    do throws(SharedStorageError) {
      try storage.alone { () throws(SharedStorageError) in
        if rereads || file.state.withLock({ $0.isUnread }) || storage.mayHaveChanged(file.name) {
          let failure = host.takeOver(file, key)
          file.state.withLock { $0.loadFailure = failure }
        }
        var prepared: Value??
        host.whileNothingChanges { prepared = file.prepare($0, in: self.storage) }
        guard case .some(let content) = prepared else { return }
        hasWritten = try file.save(content, to: storage, as: key, host)
      }
      schedules.withLock { schedules in
        schedules[file.name]?.failures = 0
        guard hasWritten else { return }
        schedules[file.name]?.earliest = DispatchTime.now().uptimeNanoseconds + file.interval
      }
      host.report(file, .success(hasWritten))
      return nil
    } catch {
      host.report(file, .failure(error))
      guard file.state.withLock({ $0.refusal == nil || $0.isUnread }) else { return error }
      let failures = schedules.withLock { schedules in
        schedules[file.name, default: Schedule()].failures += 1
        schedules[file.name]?.earliest = DispatchTime.now().uptimeNanoseconds + file.interval
        return schedules[file.name]?.failures ?? 1
      }
      schedule(file, after: min(60, 1 << UInt64(min(failures - 1, 6))) * 1_000_000_000)
      return error
    }
  }

  private static let isClosed = SharedStorageError(
    code: "closed", message: "the host writes no values any more")

  /// Writes all files that have to be written, and returns when that has been tried. A thread inside a worker
  /// does not wait for files with a format that only another worker can write.
  ///
  /// - Parameters:
  ///   - engine: that of the worker which the calling thread is inside of, if it is known.
  ///   - isDue: whether a file is written now.
  func flush(inside engine: Engine?, where isDue: (StoredFile) -> Bool) {
    let files = files.withLock { $0.all }.filter(isDue)
    let plain = files.filter { !$0.hasFormat }
    if !plain.isEmpty { queue.sync { for file in plain { save(file, as: nil) } } }
    for file in files where file.hasFormat {
      let save: Work = { saver, key in saver.save(file, as: key) }
      if let engine, engine.formats[file.name] != nil {
        queue.sync { save(self, engine.formats[file.name]) }
      } else if let worker = file.worker.withLock({ $0 }) {
        worker.perform { [self] in perform(save, file, inside: $0) }
      } else {
        queue.sync { save(self, nil) }
      }
    }
    finishTelling(inside: engine)
    guard engine == nil else { return }
    // Another thread that writes a file inside the worker may have to tell the stores there yet.
    for file in files { file.worker.withLock { $0 }?.perform { _ in } }
  }

  /// Writes nothing from now on, as after the end of the process.
  func end() { hasEnded.store(true, ordering: .relaxed) }
}
