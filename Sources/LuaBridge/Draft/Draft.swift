import ScriptValue

/// The mutable version of one container of the state while an action is reduced, and its position
/// in the tree of drafts. See ``DraftArena`` for the invariants.
package struct Draft {
  /// A list, object, dictionary or empty container. Newer values of its children are in their own
  /// drafts until ``DraftArena/synchronize(_:committing:allowingHoles:)`` stores them here.
  package var container: Slot
  /// True: the draft owns the container (+1). False: the container is borrowed (+0) from the state
  /// before the action, which outlives the drafts, and must not be changed in place.
  var isOwned: Bool
  /// The parent's index in the arena; -1 for the root, for a detached draft, and for one whose
  /// value was removed or overwritten.
  var parent: Int32 = -1
  /// The position in the parent's container (a 0-based list index, or an object's position), plus
  /// the parent's `base`.
  var offset: Int32 = 0
  /// The value of `offset` that means position 0 for the children of this draft. An insertion or
  /// removal near the start changes `base` and the `offset` of the few children before it, instead
  /// of the `offset` of all children behind it.
  var base: Int32 = 0
  /// First and number of the children; `next` and `previous` link a child with its siblings.
  var firstChild: Int32 = -1
  var childCount: Int32 = 0
  var next: Int32 = -1
  var previous: Int32 = -1
  /// The index of the newest ``Cursor`` that still has keys which were removed since; a call of `next`
  /// by the script itself continues from such keys. -1: no key was removed that it may know.
  var removalCursor: Int32 = -1
  /// The action has called `next` with this draft, not through `pairs`, whose loops have cursors.
  var isStepped = false
  /// The parent's container does not have this draft's value yet.
  var isUnsynchronized = false
  /// A descendant has `isUnsynchronized`.
  var isStaleBelow = false
  /// The action changed more than scalars that replace scalars: the keys, the elements, which
  /// containers are in this one, or the id of an element. Unlike `isUnsynchronized` and
  /// `isStaleBelow`, it stays set until the action ends.
  package var isReshaped = false
  /// A descendant has `isReshaped`.
  package var isReshapedBelow = false
  /// The children are also in the arena's `children`.
  var isIndexed = false
  /// A list that may have absent elements before its end.
  var mayHaveHoles = false
  /// False: the container is up to date and can be stored in its parent's container as it is.
  var needsSynchronizing: Bool { isStaleBelow || mayHaveHoles || container.tag == .dictionary }
  /// Which fields are shared, here or below; nil if none is. The store's description retains it.
  var sharedFields: Unmanaged<SharedFields>?
  /// Only while the parent's list is rearranged: this draft already has a position in the new list.
  var isMoving = false
}

/// The keys of an object from when a loop of `pairs` began, or from before a key was removed. They fix
/// the order in which `next` visits the keys.
struct Cursor {
  var keys: ObjectKeys
  /// The index of an older cursor of the same draft that has other removed keys; -1: none.
  var previous: Int32 = -1
  /// The number of loops that follow it and have not come to their end. A cursor for removed keys counts
  /// as one loop, so that it is kept until the action ends.
  var loops = 1

  /// Bytes that the arena counts.
  var size: Int { MemoryLayout<Cursor>.stride + keys.size }
}

/// The cursors of an action, and the numbers by which scripts know them.
struct Cursors {
  var all: [Cursor] = []
  /// The number of the first one. It grows with each action, so that a loop that an earlier action has left finds no cursor.
  private var firstNumber: Int64 = 0

  func number(at index: Int) -> Int64 { firstNumber + Int64(index) }

  /// The index of the cursor with a number; nil for that of an earlier action, and for -1.
  func index(of number: Int64) -> Int? {
    let index = Int(number - firstNumber)
    return all.indices.contains(index) ? index : nil
  }

  mutating func removeAll() {
    firstNumber += Int64(all.count)
    all.removeAll(keepingCapacity: true)
  }
}

/// The reason why a read or a write of state was refused. It becomes a Lua error at the script
/// line.
package struct DraftError: Error {
  package var message: String
}
