import LuaBridge

/// The modules of one VM: what `require` does, and the `scripted` module that scripts build on.
final class ScriptModules {
  let vm: LuaVM
  private let root: ScriptRoot
  /// Swift reducers that scripts can require.
  let hostReducers: [Reducer]
  private let hostNames: [String: Int]
  /// What modules returned: by the names that they were required by, and by those of their scripts.
  private var loaded: [String: LuaValue] = [:]
  private var loadedScripts: [String: LuaValue] = [:]
  /// Modules that are being loaded, outermost first.
  private var loading: [String] = []
  /// The copies of `scripted` that modules have required, by environment. Not in the functions that hand
  /// them out: Lua keeps those, and a reference in them would keep the VM.
  private var copies: [LuaValue?] = []
  private let prelude: LuaTable
  /// Reducers that are being compiled, each inside the one before.
  private var reducerDepth = 0

  init(
    vm: LuaVM, root: ScriptRoot, reducers: [String: Reducer]
  ) throws(ScriptError) {
    self.vm = vm
    self.root = root
    let names = reducers.keys.sorted()
    hostReducers = names.compactMap { reducers[$0] }
    hostNames = Dictionary(uniqueKeysWithValues: zip(names, 0...))
    let natives = try vm.makeNatives()
    try Natives.add(to: natives, of: vm)
    let list = try vm.load(PackageResources.list_lua, name: "=scripted.list")
      .call([.table(natives)])
    let module = try vm.load(PackageResources.scripted_lua, name: "=scripted")
      .call([.table(natives), list.at(0)])
    guard case .table(let prelude) = module.at(0) else {
      throw ScriptError("the scripted module returned no table")
    }
    self.prelude = prelude
  }

  /// What a module returns, loaded on first use.
  func require(_ name: String) throws(ScriptError) -> LuaValue {
    if let known = loaded[name] { return known }
    if let number = hostNames[name] {
      let reducer = try function("host").call([.integer(Int64(number)), .string(name)])
      loaded[name] = reducer.at(0)
      return reducer.at(0)
    }
    guard let script = try root.module(name) else {
      throw ScriptError("there is no module '\(name)' under \(root.path)")
    }
    let module = try load(script)
    loaded[name] = module
    return module
  }

  /// A script by its path; the same as its module if it is one.
  func load(file: String) throws(ScriptError) -> LuaValue {
    try load(try root.file(file))
  }

  private func load(_ script: ScriptRoot.Script) throws(ScriptError) -> LuaValue {
    if let known = loadedScripts[script.name] { return known }
    if let start = loading.firstIndex(of: script.name) {
      let cycle = loading[start...] + [script.name]
      throw ScriptError("these modules require each other: " + cycle.joined(separator: " → "))
    }
    loading.append(script.name)
    defer { loading.removeLast() }
    let environment = try makeEnvironment()
    let results = try vm.load(script.source, name: script.name, environment: environment).call()
    let result: LuaValue = if case .nil = results.at(0) { true } else { results.at(0) }
    loadedScripts[script.name] = result
    return result
  }

  /// A module's globals: the sandbox's, and a `require` that gives it copies of its own of `scripted`.
  private func makeEnvironment() throws(ScriptError) -> LuaTable {
    let environment = try vm.makeEnvironment()
    let own = copies.count
    copies.append(nil)
    let require = try vm.makeFunction("require") { [unowned self] arguments in
      guard case .string(let name) = arguments.at(0) else {
        throw ScriptError(
          "bad argument #1 to 'require' (string expected, got \(arguments.at(0).typeName))")
      }
      guard name == "scripted" else { return .values([try self.require(name)]) }
      let module = try copies[own] ?? function("module").call().at(0)
      copies[own] = module
      return .values([module])
    }
    try environment.set("require", to: .function(require))
    return environment
  }

  /// A reducer is about to be compiled inside another: those that contain themselves would never end.
  func enterReducer() throws(ScriptError) {
    guard reducerDepth < 512 else {
      throw ScriptError(
        "reducers are nested more than 512 deep; one that contains itself must do so as a child, "
          + "given as a function")
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

  /// The description of a reducer that a script made, or nil for something else.
  func describe(_ reducer: LuaValue) throws(ScriptError) -> LuaTable? {
    guard case .table = reducer,
      case .table(let description) = try function("describe").call([reducer]).at(0)
    else { return nil }
    return description
  }
}
