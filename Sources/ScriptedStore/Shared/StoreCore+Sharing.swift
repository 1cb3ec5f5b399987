import LuaBridge

/// How a store takes part in shared values. ``SharedAttempt`` reduces its actions and steps.
extension StoreCore {
  /// Shares what the domain shares, and brings the initial state up to date.
  func beginSharing(_ engine: Engine, isRecovered: Bool) throws(ScriptError) {
    if let refusal = try makeSharing(engine, skipsFirstValues: isRecovered) { throw refusal }
    guard sharing != nil else { return }
    let new = try grafted(state, engine)
    root.release()
    root = new
    snapshot.publish(root)
  }

  /// Whether the store takes over at once what others do to shared values.
  var hears: Bool {
    guard let sharing else { return false }
    return audience.isObserved || audience.hasListeners || sharing.reacts
  }

  /// - Returns: why a value of the state cannot be the first one of its key; nil if all can.
  private func makeSharing(
    _ engine: Engine, skipsFirstValues: Bool = false
  ) throws(ScriptError) -> ScriptError? {
    share(nil)
    guard engine.current.features.haveSharedFields,
      let new = StoreSharing(domain.root, engine.sharing, snapshot)
    else { return nil }
    try new.keys.check()
    let refusal = new.keys.setFirstValues(from: state, skips: skipsFirstValues)
    new.keys.warnOfPlainFields(in: state)
    new.showCurrent()
    engine.report(new.keys.takeWarnings(), of: self)
    share(new)
    try engine.sharing.keep(new.keys.takeKeptKeys(), dependencies)
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
    sharing.chosen.newChoices = []
    return try sharing.grafted(slot, with: sharing.slot, engine.context)
  }

  // MARK: Actions

  /// Asks which keys the state of now needs. If they are others, takes their values over as a step, after
  /// which the functions are asked again. Returns whether the state changed.
  func takeKeyStep(after action: borrowing Action, _ engine: Engine) -> Bool {
    guard let sharing else { return false }
    var changed = false
    do throws(ScriptError) {
      for _ in 0..<StoreCore.mostKeySteps {
        guard try chooseKeys(sharing, for: state, engine) else { return changed }
        changed = takeSharedStep(engine, hasNewKeys: true) || changed
        sharing.chosen.newChoices = []
      }
      throw ScriptError(
        "functions in `shared` of \(domain.name) choose other keys again and again, because they depend on the values of these keys"
      )
    } catch {
      // The functions before the one that raised may have chosen other keys.
      if !sharing.chosen.newChoices.isEmpty {
        changed = takeSharedStep(engine, hasNewKeys: true) || changed
        sharing.chosen.newChoices = []
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
    guard try sharing.chosen.choose(for: state) else { return false }
    try engine.sharing.keep(sharing.keys.takeKeptKeys(), dependencies)
    engine.report(sharing.keys.takeWarnings(), of: self)
    return true
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
    try sharing.chosen.choosing(for: self.state) { () throws(ScriptError) in
      let choices = sharing.fields.choices
      let edited =
        (try? sharing.agreed(state, before: self.state, choices, engine.context)) ?? state
      let (old, new) = (sharing.values(in: self.state), sharing.values(in: edited))
      for key in old.changedKeys(to: new) {
        try sharing.values.requireUsable(new[key], of: key) { value throws(ScriptError) in
          try engine.sharing.check(value, of: key)
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
      engine.sharing.didPublish()
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
  /// - Returns: the new state, owned (+1), before it is settled, and whether the reducers have returned effects.
  func reducePast(
    _ action: Slot, from old: Slot, steppedTo stepped: Value?, _ engine: Engine
  ) throws(ScriptError) -> (new: Slot, hasEffects: Bool) {
    let context = engine.context
    guard let sharing else {
      let returned = try domain.reduce(context, 0, action)
      return (try commit(context.arena), !returned.isNone)
    }
    let attempt = SharedAttempt(
      core: self, sharing: sharing, domain: domain, context: context, engine: engine,
      source: stepped == nil ? .input : .shared)
    let shown = stepped ?? Value(borrowing: old)
    return try sharing.chosen.choosing(for: shown) { () throws(ScriptError) in
      let values = Value.object(sharing.values(in: shown)).ownedSlot()
      defer {
        context.arena.pointee.reset()
        values.release()
        sharing.close()
        context.reactions = nil
      }
      let returned = try attempt.runReducers(
        action, from: old, showing: values, showsOlderVersion: stepped != nil)
      return (try commit(context.arena), !returned.isNone)
    }
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
      return SharedAttempt(
        core: self, sharing: sharing, domain: domain, context: context, engine: engine,
        source: .shared
      ).run(action, nil)
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
      try sharing.graft(context, showsOlderVersion: true)
      let changed = arena.pointee.graftedShared
      if changed.isEmpty, arena.pointee.hasGrafted {
        let new = try commit(arena)
        root.release()
        root = new
        indexes.dropIndexes()
        if gate == nil { snapshot.publish(root) }
      }
      return changed.isEmpty ? nil : sharing.step(to: changed)
    } catch {
      // The step fails in the same way, and says so.
      return Action(trusted: ["type": "shared", "keys": ["?"]])
    }
  }

  /// Takes over what others have changed, and reduces what follows from it.
  func takeSharedSteps(_ engine: Engine) {
    guard let sharing, sharing.isStale, !sharing.isDetached, !turn.isReducing else { return }
    // What the step starts is no part of what the store is doing.
    turn.asPart(of: nil) {
      inDrain(engine) {
        let changed = takeSharedStep(engine)
        return turn.hasQueue ? drain(engine) || changed : changed
      }
      turn.end()
    }
  }
}
