import CLua
import ScriptValue

// How drafts read and write the shared fields of a state.
//
// The arena of a store that shares something has two trees of drafts: that of the state (draft 0), and
// that of the object of all shared values (draft 1, `shared.values`).
//
// 1. A draft whose container has shared fields, or may have some below it, has a `SharedFields`. So
//    has each draft below it where that is the case.
// 2. Every access by key to a shared field of such a draft goes to the tree of shared values. All
//    fields behind which one value stands have one draft, so that a write through one of them is seen
//    through all of them.
// 3. The containers in the state's tree keep the values of before the action, until `graft` stores the
//    current ones: whenever a draft is read as a whole, and before the commit. So a scalar is read there
//    as long as no shared value was written, and nothing in that container.

/// What an action has done with the shared fields of the state.
struct SharedAccess: ~Copyable {
  /// The draft of the object of all shared values; -1 if the store shares nothing.
  var values: Int32 = -1
  /// Whether the state may show other values in its shared fields than `values` has.
  var isBehind = false
  /// What stands behind the shared fields that the action has read or written. The store's
  /// description retains it.
  var opened: [Unmanaged<SharedFields.Target>] = []
  /// Whether the action has read a draft as a whole that has shared fields, here or below.
  var opensAll = false
  /// What stands behind the shared fields that ``DraftArena/graft(_:)`` has changed. The store's description retains it.
  var grafted: [DraftArena.GraftedField] = []
  /// The containers (+1) that the action has views of, because it may only read them.
  var viewed: [Slot] = []

  deinit {
    for value in viewed { value.release() }
  }

  /// Ends the action.
  mutating func end() {
    values = -1
    opensAll = false
    if !opened.isEmpty { opened.removeAll(keepingCapacity: true) }
    if !grafted.isEmpty { grafted.removeAll(keepingCapacity: true) }
    if viewed.isEmpty { return }
    for value in viewed { value.release() }
    viewed = []
  }
}

extension DraftArena {
  /// Connects the drafts of the action that began with the shared values, an object (+0) that the
  /// caller retains until ``reset()``.
  ///
  /// - Parameter isBehind: whether the state may show other values in its shared fields.
  package mutating func share(_ fields: SharedFields, _ values: Slot, isBehind: Bool) {
    drafts[0].sharedFields = .passUnretained(fields)
    shared.isBehind = isBehind
    shared.values = add(Draft(container: values, isOwned: false))
  }

  /// Adds a shared value, unless there is one with this key.
  package mutating func addSharedValue(_ key: String, _ value: Value) {
    key.withUTF8Bytes { key in
      guard DraftArena.position(of: key, in: drafts[Int(shared.values)].container) < 0 else {
        return
      }
      append(value.ownedSlot(), key, to: shared.values)
    }
  }

  /// Whether the action has written to a shared value.
  package var hasChangedShared: Bool {
    guard shared.values >= 0 else { return false }
    let values = drafts + Int(shared.values)
    return values.pointee.isUnsynchronized || values.pointee.isStaleBelow
  }

  /// The object of all shared values with what the action wrote to them (+1). Throws if a list has a
  /// hole.
  package mutating func currentSharedValues() throws(DraftError) -> Slot {
    try synchronize(shared.values)
    return drafts[Int(shared.values)].container.retained()
  }

  /// What stands behind a field of a draft; nil if the field is not shared.
  mutating func sharedTarget(
    _ draft: Int32, _ key: UnsafeRawBufferPointer
  ) -> SharedFields.Target? {
    sharedTargetLink(draft, key)?.takeUnretainedValue()
  }

  /// The same without counting a reference.
  @inline(__always)
  private mutating func sharedTargetLink(
    _ draft: Int32, _ key: UnsafeRawBufferPointer
  ) -> Unmanaged<SharedFields.Target>? {
    guard let fields = drafts[Int(draft)].sharedFields else { return nil }
    if let target = fields._withUnsafeGuaranteedRef({ $0.target(key) }) { return target }
    return fields._withUnsafeGuaranteedRef { $0.hasChosen }
      ? chosenTarget(draft, key, fields.takeUnretainedValue()) : nil
  }

  /// What stands behind a chosen field of a draft. Mutating, although it changes nothing: a closure with this code, or a
  /// function that takes the arena by value, makes each read of a shared field copy the arena, which is a sixth of its time.
  @inline(never)
  private mutating func chosenTarget(
    _ draft: Int32, _ key: UnsafeRawBufferPointer, _ fields: SharedFields
  ) -> Unmanaged<SharedFields.Target>? {
    fields.isChosen(key) ? fields.chosenTarget(key, at: way(to: draft, fields)) : nil
  }

