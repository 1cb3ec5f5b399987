import LuaBridge

/// A script's feature: of the `on` handlers the one whose pattern fits best, then `reduce`.
///
/// `scripted.reduce(fn)` is one with nothing but `reduce`.
final class FeatureNode: ReducerNode {
  private let owner: UInt16
  /// What it may reach through `deps`.
  let declared: DeclaredDependencies
  /// By the number of the pattern's first type.
  private let branches: [PatternBranch?]
  /// The same where one handler is all there is; the branches hold them.
  private let handlers: [Unmanaged<Handler>?]
  private let whole: Handler?
  /// By which it is known again after a reload.
  let key: FeatureKey
  /// Brings a state of another version into shape.
  private let migration: Handler?
  /// For who draws the tree.
  private let drawing: NodeOutline

  init(
    name: String, owner: UInt16, declared: DeclaredDependencies, branches: [PatternBranch?],
    reduce: Handler?, key: FeatureKey, migration: Handler?, drawing: NodeOutline, origin: String
  ) {
    self.key = key
    self.migration = migration
    self.drawing = drawing
    self.owner = owner
    self.declared = declared
    self.branches = branches
    handlers = branches.map { $0?.only.map { .passUnretained($0) } }
    whole = reduce
    super.init(origin: origin, feature: name)
  }

  override func reduce(
    _ context: ReduceContext, _ draft: Int32, _ action: borrowing ActionCursor
  ) throws(ScriptError) -> ReturnedEffects {
    let first = try dispatch(context, draft, action)
    guard let whole else { return first }
    context.current = Unmanaged.passUnretained(self)
    let deps = try dependencies(for: whole, context)
    let generation = context.vm.nextGeneration
    let result = try context.vm.call(
      whole, draft: draft, action: action.slot, dependencies: deps, owner: owner)
    return first.followed(
      by: try effect(of: result, whole, context, generation))
  }

  @inline(__always)
  private func dispatch(
    _ context: ReduceContext, _ draft: Int32, _ action: borrowing ActionCursor
  ) throws(ScriptError) -> ReturnedEffects {
    let type = action.type
    guard type >= 0 && type < handlers.count else { return .none }
    context.current = Unmanaged.passUnretained(self)
    if let handler = handlers[type] {
      let slot = action.slot
      return try handler.borrow { (handler) throws(ScriptError) in
        let deps = try dependencies(for: handler, context)
        let generation = context.vm.nextGeneration
        let result = try context.vm.call(
          handler, draft: draft, action: slot, dependencies: deps, owner: owner)
        return try effect(of: result, handler, context, generation)
      }
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
    let deps = try dependencies(for: handler, context)
    let generation = context.vm.nextGeneration
    guard let deps, handler.takes(4) else {
      let result = try context.vm.call(
        handler, draft: draft, action: match.action, dependencies: deps, owner: owner)
      return try effect(of: result, handler, context, generation)
    }
    let result = try context.vm.call(
      handler, [.draft(draft), .view(match.action), .reference(deps), .list(match.ids)],
      owner: owner)
    return try effect(of: result, handler, context, generation)
  }

  /// Calls a function that belongs to an operator around the feature, which gets its `deps` behind the arguments.
  ///
  /// - Parameter kept: what the arguments are views of (+0), beside the action.
  func call(
    _ handler: Handler, _ arguments: [HandlerArgument], keeping kept: [Slot],
    _ context: ReduceContext
  ) throws(ScriptError) -> ReturnedEffects {
    context.current = Unmanaged.passUnretained(self)
    var arguments = arguments
    if handler.takes(arguments.count + 1) {
      let deps = try context.dependencies.takeUnretainedValue().record(for: declared)
      arguments.append(.reference(deps))
    }
    let generation = context.vm.nextGeneration
    let result = try context.vm.call(handler, arguments, owner: owner)
    return try effect(
      returned: result, handler, context, generation, keeping: KeptValues(kept))
  }

  /// The keys of `on` whose functions begin at a line.
  func patterns(at script: String, _ line: Int) -> [String] {
    drawing.handlers.filter { $0.script == script && $0.line == line }.map(\.pattern)
  }

  override func walk(_ walk: StateWalk, _ state: Slot) throws(ScriptError) -> Slot? {
    guard let migration else { return nil }
    return try walk.migrate(state, of: key) { (version) throws(ScriptError) in
      try migrate(state, from: version, by: migration, walk.context)
    }
  }

  /// What the migration returns or, if that is nothing, leaves of the state (+0), owned (+1).
  private func migrate(
    _ state: Slot, from version: Int, by migration: Handler, _ context: ReduceContext
  ) throws(ScriptError) -> Slot {
    context.current = Unmanaged.passUnretained(self)
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
    var outline = drawing
    if let whole {
      outline.handlers.append(.init(pattern: "*", script: whole.script, line: whole.line))
    }
    return outline
  }

  /// The handler's `deps`, nil if it takes none.
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
    _ generation: UInt64, keeping kept: KeptValues? = nil
  ) throws(ScriptError) -> ReturnedEffects {
    switch result {
    case .none: return .none
    case .run(let run):
      let owner: EffectOwner
      do throws(ScriptError) {
        owner = try effectOwner(handler, context, generation, kept)
      } catch {
        context.vm.forget(run.functions)
        throw error
      }
      return context.returned(run, by: self, owner)
    case .effect(let object):
      guard let node = EffectNode.of(object), !node.isNone else { return .none }
      let me = Unmanaged.passUnretained(self as ReducerNode)
      guard node.hasCode else { return .effect(node, me, nil) }
      return .effect(node, me, try effectOwner(handler, context, generation, kept))
    case .other(let type):
      let article = type.first.map { "aeio".contains($0) } == true ? "an" : "a"
      let isAction = type == "table" || type == "string"
      throw ScriptError(
        "a handler returns an effect or nothing; this one returned \(article) \(type)"
          + (isAction ? " (to send an action, return effect.send(…))" : ""),
        script: handler.script, line: handler.line)
    }
  }

  /// Whose an effect is with code in it; the last one again for the same action, as it says the same.
  private func effectOwner(
    _ handler: Handler, _ context: ReduceContext, _ generation: UInt64, _ kept: KeptValues?
  ) throws(ScriptError) -> EffectOwner {
    let takesViews = handler.takes(2)
    if !takesViews, let last = context.lastOwner,
      last.serves(handler, context.dependencies, context.action)
    {
      return last
    }
    let scope = context.dependencies.takeUnretainedValue()
    let dependencies = try scope.record(for: declared)
    let owner = EffectOwner(
      self, handler, scope, dependencies: dependencies, action: context.action,
      generation: takesViews ? generation : 0, keeping: kept)
    if !takesViews { context.lastOwner = owner }
    return owner
  }
}
