import LuaBridge

/// The way of one action through the reducers: drafts, commit, settling, inspection, report, effects.
extension StoreCore {
  /// Reduces one action. Returns whether the state changed.
  @discardableResult
  @inline(__always)
  func reduce(
    _ action: borrowing Action, _ message: Message?, _ source: ActionRecord.Source,
    _ engine: Engine
  ) -> Bool {
    guard audience.accepts(action, message) else { return false }
    return engine.withContext { context in
      if action.slot.isAbsent { return refuse(action, of: message, from: source, context, engine) }
      return domainLink._withUnsafeGuaranteedRef { domain in
        if let sharing {
          SharedAttempt(
            core: self, sharing: sharing, domain: domain, context: context, engine: engine,
            source: source
          ).reduce(action, message)
        } else {
          reduce(action, of: message, from: source, by: domain, context, engine)
        }
      }
    }
  }

  /// Gives an action (+0) its number, and tells the listeners that it is about to be reduced.
  @inline(__always)
  func beginReducing(_ action: Slot, _ context: ReduceContext) {
    context.begin(action, indexes, .passUnretained(dependencies))
    number += 1
    audience.willReduce()
  }

  @inline(__always)
  private func reduce(
    _ action: borrowing Action, of message: Message?, from source: ActionRecord.Source,
    by domain: Domain, _ context: ReduceContext, _ engine: Engine
  ) -> Bool {
    let slot = action.slot
    beginReducing(slot, context)
    context.arena.pointee.begin(root)
    let attempt = attempt(domain, context) { () throws(ScriptError) in
      try domain.reduce(context, 0, slot)
    }
    context.arena.pointee.reset()
    return finish(attempt, action, of: message, from: source, context, engine)
  }

  /// Reports the error of a malformed literal.
  @inline(never)
  private func refuse(
    _ action: borrowing Action, of message: Message?, from source: ActionRecord.Source,
    _ context: ReduceContext, _ engine: Engine
  ) -> Bool {
    beginReducing(.absent, context)
    var attempt = Attempt()
    attempt.failure = action.flaw
    return finish(attempt, action, of: message, from: source, context, engine)
  }

  /// What one try to reduce an action came to.
  struct Attempt {
    /// The new state (+1); absent if the action raised.
    var new = Slot.absent
    var returned = ReturnedEffects.none
    var failure: ScriptError?
    /// Whether children may have appeared or disappeared.
    var isAffected = false
  }

  /// Runs the reducers on the drafts of the arena, and makes the new state. The arena still has the
  /// drafts when it returns.
  @inline(__always)
  func attempt(
    _ domain: Domain, _ context: ReduceContext,
    _ reducing: () throws(ScriptError) -> ReturnedEffects
  ) -> Attempt {
    let arena = context.arena
    var attempt = Attempt()
    do throws(ScriptError) {
      attempt.returned = try reducing()
      attempt.isAffected =
        arena.pointee.isReshapedAnywhere(0) && domain.root.isAffected(context, 0)
        || hasChildEffects && domain.root.traits.contains(.computes)
      attempt.new = try commit(arena)
      if attempt.isAffected && domain.root.settles {
        try settle(&attempt.new, from: root, domain, context)
      }
      if gate != nil { try requireRecordable(&attempt.new, context) }
    } catch {
      attempt.failure = turn.explained(error)
      attempt.failure?.feature = context.currentNode?.takeUnretainedValue().feature
      attempt.returned = .none
      indexes.stacks.rollBack()
    }
    return attempt
  }

  /// Throws if the record of the action would be too large. Then it releases the new state (+1), and sets it to absent.
  private func requireRecordable(_ new: inout Slot, _ context: ReduceContext) throws(ScriptError) {
    do throws(ScriptError) {
      for listener in audience.listeners { try listener.check(context.action, from: root, to: new) }
    } catch {
      new.release()
      new = .absent
      throw error
    }
  }

  /// Takes over what an attempt came to, reports it, and starts its effects. Returns whether the state
  /// changed.
  @inline(__always)
  func finish(
    _ attempt: Attempt, _ action: borrowing Action, of message: Message?,
    from source: ActionRecord.Source, _ context: ReduceContext, _ engine: Engine
  ) -> Bool {
    let changed = takeOver(attempt, action, of: message, from: source, context, engine)
    if !attempt.returned.isNone { start(attempt.returned, engine) }
    audience.didStartEffects()
    return changed
  }