  /// The way to a draft of the state that `fields` describes, for ``SharedFields/choices``; nil if the
  /// draft was removed from the state, or is in an element without an id. O(depth).
  private func way(to draft: Int32, _ fields: SharedFields) -> [Value]? {
    var (draft, fields) = (Int(draft), fields)
    var way: [Value] = []
    while let outer = fields.parent {
      let parent = drafts[draft].parent
      guard parent >= 0 else { return nil }
      let around = drafts[Int(parent)].container
      let key =
        around.tag == .list
        ? .absent : ObjectTree(borrowing: around).keySlot(position(of: Int32(draft)))
      guard let step = fields.step(to: drafts[draft].container, under: key) else { return nil }
      way.append(step)
      (draft, fields) = (Int(parent), outer)
    }
    return way.reversed()
  }

  /// Whether a draft, or what is at a path below it, is in a shared value or has shared fields.
  package func mayShare(_ draft: Int32, _ path: UnsafeMutableBufferPointer<FieldKey>) -> Bool {
    guard shared.values >= 0 else { return false }
    if isInside(draft, shared.values) { return true }
    guard var fields = drafts[Int(draft)].sharedFields?.takeUnretainedValue() else { return false }
    for index in path.indices {
      if fields.shares(path[index].bytes) { return true }
      guard let below = fields.below(path[index].bytes) else { return false }
      fields = below
    }
    return true
  }

  /// The name of the shared value whose draft this is.
  func sharedName(of draft: Int32) -> String {
    let container = drafts[Int(shared.values)].container
    return ObjectTree(borrowing: container).keySlot(position(of: draft)).text
  }

  /// The description for the draft of a container at a position of another container.
  func sharedFields(below fields: Unmanaged<SharedFields>, at position: Int, of container: Slot)
    -> Unmanaged<SharedFields>?
  {
    let below = fields._withUnsafeGuaranteedRef { fields in
      container.tag == .list
        ? fields.below(nil)
        : fields.below(ObjectTree(borrowing: container).keySlot(position).stringBytes)
    }
    return below.map { .passUnretained($0) }
  }

  /// The keys of the shared values that the action has read or written; nil for all.
  package var openedSharedKeys: [String]? {
    shared.opensAll ? nil : shared.opened.map { $0._withUnsafeGuaranteedRef { $0.value } }
  }

  /// Whether the action may have written a shared value whose changes are stored.
  package var hasOpenedStored: Bool {
    shared.opensAll || shared.opened.contains { $0._withUnsafeGuaranteedRef { $0.isStored } }
  }

  @inline(__always)
  private mutating func open(_ target: SharedFields.Target) { open(.passUnretained(target)) }

  @inline(__always)
  private mutating func open(_ target: Unmanaged<SharedFields.Target>) {
    if !shared.opened.contains(where: { $0.toOpaque() == target.toOpaque() }) {
      shared.opened.append(target)
    }
  }

  // MARK: Reading and writing

  /// Where the value behind a shared field is: the draft of the container around it, and its position
  /// there, or -1 if it is absent. Nil if a container on the way to it is absent.
  private mutating func locate(
    _ target: SharedFields.Target
  ) -> (holder: Int32, position: Int)? {
    var holder = shared.values
    let last = target.segments.count - 1
    for index in 0..<last {
      let position = position(of: target.segments[index], in: drafts[Int(holder)].container)
      guard position >= 0, case .draft(let next) = child(of: holder, at: position) else {
        return nil
      }
      holder = next
    }
    return (holder, position(of: target.segments[last], in: drafts[Int(holder)].container))
  }

  private func position(of segment: borrowing SharedFields.Segment, in container: Slot) -> Int {
    guard container.tag == .list else { return segment.key.position(in: container) }
    let id = segment.id
    return identityKeys[0].withUnsafeBytes {
      ElementIDs.position(of: id, under: $0, in: container) ?? -1
    }
  }

  /// Reads `draft[key]`, if the field is shared. Returns whether it is. Not inlined, because reads of other
  /// fields pass here too.
  @inline(never)
  mutating func getShared(
    _ draft: Int32, _ key: UnsafePointer<sl_key>, _ out: UnsafeMutablePointer<sl_value>
  ) -> Bool {
    guard let bytes = key.pointee.buffer, let target = sharedTargetLink(draft, bytes) else {
      return false
    }
    if !getUnchanged(target, draft, bytes, out) {
      target._withUnsafeGuaranteedRef { putShared($0, into: out) }
    }
    return true
  }

