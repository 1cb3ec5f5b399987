import LuaBridge

/// The modules of one VM: the scripts under the script root, the `scripted` module with the rest of
/// the prelude, and the host's Swift reducers.
final class ScriptModules {
  let vm: LuaVM
  /// Swift reducers that scripts can `require`, sorted by name. ``ReducerCompiler`` finds them by
  /// index.
  let hostReducers: [Reducer]
  /// The dependencies that scripts have declared with `scripted.dependency`.
  let declarations: DependencyDeclarations
  /// The features that scripts have declared. A reload compares them with those of the new scripts.
  let features = FeatureDeclarations()
  /// The dependencies that every store has: the Lua values behind `clock`, `dismiss` and
  /// `isPresented` in `deps`.
  let nativeDependencies: [String: LuaValue]
  /// Facts about the script functions that stand for reducers.
  let lazyReducers = LazyReducers()
  /// The table of C and Swift functions that each chunk of the prelude gets. Chunks also store
  /// functions in it for chunks that are loaded later.
  let natives: LuaTable
  /// Provides modules that are neither files nor built in: returns the module's value, or nil if it
  /// does not have the module. Set by ``TestContext``.
  var provide: LuaModules.Provider = { (_, _) throws(ScriptError) -> LuaValue? in nil }
  private let hostNames: [String: Int]
  private let scheduler: SchedulerLink
  private let prelude: LuaTable
  private let root: ScriptRoot
  private lazy var files = LuaModules(vm: vm, root: root) {
    [unowned self] (name, module) throws(ScriptError) in
    try self.module(name, for: module)
  }
  /// The copies of `scripted` by the number of the module that required it. They are stored here
  /// and not in a closure that Lua retains: a Lua value in such a closure would retain the VM,
  /// which is a retain cycle.
  private var copies: [Int: LuaValue] = [:]
  private var wrapped: [String: LuaValue] = [:]
  /// Adds the functions of test stores to ``natives``. Nil outside of tests, where `scripted.test`
  /// cannot be required.
  var makeTestNatives: ((LuaTable) throws(ScriptError) -> Void)?
  /// Called once, when `scripted.test` is loaded.
  var onTestingLoaded: (TestModule) throws(ScriptError) -> Void = { (_) throws(ScriptError) in }
  private var tests: TestModule?
  /// The number of reducers that are being compiled, each inside the previous one.
  private var reducerDepth = 0

  init(
    vm: LuaVM, root: ScriptRoot, reducers: [String: Reducer], dependencies: Dependencies,
    scheduler: SchedulerLink
  ) throws(ScriptError) {
    self.vm = vm
    self.scheduler = scheduler
    self.root = root
    let names = reducers.keys.sorted()
    hostReducers = names.compactMap { reducers[$0] }
    hostNames = Dictionary(uniqueKeysWithValues: zip(names, 0...))
    declarations = DependencyDeclarations(
      taken: DependencyRegistry.nativeNames.union(dependencies.names))
    natives = try vm.makeNatives()
    try ScriptedNatives.add(to: natives, of: vm)
    try declarations.addDeclaring(to: natives)
    try features.addDeclaring(to: natives)
    try EffectNatives.add(to: natives, of: vm, scheduler)
    let list = try vm.load(prelude: PackageResources.list_lua, name: "=scripted.list")
      .call([.table(natives)])
    let effect = try vm.load(prelude: PackageResources.effect_lua, name: "=scripted.effect")
      .call([.table(natives)])
    let operators = try vm.load(
      prelude: PackageResources.operators_lua, name: "=scripted.operators")
    let presentation = try vm.load(
      prelude: PackageResources.presentation_lua, name: "=scripted.presentation")
    let module = try vm.load(prelude: PackageResources.scripted_lua, name: "=scripted")
      .call([
        .table(natives), list.at(0), effect.at(0), .function(operators), .function(presentation),
      ])
    nativeDependencies = [
      "clock": try natives.get("storeClock"), "dismiss": try natives.get("dismiss"),
      "isPresented": false,
    ]
    guard case .table(let prelude) = module.at(0) else {
      throw ScriptError("the scripted module returned no table")
    }
    self.prelude = prelude
  }

