import EmbeddedPrelude
import LuaBridge
import Platform

/// What tests add to an engine: the module `scripted.test` and, in a test file, the test framework.
/// An engine in the context of tests owns one.
final class TestSupport: EngineTestSupport {
  // Proof: the engine owns this object.
  private unowned(unsafe) let engine: Engine
  /// The tests of the file that the worker exists for; nil in other workers.
  var context: TestContext?
  /// The tests of this VM, which observe the engine; nil before the first test store.
  var session: TestSession?
  var observer: (any TestObserver)? { session }
  /// The functions behind test stores; nil before the module's first use.
  private var natives: TestStoreNatives?
  /// The module `scripted.test`, after its first use.
  private var module: LuaValue?

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
    let (vm, table) = (modules.vm, modules.prelude.natives)
    try DoubleNatives.add(to: table, of: vm, modules.scheduler)
    let natives = natives ?? TestStoreNatives(engine, engine.makeSession())
    self.natives = natives
    try natives.add(to: table)
    let environment = try vm.makeEnvironment()
    let doubles = try vm.load(
      prelude: embedded(prelude_doubles), name: "=scripted.doubles", environment: environment
    ).call([.table(table)])
    let views = try vm.load(
      prelude: embedded(prelude_test_view), name: "=scripted.test.view", environment: environment
    )
    let made = try vm.load(
      prelude: embedded(prelude_test), name: "=scripted.test", environment: environment
    ).call([.table(table), doubles.at(0), .function(views)])
    guard case .table(let hooks) = made.at(1) else {
      throw ScriptError("the module scripted.test returned no hooks")
    }
    try context?.addStoreHooks(hooks)
    module = made.at(0)
    return made.at(0)
  }
}
