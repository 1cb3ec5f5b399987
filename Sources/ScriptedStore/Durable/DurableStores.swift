import Dispatch
import LuaBridge
import Platform
import Synchronization

/// The durable stores of a host: which are active, and making them so.
///
/// ```
///   passive ──first use──▶ activating ──▶ active ──unused for a while──▶ snapshot ──▶ passive
///                              └─ raises: passive again, and the use throws
/// ```
///
/// 1. A name has at most one store in memory. Its worker depends on the name alone.
/// 2. A store may become passive when it is unused: no ``Store`` refers to it, it has no observers and no screens, no effect is
///    in flight, its next alarm is far, and all its records are durable.
/// 3. Locks are not held while a store is closed (``Active/take(ifUnused:)``).
/// 4. An action keeps a store active that is about to be passive. A store is dropped inside its worker, where no action comes
///    in between.
final class DurableStores: Sendable {
  final class Active: Sendable {
    /// Nil once it is passive.
    fileprivate let held: Mutex<StoreHandle?>
    fileprivate let address: CommitAddress
    fileprivate let lastUse = Atomic<UInt64>(0)

    fileprivate init(_ handle: StoreHandle, _ address: CommitAddress) {
      held = Mutex(handle)
      self.address = address
    }

    /// The store as long as it is active.
    var handle: StoreHandle? { held.withLock { $0 } }

    /// Lets go of the store, which is closed when the last reference is released. That must not be under a lock, because
    /// a thread that closes a store may run other requests of its worker.
    fileprivate func take(ifUnused: Bool = false) -> StoreHandle? {
      held.withLock { handle in
        if ifUnused && !isKnownUniquelyReferenced(&handle) { return nil }
        defer { handle = nil }
        return handle
      }
    }

    fileprivate func use() { lastUse.store(milliseconds(), ordering: .relaxed) }

    fileprivate func isIdle(for time: Duration) -> Bool {
      let used = lastUse.load(ordering: .relaxed)
      // Another thread may use it meanwhile.
      return .milliseconds(max(used, milliseconds()) - used) >= time
    }
  }

  private enum Entry {
    case activating(Task<Active, any Error>)
    case active(Active)
    /// The name can be used when this has ended.
    case removing(Task<Void, any Error>)
  }

  let committer: JournalCommitter
  private let configuration: HostConfiguration
  private let workers: [OwnedWorker]
  private let entries = Mutex<[StoreName: Entry]>([:])
  /// The last error that was reported of each store that could not be made active; for nil, why the journal did not name such stores,
  /// or why there is no such name.
  private let failures = Mutex<[StoreName?: String]>([:])
  private let isClosed = Atomic<Bool>(false)
  /// What ``close()`` waits for; nil before it is called.
  private let closing = Mutex<Task<Void, Never>?>(nil)
  private let watch = Mutex<Task<Void, Never>?>(nil)

  init(
    _ journal: Journal, _ configuration: HostConfiguration, _ workers: [OwnedWorker]
  ) throws(JournalError) {
    let storage = journal.makeStorage()
    try storage.open()
    committer = JournalCommitter(storage, pause: journal.pause)
    (self.configuration, self.workers) = (configuration, workers)
    // Often enough for a store to be passive after its time, and for alarms, which are looked for 10 s ahead.
    let pause = max(.milliseconds(10), min(.seconds(5), configuration.idleTime / 4))
    let task = Task { [weak self] in
      // This retains the object for one name at a time: there may be very many, and the host may be released meanwhile.
      for name in await self?.interrupted() ?? [] where !Task.isCancelled {
        await self?.wakeIfInterrupted(name)
      }
      while !Task.isCancelled {
        for name in await self?.dueSoon() ?? [] where !Task.isCancelled {
          await self?.wake(name)
        }
        self?.passivateUnused()
        try? await Task.sleep(for: pause)
      }
    }
    watch.withLock { $0 = task }
  }

  deinit { watch.withLock { $0?.cancel() } }

  private var storage: any JournalStorage { committer.storage }

  // MARK: Activation

  /// The store with this name, made active if it is not.
  func active(_ name: StoreName) async throws -> Active {
    let entry: Entry = try entries.withLock { entries in
      if isClosed.load(ordering: .relaxed) {
        throw JournalError(.closed, "\(name): the host was closed")
      }
      if let known = entries[name] { return known }
      let new = Entry.activating(Task { try await self.activate(name) })
      entries[name] = new
      return new
    }
    switch entry {
    case .active(let store):
      store.use()
      return store
    case .activating(let task): return try await task.value
    case .removing(let task):
      _ = try? await task.value
      return try await active(name)
    }
  }

