import Dispatch
import LuaBridge
import Synchronization

/// Decides when the files of a host's shared values are written (``StoredFile``): the first change at once, further ones once
/// in an interval, on a thread of its own. Before that, and when the storage tells of it, it takes over what other
/// programs have made of a file. A journal that has become long shortens the interval. After a failure it tries again
/// after 1, 2, 4 … 60 seconds, and with the next change.
///
/// 1. All files are written on `queue`, so one at a time. A file with a format is written by a thread that is
///    inside the worker with its key, and waits there for the queue.
/// 2. So a thread on the queue waits for no worker, and runs nothing of the host. What enters workers, stores or
///    observers is done on `outside`, for which no thread on the first queue or inside a worker waits.
/// 3. The values own the saver, and are an argument of what needs them. What is done later does not retain them.
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
  private let outside = DispatchQueue(label: "ScriptedStore.shared.outside")
  /// Marks the threads of the two: whether it is that of ``queue``.
  private static let isOnQueue = DispatchSpecificKey<Bool>()
  /// Whether a file has changed values or their status, and nobody was told yet.
  private let hasNews = Atomic<Bool>(false)

  init(_ storage: any SharedStorage) {
    self.storage = storage
    queue.setSpecific(key: SharedSaver.isOnQueue, value: true)
    outside.setSpecific(key: SharedSaver.isOnQueue, value: false)
  }

  /// Hears of what other programs do to the files.
  func watch(for values: SharedValues) {
    storage.watch { [weak self, weak values] name in
      guard let self, let file = file(named: name) else { return }
      // An editor may still be writing.
      queue.asyncAfter(deadline: .now() + .milliseconds(100)) { [weak self, weak values] in
        self?.save(file, of: values)
      }
    }
  }

  var isUsed: Bool { hasFiles.load(ordering: .acquiring) }

  // MARK: Files

  func file(named name: String) -> StoredFile? { files.withLock { $0.byName[name] } }

  /// The file of the shared value with this key; nil if the value is not in a file.
  func file(with key: SharedIdentity) -> StoredFile? {
    guard let file = key.file.flatMap({ file(named: $0) }) else { return nil }
    return file.parts.contains { $0.key == key } ? file : nil
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
    for name in [file.name, file.journal, file.oldJournal] { storage.forget(name) }
    // Its key may be that of a new file by then.
    file.state.withLock(\.worker)?.submit { $0.sharing.endFormat(of: file.name) }
  }

  // MARK: Changes

  /// Appends the changes to the journals. Called before the new values can be read.
  ///
  /// - Returns: the files whose contents have changed, for ``schedule(_:of:after:)``.
  func journal(from old: Value.Object, to new: Value.Object) -> [StoredFile] {
    files.withLock { $0.all }.filter { $0.append(from: old, to: new) }
  }

  func schedule(_ file: StoredFile, of values: SharedValues, after delay: UInt64 = 0) {
    guard values.savesInBackground else { return }
    let now = DispatchTime.now().uptimeNanoseconds
    let planned = file.state.withLock { state in
      state.schedule.plan(at: now, delay: delay, isUrgent: state.hasLongJournal)
    }
    guard let time = planned else { return }
    queue.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: time)) { [weak self, weak values] in
      guard let self, file.state.withLock({ $0.schedule.next == time }) else { return }
      save(file, of: values)
    }
  }

  /// Loads a file again or writes it, and then calls `done` with the failure.
  func perform(
    _ request: SharedOperation, _ file: StoredFile, of values: SharedValues,
    _ done: @escaping SharedKeepers.Waiter
  ) {
    queue.async { [self] in
      start(file, of: values) { [self] key in
        let failure = save(file, as: key, of: values, rereads: request == .load)[request]
        outside.async { [self] in
          tellNews(of: values)
          done(failure)
        }
      }
    }
  }

  /// Loads a file again or writes it, and returns why that failed. What that tells is told by the next
  /// ``flush(_:inside:where:)``. Called inside the worker with the key, while no thread waits for that worker on the
  /// queue: in a test.
  func performAtOnce(
    _ request: SharedOperation, _ file: StoredFile, as key: SharedKey, of values: SharedValues
  ) -> SharedStorageError? {
    queue.sync { save(file, as: key, of: values, rereads: request == .load)[request] }
  }

  // MARK: The two queues

  /// What is done with a file on the queue. The key is that of a file with a format; nil if no worker has it.
  private typealias Work = @Sendable (SharedKey?) -> Void

  /// Saves a file, if the values are still there. Called on the queue.
  private func save(_ file: StoredFile, of values: SharedValues?) {
    guard let values else { return }
    start(file, of: values) { [self] key in _ = save(file, as: key, of: values) }
  }

  /// Does something with a file at once or, if the file has a format, soon inside the worker with its key. Called on the
  /// queue.
  private func start(_ file: StoredFile, of values: SharedValues, _ work: @escaping Work) {
    guard file.hasFormat else {
      work(nil)
      return tellSoon(of: values)
    }
    // The queue's own thread would wait for itself, if it found the worker free.
    outside.async { [self] in
      let worker = file.state.withLock(\.worker)
      let isQueued = worker?.submit { self.perform(work, file, of: values, inside: $0) }
      guard isQueued != true else { return }
      queue.sync { work(nil) }
      tellSoon(of: values)
    }
  }

  /// Does something with a file that has a format. Called by a thread inside the worker with its key.
  private func perform(
    _ work: @escaping Work, _ file: StoredFile, of values: SharedValues, inside engine: Engine
  ) {
    if isOnQueue == true { return start(file, of: values, work) }
    queue.sync { work(engine.sharing.formats[file.name]) }
    tellSoon(of: values)
  }

  /// Nil outside of both queues.
  private var isOnQueue: Bool? { DispatchQueue.getSpecific(key: SharedSaver.isOnQueue) }

  private func tellSoon(of values: SharedValues) {
    if hasNews.load(ordering: .acquiring) { outside.async { [self] in tellNews(of: values) } }
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
      if takeNews() { engine.deliver(to: engine.sharing.calls) { values.tellOthers() } }
    } else if isOnQueue == true || Worker.isInsideOne {
      tellSoon(of: values)
    } else if isOnQueue == false {
      tellNews(of: values)
    } else {
      outside.sync { tellNews(of: values) }
    }
  }

  // MARK: Saving

  /// Why a file could not be read or written.
  private typealias Failures = [SharedOperation: SharedStorageError]

  /// Takes over what other programs have made of a file, and writes the file if it has other values.
  ///
  /// - Parameters:
  ///   - key: whose functions read and make the text; nil for a file without a format.
  ///   - rereads: whether the file is read also if there is no sign of a change.
  private func save(
    _ file: StoredFile, as key: SharedKey?, of values: SharedValues, rereads: Bool = false
  ) -> Failures {
    if values.hasEndedSaving { return [.save: SharedSaver.isClosed] }
    var failures: Failures = [:]
    guard file.state.withLock({ $0.beginSaving() }) else { return failures }
    defer { file.state.withLock { $0.saving = .no } }
    var hasWritten = false
    do throws(SharedStorageError) {
      try storage.alone { () throws(SharedStorageError) in
        if rereads || file.state.withLock(\.isUnread) || storage.mayHaveChanged(file.name) {
          let loaded = file.takeOver(values, as: key)
          values.didLoad(file, loaded)
          failures[.load] = loaded.failure
          noteNews()
        }
        hasWritten = try file.write(values, as: key)
      }
      file.state.withLock { $0.schedule.didSave(hasWritten: hasWritten) }
    } catch {
      failures[.save] = error
      let delay = file.state.withLock { state in
        state.refusal == nil || state.isUnread ? state.schedule.didFail() : nil
      }
      if let delay { schedule(file, of: values, after: delay) }
    }
    if values.didSave(file, hasWritten: hasWritten, failures[.save]) { noteNews() }
    return failures
  }

  private func noteNews() { hasNews.store(true, ordering: .releasing) }

  private static let isClosed = SharedStorageError(
    code: "closed", message: "the host writes no values any more")

  /// Writes all files that have to be written, and returns when that has been tried. A thread inside a worker
  /// does not wait for files with a format that only another worker can write.
  ///
  /// - Parameters:
  ///   - engine: that of the worker which the calling thread is inside of, if it is known.
  ///   - isDue: whether a file is written now.
  func flush(_ values: SharedValues, inside engine: Engine?, where isDue: (StoredFile) -> Bool) {
    let files = files.withLock { $0.all }.filter(isDue)
    let plain = files.filter { !$0.hasFormat }
    if !plain.isEmpty { queue.sync { for file in plain { _ = save(file, as: nil, of: values) } } }
    for file in files where file.hasFormat {
      let work: Work = { [self] key in _ = save(file, as: key, of: values) }
      if let engine, engine.sharing.formats[file.name] != nil {
        queue.sync { work(engine.sharing.formats[file.name]) }
      } else if let worker = file.state.withLock(\.worker) {
        worker.perform { [self] in perform(work, file, of: values, inside: $0) }
      } else {
        queue.sync { work(nil) }
      }
    }
    finishTelling(of: values, inside: engine)
    guard engine == nil else { return }
    // Another thread that writes a file inside the worker may have to tell the stores there yet.
    for file in files { file.state.withLock(\.worker)?.perform { _ in } }
  }
}

