import EmbeddedPrelude
import LuaBridge
import Platform
import ScriptView

/// The library's Lua files in one VM. `prelude.lua` says how its chunks find each other.
struct ScriptedPrelude {
  /// The table of C and Swift functions that each chunk gets.
  let natives: LuaTable
  /// The function `need` of `prelude.lua`.
  private let need: LuaFunction
  /// The functions that `scripted.lua` offers; nil without the module.
  private var functions: LuaTable?

  /// - Parameters:
  ///   - natives: has the functions of the groups that `scripted.lua` uses.
  ///   - offersModule: whether scripts can require `scripted`. If they cannot, the functions of this
  ///     type that call the module throw.
  init(_ natives: LuaTable, offersModule: Bool) throws(ScriptError) {
    self.natives = natives
    let vm = natives.vm
    let load = try vm.makeFunction("load") { arguments in
      guard let name = arguments.at(0).string, case .table(let environment) = arguments.at(1) else {
        throw ScriptError("nothing to load")
      }
      return .values([.function(try Self.load(name, in: environment))])
    }
    let prelude = try Self.load("prelude", in: try vm.makeEnvironment())
      .call([.table(natives), .function(load)])
    guard case .function(let need) = prelude.at(0) else {
      throw ScriptError("the prelude returned no function")
    }
    self.need = need
    guard offersModule else { return }
    functions = try chunk("scripted", using: ["values", "effects", "shared"])
  }

  /// Compiles a Lua file of the library, without running it.
  private static func load(
    _ name: String, in environment: LuaTable
  ) throws(ScriptError) -> LuaFunction {
    try environment.vm.load(
      prelude: embedded(prelude_chunk(name)), name: "=scripted.\(name)",
      environment: environment)
  }

  /// What a chunk offers. It is loaded when it is needed first.
  ///
  /// - Parameter groups: the groups of natives that it uses, and the chunks that it needs.
  func chunk(_ name: String, using groups: [String] = []) throws(ScriptError) -> LuaTable {
    let arguments = [name] + groups
    guard case .table(let offer) = try need.call(arguments.map { .string($0) }).at(0) else {
      throw ScriptError("the chunk \(name).lua offers no table")
    }
    return offer
  }

  private func call(_ name: String, _ arguments: [LuaValue] = []) throws(ScriptError) -> LuaValue {
    try call(name, of: functions, arguments)
  }

  /// Calls a function that a chunk offers.
  private func call(
    _ name: String, of offer: LuaTable?, _ arguments: [LuaValue]
  ) throws(ScriptError) -> LuaValue {
    guard let function = try offer?.function(.string(name)) else {
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

  /// The module `scripted.ui`. Scripts cannot change it, so all of a VM share one.
  func viewModule() throws(ScriptError) -> LuaValue { .table(try chunk("ui")) }

  // MARK: Shared values

  /// The reducer of the keeper of a custom key (`keeper.lua`).
  ///
  /// - Parameter isIdle: whether it calls nothing.
  func keeper(of key: LuaTable, isIdle: Bool) throws(ScriptError) -> LuaValue {
    try call("make", of: chunk("keeper"), [.table(key), .boolean(isIdle)])
  }

  // MARK: Dependencies

  /// The dependencies that every store has: the Lua values behind `clock`, `dismiss` and
  /// `isPresented` in `deps`.
  func nativeDependencies() throws(ScriptError) -> [String: LuaValue] {
    [
      "clock": try chunk("clock").get("store"), "dismiss": try natives.get("dismiss"),
      "isPresented": false,
    ]
  }

  /// The Lua table of a `clock` dependency whose time is that of `clock`.
  func clock(on clock: SchedulerClock) throws(ScriptError) -> LuaValue {
    try call("on", of: chunk("clock"), [.object(clock)])
  }

  /// A to-be-closed value that calls `end` when the `for` loop that holds it is left.
  func makeToBeClosed(calling end: LuaFunction) throws(ScriptError) -> LuaValue {
    try call("toBeClosed", [.function(end)])
  }

  /// A Lua value whose call calls `begin`, then `function`, then `finish`. `begin` may return the
  /// result itself, and then `function` is not called; see `recording` in `scripted.lua`.
  func recording(
    _ function: LuaValue, begin: LuaFunction, finish: LuaFunction
  ) throws(ScriptError) -> LuaValue {
    try call("recording", [function, .function(begin), .function(finish)])
  }
}
