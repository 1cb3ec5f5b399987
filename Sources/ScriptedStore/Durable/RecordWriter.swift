import LuaBridge
import Platform

/// Makes the records of one durable store, and hands each drain over to the journal. Used inside the worker.
///
/// ```
///   entry of the history ──▶ line ──▶ drain ──endDrain──▶ committer ──▶ StoreGate.open(upTo:)
///                                        └─ enough behind the snapshot ──▶ another snapshot
/// ```
///
/// 1. Each entry of the store's history is a record, and its number is that of the action. An action that raised, or
///    did nothing, has none (``records(_:)``), and gives its number back.
/// 2. What effects start and end between two actions is in the record of the next one, also if a snapshot has it, which
///    may be written later than that record, or not at all. So the journal may name an effect that has ended since, and
///    never lacks one that was in flight.
/// 3. The first drain of a store has a snapshot of the state that the store began with.
/// 4. The first record after a migration names the versions of features. So each state that the journal has is one of
///    the versions that it names, whether or not the snapshot after the migration is written.
final class RecordWriter: RecordSink {
  let name: StoreName
  let committer: JournalCommitter
  // Proof: the engine owns the core, whose history's recorder owns this.
  unowned(unsafe) let core: StoreCore
  unowned(unsafe) let engine: Engine
  /// Where the committer reports. Its number tells this writer from all others of the process.
  let address: CommitAddress
  /// The JSON of what the action that is being reduced changes of a state; nil if that was not made yet.
  private var patch: (json: [UInt8], from: Value)?
  private var drain: [JournalRecord] = []
  private var drainBytes = 0
  /// The number of the record in `drain` that a request has led to.
  private var requestInDrain: Int?
  /// Effects that have started and ended since the last record.
  private var unrecordedEffects: (started: [EffectNote], ended: [EffectNote]) = ([], [])
  private var requests = RequestLog([])
  /// The id of the request whose action is being reduced.
  private var request: String?
  /// Why the action of the request did nothing, as a `ScriptError`, which is large, in a box.
  private var refusal: (any Error)?
  /// The versions of features that the journal has, or has as soon as the last snapshot is written.
  private var recordedFeatures = Value.null
  /// Whether the next record names the versions of features (4).
  private var namesFeatures = false
  /// What the last record said.
  private var (code, nextID, lastEffect) = ("", Int64(0), 0)
  /// Whether the next drain is the first one (3).
  private var needsFirstSnapshot: Bool
  /// The state that the store begins with, as long as it is not known whether the journal has it.
  private(set) var stateBeforeFirstCommit: Value
  /// The versions of the features that have made ``stateBeforeFirstCommit``.
  private(set) var featuresBeforeFirstCommit = Value.null
  /// Whether a commit has failed, so that nothing is handed over until the store is what the journal has.
  var isComingBack = false
  /// The earliest time at which a store whose commit fails is read again: what it records by itself when it comes back would
  /// fail again and again on a full disk. Nil if it has recorded nothing then, and once a commit has succeeded.
  private(set) var nextReading: ContinuousClock.Instant?
  private var sinceSnapshot = (records: 0, bytes: 0)
  /// The numbers of the effects that are in flight in the last snapshot; nil if it was not written.
  private var effectsInSnapshot: Set<Int>? = []
  /// Whether a snapshot is on its way, which may fail.
  private(set) var isMakingSnapshot = false
  /// Whether the store takes actions.
  ///
  /// ```
  ///   active ──passivation begins──▶ leaving ──snapshot written, still unused──▶ (passive)
  ///     ▲                              │
  ///     └────────── an action ─────────┘          gone: removed, closed, or not readable
  /// ```
  enum Stage { case active, leaving, gone }

  var stage = Stage.active

  /// Whether the journal has lost the store, or is about to.
  private(set) var isRemoved = false

  /// The most records and bytes behind a snapshot.
  private static let mostBehind = (records: 1_000, bytes: 1 << 20)

  /// - Parameter recovered: what the journal has of the store; nil if it has nothing.
  init(
    _ name: StoreName, _ core: StoreCore, _ engine: Engine, _ committer: JournalCommitter,
    _ recovered: RecoveredStore?, slot: Int
  ) {
    (self.name, self.core, self.engine, self.committer) = (name, core, engine, committer)
    address = CommitAddress(link: engine.link, slot: slot, writer: SerialNumber.next())
    stateBeforeFirstCommit = core.state
    needsFirstSnapshot = recovered == nil
    guard let recovered else {
      featuresBeforeFirstCommit = features
      return
    }
    goOn(from: recovered)
    lastEffect = recovered.header.lastEffect
  }

