/// Finds what changed between two lists.
///
/// Equal ends are cut off; the middles are walked side by side, past nodes that both trees share,
/// wherever these stand. At an element that differs a few elements ahead decide where the lists go
/// on alike; where that does not help, the rest is aligned by identity as a whole. Rows are
/// recognized by a scalar `id`.
struct ListDifference {
  /// How far ahead one looks before all that remains is aligned.
  private static var lookAhead: Int { 8 }

  private var changes: [Difference.ElementChange] = []

  /// What turns one list into the other, nil when they are equal.
  static func between(_ old: NodeAddress, _ new: NodeAddress) -> Difference? {
    let oldList = PersistentList(borrowing: Slot(tag: .list, address: old))
    let newList = PersistentList(borrowing: Slot(tag: .list, address: new))
    let prefix = newList.commonPrefix(with: oldList)
    let shorter = min(oldList.count, newList.count)
    if prefix == shorter, oldList.count == newList.count { return nil }
    let suffix = newList.commonSuffix(with: oldList, limit: shorter - prefix)
    var found = ListDifference()
    found.walk(
      old, prefix..<oldList.count - suffix,
      new, prefix..<newList.count - suffix)
    let gone = found.changes.count { if case .added = $0.edit { false } else { true } }
    return .elements(found.changes, unchanged: oldList.count - gone)
  }

  private mutating func walk(
    _ old: NodeAddress, _ oldRange: Range<Int>, _ new: NodeAddress, _ newRange: Range<Int>
  ) {
    var left = ListCursor(old, at: oldRange.lowerBound)
    var right = ListCursor(new, at: newRange.lowerBound)
    while left.position < oldRange.upperBound, right.position < newRange.upperBound {
      let room = min(oldRange.upperBound - left.position, newRange.upperBound - right.position)
      let shared = min(left.sharedRun(with: right), room)
      if shared > 0 {
        left.advance(by: shared)
        right.advance(by: shared)
      } else if Slot.equal(left.element, right.element) {
        left.advance(by: 1)
        right.advance(by: 1)
      } else {
        let before = Self.slots(
          left, upTo: min(left.position + Self.lookAhead, oldRange.upperBound))
        let after = Self.slots(
          right, upTo: min(right.position + Self.lookAhead, newRange.upperBound))
        let isLast =
          left.position + before.count == oldRange.upperBound
          && right.position + after.count == newRange.upperBound
        guard let (gone, come) = Self.meeting(before, after, isLast: isLast) else { break }
        align(before[..<gone], at: left.position, after[..<come], at: right.position)
        left.advance(by: gone)
        right.advance(by: come)
      }
    }
    if left.position < oldRange.upperBound || right.position < newRange.upperBound {
      let before = Self.slots(left, upTo: oldRange.upperBound)
      let after = Self.slots(right, upTo: newRange.upperBound)
      align(before[...], at: left.position, after[...], at: right.position)
    }
  }

  /// The elements (+0) from a cursor on.
  private static func slots(_ cursor: ListCursor, upTo end: Int) -> [Slot] {
    var cursor = cursor
    var slots: [Slot] = []
    slots.reserveCapacity(max(end - cursor.position, 0))
    while cursor.position < end {
      slots.append(cursor.element)
      cursor.advance(by: 1)
    }
    return slots
  }

  /// The fewest elements to pass over on both sides until they are alike again; the common end of
  /// both counts as alike.
  private static func meeting(_ a: [Slot], _ b: [Slot], isLast: Bool) -> (Int, Int)? {
    for distance in 1...(2 * lookAhead) {
      // From the middle outwards: a replaced element before removed and added ones.
      for step in 0...distance {
        let gone = distance / 2 + (step % 2 == 0 ? step / 2 : -(step + 1) / 2)
        let come = distance - gone
        guard gone >= 0, come >= 0, gone <= a.count, come <= b.count else { continue }
        if gone == a.count || come == b.count {
          if isLast, gone == a.count, come == b.count { return (gone, come) }
        } else if Slot.equal(a[gone], b[come]) {
          return (gone, come)
        }
      }
    }
    return nil
  }

