// The part of a reload inside one worker. It has two phases, so that all workers switch to the new
// code or none does:
//
// 1. `prepare(_:)` compiles and migrates. It changes nothing that a store can see, and it may
//    throw.
// 2. `install(_:affected:)` switches to the new code. It cannot fail. A prepared reload that is not
//    installed must be released with `release()`.

import LuaBridge

/// The result of the first phase: what a worker is going to do if all workers are ready.
struct PreparedReload {
  struct PreparedStore {
    let core: StoreCore
    let code: StoreCode
    /// The migrated state, owned (+1); nil if the new code uses the state that the store has.
    let state: Slot?
    /// Above all ids that the store's stacks have given, with those in `state`.
    let nextID: Int64
  }

  let build: GenerationBuild
  fileprivate var stores: [PreparedStore] = []
  /// What is known so far of what the reload will have done.
  fileprivate var done = WorkerReload()
  /// What is left as it is, because shared values have it, with the path of the first such state.
  fileprivate var unadapted: [StateWalk.SharedStates: String] = [:]
  fileprivate var sharedMigrations: [SharedMigration] = []

  /// Releases the migrated states. Called instead of installing.
  func release() {
    for store in stores { store.state?.release() }
  }
}

/// What a worker did in a reload.
struct WorkerReload: Sendable {
  var stores = 0
  var migrations: [ReloadReport.Migration] = []
  var addedFields: [ReloadReport.AddedField] = []
  var effects: [ReloadReport.EffectOutcome] = []
  var warnings: [RuntimeWarning] = []
  /// The scripts that the worker has loaded after the reload.
  var scripts: Set<String> = []
}

extension Engine {
  /// Compiles the new code of all stores and adapts their states. The stores do not change yet.
  ///
  /// - Throws: if the code of a store does not compile, or if a migration fails.
  func prepare(_ build: GenerationBuild) throws(ScriptError) -> PreparedReload {
    var prepared = PreparedReload(build: build)
    for core in cores { core.takeSharedSteps(self) }
    do throws(ScriptError) {
      try build.withLoadLimits { () throws(ScriptError) in
        let changes = try build.generation.features.changes(
          since: current.features.former(), withNewFields: configuration.addsNewFieldsOnReload)
        for core in cores {
          guard let source = core.origin.source else { continue }
          try prepare(core, by: try build.code(for: source), changes, &prepared)
        }
        prepared.sharedMigrations = try sharing.migrations(
          for: prepared.stores.map(\.code.domain))
      }
    } catch {
      prepared.release()
      throw error
    }
    return prepared
  }

  /// Adds a store to a reload, with its state after migrations and with new fields.
  private func prepare(
    _ core: StoreCore, by code: StoreCode, _ changes: [FeatureKey: FeatureChange],
    _ prepared: inout PreparedReload
  ) throws(ScriptError) {
    let generation = prepared.build.generation
    let walk = StateWalk(
      .adapts(changes, isDurable: core.gate != nil), generation.context,
      shared: core.sharing?.fields)
    let indexes = ElementIndexes(after: core.indexes)
    let state =
      changes.isEmpty ? nil : try adapted(core, by: code, walk, from: core.root, indexes)
    indexes.stacks.commit()
    prepared.stores.append(
      .init(core: core, code: code, state: state, nextID: indexes.stacks.highest))
    prepared.unadapted.merge(walk.unadapted) { first, _ in first }
    for (feature, places) in walk.places.sorted(by: { $0.key.name < $1.key.name }) {
      prepared.done.migrations.add(
        ReloadReport.Migration(
          store: code.domain.name, feature: feature.name, from: changes[feature]?.oldVersion ?? 1,
          to: changes[feature]?.version ?? 1, places: places), countedBy: \.places)
    }
    for (feature, fields) in walk.addedFields.sorted(by: { $0.key.name < $1.key.name }) {
      for (key, places) in fields.sorted(by: { $0.key < $1.key }) {
        prepared.done.addedFields.add(
          ReloadReport.AddedField(
            store: code.domain.name,
            feature: feature.name.isEmpty ? feature.script : feature.name, key: key,
            places: places), countedBy: \.places)
      }
    }
  }

  /// A state (+0) of a store as a walk adapts it, in its final form, owned (+1); nil if the walk leaves it as it is. Throws if
  /// the code cannot run on it. The ids that elements of stacks get are pending in `indexes`.
  func adapted(
    _ core: StoreCore, by code: StoreCode, _ walk: StateWalk, from old: Slot,
    _ indexes: ElementIndexes
  ) throws(ScriptError) -> Slot? {
    let (root, context) = (code.domain.root, walk.context)
    context.begin(.absent, indexes, .passUnretained(code.dependencies))
    let adapted = try withReducing(core) { () throws(ScriptError) in try root.walk(walk, old) }
    guard let new = adapted else { return nil }
    defer { new.release() }
    do throws(ScriptError) {
      return try root.finalForm(of: new, context)
    } catch {
      var error = error
      error.message = "the new state of \(code.domain.name) cannot be held: \(error.message)"
      throw error
    }
  }

