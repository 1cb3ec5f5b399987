#if DEBUG || SCRIPTED_STORE_CHECKS
/// Checks of the invariants that ``ListNode`` lists.
extension ListNode {
  /// Checks a whole tree. O(n).
  package static func checkInvariants(_ node: NodeAddress) {
    checkNode(node)
    guard height(node) > 0 else { return }
    for index in 0..<count(node) { checkInvariants(child(node, index)) }
  }

  /// Checks the nodes on the path to the element at `index`. O(log n).
  static func checkInvariants(_ root: NodeAddress, onPathTo index: Int) {
    var (node, index) = (root, index)
    checkNode(node)
    while height(node) > 0 {
      let position = childIndex(node, height: height(node), holding: index)
      index -= start(node, position)
      node = child(node, position)
      checkNode(node)
    }
  }

  /// Checks one node, and that its fields agree with those of its children.
  private static func checkNode(_ node: NodeAddress) {
    let (height, count) = (height(node), count(node))
    requireInvariant(
      count > 0 && count <= capacity(node) && capacity(node) <= width,
      "invariant 3: a node has from 1 to 8 slots or children, not \(count) of \(capacity(node))")
    if height == 0 {
      requireInvariant(
        total(node) == count, "invariant 2: a leaf of \(count) slots has a total of \(total(node))")
      for index in 0..<count {
        requireInvariant(
          depth(of: node) >= min(slot(node, index).depth + 1, 255),
          "invariant 4: a leaf of depth \(depth(of: node)) has a slot of depth \(slot(node, index).depth)"
        )
      }
      return
    }
    var sum = 0
    for index in 0..<count {
      let child = child(node, index)
      requireInvariant(
        self.height(child) == height - 1,
        "invariant 1: a branch of height \(height) has a child of height \(self.height(child))")
      sum += total(child)
      requireInvariant(
        end(node, index) == sum,
        "invariant 2: the running total at \(index) is \(end(node, index)), not \(sum)")
      requireInvariant(
        depth(of: node) >= depth(of: child),
        "invariant 4: a branch of depth \(depth(of: node)) has a child of depth \(depth(of: child))"
      )
    }
    requireInvariant(
      total(node) == sum, "invariant 2: the total of a branch is \(total(node)), not \(sum)")
  }
}

extension PersistentList {
  /// Stops the process if an invariant of the list's tree does not hold. O(n).
  package func checkInvariants() {
    guard let address else { return }
    ListNode.checkInvariants(address)
  }
}
#endif