  /// Turns the elements `a` into `b`: those that are the same row in the same order stay and are
  /// compared, the others are replaced, removed and added.
  private mutating func align(
    _ a: ArraySlice<Slot>, at oldStart: Int, _ b: ArraySlice<Slot>, at newStart: Int
  ) {
    let a = Array(a)
    let b = Array(b)
    var (i, j) = (0, 0)
    for (oldAnchor, newAnchor) in Self.anchors(a, b) + [(a.count, b.count)] {
      while i < oldAnchor, j < newAnchor {
        // Rows with an id are whole rows: another one has come, this one has not changed its name.
        let isRow = Self.identity(a[i]) != nil || Self.identity(b[j]) != nil
        let change = isRow ? .replaced(a[i], b[j]) : Difference.between(a[i], b[j])
        if let change { note(oldStart + i, newStart + j, .changed(change)) }
        i += 1
        j += 1
      }
      while i < oldAnchor {
        note(oldStart + i, newStart + j, .removed(a[i]))
        i += 1
      }
      while j < newAnchor {
        note(oldStart + i, newStart + j, .added(b[j]))
        j += 1
      }
      guard i < a.count, j < b.count else { continue }
      if let change = Difference.between(a[i], b[j]) {
        note(oldStart + i, newStart + j, .changed(change))
      }
      i += 1
      j += 1
    }
  }

  private mutating func note(_ oldIndex: Int, _ newIndex: Int, _ edit: Difference.Edit) {
    changes.append(Difference.ElementChange(oldIndex: oldIndex, newIndex: newIndex, edit: edit))
  }

  /// What a row keeps through its changes.
  private static func identity(_ slot: Slot) -> Slot? {
    guard slot.tag == .object || slot.tag == .dictionary else { return nil }
    let id: StaticString = "id"
    let key = UnsafeRawBufferPointer(start: id.utf8Start, count: id.utf8CodeUnitCount)
    guard let found = ObjectTree(borrowing: slot).borrow(key: key), !found.isContainer else {
      return nil
    }
    return found
  }

  /// What two elements must have in common to be taken for the same: the id, else a scalar's value,
  /// else the node.
  private enum Likeness: Hashable {
    case id(Scalar)
    case scalar(Scalar)
    case node(UInt64)

    init(_ slot: Slot) {
      if let id = identity(slot) {
        self = .id(Scalar(slot: id))
      } else if slot.isContainer {
        self = .node(slot.tag == .empty ? 0 : slot.bits)
      } else {
        self = .scalar(Scalar(slot: slot))
      }
    }
  }

  private struct Scalar: Hashable {
    var slot: Slot
    static func == (a: Scalar, b: Scalar) -> Bool { Slot.equal(a.slot, b.slot) }
    func hash(into hasher: inout Hasher) { slot.hash(into: &hasher) }
  }

  /// Pairs of indices of alike elements that rise on both sides: the longest such sequence.
  private static func anchors(_ a: [Slot], _ b: [Slot]) -> [(Int, Int)] {
    if a.isEmpty || b.isEmpty { return [] }
    // Where each likeness stands in `a`, the first place last.
    var places: [Likeness: [Int]] = [:]
    for index in a.indices.reversed() { places[Likeness(a[index]), default: []].append(index) }
    var pairs: [(old: Int, new: Int, before: Int)] = []
    // For each length, the pair that ends a rising sequence of it with the least old index.
    var ends: [Int] = []
    for index in b.indices {
      guard let old = places[Likeness(b[index])]?.popLast() else { continue }
      var low = 0
      var high = ends.count
      while low < high {
        let middle = (low + high) / 2
        if pairs[ends[middle]].old < old { low = middle + 1 } else { high = middle }
      }
      pairs.append((old, index, low > 0 ? ends[low - 1] : -1))
      if low == ends.count { ends.append(pairs.count - 1) } else { ends[low] = pairs.count - 1 }
    }
    var anchors: [(Int, Int)] = []
    var next = ends.last ?? -1
    while next >= 0 {
      anchors.append((pairs[next].old, pairs[next].new))
      next = pairs[next].before
    }
    return anchors.reversed()
  }
}
