/// A node of a ``PersistentList``: a leaf (height 0) with up to 8 slots, or a branch with up to 8
/// children.
///
/// | offset | bytes | |
/// | --- | --- | --- |
/// | 16 | 1 | height |
/// | 17 | 1 | count of slots or children |
/// | 18 | 1 | depth, an upper bound |
/// | 19 | 1 | capacity |
/// | 20 | 4 | total of elements in all leaves below |
/// | 24 | 8 | a leaf's tags |
/// | 32 | 8 × capacity | a leaf's words or a branch's children; references are retained (+1) |
/// | then | 4 × capacity | a branch's running totals |
///
/// Invariants:
/// 1. The children of a branch have the branch's height minus one.
/// 2. A branch's running total at an index is the number of elements in the children up to and
///    including that index. The last one is the node's total.
///    The total of a leaf is its count.
/// 3. A node has at most `capacity` slots or children, and `capacity` is at most 8. A node may have
///    fewer, but not none; only an editing function may leave one without any, until its caller
///    removes it. A subtree of height h has at most 8^(h + 1) elements.
/// 4. The depth of a node is at least that of each child of a branch, and more than that of each
///    slot of a leaf; but at most 255.
/// 5. Only the holder of the only reference changes a node in place. Two threads that share a node
///    therefore never see it change.
///
/// ``PersistentList/checkInvariants()`` checks 1 to 4.
///
/// The width is 8 because copying a path retains each sibling on it, and that dominates the cost of
/// a write while an old version is held. With 16-wide branches such a write took 12 % longer, and a
/// read saved 5 ns of 25.
@usableFromInline
package final class ListNode: ManagedBuffer<ListNode.Header, UInt64> {
  @usableFromInline
  package struct Header {
    @usableFromInline var counts: UInt64
    @usableFromInline var tags: UInt64

    @inlinable @inline(__always)
    init(counts: UInt64, tags: UInt64) {
      self.counts = counts
      self.tags = tags
    }
  }

  /// The binary logarithm of a node's width.
  @inlinable @inline(__always) static var widthBits: Int { 3 }
  @inlinable @inline(__always) static var width: Int { 1 << widthBits }

  @inlinable @inline(__always) static var countOffset: Int { 17 }
  @inlinable @inline(__always) static var depthOffset: Int { 18 }
  @inlinable @inline(__always) static var totalOffset: Int { 20 }
  @inlinable @inline(__always) static var tagsOffset: Int { 24 }
  @inlinable @inline(__always) static var wordsOffset: Int { 32 }

  deinit {
    let address = Unmanaged.passUnretained(self).toOpaque()
    let count = ListNode.count(address)
    if ListNode.height(address) == 0 {
      for index in 0..<count { ListNode.slot(address, index).release() }
    } else {
      for index in 0..<count { Node.release(ListNode.child(address, index)) }
    }
  }

  // MARK: Fields

  @inlinable @inline(__always)
  static func height(_ address: NodeAddress) -> Int { Int((address + 16).load(as: UInt8.self)) }

  /// The number of slots of a leaf, or of children of a branch.
  @inlinable @inline(__always)
  static func count(_ address: NodeAddress) -> Int {
    Int((address + countOffset).load(as: UInt8.self))
  }

  @inlinable @inline(__always)
  static func setCount(_ address: NodeAddress, _ count: Int) {
    (address + countOffset).storeBytes(of: UInt8(truncatingIfNeeded: count), as: UInt8.self)
  }

  @inlinable @inline(__always)
  static func depth(of address: NodeAddress) -> Int {
    Int((address + depthOffset).load(as: UInt8.self))
  }

  @inlinable @inline(__always)
  static func capacity(_ address: NodeAddress) -> Int {
    Int((address + 19).load(as: UInt8.self))
  }

  /// The number of elements in all leaves below.
  @inlinable @inline(__always)
  package static func total(_ address: NodeAddress) -> Int {
    Int((address + totalOffset).load(as: UInt32.self))
  }

  @inlinable @inline(__always)
  static func setTotal(_ address: NodeAddress, _ total: Int) {
    (address + totalOffset).storeBytes(of: UInt32(truncatingIfNeeded: total), as: UInt32.self)
  }

  /// A leaf's slot (+0).
  @inlinable @inline(__always)
  static func slot(_ leaf: NodeAddress, _ index: Int) -> Slot {
    Slot(
      tag: (leaf + tagsOffset + index).load(as: Tag.self),
      bits: (leaf + wordsOffset + index * 8).load(as: UInt64.self))
  }

  /// Overwrites a leaf's slot with an owned one (+1). The caller must release the old slot.
  @inlinable @inline(__always)
  static func store(_ leaf: NodeAddress, _ index: Int, _ owned: Slot) {
    (leaf + tagsOffset + index).storeBytes(of: owned.tag, as: Tag.self)
    (leaf + wordsOffset + index * 8).storeBytes(of: owned.bits, as: UInt64.self)
  }

  /// A branch's child (+0).
  @inlinable @inline(__always)
  static func child(_ branch: NodeAddress, _ index: Int) -> NodeAddress {
    (branch + wordsOffset + index * 8).load(as: NodeAddress.self)
  }

  @inlinable @inline(__always)
  static func setChild(_ branch: NodeAddress, _ index: Int, _ owned: NodeAddress) {
    (branch + wordsOffset + index * 8).storeBytes(of: owned, as: NodeAddress.self)
  }

  /// The memory that stores a child's address, so that the caller can check its uniqueness and
  /// replace it.
  @inline(__always)
  static func childReference(_ branch: NodeAddress, _ index: Int) -> UnsafeMutablePointer<
    NodeAddress
  > {
    (branch + wordsOffset + index * 8).assumingMemoryBound(to: NodeAddress.self)
  }

  @inlinable @inline(__always)
  static func runningTotals(_ branch: NodeAddress) -> UnsafeMutablePointer<UInt32> {
    (branch + wordsOffset + capacity(branch) * 8).assumingMemoryBound(to: UInt32.self)
  }

  /// The number of elements in the children up to and including the one at `index`.
  @inlinable @inline(__always)
  static func end(_ branch: NodeAddress, _ index: Int) -> Int { Int(runningTotals(branch)[index]) }

  /// The number of elements in the children before the one at `index`.
  @inlinable @inline(__always)
  static func start(_ branch: NodeAddress, _ index: Int) -> Int {
    index == 0 ? 0 : end(branch, index - 1)
  }

  /// Raises the node's depth to `depth` if that is greater.
  @inlinable @inline(__always)
  static func raiseDepth(_ address: NodeAddress, _ depth: UInt8) {
    if (address + depthOffset).load(as: UInt8.self) < depth {
      (address + depthOffset).storeBytes(of: depth, as: UInt8.self)
    }
  }

  /// The depth of a leaf that contains `slot`, for ``raiseDepth(_:_:)``.
  @inlinable @inline(__always)
  static func depth(taking slot: Slot) -> UInt8 { Node.depth(1, taking: slot) }

  /// Recomputes a branch's running totals from the child at `first` on.
  static func updateTotals(_ branch: NodeAddress, from first: Int) {
    let totals = runningTotals(branch)
    var sum = start(branch, first)
    for index in first..<count(branch) {
      sum += total(child(branch, index))
      totals[index] = UInt32(truncatingIfNeeded: sum)
    }
    setTotal(branch, sum)
  }

  /// Adds `difference` to a branch's running totals from the child at `first` on.
  @inline(__always)
  static func addToTotals(_ branch: NodeAddress, from first: Int, _ difference: Int) {
    let totals = runningTotals(branch)
    let word = UInt32(truncatingIfNeeded: difference)
    for index in first..<count(branch) { totals[index] = totals[index] &+ word }
    setTotal(branch, total(branch) + difference)
  }

  // MARK: Making

  /// Returns an empty leaf (+1), which the caller fills.
  @inlinable @inline(__always)
  static func makeLeaf(capacity: Int) -> NodeAddress {
    let node = ListNode.create(minimumCapacity: capacity) { _ in
      Header(counts: UInt64(capacity) << 24 | 1 << 16, tags: 0)
    }
    return Unmanaged.passRetained(node).toOpaque()
  }

  /// Returns an empty branch (+1), which the caller fills.
  @inlinable @inline(__always)
  static func makeBranch(height: Int) -> NodeAddress {
    let capacity = width
    let node = ListNode.create(minimumCapacity: capacity + capacity / 2) { _ in
      Header(counts: UInt64(capacity) << 24 | 1 << 16 | UInt64(height), tags: 0)
    }
    return Unmanaged.passRetained(node).toOpaque()
  }

  @inline(__always)
  static func leafCapacity(for count: Int) -> Int {
    count <= 2 ? count : count <= 4 ? 4 : width
  }

  /// Appends an owned slot (+1). The leaf must be unique and have room.
  @inlinable @inline(__always)
  static func push(_ leaf: NodeAddress, _ owned: Slot) {
    let count = count(leaf)
    assert(count < capacity(leaf), "invariant 3: a leaf has no more slots than its capacity")
    store(leaf, count, owned)
    setCount(leaf, count + 1)
    setTotal(leaf, count + 1)
    raiseDepth(leaf, depth(taking: owned))
  }

  /// Appends an owned child (+1). The branch must be unique and have room.
  @inlinable @inline(__always)
  static func push(_ branch: NodeAddress, child owned: NodeAddress) {
    let count = count(branch)
    assert(count < width, "invariant 3: a branch has no more children than its capacity")
    assert(height(owned) == height(branch) - 1, "invariant 1: a child is one lower than its branch")
    let sum = start(branch, count) + total(owned)
    setChild(branch, count, owned)
    runningTotals(branch)[count] = UInt32(truncatingIfNeeded: sum)
    setCount(branch, count + 1)
    setTotal(branch, sum)
    raiseDepth(branch, UInt8(truncatingIfNeeded: depth(of: owned)))
  }

  /// Builds full levels of branches over `nodes`, which are owned (+1 each) and of one height.
  /// Returns the root (+1), or nil if `nodes` is empty.
  static func makeTree(over nodes: inout [NodeAddress]) -> NodeAddress? {
    guard !nodes.isEmpty else { return nil }
    while nodes.count > 1 {
      let height = height(nodes[0]) + 1
      var parents = 0
      var index = 0
      while index < nodes.count {
        let branch = makeBranch(height: height)
        let limit = min(index + width, nodes.count)
        while index < limit {
          push(branch, child: nodes[index])
          index += 1
        }
        nodes[parents] = branch
        parents += 1
      }
      nodes.removeSubrange(parents...)
    }
    return nodes.removeLast()
  }

  /// The bytes of a leaf with this capacity, and of a branch.
  static func size(ofLeaf capacity: Int) -> Int { Node.header + wordsOffset + capacity * 8 }
  static var branchSize: Int { Node.header + wordsOffset + width * 12 }

  /// Returns a copy (+1) of the node that shares its slots or children. The copy does not retain
  /// the slot or child at `exception`, which the caller must replace at once. Adds its bytes to `copied`.
  @usableFromInline
  static func copy(
    _ address: NodeAddress, except exception: Int = -1, _ copied: CopiedBytes? = nil
  ) -> NodeAddress {
    let count = count(address)
    let copy: NodeAddress
    if height(address) == 0 {
      copy = makeLeaf(capacity: leafCapacity(for: count))
      copied?.pointee += size(ofLeaf: capacity(copy))
      (copy + tagsOffset).copyMemory(from: address + tagsOffset, byteCount: 8)
      for index in 0..<count where index != exception { slot(address, index).retain() }
    } else {
      copy = makeBranch(height: height(address))
      copied?.pointee += branchSize
      runningTotals(copy).update(from: runningTotals(address), count: count)
      for index in 0..<count where index != exception { Node.retain(child(address, index)) }
    }
    copyHeader(from: address, to: copy)
    // There are at most eight words. An inline loop is faster than a call of `memcpy`.
    for offset in stride(from: wordsOffset, to: wordsOffset + count * 8, by: 8) {
      (copy + offset).storeBytes(of: (address + offset).load(as: UInt64.self), as: UInt64.self)
    }
    return copy
  }

  /// Copies count, depth and total, but not the capacity, which may differ.
  @inline(__always)
  private static func copyHeader(from source: NodeAddress, to target: NodeAddress) {
    (target + countOffset).copyMemory(from: source + countOffset, byteCount: 2)
    (target + totalOffset).copyMemory(from: source + totalOffset, byteCount: 4)
  }

  /// Ensures that the reference stored at `reference` is the only one to its node. Replaces the
  /// node by a copy if necessary. Returns the node.
  @inline(__always)
  @discardableResult
  static func makeUnique(
    _ reference: UnsafeMutablePointer<NodeAddress>, _ copied: CopiedBytes?
  ) -> NodeAddress {
    if Node.isUnique(&reference.pointee) { return reference.pointee }
    let old = reference.pointee
    let new = copy(old, copied)
    reference.pointee = new
    Node.release(old)
    return new
  }

  // MARK: Reading

  /// The index of the child that contains the element at `index`.
  @inlinable @inline(__always)
  static func childIndex(_ branch: NodeAddress, height: Int, holding index: Int) -> Int {
    // By invariant 3 the child cannot come before this guess. In a dense tree, which most are, the
    // guess is correct.
    var guess = index >> (widthBits * height)
    let totals = runningTotals(branch)
    while Int(totals[guess]) <= index { guess += 1 }
    return guess
  }

  /// The element at `index` (+0). O(log n).
  @inlinable @inline(__always)
  package static func element(_ root: NodeAddress, _ index: Int) -> Slot {
    var node = root
    var index = index
    var height = height(root)
    while height > 0 {
      let position = childIndex(node, height: height, holding: index)
      index -= start(node, position)
      node = child(node, position)
      height -= 1
    }
    return slot(node, index)
  }

  /// Calls `body` with each element (+0) in order.
  @inlinable @inline(__always)
  package static func visit(_ root: NodeAddress, _ body: (Slot) -> Void) {
    visitLeaves(root) { leaf in
      for index in 0..<count(leaf) { body(slot(leaf, index)) }
    }
  }

  /// Calls `body` with each leaf in order.
  @inlinable
  static func visitLeaves(_ node: NodeAddress, _ body: (NodeAddress) -> Void) {
    if height(node) == 0 {
      body(node)
    } else {
      for index in 0..<count(node) { visitLeaves(child(node, index), body) }
    }
  }
}