  /// Reads a scalar of a shared field from the container in the state's tree (3). False if the current value
  /// may be another one.
  @inline(__always)
  private mutating func getUnchanged(
    _ target: Unmanaged<SharedFields.Target>, _ draft: Int32, _ key: UnsafeRawBufferPointer,
    _ out: UnsafeMutablePointer<sl_value>
  ) -> Bool {
    guard !shared.isBehind, !drafts[Int(draft)].isOwned, !hasChangedShared else { return false }
    let container = drafts[Int(draft)].container
    let position = DraftArena.position(of: key, in: container)
    guard position >= 0 else { return false }
    let value = DraftArena.element(of: container, at: position)
    guard !value.isContainer else { return false }
    open(target)
    DraftArena.putScalar(value, into: out)
    return true
  }

  /// Writes the value on the tape to `draft[key]`, if the field is shared. Returns whether it is.
  @inline(never)
  mutating func setShared(
    _ draft: Int32, _ key: UnsafePointer<sl_key>, _ tape: UnsafePointer<sl_value>?
  ) throws(DraftError) -> Bool {
    guard let bytes = key.pointee.buffer, let target = sharedTarget(draft, bytes) else {
      return false
    }
    if isBehind(target, tape) { return true }
    var at = tape
    try setShared(target, try read(&at), bytes, of: draft)
    return true
  }

  /// The value behind a shared field; a container as its draft.
  mutating func sharedChild(_ target: SharedFields.Target) -> DraftChild {
    open(target)
    guard let (holder, position) = locate(target), position >= 0 else { return .absent }
    return child(of: holder, at: position)
  }

  /// Writes the value behind a shared field to `out`. A container of a field that is read-only becomes
  /// a view of what it is now.
  mutating func putShared(
    _ target: SharedFields.Target, into out: UnsafeMutablePointer<sl_value>
  ) {
    out.pointee.tag = UInt8(SL_TAG_ABSENT)
    open(target)
    guard let (holder, position) = locate(target), position >= 0 else { return }
    let value = DraftArena.element(of: drafts[Int(holder)].container, at: position)
    guard value.isContainer else { return DraftArena.putScalar(value, into: out) }
    let draft = child(of: holder, at: position, value)
    guard target.isReadOnly else { return putDraft(draft, into: out) }
    // A list with holes is refused at the end of the action; until then it is shown as it is.
    _ = try? synchronize(draft, allowingHoles: true)
    let container = drafts[Int(draft)].container
    retainViewed(container)
    DraftArena.putView(container, generation: core.pointee.drafts.valid.generation, into: out)
  }

  /// Retains a container (+0) that the action has a view of. Views of a few containers in turn retain
  /// each of them once.
  private mutating func retainViewed(_ container: Slot) {
    if shared.viewed.suffix(8).contains(where: { $0.isIdentical(to: container) }) { return }
    shared.viewed.append(container.retained())
    hold(MemoryLayout<Slot>.stride)
  }

  /// Writes a value (+1, absent for nil) to the shared field of a draft that has this key. A write that is
  /// refused changes nothing, and leaves the drafts of the old value in the state.
  mutating func setShared(
    _ target: SharedFields.Target, _ owned: Slot, _ key: UnsafeRawBufferPointer, of draft: Int32
  ) throws(DraftError) {
    open(target)
    let place: (holder: Int32, position: Int)
    do throws(DraftError) {
      place = try placeForWriting(owned, to: target, key, of: draft)
    } catch {
      owned.release()
      throw error
    }
    let (holder, position) = place
    if position < 0 {
      if owned.isAbsent { return }
      return append(owned, target.segments[target.segments.count - 1].key.bytes, to: holder)
    }
    let old = DraftArena.element(of: drafts[Int(holder)].container, at: position)
    if old.isPlainScalar && owned.isPlainScalar {
      store(owned, in: holder, at: position)
      return markScalarChanged(of: holder)
    }
    overwrite(holder, at: position, by: owned)
    markIdentityChanged(of: holder)
  }

  /// Where a value (+0, absent for nil) for a shared field goes, as ``locate(_:)`` says. Throws if it may not
  /// be written there: all reasons are found here, before anything is changed.
  private mutating func placeForWriting(
    _ value: Slot, to target: SharedFields.Target, _ key: UnsafeRawBufferPointer, of draft: Int32
  ) throws(DraftError) -> (holder: Int32, position: Int) {
    guard let place = locate(target) else {
      try check(value, for: target, in: .absent, isThere: false, key, of: draft)
      return (shared.values, -1)
    }
    let container = drafts[Int(place.holder)].container
    try check(value, for: target, in: container, isThere: place.position >= 0, key, of: draft)
    return place
  }

