import LuaBridge
import Platform

/// Makes the records of one durable store, and hands each drain over to the journal. Used inside the worker.
///
/// ```
///   entry of the history ──▶ line ──▶ drain ──didEndDrain──▶ committer ──▶ StoreGate.open(upTo:)
///                                           └─ enough behind the snapshot ──▶ another snapshot
/// ```
///
/// 1. Each entry of the store's history is a record, and its number is that of the action. An action that raised, or
///    did nothing, has none (``beginRecord(of:)``), and gives its number back.
/// 2. What effects start and end between two actions is in the record of the next one, also if a snapshot has it, which
///    may be written later than that record, or not at all. So the journal may name an effect that has ended since, and
///    never lacks one that was in flight.
/// 3. The first drain of a store has a snapshot of the state that the store began with.
/// 4. The first record after a migration names the versions of features. So each state that the journal has is one of
///    the versions that it names, whether or not the snapshot after the migration is written.
final class RecordWriter: RecordSink, StoreListener {
  private let name: StoreName
  let committer: JournalCommitter
  // Proof: the engine owns the core, which owns this.
  unowned(unsafe) let core: StoreCore
  unowned(unsafe) let engine: Engine
  /// Where the committer reports. Its number tells this writer from all others of the process.
  private(set) var address: CommitAddress
  private(set) var stage = Stage.active
  private var inJournal: JournalContent
  /// The records since the last drain that was handed over.
  private var drain: JournalDrain
  private var reducing = Reducing()
  /// The state that the store begins with, and the versions of the features that have made it; nil as soon as the journal has them.
  private var beginning: (state: Value, features: Value)?

  /// Whether the store takes actions, and whether its records are handed over.
  ///
  /// ```
  ///   active ──passivation begins──▶ leaving ──snapshot written, still unused──▶ closing ──▶ (passive)
  ///     ▲                              │
  ///     └────────── an action ─────────┘
  ///
  ///   active, leaving, returned ──a commit fails──▶ comingBack ──▶ active, or returned ──committed──▶ active
  ///   active, leaving, returned ──the host is closed──▶ closing ──a commit fails──▶ ended
  ///   any ──removed, or the journal cannot be read, or its state not used──▶ ended
  /// ```
  enum Stage: Equatable {
    case active
    case leaving
    /// Nothing is handed over until the store is what the journal has.
    case comingBack
    /// The store is what the journal has, and records what follows from that. If this is not written, the journal is not read
    /// before the time: on a full disk that would fail again and again.
    case returned(until: ContinuousClock.Instant)
    /// The store takes no actions any more. What it still records is handed over.
    case closing
    case ended

    var takesActions: Bool { self != .closing && self != .ended }
    var handsOver: Bool { self != .comingBack && self != .ended }
  }

  /// What is known of the action that is being reduced.
  private struct Reducing {
    /// The id of its request, until a record has it.
    var request: String?
    /// Why the action of the request did nothing, as a `ScriptError`, which is large, in a box.
    var refusal: (any Error)?
    /// The JSON of what it changes from one state to the other; nil if that was not made yet.
    var patch: (json: [UInt8], from: Value, to: Value)?
  }

  /// - Parameter recovered: what the journal has of the store; nil if it has nothing.
  init(
    _ name: StoreName, _ core: StoreCore, _ engine: Engine, _ committer: JournalCommitter,
    _ recovered: RecoveredStore?, slot: Int
  ) {
    (self.name, self.core, self.engine, self.committer) = (name, core, engine, committer)
    address = CommitAddress(link: engine.link, slot: slot, writer: SerialNumber.next())
    inJournal = recovered.map { JournalContent($0) } ?? JournalContent()
    drain = JournalDrain(store: name, records: [])
    if recovered == nil { beginning = (core.state, features) }
  }

  // MARK: Records

  /// False if the store has ended, because the action would have no record. `onError` gets the reason for an action from outside.
  func accepts(_ action: borrowing Action, _ message: Message?) -> Bool {
    guard let reason = core.gate?.ending else { return true }
    if message?.sender == nil {
      let action = copy action
      let error = ScriptError(
        "the action \"\(action.path)\" was dropped: \(reason.message)", cause: reason)
      core.turn.inputErrors?.append(error)
      engine.report(error, action, of: core)
    }
    return false
  }

