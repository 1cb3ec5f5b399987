/// A list of a state, with the semantics of a Swift array: a relaxed B+ tree of ``ListNode``s.
///
/// A copy is O(1) and shares all nodes. A write changes the nodes in place if they are
/// not shared; otherwise it copies the path to the change, and adds the bytes of the copies to
/// `copied`, if there is such a pointer.
///
/// `@unchecked Sendable`. Proof: a node is immutable while it is shared. It is changed only after an
/// atomic check that the changing thread holds its only reference.
@usableFromInline
package struct PersistentList: @unchecked Sendable {
  /// Nil for a list without elements; a root always has elements.
  @usableFromInline var root: ListNode?
  /// The kind of the empty list. It is meaningful only while there are no elements.
  @usableFromInline package internal(set) var emptyKind: EmptyKind

  @inlinable
  package init() {
    root = nil
    emptyKind = .table
  }

  /// Consumes an owned slot (+1) of a list or an empty container.
  @inlinable
  package init(owning slot: Slot) {
    assert(slot.tag == .list || slot.tag == .empty)
    if slot.tag == .list {
      root = Unmanaged<ListNode>.fromOpaque(slot.address).takeRetainedValue()
      emptyKind = .table
    } else {
      root = nil
      emptyKind = slot.emptyKind
    }
  }

  /// Retains a borrowed slot (+0) of a list or an empty container.
  @inlinable
  package init(borrowing slot: Slot) {
    self.init(owning: slot.retained())
  }

  /// Creates a list of `count` absent elements, which the caller replaces. Equal nodes are shared, so that the
  /// cost depends on the height of the tree.
  package init(repeatingAbsent count: Int) {
    self.init()
    guard count > 0 else { return }
    func tree(_ count: Int, height: Int) -> NodeAddress {
      guard height > 0 else {
        let leaf = ListNode.makeLeaf(capacity: ListNode.width)
        for _ in 0..<count { ListNode.push(leaf, .absent) }
        return leaf
      }
      let branch = ListNode.makeBranch(height: height)
      let sizeOfChild = 1 << (ListNode.widthBits * height)
      if count >= sizeOfChild {
        let full = tree(sizeOfChild, height: height - 1)
        for _ in 0..<count / sizeOfChild {
          Node.retain(full)
          ListNode.push(branch, child: full)
        }
        Node.release(full)
      }
      let rest = count % sizeOfChild
      if rest > 0 { ListNode.push(branch, child: tree(rest, height: height - 1)) }
      return branch
    }
    var height = 0
    while count > 1 << (ListNode.widthBits * (height + 1)) { height += 1 }
    root = Unmanaged<ListNode>.fromOpaque(tree(count, height: height)).takeRetainedValue()
  }

  /// The list as a borrowed slot (+0). It is valid until this list is changed or released.
  @inlinable @inline(__always)
  package var borrowedSlot: Slot {
    guard let address else { return .empty(emptyKind) }
    return Slot(tag: .list, address: address)
  }

  /// The list as an owned slot (+1).
  @inlinable @inline(__always)
  package func ownedSlot() -> Slot { borrowedSlot.retained() }

  @inlinable @inline(__always)
  var address: NodeAddress? {
    guard let root else { return nil }
    return Unmanaged.passUnretained(root).toOpaque()
  }

  /// The number of elements. O(1).
  @inlinable @inline(__always)
  package var count: Int {
    guard let address else { return 0 }
    return ListNode.total(address)
  }

  /// The number of elements of a list slot (+0), or 0 for any other slot.
  @inlinable
  package static func count(_ list: Slot) -> Int {
    list.tag == .list ? ListNode.total(list.address) : 0
  }

  @inlinable @inline(__always)
  package var isEmpty: Bool { root == nil }

  /// Calls `body` with the memory that stores the root's reference. There must be a root.
  @inlinable @inline(__always)
  mutating func withRoot<R>(_ body: (UnsafeMutablePointer<NodeAddress>) -> R) -> R {
    precondition(root != nil)
    return withUnsafeMutablePointer(to: &root) {
      $0.withMemoryRebound(to: NodeAddress.self, capacity: 1, body)
    }
  }

  /// The element at `index`. Borrowed (+0), and valid until this list is changed or released. O(log
  /// n).
  @inlinable @inline(__always)
  package func borrow(_ index: Int) -> Slot {
    guard let address, index >= 0, index < ListNode.total(address) else {
      preconditionFailure("list index out of range")
    }
    return ListNode.element(address, index)
  }

  /// Replaces the element at `index` by an owned slot (+1) and releases the old one. O(log n).
  @inlinable @inline(__always)
  package mutating func set(_ index: Int, _ owned: Slot, _ copied: CopiedBytes? = nil) {
    precondition(index >= 0 && index < count, "list index out of range")
    withRoot { _ = ListNode.set($0, index, owned, returnsOld: false, copied) }
  }

  /// Replaces the element at `index` by an owned slot (+1) and returns the old one (+1). O(log n).
  @inlinable @inline(__always)
  package mutating func exchange(
    _ index: Int, _ owned: Slot, _ copied: CopiedBytes? = nil
  ) -> Slot {
    precondition(index >= 0 && index < count, "list index out of range")
    return withRoot { ListNode.set($0, index, owned, returnsOld: true, copied) }
  }

  /// Appends an owned slot (+1). O(log n).
  package mutating func append(_ owned: Slot, _ copied: CopiedBytes? = nil) {
    insert(owned, at: count, copied)
  }

  /// Inserts an owned slot (+1) before the element at `index`, or at the end. O(log n).
  package mutating func insert(_ owned: Slot, at index: Int, _ copied: CopiedBytes? = nil) {
    let count = count
    precondition(index >= 0 && index <= count, "list index out of range")
    if root == nil {
      let leaf = ListNode.makeLeaf(capacity: 1)
      ListNode.push(leaf, owned)
      root = Unmanaged<ListNode>.fromOpaque(leaf).takeRetainedValue()
    } else {
      withRoot { reference in
        guard
          let split = ListNode.insert(reference, index, owned, atEnd: index == count, copied)
        else { return }
        let left = reference.pointee
        let branch = ListNode.makeBranch(height: ListNode.height(left) + 1)
        ListNode.push(branch, child: left)
        ListNode.push(branch, child: split)
        reference.pointee = branch
      }
    }
    emptyKind = .table
    #if SCRIPTED_STORE_CHECKS
    if let address { ListNode.checkInvariants(address, onPathTo: index) }
    #endif
  }

  /// Removes the element at `index` and returns it (+1). O(log n).
  package mutating func remove(at index: Int, _ copied: CopiedBytes? = nil) -> Slot {
    precondition(index >= 0 && index < count, "list index out of range")
    #if SCRIPTED_STORE_CHECKS
    defer { if let address { ListNode.checkInvariants(address, onPathTo: min(index, count - 1)) } }
    #endif
    let removed = withRoot { ListNode.remove($0, index, copied) }
    // A root without elements goes, and a branch with one child is replaced by the child.
    while let address, ListNode.count(address) < (ListNode.height(address) > 0 ? 2 : 1) {
      root =
        ListNode.count(address) == 0
        ? nil : Unmanaged.fromOpaque(ListNode.child(address, 0)).takeUnretainedValue()
    }
    return removed
  }

  /// Removes the last element and returns it (+1). O(log n).
  package mutating func removeLast(_ copied: CopiedBytes? = nil) -> Slot {
    remove(at: count - 1, copied)
  }

  /// Removes the absent elements at the end.
  package mutating func removeAbsentEnd(_ copied: CopiedBytes? = nil) {
    while !isEmpty && borrow(count - 1).isAbsent { removeLast(copied).release() }
  }

  /// Calls `body` with each element (+0) in order. O(n), faster than indexing.
  @inlinable @inline(__always)
  package func visit(_ body: (Slot) -> Void) {
    guard let root else { return }
    withExtendedLifetime(root) {
      ListNode.visit(Unmanaged.passUnretained(root).toOpaque(), body)
    }
  }
}

