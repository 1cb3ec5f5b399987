import CLua
import ScriptValue

/// Writes to one draft: `draft[key] = value` and `scripted.replace`.
extension DraftArena {
  /// Writes the value on the tape to `ref[key]`.
  mutating func set(
    _ ref: UnsafePointer<sl_ref>, _ key: UnsafePointer<sl_key>,
    _ tape: UnsafePointer<sl_value>?
  ) throws(DraftError) {
    let draft = try writable(ref)
    if drafts[Int(draft)].sharedFields != nil, try setShared(draft, key, tape) { return }
    if isAlreadyThere(tape, at: key, of: draft) { return }
    var at = tape
    let value = try read(&at)
    guard !value.isContainer || value.fits(below: depth(of: draft)) else {
      throw tooDeep(value, at: path(of: draft, key))
    }
    if let bytes = key.pointee.buffer {
      try set(bytes, of: draft, to: value)
    } else {
      try set(key.pointee.integer, of: draft, to: value)
    }
  }

  /// Whether the value on the tape is the draft of what is already at `key`. Then
  /// `state.x = state.x` changes nothing, and the draft remains linked to the state.
  @inline(__always)
  private func isAlreadyThere(
    _ tape: UnsafePointer<sl_value>?, at key: UnsafePointer<sl_key>, of draft: Int32
  ) -> Bool {
    guard let tape, Int32(tape.pointee.tag) == SL_TAG_DRAFT else { return false }
    let child = Int32(tape.pointee.slot)
    guard drafts[Int(child)].parent == draft else { return false }
    let position = position(of: child)
    guard let key = key.pointee.buffer else { return Int64(position) + 1 == key.pointee.integer }
    return DraftArena.position(of: key, in: drafts[Int(draft)].container) == position
  }

  /// The draft of `ref`; throws for a view, which is read-only.
  func writable(_ ref: UnsafePointer<sl_ref>) throws(DraftError) -> Int32 {
    guard Int32(ref.pointee.kind) == SL_TAG_DRAFT else {
      if views.trace.isActive {
        throw DraftError(
          message:
            "a view reads the state and cannot change it; let a handler do so, and send it an action"
        )
      }
      let remedy =
        count == 0
        ? "; send an action, whose handler writes, or let a test begin with another state: test.store(Feature, { state = … })"
        : "; copy what you change into a local"
      throw DraftError(
        message:
          "an action, a shared value that is shared by `reader()` or `status()`, and other values outside the state are read-only\(remedy)"
      )
    }
    return Int32(ref.pointee.slot)
  }

  /// Sets a string key of an object. Consumes `owned` (+1).
  @inline(__always)
  private mutating func set(
    _ key: UnsafeRawBufferPointer, of draft: Int32, to owned: Slot
  ) throws(DraftError) {
    let container = drafts[Int(draft)].container
    let position = DraftArena.position(of: key, in: container)
    if position >= 0 {
      let old = DraftArena.element(of: container, at: position)
      if old.isPlainScalar && owned.isPlainScalar && !isIdentityKey(key) {
        store(owned, in: draft, at: position)
        return markScalarChanged(of: draft)
      }
      overwrite(draft, at: position, by: owned)
      return markChanged(draft, at: key)
    }
    if owned.isAbsent { return }
    let isPinnedArray = container.tag == .empty && container.emptyKind == .pinnedArray
    if container.tag == .list || isPinnedArray {
      owned.release()
      throw DraftError(
        message:
          "\(path(of: draft, key)): an array refuses string keys; take one of its elements first, or store an object in its place"
      )
    }
    guard key.isUTF8 else {
      owned.release()
      throw DraftError(
        message: "\(path(of: draft)): \(SL_REASON_KEY_NOT_UTF8)")
    }
    append(owned, key, to: draft)
  }

  /// Adds a key, which is not there yet, with an owned value (+1).
  mutating func append(_ owned: Slot, _ key: UnsafeRawBufferPointer, to draft: Int32) {
    let node = StringNode.allocate(trustedUTF8: key)
    hold(DraftArena.sizeOfKey(key.count) + DraftArena.sizeOfEntry(owned))
    withObject(draft) { _ = $0.append(key: node, owned, $1) }
    Node.release(node)
    markChanged(draft, at: key)
  }

