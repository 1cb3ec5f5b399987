import LuaBridge

/// The Swift functions behind `scripted.effect` and its clocks. Of the effects only `none`, `merge`
/// and `concatenate` are made here; the others are made in C (`effects.c`).
enum EffectNatives {
  /// Adds the functions to the table that the prelude gets. The functions do not retain the VM:
  /// they reach it through `scheduler`.
  static func add(to table: LuaTable, _ scheduler: SchedulerLink) throws(ScriptError) {
    guard case .table(let functions) = try table.get("effectFunctions") else {
      throw ScriptError("C has made no functions of effects")
    }
    try addFunctions(to: functions, scheduler)
    // join(name, mode, functions, id?, cancelInFlight?): runs the functions as parts of the running
    // body, which waits for them. `mode` is "all" or "race".
    try table.define("join", as: "effect") { arguments in
      guard let name = arguments.at(0).string, case .table(let functions) = arguments.at(2) else {
        throw ScriptError("nothing to join")
      }
      let id: Value? = arguments.at(3).isNil ? nil : try value(arguments.at(3), name)
      return try scheduler.running().join(
        name, try tokens(functions), arguments.at(1).string == "race" ? .race : .all, id: id,
        cancelInFlight: arguments.at(4).bool ?? false, in: scheduler.vm)
    }
    // clockNow(clock?): the seconds that scripts see, in whole microseconds, and the exact ones.
    try table.define("clockNow", as: "clock.now") { arguments in
      let clock: SchedulerClock
      if case .object(let other as SchedulerClock) = arguments.at(0) {
        clock = other
      } else {
        clock = try scheduler.running().clock
      }
      let now = clock.instant
      return .values([.float(Double(now.microseconds) / 1_000_000), .float(now.seconds)])
    }
    // featureClock(name): the clock that the running effect's feature has in `deps`; nil stands for
    // the store's clock. `name` is the function that waits, for messages.
    try table.define("featureClock", as: "effect") { arguments in
      let runner = try scheduler.running()
      let clock = try runner.clock(
        of: runner.running?.owner, for: arguments.at(0).string ?? "",
        at: scheduler.vm.scriptLocation)
      return .values([clock === runner.clock ? .nil : .object(clock)])
    }
    // caughtFault(message): `effect.result` has caught this programming error.
    try table.define("caughtFault", as: "effect.result") { arguments in
      scheduler.caughtFault(arguments.at(0).string ?? "")
      return .values([])
    }
    try table.define("dismiss", as: "dismiss") { _ in
      guard let body = scheduler.runningBody, !scheduler.vm.isHandling else {
        throw ScriptError("dismiss() works inside effect.run; in a handler return effect.dismiss()")
      }
      try body.effects.dismiss(from: body)
      guard (try? scheduler.vm.checkCanWait("dismiss")) != nil, try scheduler.running().holdsSend
      else { return .values([]) }
      return .yield([])
    }
  }

  /// Adds what scripts call as `effect.NAME`.
  private static func addFunctions(
    to functions: LuaTable, _ scheduler: SchedulerLink
  ) throws(ScriptError) {
    try functions.set("none", to: .object(EffectNode(.none)))
    try defineLists(functions)
    try addComputing(to: functions, scheduler)
    try functions.define("yield", as: "effect.yield") { _ in
      try scheduler.running().yieldTurn(in: scheduler.vm)
    }
    try functions.define("isCancelled", as: "effect.isCancelled") { _ in
      .values([.boolean(scheduler.runningBody?.isCancelled ?? false)])
    }
  }

  private static func value(_ lua: LuaValue, _ name: String) throws -> Value {
    guard let value = try lua.stateValue(named: "id") else {
      throw ScriptError(
        "the id of '\(name)' must be a value of state, not \(lua.typeNameWithArticle)")
    }
    return value
  }

  private static func tokens(_ functions: LuaTable) throws -> [FunctionToken] {
    try functions.elements().compactMap { element in
      guard case .function(let function) = element else { return nil }
      return function.token()
    }
  }

  // MARK: Lists

  /// Functions over lists of effects. Effects are not values of state, so these functions take Lua
  /// tables and not `Value`s.
  private static func defineLists(_ functions: LuaTable) throws(ScriptError) {
    let lists: [(String, @Sendable ([Effect]) -> Effect)] = [
      ("merge", { Effect.merge($0) }), ("concatenate", { Effect.concatenate($0) }),
    ]
    for (key, join) in lists {
      let name = "effect.\(key)"
      try functions.define(key, as: name) { arguments in
        let joined = join(try effects(arguments, name))
        try joined.node?.checkDepth()
        return .values([.object(joined.node ?? EffectNode(.none))])
      }
    }
  }

  /// The effects among the arguments, or in the list that is the only argument. Nil is skipped.
  private static func effects(_ arguments: [LuaValue], _ name: String) throws -> [Effect] {
    var candidates = arguments
    if arguments.count == 1, case .table(let list) = arguments[0] {
      candidates = try listed(list, name)
    }
    var effects: [Effect] = []
    for (index, candidate) in candidates.enumerated() {
      switch candidate {
      case .nil: continue
      case .object(let node as EffectNode): effects.append(Effect(node))
      default:
        throw ScriptError(
          "bad argument #\(index + 1) to '\(name)' (effect expected, got \(candidate.typeName))")
      }
    }
    return effects
  }

  /// The elements of a list of effects, sorted by index. The list may have holes, as
  /// `{ condition and effect.send("a") or nil, effect.send("b") }` has if `condition` is false.
  private static func listed(_ list: LuaTable, _ name: String) throws -> [LuaValue] {
    var effects: [(index: Int64, effect: LuaValue)] = []
    for (key, value) in try list.entries() {
      guard case .integer(let index) = key else {
        throw ScriptError("bad argument #1 to '\(name)' (a list of effects expected)")
      }
      effects.append((index, value))
    }
    return effects.sorted { $0.index < $1.index }.map(\.effect)
  }
}