  /// Settles the state (+1) that an action leaves. If that fails, releases it and sets it to
  /// absent. The ids that elements of stacks have got become final with the state: the caller
  /// commits or rolls back.
  func settle(
    _ new: inout Slot, from old: Slot, _ domain: Domain, _ context: ReduceContext
  ) throws(ScriptError) {
    guard !new.isIdentical(to: old) else { return }
    do throws(ScriptError) {
      if let settled = try domain.root.settle(context, old: old, new: new) {
        new.release()
        new = settled
      }
    } catch {
      new.release()
      new = .absent
      throw error
    }
  }

  @inline(__always)
  func commit(_ arena: UnsafeMutablePointer<DraftArena>) throws(ScriptError) -> Slot {
    do throws(DraftError) {
      return try arena.pointee.commit()
    } catch {
      throw ScriptError(error.message)
    }
  }

  /// Takes over the new state of an attempt, and reports what happened. Returns whether the state
  /// changed.
  @inline(__always)
  private func takeOver(
    _ attempt: Attempt, _ action: borrowing Action, of message: Message?,
    from source: ActionRecord.Source, _ context: ReduceContext, _ engine: Engine
  ) -> Bool {
    let old = root
    let new = attempt.new
    let changed = !new.isAbsent && !new.isIdentical(to: old)
    if !new.isAbsent { root = new } else { old.retain() }
    if attempt.isAffected {
      // The ids of a state that was not taken over have been rolled back.
      indexes.stacks.commit()
      if changed && (domain.root.inspects || hasChildEffects) { inspect(old, engine) }
    }
    let warnings = context.takeWarnings()
    if attempt.failure != nil || !warnings.isEmpty || audience.hasListeners {
      let isIdle = !changed && attempt.returned.isNone
      report(
        action, of: message, from: source, before: old, failure: attempt.failure,
        warnings: warnings, isIdle: isIdle, engine)
    }
    old.release()
    return changed
  }

  private func start(_ returned: ReturnedEffects, _ engine: Engine) {
    turn.action = number
    // An effect that only sends needs nothing but the queue.
    if case .effect(let node, let reducer, nil) = returned, case .send(let action) = node.operation
    {
      enqueue(
        Message(action, from: reducer.takeUnretainedValue(), kept: node.kept), engine)
    } else if let effectsLink {
      effectsLink._withUnsafeGuaranteedRef { $0.start(returned, root) }
    } else {
      inFlight(engine).start(returned, root)
    }
  }

  /// Whether effects of children are in flight, which have to end when their child disappears.
  var hasChildEffects: Bool {
    withEffects(\.places.hasChildren) ?? false
  }

  /// Reports problems of the new state, and cancels effects of children that disappeared.
  func inspect(_ old: Slot, _ engine: Engine) {
    let places = effects?.places
    engine.context.effects = places?.hasChildren == true ? places : nil
    domain.root.inspect(engine.context, old: old, new: root)
    engine.context.effects = nil
  }

  private func report(
    _ action: borrowing Action, of message: Message?, from source: ActionRecord.Source,
    before old: Slot, failure: ScriptError?, warnings: [RuntimeWarning], isIdle: Bool,
    _ engine: Engine
  ) {
    let action = copy action
    engine.report(warnings, of: self)
    if let failure {
      if source == .input { turn.inputErrors?.append(failure) }
      if !audience.listeners.contains(where: \.takesErrors) {
        engine.report(failure, action, of: self)
      }
    }
    guard audience.hasListeners else { return }
    let record = ActionRecord(
      number: number, source: source, feature: message?.sender?.feature,
      sender: source == .effect ? message?.cause : nil, action: action,
      transaction: message?.transaction, before: Value(borrowing: old),
      after: Value(borrowing: root), warnings: warnings, error: failure,
      isRefused: failure != nil || isIdle && !warnings.isEmpty, isIdle: failure != nil || isIdle)
    audience.didReduce(record)
    if audience.listeners.contains(where: \.leavesOut) { number -= 1 }
  }
}
