/// A position before an element of a list's tree, with the path of nodes to it. Two trees can be
/// walked in parallel with two cursors, and the nodes that both share can be skipped.
///
/// The cursor borrows its tree (+0): the caller keeps it alive.
struct ListCursor {
  private struct Step {
    var node: NodeAddress
    /// The child or slot that the cursor is in front of.
    var index: Int
  }

  /// The path from the root to a leaf. Empty at the end of the list.
  private var steps: [Step] = []
  private(set) var position = 0
  let count: Int
  private let root: NodeAddress
  private let height: Int

  /// Creates a cursor before the element at `position`.
  init(_ root: NodeAddress, at position: Int = 0) {
    self.root = root
    count = ListNode.total(root)
    height = ListNode.height(root)
    steps.reserveCapacity(height + 1)
    seek(position)
  }

  var isAtEnd: Bool { position >= count }

  /// The element after the cursor (+0). The cursor must not be at the end.
  var element: Slot {
    let step = steps[steps.count - 1]
    return ListNode.slot(step.node, step.index)
  }

  /// The elements (+0) from here up to the position `end`.
  func elements(upTo end: Int) -> [Slot] {
    var cursor = self
    var elements: [Slot] = []
    elements.reserveCapacity(max(end - position, 0))
    while cursor.position < end {
      elements.append(cursor.element)
      cursor.advance(by: 1)
    }
    return elements
  }

  /// The leaf that contains the element after the cursor, and the element's index in the leaf.
  var leaf: (node: NodeAddress, index: Int) {
    let step = steps[steps.count - 1]
    return (step.node, step.index)
  }

  /// How many nodes of the path, counted from the leaf up, start at the cursor.
  private var levelsStartingHere: Int { levels { $0.index == 0 } }

  /// How many nodes of the path, counted from the leaf up, end with the element after the cursor.
  private var levelsEndingHere: Int { levels { $0.index == ListNode.count($0.node) - 1 } }

  @inline(__always)
  private func levels(while isAtEdge: (Step) -> Bool) -> Int {
    var levels = 0
    for step in steps.reversed() {
      guard isAtEdge(step) else { break }
      levels += 1
    }
    return levels
  }

  /// The node that is `level` levels above the leaf.
  private func node(level: Int) -> NodeAddress { steps[steps.count - 1 - level].node }

  /// The number of elements in the largest shared node that starts at both cursors, or 0 if there
  /// is none.
  func sharedRun(with other: ListCursor) -> Int {
    shared(other, levels: min(levelsStartingHere, other.levelsStartingHere))
  }

  /// The number of elements in the largest shared node that ends with the elements after both
  /// cursors, or 0 if there is none.
  func sharedRunBackwards(with other: ListCursor) -> Int {
    shared(other, levels: min(levelsEndingHere, other.levelsEndingHere))
  }

  private func shared(_ other: ListCursor, levels: Int) -> Int {
    for level in stride(from: levels - 1, through: 0, by: -1)
    where node(level: level) == other.node(level: level) {
      return ListNode.total(node(level: level))
    }
    return 0
  }

  /// Moves forward by `distance` elements. O(1) inside a leaf, otherwise O(log n).
  mutating func advance(by distance: Int) {
    let target = position + distance
    if let last = steps.last, last.index + distance < ListNode.count(last.node) {
      steps[steps.count - 1].index += distance
      position = target
    } else {
      seek(target)
    }
  }

  /// Moves back by `distance` elements. The cursor must not be at the end. O(1) inside a leaf,
  /// otherwise O(log n).
  mutating func retreat(by distance: Int) {
    let target = position - distance
    if let last = steps.last, last.index >= distance {
      steps[steps.count - 1].index -= distance
      position = target
    } else {
      seek(target)
    }
  }

  /// Moves to an element, or to the end. O(log n).
  mutating func seek(_ target: Int) {
    position = target
    steps.removeAll(keepingCapacity: true)
    guard target >= 0 && target < count else { return }
    var node = root
    var index = target
    var level = height
    while level > 0 {
      let child = ListNode.childIndex(node, height: level, holding: index)
      steps.append(Step(node: node, index: child))
      index -= ListNode.start(node, child)
      node = ListNode.child(node, child)
      level -= 1
    }
    steps.append(Step(node: node, index: index))
  }
}

/// Two versions of a list that are walked in parallel from one difference to the next. A shared node
/// that starts at both cursors is skipped, even if its indices in the two lists differ.
///
/// It borrows both lists (+0): the caller keeps them alive.
struct ListWalk {
  private(set) var left: ListCursor
  private(set) var right: ListCursor
  private let oldEnd: Int
  private let newEnd: Int

  init(
    _ old: NodeAddress, _ removed: Range<Int>, _ new: NodeAddress, _ added: Range<Int>
  ) {
    left = ListCursor(old, at: removed.lowerBound)
    right = ListCursor(new, at: added.lowerBound)
    oldEnd = removed.upperBound
    newEnd = added.upperBound
  }

  /// Moves both cursors to the next two elements that differ. False at the end of one of the ranges.
  mutating func findDifference(by isSame: (Slot, Slot) -> Bool) -> Bool {
    while left.position < oldEnd, right.position < newEnd {
      let shared = min(left.sharedRun(with: right), rest.removed, rest.added)
      if shared == 0, !isSame(left.element, right.element) { return true }
      advance(max(shared, 1), max(shared, 1))
    }
    return false
  }

  mutating func advance(_ removed: Int, _ added: Int) {
    left.advance(by: removed)
    right.advance(by: added)
  }

  /// The next elements (+0) of both ranges, at most so many of each.
  func ahead(_ length: Int = .max) -> (before: [Slot], after: [Slot]) {
    (
      left.elements(upTo: left.position + min(length, rest.removed)),
      right.elements(upTo: right.position + min(length, rest.added))
    )
  }

  /// How many elements are left in both ranges.
  var rest: (removed: Int, added: Int) { (oldEnd - left.position, newEnd - right.position) }
}