  private func goOn(from recovered: RecoveredStore) {
    recordedFeatures = recovered.header.features
    requests = RequestLog(recovered.header.requests)
    (code, nextID) = (recovered.header.code, recovered.header.nextID)
    sinceSnapshot = (recovered.recordsBehind, recovered.bytesBehind)
    effectsInSnapshot = Set(recovered.effects.map(\.number))
  }

  // MARK: Records

  func check(_ action: Slot, from old: Slot, to new: Slot) throws(ScriptError) {
    let before = Value(borrowing: old)
    let patch = JSONPatch.diff(from: before, to: Value(borrowing: new)).jsonBytes
    let size = patch.count + Value(borrowing: action).size(upTo: DurableStore.mostBytes)
    guard size <= DurableStore.mostBytes else {
      throw ScriptError(
        """
        the record of the action has more than \(DurableStore.mostBytes) bytes, which is the most that a record of a durable \
        store may have; change the state in parts
        """)
    }
    self.patch = (patch, before)
  }

  func records(_ record: ActionRecord) -> Bool {
    // The alarm whose action this is has gone.
    if record.isIdle && core.alarms?.hasChanges != true {
      patch = nil
      if refusal == nil, record.source == .input { refusal = RecordWriter.refusal(by: record) }
      return false
    }
    core.gate?.last = record.number
    return true
  }

  /// Why an action was not taken; nil if it was taken and had nothing to do.
  private static func refusal(by record: ActionRecord) -> ScriptError? {
    record.error ?? record.warnings.first.map { ScriptError($0.message) }
  }

  func refuse(_ reason: String) { refusal = refusal ?? ScriptError(reason) }

  func take(_ entry: HistoryEntry, before: Value) {
    var entry = entry
    entry.started = unrecordedEffects.started + entry.started
    entry.ended = unrecordedEffects.ended + entry.ended
    unrecordedEffects = ([], [])
    lastEffect = entry.started.reduce(lastEffect) { max($0, $1.number) }
    var fields = DurableFields(wall: RecordWriter.now)
    if entry.source == .input { (fields.request, request) = (request, nil) }
    let (code, nextID) = (engine.current.scriptHashes.code, core.indexes.stacks.highest)
    if code != self.code {
      (fields.code, self.code) = (code, code)
      // The record may have the migrated state of a reload before `didReload`, as that of an alarm whose child is gone.
      noteMigrationOfReload()
    }
    if nextID != self.nextID { (fields.nextID, self.nextID) = (nextID, nextID) }
    if namesFeatures { (fields.features, namesFeatures) = (features, false) }
    if let changes = core.alarms?.takeChanges(), !changes.isEmpty {
      fields.alarms = changes.recorded
    }
    entry.durable = fields
    if let id = fields.request {
      requests.add(id, entry.number)
      requestInDrain = entry.number
    }
    // What has changed without a record, as a shared value in a reload, is in the next one: each record follows from
    // the one before.
    let json =
      if let patch, patch.from.isIdentical(to: before) { patch.json } else {
        JSONPatch.diff(from: before, to: entry.state).jsonBytes
      }
    patch = nil
    var writer = RecordingLine()
    writer.add(entry, json)
    let line = writer.text
    drain.append(JournalRecord(number: entry.number, line: line))
    drainBytes += line.utf8.count
  }

  func take(started: EffectNote) { unrecordedEffects.started.append(started) }

  func take(ended: EffectNote) {
    let count = unrecordedEffects.started.count
    unrecordedEffects.started.removeAll { $0.number == ended.number }
    // What has started and ended since the last record is in none, unless a snapshot may have it.
    let isUnrecorded = unrecordedEffects.started.count < count
    if isUnrecorded && effectsInSnapshot?.contains(ended.number) == false { return }
    unrecordedEffects.ended.append(ended)
  }

  func endDrain() {
    guard !drain.isEmpty else { return }
    if isComingBack {
      // The store returns to an older state, of which these records are no part.
      clearDrain()
      return
    }
    var new = JournalDrain(store: name, records: drain)
    new.request = requestInDrain
    if needsFirstSnapshot {
      // Of the store before its first record, which has nothing hidden.
      new.snapshot = snapshot(of: stateBeforeFirstCommit, after: 0, effects: [], isFirst: true)([])
      needsFirstSnapshot = false
    }
    sinceSnapshot.records += drain.count
    sinceSnapshot.bytes += drainBytes
    committer.commit(new, bytes: drainBytes, for: address)
    clearDrain()
    if sinceSnapshot.records >= Self.mostBehind.records
      || sinceSnapshot.bytes >= Self.mostBehind.bytes
    {
      makeSnapshot()
    }
  }

