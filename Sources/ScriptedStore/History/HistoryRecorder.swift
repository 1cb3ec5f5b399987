import LuaBridge

/// Keeps the history of one store. Inside a worker; the store's core has it.
final class HistoryRecorder: EffectCallListener {
  let log: HistoryLog
  /// Notes what the store's scripts get from outside.
  let dependencies = DependencyRecorder()
  private let clock: SchedulerClock
  private let start: Int64
  private(set) var generation: Int
  /// Those who hear each line of a recording.
  private var writers: [(id: UInt64, handler: @Sendable (String) -> Void)] = []
  /// The scripts that were compiled when their hashes were taken.
  private var scriptCount = 0
  private unowned(unsafe) let engine: Engine
  /// While an action is reduced and its effects are started.
  private var isReducing = false
  private var started: [EffectNote] = []
  private var ended: [EffectNote] = []
  private var lastCall = 0

  // Proof: the engine has the core that has this.
  init(_ log: HistoryLog, _ engine: Engine) {
    self.log = log
    self.engine = engine
    clock = engine.clock
    start = clock.now
    generation = engine.current.number
    dependencies.listener = self
  }

  /// The history begins.
  func begin(
    with state: Value, after number: Int, of feature: String, _ overridden: [String]
  ) {
    let scripts = takeScripts()
    log.entries.withLock { entries in
      entries.begin(with: state, after: number)
      entries.source = RecordingSource(
        feature: engine.modules.moduleName(of: feature), scripts: scripts, dependencies: overridden)
    }
  }

  /// Hears from now on what starts and ends.
  func watch(_ effects: StoreEffects) {
    let effectLog = EffectLog(effects, self)
    let current = effectLog.beginWithCurrent()
    log.entries.withLock { $0.source.effects += current }
    effects.places.tell(effectLog)
  }

  private var now: Double { Double(clock.now - start) / 1_000_000 }

  // MARK: Actions

  /// An action is about to be reduced; returns whether it may be.
  func begin(_ action: borrowing Action, _ message: Message?) -> Bool {
    guard !log.isLocked else {
      let action = copy action
      engine.report([
        RuntimeWarning(
          kind: .locked,
          message: """
            the action \"\(action.path)\" was dropped, because the store's history is locked; unlock it to go on
            """,
          origin: message?.sender?.origin ?? "the host", action: action.path)
      ])
      return false
    }
    isReducing = true
    dependencies.begin()
    engine.context.recorder = dependencies
    return true
  }

  /// It was reduced.
  func add(_ record: ActionRecord) {
    var entry = HistoryEntries.Kept(
      record.action, record.source, time: now, generation: generation, state: record.after)
    let reads = dependencies.end()
    if record.transaction != nil || !reads.isEmpty || !record.warnings.isEmpty
      || record.error != nil
    {
      entry.more.transaction = record.transaction
      entry.more.reads = reads
      entry.more.warnings = record.warnings
      entry.more.error = record.error
    }
    log.entries.withLock { [entry] in $0.append(entry, from: record.feature) }
  }

  /// Its effects were started: tells those who write.
  func tell() {
    isReducing = false
    if !started.isEmpty || !ended.isEmpty {
      let (started, ended) = (started, ended)
      (self.started, self.ended) = ([], [])
      log.entries.withLock {
        $0.note { more in
          more.started += started
          more.ended += ended
        }
      }
    }
    noteScripts()
    guard !writers.isEmpty else { return }
    let written = log.entries.withLock { entries in
      entries.entry(entries.position).map { ($0, entries.state(at: $0.number - 1) ?? $0.state) }
    }
    if let (entry, before) = written { write(.entry(entry, before: before)) }
  }

  /// The store went to an entry.
  func wentTo(_ number: Int) { write(.went(number)) }

  // MARK: Effects

  func started(_ note: EffectNote) {
    if isReducing { return started.append(note) }
    log.entries.withLock { $0.note { $0.started.append(note) } }
    write(.effects(started: [note], ended: []))
  }

  func ended(_ note: EffectNote) {
    if isReducing { return ended.append(note) }
    log.entries.withLock { $0.note { $0.ended.append(note) } }
    write(.effects(started: [], ended: [note]))
  }

  func began(_ name: String, isStream: Bool) -> Int {
    lastCall += 1
    note(EffectCall(number: lastCall, phase: .asked(name, isStream: isStream), time: now))
    return lastCall
  }

  func ended(_ call: Int, _ answer: DependencyRead.Answer) {
    note(EffectCall(number: call, phase: .answered(answer), time: now))
  }

  private func note(_ call: EffectCall) {
    log.entries.withLock { $0.note { $0.calls.append(call) } }
    write(.call(call))
  }

  // MARK: Reloading

  /// The store runs on another loading of the scripts from now on; `state` is what it has, if that was migrated.
  func reloaded(to generation: Int, migrated state: Value?) {
    self.generation = generation
    let scripts = takeScripts()
    log.entries.withLock { entries in
      entries.source.scripts = scripts
      if let state { entries.migrate(to: state) }
    }
    write(.reload(generation, scripts: scripts, state: state))
  }

  /// Takes note of scripts that were loaded meanwhile.
  private func noteScripts() {
    guard engine.modules.scripts.count != scriptCount else { return }
    let (old, new) = (log.entries.withLock { $0.source.scripts }, takeScripts())
    log.entries.withLock { $0.source.scripts = new }
    let added = new.filter { old[$0.key] != $0.value }
    if !added.isEmpty { write(.scripts(added)) }
  }

  /// The hashes of the texts of what is loaded, by name.
  private func takeScripts() -> [String: String] {
    scriptCount = engine.modules.scripts.count
    var hashes: [String: String] = [:]
    for (name, script) in engine.modules.scripts { hashes[name] = SHA256.hex(of: script.text) }
    return hashes
  }

  // MARK: Writing

  /// Tells each line of a recording from now on, those of what has happened first.
  func add(_ id: UInt64, _ handler: @escaping @Sendable (String) -> Void) {
    let entries = log.entries.withLock { $0 }
    engine.deliver { for event in entries.events { handler(event.line) } }
    writers.append((id, handler))
  }

  func removeWriter(_ id: UInt64) { writers.removeAll { $0.id == id } }

  private func write(_ event: RecordingEvent) {
    for (_, handler) in writers { engine.deliver { handler(event.line) } }
  }
}
