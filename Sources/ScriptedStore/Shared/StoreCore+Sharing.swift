import LuaBridge

// How a store with shared fields reduces.
//
// 1. The store's state is brought up to date before each action (``takeSharedStep(_:)``). So the action
//    runs on one version of all values.
// 2. What the action wrote to shared values is published with its own state, or neither is. If another
//    thread has changed a value that the action has read or written, the attempt is dropped before any
//    observer, effect or listener sees it, and the action is reduced again.
// 3. A change that came from elsewhere is a step of its own: an action of the type `shared`, which no
//    handler gets, but each `onChange` of a changed value.

extension StoreCore {
  /// Shares what the domain shares, and brings the initial state up to date.
  func beginSharing(_ engine: Engine) throws(ScriptError) {
    if let refusal = try makeSharing(engine) { throw refusal }
    guard sharing != nil else { return }
    let new = try grafted(state, engine)
    root.release()
    root = new
    box.publish(root)
  }

  /// Whether the store takes over at once what others do to shared values.
  var hears: Bool {
    guard let sharing else { return false }
    return observers != nil || views != nil || !listeners.isEmpty || sharing.reacts
  }

  /// - Returns: why a value of the state cannot be the first one of its key; nil if all can.
  private func makeSharing(_ engine: Engine) throws(ScriptError) -> ScriptError? {
    share(nil)
    guard engine.modules.features.haveSharedFields,
      let new = StoreSharing(domain.root, engine.shared, engine.hearers, box)
    else { return nil }
    try new.check()
    let refusal = new.setFirstValues(from: state)
    new.warnOfPlainFields(in: state)
    new.showCurrent()
    engine.report(new.takeWarnings(), of: self)
    share(new)
    try engine.keep(new.takeKeptKeys(), dependencies)
    // What beginning to keep a key has changed is no step of the store.
    new.showCurrent()
    return refusal
  }

  /// A state in which the shared fields are as in the version that the store shows, owned (+1).
  func grafted(_ state: Value, _ engine: Engine) throws(ScriptError) -> Slot {
    let slot = state.ownedSlot()
    guard let sharing else { return slot }
    defer { slot.release() }
    if try chooseKeys(sharing, for: state, engine) { sharing.showCurrent() }
    sharing.newChoices = []
    return try sharing.grafted(slot, with: sharing.slot, engine.context)
  }

  // MARK: Actions

  /// Reduces an action of a store that shares something. Returns whether the state changed.
  @inline(never)
  func reduceSharing(
    _ sharing: Owned<StoreSharing>, _ action: borrowing Action, _ message: Message?,
    _ source: ActionRecord.Source, _ domain: Domain, _ context: ReduceContext, _ engine: Engine
  ) -> Bool {
    let slot = action.slot
    return sharing.borrow { sharing in
      var changed = sharing.isStale && takeSharedStep(engine)
      changed =
        reduceSharing(sharing, action, message, source, domain, context, engine) {
          () throws(ScriptError) in try domain.reduce(context, 0, slot)
        } || changed
      if sharing.hasDynamicFields { changed = takeKeyStep(after: action, engine) || changed }
      return changed
    }
  }

  /// Asks which keys the state of now needs. If they are others, takes their values over as a step, after
  /// which the functions are asked again. Returns whether the state changed.
  private func takeKeyStep(after action: borrowing Action, _ engine: Engine) -> Bool {
    guard let sharing else { return false }
    var changed = false
    do throws(ScriptError) {
      for _ in 0..<StoreCore.mostKeySteps {
        guard try chooseKeys(sharing, for: state, engine) else { return changed }
        changed = takeSharedStep(engine, hasNewKeys: true) || changed
        sharing.newChoices = []
      }
      throw ScriptError(
        "functions in `shared` of \(domain.name) choose other keys again and again, because they depend on the values of these keys"
      )
    } catch {
      // The functions before the one that raised may have chosen other keys.
      if !sharing.newChoices.isEmpty {
        changed = takeSharedStep(engine, hasNewKeys: true) || changed
        sharing.newChoices = []
      }
      engine.report(
        [
          RuntimeWarning(
            kind: .sharedStorage,
            message:
              "the key of a shared field cannot be chosen, so the field shows the value that it had: \(error)",
            origin: domain.name, action: action.path)
        ], of: self)
    }
    return changed
  }

