import LuaBridge

extension ReducerCompiler {
  func feature(
    _ description: LuaTable, _ origin: String, _ builder: inout DomainBuilder
  ) throws(ScriptError) -> ReducerNode {
    let given = try description.string("name")
    let name = given ?? origin
    if builder.name == nil { (builder.name, builder.origin) = (name, origin) }
    let reduce = try description.handler("reduce")
    if reduce != nil { builder.vocabulary.takesAll = true }
    let listed = try description.list("listed").compactMap(\.string)
    for action in listed {
      let path = try pattern(action, origin)
      _ = builder.vocabulary.add(handler: path.names)
      builder.patterns.append(
        KnownPattern(rest: path.segments[...], text: action, feature: name, handler: nil))
    }
    let title = name == origin ? name : "\(name) (\(origin))"
    var defaults: LuaTable?
    if case .table(let table) = try description.get("defaults") {
      defaults = table
      builder.defaults.add(table)
    }
    // Bindings are written before the feature's own handlers run.
    let hasBinding = try description.get("binding").bool == true
    let first = hasBinding ? binding(title, isPartOfFeature: true, &builder) : nil
    let dependencies = try declared(description, title)
    let (shared, dynamicShared) = try shared(description, name)
    var outline = NodeOutline(
      kind: "feature", actions: hasBinding ? listed + ["binding"] : listed,
      dependencies: dependencies,
      state: try defaults?.entries().compactMap(\.key.string).sorted() ?? [],
      defaults: defaults, shared: shared, dynamicShared: dynamicShared.map(\.name))
    let node = FeatureNode(
      handlerContext(named: name, reading: dependencies),
      branches: try branches(description, name, origin, &builder, &outline.handlers),
      reduce: reduce,
      key: FeatureKey(name: given, place: FeatureNode.line(of: origin)),
      migration: try description.handler("migrate"),
      transient: try transient(description, defaults), dynamicShared: dynamicShared,
      view: try view(of: description, name), staticOutline: outline, origin: origin)
    return first.map { CombineNode([$0, node], origin: origin) } ?? node
  }

  /// Reads a feature's `view`.
  private func view(
    of description: LuaTable, _ name: String
  ) throws(ScriptError) -> ViewFunction? {
    guard let handler = try description.handler("view") else { return nil }
    return ViewFunction(
      body: .script(handler), owner: modules.vm.arena.pointee.owner(named: name), feature: name,
      origin: "view at \(handler.script):\(handler.line)")
  }

  /// Reads a feature's `shared`: the fields with keys, and those whose keys a function chooses.
  private func shared(
    _ description: LuaTable, _ feature: String
  ) throws(ScriptError) -> (fixed: [SharedField], dynamic: [DynamicSharedField]) {
    var shared: (fixed: [SharedField], dynamic: [DynamicSharedField]) = ([], [])
    for case .table(let field) in try description.list("shared") {
      let name = try field.string("field") ?? ""
      switch try field.get("key") {
      case .table(let key): shared.fixed.append(SharedField(name: name, key: try SharedKey(key)))
      case .function(let choose):
        shared.dynamic.append(DynamicSharedField(name: name, feature: feature, choose: choose))
      default: break
      }
    }
    return shared
  }

  /// Reads a feature's `transient`: the names of fields, with the defaults that `state` has for them.
  private func transient(
    _ description: LuaTable, _ defaults: LuaTable?
  ) throws(ScriptError) -> [(key: String, value: Value)] {
    let names = try description.list("transient").compactMap(\.string)
    guard !names.isEmpty, let defaults else { return [] }
    let values = try defaults.value(named: "state")
    return names.map { ($0, values[$0]) }
  }

  /// Reads the names in a feature's `dependencies`. Throws if a name is not a dependency.
  private func declared(
    _ description: LuaTable, _ title: String
  ) throws(ScriptError) -> [String] {
    var names: [String] = []
    for case .string(let dependency) in try description.list("dependencies") {
      try dependencies.check(dependency, origin: title)
      names.append(dependency)
    }
    return names
  }