  func check(_ action: Slot, from old: Slot, to new: Slot) throws(ScriptError) {
    let before = Value(borrowing: old)
    let after = Value(borrowing: new)
    let patch = JSONPatch.diff(from: before, to: after).jsonBytes
    let size = patch.count + Value(borrowing: action).size(upTo: DurableStore.mostBytes)
    guard size <= DurableStore.mostBytes else {
      throw ScriptError(
        """
        the record of the action has more than \(DurableStore.mostBytes) bytes, which is the most that a record of a durable \
        store may have; change the state in parts
        """)
    }
    reducing.patch = (patch, before, after)
  }

  func beginRecord(of action: ActionRecord) -> Bool {
    // The alarm whose action this is has gone.
    if action.isIdle && core.alarms?.hasChanges != true {
      reducing.patch = nil
      if reducing.refusal == nil, action.source == .input {
        reducing.refusal = RecordWriter.refusal(by: action)
      }
      return false
    }
    core.gate?.last = action.number
    return true
  }

  /// Why an action was not taken; nil if it was taken and had nothing to do.
  private static func refusal(by record: ActionRecord) -> ScriptError? {
    record.error ?? record.warnings.first.map { ScriptError($0.message) }
  }

  /// The entry of the history is the record.
  func didReduce(_ record: ActionRecord) {}

  func refuse(_ reason: String) { reducing.refusal = reducing.refusal ?? ScriptError(reason) }

  func take(_ entry: HistoryEntry, before: Value) {
    var entry = entry
    inJournal.moveEffects(to: &entry)
    var fields = DurableFields(wall: wallTime)
    if entry.source == .input { (fields.request, reducing.request) = (reducing.request, nil) }
    let (code, nextID) = (engine.current.scriptHashes.code, core.indexes.stacks.highest)
    if code != inJournal.code {
      (fields.code, inJournal.code) = (code, code)
      // The record may have the migrated state of a reload before `didReload`, as that of an alarm whose child is gone.
      noteMigrationOfReload()
    }
    if nextID != inJournal.nextID { (fields.nextID, inJournal.nextID) = (nextID, nextID) }
    if inJournal.namesFeatures { (fields.features, inJournal.namesFeatures) = (features, false) }
    entry.durable = fields
    if let id = fields.request {
      inJournal.requests.add(id, entry.number)
      drain.request = entry.number
    }
    // What has changed without a record, as a shared value in a reload, is in the next one: each record follows from
    // the one before. The state that was checked is not that of the entry if sharing has changed it since, or the action failed.
    let json =
      if let patch = reducing.patch, patch.from.isIdentical(to: before),
        patch.to.isIdentical(to: entry.state)
      { patch.json } else { JSONPatch.diff(from: before, to: entry.state).jsonBytes }
    reducing.patch = nil
    var writer = RecordingLine()
    writer.add(entry, json)
    drain.records.append(JournalRecord(number: entry.number, line: writer.text))
  }

  func take(started: EffectNote) { inJournal.note(started: started) }

  func take(ended: EffectNote) { inJournal.note(ended: ended) }

  func didEndDrain() {
    guard !drain.records.isEmpty else { return }
    var new = takeDrain()
    // A store that comes back returns to an older state, of which these records are no part.
    guard stage.handsOver else { return }
    if inJournal.isNew, let beginning {
      inJournal.isNew = false
      inJournal.snapshot.features = features
      new.snapshot = snapshot(of: beginning.state, after: 0, effects: [])([])
    }
    inJournal.snapshot.behind.add(RecordsBehind(records: new.records.count, bytes: new.bytes))
    committer.commit(new, for: address)
    if inJournal.snapshot.behind.areMany { makeSnapshot() }
  }

  private func takeDrain() -> JournalDrain {
    defer { drain = JournalDrain(store: name, records: []) }
    return drain
  }

  /// Alarms that change while no action is reduced are a record of their own.
  func didMake(_ effects: StoreEffects) {
    effects.alarms.beginRecording { [unowned self] in
      guard !core.turn.isReducing, stage.handsOver else { return }
      core.noteEdit(Action(trusted: ["type": "alarms"]), from: core.state)
    }
  }

  /// The effects that were in flight when the process ended are over: the next record says so.
  func note(lost effects: [EffectNote]) { inJournal.note(lost: effects) }

  /// The state is one of other versions of features from now on, whether or not the migration has changed it.
  func noteMigration() { inJournal.namesFeatures = true }

  /// A state that a reload has migrated is a record. If the versions of features are others, that record or the next one says
  /// so, and a snapshot does, so that the next process does not migrate again.
  func didReload() {
    guard let last = core.history?.lastState else { return }
    let isMigrated = features != inJournal.snapshot.features
    noteMigrationOfReload()
    if core.state.isIdentical(to: last) {
      core.endDrain()
    } else {
      core.noteEdit(Action(trusted: ["type": "migrate"]), from: last)
    }
    if isMigrated { makeSnapshot() }
  }

