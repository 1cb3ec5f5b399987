import LuaBridge

extension ScriptHost {
  /// Reduces the actions of a recording with this host's scripts, without effects, giving handlers what they read when it
  /// was made, up to the first that makes another state, or raises something else.
  ///
  /// Dependencies are called only where the recording has no answer that could be given again; what scripts read of
  /// `deps` that are values is this host's. A migration's state is taken from the recording.
  ///
  /// - Parameter dependencies: as in ``store(_:state:dependencies:)``: what is replaced by a script, or a value, has to be
  ///   here too. ``Recording/dependencies`` has the names.
  public func replay(
    _ recording: Recording, dependencies: [String: Dependency] = [:]
  ) throws(ScriptError) -> ReplayReport {
    var entries = recording.entries.makeIterator()
    var migrated: Value?
    return try replay(recording, dependencies: dependencies) {
      if let state = migrated {
        migrated = nil
        return .migration(state)
      }
      guard let entry = entries.next() else { return nil }
      migrated = recording.migrations[entry.number]
      return .entry(entry)
    }
  }

  /// The same for entries that come from elsewhere, one after the other.
  ///
  /// - Parameters:
  ///   - head: what is known before the first entry.
  ///   - next: what comes next of the entries; nil at the end. What it throws is the cause of the error.
  package func replay(
    _ head: Recording, dependencies: [String: Dependency],
    next: () throws(HistoryError) -> RecordingStep?
  ) throws(ScriptError) -> ReplayReport {
    try nextWorker().worker.performHere { (engine) throws(ScriptError) in
      let slot = try engine.makeStore(
        of: head.feature, in: head.initialState, dependencies: dependencies)
      defer { engine.close(slot) }
      var result: Result<ReplayReport, HistoryError> = .success(ReplayReport())
      engine.withStore(slot) { core in
        var replay = RecordedReplay(core, engine)
        do throws(HistoryError) {
          while let step = try next() { replay.take(step) }
          result = .success(replay.report)
        } catch {
          result = .failure(error)
        }
      }
      do throws(HistoryError) {
        return try result.get()
      } catch {
        throw ScriptError(error.message, cause: error)
      }
    }
  }

  /// The names of a recording's scripts whose texts are other ones here, or that are not here; sorted. A script that is
  /// loaded counts as it was loaded.
  public func changedScripts(since recording: Recording) throws(ScriptError) -> [String] {
    try perform { (engine) throws(ScriptError) in
      recording.scripts.filter { name, hash in
        engine.modules.text(ofScript: name).map { SHA256.hex(of: $0) } != hash
      }.keys.sorted()
    }
  }
}

/// Reduces the entries of a recording in a store of its own, up to the first that is not as recorded.
private struct RecordedReplay {
  private let replay: Replay
  private var state: Value
  private(set) var report = ReplayReport()

  init(_ core: StoreCore, _ engine: Engine) {
    let recorder = DependencyRecorder()
    core.dependencies = core.dependencies.noting(by: recorder)
    replay = Replay(core, recorder, engine)
    state = core.state
  }

  mutating func take(_ step: RecordingStep) {
    guard report.difference == nil else { return }
    switch step {
    case .entry(let entry):
      let result = replay.reduce(entry, from: state)
      report.add(entry, result)
      state = result.state
    case .migration(let migrated): state = migrated
    case .effects, .call, .went: break
    }
  }
}