  /// Reads a feature's `on`: the patterns by the number of their first type. Also describes the handlers.
  private func branches(
    _ description: LuaTable, _ name: String, _ origin: String, _ builder: inout DomainBuilder,
    _ handlers: inout [NodeOutline.Handler]
  ) throws(ScriptError) -> [Int: PatternBranch] {
    guard case .table(let on) = try description.get("on") else { return [:] }
    var branches: [Int: PatternBranch] = [:]
    for (key, handler) in try on.entries() {
      guard case .string(let text) = key, case .function(let function) = handler else { continue }
      let path = try pattern(text, origin)
      let handler = Handler(function)
      handlers.append(.init(pattern: text, script: handler.script, line: handler.line))
      builder.patterns.append(
        KnownPattern(
          rest: path.segments[...], text: text, feature: name,
          handler: (handler.script, handler.line)))
      let first = path.segments[0]
      let type = builder.vocabulary.add(handler: path.names)
      branches[type, default: PatternBranch()].add(first.id, path.segments.dropFirst(), handler)
    }
    handlers.sort { ($0.script, $0.line, $0.pattern) < ($1.script, $1.line, $1.pattern) }
    return branches
  }

  private func pattern(_ text: String, _ origin: String) throws(ScriptError) -> ActionPath {
    do throws(ActionError) {
      return try ActionPath(text)
    } catch {
      throw ScriptError("\(origin): \(error.message)")
    }
  }
}

/// A script's feature. It runs the `on` handler whose pattern matches best, then `reduce`.
///
/// `scripted.reduce(fn)` makes a feature that has only `reduce`.
final class FeatureNode: ReducerNode {
  /// What the feature's functions run for.
  let caller: HandlerContext
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
  /// The fields that no snapshot has, with their defaults.
  private let transient: [(key: String, value: Value)]
  /// The shared fields whose keys depend on the state.
  let dynamicShared: [DynamicSharedField]
  /// What a drawing of the tree shows of this feature.
  private let staticOutline: NodeOutline

  init(
    _ caller: HandlerContext, branches: [Int: PatternBranch], reduce: Handler?, key: FeatureKey,
    migration: Handler?, transient: [(key: String, value: Value)],
    dynamicShared: [DynamicSharedField], view: ViewFunction?, staticOutline: NodeOutline,
    origin: String
  ) {
    self.key = key
    self.dynamicShared = dynamicShared
    self.migration = migration
    self.transient = transient
    self.staticOutline = staticOutline
    self.caller = caller
    self.branches = branches
    handlers = (0...(branches.keys.max() ?? 0)).map { branches[$0]?.only }
    whole = reduce
    super.init(origin: origin, feature: caller.name, view: view)
  }

  /// The dependencies that the feature may read.
  var declared: DeclaredDependencies { caller.declared }
  /// The fields of the feature's state that are shared.
  var shared: [SharedField] { staticOutline.shared }

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
      handler, draft: draft, action: action, dependencies: deps, owner: caller.owner)
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
    // The ids may be those of the match.
    defer { withExtendedLifetime(match) {} }
    let generation = context.vm.nextGeneration
    let result = try context.vm.call(
      handler, [.draft(draft), .view(match.action), .reference(deps), .list(match.ids)],
      owner: caller.owner)
    return try effect(of: result, handler, context, generation)
  }

  /// Describes what the feature itself shares of its state.
  func addOwnShared(to fields: SharedFields, _ sharing: StoreSharing) {
    for field in shared { sharing.keys.share(field, in: fields) }
    for field in dynamicShared { sharing.chosen.share(field, in: fields) }
  }

  /// The keys of `on` whose functions begin at this line of a script.
  func patterns(at script: String, _ line: Int) -> [String] {
    staticOutline.handlers.filter { $0.script == script && $0.line == line }.map(\.pattern)
  }

  override var ownTraits: Traits { transient.isEmpty ? [] : .forgets }

  override func walkOwn(_ walk: StateWalk, _ state: Slot) throws(ScriptError) -> Slot? {
    try walk.checkVersion(of: key)
    var state = SteppedState(state)
    if let migration {
      try state.step { (state) throws(ScriptError) in
        try walk.migrate(state, of: key) { (version) throws(ScriptError) in
          try migrate(state, from: version, by: migration, walk.context)
        }
      }
    }
    try state.step { (state) throws(ScriptError) in walk.addNewFields(to: state, of: key) }
    try state.step { (state) throws(ScriptError) in walk.forget(transient, in: state) }
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
      migration, [.draft(0), .scalar(.integer(Int64(version)))], owner: caller.owner)
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
    return try effect(returned: result, handler, for: caller, context, generation)
  }
}

