import CLua

/// Access to one draft or view: `draft[key]`, `draft[key] = value`, `#` and `next`.
extension DraftArena {
  // MARK: Reading

  /// Reads `ref[key]` into `out`. C has checked that the ref is alive.
  ///
  /// - Returns: `SL_OK`, or `SL_ANCHOR` if the position can be cached once C has anchored the key.
  @inline(__always)
  mutating func get(
    _ ref: UnsafePointer<sl_ref>, _ key: UnsafePointer<sl_key>,
    _ out: UnsafeMutablePointer<sl_value>
  ) -> Int32 {
    let isDraft = Int32(ref.pointee.kind) == SL_TAG_DRAFT
    let container = isDraft ? drafts[Int(ref.pointee.slot)].container : view(ref)
    var status = SL_OK
    var position = -1
    if let bytes = key.pointee.bytes {
      position = find(bytes, key.pointee.length, in: container, &status)
    } else if container.tag == .list {
      let index = key.pointee.integer
      if index >= 1 && index <= ListNode.total(container.address) { position = Int(index) - 1 }
    }
    guard position >= 0 else {
      out.pointee.tag = UInt8(SL_TAG_ABSENT)
      return status
    }
    put(DraftArena.element(of: container, at: position), at: position, of: ref, into: out)
    return status
  }

  /// The value of a view (+0).
  @inline(__always)
  func view(_ ref: UnsafePointer<sl_ref>) -> Slot {
    Slot(tag: Tag(rawValue: ref.pointee.tag) ?? .absent, bits: ref.pointee.bits)
  }

  /// The container of a draft or view (+0).
  func container(of ref: UnsafePointer<sl_ref>) -> Slot {
    Int32(ref.pointee.kind) == SL_TAG_DRAFT ? drafts[Int(ref.pointee.slot)].container : view(ref)
  }

  /// The element at a live position (+0).
  @inline(__always)
  static func element(of container: Slot, at position: Int) -> Slot {
    switch container.tag {
    case .object: ObjectNode.slot(of: container.address, at: position)
    case .list: ListNode.element(container.address, position)
    default: ObjectTree(borrowing: container).borrow(position)
    }
  }

  /// The position of a string key in `container`, or -1. Sets `status` to `SL_ANCHOR` if the
  /// position can be cached once C has anchored the key.
  @inline(__always)
  mutating func find(
    _ bytes: UnsafePointer<CChar>, _ length: Int, in container: Slot, _ status: inout Int32
  ) -> Int {
    switch container.tag {
    case .object:
      let shape = ObjectNode.shapeAddress(of: container.address)
      if let known = keys.position(of: bytes, in: shape) { return known }
      let position =
        ObjectNode.withShape(of: container.address) {
          $0.position(of: UnsafeRawBufferPointer(start: bytes, count: length))
        } ?? -1
      keys.miss(bytes, in: shape, position: position)
      status = SL_ANCHOR
      return position
    case .dictionary:
      return ObjectTree(borrowing: container)
        .position(of: UnsafeRawBufferPointer(start: bytes, count: length)) ?? -1
    default:
      return -1
    }
  }

  /// Writes an element (+0) of `ref` to `out`: a scalar by value, a container as a draft if `ref`
  /// is a draft, else as a view.
  @inline(__always)
  mutating func put(
    _ slot: Slot, at position: Int, of ref: UnsafePointer<sl_ref>,
    into out: UnsafeMutablePointer<sl_value>
  ) {
    out.pointee.flag = 0
    if slot.tag == .string {
      let bytes = slot.stringBytes
      out.pointee.tag = UInt8(SL_TAG_STRING)
      out.pointee.length = UInt64(bytes.count)
      out.pointee.as.bytes = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
    } else if !slot.isContainer {
      out.pointee.tag = slot.tag.rawValue
      out.pointee.as.bits = slot.bits
    } else if Int32(ref.pointee.kind) == SL_TAG_DRAFT {
      putDraft(child(of: Int32(ref.pointee.slot), at: position, slot), into: out)
    } else {
      DraftArena.putView(slot, generation: ref.pointee.generation, into: out)
    }
  }

  @inline(__always)
  func putDraft(_ draft: Int32, into out: UnsafeMutablePointer<sl_value>) {
    out.pointee.tag = UInt8(SL_TAG_DRAFT)
    out.pointee.flag = 0
    out.pointee.slot = UInt32(draft)
    out.pointee.length = core.pointee.generation
    out.pointee.as.bits = 0
  }

  @inline(__always)
  static func putView(
    _ slot: Slot, generation: UInt64, into out: UnsafeMutablePointer<sl_value>
  ) {
    out.pointee.tag = UInt8(SL_TAG_VIEW)
    out.pointee.flag = slot.tag.rawValue
    out.pointee.slot = 0
    out.pointee.length = generation
    out.pointee.as.bits = slot.bits
  }

  func length(_ ref: UnsafePointer<sl_ref>) -> Int {
    let container = container(of: ref)
    return container.tag == .list ? ListNode.total(container.address) : 0
  }

  // MARK: Writing