  /// Switches all stores to the new code.
  ///
  /// - Parameter affected: the scripts that changed and the scripts that require them.
  func install(_ prepared: PreparedReload, affected: Set<String>) -> WorkerReload {
    let old = current
    let new = prepared.build.generation
    let effects = EffectsInFlight(cores, old: old, new: new, affected: affected)
    let lostLocals = Engine.lostLocals(of: old)
    connect(new)
    generations.replaceCurrent(by: new)
    if sharing.values.take(prepared.sharedMigrations) { sharing.didPublish() }
    for store in prepared.stores {
      store.core.indexes.stacks.goOn(from: store.nextID)
      store.core.adopt(store.code, state: store.state, self)
    }
    sharing.endOldKeys()
    effects.cancel()
    cancelOldest()
    var done = prepared.done
    done.stores = prepared.stores.count
    done.effects = effects.outcomes
    done.warnings = effects.warnings + lostLocals + Engine.sharedStates(left: prepared)
    done.scripts = Set(new.modules.files.scripts.keys)
    report(done.warnings)
    return done
  }

  /// Cancels effects of retired generations, the oldest generation first, until all VMs together
  /// use at most `Limits.totalMemory`.
  private func cancelOldest() {
    guard let most = configuration.limits.totalMemory else { return }
    // The VMs without effects in flight are closed when the engine works next.
    let needed = generations.needed
    var held = needed.reduce(current.vm.memory.used) { $0 + $1.vm.memory.used }
    for old in needed where held > most {
      held -= old.vm.memory.used
      for effects in cores.compactMap(\.effects) {
        for job in effects.places.jobs where job.code === old.link { job.cancelInTurn() }
      }
      report(
        RuntimeWarning(
          kind: .memoryFull,
          message: """
            the VMs from before the last reloads hold more than \(most) bytes, because effects of theirs are in flight: the \
            oldest of these are cancelled
            """,
          origin: "Limits.totalMemory", action: nil))
    }
  }

  /// Warnings about states that a reload would adapt if they were not shared. A migration of the shared value has adapted them.
  private static func sharedStates(left prepared: PreparedReload) -> [RuntimeWarning] {
    let migrated = Set(prepared.sharedMigrations.map(\.key.identity))
    return prepared.unadapted.filter { !migrated.contains($0.key.value) }
      .sorted { $0.value < $1.value }
      .map { states, path in
        let feature = states.feature.name.isEmpty ? states.feature.script : states.feature.name
        let remedy =
          states.value.kind?.isStored == true
          ? "raise the `version` of the key and let its `migrate` change the value"
          : "a handler can change the value, and the next start of the program begins with the new default"
        return RuntimeWarning(
          kind: .sharedState,
          message: """
            the new version or the new fields of \(feature) are not in \(path), because it belongs to the shared value \
            \(states.value), which a reload leaves as it is; \(remedy)
            """,
          origin: states.feature.script, action: nil)
      }
  }

  /// Warnings about locals of scripts whose values changed after loading. The reload loses these
  /// values: it loads all scripts again, those too whose text is as it was.
  private static func lostLocals(of old: Generation) -> [RuntimeWarning] {
    old.modules.files.scripts.keys.sorted().flatMap { script in
      old.modules.files.changedLocals(of: script).map { name in
        RuntimeWarning(
          kind: .lostLocal,
          message: """
            the local '\(name)' of \(script) had changed since the script was loaded; a reload makes it what the script \
            says. What is to last belongs in the state
            """,
          origin: script, action: nil)
      }
    }
  }
}

extension Engine {
  /// Loads the same scripts into a new VM if they retain so much memory that hardly any action
  /// could run. What they retained is lost, as in a reload. States are not affected, because they
  /// are outside of the VM. Effects in flight end in the old VM.
  func replaceFullVM() {
    guard context.vm.isFull && tests == nil else { return }
    let loaded = loadedScripts
    do throws(ScriptError) {
      let build = try GenerationBuild(
        current.number, of: loaded, ScriptTexts(of: loaded.scripts.values), root: root,
        configuration: configuration)
      if let error = build.errors.first { throw error }
      let prepared = try prepare(build)
      _ = install(prepared, affected: [])
      report(warning("they were loaded anew, and what they kept is gone"))
    } catch {
      context.vm.forgetIsFull()
      report(warning("they cannot be loaded anew: \(error)"))
    }
  }

  private func warning(_ outcome: String) -> RuntimeWarning {
    RuntimeWarning(
      kind: .memoryFull,
      message: "the scripts keep nearly all the memory that they may have, in locals of modules or "
        + "globals: \(outcome)",
      origin: "Limits.memory", action: nil)
  }
}

extension Array where Element: Equatable {
  /// Adds a part of a report, or its number of places if the same is reported already.
  mutating func add(_ new: Element, countedBy places: WritableKeyPath<Element, Int>) {
    let index = firstIndex { element in
      var counted = new
      counted[keyPath: places] = element[keyPath: places]
      return counted == element
    }
    guard let index else { return append(new) }
    self[index][keyPath: places] += new[keyPath: places]
  }
}
