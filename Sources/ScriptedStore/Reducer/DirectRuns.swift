import LuaBridge

/// What scripts do with a reducer without a store: `Child.run(state.child, action, deps)` in a handler, as TCA's
/// features call each other's `reduce`, and `Feature.tree()`. Inside a worker.
final class DirectRuns {
  private let context: ReduceContext
  private let compiler: ReducerCompiler
  private var domains: [Domain] = []

  init(_ context: ReduceContext, _ compiler: ReducerCompiler) {
    self.context = context
    self.compiler = compiler
  }

  /// Adds what the prelude needs. The functions do not keep this, which keeps the VM.
  func define(in modules: ScriptModules) throws(ScriptError) {
    try modules.define("prepare", as: "run") { [unowned self] arguments in
      domains.append(try compiler.domain(of: arguments.at(0)))
      return .values([.integer(Int64(domains.count - 1))])
    }
    try modules.define("tree", as: "tree") { [unowned self] arguments in
      let tree = try ReducerTree(of: try compiler.domain(of: arguments.at(0)))
      return .values([.string(tree.description)])
    }
    try modules.define("run", as: "run") { [unowned self] arguments in
      guard let number = arguments.at(0).int, let draft = arguments.at(1).int else {
        throw ScriptError("nothing to run")
      }
      return .values([.object(try run(domains[number], Int32(draft), try action(arguments.at(2))))])
    }
  }

  private func action(_ what: LuaValue) throws -> Action {
    if case .table(let table) = what {
      return try Action(what: try table.value(named: "action"), payload: nil)
    }
    return try Action(what: Value(what), payload: nil)
  }

  /// Reduces at once what is under a draft of the handler that runs, and returns the effects as one.
  private func run(
    _ domain: Domain, _ draft: Int32, _ action: Action
  ) throws(ScriptError) -> EffectNode {
    let returned = try context.nested(in: action) { () throws(ScriptError) in
      try domain.reduce(context, draft, action.slot)
    }
    if returned.isNone { return EffectNode(.none) }
    return EffectNode(.ran(RanEffects(returned, of: domain, context)))
  }
}
