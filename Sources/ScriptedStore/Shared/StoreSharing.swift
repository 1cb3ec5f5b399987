import LuaBridge

/// What one store shares: its shared fields, and the version of the shared values that its state
/// shows.
///
/// 1. Where the state has a shared field, it contains the very node that is the shared value in
///    ``shown``, unless ``isDetached`` or ``lags``.
/// 2. ``pending`` exists only while an action is being reduced.
final class StoreSharing {
  let keys: KeyDeclarations
  let chosen: ChosenKeys
  let values: SharedValues
  /// Where the store says that it hears of changes.
  let worker: WorkerSharing
  private let snapshot: StateSnapshot
  private(set) var shown: SharedVersion
  /// Whether the state is one of the past, which a history shows. The store's next action attaches it
  /// again.
  var isDetached = false
  /// Whether the state could not be brought up to date, so that 1 does not hold. The next step tries it again.
  var lags = false
  private var hasPublished = false
  /// What the action has made of the values; nil if it wrote none.
  private var pending: Value.Object?
  /// Actions that have written a shared value since ``requireRoom(_:)`` has measured.
  private var writesSinceMeasure = 0
  /// Whether an `onChange` of the store may hear of a shared value.
  let hasReactions: Bool
  /// The last step's values and its action.
  private var lastStep: (targets: [SharedFields.Target], action: Action)?

  /// Nil if the reducer shares nothing.
  ///
  /// - Parameter snapshot: from which others read the store's state.
  init?(_ root: ReducerNode, _ worker: WorkerSharing, _ snapshot: StateSnapshot) {
    (values, self.worker, self.snapshot) = (worker.values, worker, snapshot)
    keys = KeyDeclarations(worker.values)
    chosen = ChosenKeys(keys, worker.values.uses)
    hasReactions = root.reacts
    shown = values.version
    fields.add { [unowned self] in root.addShared(to: $0, self) }
    guard fields.mayShare else { return nil }
    keys.checkFields()
  }

  var fields: SharedFields { keys.fields }

  /// The values of ``shown``, borrowed (+0).
  var slot: Slot { shown.values.storage.borrowedSlot }

  /// Whether the store does something when others change a shared value.
  var reacts: Bool { hasReactions || !chosen.isEmpty }

  // MARK: Versions

  /// Whether the state has to be brought up to date before an action runs on it.
  @inline(__always)
  var isStale: Bool { values.isNewer(than: shown.number) || isDetached }

  /// Shows the current version from now on. Returns false if no field can be another one by that.
  @discardableResult
  func showCurrent() -> Bool {
    let new = values.version
    let isNews = isDetached || lags || hasNews(in: new)
    isDetached = false
    show(new)
    return isNews
  }

  /// Whether a version has another value than ``shown`` for one of the fields.
  private func hasNews(in new: SharedVersion) -> Bool {
    let (old, new) = (slot, new.values.storage.borrowedSlot)
    return keys.targets.contains { !$0.value(in: old).isIdentical(to: $0.value(in: new)) }
  }

  func show(_ version: SharedVersion) {
    shown = version
    snapshot.shows(version.number, of: values)
  }

  /// What the store shows at one time, and which keys are chosen.
  struct Moment {
    fileprivate let shown: SharedVersion
    fileprivate let isDetached: Bool
    fileprivate let chosen: ChosenKeys.Moment
  }

  var moment: Moment { Moment(shown: shown, isDetached: isDetached, chosen: chosen.moment) }

  /// Goes back to what was shown before keys were chosen for a state that is not taken over.
  func goBack(to moment: Moment) {
    show(moment.shown)
    isDetached = moment.isDetached
    chosen.goBack(to: moment.chosen)
  }

  /// The values that a state of the store shows.
  func values(in state: Value) -> Value.Object {
    var values = Value.object(shown.values)
    fields.visitValues(of: state) { _, target, value in values.set(value, at: target.path[...]) }
    return values.object ?? Value.Object()
  }

  // MARK: An action

