import LuaBridge

/// One action, or one step, of a store that shares something.
///
/// 1. It runs on one version of all values, because the state was brought up to date before it.
/// 2. What it wrote to shared values is published with the store's own state, or neither is. If another
///    thread has changed a value that it has read or written, the try is dropped before any observer,
///    effect or listener sees it, and the action is reduced again.
/// 3. A *step* takes over what others have changed: no handler gets its action, but each `onChange` of a
///    changed value.
struct SharedAttempt {
  let core: StoreCore
  let sharing: StoreSharing
  let domain: Domain
  let context: ReduceContext
  let engine: Engine
  let source: ActionRecord.Source

  private var isStep: Bool { source == .shared }

  /// Reduces an action after a step that brings the state up to date, and before one that takes over the values of
  /// keys that the new state chooses. Returns whether the state changed.
  @inline(never)
  func reduce(_ action: borrowing Action, _ message: Message?) -> Bool {
    var changed = sharing.isStale && core.takeSharedStep(engine)
    changed = run(action, message) || changed
    if !sharing.chosen.isEmpty { changed = core.takeKeyStep(after: action, engine) || changed }
    return changed
  }

  /// Tries until no other thread is in the way, reports what came of it, and starts its effects.
  /// Returns whether the state changed.
  @inline(__always)
  func run(_ action: borrowing Action, _ message: Message?) -> Bool {
    var changed = false
    let result =
      attempt(action.slot, showsOlderVersion: isStep) ?? attemptAgain(action.slot, &changed)
    changed = core.finish(result, action, of: message, from: source, context, engine) || changed
    if sharing.takePublished() { engine.sharing.didPublish() }
    return changed
  }

  /// Tries again on newer values, after a try that had to be dropped (2). The third try runs while no other
  /// thread can change a value.
  @inline(never)
  private func attemptAgain(_ action: Slot, _ changed: inout Bool) -> StoreCore.Attempt {
    changed = drop() || changed
    if let result = attempt(action, showsOlderVersion: isStep) { return result }
    changed = drop() || changed
    return sharing.values.alone { current in
      let isBehind = sharing.shown.number != current.number
      if isBehind { sharing.show(current) }
      return attempt(action, showsOlderVersion: isStep || isBehind, alone: &current)
        ?? StoreCore.Attempt()
    }
  }

  /// Drops a try, and brings the state up to date. Returns whether a step has changed the state by that.
  private func drop() -> Bool {
    core.number -= 1
    core.indexes.stacks.rollBack()
    _ = context.takeWarnings()
    if isStep {
      sharing.showCurrent()
      return false
    }
    return core.takeSharedStep(engine)
  }

  /// One try. Nil if another thread has changed a shared value that the action has opened.
  ///
  /// - Parameters:
  ///   - showsOlderVersion: whether the state shows an older version than the action runs on.
  ///   - current: the current version, if the action runs alone. Then the result is not nil.
  private func attempt(
    _ action: Slot, showsOlderVersion: Bool,
    alone current: UnsafeMutablePointer<SharedVersion>? = nil
  ) -> StoreCore.Attempt? {
    core.beginReducing(action, context)
    context.arena.pointee.begin(core.root)
    defer {
      sharing.close()
      context.arena.pointee.reset()
      context.reactions = nil
    }
    var result = core.attempt(domain, context) { () throws(ScriptError) in
      let returned = try runReducers(action, from: core.root, showsOlderVersion: showsOlderVersion)
      try sharing.requireRoom(context)
      return returned
    }
    if showsOlderVersion { sharing.lags = result.failure != nil }
    guard result.failure == nil else { return result }
    // Settling may have changed the node of a shared value, as by giving ids to the elements of a stack.
    var hasAdopted = false
    do throws(ScriptError) {
      if result.isAffected, let adopted = try sharing.adopt(from: result.new, context) {
        result.new.release()
        result.new = adopted
        hasAdopted = true
      }
    } catch {
      result.new.release()
      core.indexes.stacks.rollBack()
      return StoreCore.Attempt(failure: error)
    }
    // Adopting a node has reset the arena, which knew what the action opened.
    if sharing.publish(context, opensAll: hasAdopted, alone: current) { return result }
    result.new.release()
    return nil
  }

  /// Runs the reducers on the arena's drafts of the state and on drafts of the shared values.
  ///
  /// - Parameters:
  ///   - old: the state before (+0).
  ///   - values: the values (+0) that it shows, instead of those of ``StoreSharing/shown``.
  ///   - showsOlderVersion: whether it shows other values than these.
  func runReducers(
    _ action: Slot, from old: Slot, showing values: Slot? = nil, showsOlderVersion: Bool
  ) throws(ScriptError) -> ReturnedEffects {
    if sharing.hasReactions { context.reactions = SharedReactions() }
    try sharing.open(context, showing: values)
    if showsOlderVersion { try sharing.graft(context, showsOlderVersion: true) }
    var returned = isStep ? .none : try domain.reduce(context, 0, action)
    if let reactions = context.reactions,
      showsOlderVersion || context.arena.pointee.hasChangedShared
    {
      returned = returned.followed(
        by: try reactions.run(domain.root, context, from: old, action))
    }
    try sharing.graft(context)
    try sharing.checkWritten(from: values ?? sharing.slot)
    return returned
  }
}

/// What each `onChange` of a store has heard of so far, while an action runs that changes shared
/// values.
///
/// An `onChange` that the action passes compares the values around its base, as ever. When the
/// reducers have run, those hear of changed shared values that the action has not passed. An
/// `onChange` that has run already compares with what it has left behind, so it does not hear of its
/// own writes.
final class SharedReactions {
  private struct Listener: Hashable {
    let node: ObjectIdentifier
    /// ``ReduceContext/elementPathHash``, which tells the elements of lists apart.
    let element: UInt64
  }

  /// The last value of each `onChange` that has run, owned (+1).
  private var heard: [Listener: Slot] = [:]
  /// The number of runs of an `onChange`.
  private var count = 0
  /// More runs than this in one action are a loop.
  static let mostRuns = 1000

  deinit { for value in heard.values { value.release() } }

  /// What the `onChange` has last seen, borrowed (+0); nil if it has not run.
  func lastValue(of node: ReducerNode, _ element: UInt64) -> Slot? {
    heard[Listener(node: ObjectIdentifier(node), element: element)]
  }

  /// Records that an `onChange` has run, and the value (+1) that it left behind.
  func record(_ value: Slot, of node: ReducerNode, _ element: UInt64) {
    count += 1
    heard.updateValue(value, forKey: Listener(node: ObjectIdentifier(node), element: element))?
      .release()
  }

  /// Runs the `onChange` operators of changed shared values, also those that their changes reach.
  func run(
    _ root: ReducerNode, _ context: ReduceContext, from old: Slot, _ action: Slot
  ) throws(ScriptError) -> ReturnedEffects {
    var returned = ReturnedEffects.none
    var before: Int
    repeat {
      before = count
      returned = returned.followed(by: try root.react(context, 0, old: old, action))
      if count > SharedReactions.mostRuns {
        throw ScriptError(
          "onChange operators of shared values changed each other's values \(count) times in one action; "
            + "let one of them stop when its value is already what it wants")
      }
    } while count > before
    return returned
  }
}
