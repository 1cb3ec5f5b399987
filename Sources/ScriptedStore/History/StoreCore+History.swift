import LuaBridge

extension StoreCore {
  /// - Parameter recovered: what the history of a durable store begins with; nil for what the store is now.
  func attach(_ history: HistoryRecorder, from recovered: RecoveredStore? = nil) {
    history.begin(
      with: recovered?.state ?? state, recovered?.alarms ?? alarms?.all.map(\.note) ?? [],
      after: number, of: feature, overridden)
    add(history, isFirst: true)
  }

  /// Records actions and effects; nil in a store without a history.
  var history: HistoryRecorder? { audience.listeners.first as? HistoryRecorder }

  func go(to number: Int, _ history: HistoryRecorder, _ engine: Engine) {
    let hasEffects = (effects?.count ?? 0) > 0
    let state = history.log.entries.withLock { entries in
      entries.go(to: number, hasEffects: hasEffects)
      return entries.state(at: number)
    }
    guard let state else { return }
    self.number = number
    sharing?.isDetached = true
    // The jump is recorded before the ends of the effects that it cancels.
    history.recordGo(to: number)
    take(state, engine)
  }

  /// Sets a state (+0) in its final form on behalf of a tool, and records it as an entry.
  func edit(_ new: Slot, _ engine: Engine) {
    indexes.stacks.commit()
    let before = state
    replaceState(by: new, engine)
    publishEdited(from: before, engine)
    noteEdit(Action(trusted: ["type": "edit"]), from: before)
  }

  private func take(_ state: Value, _ engine: Engine) {
    state.withSlot { replaceState(by: $0, engine) }
  }

  /// Replays the entries from `first` on and stores their new states. The store then gets the new
  /// state of its position.
  ///
  /// The effects of the first reduction go on. So an entry is marked (``HistoryEntry/hasOtherEffects``) if its state before or after
  /// has changed, and it has effects or an effect has sent its action.
  ///
  /// - Parameter isTrial: whether a recording stays as it is unless something follows.
  func replay(
    from first: Int, isTrial: Bool = false, _ history: HistoryRecorder, _ engine: Engine
  ) -> ReplayReport {
    var report = ReplayReport()
    let (numbers, before) = history.log.entries.withLock { entries in
      (first..<max(first, entries.last + 1), entries.state(at: first - 1))
    }
    guard var state = before else { return report }
    var recorded = state
    let replay = HistoryReplay(self, history.dependencies, engine)
    for number in numbers {
      guard let entry = history.log.entries.withLock({ $0.entry(number) }) else { break }
      let result = replay.reduce(entry, from: state)
      report.add(entry, result)
      let isOther = !entry.isSkipped && (state != recorded || result.state != entry.state)
      let hasEffects =
        result.hasEffects || entry.source == .effect || !entry.started.isEmpty
        || entry.alarms != nil
      recorded = entry.state
      history.log.entries.withLock { entries in
        guard var stored = entries[number] else { return }
        stored.state = result.state
        stored.generation = Int32(truncatingIfNeeded: engine.current.number)
        var details = stored.details
        details.reads = result.reads
        details.warnings = result.warnings
        details.error = result.error
        if isOther && hasEffects { details.hasOtherEffects = true }
        stored.details = details
        entries[number] = stored
      }
      state = result.state
    }
    let position = history.log.entries.withLock { ($0.position, $0.state(at: $0.position)) }
    if position.0 >= first, let state = position.1 {
      sharing?.isDetached = true
      take(state, engine)
    }
    history.recordAgain(from: first, isDelayed: isTrial)
    return report
  }

  /// Reduces an action on a state other than the store's. Its effects are dropped, and the store
  /// does not change.
  ///
  /// - Parameters:
  ///   - old: borrowed (+0).
  ///   - stepped: for a step that took over shared values, the state in which it ended before.
  /// - Returns: the new state, owned (+1), and whether the reducers have returned effects.
  func reduce(
    _ action: Action, from old: Slot, steppedTo stepped: Value?, _ indexes: ElementIndexes,
    _ engine: Engine
  ) throws(ScriptError) -> (new: Slot, hasEffects: Bool) {
    let context = engine.context
    let arena = context.arena
    context.begin(action.slot, indexes, .passUnretained(dependencies))
    arena.pointee.begin(old)
    defer { arena.pointee.reset() }
    var (new, hasEffects) = (Slot.absent, false)
    do throws(ScriptError) {
      let slot = action.slot
      try context.vm.turn(limits) { () throws(ScriptError) in
        (new, hasEffects) = try reducePast(slot, from: old, steppedTo: stepped, engine)
        if domain.root.settles { try settle(&new, from: old, domain, context) }
      }
      indexes.stacks.commit()
      if domain.root.inspects && !new.isIdentical(to: old) {
        domain.root.inspect(context, old: old, new: new)
      }
      return (new, hasEffects)
    } catch {
      indexes.stacks.rollBack()
      var error = error
      error.feature = context.currentNode?.takeUnretainedValue().feature
      throw error
    }
  }
}
