import CLua

/// The drafts of one action: a tree over the state from before the action, which stays unchanged.
/// ``commit()`` makes the new state of what handlers wrote; ``reset()`` without it is the rollback.
///
/// ```
///          begin               commit                 reset
///  empty ─────────▶ writable ─────────▶ committed ───────────▶ empty
///                      └──────────────── reset ────────────────┘
/// ```
///
/// There is one arena per VM, in separately allocated memory that the hooks reach through a
/// pointer. So no call pays for reference counts or exclusivity checks.
///
/// Invariants:
/// 1. A draft is its index in `drafts`; index 0 is the root. Indices are valid until ``reset()``,
///    pointers into `drafts` only until the next draft is added.
/// 2. A container that its draft does not own (`isOwned` is false) belongs to the old state and is
///    never changed in place.
/// 3. If a draft has `isUnsynchronized`, its ancestors have `isStaleBelow`. Synchronizing stores
///    the containers of such drafts in their parents' containers, from the leaves up, and clears
///    both flags.
/// 4. The children of a draft are a doubly linked list. From the seventh child on (`fewChildren`)
///    they are in `children` as well.
/// 5. A draft whose value was removed or overwritten is unlinked (`parent` is -1). It stays
///    readable and writable, but what is written to it does not reach the state.
package struct DraftArena: ~Copyable {
  let core: UnsafeMutablePointer<sl_vm>
  package var drafts: UnsafeMutablePointer<Draft>
  private var capacity = 64
  package private(set) var count = 0
  var children = ChildIndex()
  var keys = KeyCache()
  var records = RecordShapes()
  /// Orders of keys that iterations follow; see ``Cursor``.
  var cursors: [Cursor] = []
  /// Keys whose values identify an element among others, and a bit set of their lengths, which
  /// rejects most other keys without a comparison. See DraftArena+Reshaping.swift.
  var identities = [Array("id".utf8)]
  var identityLengths: UInt64 = 1 << 2
  /// The string (+1) that `table.remove` returned last.
  var removedString = Slot.absent
  /// `room`: bytes that the value being read from a tape may still take. `added`: bytes of all
  /// values that this action has read. Both are used only if ``Limits/stateSize`` is set.
  var room = Int.max
  var added = 0
  /// Bytes that reading the current value has copied. They count as memory of the VM.
  var copied = 0
  /// Commits since the size of the state was last measured.
  private var unmeasured = 0
  /// After an action with more drafts than this, their memory and their userdata in Lua are freed.
  private static let many = 4096
  /// Names for messages. `sl_ref.owner` is an index into it.
  private var owners: [String] = ["the store's"]

  init(core: UnsafeMutablePointer<sl_vm>) {
    self.core = core
    drafts = .allocate(capacity: capacity)
  }

  deinit {
    releaseContainers()
    for cursor in cursors { cursor.slot.release() }
    removedString.release()
    drafts.deallocate()
  }

  // MARK: An action

  /// Begins an action on the container `root` (+0), which becomes draft 0. The caller retains it
  /// until ``reset()``.
  package mutating func begin(_ root: Slot) {
    if count > 0 { reset() }
    _ = add(Draft(container: root, isOwned: false))
  }

  /// Makes the new state (+1) of the old one and all writes. Only ``reset()`` may follow. Cost:
  /// what changed.
  ///
  /// - Throws: if a list has a hole, or the state is larger than ``Limits/stateSize``.
  package mutating func commit() throws(DraftError) -> Slot {
    try synchronize(0, committing: true)
    if core.pointee.limits.state > 0 { try measure() }
    return takeContainer(of: 0)
  }

  /// Throws if the state is larger than ``Limits/stateSize``. Measuring visits the whole state, so
  /// it happens only after an action that has read more than 4096 bytes, and after every 64th
  /// commit.
  private mutating func measure() throws(DraftError) {
    unmeasured += 1
    guard added > 4096 || unmeasured == 64 else { return }
    unmeasured = 0
    room = Int(core.pointee.limits.state)
    drafts[0].container.subtractSize(from: &room)
    if room < 0 { throw tooLarge() }
  }

  func tooLarge() -> DraftError {
    DraftError(
      message: "what is in state, or goes there, may not have more than "
        + "\(core.pointee.limits.state) bytes, that of tables in it several times counted as often")
  }

  /// The draft's container (+1). The draft only borrows it afterwards.
  @inline(__always)
  private mutating func takeContainer(of draft: Int32) -> Slot {
    let place = drafts + Int(draft)
    if !place.pointee.isOwned { place.pointee.container.retain() }
    place.pointee.isOwned = false
    return place.pointee.container
  }

  @inline(__always)
  private func releaseContainers() {
    for index in 0..<count where drafts[index].isOwned { drafts[index].container.release() }
  }

  /// Makes the draft own its container (+1), before the container is changed.
  @inline(__always)
  private mutating func own(_ draft: Int32) {
    let place = drafts + Int(draft)
    if place.pointee.isOwned { return }
    place.pointee.container.retain()
    place.pointee.isOwned = true
  }

  /// Replaces the draft's container by an owned one (+1).
  @inline(__always)
  mutating func setContainer(_ owned: Slot, of draft: Int32) {
    let place = drafts + Int(draft)
    if place.pointee.isOwned { place.pointee.container.release() }
    place.pointee.container = owned
    place.pointee.isOwned = true
  }

  /// Drops all drafts, and what was written to them and not committed.
  package mutating func reset() {
    releaseContainers()
    if count > DraftArena.many { shrink() }
    sl_subtract_temporary_memory(core, 0)
    count = 0
    added = 0
    if !removedString.isAbsent { keepRemoved(.absent) }
    if !cursors.isEmpty {
      for cursor in cursors { cursor.slot.release() }
      cursors.removeAll(keepingCapacity: true)
    }
    children.removeAll()
  }

  /// Frees the memory that one large action needed.
  private mutating func shrink() {
    sl_clear_draft_cache(core)
    drafts.deallocate()
    capacity = 64
    drafts = .allocate(capacity: capacity)
    children = ChildIndex()
  }

  /// The number of a feature's name, for messages about its drafts. 0 if there are too many names.
  package mutating func owner(named name: String) -> UInt16 {
    if let known = owners.firstIndex(of: name) { return UInt16(known) }
    guard owners.count < Int(UInt16.max) else { return 0 }
    owners.append(name)
    return UInt16(owners.count - 1)
  }

  func ownerName(_ owner: UInt16) -> String { owners[Int(owner)] }

  // MARK: The tree of drafts

  @inline(__always)
  mutating func add(_ draft: Draft) -> Int32 {
    if count == capacity { grow() }
    (drafts + count).initialize(to: draft)
    count += 1
    return Int32(count - 1)
  }

  @inline(never)
  private mutating func grow() {
    let grown = UnsafeMutablePointer<Draft>.allocate(capacity: capacity * 2)
    sl_add_temporary_memory(core, capacity * MemoryLayout<Draft>.stride)
    grown.moveInitialize(from: drafts, count: count)
    drafts.deallocate()
    drafts = grown
    capacity *= 2
  }

  /// The draft of the container `slot` (+0), which is at `position` in the container of `parent`.
  @inline(__always)
  mutating func child(of parent: Int32, at position: Int, _ slot: Slot) -> Int32 {
    if let child = existingChild(of: parent, at: position) { return child }
    // A container that the action has not changed, and what is in it, belongs to the old state (2).
    let isOwned = drafts[Int(parent)].isOwned
    if isOwned { slot.retain() }
    let child = add(Draft(container: slot, isOwned: isOwned))
    link(child, under: parent, at: position)
    return child
  }

  /// Links a draft that has no parent as the child at `position` of `parent`.
  @inline(__always)
  mutating func link(_ child: Int32, under parent: Int32, at position: Int) {
    let (holder, linked) = (drafts + Int(parent), drafts + Int(child))
    let first = holder.pointee.firstChild
    let place = position + Int(holder.pointee.origin)
    linked.pointee.parent = parent
    linked.pointee.place = Int32(truncatingIfNeeded: place)
    linked.pointee.previous = -1
    linked.pointee.next = first
    if first >= 0 { drafts[Int(first)].previous = child }
    holder.pointee.firstChild = child
    holder.pointee.childCount += 1
    if holder.pointee.isIndexed {
      children.insert(child, of: parent, at: place)
    } else if holder.pointee.childCount > DraftArena.fewChildren {
      indexChildren(of: parent)
    }
  }

  private static let fewChildren = 6

  @inline(never)
  private mutating func indexChildren(of parent: Int32) {
    drafts[Int(parent)].isIndexed = true
    var child = drafts[Int(parent)].firstChild
    while child >= 0 {
      children.insert(child, of: parent, at: Int(drafts[Int(child)].place))
      child = drafts[Int(child)].next
    }
  }

  /// The draft's position in its parent's container.
  @inline(__always)
  func position(of child: Int32) -> Int {
    let draft = drafts + Int(child)
    return Int(draft.pointee.place) - Int(drafts[Int(draft.pointee.parent)].origin)
  }

  /// The draft at `position`, if there is one. Compares a few children one by one; uses `children`
  /// for many.
  @inline(__always)
  package func existingChild(of parent: Int32, at position: Int) -> Int32? {
    let holder = drafts + Int(parent)
    let place = position + Int(holder.pointee.origin)
    if holder.pointee.isIndexed { return children.child(of: parent, at: place) }
    var child = holder.pointee.firstChild
    while child >= 0 {
      if Int(drafts[Int(child)].place) == place { return child }
      child = drafts[Int(child)].next
    }
    return nil
  }

  /// Takes a draft out of the tree (5).
  mutating func unlink(_ child: Int32) {
    let draft = drafts[Int(child)]
    guard draft.parent >= 0 else { return }
    if drafts[Int(draft.parent)].isIndexed {
      children.remove(of: draft.parent, at: Int(draft.place))
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
  /// it the other way and adjusts `origin`. Cost: the positions on the smaller side, at most the
  /// number of children.
  mutating func shift(
    childrenOf parent: Int32, from position: Int, to end: Int, by distance: Int
  ) {
    guard drafts[Int(parent)].firstChild >= 0 else { return }
    guard position > end - position else {
      move(children(of: parent, in: 0..<position), of: parent, by: -distance)
      drafts[Int(parent)].origin -= Int32(truncatingIfNeeded: distance)
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
      for child in moved { children.remove(of: parent, at: Int(drafts[Int(child)].place)) }
    }
    for child in moved {
      let place = Int(drafts[Int(child)].place) + distance
      drafts[Int(child)].place = Int32(truncatingIfNeeded: place)
      if isIndexed { children.insert(child, of: parent, at: place) }
    }
  }

  /// Records that a draft's container changed.
  mutating func touch(_ draft: Int32) {
    reshape(draft)
    touchScalar(of: draft)
  }

  /// Records that a scalar in a draft's container was replaced by a scalar. Stops at the first
  /// ancestor that has `isStaleBelow`, since all above it have it too (3).
  @inline(__always)
  mutating func touchScalar(of draft: Int32) {
    if drafts[Int(draft)].isUnsynchronized { return }
    drafts[Int(draft)].isUnsynchronized = true
    var ancestor = drafts[Int(draft)].parent
    while ancestor >= 0 && !drafts[Int(ancestor)].isStaleBelow {
      drafts[Int(ancestor)].isStaleBelow = true
      // The `ElementIndex` of a long list must see each changed element, so the list counts as
      // reshaped.
      if isLongList(drafts[Int(ancestor)].container) { reshape(ancestor) }
      ancestor = drafts[Int(ancestor)].parent
    }
  }

  @inline(__always)
  private func isLongList(_ container: Slot) -> Bool {
    container.tag == .list && ListNode.total(container.address) > ElementIndex.shortest
  }

  // MARK: Synchronizing

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
            at: Int(changed.pointee.place) - Int(holder.pointee.origin))
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
      withObject(draft) { $0.compact() }
    }
    return hasHoles
  }

  private mutating func checkHoles(_ draft: Int32) throws(DraftError) {
    var index = 0
    var hole: Int?
    withBorrowed(drafts[Int(draft)].container) { list in
      list.visit { slot in
        index += 1
        if slot.isAbsent && hole == nil { hole = index }
      }
    }
    if let hole {
      throw DraftError(
        message: "\(path(of: draft))[\(hole)]: an array cannot have a hole (nil before its end)")
    }
    drafts[Int(draft)].mayHaveHoles = false
  }

  /// Overwrites a live position of the draft's container by an owned slot (+1). Copies the
  /// container first if the draft is not its only owner.
  @inline(__always)
  mutating func store(_ owned: Slot, in draft: Int32, at position: Int) {
    let place = drafts + Int(draft)
    switch place.pointee.container.tag {
    case .object:
      var address = place.pointee.container.address
      if place.pointee.isOwned && Node.isUnique(&address) {
        ObjectNode.replace(address, at: position, by: owned)
      } else {
        let copy = ObjectNode.copy(address, replacing: position, by: owned)
        setContainer(Slot(tag: .object, address: copy), of: draft)
      }
    case .list:
      if place.pointee.isOwned {
        withList(draft) { $0.set(position, owned) }
      } else {
        let copy = ListNode.replacing(place.pointee.container.address, position, by: owned)
        setContainer(Slot(tag: .list, address: copy), of: draft)
      }
    default:
      withObject(draft) { $0.set(position, owned) }
    }
  }

  /// Changes the draft's container as a list. It must be a list, or empty.
  @inline(__always)
  mutating func withList<R>(_ draft: Int32, _ body: (inout PersistentList) -> R) -> R {
    own(draft)
    let place = drafts + Int(draft)
    var list = PersistentList(owning: place.pointee.container)
    let result = body(&list)
    place.pointee.container = list.ownedSlot()
    return result
  }

  /// Changes the draft's container as an object. It must be an object or dictionary, or empty.
  @inline(__always)
  mutating func withObject<R>(_ draft: Int32, _ body: (inout ObjectTree) -> R) -> R {
    own(draft)
    let place = drafts + Int(draft)
    var object = ObjectTree(owning: place.pointee.container)
    let result = body(&object)
    place.pointee.container = object.ownedSlot()
    return result
  }

  // MARK: Paths

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
    let position = position(of: draft)
    let container = drafts[Int(parent)].container
    if container.tag == .list { return path(of: parent) + "[\(position + 1)]" }
    let key = ObjectTree(borrowing: container).keySlot(position)
    return path(of: parent) + DraftArena.segment(key.stringBytes)
  }

  /// One key of a path: `.key`, or `["odd key"]`.
  static func segment(_ key: UnsafeRawBufferPointer) -> String {
    var text = ""
    LuaSyntax.appendKey(key, to: &text)
    return text.hasPrefix("[") ? text : "." + text
  }
}

/// Calls `body` with a list that borrows `slot` (+0), without retaining it.
@inline(__always)
func withBorrowed<R>(_ slot: Slot, _ body: (PersistentList) -> R) -> R {
  body(PersistentList(borrowing: slot))
}
