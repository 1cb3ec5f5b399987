// Edits of drafts by operators in Swift, beside those in HandlerCall.swift.
extension DraftArena {
  /// Removes `key` and its value, if the key exists.
  package mutating func removeValue(of draft: Int32, key: borrowing FieldKey) {
    let position = key.position(in: drafts[Int(draft)].container)
    guard position >= 0 else { return }
    detach(childOf: draft, at: position)
    removeKey(at: position, of: draft)
    touchIdentity(of: draft)
  }

  /// Appends an element (+1) to a list, or to an empty container. Throws, and releases the element,
  /// if it would be nested too deeply.
  package mutating func append(_ owned: Slot, to draft: Int32) throws(DraftError) {
    guard owned.fits(below: depth(of: draft)) else { throw tooDeep(owned, at: path(of: draft)) }
    withList(draft) { $0.append(owned) }
    touch(draft)
  }

  /// Removes the elements of a list from the 0-based `index` to its end.
  package mutating func removeElements(of draft: Int32, from index: Int) {
    let count = PersistentList.count(drafts[Int(draft)].container)
    guard index < count else { return }
    for position in index..<count { detach(childOf: draft, at: position) }
    withList(draft) { list in
      while list.count > index { list.removeLast().release() }
    }
    touch(draft)
  }

  /// Whether `draft` is `ancestor` or is still linked below it. False after it, or a draft between
  /// both, was removed or overwritten.
  package func isInside(_ draft: Int32, _ ancestor: Int32) -> Bool {
    var current = draft
    while current >= 0 && current != ancestor { current = drafts[Int(current)].parent }
    return current == ancestor
  }
}
