/// Which elements of a list match a predicate, and how many of them are before each index.
///
/// The answers are stored for the nodes of the list's tree. The next version of the list shares most nodes with this one, so
/// only elements in nodes that are new are asked about:
///
/// ```
///   list      ┌── a ──┐          next list   ┌── a' ─┐        asked: the changed elements of d'
///             b       c                      b       c'
///                   d   e                          d'  e
/// ```
///
/// An update has three steps: ``begin(_:)``, ``next(after:)`` until it returns nil, ``end()``. If it is not ended, because the
/// predicate raised an error, everything is as it was before.
@usableFromInline
package final class ListMatches {
  /// What is known of one node of the list's tree.
  private final class Node {
    /// Borrowed (+0) from the list, which ``ListMatches`` retains.
    let address: NodeAddress
    /// The matching elements below the node; negative until they are counted.
    var count = -1
    /// Of a branch: its children.
    let children: [Node]
    /// Of a leaf: a bit for each element that matches.
    var bits: UInt64 = 0

    init(_ address: NodeAddress, _ children: [Node] = []) {
      self.address = address
      self.children = children
    }
  }

  /// The list whose answers are known.
  private var known = PersistentList()
  private var root: Node?
  /// The list that is being asked about.
  private var newList = PersistentList()
  private var newRoot: Node?
  /// The new leaves with a bit for each element that has to be asked about, last first.
  private var asked: [(leaf: Node, bits: UInt64)] = []
  /// The bit of the element that was given last; 0 for none.
  private var current: UInt64 = 0

  package init() {}

  /// The list (+0) whose answers are known.
  package var list: Slot { known.borrowedSlot }

  /// The number of elements that match. O(1).
  package var count: Int { root?.count ?? 0 }

  /// Begins an update to another list (+0). A slot that is no list is one without elements. Costs the nodes that are new.
  package func begin(_ new: Slot) {
    asked.removeAll(keepingCapacity: true)
    current = 0
    newList = new.tag == .list ? PersistentList(borrowing: new) : PersistentList()
    newRoot = newList.address.map { make($0, after: root) }
    asked.reverse()
  }

  /// The next element (+0) to ask about; nil if there is none. `matches` is the answer about the one before.
  package func next(after matches: Bool) -> Slot? {
    if current != 0, let last = asked.last {
      if matches { last.leaf.bits |= current }
      if last.bits == 0 { asked.removeLast() }
    }
    guard let (leaf, bits) = asked.last else {
      current = 0
      return nil
    }
    let index = bits.trailingZeroBitCount
    current = 1 << UInt64(index)
    asked[asked.count - 1].bits &= ~current
    return ListNode.slot(leaf.address, index)
  }

  /// Ends an update: the answers count from now on.
  package func end() {
    if let newRoot { countMatches(newRoot) }
    (known, root) = (newList, newRoot)
    (newList, newRoot) = (PersistentList(), nil)
  }

  /// Counts the matches below a node, if it is new.
  private func countMatches(_ node: Node) {
    guard node.count < 0 else { return }
    node.children.forEach(countMatches)
    node.count = node.children.reduce(node.bits.nonzeroBitCount) { $0 + $1.count }
  }

  // MARK: New nodes

  private func make(_ address: NodeAddress, after old: Node?) -> Node {
    if let old, old.address == address { return old }
    guard ListNode.height(address) > 0 else { return makeLeaf(address, after: old) }
    let height = ListNode.height(address) - 1
    let candidates = old.map { self.candidates(in: $0, ofHeight: height) } ?? []
    var children: [Node] = []
    children.reserveCapacity(ListNode.count(address))
    for index in 0..<ListNode.count(address) {
      let child = ListNode.child(address, index)
      let hint = index < candidates.count ? candidates[index] : nil
      let known = hint?.address == child ? hint : candidates.first { $0.address == child }
      children.append(known ?? make(child, after: hint))
    }
    return Node(address, children)
  }

  /// The nodes of a height among a node and its children.
  private func candidates(in node: Node, ofHeight height: Int) -> [Node] {
    let own = ListNode.height(node.address)
    return own == height ? [node] : own == height + 1 ? node.children : []
  }

  /// An element at the index where the old leaf has it, too, keeps its answer.
  private func makeLeaf(_ address: NodeAddress, after old: Node?) -> Node {
    let leaf = Node(address)
    let count = ListNode.count(address)
    var unknown: UInt64 = 1 << UInt64(count) - 1
    if let old, ListNode.height(old.address) == 0 {
      for index in 0..<min(count, ListNode.count(old.address))
      where ListNode.slot(address, index).isIdentical(to: ListNode.slot(old.address, index)) {
        unknown &= ~(1 << UInt64(index))
        leaf.bits |= old.bits & 1 << UInt64(index)
      }
    }
    if unknown != 0 { asked.append((leaf, unknown)) }
    return leaf
  }

  // MARK: Positions

  /// The number of matching elements before an index of the list. O(log n).
  package func count(before index: Int) -> Int {
    guard var node = root, index < known.count else { return count }
    var (index, count) = (index, 0)
    while !node.children.isEmpty {
      for child in node.children {
        let total = ListNode.total(child.address)
        if index < total {
          node = child
          break
        }
        index -= total
        count += child.count
      }
    }
    return count + (node.bits & (1 << UInt64(index) - 1)).nonzeroBitCount
  }

  /// The index in the list of the n-th matching element, from 0; nil if there are fewer. O(log n).
  package func index(ofMatch number: Int) -> Int? {
    guard var node = root, number >= 0, number < node.count else { return nil }
    var number = number
    var index = 0
    while !node.children.isEmpty {
      for child in node.children {
        if number < child.count {
          node = child
          break
        }
        number -= child.count
        index += ListNode.total(child.address)
      }
    }
    var bits = node.bits
    for _ in 0..<number { bits &= bits - 1 }
    return index + bits.trailingZeroBitCount
  }
}