  /// Removes the key at `position`. If the script steps through the keys with `next`, saves the order of
  /// keys first, unless the newest cursor has the key, so that `next` can continue from the removed key.
  mutating func removeKey(at position: Int, of draft: Int32) {
    let container = drafts[Int(draft)].container
    let key = ObjectTree(borrowing: container).keySlot(position).stringBytes
    let newest = drafts[Int(draft)].removalCursor
    if drafts[Int(draft)].isStepped,
      newest < 0 || cursors.all[Int(newest)].keys.position(of: key) == nil
    {
      let cursor = Cursor(keys: ObjectKeys(copying: container), previous: newest)
      drafts[Int(draft)].removalCursor = Int32(addCursor(cursor))
    }
    let value = DraftArena.element(of: container, at: position)
    let flatCount = container.tag == .object ? ObjectNode.count(of: container.address) : 0
    // A dictionary keeps a place for a removed key and its value until the action ends.
    let kept = flatCount > 0 ? 0 : 2 * MemoryLayout<Slot>.stride
    letGo(DraftArena.sizeOfKey(key.count) + DraftArena.sizeOfEntry(value) - kept)
    withObject(draft) { $0.remove(position, $1).release() }
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
        message: "\(path(of: draft))[\(index)]: \(SL_REASON_INTEGER_KEY)")
    }
    let count = PersistentList.count(container)
    guard index >= 1 && index <= Int64(count) else {
      if !owned.isAbsent { try append(owned, at: index, count: count, of: draft) }
      return
    }
    let position = Int(index) - 1
    detach(childOf: draft, at: position)
    if !owned.isAbsent {
      store(owned, in: draft, at: position)
    } else if position == count - 1 {
      letGo(DraftArena.sizeOfEntry(DraftArena.element(of: container, at: position)))
      withList(draft) { list, copied in
        list.removeLast(copied).release()
        list.removeAbsentEnd(copied)
      }
    } else {
      store(owned, in: draft, at: position)
      drafts[Int(draft)].mayHaveHoles = true
    }
    markChanged(draft)
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
    hold(DraftArena.sizeOfEntry(owned))
    withList(draft) { list, copied in
      if missing > 0 && list.isEmpty { list = PersistentList(repeatingAbsent: missing) }
      while list.count < Int(index) - 1 { list.append(.absent, copied) }
      list.append(owned, copied)
    }
    if missing > 0 { drafts[Int(draft)].mayHaveHoles = true }
    markChanged(draft)
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
    markIdentityChanged(of: draft)
  }
}

/// Changes of a whole list in place, for the `table` library and `scripted.list`.
extension DraftArena {
  /// `table.insert`. `position` is 1-based.
  mutating func insert(
    _ ref: UnsafePointer<sl_ref>, _ position: Int64, _ tape: UnsafePointer<sl_value>?
  ) throws(DraftError) {
    let draft = try writableList(ref)
    let count = length(ref)
    guard position >= 1 && position <= Int64(count + 1) else {
      throw DraftError(message: "\(path(of: draft)): position \(position) is out of bounds")
    }
    var at = tape
    let value = try read(&at)
    guard value.fits(below: depth(of: draft)) else {
      throw tooDeep(value, at: "\(path(of: draft))[\(position)]")
    }
    if value.isAbsent && position == Int64(count + 1) { return }
    if value.isAbsent { drafts[Int(draft)].mayHaveHoles = true }
    let index = Int(position) - 1
    hold(DraftArena.sizeOfEntry(value))
    withList(draft) { $0.insert(value, at: index, $1) }
    if index < count { shift(childrenOf: draft, from: index, to: count, by: 1) }
    markChanged(draft)
  }

  /// `table.remove`: removes the element at `position` (1-based) and writes it to `out`, absent if
  /// there is none. The draft of a removed container stays usable.
  mutating func remove(
    _ ref: UnsafePointer<sl_ref>, _ position: Int64, _ out: UnsafeMutablePointer<sl_value>
  ) throws(DraftError) {
    let draft = try writableList(ref)
    let count = length(ref)
    out.pointee.tag = UInt8(SL_TAG_ABSENT)
    guard position >= 1 && position <= Int64(count) else { return }
    let index = Int(position) - 1
    let element = ListNode.element(drafts[Int(draft)].container.address, index)
    // The draft of a removed container retains it until the action ends.
    let keeper = element.isContainer ? child(of: draft, at: index, element) : -1
    if element.tag == .string { keepRemoved(element) }
    put(element, at: index, of: ref, into: out)
    if keeper >= 0 { unlink(keeper) }
    letGo(DraftArena.sizeOfEntry(element))
    withList(draft) { list, copied in
      list.remove(at: index, copied).release()
      list.removeAbsentEnd(copied)
    }
    shift(childrenOf: draft, from: index + 1, to: count, by: -1)
    markChanged(draft)
  }

