import LuaBridge

/// The keepers that live in a worker (``SharedKeepers``).
extension WorkerSharing {
  struct Keeper {
    /// The slot of its core.
    let slot: Int
    /// The VM that its code runs in: a keeper of an earlier generation is replaced.
    let vm: LuaVM
  }

  /// Keeps the keys of scripts' formats, and makes keepers for those custom keys that have none. A keeper of an earlier
  /// generation gives its state to the new one.
  ///
  /// - Parameter dependencies: what the keys' functions find in `deps`.
  func keep(_ keys: [SharedKey], _ dependencies: DependencyScope) throws(ScriptError) {
    for key in keys {
      if key.format.needsWorker {
        format(key)
        continue
      }
      let identity = key.identity
      var state: Value?
      if let old = keepers[identity] {
        guard old.vm !== engine.context.vm else { continue }
        state = engine.core(old.slot)?.state
        keepers[identity] = nil
        retire(old)
      } else {
        guard values.keepers.begin(identity, in: link) else { continue }
      }
      do throws(ScriptError) {
        try makeKeeper(of: key, in: state, dependencies)
      } catch {
        keepers[identity] = nil
        values.keepers.end(identity)
        throw error
      }
    }
  }

  /// The same for a key that an effect uses.
  func keep(_ key: SharedKey) throws(ScriptError) {
    try keep([key], engine.current.dependencies)
  }

  private func makeKeeper(
    of key: SharedKey, in old: Value?, _ dependencies: DependencyScope
  ) throws(ScriptError) {
    let registry = dependencies.registry
    // In a test there need not be anything that serves a key.
    let isIdle = key.isServed && !registry.contains(key.name)
    guard !isIdle || registry.context == .test else {
      throw ScriptError(
        """
        \(key.origin): shared.custom \(Value.string(key.name)) has none of the functions load, save and subscribe, and the host \
        offers no dependency of that name which has them (`Dependencies.register(sharedKey:)`). A value that is not \
        stored is one of shared.inMemory
        """)
    }
    // It is not loading: nothing loads it.
    if isIdle { values.endLoading(key.identity) }
    let reducer = try engine.modules.prelude.keeper(of: key.table, isIdle: isIdle)
    let slot = try engine.makeStore(
      of: StoreCode(
        domain: try engine.current.compiler.domain(of: reducer), dependencies: dependencies),
      state: old ?? keeperState(of: key, isIdle: isIdle), snapshot: StateSnapshot(), source: nil)
    keepers[key.identity] = Keeper(slot: slot, vm: engine.context.vm)
    // The keeper's own fields, for the value and its status, do not count as uses of the key.
    for _ in 0..<2 { values.uses.end(key.identity) }
    tellKeeper(of: key.identity, Action(trusted: ["type": "begin"]))
  }

  /// The state of a new keeper. What the storage has is not known, so the current value counts as that:
  /// it is written when it changes.
  private func keeperState(of key: SharedKey, isIdle: Bool) -> Value {
    let value = values.version.values[key.identity]
    let known: Value = .array(value.map { [$0] } ?? [])
    return [
      "default": known, "known": known, "loading": key.loads && !isIdle ? [0] : [], "waiting": [],
      "saving": [], "isSaving": false, "failures": 0, "subscriptionFailures": 0,
    ]
  }

  func tellKeeper(of key: SharedIdentity, _ action: Action) {
    guard let keeper = keepers[key], let core = engine.core(keeper.slot) else { return }
    core.turn.asPart(of: nil) { core.process(action, engine) }
  }

  /// Tells a keeper that an effect of its has ended with an error that no script can catch, as that of a limit.
  ///
  /// - Parameter id: the id of the effect; nil if no function of the key was called by it.
  /// - Returns: false, if the store is no keeper.
  func tellKeeper(_ core: StoreCore, ofStop error: ScriptError, in id: Value?) -> Bool {
    guard let id, let key = keepers.first(where: { engine.core($0.value.slot) === core })?.key
    else { return false }
    let action = Action(trusted: [
      "type": "stopped", "id": id, "failure": ["message": .string("\(error)")],
    ])
    // The effect is ending yet.
    link.submit { $0.sharing.tellKeeper(of: key, action) }
    return true
  }

  /// Ends the keepers and scripts' formats of earlier generations: no feature of the new one shares their keys.
  func endOldKeys() {
    for (key, keeper) in keepers where keeper.vm !== engine.context.vm { end(keeper, of: key) }
    for (file, key) in formats where key.table.vm !== engine.context.vm {
      formats[file] = nil
      values.files?.file(named: file)?.state.withLock { if $0.worker === link { $0.worker = nil } }
    }
  }

  /// Ends the keeper of a key that nobody uses, and forgets the key, if the storage has its value.
  func endUnusedKeeper(of key: SharedIdentity) {
    guard let keeper = keepers[key], let state = engine.core(keeper.slot)?.state else { return }
    let isIdle = state["loading"] == [] && state["isSaving"] == false && state["failures"] == 0
    // The keeper hears of nothing until it is retired, so it does not take the value that is gone for a new one.
    guard isIdle, let saved = state["known"].array, saved.count < 2,
      values.forgetCustom(key, saved: saved.first)
    else { return }
    keepers[key] = nil
    retire(keeper)
  }

  /// Ends all keepers of the worker.
  func endKeepers() {
    for (key, keeper) in keepers { end(keeper, of: key) }
  }

  /// The engine ends, and the keepers with it.
  func end() {
    for key in keepers.keys { values.keepers.end(key) }
  }

  private func end(_ keeper: Keeper, of key: SharedIdentity) {
    keepers[key] = nil
    retire(keeper)
    values.keepers.end(key)
  }

  /// Cancels the effects of a keeper, and lets nothing reach it any more. Its core is removed later, because
  /// that lets effects of other stores run.
  private func retire(_ keeper: Keeper) {
    let slot = keeper.slot
    engine.effects(of: slot)?.cancelAll()
    engine.core(slot)?.share(nil)
    link.submit { $0.close(slot) }
  }
}
