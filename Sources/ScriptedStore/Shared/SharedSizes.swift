import LuaBridge
import Synchronization

/// The sizes of the shared values of a host, which all together may have ``Limits/sharedBytes``.
///
/// A value is measured when an action may make one larger, and only if its node is another one than when it was measured
/// last.
final class SharedSizes: Sendable {
  private struct State {
    /// The values that were measured last.
    var measured = Value.Object()
    var bytes: [String: Int] = [:]
    var total = 0

    /// Takes over the sizes of these values. O(keys), and the values whose nodes are others.
    mutating func measure(_ values: Value.Object, upTo most: Int) {
      for key in measured.keysOfOtherNodes(in: values) {
        let new = values[key]?.size(upTo: most)
        total += (new ?? 0) - (bytes[key] ?? 0)
        bytes[key] = new
      }
      measured = values
    }
  }

  private let state = Mutex(State())
  private let most: Int

  init(most: Int) { self.most = most }

  /// Throws if an action makes the values larger, and they may not be so large.
  ///
  /// - Parameter old: the values before the action.
  func require(_ new: Value.Object, after old: Value.Object) throws(ScriptError) {
    let isRefused = state.withLock { state in
      state.measure(old, upTo: most)
      let growth = old.keysOfOtherNodes(in: new).reduce(0) { growth, key in
        growth + (new[key]?.size(upTo: most) ?? 0) - (state.bytes[key] ?? 0)
      }
      return growth > 0 && state.total + growth > most
    }
    guard isRefused else { return }
    throw ScriptError(
      "what the action wrote is refused, because \(tooLarge); keep less in them")
  }

  /// Throws if the values are too large for a key that is new among them.
  func require(roomFor key: SharedKey, in values: Value.Object) throws(ScriptError) {
    let isRefused = state.withLock { state in
      state.measure(values, upTo: most)
      return state.total > most
    }
    guard isRefused else { return }
    throw ScriptError(
      "\(key.origin): the shared value '\(key.name)' is refused, because \(tooLarge); keep less in the others"
    )
  }

  private var tooLarge: String {
    "the shared values of the host may not have more than \(most) bytes together (`totalMemory`)"
  }
}

extension Value.Object {
  /// The keys of which `new` has another node, or of which only one of the two has a value. O(keys).
  fileprivate func keysOfOtherNodes(in new: Value.Object) -> [String] {
    new.filter { key, value in self[key]?.isIdentical(to: value) != true }.map(\.key)
      + keys.filter { new[$0] == nil }
  }
}
