/// Functions that change a list's tree. `reference` is the memory that stores the reference to the
/// root of a tree or subtree. Each function first makes the nodes on its path unique, from the root
/// down. Then it changes only nodes that are not shared.
extension ListNode {
  /// Replaces the element at `index` by an owned slot (+1).
  ///
  /// - Returns: The old slot, owned (+1) if `returnsOld`. Otherwise the old slot is released, and
  ///   the result must not be used.
  @discardableResult
  @usableFromInline
  static func set(
    _ reference: UnsafeMutablePointer<NodeAddress>, _ index: Int, _ owned: Slot, returnsOld: Bool,
    _ copied: CopiedBytes?
  ) -> Slot {
    let depth = depth(taking: owned)
    var reference = reference
    var index = index
    while Node.isUnique(&reference.pointee) {
      let node = reference.pointee
      raiseDepth(node, depth)
      let height = height(node)
      if height == 0 {
        let old = slot(node, index)
        store(node, index, owned)
        if !returnsOld { old.release() }
        return old
      }
      let position = childIndex(node, height: height, holding: index)
      index -= start(node, position)
      reference = childReference(node, position)
    }
    // Another holder shares the nodes from here down, and may release them while this function
    // copies. `shared` is this tree's own reference, which keeps them alive until the end.
    let shared = reference.pointee
    let oldSlot = copyPath(of: shared, to: reference, index, owned, copied)
    if returnsOld { oldSlot.retain() }
    Node.release(shared)
    return oldSlot
  }

  /// Returns a list (+1) with the elements of a shared one (+0), but with an owned slot (+1) at
  /// `index`.
  package static func replacing(
    _ shared: NodeAddress, _ index: Int, by owned: Slot, _ copied: CopiedBytes? = nil
  ) -> NodeAddress {
    var copy = shared
    _ = copyPath(of: shared, to: &copy, index, owned, copied)
    return copy
  }

  /// Copies the nodes (+0) on the path to `index`, stores the owned slot (+1) there, and returns
  /// the old slot (+0).
  @inline(__always)
  private static func copyPath(
    of shared: NodeAddress, to reference: UnsafeMutablePointer<NodeAddress>, _ index: Int,
    _ owned: Slot, _ copied: CopiedBytes?
  ) -> Slot {
    let depth = depth(taking: owned)
    var (old, target, index) = (shared, reference, index)
    while true {
      let height = height(old)
      let position =
        height == 0 ? index : childIndex(old, height: height, holding: index)
      let copy = copy(old, except: position, copied)
      raiseDepth(copy, depth)
      target.pointee = copy
      if height == 0 {
        let oldSlot = slot(old, position)
        store(copy, position, owned)
        return oldSlot
      }
      index -= start(old, position)
      target = childReference(copy, position)
      old = child(old, position)
    }
  }

  /// Inserts an owned slot (+1) before the element at `index`, or at the end.
  ///
  /// - Parameter atEnd: Whether `index` is the end of the whole list. A split then leaves the old
  ///   node full, because more elements are usually appended.
  /// - Returns: The new right sibling (+1) of the node if it had to be split.
  static func insert(
    _ reference: UnsafeMutablePointer<NodeAddress>, _ index: Int, _ owned: Slot, atEnd: Bool,
    _ copied: CopiedBytes?
  ) -> NodeAddress? {
    var node = makeUnique(reference, copied)
    if height(node) == 0 {
      let count = count(node)
      if count == width { return insertSplitting(node, index, owned, atEnd: atEnd) }
      if count == capacity(node) {
        node = moveLeaf(node, capacity: leafCapacity(for: count + 1))
        reference.pointee = node
      }
      insertIntoLeaf(node, index, owned)
      return nil
    }
    raiseDepth(node, depth(taking: owned))
    var position = count(node) - 1
    if !atEnd {
      position = 0
      while end(node, position) < index { position += 1 }
    }
    let split = insert(
      childReference(node, position), index - start(node, position), owned, atEnd: atEnd, copied)
    guard let split else {
      addToTotals(node, from: position, 1)
      return nil
    }
    return insertChild(node, position + 1, split, atEnd: atEnd)
  }

  private static func insertIntoLeaf(_ leaf: NodeAddress, _ index: Int, _ owned: Slot) {
    let count = count(leaf)
    if index < count {
      let tag = leaf + tagsOffset + index
      (tag + 1).copyMemory(from: tag, byteCount: count - index)
      let word = leaf + wordsOffset + index * 8
      (word + 8).copyMemory(from: word, byteCount: (count - index) * 8)
    }
    store(leaf, index, owned)
    setCount(leaf, count + 1)
    setTotal(leaf, count + 1)
    raiseDepth(leaf, depth(taking: owned))
  }

  /// Moves the slots of a unique leaf to a new leaf (+1) and releases the old one.
  private static func moveLeaf(_ leaf: NodeAddress, capacity: Int) -> NodeAddress {
    let new = makeLeaf(capacity: capacity)
    let count = count(leaf)
    for index in 0..<count { push(new, slot(leaf, index)) }
    setCount(leaf, 0)
    Node.release(leaf)
    return new
  }

