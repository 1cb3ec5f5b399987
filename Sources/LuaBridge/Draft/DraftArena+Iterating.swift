import CLua
import ScriptValue

/// Iterations over a draft or view with `next`.
extension DraftArena {
  /// Saves the current order of keys for a loop of `pairs`. Returns the number of the cursor, or -1 if
  /// none is needed. ``closeCursor(_:)`` follows at the end of the loop, unless that is left before.
  mutating func openCursor(_ ref: UnsafePointer<sl_ref>) -> Int64 {
    // A view cannot change during the iteration.
    guard Int32(ref.pointee.kind) == SL_TAG_DRAFT else { return -1 }
    let container = container(of: ref)
    guard container.isObject else { return -1 }
    let last = cursors.all.count - 1
    if last >= 0, cursors.all[last].keys.areThose(of: container) {
      cursors.all[last].loops += 1
      return cursors.number(at: last)
    }
    return cursors.number(at: addCursor(Cursor(keys: ObjectKeys(copying: container))))
  }

  mutating func addCursor(_ cursor: Cursor) -> Int {
    cursors.all.append(cursor)
    hold(cursor.size)
    return cursors.all.count - 1
  }

  /// Ends a loop of `pairs`, which has visited all keys.
  mutating func closeCursor(_ cursor: Int64) {
    guard let index = cursors.index(of: cursor), cursors.all[index].loops > 0 else { return }
    cursors.all[index].loops -= 1
    // Others have smaller indices, which stay valid.
    while let last = cursors.all.last, last.loops == 0 {
      letGo(last.size)
      cursors.all.removeLast()
    }
  }

  /// Writes the entry after `key` (nil: the first one) to `outKey` and `out`; `outKey` is absent at
  /// the end. In a list this is the next index; in an object, the next key of the cursor's order
  /// that still exists.
  mutating func next(
    _ ref: UnsafePointer<sl_ref>, cursor: Int64, after key: UnsafePointer<sl_key>?,
    _ outKey: UnsafeMutablePointer<sl_value>, _ out: UnsafeMutablePointer<sl_value>
  ) throws(DraftError) {
    outKey.pointee.tag = UInt8(SL_TAG_ABSENT)
    readWhole(ref)
    let container = container(of: ref)
    switch container.tag {
    case .list:
      var position = 0
      if let key { position = try index(key) }
      let count = ListNode.total(container.address)
      while position < count {
        let element = ListNode.element(container.address, position)
        if !element.isAbsent {
          outKey.pointee.tag = UInt8(SL_TAG_INTEGER)
          outKey.pointee.as.integer = Int64(position + 1)
          put(element, at: position, of: ref, into: out)
          return
        }
        position += 1
      }
    case .object, .dictionary:
      try nextKey(container, ref, cursor: cursor, after: key, outKey, out)
    default:
      // The container may have been emptied during the iteration.
      guard let key else { return }
      if key.pointee.bytes == nil {
        _ = try index(key)
      } else {
        try nextKey(container, ref, cursor: cursor, after: key, outKey, out)
      }
    }
  }

  /// The index after which the iteration continues. It may be behind the end, since elements may
  /// have been removed during the iteration.
  private func index(_ key: UnsafePointer<sl_key>) throws(DraftError) -> Int {
    guard key.pointee.bytes == nil, key.pointee.integer >= 1 else {
      throw DraftError(message: "invalid key to 'next'")
    }
    return Int(key.pointee.integer)
  }

  private mutating func nextKey(
    _ container: Slot, _ ref: UnsafePointer<sl_ref>, cursor: Int64,
    after key: UnsafePointer<sl_key>?,
    _ outKey: UnsafeMutablePointer<sl_value>, _ out: UnsafeMutablePointer<sl_value>
  ) throws(DraftError) {
    let isDraft = Int32(ref.pointee.kind) == SL_TAG_DRAFT
    let followed = cursors.index(of: cursor)
    if isDraft && followed == nil { drafts[Int(ref.pointee.slot)].isStepped = true }
    var order = if let followed { cursors.all[followed].keys } else { ObjectKeys(of: container) }
    var start = 0
    if let key {
      guard let bytesOfKey = key.pointee.buffer else {
        throw DraftError(message: "invalid key to 'next'")
      }
      var position = order.position(of: bytesOfKey)
      var removed = isDraft ? drafts[Int(ref.pointee.slot)].removalCursor : -1
      while position == nil && removed >= 0 {
        order = cursors.all[Int(removed)].keys
        removed = cursors.all[Int(removed)].previous
        position = order.position(of: bytesOfKey)
      }
      if position == nil, isDraft,
        let open = cursors.all.last(where: { $0.keys.position(of: bytesOfKey) != nil })
      {
        // A loop of `pairs` has removed the key.
        order = open.keys
        position = order.position(of: bytesOfKey)
      }
      guard let position else { throw DraftError(message: "invalid key to 'next'") }
      start = position + 1
    }
    let sameOrder = order.areThose(of: container)
    while let position = order.livePosition(from: start) {
      let name = order.slot(position)
      let current =
        sameOrder ? position : DraftArena.position(of: name.stringBytes, in: container)
      if current >= 0 {
        DraftArena.putScalar(name, into: outKey)
        if isDraft, let target = sharedTarget(Int32(ref.pointee.slot), name.stringBytes) {
          putShared(target, into: out)
          if Int32(out.pointee.tag) != SL_TAG_ABSENT { return }
        } else {
          put(DraftArena.element(of: container, at: current), at: current, of: ref, into: out)
          return
        }
      }
      start = position + 1
    }
  }
}
