import ScriptValue

/// What each `onChange` of a store has heard of so far, while an action runs that changes shared
/// values.
///
/// An `onChange` that the action passes compares the values around its base, as ever. When the
/// reducers have run, those hear of changed shared values that the action has not passed. An
/// `onChange` that has run already compares with what it has left behind, so it does not hear of its
/// own writes.
final class SharedReactions {
  private struct Listener: Hashable {
    let node: ObjectIdentifier
    /// ``ReduceContext/elementPathHash``, which tells the elements of lists apart.
    let element: UInt64
  }

  /// The last value of each `onChange` that has run, owned (+1).
  private var heard: [Listener: Slot] = [:]
  /// The number of runs of an `onChange`.
  private(set) var count = 0
  /// More runs than this in one action are a loop.
  static let mostRuns = 1000

  deinit { for value in heard.values { value.release() } }

  /// What the `onChange` has last seen, borrowed (+0); nil if it has not run.
  func lastValue(of node: ReducerNode, _ element: UInt64) -> Slot? {
    heard[Listener(node: ObjectIdentifier(node), element: element)]
  }

  /// Records that an `onChange` has run, and the value (+1) that it left behind.
  func record(_ value: Slot, of node: ReducerNode, _ element: UInt64) {
    count += 1
    heard.updateValue(value, forKey: Listener(node: ObjectIdentifier(node), element: element))?
      .release()
  }
}
