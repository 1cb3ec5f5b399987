import ScriptValue

/// Changes of a draft's container. Only a container that the draft owns is changed in place (2).
extension DraftArena {
  /// Overwrites a live position of the draft's container by an owned slot (+1). Copies the
  /// container first if the draft is not its only owner.
  @inline(__always)
  mutating func store(_ owned: Slot, in draft: Int32, at position: Int) {
    let entry = drafts + Int(draft)
    if entry.pointee.container.tag == .object {
      var address = entry.pointee.container.address
      if entry.pointee.isOwned && Node.isUnique(&address) {
        let old = ObjectNode.slot(of: address, at: position)
        if owned.tag == .string || old.tag == .string {
          replaceString(ofSize: DraftArena.uncountedSize(of: old), by: owned)
        }
        ObjectNode.replace(address, at: position, by: owned)
      } else {
        let copy = ObjectNode.copy(address, replacing: position, by: owned)
        hold(
          ObjectNode.size(count: ObjectNode.count(of: address))
            + DraftArena.uncountedSize(of: owned))
        setContainer(Slot(tag: .object, address: copy), of: draft)
      }
      return
    }
    // The old element is read while it is replaced, so that a write does not search for it twice.
    let freed: Int
    if entry.pointee.container.tag == .dictionary {
      freed = withObject(draft) { object, copied in
        let freed = DraftArena.uncountedSize(of: object.borrow(position))
        object.set(position, owned, copied)
        return freed
      }
    } else if entry.pointee.isOwned {
      freed = withList(draft) { list, copied in
        let old = list.exchange(position, owned, copied)
        defer { old.release() }
        return DraftArena.uncountedSize(of: old)
      }
    } else {
      freed = 0
      let copy = ListNode.replacing(
        entry.pointee.container.address, position, by: owned, memory.copied)
      setContainer(Slot(tag: .list, address: copy), of: draft)
      holdCopies()
    }
    if freed > 0 || owned.tag == .string { replaceString(ofSize: freed, by: owned) }
  }

  /// Overwrites a position by an owned slot (+1), or removes its key if that is absent. A container that
  /// was there loses its draft.
  @inline(__always)
  mutating func overwrite(_ draft: Int32, at position: Int, by owned: Slot) {
    detach(childOf: draft, at: position)
    if owned.isAbsent {
      removeKey(at: position, of: draft)
    } else {
      store(owned, in: draft, at: position)
    }
  }

  /// Changes the draft's container as a list. It must be a list, or empty. `body` gets the pointer for the
  /// bytes that the change copies.
  @inline(__always)
  mutating func withList<R>(
    _ draft: Int32, _ body: (inout PersistentList, CopiedBytes) -> R
  ) -> R {
    own(draft)
    let entry = drafts + Int(draft)
    var list = PersistentList(owning: entry.pointee.container)
    let result = body(&list, memory.copied)
    entry.pointee.container = list.ownedSlot()
    holdCopies()
    return result
  }

  /// Changes the draft's container as an object. It must be an object or dictionary, or empty. `body` gets
  /// the pointer for the bytes that the change copies.
  @inline(__always)
  mutating func withObject<R>(_ draft: Int32, _ body: (inout ObjectTree, CopiedBytes) -> R) -> R {
    own(draft)
    let entry = drafts + Int(draft)
    var object = ObjectTree(owning: entry.pointee.container)
    let result = body(&object, memory.copied)
    entry.pointee.container = object.ownedSlot()
    holdCopies()
    return result
  }

  /// Records that a slot (+0) takes the place of one with this ``uncountedSize(of:)``, and one of them is a string.
  @inline(never)
  private mutating func replaceString(ofSize size: Int, by new: Slot) {
    letGo(size)
    hold(DraftArena.uncountedSize(of: new))
  }

  /// Makes the draft own its container (+1), before the container is changed.
  @inline(__always)
  private mutating func own(_ draft: Int32) {
    let entry = drafts + Int(draft)
    if entry.pointee.isOwned { return }
    entry.pointee.container.retain()
    entry.pointee.isOwned = true
  }

  /// Replaces the draft's container by an owned one (+1).
  @inline(__always)
  mutating func setContainer(_ owned: Slot, of draft: Int32) {
    let entry = drafts + Int(draft)
    if entry.pointee.isOwned { entry.pointee.container.release() }
    entry.pointee.container = owned
    entry.pointee.isOwned = true
  }

  /// The draft's container (+1). The draft only borrows it afterwards.
  @inline(__always)
  mutating func takeContainer(of draft: Int32) -> Slot {
    let entry = drafts + Int(draft)
    if !entry.pointee.isOwned { entry.pointee.container.retain() }
    entry.pointee.isOwned = false
    return entry.pointee.container
  }
}

/// What was written to a draft reaches the containers of its ancestors here.
extension DraftArena {
  /// Stores the newer values of a draft's descendants in its container, from the leaves up. Cost:
  /// what changed below, and the children that were read.
  ///
  /// - Parameters:
  ///   - committing: transfers the descendants' containers instead of copying references; no draft
  ///     may be read afterwards. Also compacts dictionaries.
  ///   - allowingHoles: does not check lists for holes.
  /// - Returns: whether a list may have holes; always false without `allowingHoles`.
  /// - Throws: if a list has a hole and `allowingHoles` is false.
  @discardableResult
  mutating func synchronize(
    _ draft: Int32, committing: Bool = false, allowingHoles: Bool = false
  ) throws(DraftError) -> Bool {
    var hasHoles = false
    if drafts[Int(draft)].isStaleBelow {
      var child = drafts[Int(draft)].firstChild
      while child >= 0 {
        // Synchronizing adds no drafts, so these pointers stay valid (1).
        let (holder, changed) = (drafts + Int(draft), drafts + Int(child))
        if changed.pointee.isStaleBelow || changed.pointee.isUnsynchronized {
          // In most cases nothing below changed and there are no holes.
          let isOpen =
            changed.pointee.needsSynchronizing
            ? try synchronize(child, committing: committing, allowingHoles: allowingHoles) : false
          // No draft is read after a commit, so the reference is transferred.
          let container =
            committing ? takeContainer(of: child) : changed.pointee.container.retained()
          store(
            container, in: draft,
            at: Int(changed.pointee.offset) - Int(holder.pointee.base))
          // A list that may have holes is checked again at the next synchronization.
          changed.pointee.isUnsynchronized = isOpen
          holder.pointee.isUnsynchronized = true
          hasHoles = hasHoles || isOpen
        }
        child = changed.pointee.next
      }
      drafts[Int(draft)].isStaleBelow = hasHoles
    }
    if drafts[Int(draft)].mayHaveHoles {
      if drafts[Int(draft)].container.tag != .list {
        // A list that has become empty may be an object by now.
        drafts[Int(draft)].mayHaveHoles = false
      } else if allowingHoles {
        hasHoles = true
      } else {
        try checkHoles(draft)
      }
    }
    if committing && drafts[Int(draft)].container.tag == .dictionary {
      withObject(draft) { object, _ in object.compact() }
    }
    return hasHoles
  }

  private mutating func checkHoles(_ draft: Int32) throws(DraftError) {
    var index = 0
    var hole: Int?
    PersistentList(borrowing: drafts[Int(draft)].container).visit { slot in
      index += 1
      if slot.isAbsent && hole == nil { hole = index }
    }
    if let hole {
      throw DraftError(
        message: "\(path(of: draft))[\(hole)]: an array cannot have a hole (nil before its end)")
    }
    drafts[Int(draft)].mayHaveHoles = false
  }
}
