import LuaBridge

extension ScriptHost {
  /// Reduces the actions of a recording with this host's scripts and compares the states and errors
  /// with the recorded ones. Effects are not started. The replay ends at the first difference.
  ///
  /// Handlers get the answers of dependencies that were recorded. A function of a dependency is
  /// called only where its recorded answer is ``DependencyRead/Answer/opaque``. A call for which
  /// the recording has no answer raises. Values in `deps` that are not functions are those that were recorded, and
  /// this host's where the recording has none.
  /// The state after a migration is taken from the recording.
  ///
  /// - Parameters:
  ///   - recording: what a store has recorded.
  ///   - dependencies: as for a store. It must override what the
  ///     recorded store overrode; ``Recording/dependencies`` has the names.
  /// - Returns: the report, with the first difference if there is one.
  /// - Throws: if the scripts of the recorded feature cannot be loaded.
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

  /// ``replay(_:dependencies:)`` with entries that are read one at a time.
  ///
  /// - Parameters:
  ///   - head: the recording as far as it is read before the first entry.
  ///   - next: returns the next step of the recording; nil at the end. An error that it throws
  ///     becomes the cause of the thrown error.
  package func replay(
    _ head: Recording, dependencies: [String: Dependency],
    next: () throws(HistoryError) -> RecordingStep?
  ) throws(ScriptError) -> ReplayReport {
    try nextWorker().worker.performHere { (engine) throws(ScriptError) in
      let slot = try engine.makeStore(
        of: head.feature, in: head.initialState, dependencies: dependencies)
      defer { engine.close(slot) }
      guard let core = engine.core(slot) else { return ReplayReport() }
      let replay = HistoryReplay(apart: core, engine)
      var (report, state) = (ReplayReport(), core.state)
      do throws(HistoryError) {
        while let step = try next() {
          // The rest is read, because it may not be a recording.
          if report.difference != nil { continue }
          switch step {
          case .entry(let entry):
            let result = replay.reduce(entry, from: state)
            report.add(entry, result)
            state = result.state
          case .migration(let migrated): state = migrated
          case .effects, .call, .went: break
          }
        }
      } catch {
        throw ScriptError(error.message, cause: error)
      }
      return report
    }
  }

  /// The names of the recording's scripts whose text differs here or that do not exist here,
  /// sorted. For a loaded script the loaded text counts, not the text on the disk.
  public func changedScripts(since recording: Recording) throws(ScriptError) -> [String] {
    try perform { (engine) throws(ScriptError) in
      recording.scripts.filter { name, hash in
        engine.modules.text(ofScript: name).map { SHA256.hex(of: $0) } != hash
      }.keys.sorted()
    }
  }
}
