import LuaBridge

/// The modules of one VM: those under the script root, the `scripted` module that they build on, and the
/// host's own reducers.
final class ScriptModules {
  let vm: LuaVM
  /// Swift reducers that scripts can require.
  let hostReducers: [Reducer]
  /// What scripts have declared with `scripted.dependency`.
  let declarations: DependencyDeclarations
  /// The features that they have made.
  let features = FeatureNotes()
  /// What every store brings with it, as scripts find it in `deps`.
  let nativeDependencies: [String: LuaValue]
  /// What is known of functions that stand for reducers.
  let lazyReducers = LazyReducers()
  /// What the chunks of the prelude build on, which look there for what is defined later.
  let natives: LuaTable
  /// Gives further modules that are no files: their value, or nil for others.
  var provide: LuaModules.Provider = { (_, _) throws(ScriptError) -> LuaValue? in nil }
  private let hostNames: [String: Int]
  private let scheduler: SchedulerLink
  private let prelude: LuaTable
  private let root: ScriptRoot
  private lazy var files = LuaModules(vm: vm, root: root) {
    [unowned self] (name, module) throws(ScriptError) in
    try self.module(name, for: module)
  }
  /// The copies of `scripted` that modules have required, by module. Not in a function that Lua keeps: a
  /// reference in it would keep the VM.
  private var copies: [Int: LuaValue] = [:]
  private var wrapped: [String: LuaValue] = [:]
  /// Adds what tests need to the natives; nil where there are none.
  var makeTestNatives: ((LuaTable) throws(ScriptError) -> Void)?
  /// Hears of `scripted.test` when it is made.
  var willTest: (TestModule) throws(ScriptError) -> Void = { (_) throws(ScriptError) in }
  private var tests: TestModule?
  /// Reducers that are being compiled, each inside the one before.
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
    try Natives.add(to: natives, of: vm)
    try declarations.addDeclaring(to: natives)
    try features.addNoting(to: natives)
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

  /// Gives the prelude a function that is none of a VM's but of what has one, which it must not keep.
  func define(
    _ key: String, as name: String, _ body: @escaping HostBody
  ) throws(ScriptError) {
    try natives.set(.string(key), to: .function(try vm.makeFunction(name, body)))
  }

  /// What a module returns, loaded on first use.
  func require(_ name: String) throws(ScriptError) -> LuaValue {
    if let reducer = try hostReducer(name) { return reducer }
    return try files.require(name)
  }

  /// A script by its path; the same as its module if it is one.
  func load(file: String) throws(ScriptError) -> LuaValue { try files.load(file: file) }

  /// A script by its path, compiled and not run, with globals of its own.
  func chunk(file: String) throws(ScriptError) -> LuaFunction { try files.chunk(file: file) }

  /// The script of a path, compiled and not run, which may declare globals; with its name in messages.
  func openChunk(file: String) throws(ScriptError) -> (name: String, chunk: LuaFunction) {
    let script = try root.file(file)
    return (script.name, try files.openChunk(script))
  }

  /// The module that a file is, or the path if it is none: by that another machine finds it.
  func moduleName(of feature: String) -> String {
    guard feature.hasSuffix(".lua"), let script = try? root.file(feature) else { return feature }
    let name = script.name.dropLast(4).split(separator: "/").joined(separator: ".")
    guard let module = try? root.module(name), module.path == script.path else { return feature }
    return name
  }

  /// The text of a script by its name in messages, as it was compiled or, if it was not, as it is; nil for none. A name
  /// may come from anywhere, so that only files under the root are read.
  func text(ofScript name: String) -> [UInt8]? {
    if let known = scripts[name] { return known.text }
    guard let script = try? root.file("\(root.path)/\(name)"), script.name == name else {
      return nil
    }
    return try? script.read()
  }

  /// Hears of each script that is compiled from now on.
  func whenCompiled(
    _ body:
      @escaping (_ script: ScriptRoot.Script, _ chunk: LuaFunction) throws(ScriptError) -> Void
  ) {
    files.didCompile = body
  }

  /// What was read so far.
  var scripts: [String: LoadedScript] { files.scripts }
  /// Modules that scripts asked for and that were not there, with those who did.
  var missing: [String: Set<String>] { files.missing }

  /// The locals of a script that have changed since it was loaded.
  func changedLocals(of script: String) -> [String] { files.changedLocals(of: script) }

  /// Where the texts of scripts come from, from now on.
  func read(_ read: @escaping (ScriptRoot.Script) throws(ScriptError) -> [UInt8]) {
    files.read = read
  }

  /// A value that calls `end` when a loop that has it is left.
  func closing(_ end: LuaFunction) throws(ScriptError) -> LuaValue {
    try function("closing").call([.function(end)]).at(0)
  }

  /// A function that calls another between `begin` and `finish`.
  func noted(
    _ noted: LuaFunction, _ begin: LuaFunction, _ finish: LuaFunction
  ) throws(ScriptError) -> LuaValue {
    try function("noted").call([.function(noted), .function(begin), .function(finish)]).at(0)
  }

  /// What is no file, for one module.
  private func module(_ name: String, for module: Int) throws(ScriptError) -> LuaValue? {
    switch name {
    case "scripted": return try scripted(for: module)
    case "scripted.test": return try testing().module
    default: break
    }
    if let reducer = try hostReducer(name) { return reducer }
    return try provide(name, module)
  }

  /// `scripted.test`, and what runs tests around it.
  struct TestModule {
    let module: LuaValue
    /// `begin`, `check` and `finish` of a test.
    let hooks: LuaTable
  }

  /// Made on first use, since most VMs run no tests.
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
    try willTest(tests)
    self.tests = tests
    return tests
  }

  /// A `clock` for scripts of one that time passes on.
  func clock(on clock: SchedulerClock) throws(ScriptError) -> LuaValue {
    guard case .function(let make) = try natives.get("clockOn") else { return .nil }
    return try make.call([.object(clock)]).at(0)
  }

  /// A module's own copy of `scripted`, so that none can change another's.
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

  /// As deep as Lua lets C functions nest, and more than state nests. It is the stack that needs the
  /// limit: a build for AddressSanitizer takes 20 KB of it a level.
  private static let maximumDepth = 200

  /// A reducer is about to be compiled inside another: those that contain themselves would never end.
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

  /// A number for a function that stands for a reducer, the same each time.
  func number(of function: LuaValue) throws(ScriptError) -> LazyReducers.Number? {
    guard case .integer(let number) = try self.function("number").call([function]).at(0) else {
      return nil
    }
    return Int(number)
  }

  /// The description of a reducer that a script made, or nil for something else.
  func describe(_ reducer: LuaValue) throws(ScriptError) -> LuaTable? {
    guard case .table = reducer,
      case .table(let description) = try function("describe").call([reducer]).at(0)
    else { return nil }
    return description
  }
}
