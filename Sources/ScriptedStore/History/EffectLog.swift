/// Tells a history what starts and ends in a store. Inside a worker; the places of the store's effects keep it.
final class EffectLog {
  // Proof: it has the places that keep this.
  private unowned(unsafe) let effects: StoreEffects
  private let history: HistoryRecorder
  /// What is in flight, as it was described when it started.
  private var running: [UInt64: EffectNote] = [:]

  init(_ effects: StoreEffects, _ history: HistoryRecorder) {
    self.effects = effects
    self.history = history
  }

  /// What is in flight already; nobody is told.
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