  /// Adds a function to ``natives`` for an object that owns the VM. `body` must not retain that
  /// object: the VM retains `body`.
  func define(
    _ key: String, as name: String, _ body: @escaping HostBody
  ) throws(ScriptError) {
    try natives.set(.string(key), to: .function(try vm.makeFunction(name, body)))
  }

  /// The value that a module returns. The module is loaded on first use.
  func require(_ name: String) throws(ScriptError) -> LuaValue {
    if let reducer = try hostReducer(name) { return reducer }
    return try files.require(name)
  }

  /// The value that a script returns, by file path. A script that is also a module is loaded once.
  func load(file: String) throws(ScriptError) -> LuaValue { try files.load(file: file) }

  /// Compiles a script, by file path, without running it. The chunk has its own globals.
  func chunk(file: String) throws(ScriptError) -> LuaFunction { try files.chunk(file: file) }

  /// Compiles a script without running it, and lets it declare globals. Also returns the script's
  /// name in messages.
  func openChunk(file: String) throws(ScriptError) -> (name: String, chunk: LuaFunction) {
    let script = try root.file(file)
    return (script.name, try files.openChunk(script))
  }

  /// The module name of a script's path, or the argument itself if it is not the path of a module.
  /// Recordings store the module name, because another machine can find the module but not the
  /// path.
  func moduleName(of feature: String) -> String {
    guard feature.hasSuffix(".lua"), let script = try? root.file(feature) else { return feature }
    let name = script.name.dropLast(4).split(separator: "/").joined(separator: ".")
    guard let module = try? root.module(name), module.path == script.path else { return feature }
    return name
  }

  /// The source text of a script, by its name in messages: the text that was compiled, else the
  /// text of the file as it is now; nil if there is no such script. Only files under the script
  /// root are read, because the name may come from a recording that the host does not trust.
  func text(ofScript name: String) -> [UInt8]? {
    if let known = scripts[name] { return known.text }
    guard let script = try? root.file("\(root.path)/\(name)"), script.name == name else {
      return nil
    }
    return try? script.read()
  }

  /// Sets the function that is called with each script that is compiled from now on. It replaces
  /// the previous function.
  func whenCompiled(
    _ body:
      @escaping (_ script: ScriptRoot.Script, _ chunk: LuaFunction) throws(ScriptError) -> Void
  ) {
    files.didCompile = body
  }

  /// The scripts that were read so far, by name.
  var scripts: [String: LoadedScript] { files.scripts }
  /// The modules that were required and not found, each with the scripts that required it.
  var missing: [String: Set<String>] { files.missing }

  /// The names of the script's local variables whose values have changed since it was loaded.
  func changedLocals(of script: String) -> [String] { files.changedLocals(of: script) }

  /// Sets the function that reads the text of a script from now on.
  func read(_ read: @escaping (ScriptRoot.Script) throws(ScriptError) -> [UInt8]) {
    files.read = read
  }

  /// A to-be-closed value that calls `end` when the `for` loop that holds it is left.
  func closing(_ end: LuaFunction) throws(ScriptError) -> LuaValue {
    try function("closing").call([.function(end)]).at(0)
  }

  /// A Lua function that calls `begin`, then `noted`, then `finish`. `begin` may return the result
  /// itself, and then `noted` is not called; see `noted` in `scripted.lua`.
  func noted(
    _ noted: LuaFunction, _ begin: LuaFunction, _ finish: LuaFunction
  ) throws(ScriptError) -> LuaValue {
    try function("noted").call([.function(noted), .function(begin), .function(finish)]).at(0)
  }

