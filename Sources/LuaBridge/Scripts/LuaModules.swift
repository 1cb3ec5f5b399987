/// `require` for the scripts of one VM. Modules are files under a script root. Each has its own
/// globals and is loaded once.
///
/// ```swift
/// let modules = LuaModules(vm: vm, root: try ScriptRoot("scripts"))
/// let settings = try modules.require("app.settings")
/// ```
///
/// Retain it for as long as its scripts may call `require`; the scripts do not retain it.
public final class LuaModules {
  /// Returns the value of a module that is not a file, or nil to look for a file under the root.
  /// The parameters are the required name and the number of the module that requires it, so that
  /// each module may get its own value.
  public typealias Provider = (_ name: String, _ module: Int) throws(ScriptError) -> LuaValue?

  public let vm: LuaVM
  private let root: ScriptRoot
  private let provide: Provider
  /// Values of modules by script name.
  private var loaded: [String: LuaValue] = [:]
  /// Names of the scripts that are being loaded, outermost first.
  private var loading: [String] = []
  /// The number of environments made so far; each module's number is taken from it.
  private var count = 0
  /// The scripts that were read so far, by name.
  package private(set) var scripts: [String: LoadedScript] = [:]
  /// The names of modules that were required and not found, each with the scripts that required it. Names
  /// too many or too long are left out, because scripts may make them up without end.
  package private(set) var missing: [String: Set<String>] = [:]
  private static let mostMissing = 1000, longestMissing = 1000
  /// Reads the text of a script.
  package var read: (ScriptRoot.Script) throws(ScriptError) -> [UInt8] = {
    (script) throws(ScriptError) in try script.read()
  }
  /// Whether to record locals for ``changedLocals(of:)``. That visits what each script returns.
  package var recordsLocals = true
  /// Names of modules that are not files, which a message about a misspelt name may suggest.
  package var provided: [String] = []
  /// Called for each compiled script, before its function runs.
  package var didCompile:
    (_ script: ScriptRoot.Script, _ chunk: LuaFunction) throws(ScriptError) -> Void = {
      (_, _) throws(ScriptError) in
    }

  /// - Parameters:
  ///   - root: the folder of the module files.
  ///   - provide: called before a file is looked for. It must not retain `vm`, directly or
  ///     indirectly.
  public init(
    vm: LuaVM, root: ScriptRoot,
    providing provide: @escaping Provider = { (_, _) throws(ScriptError) in nil }
  ) {
    self.vm = vm
    self.root = root
    self.provide = provide
  }

  /// The value that a module returns, `true` if it returns nothing. The module is loaded on first
  /// use.
  ///
  /// - Throws: if there is no such module, if its file is outside of the root, if modules require
  ///   each other (with their names), and what the module raises.
  public func require(_ name: String) throws(ScriptError) -> LuaValue {
    try require(name, for: nil)
  }

  /// - Parameter requirer: the name of the script that calls `require`; nil for the host.
  private func require(_ name: String, for requirer: String?) throws(ScriptError) -> LuaValue {
    guard let script = try root.module(name) else {
      if let requirer, name.utf8.count <= Self.longestMissing,
        missing[name] != nil || missing.count < Self.mostMissing
      {
        missing[name, default: []].insert(requirer)
      }
      let file = name.splitAtDots().joined(separator: "/")
      let nearest = root.nearestModule(to: name, provided: provided)
      throw ScriptError(
        "there is no module '\(name)' under \(root.path): neither \(file).lua nor \(file)/init.lua is there"
          + (nearest.map { "; did you mean '\($0)'?" } ?? ""))
    }
    return try load(script, as: name, for: requirer)
  }

  /// The names of a script's locals that have changed since it was loaded, as far as they can be
  /// reached from what the script returned.
  package func changedLocals(of script: String) -> [String] {
    guard let value = loaded[script], let before = scripts[script]?.locals,
      let now = try? vm.locals(of: script, returning: value)
    else { return [] }
    return now.changed(since: before)
  }

  /// Loads a script by its path, which may be outside of the root. If the script is a module, it is
  /// the same as that module, and is loaded once.
  public func load(file: String) throws(ScriptError) -> LuaValue {
    try load(root.file(file), as: nil, for: nil)
  }

  /// Compiles a script by its path, without running it. The function's parameters are `...` in the
  /// script. Each call compiles it again, with its own globals.
  public func chunk(file: String) throws(ScriptError) -> LuaFunction {
    let script = try root.file(file)
    return try chunk(script, try makeEnvironment(of: script))
  }

  /// Compiles a script that may declare globals. Only the script itself sees them.
  package func openChunk(_ script: ScriptRoot.Script) throws(ScriptError) -> LuaFunction {
    let environment = try makeEnvironment(of: script)
    try vm.allowGlobals(in: environment)
    return try chunk(script, environment)
  }

  private func chunk(
    _ script: ScriptRoot.Script, _ environment: LuaTable
  ) throws(ScriptError) -> LuaFunction {
    let text = try read(script)
    scripts[script.name, default: LoadedScript(script)].text = text
    vm.sources[script.name] = text
    let chunk = try vm.load(text, name: script.name, environment: environment)
    try didCompile(script, chunk)
    return chunk
  }

  /// - Parameters:
  ///   - module: the module name; nil if the script is loaded by its path.
  ///   - requirer: the name of the script that requires it; nil for the host.
  private func load(
    _ script: ScriptRoot.Script, as module: String?, for requirer: String?
  ) throws(ScriptError) -> LuaValue {
    scripts[script.name, default: LoadedScript(script)].record(
      module, for: requirer, whileLoading: !loading.isEmpty)
    if let known = loaded[script.name] { return known }
    if let start = loading.firstIndex(of: script.name) {
      let cycle = loading[start...] + [script.name]
      throw ScriptError("these modules require each other: " + cycle.joined(separator: " → "))
    }
    loading.append(script.name)
    defer { loading.removeLast() }
    let results = try chunk(script, try makeEnvironment(of: script)).call()
    let result = results.first ?? .nil
    let value: LuaValue = if case .nil = result { true } else { result }
    loaded[script.name] = value
    scripts[script.name]?.isLoaded = true
    if recordsLocals {
      scripts[script.name]?.locals = try vm.locals(of: script.name, returning: value)
    }
    return value
  }

  /// A module's globals: those of the sandbox, and its own `require`.
  private func makeEnvironment(of script: ScriptRoot.Script) throws(ScriptError) -> LuaTable {
    let environment = try vm.makeEnvironment()
    let module = count
    count += 1
    let require = try vm.makeFunction("require") { [weak self] arguments in
      guard let self else {
        throw ScriptError(
          "the modules that this script belongs to are gone: nothing can be required")
      }
      guard case .string(let name)? = arguments.first else {
        throw ScriptError(
          "bad argument #1 to 'require' (string expected, got \((arguments.first ?? .nil).typeName))"
        )
      }
      return .values([try provide(name, module) ?? self.require(name, for: script.name)])
    }
    try environment.set("require", to: .function(require))
    return environment
  }
}
