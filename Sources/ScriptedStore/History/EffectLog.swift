/// Reports the start and the end of each effect of one store to the store's history. Used inside
/// the worker. The effect places of the store retain it.
final class EffectLog {
  // Proof: `effects` has the places that retain this object.
  private unowned(unsafe) let effects: StoreEffects
  private let history: HistoryRecorder
  /// The effects in flight by job number, as they were described when they started.
  private var running: [UInt64: EffectNote] = [:]

  init(_ effects: StoreEffects, _ history: HistoryRecorder) {
    self.effects = effects
    self.history = history
  }

  /// Returns the effects that are in flight already. They are not reported to the history.
  func beginWithCurrent() -> [EffectNote] {
    effects.places.jobs.compactMap { job in
      let note = note(of: job)
      running[job.number] = note
      return note
    }
  }

  func began(_ job: Job) {
    guard let note = note(of: job) else { return }
    running[job.number] = note
    history.started(note)
  }

  func ended(_ job: Job) {
    if let note = running.removeValue(forKey: job.number) { history.ended(note) }
  }

  private func note(of job: Job) -> EffectNote? {
    guard let effect = effects.description(of: job, 0) else { return nil }
    return EffectNote(
      number: Int(job.number), feature: effect.feature, origin: effect.origin, id: effect.id,
      action: effect.action, place: effect.place)
  }
}
