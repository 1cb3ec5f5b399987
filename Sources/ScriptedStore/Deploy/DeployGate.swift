import LuaBridge

/// What the scripts of a host make of a durable store that other scripts have written.
package enum DeployVerdict: Sendable {
  /// All that was recorded happens again. Of so many actions `unproven` had an answer that no recording can hold, so that a
  /// dependency of now was asked. There are 0 if tools alone have set the state, which proves nothing of the scripts. With
  /// another version of a feature, the migrated end states were compared.
  case same(actions: Int, unproven: Int, isMigrated: Bool)
  case differs(DeployDifference)
  /// A migration raises, the code cannot run on the state, or it does not load.
  case refuses(ScriptError)
}

/// Where scripts do something else than those that have written a durable store.
package struct DeployDifference: Sendable {
  package enum Kind: Sendable {
    /// An action leads to another state, raises something else, or is not taken. A test can begin with the recording, which
    /// is of that action alone.
    case action(Recording)
    /// The same from a migrated state.
    case migratedAction
    /// The actions lead from the migrated first state to another state than the migrated last one.
    case end
  }

  package let count: Int
  package let kind: Kind
  package let difference: ReplayDifference
}

extension ScriptHost {
  /// Throws for a name that is no dependency in the scripts that the host's workers have loaded.
  package func requireDependencies(
    _ names: some Sequence<String>, onWorkers count: Int
  ) throws(ScriptError) {
    for name in names.sorted() {
      var missing: ScriptError?
      for index in 0..<count {
        missing = try worker(index).worker.performHere { (engine) throws(ScriptError) in
          engine.current.dependencies.registry.missing(name, origin: "the stores' dependencies")
        }
        if missing == nil { break }
      }
      if let missing { throw missing }
    }
  }

  /// Tells what this host's scripts make of a store of a journal. Changes nothing, and starts no effect: the state is
  /// migrated, and what was recorded is reduced again with the recorded answers of dependencies.
  ///
  /// - Parameters:
  ///   - last: how many of its last actions are reduced; nil for all that the journal has.
  ///   - dependencies: what the stores of its feature have in place of the host's. Names that are none of its dependencies
  ///     are ignored, because they may be those of other features.
  ///   - worker: on which of the host's workers. Threads that take another one each do not wait for each other.
  package func judge(
    _ name: StoreName, of journal: any JournalReading, last: Int? = nil,
    dependencies: [String: Dependency] = [:], on worker: Int = 0
  ) throws(JournalError) -> DeployVerdict {
    guard let history = try journal.history(of: name) else {
      throw JournalError(.closed, "\(name): the journal has no such store")
    }
    let judged = try JudgedStore(history, name, last: last)
    do throws(ScriptError) {
      return try self.worker(worker).worker.performHere { (engine) throws(ScriptError) in
        try engine.judge(judged, dependencies)
      }
    } catch {
      return .refuses(error)
    }
  }
}

/// A store as its journal has it, with its actions since its last migration: those before ran on states of another version.
private struct JudgedStore {
  let name: StoreName
  private(set) var start = Value.null
  private(set) var entries: [HistoryEntry] = []
  /// The hidden parts of the first snapshot.
  let header: DurableHeader
  /// The versions and the fields of the features that have made the last state.
  private(set) var features: Value

  var end: Value { entries.last?.state ?? start }

  init(
    _ history: StoredHistory, _ name: StoreName, last: Int?
  ) throws(JournalError) {
    self.name = name
    var reader = RecordingReader()
    _ = try reader.step(history.first.line, "the first snapshot", name)
    guard let header = reader.recording?.durable else {
      throw JournalError(.damaged, "\(name): the first snapshot is not that of a durable store")
    }
    self.header = header
    if history.latest.number == history.first.number {
      features = header.features
    } else {
      var reader = RecordingReader()
      _ = try reader.step(history.latest.line, "the snapshot", name)
      features = reader.recording?.durable?.features ?? .null
    }
    start = reader.state
    entries.reserveCapacity(history.records.count)
    for record in history.records {
      let step = try reader.step(record.line, "record \(record.number)", name)
      guard case .entry(let entry)? = step else { continue }
      // The first record after a migration names the versions; the snapshot after it may not be written yet.
      if record.number > history.latest.number, let migrated = entry.durable?.features {
        features = migrated
      }
      if entry.source == .edit, entry.action.path == "migrate" {
        (start, entries) = (entry.state, [])
      } else {
        entries.append(entry)
      }
    }
    if let last, entries.count > last {
      start = entries[entries.count - last - 1].state
      entries.removeFirst(entries.count - last)
    }
  }

  /// Whether there is an action for a reducer.
  var hasActions: Bool { entries.contains { $0.source != .edit } }

  /// How many actions were told what no recording holds.
  var unproven: Int {
    entries.count { entry in
      entry.reads.contains { if case .opaque = $0.answer { true } else { false } }
    }
  }

  func part(_ entry: HistoryEntry, from before: Value) -> Recording {
    var recording = Recording(feature: name.feature, state: before)
    recording.base = entry.number - 1
    recording.durable = header
    recording.entries = [entry]
    return recording
  }
}

extension RecordingReader {
  fileprivate mutating func step(
    _ line: String, _ what: String, _ name: StoreName
  ) throws(JournalError) -> RecordingStep? {
    do throws(HistoryError) {
      return try read(line.utf8, line: 1, isWhole: true)
    } catch {
      throw JournalError(.damaged, "\(name): \(what) cannot be read (\(error.message))")
    }
  }
}