/// When a file is written. Times are in nanoseconds.
struct SaveSchedule: Sendable {
  /// The shortest time between two writes.
  let interval: UInt64
  /// When the file is written next; nil if no write is planned.
  var next: UInt64?
  /// The time before which the file is not written again.
  private var earliest: UInt64 = 0
  private var failures = 0

  init(interval: UInt64) { self.interval = interval }

  /// The time of a new write; nil if one is planned that is early enough.
  mutating func plan(at now: UInt64, delay: UInt64, isUrgent: Bool) -> UInt64? {
    let time = max(isUrgent && failures == 0 ? now : earliest, now + delay)
    // A change does not wait for a try after a failure, which may be a minute away.
    if let next, next <= time { return nil }
    next = time
    return time
  }

  mutating func didSave(hasWritten: Bool) {
    failures = 0
    if hasWritten { earliest = DispatchTime.now().uptimeNanoseconds + interval }
  }

  mutating func didFail() -> UInt64 {
    failures += 1
    earliest = DispatchTime.now().uptimeNanoseconds + interval
    return SaveSchedule.delay(after: failures) * 1_000_000_000
  }

  /// The seconds until the next try after so many failures: 1, 2, 4 … 60.
  static func delay(after failures: Int) -> UInt64 { min(60, 1 << UInt64(min(failures - 1, 6))) }
}