  private func noteMigrationOfReload() {
    // The first snapshot of a store names the versions of then.
    if features != inJournal.snapshot.features && !inJournal.isNew { noteMigration() }
  }

  private var features: Value {
    engine.current.features.versions(of: core.domain.root.featureKeys)
  }

  // MARK: Requests

  /// Reduces an action from outside, and answers when its record is durable.
  ///
  /// - Parameter request: an id of the sender's. If the store has a record of that id, the action is not reduced again.
  func send(
    _ action: Action, request: String?,
    _ answer: @escaping @Sendable (Result<Receipt, any Error>) -> Void
  ) {
    guard let gate = core.gate, stage.takesActions else {
      return answer(.failure(StorePassivated()))
    }
    stay()
    if let request, let known = inJournal.requests[request] {
      if let receipt = known.receipt { return answer(.success(receipt)) }
      return answerWhenDurable(request, gate, answer)
    }
    reducing = Reducing(request: request)
    _ = engine.process(action, in: address.slot)
    let refusal = reducing.refusal
    reducing = Reducing()
    if let refusal {
      return engine.deliver(to: nil) { answer(.failure(refusal)) }
    }
    answerWhenDurable(request, gate, answer)
  }

  /// Answers with the receipt of the request's record, and so does the same request when it comes again. Without a request the
  /// receipt is that of the last record.
  private func answerWhenDurable(
    _ request: String?, _ gate: StoreGate,
    _ answer: @escaping @Sendable (Result<Receipt, any Error>) -> Void
  ) {
    gate.whenDurable { [unowned self] result in
      let own = request.flatMap { inJournal.requests[$0]?.receipt }
      return { answer(result.map { own ?? $0 }.mapError { $0 }) }
    }
  }

  /// Records are durable, and so are those before them.
  func committed(_ report: CommitReport, _ receipts: DrainReceipts) {
    beginning = nil
    if case .returned = stage { stage = .active }
    if let number = report.request, let receipt = receipts.request {
      inJournal.requests.committed(number, receipt)
    }
    core.gate?.open(upTo: report.last, receipts.last)
  }

  // MARK: After a failed commit

  /// Lets the store become what the journal has, because a commit has failed; one that is about to be dropped just ends.
  func comeBack(after error: JournalError) {
    switch stage {
    case .comingBack, .ended: return
    case .closing: end(with: error)
    case .returned(let time) where time > .now:
      stage = .comingBack
      readAgain(after: error, at: time)
    case .active, .leaving, .returned:
      stage = .comingBack
      readAgain(after: error)
    }
  }

  private func readAgain(after error: JournalError, at time: ContinuousClock.Instant) {
    let address = address
    engine.link.submit(at: time) { engine in
      guard let writer = engine.writer(at: address), writer.stage == .comingBack else { return }
      writer.readAgain(after: error)
    }
  }

  private func readAgain(after error: JournalError) {
    let address = address
    committer.readAgain(name) { result in
      address.submitFromTask { $0?.cameBack(to: result, error) }
    }
  }

  private func cameBack(
    to result: Result<RecoveredStore?, JournalError>, _ error: JournalError
  ) {
    // It may have been removed meanwhile.
    guard stage == .comingBack else { return }
    switch result {
    case .success(let recovered):
      // A store whose first record was not written begins again.
      let first = beginning.map { RecoveredStore(beginning: $0.state, of: $0.features) }
      guard let recovered = recovered ?? first else { return end(with: error) }
      core.comeBack(to: recovered, error, engine)
    case .failure(let reason) where reason.code == .unknown || reason.code == .notWritten:
      // It is not known yet what the journal has, so that sends fail until it is.
      core.gate?.fail(reason)
      readAgain(after: error, at: .now + .seconds(1))
    case .failure(let reason):
      // Another reading would not help. The next use makes the store active, and throws if it cannot be read.
      end(with: reason)
    }
  }

  /// The store has the journal's state, and records again.
  func endComingBack(_ recovered: RecoveredStore) {
    stage = .active
    address.era += 1
    _ = takeDrain()
    inJournal = JournalContent(recovered)
  }

  /// The store is what the journal has, or has recorded what follows from that.
  ///
  /// - Parameter nodesSend: whether nodes on screens send actions when this request ends.
  func didComeBack(_ recovered: RecoveredStore, nodesSend: Bool) {
    // An alarm that is due rings when this request ends.
    let sends = nodesSend || (core.alarms?.nextDate ?? .infinity) <= wallTime
    if sends || core.number > recovered.number { stage = .returned(until: .now + .seconds(1)) }
  }