extension Engine {
  /// Makes the store for trial, in its last state, and reduces its actions again.
  fileprivate func judge(
    _ judged: JudgedStore, _ dependencies: [String: Dependency]
  ) throws(ScriptError) -> DeployVerdict {
    let known = try context.vm.loading { () throws(ScriptError) in
      _ = try current.feature(judged.name.feature)
      return dependencies.filter { current.dependencies.registry.contains($0.key) }
    }
    let slot = try makeStore(
      of: judged.name.feature, in: judged.end, dependencies: known, madeBy: judged.features)
    defer { close(slot) }
    guard let core = core(slot), let source = core.origin.source else {
      throw ScriptError("the store was not made")
    }
    let code = try current.code(for: source)
    let changes = try self.changes(since: judged.features, in: code.domain)
    if !changes.isEmpty && core.domain.root.settles {
      // Throws if the code cannot run on the state that the store will have.
      try core.migrated(by: code, changes, self).release()
      core.indexes.stacks.rollBack()
    }
    var trial = DeployTrial(judged, core, code, changes, self)
    let difference = try changes.isEmpty ? trial.compareEach() : trial.compareEnds()
    if let difference { return .differs(difference) }
    return .same(
      actions: judged.hasActions ? trial.count : 0, unproven: judged.unproven,
      isMigrated: !changes.isEmpty)
  }
}

/// Reduces what a store has recorded by the code of now.
private struct DeployTrial {
  private let judged: JudgedStore
  private let core: StoreCore
  private let code: StoreCode
  private let changes: [FeatureKey: FeatureChange]
  private let engine: Engine
  private let replay: HistoryReplay
  private(set) var count = 0

  init(
    _ judged: JudgedStore, _ core: StoreCore, _ code: StoreCode,
    _ changes: [FeatureKey: FeatureChange], _ engine: Engine
  ) {
    (self.judged, self.core, self.code) = (judged, core, code)
    (self.changes, self.engine) = (changes, engine)
    replay = HistoryReplay(apart: core, engine)
  }

  /// Reduces each action from its recorded state, so that a difference is that of one action. The recorded states share what
  /// they have in common, and so does the result, so that comparing costs what the action has changed.
  mutating func compareEach() -> DeployDifference? {
    var before = judged.start
    for entry in judged.entries {
      count += 1
      let result = reduce(entry, from: before)
      if let difference = result.difference(from: entry, to: entry.state) {
        return DeployDifference(
          count: count, kind: .action(judged.part(entry, from: before)), difference: difference)
      }
      before = entry.state
    }
    return nil
  }

  /// Reduces the actions one after the other from the migrated first state, and compares the end with the migrated last
  /// state. What a tool has set is such an end, too, and the next beginning.
  mutating func compareEnds() throws(ScriptError) -> DeployDifference? {
    var recorded = judged.start
    var state = try adapted(recorded)
    for entry in judged.entries {
      count += 1
      if entry.source == .edit {
        if entry.state.isIdentical(to: recorded) { continue }
        if let end = end(entry, try adapted(recorded), state) { return end }
        state = try adapted(entry.state)
      } else {
        let stepped: Value? = entry.source == .shared ? try adapted(entry.state) : .none
        let result = reduce(entry, from: state, steppedTo: stepped)
        if let difference = result.difference(from: entry, to: result.state) {
          return DeployDifference(count: count, kind: .migratedAction, difference: difference)
        }
        state = result.state
      }
      recorded = entry.state
    }
    guard let last = judged.entries.last else { return nil }
    return end(last, try adapted(recorded), state)
  }

  private func end(
    _ entry: HistoryEntry, _ expected: Value, _ actual: Value
  ) -> DeployDifference? {
    if expected == actual { return nil }
    return DeployDifference(
      count: count, kind: .end,
      difference: ReplayDifference(
        number: entry.number, action: entry.action, source: entry.source, feature: entry.feature,
        expected: expected, actual: actual, expectedError: nil, actualError: nil))
  }

  /// A recorded state as the features of now migrate it, and with their new fields.
  private func adapted(_ state: Value) throws(ScriptError) -> Value {
    let walk = StateWalk(
      .adapts(changes, isDurable: true), engine.context, shared: core.sharing?.fields)
    let old = state.ownedSlot()
    defer { old.release() }
    let indexes = ElementIndexes(after: core.indexes)
    let new = try engine.adapted(core, by: code, walk, from: old, indexes)
    return new.map { Value(owning: $0) } ?? state
  }

  /// Reduces an action again. That the code of now does not take one which that of then has taken is an error.
  private func reduce(
    _ entry: HistoryEntry, from before: Value, steppedTo stepped: Value? = .none
  ) -> HistoryReplay.Reduction {
    var result = replay.reduce(entry, from: before, steppedTo: stepped)
    if result.error == nil, !entry.warnings.contains(where: \.isRefusal) {
      result.error = result.warnings.first(where: \.isRefusal).map { ScriptError($0.message) }
      result.isTaken = result.error == nil
    }
    return result
  }
}

extension RuntimeWarning {
  fileprivate var isRefusal: Bool {
    switch kind {
    case .unknownAction, .malformedAction, .missingElement, .absentChild, .otherCase: true
    default: false
    }
  }
}