  /// Connects the arena's drafts with the values.
  ///
  /// - Parameter other: values (+0) that the state shows instead of ``shown``, as one of the past does.
  func open(_ context: ReduceContext, showing other: Slot? = nil) throws(ScriptError) {
    pending = nil
    try keys.check()
    context.arena.pointee.share(fields, other ?? slot, isBehind: lags)
    // Asked first, because a loop over no keys takes 5 % of an action that writes a shared value.
    if !keys.lateValues.isEmpty {
      for (key, value) in keys.lateValues { context.arena.pointee.addSharedValue(key, value) }
    }
    keys.arena = context.arena
  }

  func close() {
    keys.arena = nil
    pending = nil
  }

  /// Stores the shared values in the state's drafts, and notes what the action wrote to the values. O(1)
  /// if the action wrote to no shared value and added no container.
  ///
  /// - Parameter showsOlderVersion: whether the state shows an older version.
  func graft(_ context: ReduceContext, showsOlderVersion: Bool = false) throws(ScriptError) {
    let arena = context.arena
    let isChanged = arena.pointee.hasChangedShared
    guard isChanged || showsOlderVersion || arena.pointee.isReshapedAnywhere(0) else { return }
    do throws(DraftError) {
      if isChanged { pending = Value(owning: try arena.pointee.currentSharedValues()).object }
      try arena.pointee.graft(0)
    } catch {
      throw ScriptError(error.message)
    }
    // A reducer that was made in this action may have declared a key.
    try keys.check()
  }

  /// Throws if the action has written a value that its key cannot have: one that `check` refuses, or one of another type
  /// than the default, which the next start would not use. Called after ``graft(_:showsOlderVersion:)``.
  ///
  /// - Parameter old: the values (+0) before the action.
  func checkWritten(from old: Slot) throws(ScriptError) {
    guard !keys.checkedKeys.isEmpty, let pending else { return }
    let old = Value(borrowing: old)
    let written = keys.checkedKeys.filter { identity, _ in
      pending[identity].map { $0 != old[identity.text] } == true
    }
    // Of several refusals, the same is told each time.
    for (identity, key) in written.sorted(by: { $0.key.text < $1.key.text }) {
      guard let value = pending[identity] else { continue }
      do throws(ScriptError) {
        // What no table can have is the value's `saveError`.
        if key.kind != .database {
          try SharedKey.requireType(
            of: value, like: values.declaration(of: identity)?.value, as: "what the action wrote")
        }
      } catch {
        throw ScriptError(
          "the shared value '\(key.name)' cannot be stored: \(error.message). Give it a value of that type, or raise the `version` of the key"
        )
      }
      do throws(ScriptError) {
        try key.check(value)
      } catch {
        var refusal = error
        refusal.message =
          "the `check` of the shared value '\(key.name)' refuses what the action wrote: \(error.message)"
        throw refusal
      }
    }
  }

  /// Throws if the action has made the shared values larger than they may be. Called after ``graft(_:showsOlderVersion:)``.
  ///
  /// Measures as the arena measures states: after an action that has written more than 4096 bytes, and after every 64th that
  /// has written a shared value.
  func requireRoom(_ context: ReduceContext) throws(ScriptError) {
    guard let sizes = values.sizes, let pending else { return }
    writesSinceMeasure += 1
    guard context.arena.pointee.bytesRead > 4096 || writesSinceMeasure >= 64 else { return }
    try sizes.require(pending, after: shown.values)
    writesSinceMeasure = 0
  }

  /// A state (+0) in which the shared fields have these values (+0), owned (+1).
  func grafted(
    _ state: Slot, with values: Slot, _ context: ReduceContext
  ) throws(ScriptError) -> Slot {
    let (arena, written) = (context.arena, pending)
    arena.pointee.begin(state)
    defer {
      arena.pointee.reset()
      close()
      pending = written
    }
    try open(context, showing: values)
    do throws(DraftError) {
      try arena.pointee.graft(0)
      return try arena.pointee.commit()
    } catch {
      throw ScriptError(error.message)
    }
  }

