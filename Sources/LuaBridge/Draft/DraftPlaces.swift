// What operators in Swift do to places beside reading and replacing them.
extension DraftArena {
  /// Takes out what stands under `key`, if something does.
  package mutating func removeValue(of draft: Int32, key: borrowing FieldKey) {
    let position = key.position(in: drafts[Int(draft)].container)
    guard position >= 0 else { return }
    detach(childOf: draft, at: position)
    removeKey(at: position, of: draft)
    touchIdentity(of: draft)
  }

  /// Appends an element (+1) to a list, or to an empty table, unless it nests too deep there.
  package mutating func append(_ owned: Slot, to draft: Int32) throws(DraftError) {
    guard owned.fits(below: depth(of: draft)) else { throw tooDeep(owned, at: path(of: draft)) }
    withList(draft) { $0.append(owned) }
    touch(draft)
  }

  /// Takes out the elements of a list from `index`, from 0, to its end.
  package mutating func removeElements(of draft: Int32, from index: Int) {
    let count = PersistentList.count(drafts[Int(draft)].container)
    guard index < count else { return }
    for position in index..<count { detach(childOf: draft, at: position) }
    withList(draft) { list in
      while list.count > index { list.removeLast().release() }
    }
    touch(draft)
  }

  /// Whether a draft still stands for a place inside another one: it does not once something else was assigned
  /// there, or anywhere on the way.
  package func isInside(_ draft: Int32, _ ancestor: Int32) -> Bool {
    var current = draft
    while current >= 0 && current != ancestor { current = drafts[Int(current)].parent }
    return current == ancestor
  }
}
