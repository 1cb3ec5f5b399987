import LuaBridge

/// Changes of a store that no action makes: reloads, time travel, edits by a tool.
extension StoreCore {
  /// Runs on other code from now on. Called between two actions.
  ///
  /// - Parameter new: the migrated state (+1), or nil to stay with the current state.
  func adopt(_ code: StoreCode, state new: Slot?, _ engine: Engine) {
    domain = code.domain
    dependencies = audience.listeners.reduce(code.dependencies) { $1.scope(for: $0) }
    indexes.dropAll()
    if let new {
      replaceState(by: new, warns: true, engine)
      new.release()
    }
    shareAgain(engine)
    // In a durable store the gate does this (4 of ``StoreGate``), when the history's record of the reload is on the disk.
    if gate == nil { audience.views?.adopt(self, engine) }
    for listener in audience.listeners {
      listener.didReload(migrated: new == nil ? .none : state)
    }
    turn.end()
  }

  /// Takes a settled state (+0) to begin with again, and records that as an action with a number of
  /// its own.
  func reset(to new: Slot, _ engine: Engine) {
    indexes.stacks.commit()
    let before = state
    replaceState(by: new, warns: true, engine)
    noteEdit(Action(trusted: ["type": "reset"]), from: before)
  }

  /// Records that a tool has set the state, or something else than an action has, as an action with a number of its own.
  func noteEdit(
    _ action: Action, from before: Value, source: ActionRecord.Source = .edit
  ) {
    number += 1
    let record = ActionRecord(
      number: number, source: source, feature: nil, sender: nil, action: action, transaction: nil,
      before: before, after: state, warnings: [], error: nil, isRefused: false,
      isIdle: false)
    audience.didReduce(record)
    audience.didStartEffects()
    endDrain()
  }

  /// Replaces the state by one (+0) that no action made. Notifies observers, and cancels effects of
  /// children that disappear with the old state.
  ///
  /// - Parameter warns: whether warnings about the new state have yet to be reported.
  func replaceState(by new: Slot, warns: Bool = false, _ engine: Engine) {
    guard !new.isIdentical(to: root) else { return }
    let before = root
    root = new.retained()
    indexes.dropIndexes()
    if hasChildEffects || warns && domain.root.inspects {
      engine.context.begin(.absent, indexes, .passUnretained(dependencies))
      inspect(before, engine)
      let warnings = engine.context.takeWarnings()
      if warns { engine.report(warnings, of: self) }
    }
    publishAndNotify(before, engine)
    turn.end()
  }
}