  /// Publishes what the action wrote. Returns false, if another thread has changed a value that the
  /// action has opened.
  ///
  /// - Parameters:
  ///   - opensAll: whether the action counts as one that has opened all values.
  ///   - current: the current version, if the action runs alone.
  func publish(
    _ context: ReduceContext, opensAll: Bool, alone current: UnsafeMutablePointer<SharedVersion>?
  ) -> Bool {
    guard let new = pending else { return true }
    pending = nil
    let (arena, old) = (context.arena, shown)
    let opened = { [self] () -> [String]? in
      opensAll ? nil : arena.pointee.openedSharedKeys.map { $0 + keys.lateValues.keys }
    }
    let isStored = opensAll || arena.pointee.hasOpenedStored
    let isPublished =
      if let current {
        current.pointee.take(new, basedOn: old, opened: opened)
      } else {
        values.publish(new, basedOn: old, isStored: isStored, opened: opened)
      }
    guard isPublished else { return false }
    if !keys.lateValues.isEmpty { keys.lateValues = [:] }
    // What others have changed meanwhile comes with the next step.
    let isOnlyOne = !values.isNewer(than: old.number + 1)
    show(SharedVersion(number: isOnlyOne ? old.number + 1 : old.number, values: new))
    hasPublished = true
    return true
  }

  func takePublished() -> Bool {
    defer { hasPublished = false }
    return hasPublished
  }

  /// Makes nodes of shared values that a settled state (+0) has, and ``pending`` does not, the values.
  /// Returns the state with them, owned (+1); nil if there are none.
  func adopt(from state: Slot, _ context: ReduceContext) throws(ScriptError) -> Slot? {
    guard var new = pending else { return nil }
    var adopted: Set<String> = []
    fields.visitValues(of: Value(borrowing: state)) { _, target, value in
      guard let value, target.path.count == 1, value != new[target.value],
        adopted.insert(target.value).inserted
      else { return }
      new[target.value] = value
    }
    guard !adopted.isEmpty else { return nil }
    pending = new
    let values = Value.object(new).ownedSlot()
    defer { values.release() }
    return try grafted(state, with: values, context)
  }

  /// The action of the step that takes over the values behind fields.
  func step(to targets: [SharedFields.Target]) -> Action {
    if let lastStep, lastStep.targets.elementsEqual(targets, by: ===) { return lastStep.action }
    let keys = Set(targets.map { $0.identity.name }).sorted()
      .map { Value.string($0) }
    let action = Action(trusted: ["type": "shared", "keys": .array(Value.List(keys))])
    lastStep = (targets, action)
    return action
  }

  // MARK: Tests

  /// A state that a test expects, in which all fields of one shared value agree: with the fields that the
  /// test has changed, else with the state from before. Fields of children that are new are there too.
  /// Throws if the test has changed one value in different ways.
  ///
  /// - Parameters:
  ///   - expected: what the test made of `before`.
  ///   - before: a state of the store.
  ///   - choices: what stands behind the chosen fields in both; the others of these are not shared.
  func agreed(
    _ expected: Value, before: Value, _ choices: SharedFields.Choices, _ context: ReduceContext
  ) throws(ScriptError) -> Value {
    try chosen.showing(only: choices) { () throws(ScriptError) in
      try agreed(expected, before: before, context)
    }
  }

  private func agreed(
    _ expected: Value, before: Value, _ context: ReduceContext
  ) throws(ScriptError) -> Value {
    var values = Value.object(shown.values)
    var known: [String: Value?] = [:]
    fields.visitValues(of: before) { place, target, value in
      known[place] = .some(value)
      values.set(value, at: target.path[...])
    }
    let unchanged = values
    var last = ""
    try fields.visitValues(of: expected) { (place, target, value) throws(ScriptError) in
      // A child that is new has no field before, and need not have one.
      let old = known[place] ?? value.map { _ in unchanged.part(at: target.path[...]) } ?? value
      guard value != old else { return }
      var changed = unchanged
      changed.set(value, at: target.path[...])
      let merge = ValueMerge(ours: values, theirs: changed, base: unchanged)
      guard !merge.hasConflict, let merged = merge.value else {
        throw ScriptError(
          "`state\(last)` and `state\(place)` show one shared value, and the test expects another one in each; expect it in one place"
        )
      }
      (values, last) = (merged, place)
    }
    let (slot, shared) = (expected.ownedSlot(), values.ownedSlot())
    defer {
      slot.release()
      shared.release()
    }
    return Value(owning: try grafted(slot, with: shared, context))
  }
}
