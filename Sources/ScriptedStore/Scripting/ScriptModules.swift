import LuaBridge

/// The modules of one VM: those under the script root, the `scripted` module that they build on, and the
/// host's own reducers.
final class ScriptModules {
  let vm: LuaVM
  /// Swift reducers that scripts can require.
  let hostReducers: [Reducer]
  /// What scripts have declared with `scripted.dependency`.
  let declarations: DependencyDeclarations
  /// What every store brings with it, as scripts find it in `deps`.
  let nativeDependencies: [String: LuaValue]
  /// What is known of functions that stand for reducers.
  let lazyReducers = LazyReducers()
  private let hostNames: [String: Int]
  private let prelude: LuaTable
  private let root: ScriptRoot
  private lazy var files = LuaModules(vm: vm, root: root) {
    [unowned self] (name, module) throws(ScriptError) in
    name == "scripted" ? try scripted(for: module) : try hostReducer(name)
  }
  /// The copies of `scripted` that modules have required, by module. Not in a function that Lua keeps: a
  /// reference in it would keep the VM.
  private var copies: [Int: LuaValue] = [:]
  private var wrapped: [String: LuaValue] = [:]
  /// Reducers that are being compiled, each inside the one before.
  private var reducerDepth = 0

  init(
    vm: LuaVM, root: ScriptRoot, reducers: [String: Reducer], dependencies: Dependencies,
    effects: EffectRunner
  ) throws(ScriptError) {
    self.vm = vm
    self.root = root
    let names = reducers.keys.sorted()
    hostReducers = names.compactMap { reducers[$0] }
    hostNames = Dictionary(uniqueKeysWithValues: zip(names, 0...))
    declarations = DependencyDeclarations(
      taken: DependencyRegistry.nativeNames.union(dependencies.names))
    let natives = try vm.makeNatives()
    try Natives.add(to: natives, of: vm)
    try declarations.addDeclaring(to: natives)
    try EffectNatives.add(to: natives, of: vm, effects)
    let list = try vm.load(PackageResources.list_lua, name: "=scripted.list")
      .call([.table(natives)])
    let effect = try vm.load(PackageResources.effect_lua, name: "=scripted.effect")
      .call([.table(natives)])
    let presentation = try vm.load(
      PackageResources.presentation_lua, name: "=scripted.presentation")
    let module = try vm.load(PackageResources.scripted_lua, name: "=scripted")
      .call([.table(natives), list.at(0), effect.at(0), .function(presentation)])
    nativeDependencies = [
      "clock": try natives.get("storeClock"), "dismiss": try natives.get("dismiss"),
      "isPresented": false,
    ]
    guard case .table(let prelude) = module.at(0) else {
      throw ScriptError("the scripted module returned no table")
    }
    self.prelude = prelude
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

  /// A value that calls `end` when a loop that has it is left.
  func closing(_ end: LuaFunction) throws(ScriptError) -> LuaValue {
    try function("closing").call([.function(end)]).at(0)
  }

  /// A module's own copy of `scripted`, so that none can change another's.
  private func scripted(for module: Int) throws(ScriptError) -> LuaValue {
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
