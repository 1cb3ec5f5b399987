extension ListNode {
  /// Whether two trees have equal elements. Skips shared nodes.
  static func equal(_ a: NodeAddress, _ b: NodeAddress) -> Bool {
    guard total(a) == total(b) else { return false }
    return equalNodes(a, b) ?? forEachDifference(a, b) { _, _, _ in false }
  }

  /// Compares two trees whose nodes have the same sizes, as those of two versions of one list
  /// usually have. Returns nil if the sizes differ. It needs no cursors. O(nodes that are not
  /// shared).
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

  /// Calls `body` with the index and both elements (+0) where the two lists differ at the same
  /// index. Calls come in order from `start` to the end of the shorter list, until `body` returns
  /// false. Skips shared nodes.
  ///
  /// - Returns: False if `body` returned false.
  @discardableResult
  static func forEachDifference(
    _ a: NodeAddress, _ b: NodeAddress, from start: Int = 0,
    by isSame: (Slot, Slot) -> Bool = Slot.equal, _ body: (Int, Slot, Slot) -> Bool
  ) -> Bool {
    if a == b { return true }
    if start == 0, let index = onlyDifference(a, b) {
      // Most versions of a list differ in one element. To find it needs no cursors.
      let (x, y) = (element(a, index), element(b, index))
      return isSame(x, y) || body(index, x, y)
    }
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
      // Compares up to the end of the shorter leaf. A shared node cannot begin before that.
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

  /// The index of the only slot that differs between two trees that share all nodes except those on
  /// the path to that slot. Nil for any other two trees. O(log n).
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

  /// The number of equal elements at the start of both trees. O(log n) if one tree was made from
  /// the other by writes in a single leaf.
  static func commonPrefix(
    _ a: NodeAddress, _ b: NodeAddress, by isSame: (Slot, Slot) -> Bool
  ) -> Int {
    let limit = min(total(a), total(b))
    var prefix = min(sharedCount(a, b, fromEnd: false), limit)
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

  /// The number of equal elements at the end of both trees, at most `limit`. O(log n) if one tree
  /// was made from the other by writes in a single leaf.
  static func commonSuffix(
    _ a: NodeAddress, _ b: NodeAddress, limit: Int, by isSame: (Slot, Slot) -> Bool
  ) -> Int {
    let limit = min(limit, total(a), total(b))
    var suffix = min(sharedCount(a, b, fromEnd: true), limit)
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

  /// The number of elements at the start, or at the end, that are in shared nodes or, in the last
  /// leaf, identical slots. Descends both trees once. O(log n).
  @inline(__always)
  private static func sharedCount(_ a: NodeAddress, _ b: NodeAddress, fromEnd: Bool) -> Int {
    func index(_ node: NodeAddress, _ offset: Int) -> Int {
      fromEnd ? count(node) - 1 - offset : offset
    }
    var (left, right) = (a, b)
    while height(left) > height(right) { left = child(left, index(left, 0)) }
    while height(right) > height(left) { right = child(right, index(right, 0)) }
    var shared = 0
    while left != right {
      let most = min(count(left), count(right))
      var offset = 0
      if height(left) == 0 {
        while offset < most,
          slot(left, index(left, offset)).isIdentical(to: slot(right, index(right, offset)))
        {
          offset += 1
        }
        return shared + offset
      }
      while offset < most,
        child(left, index(left, offset)) == child(right, index(right, offset))
      {
        offset += 1
      }
      shared += fromEnd ? total(left) - start(left, count(left) - offset) : start(left, offset)
      guard offset < most else { return shared }
      (left, right) = (child(left, index(left, offset)), child(right, index(right, offset)))
    }
    return shared + total(left)
  }
}
