import ScriptedStore

extension Store {
  /// Waits until observers have received all that has happened so far, also on other threads.
  func waitForObservers() async {
    // Observers are called in order, so the first value arrives after all earlier events.
    for await _ in values() { break }
  }
}
