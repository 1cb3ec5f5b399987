import CLua
import ScriptValue

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
      while !list.isEmpty && list.borrow(list.count - 1).isAbsent {
        list.removeLast(copied).release()
      }
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

  /// Replaces all elements of a list by the elements on the tape. Elements that are drafts of the
  /// same list keep these drafts, which move to their new positions. O(n).
  mutating func rearrange(
    _ ref: UnsafePointer<sl_ref>, _ tape: UnsafePointer<sl_value>?
  ) throws(DraftError) {
    let draft = try writableList(ref)
    try synchronize(draft, allowingHoles: true)
    var builder = PersistentList.Builder()
    var moved: [(child: Int32, index: Int)] = []
    defer { for (child, _) in moved { drafts[Int(child)].isMoving = false } }
    let depth = depth(of: draft)
    var hasHoles = false
    var at = tape
    guard let head = at?.pointee, Int32(head.tag) == SL_TAG_SEQUENCE else {
      assign(.empty(.table), to: draft)
      return
    }
    at = at.map { $0 + 1 }
    for index in 0..<Int(head.slot) {
      if let entry = at?.pointee, Int32(entry.tag) == SL_TAG_DRAFT,
        drafts[Int(entry.slot)].parent == draft, !drafts[Int(entry.slot)].isMoving
      {
        // The draft itself moves. Reading its value could throw, since it may have holes.
        at = at.map { $0 + 1 }
        drafts[Int(entry.slot)].isMoving = true
        moved.append((Int32(entry.slot), index))
        builder.append(drafts[Int(entry.slot)].container.retained())
        continue
      }
      let value = try read(&at)
      guard value.fits(below: depth) else {
        throw tooDeep(value, at: "\(path(of: draft))[\(index + 1)]")
      }
      hasHoles = hasHoles || value.isAbsent
      builder.append(value)
    }
    var list = builder.finish()
    if drafts[Int(draft)].isOwned { letGo(MemoryLayout<Slot>.stride * length(ref)) }
    hold(MemoryLayout<Slot>.stride * list.count)
    while !list.isEmpty && list.borrow(list.count - 1).isAbsent { list.removeLast().release() }
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
    guard let bytes = key.pointee.bytes else { return 0 }
    let name = UnsafeRawBufferPointer(start: bytes, count: key.pointee.length)
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
