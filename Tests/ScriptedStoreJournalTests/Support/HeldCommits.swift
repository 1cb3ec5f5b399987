#if Journal
import ScriptedStore

extension HeldJournal {
  /// Holds commits back, and returns when the first one of what `body` does has begun.
  func hold(_ body: () async throws -> Void) async rethrows {
    let before = commits
    isHeld = true
    try await body()
    await until { commits > before }
  }

  /// Lets the commits that are held go on.
  ///
  /// - Parameter fails: whether the first one fails.
  func letGo(fails: Bool = false) {
    if fails { fail(1) }
    isHeld = false
  }
}

extension Store {
  /// Returns when the store has come back from a failed commit that is out or was, and what it has recorded by itself then is
  /// durable.
  func untilBack() async {
    // The first wait ends with the failed commit.
    for _ in 1...2 { await untilDurable() }
  }
}

extension ViewTree {
  /// Returns when the observers of the tree have been called for what it has shown so far.
  func untilTold() async {
    await withCheckedContinuation { continuation in afterDeliveries { continuation.resume() } }
  }
}
#endif
