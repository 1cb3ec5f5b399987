/// A place between two elements of a list's tree, with the way down to it, so that two trees can be
/// walked side by side and whatever they share be stepped over.
struct ListCursor {
  private struct Step {
    var node: NodeAddress
    /// The child or slot that the cursor is before.
    var index: Int
  }

  /// From the root down to a leaf. Empty at the end.
  private var steps: [Step] = []
  private(set) var position = 0
  let count: Int
  private let root: NodeAddress
  private let height: Int

  /// Before the element at `position` of the tree (+0: the caller keeps it alive).
  init(_ root: NodeAddress, at position: Int = 0) {
    self.root = root
    count = ListNode.total(root)
    height = ListNode.height(root)
    steps.reserveCapacity(height + 1)
    seek(position)
  }

  var isAtEnd: Bool { position >= count }

  /// The element behind the cursor (+0).
  var element: Slot {
    let step = steps[steps.count - 1]
    return ListNode.slot(step.node, step.index)
  }

  /// The leaf, and the slot in it, that the cursor is before.
  var leaf: (node: NodeAddress, index: Int) {
    let step = steps[steps.count - 1]
    return (step.node, step.index)
  }

  /// How many levels up from the leaf have a node that starts at the cursor.
  private var levelsStartingHere: Int {
    var levels = 0
    for step in steps.reversed() {
      guard step.index == 0 else { break }
      levels += 1
    }
    return levels
  }

  /// Like ``levelsStartingHere`` for nodes that end at the cursor's element, it included.
  private var levelsEndingHere: Int {
    var levels = 0
    for step in steps.reversed() {
      guard step.index == ListNode.count(step.node) - 1 else { break }
      levels += 1
    }
    return levels
  }

  private func node(level: Int) -> NodeAddress { steps[steps.count - 1 - level].node }

  /// The number of elements in the largest node that starts at both cursors; 0 if there is none.
  func sharedRun(with other: ListCursor) -> Int {
    shared(other, levels: min(levelsStartingHere, other.levelsStartingHere))
  }

  /// The number of elements in the largest node that ends with both cursors' elements; 0 if there
  /// is none.
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

  /// Moves on by `distance` elements, O(levels that change).
  mutating func advance(by distance: Int) {
    let target = position + distance
    if let last = steps.last, last.index + distance < ListNode.count(last.node) {
      steps[steps.count - 1].index += distance
      position = target
    } else {
      seek(target)
    }
  }

  /// Moves back by `distance` elements; the cursor is at an element.
  mutating func retreat(by distance: Int) {
    let target = position - distance
    if let last = steps.last, last.index >= distance {
      steps[steps.count - 1].index -= distance
      position = target
    } else {
      seek(target)
    }
  }

  /// Goes to an element, or to the end. O(log n).
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

extension ListNode {
  /// Whether two trees hold equal elements. Steps over shared nodes.
  static func equal(_ a: NodeAddress, _ b: NodeAddress) -> Bool {
    guard total(a) == total(b) else { return false }
    return equalNodes(a, b) ?? forEachDifference(a, b) { _, _, _ in false }
  }

  /// Whether two trees are equal whose nodes have the same sizes, as those of two versions of a list mostly do; nil if
  /// they are divided differently. Needs no cursors: O(nodes that they do not share).
  private static func equalNodes(_ a: NodeAddress, _ b: NodeAddress) -> Bool? {
    if a == b { return true }
    let (height, count) = (height(a), count(a))
    guard height == self.height(b), count == self.count(b), total(a) == total(b) else { return nil }
    for index in 0..<count {
      if height == 0 {
        guard Slot.equal(slot(a, index), slot(b, index)) else { return false }
      } else {
        let isEqual = equalNodes(child(a, index), child(b, index))
        guard isEqual == true else { return isEqual }
      }
    }
    return true
  }

  /// Calls `body` with the index and both elements (+0) wherever the first elements of both lists
  /// differ, from `start` on and in order, until it returns false. Returns false if it did.
  @discardableResult
  static func forEachDifference(
    _ a: NodeAddress, _ b: NodeAddress, from start: Int = 0,
    by isSame: (Slot, Slot) -> Bool = Slot.equal, _ body: (Int, Slot, Slot) -> Bool
  ) -> Bool {
    if a == b { return true }
    var left = ListCursor(a, at: start)
    var right = ListCursor(b, at: start)
    let end = min(left.count, right.count)
    while left.position < end {
      let shared = left.sharedRun(with: right)
      if shared > 0 {
        left.advance(by: shared)
        right.advance(by: shared)
        continue
      }
      // To the end of the shorter leaf; only there can a shared node begin.
      let (leafA, indexA) = left.leaf
      let (leafB, indexB) = right.leaf
      let run = min(count(leafA) - indexA, count(leafB) - indexB, end - left.position)
      for offset in 0..<run {
        let x = slot(leafA, indexA + offset)
        let y = slot(leafB, indexB + offset)
        if !isSame(x, y), !body(left.position + offset, x, y) { return false }
      }
      left.advance(by: run)
      right.advance(by: run)
    }
    return true
  }
}

extension ListNode {
  /// The index of the only slot that differs between two trees which share all nodes but those on the way to it; nil for
  /// other trees. O(log n).
  static func onlyDifference(_ a: NodeAddress, _ b: NodeAddress) -> Int? {
    guard height(a) == height(b) else { return nil }
    var (left, right) = (a, b)
    var before = 0
    while count(left) == count(right), total(left) == total(right) {
      let isLeaf = height(left) == 0
      func differs(_ index: Int) -> Bool {
        isLeaf
          ? !slot(left, index).isIdentical(to: slot(right, index))
          : child(left, index) != child(right, index)
      }
      let indices = 0..<count(left)
      guard let index = indices.first(where: differs), indices.last(where: differs) == index else {
        return nil
      }
      if isLeaf { return before + index }
      before += start(left, index)
      (left, right) = (child(left, index), child(right, index))
    }
    return nil
  }
}

extension PersistentList {
  /// Calls `body` with the index, the old and the new element (+0 both) wherever this list and an
  /// older version differ at the same index, in order, until it returns false. Looks at the first
  /// `min(count, old.count)` elements; steps over whatever both share, so it costs O(changes × log n)
  /// where one list came from the other by `set`.
  package func forEachDifference(
    from old: PersistentList, _ body: (_ index: Int, _ old: Slot, _ new: Slot) -> Bool
  ) {
    guard let a = old.address, let b = address else { return }
    withExtendedLifetime((old.root, root)) { _ = ListNode.forEachDifference(a, b, body) }
  }

