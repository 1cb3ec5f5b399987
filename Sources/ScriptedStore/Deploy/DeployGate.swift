import LuaBridge

/// What the scripts of a host make of a durable store that other scripts have written.
package enum DeployVerdict: Sendable {
  /// All that was recorded happens again. Of so many actions `unproven` had an answer that no recording can hold, so that a
  /// dependency of now was asked.
  case same(actions: Int, unproven: Int)
  /// A feature has another version, and its migration takes the state. Recorded actions are of the version before.
  case migrates
  /// An action leads to another state, or raises something else.
  case differs(ReplayReport)
  /// A migration raises, the code cannot run on the state, or it does not load.
  case refuses(ScriptError)
}

extension ScriptHost {
  /// Tells what this host's scripts make of a store of a journal. Changes nothing, and starts no effect: the state is
  /// migrated, and what was recorded is reduced again with the recorded answers of dependencies.
  ///
  /// - Parameters:
  ///   - last: how many of its last actions are reduced; nil for all that the journal has.
  ///   - dependencies: what the stores of its feature have in place of the host's.
  package func judge(
    _ name: StoreName, of journal: any JournalReading, last: Int? = nil,
    dependencies: [String: Dependency] = [:]
  ) throws(JournalError) -> DeployVerdict {
    guard let stored = try journal.stored(name) else {
      throw JournalError(.closed, "\(name): the journal has no such store")
    }
    let recovered = try RecoveredStore(stored, name)
    do throws(ScriptError) {
      if try migrates(name, recovered, dependencies) { return .migrates }
    } catch {
      return .refuses(error)
    }
    let recording = try DeployGate.recording(of: name, in: journal, last: last)
    let unproven = recording.entries.count { entry in
      entry.reads.contains { if case .opaque = $0.answer { true } else { false } }
    }
    do throws(ScriptError) {
      let report = try replay(recording, dependencies: dependencies)
      return report.difference == nil
        ? .same(actions: report.count, unproven: unproven) : .differs(report)
    } catch {
      return .refuses(error)
    }
  }

  /// Makes the store, and migrates its state, both for trial. Returns whether a feature has another version.
  private func migrates(
    _ name: StoreName, _ recovered: RecoveredStore, _ dependencies: [String: Dependency]
  ) throws(ScriptError) -> Bool {
    try nextWorker().worker.performHere { (engine) throws(ScriptError) in
      let slot = try engine.makeStore(
        of: name.feature, in: recovered.state, dependencies: dependencies)
      defer { engine.close(slot) }
      guard let core = engine.stores[slot]?.takeUnretainedValue() else { return false }
      let changes = try engine.current.features.changes(
        since: recovered.header.features,
        withNewFields: engine.configuration.addsNewFieldsOnReload)
      guard !changes.isEmpty, let source = core.origin.source else { return false }
      let walk = StateWalk(.adapts(changes), engine.context, shared: core.sharing?.fields)
      let code = try engine.current.code(for: source)
      try engine.adapted(core, by: code, walk)?.release()
      return changes.values.contains { $0.oldVersion != nil }
    }
  }
}

/// Reading what a deploy is judged by.
private enum DeployGate {
  /// The recorded actions of a store since its last migration: what was before that ran on states of another version.
  static func recording(
    of name: StoreName, in journal: any JournalReading, last: Int?
  ) throws(JournalError) -> Recording {
    var reader = RecordingReader()
    var start = Value.null
    var entries: [HistoryEntry] = []
    var failure: JournalError?
    _ = try journal.read(name) { line in
      let (text, what) =
        switch line {
        case .snapshot(let snapshot): (snapshot.line, "the first snapshot")
        case .record(let record, _): (record.line, "record \(record.number)")
        }
      do throws(HistoryError) {
        let step = try reader.read(text.utf8, line: 1, isWhole: true)
        guard case .entry(let entry)? = step else {
          start = reader.state
          return true
        }
        if entry.source == .edit, entry.action.path == "migrate" {
          (start, entries) = (entry.state, [])
          return true
        }
        entries.append(entry)
        if let last, entries.count > last { start = entries.removeFirst().state }
        return true
      } catch {
        failure = JournalError(.damaged, "\(name): \(what) cannot be read (\(error.message))")
        return false
      }
    }
    if let failure { throw failure }
    var recording = Recording(feature: name.feature, state: start)
    recording.entries = entries
    return recording
  }
}
