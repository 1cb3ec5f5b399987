import Synchronization

/// Who uses which keys of shared values, so that a key that nobody uses any more can be forgotten
/// (``SharedValues/forgetUnused()``).
///
/// A field of a feature uses its key for as long as the host lives: the scripts contain only so many such keys.
/// A field whose key a function chooses, an effect, a ``SharedValue`` and an observer use one for some time.
final class SharedUses: Sendable {
  private struct State {
    /// The number of uses by key.
    var counts: [SharedIdentity: Int] = [:]
    /// The keys that nobody uses any more.
    var unused: Set<SharedIdentity> = []
    /// If more keys are unused, some are forgotten.
    var mostUnused = SharedUses.fewUnused
  }

  /// The number of unused keys that are kept at least, so that a field that shows one of a few keys in turn does not
  /// read a file each time.
  private static let fewUnused = 64

  private let state = Mutex(State())

  func begin(_ key: SharedIdentity) { state.withLock { $0.counts[key, default: 0] += 1 } }

  func end(_ key: SharedIdentity) {
    state.withLock { state in
      let count = (state.counts[key] ?? 1) - 1
      state.counts[key] = count > 0 ? count : nil
      if count == 0 { state.unused.insert(key) }
    }
  }

  /// Whether it is time to forget some keys that nobody uses.
  var haveManyUnused: Bool { state.withLock { $0.unused.count > $0.mostUnused } }

  /// Calls `body` for each key that nobody uses, while no use begins. A key for which it returns true is looked at
  /// again later.
  func visitUnused(_ body: (SharedIdentity) -> Bool) {
    state.withLock { state in
      state.unused = state.unused.filter { state.counts[$0] == nil && body($0) }
      // So looking at those that stay costs little for each key that comes and goes.
      state.mostUnused = max(SharedUses.fewUnused, 2 * state.unused.count)
    }
  }

  /// Calls `body` while no use of a key begins, if nobody uses it. Returns nil if somebody does.
  func whileUnused<R: Sendable>(_ key: SharedIdentity, _ body: () -> R) -> R? {
    state.withLock { state in
      if state.counts[key] != nil { return nil }
      state.unused.remove(key)
      return body()
    }
  }
}

/// One use of a key, until it is released.
final class SharedUse: Sendable {
  private let key: SharedIdentity
  private let uses: SharedUses

  init(of key: SharedIdentity, _ uses: SharedUses) {
    (self.key, self.uses) = (key, uses)
    uses.begin(key)
  }

  deinit { uses.end(key) }
}
