import CLua
import ScriptValue

/// Iterations over a draft or view with `next`.
extension DraftArena {
  /// Saves the current order of keys for an iteration. Returns the index of the cursor, or -1 if
  /// none is needed.
  mutating func openCursor(_ ref: UnsafePointer<sl_ref>) -> Int64 {
    // A view cannot change during the iteration.
    guard Int32(ref.pointee.kind) == SL_TAG_DRAFT else { return -1 }
    let container = container(of: ref)
    guard container.tag == .object || container.tag == .dictionary else { return -1 }
    if let last = cursors.last, last.slot.tag == container.tag, last.slot.isIdentical(to: container)
    {
      return Int64(cursors.count - 1)
    }
    cursors.append(Cursor(slot: container.retained()))
    return Int64(cursors.count - 1)
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
      // The container may have been spareReferences during the iteration.
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
    var order = cursor >= 0 && cursor < Int64(cursors.count) ? cursors[Int(cursor)].slot : container
    var status = SL_OK
    var start = 0
    if let key {
      guard let bytes = key.pointee.bytes else {
        throw DraftError(message: "invalid key to 'next'")
      }
      var position = find(bytes, key.pointee.length, in: order, &status)
      var removed =
        Int32(ref.pointee.kind) == SL_TAG_DRAFT ? drafts[Int(ref.pointee.slot)].removalCursor : -1
      while position < 0 && removed >= 0 {
        order = cursors[Int(removed)].slot
        removed = cursors[Int(removed)].previous
        position = find(bytes, key.pointee.length, in: order, &status)
      }
      guard position >= 0 else { throw DraftError(message: "invalid key to 'next'") }
      start = position + 1
    }
    let sameOrder = order.isIdentical(to: container)
    let ordered = ObjectTree(borrowing: order)
    while let position = ordered.livePosition(from: start) {
      let name = ordered.keySlot(position)
      var current = position
      if !sameOrder {
        current =
          container.tag == .object && order.tag == .object
            && ObjectNode.shapeAddress(of: container.address)
              == ObjectNode.shapeAddress(of: order.address)
          ? position : DraftArena.position(of: name.stringBytes, in: container)
      }
      if current >= 0 {
        DraftArena.putScalar(name, into: outKey)
        if Int32(ref.pointee.kind) == SL_TAG_DRAFT,
          let target = sharedTarget(Int32(ref.pointee.slot), name.stringBytes)
        {
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