  /// A module that is not a file: `scripted`, `scripted.test`, a reducer of the host, or a module
  /// from ``provide``; nil for other names. `module` is the number of the module that requires it.
  private func module(_ name: String, for module: Int) throws(ScriptError) -> LuaValue? {
    switch name {
    case "scripted": return try scripted(for: module)
    case "scripted.test": return try testing().module
    default: break
    }
    if let reducer = try hostReducer(name) { return reducer }
    return try provide(name, module)
  }

  /// The module `scripted.test`, with its functions that the test framework calls around each test.
  struct TestModule {
    let module: LuaValue
    /// The functions `begin`, `check` and `finish`.
    let hooks: LuaTable
  }

  /// The module `scripted.test`. It is loaded on first use, because most VMs run no tests.
  func testing() throws(ScriptError) -> TestModule {
    if let tests { return tests }
    guard let makeTestNatives else {
      throw ScriptError("scripted.test is there for tests only, which `runner test` runs")
    }
    try DoubleNatives.add(to: natives, of: vm, scheduler)
    try makeTestNatives(natives)
    let doubles = try vm.load(prelude: PackageResources.doubles_lua, name: "=scripted.doubles")
      .call([.table(natives)])
    let made = try vm.load(prelude: PackageResources.test_lua, name: "=scripted.test")
      .call([.table(natives), doubles.at(0)])
    guard case .table(let hooks) = made.at(1) else {
      throw ScriptError("the module scripted.test returned no hooks")
    }
    let tests = TestModule(module: made.at(0), hooks: hooks)
    try onTestingLoaded(tests)
    self.tests = tests
    return tests
  }

  /// The Lua table of a `clock` dependency whose time is that of `clock`.
  func clock(on clock: SchedulerClock) throws(ScriptError) -> LuaValue {
    guard case .function(let make) = try natives.get("clockOn") else { return .nil }
    return try make.call([.object(clock)]).at(0)
  }

  /// The module's own copy of `scripted`, so that a module cannot change the copy of another one.
  func scripted(for module: Int) throws(ScriptError) -> LuaValue {
    if let own = copies[module] { return own }
    let own = try function("module").call().at(0)
    copies[module] = own
    return own
  }

  private func hostReducer(_ name: String) throws(ScriptError) -> LuaValue? {
    guard let number = hostNames[name] else { return nil }
    if let known = wrapped[name] { return known }
    let reducer = try function("host").call([.integer(Int64(number)), .string(name)]).at(0)
    wrapped[name] = reducer
    return reducer
  }

  /// The limit protects the stack: a level takes 20 KB of it in a build with AddressSanitizer. 200
  /// is as deep as Lua lets C functions nest, and deeper than state nests.
  private static let maximumDepth = 200

  /// Counts one more level of reducers that are compiled inside each other. Without the limit, a
  /// reducer that contains itself would be compiled forever.
  ///
  /// - Throws: An error if the limit is reached. Else the caller must call ``leaveReducer()``.
  func enterReducer() throws(ScriptError) {
    guard reducerDepth < Self.maximumDepth else {
      throw ScriptError(
        "reducers are nested more than \(Self.maximumDepth) deep; one that contains itself must do "
          + "so as a child, given as a function")
    }
    reducerDepth += 1
  }

  func leaveReducer() { reducerDepth -= 1 }

  private func function(_ name: String) throws(ScriptError) -> LuaFunction {
    guard case .function(let function) = try prelude.get(.string(name)) else {
      throw ScriptError("the scripted module lacks '\(name)'")
    }
    return function
  }

  /// A number that identifies a function that stands for a reducer: the same number each time.
  func number(of function: LuaValue) throws(ScriptError) -> LazyReducers.Number? {
    guard case .integer(let number) = try self.function("number").call([function]).at(0) else {
      return nil
    }
    return Int(number)
  }

  /// The description of a reducer that a script made; nil if `reducer` is something else.
  func describe(_ reducer: LuaValue) throws(ScriptError) -> LuaTable? {
    guard case .table = reducer,
      case .table(let description) = try function("describe").call([reducer]).at(0)
    else { return nil }
    return description
  }
}
