extension Value {
  /// Returns this value with each part that equals the part of `old` in the same place replaced by
  /// that part, so that two versions which were made independently share their nodes. If the values
  /// are equal, the result is `old` itself.
  ///
  /// Parts correspond by keys, by indices, and by the `id` of rows. Numbers of different subtypes are
  /// not exchanged. O(size of this value).
  package func reusing(_ old: Value) -> Value {
    old.withSlot { old in withSlot { Value(owning: Slot.reusing(old, in: $0)) } }
  }
}

extension Slot {
  /// Returns `new` as an owned slot (+1) that shares with `old` what is equal. Both are borrowed (+0).
  package static func reusing(_ old: Slot, in new: Slot) -> Slot {
    if old.isIdentical(to: new) { return old.retained() }
    switch (old.tag, new.tag) {
    case (.string, .string):
      return StringNode.equals(old.address, new.stringBytes) ? old.retained() : new.retained()
    case (.list, .list):
      return ListReuse(old: old, new: new).result()
    case _ where old.isObject && new.isObject:
      return reusingMembers(of: old, in: new)
    default:
      return new.retained()
    }
  }

  private static func reusingMembers(of old: Slot, in new: Slot) -> Slot {
    let before = ObjectTree(borrowing: old)
    var result = ObjectTree(borrowing: new)
    var isEqual = before.count == result.count
    for position in 0..<result.positionLimit {
      let key = result.keySlot(position)
      guard !key.isAbsent else { continue }
      guard let previous = before.borrow(key: key.stringBytes) else {
        isEqual = false
        continue
      }
      let member = result.borrow(position)
      let reused = reusing(previous, in: member)
      if !reused.isIdentical(to: previous) { isEqual = false }
      if reused.isIdentical(to: member) {
        reused.release()
      } else {
        result.set(position, reused)
      }
    }
    return isEqual ? old.retained() : result.ownedSlot()
  }
}

/// Makes a list of the elements of `new` that shares with `old` what is equal: elements, and where few
/// of them differ also the nodes of the list.
///
/// Both slots are lists, borrowed (+0).
private struct ListReuse {
  let old: Slot
  let new: Slot

  func result() -> Slot {
    let before = Value.List(storage: PersistentList(borrowing: old))
    var reused: [Slot] = []
    defer { for slot in reused { slot.release() } }
    let count = ListNode.total(new.address)
    reused.reserveCapacity(count)
    forEachPair { previous, element in
      reused.append(previous.isAbsent ? element.retained() : Slot.reusing(previous, in: element))
    }

    func isUnchanged(_ index: Int, _ oldIndex: Int) -> Bool {
      reused[index].isIdentical(to: ListNode.element(old.address, oldIndex))
    }
    let limit = min(count, before.count)
    var prefix = 0
    while prefix < limit, isUnchanged(prefix, prefix) { prefix += 1 }
    if prefix == count, count == before.count { return old.retained() }
    var suffix = 0
    while suffix < limit - prefix,
      isUnchanged(count - 1 - suffix, before.count - 1 - suffix)
    {
      suffix += 1
    }

    // What has not changed keeps the nodes of the old list.
    var list = before
    if count == before.count {
      for index in prefix..<count - suffix where !isUnchanged(index, index) {
        list.storage.set(index, reused[index].retained())
      }
    } else {
      list.replaceSubrange(
        prefix..<before.count - suffix,
        with: reused[prefix..<count - suffix].map { Value(borrowing: $0) })
    }
    return list.storage.ownedSlot()
  }

  /// Calls `body` with each new element and the old element that corresponds to it (both +0). That is
  /// the one at the same index, unless another one has the row's id; it is absent if there is none.
  private func forEachPair(_ body: (_ old: Slot, _ new: Slot) -> Void) {
    let oldCount = ListNode.total(old.address)
    var rows: [ScalarSlot: Int]?
    var index = 0
    PersistentList(borrowing: new).visit { element in
      defer { index += 1 }
      let neighbour = index < oldCount ? ListNode.element(old.address, index) : .absent
      guard let id = Difference.rowID(of: element) else { return body(neighbour, element) }
      if !neighbour.isAbsent, let other = Difference.rowID(of: neighbour), Slot.equal(id, other) {
        return body(neighbour, element)
      }
      let indices = rows ?? indicesOfRows()
      rows = indices
      let found = indices[ScalarSlot(slot: id)]
      body(found.map { ListNode.element(old.address, $0) } ?? .absent, element)
    }
  }

  private func indicesOfRows() -> [ScalarSlot: Int] {
    var indices: [ScalarSlot: Int] = [:]
    var index = 0
    PersistentList(borrowing: old).visit { element in
      if let id = Difference.rowID(of: element) {
        let key = ScalarSlot(slot: id)
        if indices[key] == nil { indices[key] = index }
      }
      index += 1
    }
    return indices
  }
}
