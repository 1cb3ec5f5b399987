import CLua
import ScriptValue

/// A draft with many children, and the `offset` of one.
struct ChildKey: Hashable {
  let parent: Int32
  let offset: Int32

  init(_ parent: Int32, _ offset: Int) {
    self.parent = parent
    self.offset = Int32(truncatingIfNeeded: offset)
  }
}

/// The tree of drafts: which drafts are the children of which, and at which positions.
extension DraftArena {
  /// The draft of the container `slot` (+0), which is at `position` in the container of `parent`.
  @inline(__always)
  mutating func child(of parent: Int32, at position: Int, _ slot: Slot) -> Int32 {
    if let child = existingChild(of: parent, at: position) { return child }
    // A container that the action has not changed, and what is in it, belongs to the old state (2).
    let isOwned = drafts[Int(parent)].isOwned
    if isOwned { slot.retain() }
    let child = add(Draft(container: slot, isOwned: isOwned))
    link(child, under: parent, at: position)
    if let fields = drafts[Int(parent)].sharedFields {
      drafts[Int(child)].sharedFields = sharedFields(
        below: fields, at: position, of: drafts[Int(parent)].container)
    }
    return child
  }

  /// Links a draft that has no parent as the child at `position` of `parent`.
  @inline(__always)
  mutating func link(_ child: Int32, under parent: Int32, at position: Int) {
    let (holder, linked) = (drafts + Int(parent), drafts + Int(child))
    assert(parent < child, "invariant 1: the parent of a draft has a lower index")
    assert(linked.pointee.parent < 0, "invariant 5: only an unlinked draft gets a parent")
    let first = holder.pointee.firstChild
    let offset = position + Int(holder.pointee.base)
    linked.pointee.parent = parent
    linked.pointee.offset = Int32(truncatingIfNeeded: offset)
    linked.pointee.previous = -1
    linked.pointee.next = first
    if first >= 0 { drafts[Int(first)].previous = child }
    holder.pointee.firstChild = child
    holder.pointee.childCount += 1
    if holder.pointee.isIndexed {
      children[ChildKey(parent, offset)] = child
    } else if holder.pointee.childCount > DraftArena.fewChildren {
      indexChildren(of: parent)
    }
  }

  static let fewChildren = 6

  @inline(never)
  private mutating func indexChildren(of parent: Int32) {
    drafts[Int(parent)].isIndexed = true
    var child = drafts[Int(parent)].firstChild
    while child >= 0 {
      children[ChildKey(parent, Int(drafts[Int(child)].offset))] = child
      child = drafts[Int(child)].next
    }
  }

  /// The draft's position in its parent's container.
  @inline(__always)
  func position(of child: Int32) -> Int {
    let draft = drafts + Int(child)
    return Int(draft.pointee.offset) - Int(drafts[Int(draft.pointee.parent)].base)
  }

  /// The draft at `position`, if there is one. Compares a few children one by one; uses `children`
  /// for many.
  @inline(__always)
  package func existingChild(of parent: Int32, at position: Int) -> Int32? {
    let holder = drafts + Int(parent)
    let offset = position + Int(holder.pointee.base)
    if holder.pointee.isIndexed { return children[ChildKey(parent, offset)] }
    var child = holder.pointee.firstChild
    while child >= 0 {
      if Int(drafts[Int(child)].offset) == offset { return child }
      child = drafts[Int(child)].next
    }
    return nil
  }

  /// Takes a draft out of the tree (5).
  mutating func unlink(_ child: Int32) {
    let draft = drafts[Int(child)]
    guard draft.parent >= 0 else { return }
    if drafts[Int(draft.parent)].isIndexed {
      children[ChildKey(draft.parent, Int(draft.offset))] = nil
    }
    drafts[Int(draft.parent)].childCount -= 1
    if draft.previous >= 0 {
      drafts[Int(draft.previous)].next = draft.next
    } else {
      drafts[Int(draft.parent)].firstChild = draft.next
    }
    if draft.next >= 0 { drafts[Int(draft.next)].previous = draft.previous }
    drafts[Int(child)].parent = -1
    drafts[Int(child)].next = -1
    drafts[Int(child)].previous = -1
  }

