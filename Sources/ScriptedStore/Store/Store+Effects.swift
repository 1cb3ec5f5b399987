extension Store {
  /// What is in flight for the whole store, with numbers that tell effects apart, in the order in which it was
  /// started. For tools that let people choose one.
  package var numberedEffects: [(number: UInt64, description: EffectDescription)] {
    inspectEffects { $0.numbered } ?? []
  }

  /// Cancels the effect of that number, whether it can be cancelled by an id or not; false if it has ended.
  @discardableResult
  package func cancelEffect(_ number: UInt64) -> Bool {
    inspectEffects { $0.cancel(number) } ?? false
  }
}

extension StoreEffects {
  /// Cancels what `numbered` has under that number; false if nothing is.
  fileprivate func cancel(_ number: UInt64) -> Bool {
    guard let job = places.jobs.first(where: { $0.number == number }) else { return false }
    inTurn(of: job.origin) { job.cancel() }
    return true
  }
}
