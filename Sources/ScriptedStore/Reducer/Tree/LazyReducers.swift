// Answers whether anything in a reducer tree settles (`ReducerNode.settle`). A reducer may contain
// itself through a function that stands for a child, and each call of that function compiles a new
// tree. The search therefore follows the functions, not the trees.
//
// 1. Each function of a script has one number in its VM. The first reducer that it makes stands for
//    all of its reducers.
// 2. The answers true and false are final. The answer is nil while a reachable function has not
//    made a reducer, or has no number.
// 3. `LazyReducers.version` counts up with each function that becomes known. An answer that was nil
//    stays nil until the version changes.

/// What a reducer tree contains that matters for settling, without what is behind functions.
struct SettlingFacts {
  /// Whether a node in the tree settles.
  var settles = false
  /// Whether the tree has a lazy child without a function number, as Swift's `lazy` makes. Nothing
  /// can be known of that child.
  var hasUnknownChild = false
  /// The numbers of the scripts' functions that make children in the tree.
  var functions: [LazyReducers.Number] = []
}

/// The functions in the scripts of one VM that stand for reducers, and what is known about settling
/// in the reducers that they make.
final class LazyReducers {
  typealias Number = Int

  /// Whether a script's `get` function computes the state of some child. Whether an action has
  /// changed that state cannot be seen from what it wrote.
  var hasComputedStates = false
  /// What the first reducer of each function contains.
  private var made: [Number: SettlingFacts] = [:]
  /// Functions whose reducers do not settle, including all reducers that they can reach.
  private var notSettling: Set<Number> = []
  /// Counts up with each entry in ``made``.
  private(set) var version = 0

  /// Records a reducer that a function has made. Only the first one of each function counts.
  func record(_ root: ReducerNode, madeBy number: Number) {
    guard made[number] == nil else { return }
    var settling = SettlingFacts()
    root.add(to: &settling)
    made[number] = settling
    version += 1
  }

  /// Whether a tree settles; nil while that is unknown.
  func settles(_ settling: SettlingFacts) -> Bool? {
    if settling.settles { return true }
    if settling.hasUnknownChild { return nil }
    var seen: Set<Number> = []
    var next = settling.functions
    while let number = next.popLast() {
      if notSettling.contains(number) || !seen.insert(number).inserted { continue }
      guard let inner = made[number], !inner.hasUnknownChild || inner.settles else { return nil }
      if inner.settles { return true }
      next += inner.functions
    }
    notSettling.formUnion(seen)
    return false
  }
}
