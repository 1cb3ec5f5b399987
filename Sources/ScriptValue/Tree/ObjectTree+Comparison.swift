extension ObjectTree {
  /// The keys whose values differ between two dictionaries (+0) that have the same keys at the same
  /// positions. Nil for any other two slots. The cost is that of the change.
  package static func changedKeys(from old: Slot, to new: Slot) -> [String]? {
    guard old.tag == .dictionary, new.tag == .dictionary else { return nil }
    let before = ObjectTree(borrowing: old)
    let after = ObjectTree(borrowing: new)
    guard let keys = before.dictionaryKeys, let newKeys = after.dictionaryKeys,
      PersistentList.equal(keys, newKeys),
      let oldValues = before.dictionaryValues, let values = after.dictionaryValues
    else { return nil }
    var changed: [String] = []
    values.forEachDifference(from: oldValues) { index, _, _ in
      let key = keys.borrow(index)
      if !key.isAbsent { changed.append(String(decoding: key.stringBytes, as: UTF8.self)) }
      return true
    }
    return changed
  }

  /// Calls `body` with each key (+0, a string of the old object) that `old` has and `new` does not
  /// have. A slot that is not an object counts as an empty object. The cost is that of the change,
  /// or O(n) if a dictionary was rebuilt.
  package static func forEachRemovedKey(
    from old: Slot, to new: Slot, _ body: (_ key: Slot) -> Void
  ) {
    guard old.tag == .object || old.tag == .dictionary, !old.isIdentical(to: new) else { return }
    let before = ObjectTree(borrowing: old)
    guard new.tag == .object || new.tag == .dictionary else {
      before.visit { key, _ in body(key) }
      return
    }
    let after = ObjectTree(borrowing: new)
    if let shape = before.shapeAddress, shape == after.shapeAddress { return }
    func look(at key: Slot) {
      if !key.isAbsent, after.position(of: key.stringBytes) == nil { body(key) }
    }
    // Adding or removing a key of a dictionary does not change the positions of the other keys.
    guard let keys = before.dictionaryKeys, let newKeys = after.dictionaryKeys else {
      before.visit { key, _ in look(at: key) }
      return
    }
    newKeys.forEachDifference(from: keys) { _, key, _ in
      look(at: key)
      return true
    }
    for position in min(newKeys.count, keys.count)..<keys.count { look(at: keys.borrow(position)) }
  }
}
