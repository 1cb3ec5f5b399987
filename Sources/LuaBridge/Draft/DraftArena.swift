import CLua
import ScriptValue

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
/// Invariants, which the extensions cite by number:
/// 1. A draft is its index in `drafts`; index 0 is the root. The parent of a draft has a lower index.
///    Indices are valid until ``reset()``, pointers into `drafts` only until the next draft is added.
/// 2. A container that its draft does not own (`isOwned` is false) belongs to the old state and is
///    never changed in place. A draft that was written to owns its container.
/// 3. If a draft has `isUnsynchronized`, its ancestors have `isStaleBelow`. Synchronizing stores
///    the containers of such drafts in their parents' containers, from the leaves up, and clears
///    both flags.
/// 4. The children of a draft are a doubly linked list of `childCount` drafts, no two of them at one
///    position. From the seventh child on (`fewChildren`) they are in `children` as well, which has
///    no other drafts.
/// 5. A draft whose value was removed or overwritten is unlinked (`parent` is -1). It stays
///    readable and writable, but what is written to it does not reach the state.
/// 6. At the position of a linked draft, its parent's container has a container: that of the draft,
///    unless the draft has `isUnsynchronized`.
/// 7. A list with an absent element has `mayHaveHoles`, and then also `isUnsynchronized`, so that the
///    next synchronization checks it.
/// 8. `removalCursor` and `Cursor.previous` are indices into `cursors.all`, each older than the one before.
///
/// ``checkInvariants()`` checks them, and those at the head of DraftArena+Reshaping.swift, at any time
/// while the arena is writable.
package struct DraftArena: ~Copyable {
  let core: UnsafeMutablePointer<sl_vm>
  package var drafts: UnsafeMutablePointer<Draft>
  private var capacity = 64
  package private(set) var count = 0
  /// The children of drafts that have many (4), by their parent and `offset`.
  var children: [ChildKey: Int32] = [:]
  var records = RecordShapes()
  /// Orders of keys that iterations follow.
  var cursors = Cursors()
  /// Keys whose values identify an element among others. See DraftArena+Reshaping.swift.
  var identityKeys = [Array("id".utf8)]
  var shared = SharedAccess()
  var views = RunningView()
  var memory = DraftMemory()
  /// The string (+1) that `table.remove` returned last.
  var removedString = Slot.absent
  /// After an action with more drafts than this, their memory and their userdata in Lua are freed.
  private static let many = 4096
  #if DEBUG || SCRIPTED_STORE_CHECKS
  /// The state from before the action (+0).
  private(set) var oldRoot = Slot.absent
  #endif
  /// Names for messages. `sl_ref.owner` is an index into it.
  private var owners: [String] = ["the store's"]

  init(core: UnsafeMutablePointer<sl_vm>) {
    self.core = core
    drafts = .allocate(capacity: capacity)
  }

  deinit {
    releaseContainers()
    removedString.release()
    drafts.deallocate()
  }

  // MARK: An action

  /// Begins an action on the container `root` (+0), which becomes draft 0. The caller retains it
  /// until ``reset()``.
  package mutating func begin(_ root: Slot) {
    if count > 0 { reset() }
    _ = add(Draft(container: root, isOwned: false))
    #if DEBUG || SCRIPTED_STORE_CHECKS
    oldRoot = root
    #endif
  }

  /// Makes the new state (+1) of the old one and all writes. Only ``reset()`` may follow. Cost:
  /// what changed.
  ///
  /// - Throws: if a list has a hole, or the state is larger than ``LuaLimits/stateSize``.
  package mutating func commit() throws(DraftError) -> Slot {
    #if SCRIPTED_STORE_CHECKS
    checkInvariants()
    #endif
    try synchronize(0, committing: true)
    if core.pointee.limits.state > 0 { try measure() }
    return takeContainer(of: 0)
  }

  /// Throws if the state is larger than ``LuaLimits/stateSize``, and is measured now.
  private mutating func measure() throws(DraftError) {
    guard memory.isMeasureDue() else { return }
    var remaining = Int(core.pointee.limits.state)
    drafts[0].container.subtractSize(from: &remaining)
    if remaining < 0 { throw tooLarge() }
    // Not before: while a state is refused, what follows is measured too.
    memory.noteMeasure()
  }

  @inline(__always)
  private func releaseContainers() {
    for index in 0..<count where drafts[index].isOwned { drafts[index].container.release() }
  }

  /// Drops all drafts, and what was written to them and not committed.
  package mutating func reset() {
    releaseContainers()
    if count > DraftArena.many { shrink() }
    sl_subtract_temporary_memory(core, 0)
    memory.reset()
    count = 0
    if shared.values >= 0 { shared.end() }
    if !removedString.isAbsent { keepRemoved(.absent) }
    if !cursors.all.isEmpty { cursors.removeAll() }
    if !children.isEmpty { children.removeAll(keepingCapacity: true) }
  }

  /// Frees the memory that one large action needed.
  private mutating func shrink() {
    sl_clear_draft_cache(core)
    drafts.deallocate()
    capacity = 64
    drafts = .allocate(capacity: capacity)
    children = [:]
  }

  /// The number of a feature's name, for messages about its drafts. 0 if there are too many names.
  package mutating func owner(named name: String) -> UInt16 {
    if let known = owners.firstIndex(of: name) { return UInt16(known) }
    guard owners.count < Int(UInt16.max) else { return 0 }
    owners.append(name)
    return UInt16(owners.count - 1)
  }

  func ownerName(_ owner: UInt16) -> String { owners[Int(owner)] }

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
    // A dictionary is at least three eighths full.
    let sizeOfChild = MemoryLayout<(key: ChildKey, value: Int32)>.stride * 8 / 3
    hold(capacity * (MemoryLayout<Draft>.stride + sizeOfChild))
    grown.moveInitialize(from: drafts, count: count)
    drafts.deallocate()
    drafts = grown
    capacity *= 2
  }
}
