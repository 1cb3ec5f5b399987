// Writes one store's history and the lines of its recordings. Used inside the worker.
//
//   idle ──willReduce──▶ reducing ──didReduce──▶ entry appended ──didStartEffects──▶ idle
//
// In a store with shared values an action may be reduced again, so `willReduce` may come again. Each entry
// has the reads of its own last run.
//
// 1. Effects that start or end between `willReduce` and `didStartEffects` are collected in `started`
//    and `ended`. `didStartEffects` adds them to the new entry, so that its line in a recording is
//    complete.
// 2. Effects that start or end at other times are added to the entry at the log's position, and get
//    a line of their own.
// 3. An edit by a tool has no handlers: the core calls `didReduce` and `didStartEffects` without
//    `willReduce`.
// 4. A refused action gets no entry if entries follow the log's position, because its entry would
//    replace them: a misspelt action must not cost what came after. `leavesOut` is true from its
//    `didReduce` to its `didStartEffects`.

import Platform
import ScriptValue

/// Gets the entries of a durable store's history, each of which is a record.
protocol RecordSink: AnyObject {
  /// An action was reduced. Returns whether it gets a record, which observers then wait for.
  func beginRecord(of action: ActionRecord) -> Bool
  /// An entry is whole: its effects have started.
  func take(_ entry: HistoryEntry, before: Value)
  /// An action from outside was dropped before it was reduced.
  func refuse(_ reason: String)
  /// An effect has started, or ended, while no action was reduced.
  func take(started: EffectNote)
  func take(ended: EffectNote)
  /// The store runs on another generation.
  func didReload()
}

/// Records what happens in one store. The store's core retains it.
final class HistoryRecorder: EffectLog, StoreListener {
  let log: HistoryLog
  /// Records what the store's scripts get from outside. Durable stores have one for all of a worker, which hears of no calls in
  /// effects: recovery and the gate of a deploy need none, and an effect may call without end between two records.
  let dependencies: DependencyRecorder
  private let clock: SchedulerClock
  private let start: ClockInstant
  /// The handlers that get each line of a recording, with the number of the entry after which each was added.
  private var writers: [(id: UInt64, after: Int, handler: @Sendable (String) -> Void)] = []
  /// What is written before the next event.
  private var delayed: [RecordingEvent] = []
  /// The number of loaded scripts when their hashes were taken.
  private var scriptCount = 0
  /// Takes the entries as records of a durable store; nil in other stores.
  let sink: (any RecordSink)?
  // Proof: the engine owns the store core, which owns this recorder.
  private unowned(unsafe) let engine: Engine
  private unowned(unsafe) let core: StoreCore
  /// Whether an action is being reduced or its effects are being started.
  private var isReducing = false
  /// Whether the action that was reduced gets no entry (invariant 4).
  private(set) var leavesOut = false
  // Proof: the core has the effects, and retains this object.
  private unowned(unsafe) var effects: StoreEffects?
  /// The effects in flight by number, as they were described when they started.
  private var running: [Int: EffectNote] = [:]
  private var started: [EffectNote] = []
  private var ended: [EffectNote] = []
  private var lastCall = 0
  /// The bytes that scripts had written before the action that is being reduced.
  private var bytesBefore = 0

  init(_ log: HistoryLog, _ engine: Engine, _ core: StoreCore, sink: (any RecordSink)? = nil) {
    self.core = core
    self.log = log
    self.sink = sink
    dependencies = sink == nil ? DependencyRecorder() : engine.context.durableRecorder
    self.engine = engine
    clock = engine.clock
    start = clock.instant
    if sink == nil { dependencies.listener = self }
  }

  /// Stores the state and the header that the history begins with.
  func begin(
    with state: Value, _ alarms: [AlarmNote], after number: Int, of feature: String,
    _ overridden: [String]
  ) {
    var header = RecordingHeader(
      feature: engine.modules.root.moduleName(of: feature), scripts: hashScripts(),
      dependencies: overridden)
    // So a reader knows that answers to effects are missing.
    if sink != nil {
      header.durable = DurableHeader(
        wall: wallTime, code: engine.current.scriptHashes.code)
    }
    log.entries.withLock { [header] entries in
      entries.mostBytes = engine.configuration.limits.totalMemory
      entries.begin(with: state, alarms, after: number)
      entries.header = header
    }
  }

  /// Begins anew with what a durable store has come back to. Its effects were cancelled.
  ///
  /// - Parameter told: the number of the last entry before that of which the handlers of lines have got all. The header of those
  ///   that were added later was dropped.
  func beginAgain(with recovered: RecoveredStore, told: Int) {
    (started, ended) = ([], [])
    log.entries.withLock {
      $0.begin(with: recovered.state, recovered.alarms, after: recovered.number)
    }
    for writer in writers where writer.after > told { deliverLines(to: writer.handler) }
  }