  /// Splits a full leaf and inserts an owned slot (+1). Returns the new right sibling (+1).
  private static func insertSplitting(
    _ leaf: NodeAddress, _ index: Int, _ owned: Slot, atEnd: Bool
  ) -> NodeAddress {
    if atEnd {
      let right = makeLeaf(capacity: width)
      push(right, owned)
      return right
    }
    let half = width / 2
    let right = makeLeaf(capacity: width)
    for position in half..<width { push(right, slot(leaf, position)) }
    setCount(leaf, half)
    setTotal(leaf, half)
    if index <= half {
      insertIntoLeaf(leaf, index, owned)
    } else {
      insertIntoLeaf(right, index - half, owned)
    }
    return right
  }

  /// Inserts an owned child (+1) into a unique branch, after the child that was just split. Returns
  /// the new right sibling (+1) of the branch if it had to be split.
  private static func insertChild(
    _ branch: NodeAddress, _ index: Int, _ owned: NodeAddress, atEnd: Bool
  ) -> NodeAddress? {
    let count = count(branch)
    guard count == width else {
      if index < count {
        let word = branch + wordsOffset + index * 8
        (word + 8).copyMemory(from: word, byteCount: (count - index) * 8)
      }
      setChild(branch, index, owned)
      setCount(branch, count + 1)
      raiseDepth(branch, UInt8(truncatingIfNeeded: depth(of: owned)))
      updateTotals(branch, from: index - 1)
      return nil
    }
    let right = makeBranch(height: height(branch))
    if atEnd {
      updateTotals(branch, from: count - 1)
      push(right, child: owned)
      return right
    }
    let half = width / 2
    for position in half..<count { push(right, child: child(branch, position)) }
    setCount(branch, half)
    setTotal(branch, end(branch, half - 1))
    if index <= half {
      _ = insertChild(branch, index, owned, atEnd: false)
    } else {
      _ = insertChild(right, index - half, owned, atEnd: false)
    }
    return right
  }

  /// Removes the element at `index` and returns it (+1). It may leave the node without slots or
  /// children; the caller then removes the node from its parent.
  static func remove(
    _ reference: UnsafeMutablePointer<NodeAddress>, _ index: Int, _ copied: CopiedBytes?
  ) -> Slot {
    let node = makeUnique(reference, copied)
    let count = count(node)
    let height = height(node)
    if height == 0 {
      let old = slot(node, index)
      let tag = node + tagsOffset + index
      tag.copyMemory(from: tag + 1, byteCount: count - index - 1)
      let word = node + wordsOffset + index * 8
      word.copyMemory(from: word + 8, byteCount: (count - index - 1) * 8)
      setCount(node, count - 1)
      setTotal(node, count - 1)
      return old
    }
    let position = childIndex(node, height: height, holding: index)
    let old = remove(childReference(node, position), index - start(node, position), copied)
    let shrunk = child(node, position)
    let left = ListNode.count(shrunk)
    if left == 0 {
      removeChild(node, position)
      Node.release(shrunk)
      if ListNode.count(node) > 0 {
        updateTotals(node, from: max(0, position - 1))
      } else {
        setTotal(node, 0)
      }
    } else if left < width / 2 && count > 1 {
      let first = position + 1 < count ? position : position - 1
      mergeChildren(node, first)
      updateTotals(node, from: first)
    } else {
      addToTotals(node, from: position, -1)
    }
    return old
  }

  /// Removes a child's address from a unique branch. The caller takes over the reference (+1).
  private static func removeChild(_ branch: NodeAddress, _ position: Int) {
    let count = count(branch)
    let word = branch + wordsOffset + position * 8
    word.copyMemory(from: word + 8, byteCount: (count - position - 1) * 8)
    setCount(branch, count - 1)
  }

  /// Merges two neighbouring children if they fit into one node. Otherwise distributes their
  /// contents evenly if one of them is nearly empty.
  private static func mergeChildren(_ branch: NodeAddress, _ first: Int) {
    let a = child(branch, first)
    let b = child(branch, first + 1)
    let sum = count(a) + count(b)
    if sum <= width {
      let merged = concatenation(a, b, 0..<sum)
      setChild(branch, first, merged)
      removeChild(branch, first + 1)
    } else if min(count(a), count(b)) < width / 4 {
      setChild(branch, first, concatenation(a, b, 0..<(sum / 2)))
      setChild(branch, first + 1, concatenation(a, b, (sum / 2)..<sum))
    } else {
      return
    }
    Node.release(a)
    Node.release(b)
  }

  /// Returns a node (+1) with a range of the slots or children of two nodes, which it retains.
  private static func concatenation(
    _ a: NodeAddress, _ b: NodeAddress, _ range: Range<Int>
  ) -> NodeAddress {
    let split = count(a)
    if height(a) == 0 {
      let leaf = makeLeaf(capacity: leafCapacity(for: range.count))
      for index in range {
        let slot = index < split ? slot(a, index) : slot(b, index - split)
        push(leaf, slot.retained())
      }
      return leaf
    }
    let branch = makeBranch(height: height(a))
    for index in range {
      let child = index < split ? child(a, index) : child(b, index - split)
      Node.retain(child)
      push(branch, child: child)
    }
    return branch
  }
}