  /// Unlinks the child at `position` of `parent`, whose value is about to be overwritten or
  /// removed.
  @inline(__always)
  mutating func detach(childOf parent: Int32, at position: Int) {
    guard drafts[Int(parent)].firstChild >= 0 else { return }
    if let child = existingChild(of: parent, at: position) { unlink(child) }
  }

  /// Moves the children of `parent` at `position..<end` by `distance`; `end` is the number of
  /// positions. If fewer positions are before `position` than behind it, moves the children before
  /// it the other way and adjusts `base`. Cost: the positions on the smaller side, at most the
  /// number of children.
  mutating func shift(
    childrenOf parent: Int32, from position: Int, to end: Int, by distance: Int
  ) {
    guard drafts[Int(parent)].firstChild >= 0 else { return }
    guard position > end - position else {
      move(children(of: parent, in: 0..<position), of: parent, by: -distance)
      drafts[Int(parent)].base -= Int32(truncatingIfNeeded: distance)
      return
    }
    move(children(of: parent, in: position..<end), of: parent, by: distance)
  }

  private func children(of parent: Int32, in range: Range<Int>) -> [Int32] {
    if range.count <= Int(drafts[Int(parent)].childCount) {
      return range.compactMap { existingChild(of: parent, at: $0) }
    }
    var found: [Int32] = []
    var child = drafts[Int(parent)].firstChild
    while child >= 0 {
      if range.contains(self.position(of: child)) { found.append(child) }
      child = drafts[Int(child)].next
    }
    return found
  }

  private mutating func move(_ moved: [Int32], of parent: Int32, by distance: Int) {
    let isIndexed = drafts[Int(parent)].isIndexed
    if isIndexed {
      for child in moved { children[ChildKey(parent, Int(drafts[Int(child)].offset))] = nil }
    }
    for child in moved {
      let offset = Int(drafts[Int(child)].offset) + distance
      drafts[Int(child)].offset = Int32(truncatingIfNeeded: offset)
      if isIndexed { children[ChildKey(parent, offset)] = child }
    }
  }
}

/// Paths of drafts, and messages about values that do not fit into the state.
extension DraftArena {
  /// How many containers the draft is nested in, itself included.
  func depth(of draft: Int32) -> Int {
    var depth = 1
    var ancestor = drafts[Int(draft)].parent
    while ancestor >= 0 {
      depth += 1
      ancestor = drafts[Int(ancestor)].parent
    }
    return depth
  }

  /// The draft's path for messages, such as `state.todos[3]`; indices are 1-based as in Lua.
  func path(of draft: Int32) -> String {
    let parent = drafts[Int(draft)].parent
    guard parent >= 0 else { return draft == 0 ? "state" : "a removed table" }
    if parent == shared.values { return "the shared value \(sharedName(of: draft))" }
    let position = position(of: draft)
    let container = drafts[Int(parent)].container
    if container.tag == .list { return path(of: parent) + "[\(position + 1)]" }
    return path(of: parent, ObjectTree(borrowing: container).keySlot(position).stringBytes)
  }

  /// The path of a key of the draft: with `.key`, or `["odd key"]`.
  func path(of draft: Int32, _ key: UnsafeRawBufferPointer) -> String {
    let text = LuaLiteral.key(key)
    return path(of: draft) + (text.hasPrefix("[") ? text : "." + text)
  }

  /// The path of a key or index of the draft.
  func path(of draft: Int32, _ key: UnsafePointer<sl_key>) -> String {
    key.pointee.buffer.map { path(of: draft, $0) }
      ?? path(of: draft) + "[\(key.pointee.integer)]"
  }

  /// The error for a value that would nest deeper than state may. Releases `owned` (+1).
  func tooDeep(_ owned: Slot, at path: String) -> DraftError {
    owned.release()
    return DraftError(message: "\(path): \(SL_REASON_DEPTH)")
  }

  func tooLarge() -> DraftError {
    DraftError(
      message: "what is in state, or goes there, may not have more than "
        + "\(core.pointee.limits.state) bytes, that of tables in it several times counted as often")
  }
}