  /// Records the effects of the store from now on, beginning with those in flight.
  func didMake(_ effects: StoreEffects) {
    self.effects = effects
    let current = effects.places.jobs.compactMap { note(of: $0) }
    for note in current { running[note.number] = note }
    log.entries.withLock { $0.add(current) }
    effects.log = self
    // Those of a durable store are recorded for its record writer.
    if sink == nil { effects.alarms.beginRecording() }
  }

  private var now: Duration { clock.instant.duration(since: start) }

  func scope(for dependencies: DependencyScope) -> DependencyScope {
    dependencies.recording(by: self.dependencies)
  }

  // MARK: Actions

  /// False if the history is locked, or holds effects and the action is one of an effect that would replace
  /// entries; the action is then dropped with a warning, and refused in a durable store.
  func accepts(_ action: borrowing Action, _ message: Message?) -> Bool {
    guard let reason = reasonToDrop(message) else { return true }
    let action = copy action
    let warning = RuntimeWarning(
      kind: .locked, message: "the action \"\(action.path)\" was dropped, because \(reason)",
      origin: message?.sender?.origin ?? "the host", action: action.path)
    engine.report([warning])
    if message?.sender != nil { breakOff() } else { sink?.refuse(warning.message) }
    return false
  }

  private func reasonToDrop(_ message: Message?) -> String? {
    let (isLocked, holdsEffects, position, last) = log.entries.withLock {
      ($0.isLocked, $0.holdsEffects, $0.position, $0.last)
    }
    if isLocked { return "the store's history is locked; unlock it to go on" }
    guard holdsEffects, message?.sender != nil, position < last else { return nil }
    return """
      an effect sent it while the store is at action \(position) of \(last), and it would replace those that follow; \
      go to action \(last), or send an action, to let effects go on
      """
  }

  func willReduce() {
    isReducing = true
    bytesBefore = engine.context.arena.pointee.allBytesRead
    dependencies.begin()
    engine.context.recorder = dependencies
  }

  /// Appends an entry for an action that was reduced. Its effects have not started yet.
  func didReduce(_ record: ActionRecord) {
    engine.context.recorder = nil
    let reads = dependencies.end()
    leavesOut =
      sink.map { !$0.beginRecord(of: record) }
      ?? (record.isRefused && log.entries.withLock { $0.position < $0.last })
    if leavesOut { return }
    var entry = HistoryEntries.StoredEntry(
      record.action, record.source, by: sink == nil ? record.sender : nil, time: now,
      generation: engine.current.number, state: record.after)
    entry.details = .init(
      transaction: record.transaction, reads: reads, warnings: record.warnings,
      error: record.error, bytes: bytes(of: record))
    log.entries.withLock { [entry] in $0.append(entry, from: record.feature) }
  }

  /// The bytes that an entry adds to those before it, if they count: the action, and what it has written. 0 if they are few.
  private func bytes(of record: ActionRecord) -> Int {
    guard let mostBytes = engine.configuration.limits.totalMemory else { return 0 }
    let written =
      switch record.source {
      case .input, .effect: engine.context.arena.pointee.allBytesRead - bytesBefore
      // Others have written it.
      case .shared, .edit: changedBytes(from: record.before, to: record.after, upTo: mostBytes)
      }
    let bytes = written + record.action.value.size(upTo: mostBytes)
    return bytes < HistoryRecorder.fewBytes ? 0 : bytes
  }

  /// The bytes of the fields of a state that are others than before.
  private func changedBytes(from old: Value, to new: Value, upTo most: Int) -> Int {
    guard let old = old.object, let fields = new.object else { return new.size(upTo: most) }
    return fields.reduce(0) { bytes, field in
      let isSame = old[field.key]?.isIdentical(to: field.value) == true
      return isSame ? bytes : bytes + field.value.size(upTo: most)
    }
  }

  private static let fewBytes = 4096

  /// Called after the effects of an action were started: completes the entry and writes its line.
  func didStartEffects() {
    isReducing = false
    var alarms: Value?
    if !leavesOut, let all = effects?.alarms, all.hasChanges { alarms = all.takeChanges().recorded }
    if !started.isEmpty || !ended.isEmpty || alarms != nil {
      log.entries.withLock { [started, ended, alarms] in
        $0.updateDetails { details in
          details.started += started
          details.ended += ended
          if let alarms { details.alarms = alarms }
        }
      }
      (started, ended) = ([], [])
    }
    recordNewScripts()
    let isLeftOut = leavesOut
    leavesOut = false
    guard !writers.isEmpty || sink != nil, !isLeftOut else { return }
    let written = log.entries.withLock { entries in
      entries.entry(entries.position).map { ($0, entries.state(at: $0.number - 1) ?? $0.state) }
    }
    guard let (entry, before) = written else { return }
    sink?.take(entry, before: before)
    write(.entry(entry, before: before))
  }

  func recordGo(to number: Int) { write(.went(number)) }