  /// More steps for new keys after one action are a loop.
  private static var mostKeySteps: Int { 10 }

  private func chooseKeys(
    _ sharing: StoreSharing, for state: Value, _ engine: Engine
  ) throws(ScriptError) -> Bool {
    guard try sharing.chooseKeys(for: state) else { return false }
    try engine.keep(sharing.takeKeptKeys(), dependencies)
    engine.report(sharing.takeWarnings(), of: self)
    return true
  }

  @inline(__always)
  private func reduceSharing(
    _ sharing: StoreSharing, _ action: borrowing Action, _ message: Message?,
    _ source: ActionRecord.Source, _ domain: Domain, _ context: ReduceContext, _ engine: Engine,
    isStale: Bool = false, _ reducing: () throws(ScriptError) -> ReturnedEffects
  ) -> Bool {
    context.begin(action.slot, indexes, .passUnretained(dependencies))
    number += 1
    var result = Attempt()
    var changed = false
    if !attempt(&result, sharing, action.slot, domain, context, isStale: isStale, reducing) {
      changed = attemptAgain(
        &result, sharing, action, source, domain, context, engine, isStale: isStale, reducing)
    }
    changed = finish(result, action, message, source, context, engine) || changed
    if sharing.takePublished() { engine.didPublishShared() }
    return changed
  }

  /// Reduces an action again on newer values, after a try that had to be dropped (2). The third try runs while no
  /// other thread can change a value. Returns whether the state has changed already by a step.
  @inline(never)
  private func attemptAgain(
    _ result: inout Attempt, _ sharing: StoreSharing, _ action: borrowing Action,
    _ source: ActionRecord.Source, _ domain: Domain, _ context: ReduceContext, _ engine: Engine,
    isStale: Bool, _ reducing: () throws(ScriptError) -> ReturnedEffects
  ) -> Bool {
    let slot = action.slot
    var changed = false
    for isLast in [false, true] {
      number -= 1
      indexes.stacks.rollBack()
      _ = context.takeWarnings()
      if source == .shared {
        sharing.showCurrent()
      } else {
        changed = takeSharedStep(engine) || changed
      }
      context.begin(slot, indexes, .passUnretained(dependencies))
      number += 1
      if !isLast {
        let isDone = attempt(&result, sharing, slot, domain, context, isStale: isStale, reducing)
        if isDone { break }
        continue
      }
      result = sharing.values.alone { current in
        let isBehind = sharing.shown.number != current.number
        if isBehind { sharing.show(current) }
        var result = Attempt()
        _ = attempt(
          &result, sharing, slot, domain, context, isStale: isStale || isBehind, alone: &current,
          reducing)
        return result
      }
    }
    return changed
  }

