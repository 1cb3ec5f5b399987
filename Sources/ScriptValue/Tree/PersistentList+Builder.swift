extension PersistentList {
  /// Collects slots in order into full leaves, then builds the branches over them. O(1) for each
  /// element. Besides the list itself it needs one word for every eight elements.
  @usableFromInline
  package struct Builder: ~Copyable {
    @usableFromInline var full: [NodeAddress] = []
    @usableFromInline var leaf: NodeAddress?

    package init() {}

    package var count: Int {
      full.count * ListNode.leafWidth + (leaf.map { ListNode.count($0) } ?? 0)
    }

    /// Consumes an owned slot (+1).
    @inlinable @inline(__always)
    package mutating func append(_ owned: Slot) {
      let current = leaf ?? ListNode.makeLeaf(capacity: ListNode.leafWidth)
      ListNode.push(current, owned)
      if ListNode.count(current) == ListNode.leafWidth {
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
        if full.isEmpty && ListNode.leafCapacity(for: count) < ListNode.leafWidth {
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
