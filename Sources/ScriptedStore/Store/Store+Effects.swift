extension Store {
  /// The effects in flight for the whole store with their numbers, in the order in which they were
  /// started. For tools that let a person choose one.
  package var numberedEffects: [(number: UInt64, description: EffectDescription)] {
    inspectEffects { $0.numbered } ?? []
  }

  /// Cancels the effect with this number, also if it has no id. Returns false if it has ended.
  @discardableResult
  package func cancelEffect(_ number: UInt64) -> Bool {
    inspectEffects { $0.cancel(number) } ?? false
  }
}

extension StoreEffects {
  /// Cancels the job with this number. Returns false if there is none.
  fileprivate func cancel(_ number: UInt64) -> Bool {
    guard let job = places.jobs.first(where: { $0.number == number }) else { return false }
    inTurn(of: job.rootJob) { job.cancel() }
    return true
  }
}
