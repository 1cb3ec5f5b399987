import LuaBridge

/// What the stores of one worker share with those of the others.
///
/// Some stores *hear*: they take over at once what others do to shared values, because an observer, a listener, an `onChange`
/// or a function that chooses a key waits for it. Other stores take the changes over before their next action, or when
/// somebody reads their state. So a change costs nothing for stores that nobody looks at, however many there are.
/// While nothing here hears, other workers do not wake this one.
final class WorkerSharing {
  private(set) var values: SharedValues
  private var sharer: SharedValues.Sharer
  let link: WorkerLink
  // Proof: `connect(_:)` is called when the engine is made, and it owns this object.
  private(set) unowned(unsafe) var engine: Engine!
  /// The stores that hear; nil when it has to be found out again.
  private var hearing: [StoreCore]? = []
  /// Whether other workers wake this one.
  private var isAwake = false
  /// An effect may wait in `key:values()`.
  private var haveReaders = false
  /// Whether a store here has changed shared values, and others here have not taken them over.
  private(set) var hasPublished = false
  /// Calls of those who observe shared values.
  let calls = Outbox()
  /// The keepers of custom keys that live here, by the identities of the keys.
  var keepers: [SharedIdentity: Keeper] = [:]
  /// The keys that live here and whose files have a script's format, by the names of the files.
  var formats: [String: SharedKey] = [:]
  /// The clock by which a test lets stored values be written; nil if each statement writes them.
  var storageClock: SchedulerClock?

  init(_ values: SharedValues, _ link: WorkerLink) {
    (self.values, self.link) = (values, link)
    sharer = SharedValues.Sharer(link)
    values.join(sharer)
  }

  deinit { values.leave(sharer) }

  func connect(_ engine: Engine) { self.engine = engine }

  /// Gives the stores that are made from now on other shared values, as each test has them. They are
  /// written when ``SharedValues/flush(inside:where:)`` says so.
  func reset(_ storage: any SharedStorage, _ database: any SharedDatabase) {
    endKeepers()
    formats = [:]
    values.leave(sharer)
    values = SharedValues(storage, database, savesInBackground: false)
    sharer = SharedValues.Sharer(link)
    values.join(sharer)
    (hearing, isAwake, haveReaders) = ([], false, false)
  }

  // MARK: Who hears

  /// A store has begun or ended to hear.
  func hearingMayDiffer() {
    hearing = nil
    wake()
  }

  /// An effect reads the values of a key from now on.
  func addReader() {
    haveReaders = true
    wake()
  }

  /// Who calls this looks for changes afterwards. So no change is missed: one that is published later wakes the worker.
  private func wake() {
    guard !isAwake else { return }
    isAwake = true
    values.set(sharer, hears: true)
  }

  private var hearingCores: [StoreCore] {
    if let hearing { return hearing }
    let cores = engine.cores.filter(\.hears)
    hearing = cores
    if cores.isEmpty, !haveReaders {
      isAwake = false
      values.set(sharer, hears: false)
    }
    return cores
  }

  // MARK: Changes

  /// A store of the worker has published values.
  func didPublish() {
    hasPublished = true
    // Somebody hears of changes, other than the stores here.
    guard values.isHeard(byMoreThan: isAwake ? 1 : 0) else { return }
    values.wakeOthers(than: sharer)
    if values.hasObservers {
      engine.deliver(to: calls) { [values] in values.notifyObservers() }
    }
  }

  /// Lets the stores that hear of it take over the shared values that others have changed. Stores that
  /// change values in reaction let the others take these over too, and so on.
  func takeSteps() {
    var rounds = 0
    repeat {
      hasPublished = false
      for core in hearingCores { core.takeSharedSteps(engine) }
      rounds += 1
      if rounds == SharedReactions.mostRuns { return warnOfLoop() }
    } while hasPublished
    engine.effects.wakeSharedReaders()
    engine.report(values.failures.takeWarnings())
  }

  private func warnOfLoop() {
    hasPublished = false
    let features = engine.cores.filter { $0.sharing != nil }.map(\.feature)
    engine.report([
      RuntimeWarning(
        kind: .sharedLoop,
        message: """
          the stores of \(Set(features).sorted().joined(separator: " and ")) changed shared values in reaction to each \
          other \(SharedReactions.mostRuns) times without an action from outside; let an onChange stop when its value is \
          already what it wants
          """, origin: features.first ?? "?", action: nil)
    ])
  }

  // MARK: Files with a script's format

  /// Lets this worker write the file of a key.
  func format(_ key: SharedKey) {
    guard key.table.vm === engine.context.vm, let file = values.files?.file(with: key.identity)
    else { return }
    formats[file.name] = key
    file.state.withLock { $0.worker = link }
  }

  /// Forgets the key of a file that the host has let go of, unless it has it again.
  func endFormat(of file: String) {
    if values.files?.file(named: file)?.state.withLock(\.worker) !== link { formats[file] = nil }
  }

  // MARK: Tests

  /// Changes a shared value as another store would, for a test.
  func set(_ key: SharedKey, to value: Value?) throws(ScriptError) {
    var new = Value.object(try values.versionDeclaring(key).values)
    if key.format.needsWorker { format(key) }
    new.set(value, at: key.path[...])
    let identity = key.identity
    try values.requireUsable(new.object?[identity], of: identity) { value throws(ScriptError) in
      if key.hasCheck { try key.check(value) } else { try check(value, of: identity) }
    }
    set(at: key.path, to: value)
  }

  /// Changes the part of the shared values at a path as another store would, for a test.
  func set(at path: [Value], to value: Value?) {
    values.alone { current in
      var new = Value.object(current.values)
      new.set(value, at: path[...])
      current.values = new.object ?? Value.Object()
    }
    takeSteps()
    engine.effects.runUntilIdle()
  }

  /// Throws if the `check` of a key that a store of this worker shares refuses a value.
  func check(_ value: Value, of identity: SharedIdentity) throws(ScriptError) {
    guard values.declaration(of: identity)?.hasCheck == true,
      let key = engine.cores.lazy.compactMap({ $0.sharing?.keys.checkedKeys[identity] }).first(
        where: \.hasCheck)
    else { return }
    try key.table.vm.turn { () throws(ScriptError) in try key.check(value) }
  }
}
