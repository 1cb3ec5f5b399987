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
    try perform { (engine) throws(ScriptError) in
      let slot = try engine.makeStore(
        of: recording.feature, in: recording.initialState, dependencies: dependencies)
      defer { engine.close(slot) }
      var report = ReplayReport()
      engine.withStore(slot) { report = $0.replay(recording, engine) }
      return report
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

extension StoreCore {
  fileprivate func replay(_ recording: Recording, _ engine: Engine) -> ReplayReport {
    let recorder = DependencyRecorder()
    dependencies = dependencies.noting(by: recorder)
    let replay = Replay(self, recorder, engine)
    var report = ReplayReport()
    var state = state
    for entry in recording.entries {
      let result = replay.reduce(entry, from: state)
      report.add(entry, result)
      if report.difference != nil { break }
      state = recording.migrations[entry.number] ?? result.state
    }
    return report
  }
}
