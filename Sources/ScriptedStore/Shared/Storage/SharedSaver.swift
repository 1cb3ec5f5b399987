import Dispatch
import LuaBridge
import Synchronization

/// Writes the files of a host's shared values: the first change at once, further ones once in an
/// interval, on a thread of its own. Before that, and when the storage tells of it, it takes over what other
/// programs have made of a file. After a failure it tries again after 1, 2, 4 … 60 seconds, and
/// with the next change.
final class SharedSaver: Sendable {
  let storage: any SharedStorage
  private let files = Mutex<[StoredFile]>([])
  private let hasFiles = Atomic<Bool>(false)
  private let queue = DispatchQueue(label: "ScriptedStore.shared")
  /// Marks the queue's thread.
  private static let isOnQueue = DispatchSpecificKey<Bool>()
  /// Held while a file is opened, so that it is read once.
  private let opening = Mutex<Void>(())
  private let schedules = Mutex<[String: Schedule]>([:])
  /// The current values, and what is told about a file. Set once, when the host is made.
  private let host = Mutex<Host?>(nil)

  struct Host: Sendable {
    /// Calls a function with the current values, while no action changes them. Does nothing if the host is
    /// gone.
    let whileNothingChanges: @Sendable ((Value.Object) -> Void) -> Void
    /// Takes over what another program has made of a file.
    /// Returns why it cannot be read; nil if it could.
    let takeOver: @Sendable (StoredFile) -> SharedStorageError?
    /// Whether a file was written, or why it could not be.
    let report: @Sendable (StoredFile, Result<Bool, SharedStorageError>) -> Void
  }

  private struct Schedule {
    /// When the file is written next, in nanoseconds; nil if no write is planned.
    var next: UInt64?
    /// The time before which the file is not written again, in nanoseconds.
    var earliest: UInt64 = 0
    var failures = 0
  }

  /// Whether it writes without ``flush()``.
  private let isInBackground: Bool
  private let hasEnded = Atomic<Bool>(false)

  init(_ storage: any SharedStorage, inBackground: Bool) {
    self.storage = storage
    isInBackground = inBackground
    queue.setSpecific(key: SharedSaver.isOnQueue, value: true)
  }

  func connect(_ host: Host) {
    self.host.withLock { $0 = host }
    storage.watch { [weak self] name in
      guard let self, let file = file(named: name) else { return }
      // An editor may still be writing.
      queue.asyncAfter(deadline: .now() + .milliseconds(100)) { [weak self] in self?.save(file) }
    }
  }

  var isUsed: Bool { hasFiles.load(ordering: .acquiring) }

  // MARK: Files

  /// Calls `body` while no other thread opens a file.
  func open<R>(_ body: () throws(ScriptError) -> R) throws(ScriptError) -> R {
    try opening.alone(body)
  }

  func file(named name: String) -> StoredFile? {
    files.withLock { files in files.first { $0.name == name } }
  }

  /// The file of the shared value with this key; nil if the value is not stored.
  func file(with key: String) -> StoredFile? {
    files.withLock { files in
      files.first { $0.state.withLock { $0.parts.contains { $0.key == key } } }
    }
  }

  func add(_ file: StoredFile) {
    files.withLock { $0.append(file) }
    hasFiles.store(true, ordering: .releasing)
  }

  // MARK: Changes

  /// Appends the changes to the journals. Called before the new values can be read.
  ///
  /// - Returns: the files whose contents have changed, for ``schedule(_:after:)``.
  func journal(from old: Value.Object, to new: Value.Object) -> [StoredFile] {
    if hasEnded.load(ordering: .relaxed) { return [] }
    return files.withLock { $0 }.filter { $0.journal(from: old, to: new, in: storage) }
  }

  /// Looks soon which files have to be written.
  func schedule() {
    for file in files.withLock({ $0 }) { schedule(file) }
  }

  /// Writes a file soon.
  func schedule(_ file: StoredFile, after delay: UInt64 = 0) {
    guard isInBackground else { return }
    let now = DispatchTime.now().uptimeNanoseconds
    let time: UInt64? = schedules.withLock { schedules in
      var schedule = schedules[file.name] ?? Schedule()
      let time = max(schedule.earliest, now + delay)
      // A change does not wait for a try after a failure, which may be a minute away.
      if let next = schedule.next, next <= time { return nil }
      schedule.next = time
      schedules[file.name] = schedule
      return time
    }
    guard let time else { return }
    queue.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: time)) { [weak self] in
      guard let self, schedules.withLock({ $0[file.name]?.next == time }) else { return }
      save(file)
    }
  }

  /// Loads a file again or writes it, and then calls `done` with the failure.
  func perform(
    _ request: SharedRequest, _ file: StoredFile, _ done: @escaping SharedKeepers.Waiter
  ) {
    queue.async { [self] in
      switch request {
      case .load:
        save(file, rereads: true)
        done(file.state.withLock { $0.loadFailure })
      case .save: done(save(file))
      }
    }
  }

  /// Takes over what other programs have made of a file, and writes the file if it has other values.
  ///
  /// - Parameter rereads: whether the file is read also if there is no sign of a change.
  /// - Returns: why it could not be written.
  @discardableResult
  private func save(_ file: StoredFile, rereads: Bool = false) -> SharedStorageError? {
    if hasEnded.load(ordering: .relaxed) { return SharedSaver.isClosed }
    schedules.withLock { $0[file.name, default: Schedule()].next = nil }
    guard let host = host.withLock({ $0 }), !file.state.withLock({ $0.isOpening }) else {
      return nil
    }
    var hasWritten = false
    do throws(SharedStorageError) {
      try storage.alone { () throws(SharedStorageError) in
        if rereads || file.state.withLock({ $0.isUnread }) || storage.mayHaveChanged(file.name) {
          let failure = host.takeOver(file)
          file.state.withLock { $0.loadFailure = failure }
        }
        var prepared: Value??
        host.whileNothingChanges { prepared = file.prepare($0, in: self.storage) }
        guard case .some(let content) = prepared else { return }
        hasWritten = try file.save(content, to: storage, host)
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

  /// Writes all files that have to be written, and returns when that has been tried.
  func flush() {
    let files = files.withLock { $0 }
    guard !files.isEmpty else { return }
    // A handler of the host that hears of a failed save may release the host, on this very thread.
    if DispatchQueue.getSpecific(key: SharedSaver.isOnQueue) == true {
      for file in files { save(file) }
    } else {
      queue.sync { for file in files { save(file) } }
    }
  }

  /// Writes nothing from now on, as after the end of the process.
  func end() { hasEnded.store(true, ordering: .relaxed) }
}
