import ScriptValue

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
      if allowingHoles { hasHoles = true } else { try checkHoles(draft) }
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