  /// One try to reduce an action. Returns false if another thread has changed a shared value that the action
  /// has opened.
  ///
  /// - Parameters:
  ///   - result: what the try came to, if it returns true.
  ///   - isStale: whether the state shows an older version than the action runs on.
  ///   - current: the current version, if the action runs alone. Then it returns true.
  private func attempt(
    _ result: inout Attempt, _ sharing: StoreSharing, _ action: Slot, _ domain: Domain,
    _ context: ReduceContext, isStale: Bool,
    alone current: UnsafeMutablePointer<SharedVersion>? = nil,
    _ reducing: () throws(ScriptError) -> ReturnedEffects
  ) -> Bool {
    let arena = context.arena
    arena.pointee.begin(root)
    for listener in listeners { listener.willRun() }
    if sharing.hasReactions { context.reactions = SharedReactions() }
    defer {
      sharing.close()
      arena.pointee.reset()
      context.reactions = nil
    }
    result = attempt(domain, context) { () throws(ScriptError) in
      try sharing.open(context)
      if isStale { try sharing.graft(context, isStale: true) }
      var returned = try reducing()
      if isStale || arena.pointee.hasChangedShared {
        returned = returned.followed(by: try react(domain, context, from: root, action))
      }
      try sharing.graft(context)
      try sharing.checkWritten(from: sharing.slot)
      try sharing.requireRoom(context)
      return returned
    }
    if isStale { sharing.lags = result.failure != nil }
    guard result.failure == nil else { return true }
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
      result = Attempt(failure: error)
      return true
    }
    // Adopting a node has reset the arena, which knew what the action opened.
    if sharing.publish(context, opensAll: hasAdopted, alone: current) { return true }
    result.new.release()
    return false
  }

  /// Runs the `onChange` operators of changed shared values, also those that their changes reach.
  private func react(
    _ domain: Domain, _ context: ReduceContext, from old: Slot, _ action: Slot
  ) throws(ScriptError) -> ReturnedEffects {
    guard let reactions = context.reactions else { return .none }
    var returned = ReturnedEffects.none
    var count: Int
    repeat {
      count = reactions.count
      returned = returned.followed(
        by: try domain.root.react(context, 0, old: old, action))
      if reactions.count > SharedReactions.mostRuns {
        throw ScriptError(
          "onChange operators of shared values changed each other's values \(reactions.count) times in one action; "
            + "let one of them stop when its value is already what it wants")
      }
    } while reactions.count > count
    return returned
  }

  // MARK: The past and other code

  /// Shares what a new generation's code shares, and brings the state up to date. A field that has
  /// become shared brings its value as the first value of a key that is new.
  func shareAgain(_ engine: Engine) {
    let wasDetached = sharing?.isDetached == true
    do throws(ScriptError) {
      if let refusal = try makeSharing(engine) {
        engine.report(refusal, Action(trusted: ["type": "shared"]), of: self)
      }
      guard let sharing else { return }
      sharing.isDetached = wasDetached
      guard !wasDetached else { return }
      let new = try grafted(state, engine)
      replaceState(by: new, engine)
      new.release()
    } catch {
      sharing?.lags = true
      engine.report(error, Action(trusted: ["type": "shared"]), of: self)
    }
  }

  /// Throws if what a tool changes in shared fields cannot be the shared values.
  func requireUsable(edited state: Value, _ engine: Engine) throws(ScriptError) {
    guard let sharing else { return }
    // What is edited may be a state of the past.
    try sharing.choosing(for: self.state) { () throws(ScriptError) in
      let choices = sharing.fields.choices
      let edited =
        (try? sharing.agreed(state, before: self.state, choices, engine.context)) ?? state
      let (old, new) = (sharing.values(in: self.state), sharing.values(in: edited))
      for key in old.changedKeys(to: new) {
        try sharing.values.requireUsable(new[key], of: key) { value throws(ScriptError) in
          try engine.check(value, of: key)
        }
      }
    }
  }

  /// Makes what a tool has changed in shared fields the shared values.
  func publishEdited(from before: Value, _ engine: Engine) {
    guard let sharing else { return }
    // What was edited may be a state of the past.
    if sharing.isDetached { _ = try? chooseKeys(sharing, for: before, engine) }
    let choices = sharing.fields.choices
    let edited =
      (try? sharing.agreed(state, before: before, choices, engine.context)) ?? state
    let (old, new) = (sharing.values(in: before), sharing.values(in: edited))
    sharing.isDetached = false
    for key in old.changedKeys(to: new) {
      sharing.values.set(key, to: new[key])
      engine.didPublishShared()
    }
    sharing.showCurrent()
    guard let slot = try? grafted(edited, engine) else {
      sharing.lags = true
      return
    }
    replaceState(by: slot, engine)
    slot.release()
  }

  /// Reduces an action or a step on a state of the past, or on one that it would have led to. What it
  /// writes to shared values stays in the result.
  ///
  /// - Parameters:
  ///   - old: borrowed (+0).
  ///   - stepped: for a step, the state in which it ended before.
  /// - Returns: the new state, owned (+1), before it is settled.
  func reducePast(
    _ action: Slot, from old: Slot, steppedTo stepped: Value?, _ context: ReduceContext
  ) throws(ScriptError) -> Slot {
    guard let sharing else {
      _ = try domain.reduce(context, 0, action)
      return try commit(context.arena)
    }
    return try sharing.choosing(for: stepped ?? Value(borrowing: old)) { () throws(ScriptError) in
      try reducePast(sharing, action, from: old, steppedTo: stepped, context)
    }
  }

  private func reducePast(
    _ sharing: StoreSharing, _ action: Slot, from old: Slot, steppedTo stepped: Value?,
    _ context: ReduceContext
  ) throws(ScriptError) -> Slot {
    let values = Value.object(sharing.values(in: stepped ?? Value(borrowing: old))).ownedSlot()
    if sharing.hasReactions { context.reactions = SharedReactions() }
    defer {
      context.arena.pointee.reset()
      values.release()
      sharing.close()
      context.reactions = nil
    }
    try sharing.open(context, showing: values)
    if stepped == nil {
      _ = try domain.reduce(context, 0, action)
    } else {
      try sharing.graft(context, isStale: true)
    }
    if stepped != nil || context.arena.pointee.hasChangedShared {
      _ = try react(domain, context, from: old, action)
    }
    try sharing.graft(context)
    try sharing.checkWritten(from: values)
    return try commit(context.arena)
  }

  // MARK: Steps

  /// Takes over the shared values that others have changed, as a step of its own. Returns whether the
  /// state changed.
  @discardableResult
  func takeSharedStep(_ engine: Engine, hasNewKeys: Bool = false) -> Bool {
    guard let sharing, hasNewKeys || sharing.isStale else { return false }
    if sharing.isDetached { _ = try? chooseKeys(sharing, for: state, engine) }
    guard sharing.showCurrent() || hasNewKeys else { return false }
    return engine.withContext { context in
      guard let action = step(sharing, context) else { return false }
      return ownedDomain.borrow { domain in
        // No handler gets the action, and `react` runs because the state is stale.
        reduceSharing(sharing, action, nil, .shared, domain, context, engine, isStale: true) {
          .none
        }
      }
    }
  }

  /// The step that brings the state up to date; nil if it is. If all values are equal to those that the state has, the
  /// state gets their nodes (1 of ``StoreSharing``), and nobody hears of it.
  private func step(_ sharing: StoreSharing, _ context: ReduceContext) -> Action? {
    let arena = context.arena
    arena.pointee.begin(root)
    defer {
      sharing.close()
      arena.pointee.reset()
    }
    do throws(ScriptError) {
      try sharing.open(context)
      try sharing.graft(context, isStale: true)
      let changed = arena.pointee.graftedShared
      if changed.isEmpty, arena.pointee.hasGrafted {
        let new = try commit(arena)
        root.release()
        root = new
        indexes.dropIndexes()
        box.publish(root)
      }
      return changed.isEmpty ? nil : sharing.step(to: changed)
    } catch {
      // The step fails in the same way, and says so.
      return Action(trusted: ["type": "shared", "keys": ["?"]])
    }
  }

  /// Takes over what others have changed, and reduces what follows from it.
  func takeSharedSteps(_ engine: Engine) {
    guard let sharing, sharing.isStale, !sharing.isDetached, !isBusy else { return }
    // What the step starts is no part of what the store is doing.
    let outer = effects?.rootJob
    effects?.rootJob = nil
    inTurn(engine) {
      let changed = takeSharedStep(engine)
      return hasQueue ? drain(engine) || changed : changed
    }
    burst.end()
    effects?.rootJob = outer?.rootJob
  }
}
