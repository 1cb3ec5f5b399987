import LuaBridge
import Platform

/// Durable stores inside a worker: making them active, what their commits came to, and coming back from the journal.
extension Engine {
  /// Makes the core of a durable store.
  ///
  /// - Parameter recovered: what the journal has of it; nil if it begins.
  func makeDurableStore(
    _ name: StoreName, _ recovered: RecoveredStore?, _ committer: JournalCommitter,
    snapshot: StateSnapshot
  ) throws(ScriptError) -> CommitAddress {
    let reducer = configuration.reducers[name.feature]
    let feature = configuration.durable[name.feature] ?? DurableFeature()
    let limits = feature.limits.map { StoreLimits($0, in: configuration.limits) }
    return try context.vm.loading(limits?.turns) { () throws(ScriptError) in
      let source = stores.source(
        reducer.map { .reducer($0) } ?? .feature(name.feature), feature.dependencies)
      let code = try current.code(for: source)
      let initial: InitialState =
        reducer == nil ? .feature(name.feature, overrides: nil) : .given(.object(Value.Object()))
      let state = if let recovered { recovered.state } else { try value(of: initial) }
      let slot = try makeStore(
        of: code, state: state, limits: limits, snapshot: snapshot, source: source,
        initial: initial, isRecovered: recovered != nil, madeBy: recovered?.header.features)
      do throws(ScriptError) {
        guard let core = core(slot) else { throw ScriptError("the store was not made") }
        return try core.beginDurable(name, recovered, code, committer, slot: slot, self)
      } catch {
        close(slot)
        throw error
      }
    }
  }

  /// The writer of a store of this worker; nil if the store is gone.
  func writer(at address: CommitAddress) -> RecordWriter? {
    guard let writer = core(address.slot)?.recordWriter else { return nil }
    return writer.address.writer == address.writer ? writer : nil
  }

  /// Called with what became of the drains of this worker's stores in a commit.
  func committed(_ reports: [CommitReport]) {
    for report in reports {
      guard let writer = writer(at: report.address), writer.address.era == report.address.era
      else { continue }
      switch report.outcome {
      case .success(let receipts): writer.committed(report, receipts)
      case .failure(let error): writer.comeBack(after: error)
      }
    }
  }
}

extension StoreCore {
  /// Makes a new store durable: it records from now on, and shows what is on the disk.
  fileprivate func beginDurable(
    _ name: StoreName, _ recovered: RecoveredStore?, _ code: StoreCode,
    _ committer: JournalCommitter, slot: Int, _ engine: Engine
  ) throws(ScriptError) -> CommitAddress {
    if let recovered { goOn(from: recovered, engine) }
    gate = StoreGate(
      self, engine, receipt: recovered?.receipt ?? .none, isLazy: committer.isLazy)
    let writer = RecordWriter(name, self, engine, committer, recovered, slot: slot)
    let watch = engine.configuration.durable[name.feature]?.watch
      .flatMap { $0.key == name.key ? $0 : nil }
    let log = HistoryLog(limit: watch?.historyLimit ?? 1, state: state)
    // Its first record says what is different from the journal's state.
    attach(HistoryRecorder(log, engine, self, sink: writer), from: recovered)
    if let watch {
      let id = StoreHandle.nextObserver()
      add(ActionHandler(id, self, engine, audience.outbox, watch.onAction))
    }
    add(writer)
    guard let recovered else { return writer.address }
    try comeBack(writer, recovered, code, engine)
    return writer.address
  }