  /// Writes the value on the tape to `ref[key]`.
  mutating func set(
    _ ref: UnsafePointer<sl_ref>, _ key: UnsafePointer<sl_key>,
    _ tape: UnsafePointer<sl_value>?
  ) throws(DraftError) -> Int32 {
    let draft = try writable(ref)
    if stands(tape, at: key, of: draft) { return SL_OK }
    var at = tape
    let value = try read(&at)
    guard !value.isContainer || value.fits(below: depth(of: draft)) else {
      throw tooDeep(value, at: path(of: draft, key))
    }
    if let bytes = key.pointee.bytes {
      return try set(bytes, key.pointee.length, of: draft, to: value)
    }
    try set(key.pointee.integer, of: draft, to: value)
    return SL_OK
  }

  /// Whether the value on the tape is the draft of what is already at `key`. Then
  /// `state.x = state.x` changes nothing, and the draft remains linked to the state.
  @inline(__always)
  private func stands(
    _ tape: UnsafePointer<sl_value>?, at key: UnsafePointer<sl_key>, of draft: Int32
  ) -> Bool {
    guard let tape, Int32(tape.pointee.tag) == SL_TAG_DRAFT else { return false }
    let child = Int32(tape.pointee.slot)
    guard drafts[Int(child)].parent == draft else { return false }
    let position = position(of: child)
    guard let bytes = key.pointee.bytes else { return Int64(position) + 1 == key.pointee.integer }
    let container = drafts[Int(draft)].container
    guard container.tag == .object || container.tag == .dictionary else { return false }
    return ObjectTree(borrowing: container)
      .position(of: UnsafeRawBufferPointer(start: bytes, count: key.pointee.length)) == position
  }

  /// The draft of `ref`; throws for a view, which is read-only.
  func writable(_ ref: UnsafePointer<sl_ref>) throws(DraftError) -> Int32 {
    guard Int32(ref.pointee.kind) == SL_TAG_DRAFT else {
      throw DraftError(message: "an action and other values outside the state are read-only")
    }
    return Int32(ref.pointee.slot)
  }

  /// The error for a value that would nest deeper than state may. Releases `owned` (+1).
  func tooDeep(_ owned: Slot, at path: String) -> DraftError {
    owned.release()
    return DraftError(message: "\(path): state cannot be nested deeper than \(maximumDepth) tables")
  }

  func path(of draft: Int32, _ key: UnsafePointer<sl_key>) -> String {
    guard let bytes = key.pointee.bytes else { return path(of: draft) + "[\(key.pointee.integer)]" }
    let key = UnsafeRawBufferPointer(start: bytes, count: key.pointee.length)
    return path(of: draft) + DraftArena.segment(key)
  }

  /// Sets a string key of an object. Consumes `owned` (+1).
  @inline(__always)
  private mutating func set(
    _ bytes: UnsafePointer<CChar>, _ length: Int, of draft: Int32, to owned: Slot
  ) throws(DraftError) -> Int32 {
    let container = drafts[Int(draft)].container
    var status = SL_OK
    let position = find(bytes, length, in: container, &status)
    if position >= 0 {
      let old = DraftArena.element(of: container, at: position)
      if old.isPlainScalar && owned.isPlainScalar && !identifies(bytes, length) {
        store(owned, in: draft, at: position)
        touchScalar(of: draft)
        return status
      }
      detach(childOf: draft, at: position)
      if owned.isAbsent {
        removeKey(at: position, of: draft)
      } else {
        store(owned, in: draft, at: position)
      }
      touch(draft, at: bytes, length)
      return status
    }
    if owned.isAbsent { return status }
    let isPinnedArray = container.tag == .empty && container.emptyKind == .pinnedArray
    if container.tag == .list || isPinnedArray {
      owned.release()
      let key = UnsafeRawBufferPointer(start: bytes, count: length)
      throw DraftError(
        message: "\(path(of: draft))\(DraftArena.segment(key)): an array refuses string keys")
    }
    let key = UnsafeRawBufferPointer(start: bytes, count: length)
    guard UTF8Text.isValid(key) else {
      owned.release()
      throw DraftError(
        message: "\(path(of: draft)): a key that is not UTF-8 cannot be stored in state")
    }
    let node = StringNode.allocate(trustedUTF8: key)
    withObject(draft) { _ = $0.append(key: node, owned) }
    Node.release(node)
    touch(draft, at: bytes, length)
    return SL_OK
  }

  /// Removes the key at `position`. Saves the order of keys first, unless the newest cursor has the
  /// key, so that `next` can continue from the removed key.
  mutating func removeKey(at position: Int, of draft: Int32) {
    let container = drafts[Int(draft)].container
    let key = ObjectTree(borrowing: container).keySlot(position).stringBytes
    let newest = drafts[Int(draft)].order
    if newest < 0 || ObjectTree(borrowing: cursors[Int(newest)].slot).position(of: key) == nil {
      drafts[Int(draft)].order = Int32(cursors.count)
      cursors.append(Cursor(slot: container.retained(), previous: newest))
    }
    let flatCount = container.tag == .object ? ObjectNode.count(of: container.address) : 0
    withObject(draft) { $0.remove(position).release() }
    if flatCount > 0 {
      shift(childrenOf: draft, from: position + 1, to: flatCount, by: -1)
    }
  }

