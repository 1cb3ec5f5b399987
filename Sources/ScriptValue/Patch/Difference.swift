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
    /// What is equal in Lua: `1` and `1.0`, and all empty tables.
    case inLua
    /// What has the same JSON, but for the order of keys.
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

  /// Compares two objects. Of two dictionaries, only the positions are compared whose nodes differ.
  /// Other objects are compared key by key.
  private static func objects(
    _ old: ObjectTree, _ new: ObjectTree, _ isSame: Sameness
  ) -> Difference? {
    var changes: [MemberChange] = []

    func compareMember(_ key: Slot, _ before: Slot) {
      let bytes = key.stringBytes
      if let after = new.borrow(key: bytes) {
        guard let change = between(before, after, isSame) else { return }
        changes.append(MemberChange(key: key, edit: .changed(change)))
      } else {
        changes.append(MemberChange(key: key, edit: .removed(before)))
      }
    }

    func addIfNew(_ key: Slot, _ after: Slot) {
      if old.position(of: key.stringBytes) != nil { return }
      changes.append(MemberChange(key: key, edit: .added(after)))
    }

    if let before = old.dictionary, let after = new.dictionary {
      let shared = min(before.keys.count, after.keys.count)
      var positions: [Int] = []
      after.keys.forEachDifference(from: before.keys) { index, _, _ in
        positions.append(index)
        return true
      }
      let otherKeys = Set(positions)
      after.values.forEachDifference(from: before.values, by: isSame.callAsFunction) {
        index, _, _ in
        if index < shared, !otherKeys.contains(index) { positions.append(index) }
        return true
      }
      positions.sort()
      for position in positions + (shared..<max(shared, before.keys.count)) {
        let key = before.keys.borrow(position)
        if !key.isAbsent { compareMember(key, before.values.borrow(position)) }
      }
      for position in positions + (shared..<max(shared, after.keys.count)) {
        let key = after.keys.borrow(position)
        if !key.isAbsent { addIfNew(key, after.values.borrow(position)) }
      }
    } else {
      old.visit { key, value in compareMember(key, value) }
      let shape = old.shapeAddress
      if shape == nil || shape != new.shapeAddress {
        new.visit { key, value in addIfNew(key, value) }
      }
    }
    guard !changes.isEmpty else { return nil }
    let removed = changes.count { if case .removed = $0.edit { true } else { false } }
    return .members(
      changes, unchanged: new.count - (changes.count - removed), new: new.borrowedSlot)
  }
}
