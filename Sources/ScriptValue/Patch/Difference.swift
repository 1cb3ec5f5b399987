/// The changes between two values, as a tree. Patches and printed differences are made from it.
///
/// Shared subtrees are skipped, so that computing a difference costs O(changes × log n) and not
/// O(n). All slots are borrowed (+0) from the two values, which must outlive the difference.
indirect enum Difference {
  /// A value that was replaced: the old one and the new one.
  case replaced(Slot, Slot)
  /// An object with changed members. `new` is the object after the change.
  case members([MemberChange], unchanged: Int, new: Slot)
  /// A list with changed elements, in order.
  case elements([ElementChange], unchanged: Int)

  struct MemberChange {
    var key: Slot
    var edit: Edit
  }

  /// A change of one element. `oldIndex` is its index before all changes and `newIndex` the index
  /// after all changes.
  struct ElementChange {
    var oldIndex: Int
    var newIndex: Int
    var edit: Edit
  }

  enum Edit {
    case removed(Slot)
    case added(Slot)
    case changed(Difference)
  }

  /// What counts as unchanged.
  enum Sameness {
    /// What is equal in Lua: `1` and `1.0`, all empty tables, and objects with their keys in any order.
    case inLua
    /// What has the same JSON, with the keys of objects in the same order.
    case inJSON

    func callAsFunction(_ a: Slot, _ b: Slot) -> Bool {
      self == .inLua ? Slot.equal(a, b) : Slot.isSameInJSON(a, b)
    }
  }

  /// The difference from `old` to `new` (both +0), or nil if they are the same.
  static func between(_ old: Slot, _ new: Slot, _ isSame: Sameness = .inLua) -> Difference? {
    if old.isIdentical(to: new) { return nil }
    switch (old.tag, new.tag) {
    case (.list, .list):
      return ListDifference.between(old, new, isSame)
    case _ where old.isObject && new.isObject:
      return objects(ObjectTree(borrowing: old), ObjectTree(borrowing: new), isSame)
    case (.empty, .list) where !old.emptyKind.isObject && ListNode.total(new.address) == 1:
      let added = Edit.added(ListNode.element(new.address, 0))
      return .elements([ElementChange(oldIndex: 0, newIndex: 0, edit: added)], unchanged: 0)
    case (.list, .empty) where !new.emptyKind.isObject && ListNode.total(old.address) == 1:
      let removed = Edit.removed(ListNode.element(old.address, 0))
      return .elements([ElementChange(oldIndex: 0, newIndex: 0, edit: removed)], unchanged: 0)
    case (.empty, .object) where old.emptyKind.isObject && ObjectNode.count(of: new.address) == 1,
      (.object, .empty) where new.emptyKind.isObject && ObjectNode.count(of: old.address) == 1:
      return objects(ObjectTree(borrowing: old), ObjectTree(borrowing: new), isSame)
    default:
      return isSame(old, new) ? nil : .replaced(old, new)
    }
  }

  /// The scalar `id` of a row, which it has before and after a change. Nil if there is none.
  static func rowID(of slot: Slot) -> Slot? {
    let id = slot.field("id")
    return id.isAbsent || id.isContainer ? nil : id
  }

  /// Compares two objects. Of two dictionaries of which one was made from the other, only the positions
  /// are compared whose nodes differ. Other objects are compared key by key.
  ///
  /// If their order matters, a key that has to move is removed and added. All removals come before the
  /// first addition, and additions in the order of `new`, because each adds a key at the end.
  private static func objects(
    _ old: ObjectTree, _ new: ObjectTree, _ isSame: Sameness
  ) -> Difference? {
    var changes: [MemberChange] = []
    /// The keys of `new` before this position are those that stay where they are in `old`.
    var kept = 0

    func compareMember(_ key: Slot, _ before: Slot) {
      if let position = new.position(of: key.stringBytes), position < kept || isSame == .inLua {
        guard let change = between(before, new.borrow(position), isSame) else { return }
        changes.append(MemberChange(key: key, edit: .changed(change)))
      } else {
        changes.append(MemberChange(key: key, edit: .removed(before)))
      }
    }

    if let before = old.dictionary, let after = new.dictionary,
      var positions = removedPositions(from: before.keys, to: after.keys)
    {
      // A key that was removed and set again is behind all that were there before.
      kept = min(before.keys.count, after.keys.count)
      let otherKeys = Set(positions)
      after.values.forEachDifference(from: before.values, by: isSame.callAsFunction) {
        index, _, _ in
        if index < kept, !otherKeys.contains(index) { positions.append(index) }
        return true
      }
      positions.sort()
      for position in positions + (kept..<before.keys.count) {
        let key = before.keys.borrow(position)
        if !key.isAbsent { compareMember(key, before.values.borrow(position)) }
      }
    } else {
      kept = keptKeys(of: old, in: new)
      old.visit { key, value in compareMember(key, value) }
    }
    for position in kept..<new.positionLimit {
      let key = new.keySlot(position)
      if key.isAbsent || isSame == .inLua && old.position(of: key.stringBytes) != nil { continue }
      changes.append(MemberChange(key: key, edit: .added(new.borrow(position))))
    }
    guard !changes.isEmpty else { return nil }
    let removed = changes.count { if case .removed = $0.edit { true } else { false } }
    return .members(
      changes, unchanged: new.count - (changes.count - removed), new: new.borrowedSlot)
  }

  /// The positions at which a dictionary's keys lack a key of the older one from which it was made. Nil if
  /// it has another key at a position: then it was not made from it, or has been rebuilt.
  private static func removedPositions(
    from old: PersistentList, to new: PersistentList
  ) -> [Int]? {
    var positions: [Int] = []
    var isRebuilt = false
    new.forEachDifference(from: old) { index, _, key in
      positions.append(index)
      isRebuilt = !key.isAbsent
      return !isRebuilt
    }
    return isRebuilt ? nil : positions
  }

  /// The first position of `new` whose key is not in `old`, or stands there before one of the keys that
  /// precede it in `new`. O(keys).
  private static func keptKeys(of old: ObjectTree, in new: ObjectTree) -> Int {
    if let shape = old.shapeAddress, shape == new.shapeAddress { return new.positionLimit }
    var next = 0
    for position in 0..<new.positionLimit {
      let key = new.keySlot(position)
      if key.isAbsent { continue }
      guard let found = old.position(of: key.stringBytes), found >= next else { return position }
      next = found + 1
    }
    return new.positionLimit
  }
}