  // MARK: Leaving memory

  func beginLeaving() { stage = .leaving }

  /// The store is used, or has something to do: it does not leave now.
  func stay() {
    if stage == .leaving { stage = .active }
  }

  func close() {
    if stage.handsOver { stage = .closing }
  }

  /// Called before the store is removed from the journal. Nothing of it is recorded any more, and each `send` that waits for its
  /// record throws.
  func remove() { end(with: JournalError(.closed, "\(name): the store was removed")) }

  /// The journal is closed, and has all that was recorded. A `Store` may still refer to the store.
  func didCloseJournal() { end(with: JournalError(.closed, "\(name): the host was closed")) }

  /// The code of now cannot run on what the journal has: the store takes no actions any more, and nothing of it is recorded.
  /// The next use makes it active again, which throws that.
  func end(because error: ScriptError) {
    committer.giveUp(name)
    end(
      with: JournalError(
        .unusable, "\(name) takes no actions, because its code cannot run on its state: \(error)"))
  }

  /// What is shown, and so on the disk, stays the last state that others see.
  private func end(with error: JournalError) {
    stage = .ended
    core.gate?.end(error)
  }

  // MARK: Snapshots

  /// Whether the journal's snapshot is what a new one would be, or is about to be.
  var isSnapshotCurrent: Bool {
    inJournal.snapshot.behind.records == 0 && core.gate?.isSettled != false
      && inJournal.snapshot.effects == Set(effectsInFlight.map(\.number))
  }

  /// Whether a snapshot is on its way, which may fail.
  var isMakingSnapshot: Bool { inJournal.snapshot.isOnItsWay }

  private var effectsInFlight: [EffectNote] { core.history?.effectsInFlight ?? [] }

  /// Lets the journal have a snapshot of the state of now, as soon as that is durable.
  ///
  /// - Parameter done: called outside when the snapshot is on the disk, or cannot be; at once if there is nothing to keep,
  ///   as in a store without records, and in one that comes back from a failed commit.
  func makeSnapshot(_ done: (@Sendable (JournalError?) -> Void)? = nil) {
    guard done != nil || !isMakingSnapshot, core.number > 0, stage.handsOver else {
      done?(nil)
      return
    }
    let effects = effectsInFlight
    let (name, number, address, committer) = (name, core.number, address, committer)
    inJournal.snapshot.begin(number, features: features, effects: Set(effects.map(\.number)))
    let make = snapshot(of: core.state, after: number, effects: effects)
    let end: @Sendable (JournalError?) -> Void = { error in
      done?(error)
      address.submitFromTask { $0?.inJournal.snapshot.end(number, isWritten: error == nil) }
    }
    // Only then the receipts of its requests are known.
    core.gate?.whenDurable { [unowned self] result in
      if case .failure(let error) = result { return { end(error) } }
      let requests = inJournal.requests.all.filter { $0.number <= number }
      return {
        committer.commitSnapshot(
          { JournalDrain(store: name, records: [], snapshot: make(requests)) }, done: end)
      }
    }
  }

  /// What makes the text of a snapshot of the store's last requests, on any thread: a large state takes long.
  ///
  /// - Parameter number: 0 for the store before its first record, which has nothing hidden.
  private func snapshot(
    of state: Value, after number: Int, effects: [EffectNote]
  ) -> @Sendable ([DurableHeader.Request]) -> JournalSnapshot {
    let now = wallTime
    var durable = DurableHeader(
      wall: now, code: engine.current.scriptHashes.code, features: inJournal.snapshot.features)
    if number > 0 {
      durable.lastEffect = inJournal.lastEffect
      durable.nextID = core.indexes.stacks.highest
    }
    let alarms = number > 0 ? core.alarms : nil
    let header = RecordingHeader(
      feature: name.feature, dependencies: core.overridden, effects: effects,
      alarms: alarms?.recorded ?? .null, durable: durable)
    let alarm = alarms?.nextDate
    return { requests in
      var header = header
      header.durable?.requests = requests
      let event = RecordingEvent.header(header, after: number, state: state)
      return JournalSnapshot(number: number, line: event.line, wake: effects.isEmpty ? alarm : now)
    }
  }
}

/// The store was made passive between the moment at which a sender found it and its turn: it is to be activated again.
struct StorePassivated: Error {}

extension StoreCore {
  /// What makes the store's records; nil in a store without a journal.
  var recordWriter: RecordWriter? { gate == nil ? nil : history?.sink as? RecordWriter }
}
