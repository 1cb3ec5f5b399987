import LuaBridge

/// A script's feature. It runs the `on` handler whose pattern matches best, then `reduce`.
///
/// `scripted.reduce(fn)` makes a feature that has only `reduce`.
final class FeatureNode: ReducerNode {
  /// The number of the feature's name in ``DraftArena``, for messages about its drafts.
  private let owner: UInt16
  /// The dependencies that the feature may read.
  let declared: DeclaredDependencies
  /// The patterns by the number of their first type.
  private let branches: [Int: PatternBranch]
  /// The handler of each type that has only one, by the number of the type.
  private let handlers: [Handler?]
  /// The feature's `reduce`.
  private let whole: Handler?
  /// Identifies the feature across reloads.
  let key: FeatureKey
  /// Converts a state of another version.
  private let migration: Handler?
  /// The fields of the feature's state that are shared.
  let shared: [SharedField]
  /// The shared fields whose keys depend on the state.
  let dynamicShared: [DynamicSharedField]
  /// What a drawing of the tree shows of this feature.
  private let staticOutline: NodeOutline

  init(
    name: String, owner: UInt16, declared: DeclaredDependencies, branches: [Int: PatternBranch],
    reduce: Handler?, key: FeatureKey, migration: Handler?, shared: [SharedField] = [],
    dynamicShared: [DynamicSharedField] = [], view: ViewFunction? = nil,
    staticOutline: NodeOutline, origin: String
  ) {
    self.key = key
    self.shared = shared
    self.dynamicShared = dynamicShared
    self.migration = migration
    self.staticOutline = staticOutline
    self.owner = owner
    self.declared = declared
    self.branches = branches
    handlers = (0...(branches.keys.max() ?? 0)).map { branches[$0]?.only }
    whole = reduce
    super.init(origin: origin, feature: name, view: view)
  }

  override func reduce(
    _ context: ReduceContext, _ draft: Int32, _ action: borrowing ActionCursor
  ) throws(ScriptError) -> ReturnedEffects {
    let first = try dispatch(context, draft, action)
    guard let whole else { return first }
    context.currentNode = Unmanaged.passUnretained(self)
    return first.followed(by: try call(whole, context, draft, action.slot))
  }

  /// Calls a handler with the state, an action (+0) and `deps`.
  @inline(__always)
  private func call(
    _ handler: Handler, _ context: ReduceContext, _ draft: Int32, _ action: Slot
  ) throws(ScriptError) -> ReturnedEffects {
    let deps = try dependencies(for: handler, context)
    let generation = context.vm.nextGeneration
    let result = try context.vm.call(
      handler, draft: draft, action: action, dependencies: deps, owner: owner)
    return try effect(of: result, handler, context, generation)
  }

  @inline(__always)
  private func dispatch(
    _ context: ReduceContext, _ draft: Int32, _ action: borrowing ActionCursor
  ) throws(ScriptError) -> ReturnedEffects {
    let type = action.type
    guard type >= 0 && type < handlers.count else { return .none }
    context.currentNode = Unmanaged.passUnretained(self)
    if let handler = handlers[type] {
      return try call(handler, context, draft, action.slot)
    }
    guard let branch = branches[type] else { return .none }
    return try search(branch, context, draft, action.slot)
  }

  @inline(never)
  private func search(
    _ branch: PatternBranch, _ context: ReduceContext, _ draft: Int32, _ action: Slot
  ) throws(ScriptError) -> ReturnedEffects {
    guard let match = PatternMatch.best(branch, action), let handler = match.node.handler else {
      return .none
    }
    guard handler.takes(4), let deps = try dependencies(for: handler, context) else {
      return try call(handler, context, draft, match.action)
    }
    let generation = context.vm.nextGeneration
    let result = try context.vm.call(
      handler, [.draft(draft), .view(match.action), .reference(deps), .list(match.ids)],
      owner: owner)
    return try effect(of: result, handler, context, generation)
  }

  /// Describes what the feature itself shares of its state.
  func addOwnShared(to fields: SharedFields, _ sharing: StoreSharing) {
    for field in shared { sharing.share(field, in: fields) }
    for field in dynamicShared { sharing.share(field, in: fields, of: feature ?? origin) }
  }

