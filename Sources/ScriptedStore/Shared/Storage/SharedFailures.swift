import ScriptValue
import Synchronization

/// Failures of loading and saving that no feature shows by `key:status()`. Each is told once, as a warning.
final class SharedFailures: Sendable {
  private struct State {
    /// The keys whose status a feature shares.
    var shown: Set<String> = []
    /// The last failure that was told, by operation and key.
    var told: [String: SharedStorageError] = [:]
    var warnings: [RuntimeWarning] = []
  }

  private let state = Mutex(State())
  private let hasNew = Atomic<Bool>(false)

  /// A feature shares the status of the value with this key.
  func show(_ key: String) { state.withLock { _ = $0.shown.insert(key) } }

  /// Tells of a failure, unless a feature shows it or it was told before.
  ///
  /// - Parameters:
  ///   - operation: `loaded` or `saved`.
  ///   - origin: the script line of the key.
  func tell(
    _ failure: SharedStorageError, of key: String, _ operation: String, origin: String
  ) {
    state.withLock { state in
      guard !state.shown.contains(key),
        state.told.updateValue(failure, forKey: "\(operation) \(key)") != failure
      else { return }
      state.warnings.append(
        RuntimeWarning(
          kind: .sharedStorage,
          message: """
            the shared value \(SharedKey.text(ofIdentity: key)) cannot be \(operation): \(failure.message) \
            (\(failure.code)). The value stays as it is\(operation == "saved" ? ", and saving is tried again" : ""). To show such failures, share the key's status() in a feature
            """, origin: origin, action: nil))
      hasNew.store(true, ordering: .releasing)
    }
  }

  /// Whether there are warnings for ``takeWarnings()``.
  var haveWarnings: Bool { hasNew.load(ordering: .acquiring) }

  /// Removes and returns the warnings.
  func takeWarnings() -> [RuntimeWarning] {
    state.withLock { state in
      defer { state.warnings = [] }
      hasNew.store(false, ordering: .releasing)
      return state.warnings
    }
  }
}
