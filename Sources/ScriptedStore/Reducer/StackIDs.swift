/// The ids that a store's stacks gave to their elements: they count up, from 0, and none comes twice. What the action
/// that runs has used is kept once it is committed.
final class StackIDs {
  /// The next one for each stack that has had an element.
  private var next: [ElementIndexes.Place: Int64] = [:]
  private var pending: [(place: ElementIndexes.Place, next: Int64)] = []
  /// Above all of the stacks that there were before the last reload, which those after it are not told apart from.
  private var first: Int64 = 0

  /// The first one above all that were ever seen there.
  func next(at place: ElementIndexes.Place) -> Int64 {
    pending.last { $0.place == place }?.next ?? next[place] ?? first
  }

  /// The store runs other reducers from now on.
  func forgetPlaces() {
    first = max(first, next.values.max() ?? 0)
    next = [:]
    pending = []
  }

  /// An element there has this id.
  func note(_ id: Int64, at place: ElementIndexes.Place) {
    // The last one has none above it.
    guard id < .max, id >= next(at: place) else { return }
    pending.append((place, id + 1))
  }

  /// The action is committed.
  @inline(__always)
  func keep() {
    if pending.isEmpty { return }
    for (place, number) in pending { next[place] = number }
    pending = []
  }

  /// It is rolled back.
  func forget() { pending = [] }
}
