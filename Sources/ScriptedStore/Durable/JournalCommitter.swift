import Dispatch
import LuaBridge
import Synchronization

/// Where an active store is: a worker, and the slot there.
struct CommitAddress: Sendable {
  let link: WorkerLink
  let slot: Int
  /// The number of the store's writer. The slot, and the name too, may be those of a later store when a report comes.
  let writer: UInt64
  /// How often the store has come back when a drain was handed over. A report about one from before may come late.
  var era = 0

  /// Calls `body` inside the worker with the store's writer; with nil if the store is gone.
  func submit(_ body: @escaping @Sendable (RecordWriter?) -> Void) {
    link.submit { engine in body(engine.writer(at: self)) }
  }

  /// The same on a thread of the global queue (``WorkerLink/submitFromTask(_:)``).
  func submitFromTask(_ body: @escaping @Sendable (RecordWriter?) -> Void) {
    link.submitFromTask { engine in body(engine.writer(at: self)) }
  }
}

/// Commits the drains of all stores of a journal, on a thread of its own.
///
/// ```
///   drains of workers ──▶ waiting ──┬── no commit is out: at once
///                                   └── one is out: all that gather meanwhile are the next one
/// ```
///
/// 1. One commit at a time. What a worker hands over first is committed first, so that the records of a store stay in
///    order.
/// 2. Nothing of this runs scripts: a worker gets one request for each commit with all that concerns its stores.
/// 3. Reports come to a worker in the order of the commits. So the first failure that a store hears of is that of its first record
///    which may be lacking, and later ones only say that they build on that.
/// 4. If a commit fails, later drains of its stores fail too, because they build on states that never were, until the store
///    is again what the journal has (``readAgain(_:_:)``).
final class JournalCommitter: Sendable {
  private enum Item: Sendable {
    case drain(JournalDrain, CommitAddress)
    case snapshot(JournalDrain, done: @Sendable (JournalError?) -> Void)

    var drain: JournalDrain {
      switch self {
      case .drain(let drain, _), .snapshot(let drain, _): drain
      }
    }
  }

  private struct State {
    var waiting: [Item] = []
    /// The bytes of records that are not durable yet.
    var bytes = 0
    var isCommitting = false
    /// Those who wait until fewer bytes are undurable.
    var senders: [@Sendable () -> Void] = []
    /// The stores of which a commit has failed, until they are again what the journal has.
    var failed: Set<StoreName> = []
    /// Whether it is not known if the last commit or removal that was tried is done.
    var isUnknown = false
    /// The time between two commits of a lazy journal.
    var pause: Duration?
  }

  let storage: any JournalStorage
  /// Whether the journal is lazy: sends, observers and effects do not wait for commits (``Journal/lazy(_:)``).
  let isLazy: Bool
  private let state: Mutex<State>
  /// What became of commits, for workers that have not taken it yet (3).
  private let reports = Mutex<[(link: WorkerLink, stores: [CommitReport])]>([])
  private let thread = DispatchQueue(label: "ScriptedStore.journal")
  private let snapshots = DispatchQueue(label: "ScriptedStore.journal.snapshots")

  /// What becomes of a drain that builds on a state that never was.
  private static let buildsOnNothing: Result<[DrainReceipts], JournalError> =
    .failure(JournalError(.notWritten, "an earlier record of the store was not written"))

  /// The most bytes of records that may be undurable: then sends wait.
  private static let mostBytes = 64 << 20

  /// - Parameter pause: that of a lazy journal.
  init(_ storage: any JournalStorage, pause: Duration?) {
    self.storage = storage
    isLazy = pause != nil
    state = Mutex(State(pause: pause))
  }

  /// Nobody can hand over anything any more.
  deinit { storage.close() }

  /// Commits a drain, and then lets its store know.
  func commit(_ drain: JournalDrain, for address: CommitAddress) {
    add(.drain(drain, address))
  }

  /// Commits a snapshot, whose text `make` makes on a thread that nobody waits for.
  func commitSnapshot(
    _ make: @escaping @Sendable () -> JournalDrain,
    done: @escaping @Sendable (JournalError?) -> Void
  ) {
    snapshots.async { self.add(.snapshot(make(), done: done)) }
  }

  private func add(_ item: Item) {
    let bytes = item.drain.bytes
    let begins = state.withLock { state in
      state.waiting.append(item)
      state.bytes += bytes
      defer { state.isCommitting = true }
      return !state.isCommitting
    }
    if begins { commitLater() }
  }

  private func commitLater() {
    guard let pause = state.withLock(\.pause) else { return thread.async { self.commitAll() } }
    thread.asyncAfter(deadline: .now() + pause / .seconds(1)) { self.commitAll() }
  }

  /// A lazy journal writes at once from now on.
  func endPauses() {
    state.withLock { $0.pause = nil }
    thread.async { self.commitAll() }
  }

  /// Whether records may still be handed over.
  var hasRoom: Bool { state.withLock { $0.bytes < Self.mostBytes } }

  func whenRoom(_ body: @escaping @Sendable () -> Void) {
    let isFree = state.withLock { state in
      if state.bytes < Self.mostBytes { return true }
      state.senders.append(body)
      return false
    }
    if isFree { body() }
  }

  /// Makes one commit of all that waits, and goes on when others have had their turn on the thread.
  private func commitAll() {
    let items = state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
    commit(items)
    let goesOn = state.withLock { state in
      state.isCommitting = !state.waiting.isEmpty
      return state.isCommitting
    }
    if goesOn { commitLater() }
  }