  private func activate(_ name: StoreName) async throws -> Active {
    do {
      let recovered = try await recovered(name)
      let active = try await make(name, recovered)
      active.use()
      didActivate(name, active)
      return active
    } catch {
      didActivate(name, nil)
      throw error
    }
  }

  /// What the journal has of a store; nil if it has nothing.
  private func recovered(_ name: StoreName) async throws(JournalError) -> RecoveredStore? {
    if committer.hasFailed(name) {
      // The store that had the name before is gone, and has not come back.
      let result = await withCheckedContinuation { continuation in
        committer.readAgain(name) { continuation.resume(returning: $0) }
      }
      return try result.get()
    }
    // The file is read on this thread, which takes 65 µs. The way to a thread that may block, and back, would take 100 µs of 310.
    // The reading waits for no task, and for the disk as long as a turn of a script may take.
    return try storage.stored(name).map { (stored) throws(JournalError) in
      try RecoveredStore(stored, name)
    }
  }

  /// The store with this name is active from now on, or passive for nil, unless it is being removed.
  private func didActivate(_ name: StoreName, _ store: Active?) {
    if store != nil { forgetFailure(of: name) }
    entries.withLock { entries in
      if case .activating? = entries[name] { entries[name] = store.map { .active($0) } }
    }
  }

  private func make(_ name: StoreName, _ recovered: RecoveredStore?) async throws -> Active {
    let worker = workers[Int(UInt(bitPattern: name.hashValue) % UInt(workers.count))]
    let (committer, snapshot) = (committer, StateSnapshot())
    do {
      let (address, log) = try await worker.worker.performAsynchronously {
        (engine) throws(ScriptError) in
        let address = try engine.makeDurableStore(name, recovered, committer, snapshot: snapshot)
        let log = engine.core(address.slot)?.history?.log
        // An alarm whose time has passed rings before the store is used.
        engine.wake(-1)
        return (address, log)
      }
      let handle = StoreHandle(of: worker, slot: address.slot, snapshot: snapshot)
      // The store records already: ``Store/record(limit:)`` lets it keep more.
      handle.companion.withLock { $0 = log }
      let active = Active(handle, address)
      try await untilDurable(active)
      return active
    } catch {
      guard recovered != nil else { throw error }
      // It may have recorded something, as a migration: the next activation reads the journal behind that.
      committer.giveUp(name)
      if error is JournalError { throw error }
      throw JournalError(
        .unusable,
        "\(name) takes no actions, because its code cannot run on its state: \(error); its state can still be read with `runner stores`"
      )
    }
  }

  /// Waits until the records are durable that a store made when it came back.
  private func untilDurable(_ active: Active) async throws {
    let _: Receipt = try await withCheckedThrowingContinuation { continuation in
      active.address.submit { writer in
        // There is a writer: only `close()` and `remove(_:)` close stores, and they wait until this store is active.
        guard let gate = writer?.core.gate else {
          return continuation.resume(throwing: StorePassivated())
        }
        gate.whenDurable { result in { continuation.resume(with: result.mapError { $0 }) } }
      }
    }
  }