  private func clearDrain() { (drain, drainBytes, requestInDrain) = ([], 0, .none) }

  /// Alarms that change while no action is reduced are a record of their own.
  func didMake(_ effects: StoreEffects) {
    effects.alarms.beginRecording { [unowned self] in
      guard !core.flags.isBusy, !isComingBack else { return }
      core.noteEdit(Action(trusted: ["type": "alarms"]), from: core.state)
    }
  }

  /// The effects that were in flight when the process ended are over: the next record says so.
  func note(lost effects: [EffectNote]) { unrecordedEffects.ended += effects }

  /// The state is one of other versions of features from now on, whether or not the migration has changed it.
  func noteMigration() { namesFeatures = true }

  /// A state that a reload has migrated is a record. If the versions of features are others, that record or the next one says
  /// so, and a snapshot does, so that the next process does not migrate again.
  func didReload() {
    guard let last = core.history?.lastState else { return }
    let isMigrated = features != recordedFeatures
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
    if features != recordedFeatures && !needsFirstSnapshot { noteMigration() }
  }

  private var features: Value {
    engine.current.features.recorded(core.domain.root.featureKeys)
  }

  func deliver(to outbox: Outbox, _ call: @escaping @Sendable () -> Void) {
    core.deliver(to: outbox, engine, call)
  }

  /// The journal is about to lose the store: nothing of it is recorded any more, and those who wait hear of it.
  func remove() {
    (stage, isRemoved, isComingBack) = (.gone, true, true)
    core.effects?.cancelAll()
    core.gate?.reset(
      to: core.number, core.gate?.receipt ?? .none,
      JournalError(.closed, "\(name): the store was removed"))
  }

  /// The time in seconds since 1970, in milliseconds.
  static var now: Double { Double(nanoseconds(of: CLOCK_REALTIME) / 1_000_000) / 1_000 }

  // MARK: Requests

  /// Reduces an action from outside, and answers when its record is durable.
  ///
  /// - Parameter request: an id of the sender's. If the store has a record of that id, the action is not reduced again.
  func send(
    _ action: Action, request: String?,
    _ answer: @escaping @Sendable (Result<Receipt, any Error>) -> Void
  ) {
    guard let gate = core.gate, stage != .gone else { return answer(.failure(StorePassivated())) }
    stage = .active
    if let request, let known = requests[request] {
      if let receipt = known.receipt { return answer(.success(receipt)) }
      return answerWhenDurable(request, gate, answer)
    }
    (self.request, refusal) = (request, nil)
    _ = engine.process(action, in: address.slot)
    self.request = nil
    if let refusal {
      self.refusal = nil
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
      let own = request.flatMap { requests[$0]?.receipt }
      return { answer(result.map { own ?? $0 }.mapError { $0 }) }
    }
  }

  /// Records are durable, and so are those before them.
  func committed(_ report: CommitReport, _ receipts: DrainReceipts) {
    stateBeforeFirstCommit = .null
    nextReading = nil
    if let number = report.request, let receipt = receipts.request {
      requests.committed(number, receipt)
    }
    core.gate?.open(upTo: report.last, receipts.last)
  }

  // MARK: After a failed commit

  func endComingBack(_ recovered: RecoveredStore) {
    isComingBack = false
    clearDrain()
    unrecordedEffects = ([], [])
    namesFeatures = false
    goOn(from: recovered)
    if recovered.isNew { needsFirstSnapshot = true }
  }

  /// The store is what the journal has, or has recorded what follows from that.
  func didComeBack(_ recovered: RecoveredStore) {
    // An alarm that is due rings when this request ends.
    let isDue = (core.alarms?.nextDate ?? .infinity) <= RecordWriter.now
    let records = isDue || core.number > recovered.number
    nextReading = records ? ContinuousClock.now + .seconds(1) : nil
  }

  /// The code of now cannot run on what the journal has: the store takes no actions any more, and nothing of it is recorded.
  /// The next use makes it active again, which throws that.
  func end(because error: ScriptError) {
    (stage, isComingBack) = (.gone, true)
    committer.giveUp(name)
    core.effects?.cancelAll()
    core.gate?.reset(
      to: core.number, core.gate?.receipt ?? .none,
      JournalError(
        .unusable, "\(name) takes no actions, because its code cannot run on its state: \(error)"))
  }

  // MARK: Snapshots

  /// Whether the journal's snapshot is what a new one would be, or is about to be.
  var isSnapshotCurrent: Bool {
    sinceSnapshot.records == 0 && core.gate?.isSettled != false
      && effectsInSnapshot == Set(effectsInFlight.map(\.number))
  }

