/// Finds out whether anything in a tree settles, of reducers that contain themselves too: each time that a script's
/// function is asked for a reducer there is a new tree, but it is of the same functions.
struct Settling {
  /// Something does.
  var doesSo = false
  /// There are children of which nobody can know.
  var isOpen = false
  /// The scripts' functions that children are made by.
  var functions: [LazyReducers.Number] = []
}

/// What is known of the functions of scripts that stand for reducers, in one VM.
final class LazyReducers {
  typealias Number = Int

  /// Some child's state is what a script's function makes of its parent's: of what an action wrote nobody knows whether
  /// that depends on it.
  var hasFunctions = false
  private var made: [Number: Settling] = [:]
  /// Of which nothing settles.
  private var known: Set<Number> = []
  /// Counts up with what is known.
  private(set) var version = 0

  /// The function has made a reducer, as it does each time that it is called.
  func note(_ root: ReducerNode, madeBy number: Number) {
    guard made[number] == nil else { return }
    var settling = Settling()
    root.add(to: &settling)
    made[number] = settling
    version += 1
  }

  /// Whether a tree settles; nil as long as that is not known.
  func settles(_ settling: Settling) -> Bool? {
    if settling.doesSo { return true }
    if settling.isOpen { return nil }
    var seen: Set<Number> = []
    var next = settling.functions
    while let number = next.popLast() {
      if known.contains(number) || !seen.insert(number).inserted { continue }
      guard let inner = made[number], !inner.isOpen || inner.doesSo else { return nil }
      if inner.doesSo { return true }
      next += inner.functions
    }
    known.formUnion(seen)
    return false
  }
}