  /// Records that the actions from now on do not follow from those before, because an effect was cancelled from outside, or an action
  /// of one was dropped.
  private func breakOff() {
    guard sink == nil else { return }
    let (wasJump, position) = log.entries.withLock { entries in
      let wasJump = entries[entries.position]?.details.isJump == true
      entries.updateDetails { $0.isJump = true }
      return (wasJump, entries.position)
    }
    if !wasJump { recordGo(to: position) }
  }

  /// Writes the entries from `first` on once more, because they have been reduced again or are
  /// skipped now.
  ///
  /// - Parameter isDelayed: whether they are written only when something follows, so that a person who
  ///   tries other code on a recorded session keeps the session as it was.
  func recordAgain(from first: Int, isDelayed: Bool) {
    guard !writers.isEmpty else { return }
    let (events, position, last) = log.entries.withLock { entries in
      (entries.events(after: first - 1), entries.position, entries.last)
    }
    delayed += [.went(first - 1)] + events
    if position < last { delayed.append(.went(position)) }
    if !isDelayed { writeDelayed() }
  }

  // MARK: Effects

  func began(_ job: Job) {
    guard let note = note(of: job) else { return }
    running[note.number] = note
    if isReducing { return started.append(note) }
    log.entries.withLock { $0.updateDetails { $0.started.append(note) } }
    sink?.take(started: note)
    write(.effects(started: [note], ended: []))
  }

  func ended(_ job: Job) {
    guard let note = running.removeValue(forKey: Int(job.number)) else { return }
    if isReducing { return ended.append(note) }
    log.entries.withLock { $0.updateDetails { $0.ended.append(note) } }
    sink?.take(ended: note)
    write(.effects(started: [], ended: [note]))
  }

  func failed(_ job: Job, _ error: ScriptError) {
    running[Int(job.number)]?.failure = EffectFailure(message: "\(error)", time: now)
  }

  func willCancel(_ job: Job) { breakOff() }

  private func note(of job: Job) -> EffectNote? {
    guard let effect = job.description(at: 0) else { return nil }
    return EffectNote(
      number: Int(job.number), feature: effect.feature, origin: effect.origin, id: effect.id,
      action: effect.action, place: effect.place)
  }

  func began(_ name: String, isStream: Bool) -> Int {
    lastCall += 1
    record(
      EffectCall(
        number: lastCall, phase: .asked(name, isStream: isStream), time: now,
        effect: engine.effects.running.map { Int($0.serial) }))
    return lastCall
  }

  func ended(_ call: Int, _ answer: DependencyRead.Answer) {
    record(EffectCall(number: call, phase: .answered(answer), time: now, effect: nil))
  }

  private func record(_ call: EffectCall) {
    log.entries.withLock { $0.updateDetails { $0.calls.append(call) } }
    write(.call(call))
  }

  // MARK: Reloading

  func didReload(migrated state: Value?) {
    let scripts = hashScripts()
    log.entries.withLock { entries in
      entries.header.scripts = scripts
      if let state, sink == nil { entries.migrate(to: state) }
    }
    sink?.didReload()
    write(.reload(engine.current.number, scripts: scripts, state: state))
  }

  private func recordNewScripts() {
    guard engine.modules.files.scripts.count != scriptCount else { return }
    let (old, new) = (log.entries.withLock { $0.header.scripts }, hashScripts())
    log.entries.withLock { $0.header.scripts = new }
    let added = new.filter { old[$0.key] != $0.value }
    if !added.isEmpty { write(.scripts(added)) }
  }

  private func hashScripts() -> [String: String] {
    scriptCount = engine.modules.files.scripts.count
    return engine.current.scriptHashes.byName
  }

  var lastState: Value { log.entries.withLock { $0.state(at: $0.position) ?? $0.baseState } }

  /// The effects in flight, in the order in which they started.
  var effectsInFlight: [EffectNote] { running.values.sorted { $0.number < $1.number } }

  // MARK: Writing

  /// Delivers each line of a recording to `handler` from now on, beginning with the lines of what
  /// has happened already.
  func addWriter(_ id: UInt64, _ handler: @escaping @Sendable (String) -> Void) {
    writeDelayed()
    deliverLines(to: handler)
    writers.append((id, log.entries.withLock { $0.position }, handler))
  }

  /// Delivers the lines of what has happened already.
  private func deliverLines(to handler: @escaping @Sendable (String) -> Void) {
    let entries = log.entries.withLock { $0 }
    deliver { for event in entries.events { handler(event.line) } }
  }

  private func deliver(_ call: @escaping @Sendable () -> Void) {
    core.deliver(to: core.audience.outbox, engine, call)
  }

  func removeWriter(_ id: UInt64) { writers.removeAll { $0.id == id } }

  private func writeDelayed() {
    let events = delayed
    delayed = []
    for event in events { write(event) }
  }

  private func write(_ event: RecordingEvent) {
    if !delayed.isEmpty { writeDelayed() }
    for (_, _, handler) in writers { deliver { handler(event.line) } }
  }
}
