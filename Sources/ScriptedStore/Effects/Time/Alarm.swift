import ScriptValue

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
  /// The burst and the action that it follows from, if no time passes until then.
  private(set) var burst: Burst?
  private(set) var action = 0

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
  func wait(_ seconds: Double, following effects: StoreEffects) {
    if !SchedulerClock.isPositive(seconds) { (burst, action) = effects.share() }
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
}
