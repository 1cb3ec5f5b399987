import ScriptValue

/// The value at a key or position of a state.
package enum DraftChild {
  case absent
  /// A number, string, boolean or null.
  case scalar
  case draft(Int32)
}

/// Access to drafts for the operators of reducers, which are in Swift.
extension DraftArena {
  /// The value at `key`; a container is returned as its draft.
  package mutating func child(of draft: Int32, key: borrowing FieldKey) -> DraftChild {
    if let target = sharedTarget(draft, key.bytes) { return sharedChild(target) }
    let position = key.position(in: drafts[Int(draft)].container)
    return position < 0 ? .absent : child(of: draft, at: position)
  }

  /// The value at the key with these bytes; a container is returned as its draft.
  package mutating func child(of draft: Int32, key: UnsafeRawBufferPointer) -> DraftChild {
    if let target = sharedTarget(draft, key) { return sharedChild(target) }
    let position = DraftArena.position(of: key, in: drafts[Int(draft)].container)
    return position < 0 ? .absent : child(of: draft, at: position)
  }

  /// The value at a 0-based position of a list, or at a position of an object. A container is
  /// returned as its draft.
  @inline(__always)
  package mutating func child(of draft: Int32, at position: Int) -> DraftChild {
    let element = DraftArena.element(of: drafts[Int(draft)].container, at: position)
    if element.isContainer { return .draft(child(of: draft, at: position, element)) }
    return element.isAbsent ? .absent : .scalar
  }

  /// The value (+0) of a draft with everything that was written to it and below it so far. Throws
  /// if a list has a hole.
  package mutating func current(_ draft: Int32) throws(DraftError) -> Slot {
    if drafts[Int(draft)].sharedFields != nil {
      shared.opensAll = true
      if hasChangedShared { try graft(draft) }
    }
    try synchronize(draft)
    return drafts[Int(draft)].container
  }

  /// The container (+0) of a draft. Lacks newer values of its descendants.
  @inlinable @inline(__always)
  package func peek(_ draft: Int32) -> Slot { drafts[Int(draft)].container }

  /// Replaces the value of a draft by an owned container (+1), whose shared fields become the shared
  /// values. Throws, and releases the container, if it would be nested too deeply, or if a field that may
  /// only be read has another value in it.
  package mutating func replace(_ draft: Int32, by owned: Slot) throws(DraftError) {
    guard owned.fits(below: depth(of: draft) - 1) else {
      throw tooDeep(owned, at: path(of: draft))
    }
    do throws(DraftError) {
      try setShared(from: owned, to: draft)
    } catch {
      owned.release()
      throw error
    }
    assign(owned, to: draft)
  }

  /// Adds a draft that is not part of the state, for a child whose state a function computes.
  /// Consumes the container (+1).
  package mutating func addDetached(_ owned: Slot) -> Int32 {
    add(Draft(container: owned, isOwned: true))
  }

  /// Removes `key` and its value, if the key exists.
  package mutating func removeValue(of draft: Int32, key: borrowing FieldKey) {
    if let target = sharedTarget(draft, key.bytes) {
      // It may only be refused for a part of a list, which is no child that an operator dismisses.
      _ = try? setShared(target, .absent, key.bytes, of: draft)
      return
    }
    let position = key.position(in: drafts[Int(draft)].container)
    guard position >= 0 else { return }
    overwrite(draft, at: position, by: .absent)
    markIdentityChanged(of: draft)
  }

  /// Appends an element (+1) to a list, or to an empty container. Throws, and releases the element,
  /// if it would be nested too deeply.
  package mutating func append(_ owned: Slot, to draft: Int32) throws(DraftError) {
    guard owned.fits(below: depth(of: draft)) else { throw tooDeep(owned, at: path(of: draft)) }
    hold(DraftArena.sizeOfEntry(owned))
    withList(draft) { $0.append(owned, $1) }
    markChanged(draft)
  }

  /// Removes the elements of a list from the 0-based `index` to its end.
  package mutating func removeElements(of draft: Int32, from index: Int) {
    let count = PersistentList.count(drafts[Int(draft)].container)
    guard index < count else { return }
    for position in index..<count { detach(childOf: draft, at: position) }
    withList(draft) { list, copied in
      while list.count > index { list.removeLast(copied).release() }
    }
    markChanged(draft)
  }

  /// Whether `draft` is `ancestor` or is still linked below it. False after it, or a draft between
  /// both, was removed or overwritten.
  package func isInside(_ draft: Int32, _ ancestor: Int32) -> Bool {
    var current = draft
    while current >= 0 && current != ancestor { current = drafts[Int(current)].parent }
    return current == ancestor
  }
}