  /// How many elements at the start are equal in both lists. Steps over whatever both share.
  package func commonPrefix(with other: PersistentList) -> Int {
    guard let a = address, let b = other.address else { return 0 }
    return withExtendedLifetime((root, other.root)) { ListNode.commonPrefix(a, b) }
  }

  /// How many elements at the end, at most `limit`, are equal in both lists. Steps over whatever
  /// both share.
  package func commonSuffix(with other: PersistentList, limit: Int) -> Int {
    guard let a = address, let b = other.address, limit > 0 else { return 0 }
    return withExtendedLifetime((root, other.root)) { ListNode.commonSuffix(a, b, limit: limit) }
  }
}

extension ListNode {
  /// How many elements at the start are equal in both trees. O(log n) where one came from the other by
  /// writes to one place.
  static func commonPrefix(
    _ a: NodeAddress, _ b: NodeAddress, by isSame: (Slot, Slot) -> Bool = Slot.equal
  ) -> Int {
    let limit = min(total(a), total(b))
    var prefix = min(sharedPrefix(a, b), limit)
    guard prefix < limit, isSame(element(a, prefix), element(b, prefix)) else { return prefix }
    let start = prefix + 1
    prefix = limit
    guard start < limit else { return limit }
    forEachDifference(a, b, from: start, by: isSame) { index, _, _ in
      prefix = index
      return false
    }
    return prefix
  }

  /// How many elements at the end, at most `limit`, are equal in both trees; like ``commonPrefix(_:_:)``.
  static func commonSuffix(
    _ a: NodeAddress, _ b: NodeAddress, limit: Int,
    by isSame: (Slot, Slot) -> Bool = Slot.equal
  ) -> Int {
    let limit = min(limit, total(a), total(b))
    var suffix = min(sharedSuffix(a, b), limit)
    func isEqual() -> Bool {
      isSame(element(a, total(a) - 1 - suffix), element(b, total(b) - 1 - suffix))
    }
    guard suffix < limit, isEqual() else { return suffix }
    var left = ListCursor(a, at: total(a) - 1 - suffix)
    var right = ListCursor(b, at: total(b) - 1 - suffix)
    while suffix < limit {
      var step = left.sharedRunBackwards(with: right)
      if step == 0 {
        guard isSame(left.element, right.element) else { break }
        step = 1
      }
      suffix += step
      guard suffix < limit else { break }
      left.retreat(by: step)
      right.retreat(by: step)
    }
    return min(suffix, limit)
  }

  /// How many elements at the start are in nodes, and then slots, that are the same in both trees: one way
  /// down both.
  private static func sharedPrefix(_ a: NodeAddress, _ b: NodeAddress) -> Int {
    var (left, right) = (a, b)
    while height(left) > height(right) { left = child(left, 0) }
    while height(right) > height(left) { right = child(right, 0) }
    var shared = 0
    while left != right {
      let most = min(count(left), count(right))
      var index = 0
      if height(left) == 0 {
        while index < most, slot(left, index).isIdentical(to: slot(right, index)) { index += 1 }
        return shared + index
      }
      while index < most, child(left, index) == child(right, index) { index += 1 }
      shared += start(left, index)
      guard index < most else { return shared }
      (left, right) = (child(left, index), child(right, index))
    }
    return shared + total(left)
  }

  /// The same at the end.
  private static func sharedSuffix(_ a: NodeAddress, _ b: NodeAddress) -> Int {
    var (left, right) = (a, b)
    while height(left) > height(right) { left = child(left, count(left) - 1) }
    while height(right) > height(left) { right = child(right, count(right) - 1) }
    var shared = 0
    while left != right {
      let (lastLeft, lastRight) = (count(left) - 1, count(right) - 1)
      let most = min(lastLeft, lastRight) + 1
      var index = 0
      if height(left) == 0 {
        while index < most,
          slot(left, lastLeft - index).isIdentical(to: slot(right, lastRight - index))
        {
          index += 1
        }
        return shared + index
      }
      while index < most, child(left, lastLeft - index) == child(right, lastRight - index) {
        index += 1
      }
      shared += total(left) - start(left, lastLeft + 1 - index)
      guard index < most else { return shared }
      (left, right) = (child(left, lastLeft - index), child(right, lastRight - index))
    }
    return shared + total(left)
  }
}

extension ObjectTree {
  /// Equality of two dictionaries whose keys sit at the same positions, as they do when one came
  /// from the other by `set`; nil if that is not so.
  func equalByPosition(_ other: ObjectTree) -> Bool? {
    guard let a = dictionaryKeys, let b = other.dictionaryKeys, PersistentList.equal(a, b),
      let left = dictionaryValues, let right = other.dictionaryValues
    else { return nil }
    return PersistentList.equal(left, right)
  }
}