  /// Makes one commit of these, without those that build on records which were not written, and tells everybody what became
  /// of it.
  private func commit(_ all: [Item]) {
    let failed = state.withLock(\.failed)
    let late = all.filter { failed.contains($0.drain.store) }
    if !late.isEmpty { tell(late, Self.buildsOnNothing) }
    let items = late.isEmpty ? all : all.filter { !failed.contains($0.drain.store) }
    if items.isEmpty { return }
    let result: Result<[DrainReceipts], JournalError>
    do throws(JournalError) {
      result = .success(try commit(items.map(\.drain)))
    } catch {
      // The disk has failed all of them. Any other error is about one that does not fit what the journal has, as the
      // snapshot of a store that was removed; the others do.
      if error.code != .notWritten, error.code != .unknown, items.count > 1 {
        for item in items { commit([item]) }
        return
      }
      result = .failure(error)
      // Invariant 4.
      state.withLock { state in
        for case .drain(let drain, _) in items { state.failed.insert(drain.store) }
      }
    }
    tell(items, result)
  }

  /// - Throws: also ``JournalError/Code/unknown`` if that is so of an earlier commit, and then tries nothing.
  private func commit(_ drains: [JournalDrain]) throws(JournalError) -> [DrainReceipts] {
    _ = try settleUnknown()
    do throws(JournalError) {
      return try storage.commit(drains)
    } catch {
      guard error.code == .unknown else { throw error }
      state.withLock { $0.isUnknown = true }
      guard let receipts = try settleUnknown() else {
        throw JournalError(.notWritten, "\(error.message); it was found out that they are not")
      }
      return receipts
    }
  }

  /// Finds out what became of a commit, or of a removal, of which that is not known. Returns the receipts of the commit; nil if
  /// it was not done, and if there is no such commit.
  private func settleUnknown() throws(JournalError) -> [DrainReceipts]? {
    guard state.withLock(\.isUnknown) else { return nil }
    let receipts = try storage.settle()
    state.withLock { $0.isUnknown = false }
    return receipts
  }

  /// Whether a commit of the store has failed since it was read, or the store was given up.
  func hasFailed(_ store: StoreName) -> Bool { state.withLock { $0.failed.contains(store) } }

  /// Lets the drains of a store fail that has ended, as after a failed commit (4).
  func giveUp(_ store: StoreName) { state.withLock { _ = $0.failed.insert(store) } }

  /// Reads a store of which a commit has failed, between two commits, and then takes its drains again. Those that wait were made
  /// before (4), and so were the snapshots that are being made. The worker of the store must hand nothing over until it is what
  /// this has read.
  func readAgain(
    _ store: StoreName,
    _ body: @escaping @Sendable (Result<RecoveredStore?, JournalError>) -> Void
  ) {
    snapshots.async {
      self.thread.async {
        body(Result { () throws(JournalError) in try self.readAgain(store) })
      }
    }
  }

  private func readAgain(_ store: StoreName) throws(JournalError) -> RecoveredStore? {
    _ = try settleUnknown()
    let stored = try storage.stored(store)
    let recovered = try stored.map { (stored) throws(JournalError) in
      try RecoveredStore(stored, store)
    }
    let late = state.withLock { state in
      state.failed.remove(store)
      defer { state.waiting.removeAll { $0.drain.store == store } }
      return state.waiting.filter { $0.drain.store == store }
    }
    tell(late, Self.buildsOnNothing)
    return recovered
  }

  /// Tells everybody what became of a commit.
  private func tell(_ items: [Item], _ result: Result<[DrainReceipts], JournalError>) {
    var new: [(link: WorkerLink, stores: [CommitReport])] = []
    for (index, item) in items.enumerated() {
      switch (item, result) {
      case (.drain(let drain, let address), _):
        let report = CommitReport(
          address: address, last: drain.records.last?.number ?? 0, request: drain.request,
          outcome: result.map { $0[index] })
        if let index = new.firstIndex(where: { $0.link === address.link }) {
          new[index].stores.append(report)
        } else {
          new.append((address.link, [report]))
        }
      case (.snapshot(_, let done), .success): done(nil)
      case (.snapshot(_, let done), .failure(let error)): done(error)
      }
    }
    let bytes = items.reduce(0) { $0 + $1.drain.bytes }
    let senders = state.withLock { state in
      state.bytes -= bytes
      guard state.bytes < Self.mostBytes else { return [@Sendable () -> Void]() }
      defer { state.senders = [] }
      return state.senders
    }
    reports.withLock { [new] in $0 += new }
    for (link, _) in new {
      // The threads of the global queue may come in any order: the first one takes all reports.
      link.submitFromTask { [self] engine in engine.committed(takeReports(for: link)) }
    }
    for sender in senders { sender() }
  }

  private func takeReports(for link: WorkerLink) -> [CommitReport] {
    reports.withLock { reports in
      defer { reports.removeAll { $0.link === link } }
      return reports.filter { $0.link === link }.flatMap(\.stores)
    }
  }

  /// Commits all that was handed over. Must not be called on the committer's threads.
  func flush() {
    snapshots.sync {}
    thread.sync { commitAll() }
  }

  /// Removes a store behind all that was handed over, while commits of other stores go on. Must not be called on the committer's
  /// threads.
  func remove(_ store: StoreName) throws(JournalError) {
    flush()
    _ = try thread.sync { Result { () throws(JournalError) in try settleUnknown() } }.get()
    do throws(JournalError) {
      try storage.remove(store)
    } catch {
      // The next commit, or the next use of the store, finds out whether the store was removed.
      if error.code == .unknown {
        state.withLock { state in
          state.isUnknown = true
          state.failed.insert(store)
        }
      }
      throw error
    }
  }
}

/// What became of a drain of one store in a commit.
struct CommitReport: Sendable {
  let address: CommitAddress
  /// The number of the drain's last record.
  let last: Int
  /// The number of the record of a request's action.
  let request: Int?
  let outcome: Result<DrainReceipts, JournalError>
}