extension PersistentList {
  /// Collects slots in order into full leaves, then builds the branches over them. O(1) for each
  /// element. Besides the list itself it needs one word for every eight elements.
  @usableFromInline
  package struct Builder: ~Copyable {
    @usableFromInline var full: [NodeAddress] = []
    @usableFromInline var leaf: NodeAddress?

    package init() {}

    package var count: Int {
      full.count * ListNode.width + (leaf.map { ListNode.count($0) } ?? 0)
    }

    /// Consumes an owned slot (+1).
    @inlinable @inline(__always)
    package mutating func append(_ owned: Slot) {
      let current = leaf ?? ListNode.makeLeaf(capacity: ListNode.width)
      ListNode.push(current, owned)
      if ListNode.count(current) == ListNode.width {
        full.append(current)
        leaf = nil
      } else {
        leaf = current
      }
    }

    /// Returns the list of all appended elements. The builder is empty afterwards.
    package mutating func finish() -> PersistentList {
      var list = PersistentList()
      if let last = leaf {
        leaf = nil
        let count = ListNode.count(last)
        if full.isEmpty && ListNode.leafCapacity(for: count) < ListNode.width {
          full.append(ListNode.copy(last))
          Node.release(last)
        } else {
          full.append(last)
        }
      }
      if let root = ListNode.makeTree(over: &full) {
        list.root = Unmanaged<ListNode>.fromOpaque(root).takeRetainedValue()
      }
      #if SCRIPTED_STORE_CHECKS
      list.checkInvariants()
      #endif
      return list
    }

    deinit {
      for node in full { Node.release(node) }
      if let leaf { Node.release(leaf) }
    }
  }
}

extension PersistentList {
  /// Calls `body` with the index, the old element and the new element (both +0) where this list and
  /// an older version differ at the same index. Calls come in order, until `body` returns false.
  /// Only the first `min(count, old.count)` elements are compared.
  ///
  /// Skips shared nodes: O(changes × log n) if one list was made from the other by `set`.
  package func forEachDifference(
    from old: PersistentList, by isSame: (Slot, Slot) -> Bool = Slot.equal,
    _ body: (_ index: Int, _ old: Slot, _ new: Slot) -> Bool
  ) {
    guard let a = old.address, let b = address else { return }
    withExtendedLifetime((old.root, root)) {
      _ = ListNode.forEachDifference(a, b, by: isSame, body)
    }
  }

  /// Calls `body` with the index of each element that is not the same as in an older version of as many elements.
  /// Containers are the same if they are one node. Calls come in order, until `body` returns false. Skips shared nodes.
  package func forEachReplaced(from old: PersistentList, _ body: (Int) -> Bool) {
    forEachDifference(
      from: old, by: { $0.isIdentical(to: $1) }, { index, _, _ in body(index) })
  }
}
