import LuaBridge

/// Uses of a reducer without a store: `Child.run(state.child, action, deps)` in a handler,
/// `child.run(&state["child"], action)` in the body of a Swift reducer, and `Feature.tree()`. The
/// first two are as TCA's features call each other's `reduce`. Used inside a worker, or by the
/// thread that builds the generation.
final class DirectRuns {
  private let context: ReduceContext
  private let compiler: ReducerCompiler
  /// The compiled domains of the host's reducers.
  private var hostDomains: [Key: Domain] = [:]
  private static let hostDomainLimit = 256

  /// A script's reducer by its module, any other one by ``Reducer/number``.
  private enum Key: Hashable {
    case script(String)
    case number(UInt64)
  }

  init(_ context: ReduceContext, _ compiler: ReducerCompiler) {
    self.context = context
    self.compiler = compiler
    context.directRuns = self
  }

  deinit { context.directRuns = nil }

  /// Adds the functions that the prelude needs. They do not retain this object, because it retains
  /// the VM.
  func define(in modules: ScriptModules) throws(ScriptError) {
    let natives = modules.prelude.natives
    try natives.define("prepare", as: "run") { [unowned self] arguments in
      .values([.object(try compiler.domain(of: arguments.at(0)))])
    }
    try natives.define("tree", as: "tree") { [unowned self] arguments in
      let tree = try ReducerTree(of: try compiler.domain(of: arguments.at(0)))
      return .values([.string(tree.description)])
    }
    try natives.define("run", as: "run") { [unowned self] arguments in
      guard case .object(let object) = arguments.at(0), let domain = object as? Domain,
        let draft = arguments.at(1).int
      else { throw ScriptError("nothing to run") }
      let action = try arguments.at(2).stateValue(named: "action")
      return .values([
        .object(try run(domain, Int32(draft), try Action(fromScript: action, payload: nil)))
      ])
    }
  }

  /// Reduces the state of a draft of the running handler at once, and returns the effects as one
  /// effect.
  private func run(
    _ domain: Domain, _ draft: Int32, _ action: Action
  ) throws(ScriptError) -> EffectNode {
    let returned = try context.nested(in: action) { () throws(ScriptError) in
      try domain.reduce(context, draft, action.slot)
    }
    if returned.isNone { return EffectNode(.none) }
    return EffectNode(.ran(DirectEffects(returned, of: domain, context)))
  }

  // MARK: Swift

  /// Reduces a state at once, in the body of a reducer in Swift.
  func run(
    _ reducer: Reducer, _ state: inout Value, _ action: Action
  ) throws(ScriptError) -> Effect {
    let domain = try domain(of: reducer)
    let slot = state.ownedSlot()
    guard slot.isContainer else {
      slot.release()
      throw ScriptError("\(reducer.origin): the state to run on must be an array or object")
    }
    // A draft outside the state. The caller of the reducer writes its value back.
    let draft = context.arena.pointee.addDetached(slot)
    let effect = try run(domain, draft, action)
    state = Value(borrowing: try context.currentValue(of: draft))
    return effect.isNone ? .none : Effect(effect)
  }

  private func domain(of reducer: Reducer) throws(ScriptError) -> Domain {
    let key: Key =
      if case .script(let module) = reducer.kind {
        .script(module)
      } else {
        .number(reducer.number)
      }
    if let known = hostDomains[key] { return known }
    // Reducers that were made for one action are not used again.
    if hostDomains.count >= DirectRuns.hostDomainLimit { hostDomains = [:] }
    let domain = try compiler.domain(of: reducer)
    hostDomains[key] = domain
    return domain
  }
}

extension Reducer {
  /// Runs this reducer at once, with everything that is composed in it, inside the body of another
  /// reducer in Swift. Returns the effect for that body to return. It shares logic with a child, as
  /// TCA's features call each other's `reduce`, and as `Child.run(state.child, action, deps)` does
  /// in Lua.
  ///
  /// The effects belong to the place of the reducer that returns them. They send the actions of
  /// this reducer, so the body maps them to its own actions, as below. They can only be returned in
  /// the VM that made them.
  ///
  /// ```swift
  /// let child = Reducer.script("child")
  /// let parent = Reducer.reduce { state, action in
  ///   guard action.path == "refreshAll" else { return .none }
  ///   return try child.run(&state["child"], Action(path: "refresh"))
  ///     .map { action in (try? Action(["type": "child", "action": action.value])) ?? action }
  /// }
  /// .scope("child", child)
  /// ```
  ///
  /// Store the reducer instead of making it anew: each new one is compiled when it first runs.
  /// Reducers from ``script(_:)`` are compiled once for each module.
  ///
  /// - Throws: a `ScriptError`, if the state is no array or object, if a reducer raises, or if no
  ///   reducer's body runs on this thread. The state stays as it was.
  ///
  /// - Complexity: that of the action, and O(1).
  public func run(_ state: inout Value, _ action: Action) throws(ScriptError) -> Effect {
    guard let within = ThreadLocals.reduceContext else {
      throw ScriptError("\(origin): `run` is for the body of a reducer, while that runs")
    }
    let context = Unmanaged<ReduceContext>.fromOpaque(within).takeUnretainedValue()
    guard let runs = context.directRuns else { throw ScriptError("\(origin): there is no store") }
    return try runs.run(self, &state, action)
  }
}