  private var effectsInFlight: [EffectNote] { core.history?.effectsInFlight ?? [] }

  /// Lets the journal have a snapshot of the state of now, as soon as that is durable.
  ///
  /// - Parameter done: called outside when the snapshot is on the disk, or cannot be; at once if there is nothing to keep,
  ///   as in a store without records, and in one that comes back from a failed commit.
  func makeSnapshot(_ done: (@Sendable (JournalError?) -> Void)? = nil) {
    guard done != nil || !isMakingSnapshot, core.number > 0, !isComingBack else {
      done?(nil)
      return
    }
    isMakingSnapshot = true
    let before = sinceSnapshot
    sinceSnapshot = (0, 0)
    let effects = effectsInFlight
    effectsInSnapshot = Set(effects.map(\.number))
    let (name, number, address, committer) = (name, core.number, address, committer)
    let make = snapshot(of: core.state, after: number, effects: effects)
    let end: @Sendable (JournalError?) -> Void = { error in
      done?(error)
      address.submitFromTask { writer in
        guard let writer else { return }
        writer.isMakingSnapshot = false
        // If the store comes back, it counts anew.
        guard error != nil, !writer.isComingBack else { return }
        writer.sinceSnapshot.records += before.records
        writer.sinceSnapshot.bytes += before.bytes
        writer.effectsInSnapshot = nil
      }
    }
    // Only then the receipts of its requests are known.
    core.gate?.whenDurable { [unowned self] result in
      if case .failure(let error) = result { return { end(error) } }
      let requests = requests.all.filter { $0.number <= number }
      return {
        committer.checkpoint(
          { JournalDrain(store: name, records: [], snapshot: make(requests)) }, done: end)
      }
    }
  }

  /// What makes the text of a snapshot of the store's last requests, on any thread: a large state takes long.
  private func snapshot(
    of state: Value, after number: Int, effects: [EffectNote], isFirst: Bool = false
  ) -> @Sendable ([DurableHeader.Request]) -> JournalSnapshot {
    let features = features
    recordedFeatures = features
    let now = RecordWriter.now
    let header = RecordingHeader(
      feature: name.feature, dependencies: core.overridden, effects: effects)
    var durable = DurableHeader(
      wall: now, code: engine.current.scriptHashes.code, features: features)
    if !isFirst {
      durable.lastEffect = lastEffect
      durable.nextID = core.indexes.stacks.highest
      durable.alarms = core.alarms?.recorded ?? .null
    }
    let alarm = isFirst ? nil : core.alarms?.nextDate
    return { [durable] requests in
      var durable = durable
      durable.requests = requests
      let event = RecordingEvent.header(header, durable: durable, after: number, state: state)
      return JournalSnapshot(number: number, line: event.line, wake: effects.isEmpty ? alarm : now)
    }
  }
}

/// The store was made passive between the moment at which a sender found it and its turn: it is to be activated again.
struct StorePassivated: Error {}

/// The last requests of a durable store, by which one that comes again is known.
struct RequestLog {
  private(set) var all: [DurableHeader.Request]

  static let most = 64

  init(_ all: [DurableHeader.Request]) { self.all = all }

  subscript(id: String) -> DurableHeader.Request? { all.last { $0.id == id } }

  mutating func add(_ id: String, _ number: Int) {
    all.append(DurableHeader.Request(id: id, number: number))
    if all.count > Self.most { all.removeFirst() }
  }

  mutating func committed(_ number: Int, _ receipt: Receipt) {
    for index in all.indices.reversed() {
      if all[index].number == number { all[index].receipt = receipt }
      if all[index].number <= number { return }
    }
  }
}

extension ReducerNode {
  /// The features of this domain and of its children that are made.
  var featureKeys: Set<FeatureKey> {
    var keys: Set<FeatureKey> = []
    var seen: Set<ObjectIdentifier> = []
    addFeatureKeys(to: &keys, &seen)
    return keys
  }

  private func addFeatureKeys(
    to keys: inout Set<FeatureKey>, _ seen: inout Set<ObjectIdentifier>
  ) {
    guard seen.insert(ObjectIdentifier(self)).inserted else { return }
    if let ownFeature { keys.insert(ownFeature.key) }
    for part in parts { part.addFeatureKeys(to: &keys, &seen) }
    for child in children { child.domain.made?.root.addFeatureKeys(to: &keys, &seen) }
  }
}

extension StoreCore {
  /// What makes the store's records; nil in a store without a journal.
  var records: RecordWriter? { gate == nil ? nil : history?.sink as? RecordWriter }
}