  /// Throws if a value (+0) may not be written to a shared field whose place is in `container`.
  private func check(
    _ value: Slot, for target: SharedFields.Target, in container: Slot, isThere: Bool,
    _ key: UnsafeRawBufferPointer, of draft: Int32
  ) throws(DraftError) {
    if target.isReadOnly { throw readOnly(key, of: draft) }
    guard container.isContainer else {
      throw DraftError(
        message:
          "\(path(of: draft, key)) is a part of a shared value that has no such part; give it one first"
      )
    }
    guard
      !value.isContainer || value.fits(below: depth(of: shared.values) + target.segments.count - 1)
    else {
      throw tooDeep(value.retained(), at: path(of: draft, key))
    }
    guard container.tag == .list else { return }
    if !isThere && !value.isAbsent {
      throw DraftError(
        message: "\(path(of: draft, key)): the shared list has no element with this id")
    }
    if isThere && value.isAbsent {
      throw DraftError(
        message: "\(path(of: draft, key)): an element of a shared list is removed in the list")
    }
  }

  private func readOnly(_ key: UnsafeRawBufferPointer, of draft: Int32) -> DraftError {
    DraftError(
      message:
        "\(path(of: draft, key)) is read-only here: the field shares a key's `reader()` or `status()`, a custom key without `save`, or no key is chosen"
    )
  }

  /// Throws if a field is shared, and may only be read.
  package mutating func requireWritable(
    _ key: UnsafeRawBufferPointer, of draft: Int32
  ) throws(DraftError) {
    if sharedTarget(draft, key)?.isReadOnly == true { throw readOnly(key, of: draft) }
  }

  /// Writes a value (+0, absent for nil) to a field, if that is shared. Returns whether it is.
  package mutating func setShared(
    _ key: UnsafeRawBufferPointer, of draft: Int32, to value: Slot
  ) throws(DraftError) -> Bool {
    guard let target = sharedTarget(draft, key) else { return false }
    try setShared(target, value.retained(), key, of: draft)
    return true
  }

  /// Whether the value on the tape is the draft that is behind the shared field already, as in
  /// `state.x = state.x`.
  mutating func isBehind(_ target: SharedFields.Target, _ tape: UnsafePointer<sl_value>?) -> Bool {
    guard let tape, Int32(tape.pointee.tag) == SL_TAG_DRAFT,
      case .draft(let draft) = sharedChild(target)
    else { return false }
    return draft == Int32(tape.pointee.slot)
  }

  /// A shared field that gets a value. The description of the fields keeps the bytes of the key.
  private struct NewField {
    let target: SharedFields.Target
    let key: UnsafeRawBufferPointer
    /// Borrowed (+0) from the value of the container.
    let value: Slot
  }

  /// Writes those fields of `value` (+0) that are shared in a draft, which `value` is about to replace.
  /// Fields that are not there stay as they are. Writes all of them, or throws and writes none.
  mutating func setShared(from value: Slot, to draft: Int32) throws(DraftError) {
    guard let fields = drafts[Int(draft)].sharedFields?.takeUnretainedValue() else { return }
    let way = fields.hasChosen ? way(to: draft, fields) : nil
    var given: [NewField] = []
    try fields.visit(at: way) { (key, target) throws(DraftError) in
      let position = key.position(in: value)
      if position < 0 { return }
      let field = DraftArena.element(of: value, at: position)
      given.append(NewField(target: target, key: key.bytes, value: field))
    } below: { _ in
    }
    // A shared value gets its new value before a part of it does, in whatever order the fields were declared.
    given.sort { $0.target.segments.count < $1.target.segments.count }
    var changed: [NewField] = []
    for field in given {
      let target = field.target
      // That the value is the same is a reason not to write it, so the action counts as one that has read it.
      open(target)
      if Value(borrowing: field.value) == Value(borrowing: try current(target)) { continue }
      if let outer = changed.last(where: { target.path.starts(with: $0.target.path) }) {
        let (container, new) = part(target, of: outer)
        if Value(borrowing: field.value) == Value(borrowing: new) { continue }
        try check(
          field.value, for: target, in: container, isThere: !new.isAbsent, field.key, of: draft)
      } else {
        _ = try placeForWriting(field.value, to: target, field.key, of: draft)
      }
      changed.append(field)
    }
    for field in changed {
      try setShared(field.target, field.value.retained(), field.key, of: draft)
    }
  }