  /// Sets a 1-based index of a list. Consumes `owned` (+1).
  private mutating func set(_ index: Int64, of draft: Int32, to owned: Slot) throws(DraftError) {
    let container = drafts[Int(draft)].container
    let isPinnedObject = container.tag == .empty && container.emptyKind == .pinnedObject
    guard container.tag == .list || (container.tag == .empty && !isPinnedObject) else {
      if owned.isAbsent { return }
      owned.release()
      throw DraftError(
        message: "\(path(of: draft))[\(index)]: an object refuses integer keys; use tostring(id)")
    }
    let count = container.tag == .list ? ListNode.total(container.address) : 0
    guard index >= 1 && index <= Int64(count) else {
      if !owned.isAbsent { try append(owned, at: index, count: count, of: draft) }
      return
    }
    let position = Int(index) - 1
    detach(childOf: draft, at: position)
    if !owned.isAbsent {
      store(owned, in: draft, at: position)
    } else if position == count - 1 {
      withList(draft) { list in
        list.removeLast().release()
        while !list.isEmpty && list.borrow(list.count - 1).isAbsent { list.removeLast().release() }
      }
    } else {
      store(owned, in: draft, at: position)
      drafts[Int(draft)].mayHaveHoles = true
    }
    touch(draft)
  }

  /// Sets an index behind the end of a list; consumes `owned` (+1). May leave holes (absent
  /// elements), which the handler must fill before it returns. Their bytes count as memory of the
  /// VM.
  private mutating func append(
    _ owned: Slot, at index: Int64, count: Int, of draft: Int32
  ) throws(DraftError) {
    let most = 1 << 24
    guard index >= 1 && index <= Int64(max(count + 1, most)) else {
      owned.release()
      throw DraftError(
        message: index < 1
          ? "\(path(of: draft))[\(index)]: the indices of an array begin at 1; use tostring(id) for ids"
          : "\(path(of: draft))[\(index)]: too far behind the end of an array of \(count)")
    }
    let missing = Int(index) - 1 - count
    if missing > 0 {
      let bytes = missing * MemoryLayout<Slot>.stride
      guard sl_has_room(core, bytes) else {
        owned.release()
        throw DraftError(
          message:
            "\(path(of: draft))[\(index)]: not enough memory for the \(missing) holes before it")
      }
      sl_add_temporary_memory(core, bytes)
    }
    withList(draft) { list in
      if missing > 0 && list.isEmpty { list = PersistentList(repeatingAbsent: missing) }
      while list.count < Int(index) - 1 { list.append(.absent) }
      list.append(owned)
    }
    if missing > 0 { drafts[Int(draft)].mayHaveHoles = true }
    touch(draft)
  }

  /// `scripted.replace`: replaces the whole value of the draft by the value on the tape.
  mutating func replace(
    _ ref: UnsafePointer<sl_ref>, _ tape: UnsafePointer<sl_value>?
  ) throws(DraftError) {
    let draft = try writable(ref)
    var at = tape
    let value = try read(&at)
    guard value.isContainer else {
      value.release()
      throw DraftError(message: "\(path(of: draft)): the state of a feature must be a table")
    }
    try replace(draft, by: value)
  }

  /// Replaces the draft's container by `owned` (+1). Unlinks the children, which keep their old
  /// values.
  mutating func assign(_ owned: Slot, to draft: Int32) {
    while drafts[Int(draft)].firstChild >= 0 { unlink(drafts[Int(draft)].firstChild) }
    setContainer(owned, of: draft)
    drafts[Int(draft)].isStaleBelow = false
    drafts[Int(draft)].mayHaveHoles = false
    touchIdentity(of: draft)
  }

  // MARK: Iterating

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
    var order = cursor >= 0 && cursor < Int64(cursors.count) ? cursors[Int(cursor)].slot : container
    var status = SL_OK
    var start = 0
    if let key {
      guard let bytes = key.pointee.bytes else {
        throw DraftError(message: "invalid key to 'next'")
      }
      var position = find(bytes, key.pointee.length, in: order, &status)
      var removed =
        Int32(ref.pointee.kind) == SL_TAG_DRAFT ? drafts[Int(ref.pointee.slot)].order : -1
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
      let bytes = ordered.keySlot(position).stringBytes
      guard let name = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
      var current = position
      if !sameOrder {
        current =
          container.tag == .object && order.tag == .object
            && ObjectNode.shapeAddress(of: container.address)
              == ObjectNode.shapeAddress(of: order.address)
          ? position : ObjectTree(borrowing: container).position(of: bytes) ?? -1
      }
      if current >= 0 {
        outKey.pointee.tag = UInt8(SL_TAG_STRING)
        outKey.pointee.flag = 0
        outKey.pointee.as.bytes = name
        outKey.pointee.length = UInt64(bytes.count)
        put(DraftArena.element(of: container, at: current), at: current, of: ref, into: out)
        return
      }
      start = position + 1
    }
  }
}