  /// Calls a function that belongs to an operator around the feature. If the function names one
  /// more parameter, it gets the feature's `deps` as its last argument.
  ///
  /// - Parameter kept: the values behind the views in `arguments`, without the action. They are
  ///   borrowed (+0); a returned effect retains them.
  func call(
    _ handler: Handler, _ arguments: [HandlerArgument], keeping kept: [Slot],
    _ context: ReduceContext
  ) throws(ScriptError) -> ReturnedEffects {
    context.currentNode = Unmanaged.passUnretained(self)
    var arguments = arguments
    if handler.takes(arguments.count + 1) {
      let deps = try context.dependencies.takeUnretainedValue().record(for: declared)
      arguments.append(.reference(deps))
    }
    let generation = context.vm.nextGeneration
    let result = try context.vm.call(handler, arguments, owner: owner)
    return try effect(
      returned: result, handler, context, generation, keeping: RetainedValues(kept))
  }

  /// The keys of `on` whose functions begin at this line of a script.
  func patterns(at script: String, _ line: Int) -> [String] {
    staticOutline.handlers.filter { $0.script == script && $0.line == line }.map(\.pattern)
  }

  override func walkOwn(_ walk: StateWalk, _ state: Slot) throws(ScriptError) -> Slot? {
    var state = SteppedState(state)
    if let migration {
      try state.step { (state) throws(ScriptError) in
        try walk.migrate(state, of: key) { (version) throws(ScriptError) in
          try migrate(state, from: version, by: migration, walk.context)
        }
      }
    }
    try state.step { (state) throws(ScriptError) in walk.addNewFields(to: state, of: key) }
    return state.take()
  }

  /// Calls the migration with a draft of `state`, which is borrowed (+0). Returns what the function
  /// returns or, if that is nil, what it made of the draft. The result is owned (+1).
  private func migrate(
    _ state: Slot, from version: Int, by migration: Handler, _ context: ReduceContext
  ) throws(ScriptError) -> Slot {
    context.currentNode = Unmanaged.passUnretained(self)
    let arena = context.arena
    arena.pointee.begin(state)
    defer { arena.pointee.reset() }
    let returned = try context.vm.evaluate(
      migration, [.draft(0), .scalar(.integer(Int64(version)))], owner: owner)
    guard returned.isAbsent else { return returned }
    do throws(DraftError) {
      return try arena.pointee.commit()
    } catch {
      throw ScriptError(error.message, script: migration.script, line: migration.line)
    }
  }

  override var outline: NodeOutline {
    var outline = staticOutline
    if let whole {
      outline.handlers.append(.init(pattern: "*", script: whole.script, line: whole.line))
    }
    return outline
  }

  /// The handler's `deps`; nil if it does not name that parameter.
  @inline(__always)
  private func dependencies(
    for handler: Handler, _ context: ReduceContext
  ) throws(ScriptError) -> LuaReference? {
    guard handler.takes(3) else { return nil }
    return try context.dependencies.takeUnretainedValue().record(for: declared)
  }

  @inline(__always)
  private func effect(
    of result: HandlerResult, _ handler: Handler, _ context: ReduceContext, _ generation: UInt64
  ) throws(ScriptError) -> ReturnedEffects {
    if case .none = result { return .none }
    return try effect(returned: result, handler, context, generation)
  }

  private func effect(
    returned result: HandlerResult, _ handler: Handler, _ context: ReduceContext,
    _ generation: UInt64, keeping kept: RetainedValues? = nil
  ) throws(ScriptError) -> ReturnedEffects {
    switch result {
    case .none: return .none
    case .run(let run):
      do throws(ScriptError) {
        let owner = try effectOwner(handler, context, generation, kept)
        return .run(ReturnedRun(run, of: self, owner))
      } catch {
        context.vm.release(run.functions)
        throw error
      }
    case .effect(let object):
      guard let node = EffectNode.of(object), !node.isNone else { return .none }
      let me = Unmanaged.passUnretained(self as ReducerNode)
      guard node.hasCode else { return .effect(node, me, nil) }
      return .effect(node, me, try effectOwner(handler, context, generation, kept))
    case .other(let type):
      let article = type.first.map { "aeio".contains($0) } == true ? "an" : "a"
      let remedy =
        switch type {
        case "string": " (to send an action, return effect.send(…))"
        case "table":
          " (to send an action, return effect.send(…); for several effects, return effect.merge { a, b })"
        default: ""
        }
      throw ScriptError(
        "a handler returns an effect or nothing; this one returned \(article) \(type)\(remedy)",
        script: handler.script, line: handler.line)
    }
  }

  /// The owner of an effect that contains code.
  private func effectOwner(
    _ handler: Handler, _ context: ReduceContext, _ generation: UInt64, _ kept: RetainedValues?
  ) throws(ScriptError) -> EffectOwner {
    let scope = context.dependencies.takeUnretainedValue()
    let dependencies = try scope.record(for: declared)
    return EffectOwner(
      self, handler, scope, dependencies: dependencies, action: context.action,
      generation: handler.takes(2) ? generation : 0, keeping: kept)
  }
}