  /// Does what follows the end of a process: alarms are set again, a state of other versions is migrated, transient fields
  /// get their defaults, and places that had effects get the action `recovered`.
  private func comeBack(
    _ writer: RecordWriter, _ recovered: RecoveredStore, _ code: StoreCode, _ engine: Engine
  ) throws(ScriptError) {
    // Alarms are restored before the first record, which would say that they are gone.
    if !recovered.alarms.isEmpty || alarms != nil {
      inFlight(engine).alarms.restore(recovered.alarms, now: wallTime)
    }
    // The first record, because it names the versions of now.
    let isMigrated = try migrate(since: recovered.header.features, by: code, engine)
    if let last = history?.lastState, !JSONPatch.diff(from: last, to: state).isEmpty {
      // Shared fields have the values of now, which may differ from those of the last record.
      noteEdit(Action(trusted: ["type": "shared", "keys": []]), from: last, source: .shared)
    }
    if let new = try withoutTransients(root, engine) {
      let before = state
      replaceState(by: new, warns: true, engine)
      new.release()
      noteEdit(Action(trusted: ["type": "forget"]), from: before)
    }
    if !recovered.effects.isEmpty {
      writer.note(lost: recovered.effects)
      let lost = recovered.effects.map {
        LostEffect(place: $0.place, origin: $0.origin, id: $0.id)
      }
      recover(effects: lost, engine)
    }
    // The snapshot names the new versions, also if the state is as it was: the next process need not migrate again.
    if isMigrated { writer.makeSnapshot() }
  }

  /// Takes over the numbers of a store that comes back.
  fileprivate func goOn(from recovered: RecoveredStore, _ engine: Engine) {
    number = recovered.number
    indexes.stacks.goOn(from: recovered.header.nextID)
    engine.effects.makeJobNumbers(above: UInt64(recovered.header.lastEffect))
  }

  /// Migrates a state that other versions of the features have left, in a record of its own. Returns whether there were others.
  private func migrate(
    since recorded: Value, by code: StoreCode, _ engine: Engine
  ) throws(ScriptError) -> Bool {
    let changes = try engine.changes(since: recorded, in: code.domain)
    guard !changes.isEmpty else { return false }
    recordWriter?.noteMigration()
    let new = try migrated(by: code, changes, engine)
    defer { new.release() }
    indexes.stacks.commit()
    if !new.isIdentical(to: root) {
      let before = state
      replaceState(by: new, warns: true, engine)
      noteEdit(Action(trusted: ["type": "migrate"]), from: before)
    }
    return true
  }

  /// The state as other code migrates it, in its final form, owned (+1). The ids that elements of stacks have got by that are
  /// pending.
  func migrated(
    by code: StoreCode, _ changes: [FeatureKey: FeatureChange], _ engine: Engine
  ) throws(ScriptError) -> Slot {
    let walk = StateWalk(
      .adapts(changes, isDurable: true), engine.context, shared: sharing?.fields)
    do throws(ScriptError) {
      if let new = try engine.adapted(self, by: code, walk, from: root, indexes) { return new }
      return try code.domain.root.settle(engine.context, old: .absent, new: root)
        ?? root.retained()
    } catch {
      indexes.stacks.rollBack()
      throw error
    }
  }

  /// Takes the state that the journal has, because a commit has failed: what is not durable never happened. The store does
  /// the same when it comes back after the end of a process; here its observers and screens stay.
  func comeBack(to recovered: RecoveredStore, _ error: JournalError, _ engine: Engine) {
    effects?.cancelAll()
    turn.dropQueue()
    indexes.dropAll()
    goOn(from: recovered, engine)
    recovered.state.withSlot { replaceState(by: $0, engine) }
    guard let gate, let recordWriter else { return }
    let told = recordWriter.committer.isLazy ? .max : gate.durable
    gate.reset(to: recovered.number, recovered.receipt, error)
    history?.beginAgain(with: recovered, told: told)
    recordWriter.endComingBack(recovered)
    do throws(ScriptError) {
      try engine.context.vm.loading(limits) { () throws(ScriptError) in
        if sharing != nil {
          // Shared values are outside of the journal: those of now win.
          let new = try grafted(recovered.state, engine)
          replaceState(by: new, engine)
          new.release()
        }
        let code = StoreCode(domain: domain, dependencies: dependencies)
        try comeBack(recordWriter, recovered, code, engine)
      }
      // Not before, because screens may run on it only as the code of now has made it.
      gate.show(transaction: nil)
      turn.end()
      // The effects that the nodes on screens had started are over, and what the nodes sent may never have been.
      recordWriter.didComeBack(recovered, nodesSend: appearAgain(engine))
    } catch {
      // The code of now cannot run on what the journal has.
      recordWriter.end(because: error)
      engine.report(error, Action(trusted: ["type": "recovered"]), of: self)
    }
  }
}
