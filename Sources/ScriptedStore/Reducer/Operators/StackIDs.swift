/// The ids that the stacks of a store have given to their elements.
///
///     note ──▶ pending ──┬─ keep (the action is committed) ────▶ next
///                        └─ forget (the action is rolled back) ▶ dropped
///
/// 1. In each stack the ids count up from 0, and none is given twice.
/// 2. An id that a rolled-back action used is free again.
/// 3. After a reload the stacks cannot be matched with those before it. All of them go on above the
///    highest id of any stack.
final class StackIDs {
  /// The next id of each stack that has had an element.
  private var next: [ElementIndexes.ListKey: Int64] = [:]
  /// The next ids according to the action that runs; the last entry of a stack counts.
  private var pending: [(place: ElementIndexes.ListKey, next: Int64)] = []
  /// Where stacks without an entry in ``next`` begin: above all ids from before the last reload.
  private var first: Int64 = 0

  /// The next id of a stack: above all ids that were ever seen there.
  func next(at place: ElementIndexes.ListKey) -> Int64 {
    pending.last { $0.place == place }?.next ?? next[place] ?? first
  }

  /// Drops the stacks, because the store runs other reducers from now on (invariant 3).
  func dropAll() {
    first = max(first, next.values.max() ?? 0)
    next = [:]
    pending = []
  }

  /// Records that an element of the stack has this id.
  func note(_ id: Int64, at place: ElementIndexes.ListKey) {
    // No id follows the last one.
    guard id < .max, id >= next(at: place) else { return }
    pending.append((place, id + 1))
  }

  /// Makes the recorded ids final, after the action is committed.
  @inline(__always)
  func keep() {
    if pending.isEmpty { return }
    for (place, number) in pending { next[place] = number }
    pending = []
  }

  /// Drops the recorded ids, after the action is rolled back.
  func forget() { pending = [] }
}
