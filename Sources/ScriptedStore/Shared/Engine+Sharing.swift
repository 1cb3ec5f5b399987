import LuaBridge

/// The stores of a worker that share values.
extension Engine {
  /// Gives the stores that are made from now on other shared values, as each test has them. They are
  /// written when ``SharedValues/flush()`` says so.
  func resetShared(_ storage: any SharedStorage, _ database: any SharedDatabase) {
    endKeepers()
    formats = [:]
    shared = SharedValues(storage, database, savesInBackground: false)
    hearers = SharedHearers(link, shared)
  }

  /// Changes a shared value as another store would, for a test.
  func setShared(_ key: SharedKey, to value: Value?) throws(ScriptError) {
    var new = Value.object(try shared.versionDeclaring(key).values)
    if key.hasFormat { format(key) }
    new.set(value, at: key.path[...])
    let identity = key.identity
    try shared.requireUsable(new.object?[identity], of: identity) { value throws(ScriptError) in
      if key.hasCheck { try key.check(value) } else { try check(value, of: identity) }
    }
    setShared(at: key.path, to: value)
  }

  /// Changes the part of the shared values at a path as another store would, for a test.
  func setShared(at path: [Value], to value: Value?) {
    shared.alone { current in
      var new = Value.object(current.values)
      new.set(value, at: path[...])
      current.values = new.object ?? Value.Object()
      current.number += 1
    }
    takeSharedSteps()
    effects.runUntilIdle()
  }

  /// A store of the worker has published values.
  func didPublishShared() {
    hasPublishedShared = true
    guard hearers.othersHear else { return }
    hearers.wakeOthers()
    if shared.hasObservers { deliver(to: sharedCalls) { [shared] in shared.notifyObservers() } }
  }

  /// Lets the stores that hear of it take over the shared values that others have changed. Stores that
  /// change values in reaction let the others take these over too, and so on.
  func takeSharedSteps() {
    var rounds = 0
    repeat {
      hasPublishedShared = false
      for core in hearers.cores(among: cores) { core.takeSharedSteps(self) }
      rounds += 1
      if rounds == SharedReactions.mostRuns { return warnOfSharedLoop() }
    } while hasPublishedShared
    effects.wakeSharedReaders()
    if shared.failures.haveWarnings { report(shared.failures.takeWarnings()) }
  }

  private func warnOfSharedLoop() {
    hasPublishedShared = false
    let features = cores.filter { $0.sharing != nil }.map(\.feature)
    report([
      RuntimeWarning(
        kind: .sharedLoop,
        message: """
          the stores of \(Set(features).sorted().joined(separator: " and ")) changed shared values in reaction to each \
          other \(SharedReactions.mostRuns) times without an action from outside; let an onChange stop when its value is \
          already what it wants
          """, origin: features.first ?? "?", action: nil)
    ])
  }
}
