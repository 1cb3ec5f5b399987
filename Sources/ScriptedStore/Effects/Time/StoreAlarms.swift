import LuaBridge

/// The alarms of one store: actions that it will send at their times. They are a part of its hidden state, and data; no
/// job belongs to them.
///
/// ```
///   set(_:) ──▶ set ──its time──▶ fire(_:): it is removed, and its action is reduced, in one drain
///                └──cancelAlarm, another with its id, the end of its place──▶ remove(_:)
/// ```
///
/// 1. `count` is the number of alarms at the places of the store.
/// 2. `changed` has the keys of the alarms that were set or removed since ``takeChanges()`` was called; none as long as nobody
///    asks for them.
final class StoreAlarms {
  /// The most alarms that a store may have.
  static let most = 1000

  // Proof: the effects own this.
  private unowned(unsafe) let effects: StoreEffects
  private(set) var count = 0
  private var lastNumber: UInt64 = 0
  private var changed: Set<AlarmNote.Key> = []
  private var didChange: (() -> Void)?

  init(_ effects: StoreEffects) { self.effects = effects }

  /// All alarms, in the order in which they were set.
  var all: [Alarm] { effects.places.allAlarms }

  /// The alarms in the order of their times.
  var byTime: [Alarm] { all.sorted { ($0.secondsLeft, $0.number) < ($1.secondsLeft, $1.number) } }

  // MARK: Setting and removing

  /// Sets an alarm, in place of the one that its place has under its id. Throws if it would be one too many.
  ///
  /// - Parameter seconds: the time until then by `clock`.
  func set(
    _ note: AlarmNote, at place: EffectPlace, after seconds: Double, on clock: SchedulerClock
  ) throws(ScriptError) {
    // The place stays: it is the root or held, or has the job that sets the alarm.
    if let former = place.alarms?[note.id] { leave(former) }
    guard count < StoreAlarms.most else {
      tell()
      throw refusal
    }
    let alarm = make(note, at: place, on: clock)
    alarm.wait(seconds, isNew: true, in: effects)
    noteChange(of: note.key)
    tell()
  }

  private func make(
    _ note: AlarmNote, at place: EffectPlace, on clock: SchedulerClock
  ) -> Alarm {
    lastNumber += 1
    let alarm = Alarm(note, at: place, number: lastNumber, on: clock, of: self)
    place.alarms = place.alarms ?? [:]
    place.alarms?[note.id] = alarm
    count += 1
    return alarm
  }

  private var refusal: ScriptError {
    var error = ScriptError(
      """
      an alarm is not set, because this store has \(count). Cancel those that are not needed any more (effect.cancelAlarm), \
      or let one alarm stand for many: it rings for the next of them, and its handler sets the one after that
      """, kind: .alarms)
    error.exceeded = ExceededLimit(allowed: Double(StoreAlarms.most), reached: Double(count) + 1)
    return error
  }

  func remove(_ alarm: Alarm) {
    leave(alarm)
    tell()
  }

  /// Takes an alarm out of its place and its clock.
  private func leave(_ alarm: Alarm) {
    withExtendedLifetime(alarm) {
      guard alarm.isSet else { return }
      let place = alarm.place
      alarm.clock.remove(alarm)
      place.alarms?[alarm.note.id] = nil
      if place.alarms?.isEmpty == true { place.alarms = nil }
      place.removeIfEmpty()
      count -= 1
      noteChange(of: alarm.note.key)
    }
  }

  /// Removes an alarm whose time has come, and sends its action.
  func fire(_ alarm: Alarm) {
    leave(alarm)
    let message = alarm.message(of: effects)
    effects.inTurn(of: nil, after: alarm.cause) {
      effects.deliverOrWarn(message, nil)
    }
    // The record of the action has its end, unless the action was dropped.
    tell()
  }

  /// Lets nobody hear of what the end of the store removes.
  func close() { (changed, didChange) = ([], nil) }

  // MARK: Recording

  /// What has become of alarms: those that are set, and the keys of those that are gone.
  struct Changes: Sendable, Hashable {
    var added: [AlarmNote] = []
    var removed: [AlarmNote.Key] = []

    var isEmpty: Bool { added.isEmpty && removed.isEmpty }

    /// As the record of an action has them.
    var recorded: Value {
      var object: Value.Object = [:]
      if !added.isEmpty { object["set"] = .array(Value.List(added.map(\.recorded))) }
      if !removed.isEmpty { object["gone"] = .array(Value.List(removed.map(\.recorded))) }
      return .object(object)
    }
  }

  /// Collects changes from now on for ``takeChanges()``.
  ///
  /// - Parameter tell: called after each change. While an action is reduced, what it has changed is complete when its effects
  ///   have started.
  func beginRecording(_ tell: @escaping () -> Void = {}) { didChange = tell }

  /// Whether anything has changed since it was asked last.
  var hasChanges: Bool { !changed.isEmpty }

  /// What has changed since it was asked last.
  func takeChanges() -> Changes {
    // Most actions change none, and the list of all costs a walk over all places.
    guard hasChanges else { return Changes() }
    let keys = changed
    changed = []
    var changes = Changes()
    for alarm in all where keys.contains(alarm.note.key) { changes.added.append(alarm.note) }
    let left = Set(changes.added.map(\.key))
    changes.removed = keys.subtracting(left).sorted { $0.recorded.json() < $1.recorded.json() }
    return changes
  }

  private func noteChange(of key: AlarmNote.Key) { if didChange != nil { changed.insert(key) } }

  private func tell() {
    if hasChanges { didChange?() }
  }

  /// The date of the next alarm in seconds since 1970; nil if none is set.
  var nextDate: Double? { all.lazy.map(\.note.date).min() }

  /// All alarms as data, in the order in which they were set.
  var recorded: Value { .array(Value.List(all.map(\.note.recorded))) }

  /// Sets alarms in place of all that are set. An alarm that is due comes at once.
  ///
  /// - Parameter now: the date, in seconds since 1970.
  func restore(_ notes: [AlarmNote], now: Double) {
    for alarm in all { leave(alarm) }
    for note in notes {
      let alarm = make(
        note, at: effects.makePlace(note.key.place), on: effects.runner.clock)
      // Those that were due meanwhile have waited, so each begins a burst.
      alarm.wait(max(0, note.date - now), isNew: false, in: effects)
    }
    changed = []
  }
}

extension [AlarmNote] {
  /// Reads ``StoreAlarms/recorded``.
  init(recorded: Value) throws(ScriptError) {
    self = []
    for note in recorded.array ?? [] { append(try AlarmNote(recorded: note)) }
  }

  /// Applies what ``StoreAlarms/Changes/recorded`` says.
  mutating func apply(_ changes: Value) throws(ScriptError) {
    let added = try [AlarmNote](recorded: changes["set"])
    var gone = Set(added.map(\.key))
    for key in changes["gone"].array ?? [] { gone.insert(try AlarmNote.Key(recorded: key)) }
    removeAll { gone.contains($0.key) }
    self += added
  }
}

extension StoreCore {
  /// The alarms of the store; nil if it has none and never started an effect.
  var alarms: StoreAlarms? { effects?.alarms }
}