  /// What will stand behind a target (+0) when a target around it, or the same one, has got its new value;
  /// and the container (+0) around it, absent if there is none.
  private func part(
    _ target: SharedFields.Target, of outer: NewField
  ) -> (container: Slot, value: Slot) {
    var container = drafts[Int(shared.values)].container
    var value = outer.value
    for index in outer.target.segments.count..<target.segments.count {
      container = value.isContainer ? value : .absent
      let position = position(of: target.segments[index], in: container)
      value = position < 0 ? .absent : DraftArena.element(of: container, at: position)
    }
    return (container, value)
  }

  /// The current value (+0) behind a shared field, with what was written below it.
  private mutating func current(_ target: SharedFields.Target) throws(DraftError) -> Slot {
    guard let (holder, position) = locate(target), position >= 0 else { return .absent }
    let value = DraftArena.element(of: drafts[Int(holder)].container, at: position)
    guard value.isContainer, let draft = existingChild(of: holder, at: position) else {
      return value
    }
    try synchronize(draft)
    return drafts[Int(draft)].container
  }

  // MARK: Grafting

  /// A shared field whose node ``graft(_:)`` has replaced.
  struct GraftedField {
    let target: Unmanaged<SharedFields.Target>
    /// The values of before and after, borrowed (+0) from the state before the action and from the drafts of the shared
    /// values. Valid after the first ``graft(_:)`` of an action that has written nothing.
    let old: Slot
    let new: Slot
  }

  /// Whether ``graft(_:)`` has replaced a node.
  package var hasGrafted: Bool { !shared.grafted.isEmpty }

  /// What stands behind the shared fields to which ``graft(_:)`` has given other values. A value of other nodes that is
  /// equal is not another one. Called after the first ``graft(_:)`` of an action that has written nothing.
  package var graftedShared: [SharedFields.Target] {
    shared.grafted.compactMap { field in
      let isEqual = Value(borrowing: field.old) == Value(borrowing: field.new)
      return isEqual ? nil : field.target.takeUnretainedValue()
    }
  }

  /// Stores the current shared values in the containers of a draft and of those below it. Costs the
  /// number of shared fields there.
  package mutating func graft(_ draft: Int32) throws(DraftError) {
    guard let fields = drafts[Int(draft)].sharedFields?.takeUnretainedValue() else { return }
    let way = fields.hasChosen ? way(to: draft, fields) : nil
    try fields.visit(at: way) { (key, target) throws(DraftError) in
      try graft(target, key, draft)
    } below: { (key) throws(DraftError) in
      if case .draft(let child) = child(of: draft, key: key) { try graft(child) }
    }
    if fields.sharesElements { try graftElements(draft) }
  }

  private mutating func graftElements(_ draft: Int32) throws(DraftError) {
    let container = drafts[Int(draft)].container
    if container.tag == .list {
      for position in 0..<ListNode.total(container.address) {
        if case .draft(let element) = child(of: draft, at: position) { try graft(element) }
      }
    } else if container.isObject {
      let object = ObjectTree(borrowing: container)
      var next = 0
      while let position = object.livePosition(from: next) {
        if case .draft(let element) = child(of: draft, at: position) { try graft(element) }
        next = position + 1
      }
    }
  }

  private mutating func graft(
    _ target: SharedFields.Target, _ key: borrowing FieldKey, _ draft: Int32
  ) throws(DraftError) {
    let value = try current(target)
    let container = drafts[Int(draft)].container
    let position = key.position(in: container)
    guard position >= 0 else {
      if value.isAbsent || container.tag == .list { return }
      addGrafted(GraftedField(target: .passUnretained(target), old: .absent, new: value))
      try checkDepth(value, below: draft, key.bytes)
      return append(value.retained(), key.bytes, to: draft)
    }
    let old = DraftArena.element(of: container, at: position)
    if old.isIdentical(to: value) { return }
    addGrafted(GraftedField(target: .passUnretained(target), old: old, new: value))
    try checkDepth(value, below: draft, key.bytes)
    overwrite(draft, at: position, by: value.retained())
    if old.isPlainScalar && value.isPlainScalar {
      markScalarChanged(of: draft)
    } else {
      markChanged(draft)
    }
  }

  private mutating func addGrafted(_ field: GraftedField) {
    shared.grafted.append(field)
    hold(MemoryLayout<GraftedField>.stride)
  }

  private func checkDepth(
    _ value: Slot, below draft: Int32, _ key: UnsafeRawBufferPointer
  ) throws(DraftError) {
    guard !value.isContainer || value.fits(below: depth(of: draft)) else {
      throw tooDeep(value.retained(), at: path(of: draft, key))
    }
  }
}