  /// Retains a string (+0) until C has pushed its bytes, which it does before it calls a hook
  /// again.
  mutating func keepRemoved(_ string: Slot) {
    removedString.release()
    removedString = string.retained()
  }

  /// Replaces all elements of a list by those of the sequence on the tape. Elements that are drafts of the
  /// same list keep these drafts, which move to their new positions. O(n).
  mutating func rearrange(
    _ ref: UnsafePointer<sl_ref>, _ tape: UnsafePointer<sl_value>
  ) throws(DraftError) {
    let draft = try writableList(ref)
    try synchronize(draft, allowingHoles: true)
    var builder = PersistentList.Builder()
    var moved: [(child: Int32, index: Int)] = []
    defer { for (child, _) in moved { drafts[Int(child)].isMoving = false } }
    let depth = depth(of: draft)
    var hasHoles = false
    var size = 0
    var at: UnsafePointer<sl_value>? = tape + 1
    for index in 0..<Int(tape.pointee.slot) {
      if let entry = at?.pointee, Int32(entry.tag) == SL_TAG_DRAFT,
        drafts[Int(entry.slot)].parent == draft, !drafts[Int(entry.slot)].isMoving
      {
        // The draft itself moves. Reading its value could throw, since it may have holes.
        at = at.map { $0 + 1 }
        drafts[Int(entry.slot)].isMoving = true
        moved.append((Int32(entry.slot), index))
        builder.append(drafts[Int(entry.slot)].container.retained())
        size += MemoryLayout<Slot>.stride
        continue
      }
      let value = try read(&at)
      guard value.fits(below: depth) else {
        throw tooDeep(value, at: "\(path(of: draft))[\(index + 1)]")
      }
      hasHoles = hasHoles || value.isAbsent
      size += DraftArena.sizeOfEntry(value)
      builder.append(value)
    }
    var list = builder.finish()
    if drafts[Int(draft)].isOwned {
      PersistentList(borrowing: drafts[Int(draft)].container).visit {
        letGo(DraftArena.sizeOfEntry($0))
      }
    }
    hold(size)
    list.removeAbsentEnd()
    assign(list.ownedSlot(), to: draft)
    drafts[Int(draft)].mayHaveHoles = hasHoles
    for (child, index) in moved {
      link(child, under: draft, at: index)
      if drafts[Int(child)].isUnsynchronized || drafts[Int(child)].isStaleBelow {
        drafts[Int(draft)].isStaleBelow = true
      }
    }
  }

  /// The 1-based position of the first element whose `key` equals the id on the tape, or 0. Makes
  /// no drafts of the elements. O(n).
  mutating func find(
    _ ref: UnsafePointer<sl_ref>, _ key: UnsafePointer<sl_key>, _ tape: UnsafePointer<sl_value>?
  ) throws(DraftError) -> Int64 {
    if Int32(ref.pointee.kind) == SL_TAG_DRAFT {
      try synchronize(Int32(ref.pointee.slot), allowingHoles: true)
    }
    readWhole(ref)
    var at = tape
    let id = try read(&at)
    defer { id.release() }
    guard let name = key.pointee.buffer else { return 0 }
    return ElementIDs.position(of: id, under: name, in: container(of: ref)).map { Int64($0 + 1) }
      ?? 0
  }

  /// The draft of `ref`; throws unless its container is a list, or an empty table that may become
  /// one.
  private func writableList(_ ref: UnsafePointer<sl_ref>) throws(DraftError) -> Int32 {
    let draft = try writable(ref)
    let container = drafts[Int(draft)].container
    let isEmptyList = container.tag == .empty && container.emptyKind != .pinnedObject
    guard container.tag == .list || isEmptyList else {
      throw DraftError(message: "\(path(of: draft)): an array is needed, this is an object")
    }
    return draft
  }
}
