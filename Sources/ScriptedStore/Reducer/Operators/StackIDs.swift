/// The ids that the stacks of a store have given to their elements.
///
///     record ──▶ pending ──┬─ commit ───▶ next
///                          └─ rollBack ─▶ dropped
///
/// 1. In each stack the ids count up from 0, and none is given twice.
/// 2. An id that a rolled-back action used is free again.
/// 3. After a reload the stacks cannot be matched with those before it. All of them go on above the
///    highest id of any stack.
final class StackIDs {
  /// The next id of each stack that has had an element.
  private var next: [ElementIndexes.ListKey: Int64] = [:]
  /// The next ids according to the action that runs; the last entry of a stack counts.
  private var pending: [(stack: ElementIndexes.ListKey, next: Int64)] = []
  /// Where stacks without an entry in ``next`` begin: above all ids from before the last reload.
  private var first: Int64 = 0

  /// The next id of a stack: above all ids that were ever seen there.
  func next(at stack: ElementIndexes.ListKey) -> Int64 {
    pending.last { $0.stack == stack }?.next ?? next[stack] ?? first
  }

  /// Drops the stacks, because the store runs other reducers from now on (invariant 3).
  func dropAll() {
    first = max(first, next.values.max() ?? 0)
    next = [:]
    pending = []
  }

  /// Records that an element of the stack has this id.
  func record(_ id: Int64, at stack: ElementIndexes.ListKey) {
    // No id follows the last one.
    guard id < .max, id >= next(at: stack) else { return }
    pending.append((stack, id + 1))
  }

  /// Makes the recorded ids final, after the action is committed.
  @inline(__always)
  func commit() {
    if pending.isEmpty { return }
    for (stack, number) in pending { next[stack] = number }
    pending = []
  }

  /// Drops the recorded ids, after the action is rolled back.
  func rollBack() { pending = [] }
}
