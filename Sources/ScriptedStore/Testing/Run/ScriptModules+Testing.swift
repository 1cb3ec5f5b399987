import LuaBridge

extension ScriptModules {
  /// The module `scripted.test`, with its functions that the test framework calls around each test.
  struct TestModule {
    let module: LuaValue
    /// The functions `begin`, `check` and `finish`.
    let hooks: LuaTable
  }

  /// The module `scripted.test`. It is loaded on first use, because most VMs run no tests.
  func testing() throws(ScriptError) -> TestModule {
    if let testModule { return testModule }
    guard let makeTestNatives else {
      throw ScriptError("scripted.test is there for tests only, which `runner test` runs")
    }
    let natives = prelude.natives
    try DoubleNatives.add(to: natives, of: vm, scheduler)
    try makeTestNatives(natives)
    let doubles = try vm.load(prelude: PackageResources.doubles_lua, name: "=scripted.doubles")
      .call([.table(natives)])
    let made = try vm.load(prelude: PackageResources.test_lua, name: "=scripted.test")
      .call([.table(natives), doubles.at(0)])
    guard case .table(let hooks) = made.at(1) else {
      throw ScriptError("the module scripted.test returned no hooks")
    }
    let new = TestModule(module: made.at(0), hooks: hooks)
    try onTestingLoaded(new)
    testModule = new
    return new
  }
}
