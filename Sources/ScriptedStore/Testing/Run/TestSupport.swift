// What tests are made of inside of a worker. An engine knows only the protocol `TestObserver` of it.
//
//     Engine ━┳▶ TestSupport ━▶ TestContext       the framework in Lua, and the tests of one file
//             ┗▶ TestSession ━▶ TestStoreCore, …  the stores of the running test, and its problems

import LuaBridge

/// What tests add to an engine: the module `scripted.test` and, in a test file, the test framework.
/// An engine in the context of tests owns one.
final class TestSupport {
  // Proof: the engine owns this object.
  private unowned(unsafe) let engine: Engine
  /// The tests of the file that the worker exists for; nil in other workers.
  var context: TestContext?
  /// The functions behind test stores; nil before the module's first use.
  private var natives: TestStoreNatives?
  /// The module `scripted.test`, after its first use.
  private var module: LuaValue?

  /// What a worker of tests adds to its engine.
  static let additions = EngineAdditions(testSupport: { TestSupport($0) })

  /// - Parameter engine: Must own the new object.
  init(_ engine: Engine) {
    self.engine = engine
    let modules = engine.modules
    modules.addProvider { [unowned self, unowned modules] (name, _) throws(ScriptError) in
      guard name == "scripted.test" else { return .none }
      return try testing(in: modules)
    }
  }

  /// The module `scripted.test`. It is loaded on first use, because most VMs run no tests.
  private func testing(in modules: ScriptModules) throws(ScriptError) -> LuaValue {
    if let module { return module }
    let table = modules.prelude.natives
    try DoubleNatives.add(to: table, engine.current.link)
    let natives = natives ?? TestStoreNatives(engine, engine.makeSession())
    self.natives = natives
    try natives.add(to: table)
    let test = try modules.prelude.chunk("test", using: ["test"])
    try context?.addStoreHooks(test)
    let module = try test.get("module")
    self.module = module
    return module
  }
}

/// The Swift and C functions behind the test framework in Lua.
enum FrameworkNatives {
  /// Adds the functions to the table that the framework's chunks get.
  static func add(to natives: LuaTable) throws(ScriptError) {
    // format(value): the value in Lua syntax; nil if it is not a value of state.
    try natives.define("format", as: "format") { arguments in
      guard let value = try? arguments.at(0).stateValue(named: "value") else {
        return .values([nil])
      }
      return .values([.string(LuaLayout().text(of: value))])
    }
    // diff(expected, actual): the difference as text; nil if there is none, or if one of the two is
    // not a value of state.
    try natives.define("diff", as: "diff") { arguments in
      guard let expected = try? arguments.at(0).stateValue(named: "value"),
        let actual = try? arguments.at(1).stateValue(named: "value"),
        let text = LuaDiff().text(from: expected, to: actual)
      else { return .values([nil]) }
      return .values([.string(text)])
    }
    // random(seed): a function of n that returns an integer from 1 to n. The same seed gives the
    // same sequence.
    try natives.define("random", as: "random") { [unowned vm = natives.vm] arguments in
      guard case .integer(let seed) = arguments.at(0) else {
        throw ScriptError("bad argument #1 to 'random' (integer expected)")
      }
      var generator = SplitMix64(state: UInt64(bitPattern: seed))
      let random = try vm.makeFunction("random") { arguments in
        let count = max(1, arguments.at(0).int ?? 1)
        return .values([.integer(Int64.random(in: 1...Int64(count), using: &generator))])
      }
      return .values([.function(random)])
    }
    try natives.vm.addProtect(to: natives)
  }
}
