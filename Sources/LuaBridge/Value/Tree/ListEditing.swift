/// Changing a list's tree. Every function makes the nodes on its way unique first, from the root
/// down, so that what it then changes in place is nobody else's.
extension ListNode {
  /// Replaces the element at `index` by an owned slot. The old one is returned owned (+1) if
  /// `keepsOld`; else it is released, and what is returned means nothing.
  @discardableResult
  static func set(
    _ place: UnsafeMutablePointer<NodeAddress>, _ index: Int, _ owned: Slot, keepsOld: Bool
  ) -> Slot {
    let depth = depth(taking: owned)
    var place = place
    var index = index
    while Node.isUnique(&place.pointee) {
      let node = place.pointee
      noteDepth(node, depth)
      let height = height(node)
      if height == 0 {
        let old = slot(node, index)
        store(node, index, owned)
        if !keepsOld { old.release() }
        return old
      }
      let position = childIndex(node, height: height, holding: index)
      index -= start(node, position)
      place = childPlace(node, position)
    }
    // From here down somebody else holds the old path, or lets go of it while we copy; our own
    // reference keeps it until the end.
    let shared = place.pointee
    let oldSlot = copyPath(of: shared, to: place, index, owned)
    if keepsOld { oldSlot.retain() }
    Node.release(shared)
    return oldSlot
  }

  /// A list (+1) like one that is shared (+0), with an owned slot at `index`.
  static func replacing(_ shared: NodeAddress, _ index: Int, by owned: Slot) -> NodeAddress {
    var copy = shared
    _ = copyPath(of: shared, to: &copy, index, owned)
    return copy
  }

  /// Copies the nodes (+0) on the way to `index`, puts an owned slot there, and returns the old one (+0).
  @inline(__always)
  private static func copyPath(
    of shared: NodeAddress, to place: UnsafeMutablePointer<NodeAddress>, _ index: Int, _ owned: Slot
  ) -> Slot {
    let depth = depth(taking: owned)
    var (old, target, index) = (shared, place, index)
    while true {
      let height = height(old)
      let position =
        height == 0 ? index : childIndex(old, height: height, holding: index)
      let copy = copy(old, except: position)
      noteDepth(copy, depth)
      target.pointee = copy
      if height == 0 {
        let oldSlot = slot(old, position)
        store(copy, position, owned)
        return oldSlot
      }
      index -= start(old, position)
      target = childPlace(copy, position)
      old = child(old, position)
    }
  }

  /// Inserts an owned slot before the element at `index`, or at the end. Returns the new sibling
  /// (+1) to the right of the node if it had to be split. `atEnd`: the place is the very end of the
  /// list, where a split leaves the old node full, as appending is what usually follows.
  static func insert(
    _ place: UnsafeMutablePointer<NodeAddress>, _ index: Int, _ owned: Slot, atEnd: Bool
  ) -> NodeAddress? {
    var node = makeUnique(place)
    if height(node) == 0 {
      let count = count(node)
      if count == leafWidth { return insertSplitting(node, index, owned, atEnd: atEnd) }
      if count == capacity(node) {
        node = moveLeaf(node, capacity: leafCapacity(for: count + 1))
        place.pointee = node
      }
      insertIntoLeaf(node, index, owned)
      return nil
    }
    noteDepth(node, depth(taking: owned))
    var position = count(node) - 1
    if !atEnd {
      position = 0
      while end(node, position) < index { position += 1 }
    }
    let split = insert(
      childPlace(node, position), index - start(node, position), owned, atEnd: atEnd)
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
    noteDepth(leaf, depth(taking: owned))
  }

  /// A leaf with the slots of a unique one, which ends.
  private static func moveLeaf(_ leaf: NodeAddress, capacity: Int) -> NodeAddress {
    let new = makeLeaf(capacity: capacity)
    let count = count(leaf)
    for index in 0..<count { push(new, slot(leaf, index)) }
    setCount(leaf, 0)
    Node.release(leaf)
    return new
  }

  private static func insertSplitting(
    _ leaf: NodeAddress, _ index: Int, _ owned: Slot, atEnd: Bool
  ) -> NodeAddress {
    if atEnd {
      let right = makeLeaf(capacity: leafWidth)
      push(right, owned)
      return right
    }
    let half = leafWidth / 2
    let right = makeLeaf(capacity: leafWidth)
    for position in half..<leafWidth { push(right, slot(leaf, position)) }
    setCount(leaf, half)
    setTotal(leaf, half)
    if index <= half {
      insertIntoLeaf(leaf, index, owned)
    } else {
      insertIntoLeaf(right, index - half, owned)
    }
    return right
  }

  /// Puts an owned child into a unique branch whose child before it has just been split.
  private static func insertChild(
    _ branch: NodeAddress, _ index: Int, _ owned: NodeAddress, atEnd: Bool
  ) -> NodeAddress? {
    let count = count(branch)
    guard count == branchWidth else {
      if index < count {
        let place = branch + wordsOffset + index * 8
        (place + 8).copyMemory(from: place, byteCount: (count - index) * 8)
      }
      setChild(branch, index, owned)
      setCount(branch, count + 1)
      noteDepth(branch, UInt8(truncatingIfNeeded: depth(of: owned)))
      updateTotals(branch, from: index - 1)
      return nil
    }
    let right = makeBranch(height: height(branch))
    if atEnd {
      updateTotals(branch, from: count - 1)
      push(right, child: owned)
      return right
    }
    let half = branchWidth / 2
    for position in half..<count { push(right, child: child(branch, position)) }
    setCount(branch, half)
    if index <= half {
      setTotal(branch, end(branch, half - 1))
      _ = insertChild(branch, index, owned, atEnd: false)
    } else {
      setTotal(branch, end(branch, half - 1))
      _ = insertChild(right, index - half, owned, atEnd: false)
    }
    return right
  }

  /// Takes out the element at `index`, which the caller owns now (+1). May leave a leaf or branch
  /// without elements, which the caller takes out of its parent.
  static func remove(_ place: UnsafeMutablePointer<NodeAddress>, _ index: Int) -> Slot {
    let node = makeUnique(place)
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
    let old = remove(childPlace(node, position), index - start(node, position))
    let shrunk = child(node, position)
    let left = ListNode.count(shrunk)
    let width = height == 1 ? leafWidth : branchWidth
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
      mergeChildren(node, first, width: width)
      updateTotals(node, from: first)
    } else {
      addToTotals(node, from: position, -1)
    }
    return old
  }

  /// Takes a child's address out of a unique branch; the reference is the caller's.
  private static func removeChild(_ branch: NodeAddress, _ position: Int) {
    let count = count(branch)
    let place = branch + wordsOffset + position * 8
    place.copyMemory(from: place + 8, byteCount: (count - position - 1) * 8)
    setCount(branch, count - 1)
  }

  /// Makes one child of two neighbours if they fit, else evens them out if one is nearly empty.
  private static func mergeChildren(_ branch: NodeAddress, _ first: Int, width: Int) {
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

  /// A node (+1) with a range of the slots or children of two, which it retains.
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
