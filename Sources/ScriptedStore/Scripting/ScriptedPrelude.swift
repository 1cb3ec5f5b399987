import EmbeddedPrelude
import LuaBridge
import Platform
import ScriptView

/// The part of the prelude that each VM loads: the Lua chunks that make the module `scripted`. They
/// return functions, which this calls for Swift.
struct ScriptedPrelude {
  /// The table of C and Swift functions that each chunk of the prelude gets. Chunks also store
  /// functions in it for chunks that are loaded later.
  let natives: LuaTable
  /// The functions that `scripted.lua` returns.
  private let functions: LuaTable

  /// - Parameters:
  ///   - natives: Has all functions that the chunks call when they are loaded.
  ///   - offersModule: Whether scripts can require `scripted`. Without it only the natives are
  ///     there, and all other functions of this prelude throw.
  init(_ natives: LuaTable, offersModule: Bool = true) throws(ScriptError) {
    self.natives = natives
    let vm = natives.vm
    let environment = try vm.makeEnvironment()
    func load(_ source: [UInt8], _ name: String) throws(ScriptError) -> LuaFunction {
      try vm.load(prelude: source, name: name, environment: environment)
    }
    let effect = try load(embedded(prelude_effect), "=scripted.effect").call([.table(natives)])
    guard offersModule else {
      functions = try vm.makeTable()
      return
    }
    let list = try load(embedded(prelude_list), "=scripted.list").call([.table(natives)])
    let lines = try load(embedded(prelude_lines), "=scripted.lines").call([.table(natives)])
    try natives.set("lines", to: lines.at(0))
    let sharing = try load(embedded(prelude_sharing), "=scripted.sharing")
    let operators = try load(embedded(prelude_operators), "=scripted.operators")
    let presentation = try load(embedded(prelude_presentation), "=scripted.presentation")
    let module = try load(embedded(prelude_scripted), "=scripted").call([
      .table(natives), list.at(0), effect.at(0), lines.at(0), .function(sharing),
      .function(operators), .function(presentation),
    ])
    guard case .table(let functions) = module.at(0) else {
      throw ScriptError("the scripted module returned no table")
    }
    self.functions = functions
  }

  private func call(_ name: String, _ arguments: [LuaValue] = []) throws(ScriptError) -> LuaValue {
    guard case .function(let function) = try functions.get(.string(name)) else {
      throw ScriptError("the scripted module lacks '\(name)'")
    }
    return try function.call(arguments).at(0)
  }

  // MARK: Reducers

  /// The description of a reducer that a script made; nil if `reducer` is something else.
  func describe(_ reducer: LuaValue) throws(ScriptError) -> LuaTable? {
    guard case .table = reducer, case .table(let description) = try call("describe", [reducer])
    else { return nil }
    return description
  }

  /// The Lua value of a reducer of the host.
  func hostReducer(_ name: String, index: Int) throws(ScriptError) -> LuaValue {
    try call("host", [.integer(Int64(index)), .string(name)])
  }

  /// A new copy of the module `scripted`.
  func makeModule() throws(ScriptError) -> LuaValue { try call("module") }

  // MARK: Views

  /// The module `scripted.ui`. Loads its chunk on first use. Scripts cannot change it, so all of a VM share one.
  func viewModule() throws(ScriptError) -> LuaValue {
    let known = try natives.get("ui")
    if !known.isNil { return known }
    try natives.set("elements", to: .value(ViewElement.specification))
    try natives.set("elementCounterparts", to: .value(ViewElement.counterparts))
    try natives.set("propertyCounterparts", to: .value(ViewElement.propertyCounterparts))
    let chunk = try natives.vm.load(
      prelude: embedded(prelude_ui), name: "=scripted.ui",
      environment: try natives.vm.makeEnvironment())
    let module = try chunk.call([.table(natives), try natives.get("lines")]).at(0)
    try natives.set("ui", to: module)
    return module
  }

  // MARK: Shared values

  /// The reducer of the keeper of a custom key (`keeper.lua`). Loads that chunk on first use.
  ///
  /// - Parameter isIdle: whether it calls nothing.
  func keeper(of key: LuaTable, isIdle: Bool) throws(ScriptError) -> LuaValue {
    var make = try natives.get("keeper")
    if make.isNil {
      let chunk = try natives.vm.load(
        prelude: embedded(prelude_keeper), name: "=scripted.keeper",
        environment: try natives.vm.makeEnvironment())
      make = try chunk.call([.table(natives), try makeModule()]).at(0)
      try natives.set("keeper", to: make)
    }
    return try call("keeper", [make, .table(key), .boolean(isIdle)])
  }

  // MARK: Dependencies

  /// The dependencies that every store has: the Lua values behind `clock`, `dismiss` and
  /// `isPresented` in `deps`.
  func nativeDependencies() throws(ScriptError) -> [String: LuaValue] {
    [
      "clock": try natives.get("storeClock"), "dismiss": try natives.get("dismiss"),
      "isPresented": false,
    ]
  }

  /// The Lua table of a `clock` dependency whose time is that of `clock`.
  func clock(on clock: SchedulerClock) throws(ScriptError) -> LuaValue {
    guard case .function(let make) = try natives.get("clockOn") else { return .nil }
    return try make.call([.object(clock)]).at(0)
  }

  /// A to-be-closed value that calls `end` when the `for` loop that holds it is left.
  func makeToBeClosed(calling end: LuaFunction) throws(ScriptError) -> LuaValue {
    try call("toBeClosed", [.function(end)])
  }

  /// A Lua function that calls `begin`, then `function`, then `finish`. `begin` may return the
  /// result itself, and then `function` is not called; see `recording` in `scripted.lua`.
  func recording(
    _ function: LuaFunction, begin: LuaFunction, finish: LuaFunction
  ) throws(ScriptError) -> LuaValue {
    try call("recording", [.function(function), .function(begin), .function(finish)])
  }
}