  /// Calls `body` with the journal on a thread that may block.
  func reading<R: Sendable>(
    _ body: @escaping @Sendable (any JournalStorage) throws(JournalError) -> R
  ) async throws(JournalError) -> R {
    let storage = storage
    let result: Result<R, JournalError> = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(returning: Result { () throws(JournalError) in try body(storage) })
      }
    }
    return try result.get()
  }

  // MARK: Actions

  /// Sends an action to a store, and returns when it is durable.
  func send(
    _ action: Action, to name: StoreName, request: String?
  ) async throws -> Receipt {
    if !committer.hasRoom {
      await withCheckedContinuation { continuation in
        committer.whenRoom { continuation.resume() }
      }
    }
    while true {
      let active = try await active(name)
      do {
        return try await withCheckedThrowingContinuation { continuation in
          active.address.submit { writer in
            guard let writer else { return continuation.resume(throwing: StorePassivated()) }
            writer.send(action, request: request) { continuation.resume(with: $0) }
          }
        }
      } catch is StorePassivated {
        withExtendedLifetime(takeHandle(name, active)) {}
      }
    }
  }

  /// A handle of the store with this name. A store that takes no actions any more is replaced by one that is made active from the
  /// journal.
  func handle(of name: StoreName) async throws -> StoreHandle {
    while true {
      let active = try await active(name)
      let takesActions = await withCheckedContinuation { continuation in
        active.address.submit { continuation.resume(returning: $0?.stage.takesActions == true) }
      }
      if takesActions, let handle = active.handle { return handle }
      withExtendedLifetime(takeHandle(name, active)) {}
    }
  }

  // MARK: Passivation

  /// The stores that may have had effects in flight, or alarms set, when the process before this one ended. Those that were
  /// made passive say so in their snapshots; of the others only their records tell.
  private func interrupted() async -> [StoreName] {
    await names { (storage) throws(JournalError) in try storage.behind() }
  }

  /// Makes a store active that had effects in flight, or alarms set.
  private func wakeIfInterrupted(_ name: StoreName) async {
    guard !isKnown(name) else { return }
    let isAtRest = try? await reading { (storage) throws(JournalError) in
      // Most had neither, and are not looked at closer: there may be 100,000 of them.
      guard let stored = try storage.stored(name), stored.mentionsEffects else { return true }
      let store = try RecoveredStore(stored, name)
      return store.effects.isEmpty && store.alarms.isEmpty
    }
    // One that cannot be read is woken as well, which reports why.
    if isAtRest != true { await wake(name) }
  }

  /// The stores whose alarms are due soon.
  private func dueSoon() async -> [StoreName] {
    let soon = wallTime + 10
    return await names { (storage) throws(JournalError) in try storage.waking(before: soon) }
  }

  /// Makes a store active for which no caller waits.
  private func wake(_ name: StoreName) async {
    guard !isKnown(name) else { return }
    do { _ = try await active(name) } catch { report(error, of: name) }
  }

  /// The stores that the journal names when it is asked for itself.
  private func names(
    _ question: @escaping @Sendable (any JournalStorage) throws(JournalError) -> [StoreName]
  ) async -> [StoreName] {
    do throws(JournalError) {
      let names = try await reading(question)
      forgetFailure(of: nil)
      return names
    } catch {
      report(error, of: nil)
      return []
    }
  }

  /// Reports an error for which no caller waits, but once only as long as it is the same one.
  ///
  /// - Parameter name: nil if the error is about no store that there could be.
  func report(_ error: any Error, of name: StoreName?) {
    if isClosed.load(ordering: .relaxed) { return }
    let text = "\(error)"
    let isNew = failures.withLock { $0.updateValue(text, forKey: name) != text }
    if isNew {
      configuration.onError?(
        error as? ScriptError ?? ScriptError(text, cause: error),
        Action(trusted: ["type": "recovered"]))
    }
  }

  private func forgetFailure(of name: StoreName?) {
    failures.withLock { _ = $0.removeValue(forKey: name) }
  }

  /// Makes unused stores passive.
  private func passivateUnused() {
    guard !isClosed.load(ordering: .relaxed) else { return }
    // Read once, because they are used meanwhile.
    let stores = activeStores.map { ($0.name, $0.store, $0.store.lastUse.load(ordering: .relaxed)) }
      .sorted { $0.2 < $1.2 }
    let surplus = max(0, stores.count - configuration.maxActive)
    for (index, (name, store, _)) in stores.enumerated()
    where index < surplus || store.isIdle(for: configuration.idleTime) { passivate(name, store) }
  }

  private var activeStores: [(name: StoreName, store: Active)] {
    entries.withLock { entries in
      entries.compactMap { name, entry in
        if case .active(let store) = entry { (name, store) } else { nil }
      }
    }
  }

  private func isKnown(_ name: StoreName) -> Bool {
    entries.withLock { $0[name] != nil }
  }

  /// Makes a store passive if it is unused.
  ///
  /// - Parameter isLast: whether the host is closed, which makes used stores passive too.
  private func passivate(
    _ name: StoreName, _ store: Active, isLast: Bool = false,
    done: @escaping @Sendable () -> Void = {}
  ) {
    let isHeld = store.held.withLock { handle in
      handle != nil && !isKnownUniquelyReferenced(&handle)
    }
    if isHeld && !isLast { return done() }
    store.address.submit { writer in
      guard let writer else { return done() }
      // A snapshot that is on its way may fail: this is asked again then. A store that has ended stays so until its next use.
      let mayLeave =
        writer.stage.takesActions && writer.core.isUnused && !writer.isMakingSnapshot
      guard isLast || mayLeave else { return done() }
      if isLast { writer.close() } else { writer.beginLeaving() }
      if writer.isSnapshotCurrent { return self.leave(name, store, isLast: isLast, done) }
      writer.makeSnapshot { error in
        // The snapshot says when the store is to wake, so that it has to stay until the disk takes it.
        let isKept = error.map { [.notWritten, .unknown].contains($0.code) } ?? false
        if isKept && !isLast { return done() }
        self.leave(name, store, isLast: isLast, done)
      }
    }
  }

  /// Drops a store whose snapshot is on the disk, unless it was used since.
  private func leave(
    _ name: StoreName, _ store: Active, isLast: Bool, _ done: @escaping @Sendable () -> Void
  ) {
    // Inside the worker, so that no action comes between the question and the end.
    store.address.submitFromTask { writer in
      guard let writer else { return done() }
      let isUnused =
        writer.stage == .leaving && writer.core.isUnused && writer.isSnapshotCurrent
      guard isLast || isUnused, let handle = self.takeHandle(name, store, ifUnused: !isLast) else {
        writer.stay()
        return done()
      }
      writer.close()
      // Outside, because closing a store runs what its effects have left to do.
      DispatchQueue.global().async {
        withExtendedLifetime(handle) {}
        done()
      }
    }
  }

  /// Takes a store out of the list of those in memory. Returns nil if a ``Store`` refers to it, and `ifUnused` is true.
  private func takeHandle(
    _ name: StoreName, _ store: Active, ifUnused: Bool = false
  ) -> StoreHandle? {
    entries.withLock { entries in
      let handle = store.take(ifUnused: ifUnused)
      if handle != nil || !ifUnused, case .active(let known)? = entries[name], known === store {
        entries[name] = nil
      }
      return handle
    }
  }

  // MARK: Removing

  /// Removes a store from memory and from the journal. A use of the name meanwhile waits for that, and then begins a new store.
  func remove(_ name: StoreName) async throws {
    let removal = entries.withLock { entries in
      let entry = entries[name]
      if case .removing(let task)? = entry { return task }
      let task = Task {
        defer { self.entries.withLock { $0[name] = nil } }
        try await self.remove(name, entry)
      }
      entries[name] = .removing(task)
      return task
    }
    try await removal.value
  }

  private func remove(_ name: StoreName, _ entry: Entry?) async throws {
    var store: Active?
    switch entry {
    case .active(let active): store = active
    case .activating(let task): store = try? await task.value
    case .removing, nil: break
    }
    if let store {
      await withCheckedContinuation { continuation in
        store.address.submit { writer in
          writer?.remove()
          continuation.resume()
        }
      }
      withExtendedLifetime(store.take()) {}
    }
    try await reading { [committer] (_) throws(JournalError) in try committer.remove(name) }
    forgetFailure(of: name)
  }

  /// Makes all stores passive, and closes the journal. A second call waits for the end of the first one.
  func close() async {
    isClosed.store(true, ordering: .sequentiallyConsistent)
    let task = closing.withLock { known in
      let task = known ?? Task(executorPreference: ClosingExecutor.shared) { await self.closeAll() }
      known = task
      return task
    }
    await task.value
  }

  /// Blocks until ``close()`` is done, unless that has to wait for what this is called in.
  func closeAndWait() {
    let end = DispatchSemaphore(value: 0)
    Task.detached(executorPreference: ClosingExecutor.shared) {
      await self.close()
      end.signal()
    }
    if !Worker.isInsideOne { end.wait() }
  }

  private func closeAll() async {
    watch.withLock { $0?.cancel() }
    // Those that are becoming active, or removed, are so when this returns.
    for entry in entries.withLock({ Array($0.values) }) {
      switch entry {
      case .activating(let task): _ = try? await task.value
      case .removing(let task): _ = try? await task.value
      case .active: break
      }
    }
    committer.endPauses()
    let stores = activeStores
    // All at once, so that many snapshots are one commit.
    await withTaskGroup(of: Void.self) { group in
      for (name, store) in stores {
        group.addTask {
          await withCheckedContinuation { continuation in
            self.passivate(name, store, isLast: true) { continuation.resume() }
          }
        }
      }
    }
    try? await reading { [committer] (storage) throws(JournalError) in
      committer.flush()
      storage.close()
    }
    for (_, store) in stores {
      await withCheckedContinuation { continuation in
        store.address.submit { writer in
          writer?.didCloseJournal()
          continuation.resume()
        }
      }
    }
  }
}

/// Runs what closes a host on threads of its own: those of tasks may all block in ``DurableStores/closeAndWait()``.
private final class ClosingExecutor: TaskExecutor {
  static let shared = ClosingExecutor()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// Milliseconds of a clock that is never set.
private func milliseconds() -> UInt64 { DispatchTime.now().uptimeNanoseconds / 1_000_000 }

extension StoreCore {
  /// Whether the store has no observers, no screens and no listeners but its recorder and its writer, and nothing of it is in
  /// flight or about to happen.
  fileprivate var isUnused: Bool {
    !audience.isObserved && effects?.isIdle != false && gate?.isSettled != false
      && audience.listeners.count == 2 && (alarms?.nextDate ?? .infinity) > wallTime + 20
  }
}