/// For whom functions of a script run.
struct HandlerContext {
  /// The name of a feature, or of what stands for one.
  let name: String
  /// The number of the name in ``DraftArena``, for messages about drafts.
  let owner: UInt16
  /// The dependencies that the functions may read.
  let declared: DeclaredDependencies
}

extension ReducerCompiler {
  func handlerContext(named name: String, reading dependencies: [String] = []) -> HandlerContext {
    HandlerContext(
      name: name, owner: modules.vm.arena.pointee.owner(named: name),
      declared: DeclaredDependencies(dependencies, feature: name))
  }
}

extension ReducerNode {
  /// Calls a function of an operator. If the function names one more parameter, it gets `deps` as
  /// its last argument. A returned effect belongs to this node.
  ///
  /// - Parameter kept: the values behind the views in `arguments`, without the action. They are
  ///   borrowed (+0); a returned effect retains them.
  final func call(
    _ handler: Handler, _ arguments: [HandlerArgument], keeping kept: [Slot],
    for caller: HandlerContext, _ context: ReduceContext
  ) throws(ScriptError) -> ReturnedEffects {
    context.currentNode = Unmanaged.passUnretained(self)
    var arguments = arguments
    if handler.takes(arguments.count + 1) {
      let deps = try context.dependencies.takeUnretainedValue().record(for: caller.declared)
      arguments.append(.reference(deps))
    }
    let generation = context.vm.nextGeneration
    let result = try context.vm.call(handler, arguments, owner: caller.owner)
    return try effect(
      returned: result, handler, for: caller, context, generation, keeping: RetainedValues(kept))
  }

  fileprivate final func effect(
    returned result: HandlerResult, _ handler: Handler, for caller: HandlerContext,
    _ context: ReduceContext, _ generation: UInt64, keeping kept: RetainedValues? = nil
  ) throws(ScriptError) -> ReturnedEffects {
    switch result {
    case .none: return .none
    case .run(let run):
      do throws(ScriptError) {
        let owner = try effectOwner(handler, caller, context, generation, kept)
        return .run(ReturnedRun(run, of: self, owner))
      } catch {
        context.vm.release(run.functions)
        throw error
      }
    case .effect(let object):
      guard let node = object as? EffectNode, !node.isNone else { return .none }
      let me = Unmanaged.passUnretained(self)
      guard node.hasCode else { return .effect(node, me, nil) }
      return .effect(node, me, try effectOwner(handler, caller, context, generation, kept))
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
    _ handler: Handler, _ caller: HandlerContext, _ context: ReduceContext, _ generation: UInt64,
    _ kept: RetainedValues?
  ) throws(ScriptError) -> EffectOwner {
    let scope = context.dependencies.takeUnretainedValue()
    let dependencies = try scope.record(for: caller.declared)
    return EffectOwner(
      self, handler, scope, dependencies: dependencies, action: context.action,
      generation: handler.takes(2) ? generation : 0, keeping: kept)
  }
}
