import CLua

/// The drafts of one action: the tree of places that were touched, over the state that was there
/// before, which stays as it is. Nothing is visible outside until ``commit()``; dropping the drafts
/// is the rollback.
///
/// One per VM, in memory of its own that the hooks reach through a pointer, so that no call pays for
/// reference counts or exclusivity checks.
package struct DraftArena: ~Copyable {
  let core: UnsafeMutablePointer<sl_vm>
  package var drafts: UnsafeMutablePointer<Draft>
  private var capacity = 64
  package private(set) var count = 0
  var children = ChildIndex()
  var keys = KeyCache()
  var records = RecordShapes()
  /// Orders of keys that iterations follow.
  var cursors: [Cursor] = []
  /// Keys whose values tell objects from others, and a bit for the length of each.
  var identities = [Array("id".utf8)]
  var identityLengths: UInt64 = 1 << 2
  /// The string (+1) that `table.remove` took out last.
  var removedString = Slot.absent
  /// Bytes that the value which is read from a tape may still have, and those of values that this action has read.
  var room = Int.max
  var added = 0
  /// Bytes that were copied of the value which is read.
  var copied = 0
  /// Actions that were committed without a look at the size of the state.
  private var unmeasured = 0
  /// After an action with more drafts than this neither their memory nor their userdata in Lua are kept.
  private static let many = 4096
  /// Names for messages, by `sl_ref.owner`.
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

  /// Begins an action on a container (+0), which the caller keeps until ``reset()``; its draft has index 0.
  package mutating func begin(_ root: Slot) {
    if count > 0 { reset() }
    _ = add(Draft(container: root, isOwned: false))
  }

  /// Puts all writes in and hands out the new state (+1). Only ``reset()`` may follow.
  /// Cost: what changed.
  package mutating func commit() throws(DraftError) -> Slot {
    try synchronize(0, committing: true)
    if core.pointee.limits.state > 0 { try measure() }
    return takeContainer(of: 0)
  }

  /// Refuses a state that is too large: after an action that has put more than a little into it, and now and then.
  private mutating func measure() throws(DraftError) {
    unmeasured += 1
    guard added > 4096 || unmeasured == 64 else { return }
    unmeasured = 0
    room = Int(core.pointee.limits.state)
    drafts[0].container.takeSize(from: &room)
    if room < 0 { throw tooLarge() }
  }

  func tooLarge() -> DraftError {
    DraftError(
      message: "what is in state, or goes there, may not have more than "
        + "\(core.pointee.limits.state) bytes, that of tables in it several times counted as often")
  }

  /// Hands out a draft's container (+1), which nobody looks at any more.
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

  /// Makes a draft's container its own, before it is given away to be changed.
  @inline(__always)
  private mutating func own(_ draft: Int32) {
    let place = drafts + Int(draft)
    if place.pointee.isOwned { return }
    place.pointee.container.retain()
    place.pointee.isOwned = true
  }

  /// Gives a draft another container (+1).
  @inline(__always)
  mutating func setContainer(_ owned: Slot, of draft: Int32) {
    let place = drafts + Int(draft)
    if place.pointee.isOwned { place.pointee.container.release() }
    place.pointee.container = owned
    place.pointee.isOwned = true
  }

  /// Drops all drafts, and with them what was written and not committed.
  package mutating func reset() {
    releaseContainers()
    if count > DraftArena.many { shrink() }
    sl_take_back(core, 0)
    count = 0
    added = 0
    if !removedString.isAbsent { keepRemoved(.absent) }
    if !cursors.isEmpty {
      for cursor in cursors { cursor.slot.release() }
      cursors.removeAll(keepingCapacity: true)
    }
    children.removeAll()
  }

  /// Gives back what one large action needed.
  private mutating func shrink() {
    sl_forget_drafts(core)
    drafts.deallocate()
    capacity = 64
    drafts = .allocate(capacity: capacity)
    children = ChildIndex()
  }

  /// A number for the name of a feature, for messages about its drafts.
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
    sl_lend(core, capacity * MemoryLayout<Draft>.stride)
    grown.moveInitialize(from: drafts, count: count)
    drafts.deallocate()
    drafts = grown
    capacity *= 2
  }

  /// The draft of the container (+0) that `parent` has at `position`.
  @inline(__always)
  mutating func child(of parent: Int32, at position: Int, _ slot: Slot) -> Int32 {
    if let child = existingChild(of: parent, at: position) { return child }
    // What is in a container that the action has not changed was in the state before.
    let isOwned = drafts[Int(parent)].isOwned
    if isOwned { slot.retain() }
    let child = add(Draft(container: slot, isOwned: isOwned))
    link(child, under: parent, at: position)
    return child
  }

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

  /// Where in its parent's container the draft's value is.
  @inline(__always)
  func position(of child: Int32) -> Int {
    let draft = drafts + Int(child)
    return Int(draft.pointee.place) - Int(drafts[Int(draft.pointee.parent)].origin)
  }

  /// The draft of a position, if there is one: among a few children by looking at each, among many by
  /// their index.
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

  /// Takes a draft out of the tree: it keeps its value and stays usable, and nothing that is written to
  /// it reaches the state.
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

  /// What was at `position` of `parent` is overwritten or removed.
  @inline(__always)
  mutating func detach(childOf parent: Int32, at position: Int) {
    guard drafts[Int(parent)].firstChild >= 0 else { return }
    if let child = existingChild(of: parent, at: position) { unlink(child) }
  }

  /// The children of `parent` from `position` to `end` (the last ones) move by `distance`. Costs the fewest
  /// of: all children, the positions before, the positions behind.
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

  /// Notes that a draft's container changed.
  mutating func touch(_ draft: Int32) {
    reshape(draft)
    touchScalar(of: draft)
  }

  /// Notes that a draft's container has another scalar in the place of one. Stops at the first ancestor that knows.
  @inline(__always)
  mutating func touchScalar(of draft: Int32) {
    if drafts[Int(draft)].isUnsynchronized { return }
    drafts[Int(draft)].isUnsynchronized = true
    var ancestor = drafts[Int(draft)].parent
    while ancestor >= 0 && !drafts[Int(ancestor)].isStaleBelow {
      drafts[Int(ancestor)].isStaleBelow = true
      // Somebody keeps an index of it, and follows each change.
      if isLongList(drafts[Int(ancestor)].container) { reshape(ancestor) }
      ancestor = drafts[Int(ancestor)].parent
    }
  }

  @inline(__always)
  private func isLongList(_ container: Slot) -> Bool {
    container.tag == .list && ListNode.total(container.address) > ElementIndex.shortest
  }

  // MARK: Bringing containers up to date

  /// Puts the newer values of a draft's descendants into its container, and checks that its lists have
  /// no holes, or tells whether they may have some. Cost: what changed below, and the children that were
  /// read.
  @discardableResult
  mutating func synchronize(
    _ draft: Int32, committing: Bool = false, allowingHoles: Bool = false
  ) throws(DraftError) -> Bool {
    var hasHoles = false
    if drafts[Int(draft)].isStaleBelow {
      var child = drafts[Int(draft)].firstChild
      while child >= 0 {
        // Bringing containers up to date adds no drafts, so these stay where they are.
        let (holder, changed) = (drafts + Int(draft), drafts + Int(child))
        if changed.pointee.isStaleBelow || changed.pointee.isUnsynchronized {
          // Most often nothing below it changed and it has no holes.
          let isOpen =
            changed.pointee.needsSynchronizing
            ? try synchronize(child, committing: committing, allowingHoles: allowingHoles) : false
          // Nobody reads the drafts of an action that is being committed.
          let container =
            committing ? takeContainer(of: child) : changed.pointee.container.retained()
          store(
            container, in: draft,
            at: Int(changed.pointee.place) - Int(holder.pointee.origin))
          // Looked at again in the end if it may have holes.
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

  /// Overwrites a live position of a draft's container with an owned slot (+1).
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

  /// Changes a draft's container as a list; it must be one, or empty.
  @inline(__always)
  mutating func withList<R>(_ draft: Int32, _ body: (inout PersistentList) -> R) -> R {
    own(draft)
    let place = drafts + Int(draft)
    var list = PersistentList(owning: place.pointee.container)
    let result = body(&list)
    place.pointee.container = list.ownedSlot()
    return result
  }

  /// Changes a draft's container as an object; it must be one, or empty.
  @inline(__always)
  mutating func withObject<R>(_ draft: Int32, _ body: (inout ObjectTree) -> R) -> R {
    own(draft)
    let place = drafts + Int(draft)
    var object = ObjectTree(owning: place.pointee.container)
    let result = body(&object)
    place.pointee.container = object.ownedSlot()
    return result
  }

  // MARK: Places

  /// How many containers the draft is nested in, itself counted.
  func depth(of draft: Int32) -> Int {
    var depth = 1
    var ancestor = drafts[Int(draft)].parent
    while ancestor >= 0 {
      depth += 1
      ancestor = drafts[Int(ancestor)].parent
    }
    return depth
  }

  /// `state.todos[3]`, 1-based as in Lua.
  func path(of draft: Int32) -> String {
    let parent = drafts[Int(draft)].parent
    guard parent >= 0 else { return draft == 0 ? "state" : "a removed table" }
    let position = position(of: draft)
    let container = drafts[Int(parent)].container
    if container.tag == .list { return path(of: parent) + "[\(position + 1)]" }
    let key = ObjectTree(borrowing: container).keySlot(position)
    return path(of: parent) + DraftArena.segment(key.stringBytes)
  }

  /// `.key`, or `["odd key"]`.
  static func segment(_ key: UnsafeRawBufferPointer) -> String {
    var text = ""
    LuaSyntax.appendKey(key, to: &text)
    return text.hasPrefix("[") ? text : "." + text
  }
}

/// A list or object that is only looked at.
@inline(__always)
func withBorrowed<R>(_ slot: Slot, _ body: (PersistentList) -> R) -> R {
  body(PersistentList(borrowing: slot))
}
