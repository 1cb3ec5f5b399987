import LuaBridge

/// An alarm that is set: its action will be sent at its time.
///
/// 1. Its place retains it under its id, and it retains its place; ``remove()`` breaks the cycle.
/// 2. It holds no code, so that neither a reload nor the end of what has set it concerns it.
final class Alarm: TimerEntry {
  let note: AlarmNote
  let place: EffectPlace
  /// Counts up in the order in which the alarms of a store are set.
  let number: UInt64
  /// The clock that it waits on.
  let clock: SchedulerClock
  // Proof: the store's effects own the alarms, and remove all of them at their end.
  private unowned(unsafe) let alarms: StoreAlarms
  /// What it follows from, if no time passes until then.
  private(set) var cause = StoreTurn.Cause()

  init(
    _ note: AlarmNote, at place: EffectPlace, number: UInt64, on clock: SchedulerClock,
    of alarms: StoreAlarms
  ) {
    self.note = note
    self.place = place
    self.number = number
    self.clock = clock
    self.alarms = alarms
  }

  /// Begins to wait.
  ///
  /// - Parameter isNew: whether an action sets it now. If no time passes until then, it belongs to the burst of that action.
  func wait(_ seconds: Double, isNew: Bool, in effects: StoreEffects) {
    if isNew && !SchedulerClock.isPositive(seconds) { cause = effects.turn.share() }
    clock.add(self, at: clock.instant.after(seconds))
    effects.runner.watchClock()
  }

  /// The seconds until its time.
  var secondsLeft: Double {
    let now = clock.instant
    return max(0, Double(deadline - now.microseconds) + time.fraction - now.fraction) / 1_000_000
  }

  func remove() { alarms.remove(self) }

  /// Whether its place has it.
  var isSet: Bool { place.alarms?[note.id] === self }

  override func fire() { alarms.fire(self) }

  override var sleeper: String? {
    "the alarm \(note.id)\(note.feature.map { " of \($0)" } ?? "") waits"
  }

  var description: AlarmDescription {
    var date: Double?
    if case .at(let seconds) = note.due { date = seconds }
    return AlarmDescription(
      feature: note.feature, id: note.id, action: note.action, place: place.path,
      left: Duration(clampingSeconds: secondsLeft), date: date)
  }
}

/// A description of an alarm that a store has set.
public struct AlarmDescription: Sendable, Hashable {
  /// The feature that has set it.
  public let feature: String?
  /// Identifies it at its place.
  public let id: Value
  /// As the store's feature gets it.
  public let action: Action
  /// The path of the place that it belongs to, as in actions; empty for the root.
  public let place: String
  /// The time until then, by its clock.
  public let left: Duration
  /// Its date in seconds since 1970, if it was set for a date.
  public let date: Double?
}

extension AlarmDescription: CustomStringConvertible {
  /// `Game at games[2], alarm "turn", games[2].turnOver in 30 s`
  public var description: String {
    var text = feature ?? "a reducer"
    if !place.isEmpty { text += " at \(place)" }
    let milliseconds = (left / .milliseconds(1)).rounded()
    let seconds =
      milliseconds.remainder(dividingBy: 1000) == 0
      ? "\(Int64(exactly: milliseconds / 1000) ?? .max)" : "\(milliseconds / 1000)"
    return text + ", alarm \(id), \(action) in \(seconds) s"
  }
}
