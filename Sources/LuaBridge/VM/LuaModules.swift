/// `require` for the scripts of one VM: modules are files under a script root, each with globals of its own,
/// loaded once.
///
/// ```swift
/// let modules = LuaModules(vm: vm, root: try ScriptRoot("scripts"))
/// let settings = try modules.require("app.settings")
/// ```
///
/// Keep it for as long as its scripts may `require`: they do not.
public final class LuaModules {
  /// Gives the modules that are no files: their value, or nil to look under the root. It gets the name that
  /// is required and the number of the module that requires it, so that each may get its own.
  public typealias Provider = (_ name: String, _ module: Int) throws(ScriptError) -> LuaValue?

  public let vm: LuaVM
  private let root: ScriptRoot
  private let provide: Provider
  /// By script, as it is named in messages.
  private var loaded: [String: LuaValue] = [:]
  /// Scripts that are being loaded, outermost first.
  private var loading: [String] = []
  private var count = 0
  /// What was read so far, by the names of scripts.
  package private(set) var scripts: [String: LoadedScript] = [:]
  /// Modules that scripts asked for and that were not there, with those who did.
  package private(set) var missing: [String: Set<String>] = [:]
  /// Where texts come from.
  package var read: (ScriptRoot.Script) throws(ScriptError) -> [UInt8] = {
    (script) throws(ScriptError) in try script.read()
  }
  /// Whether ``changedLocals(of:)`` can tell something later, which costs a walk through what each script returns.
  package var notesLocals = true
  /// Hears of each script that was compiled: its function has not run yet.
  package var didCompile:
    (_ script: ScriptRoot.Script, _ chunk: LuaFunction) throws(ScriptError) -> Void = {
      (_, _) throws(ScriptError) in
    }

  /// - Parameters:
  ///   - root: where files are looked for.
  ///   - provide: asked first; what it holds strongly must not lead to `vm`.
  public init(
    vm: LuaVM, root: ScriptRoot,
    providing provide: @escaping Provider = { (_, _) throws(ScriptError) in nil }
  ) {
    self.vm = vm
    self.root = root
    self.provide = provide
  }

  /// What a module returns, `true` if it returns nothing; loaded on first use. Throws where there is none,
  /// where it leads out of the root, where modules require each other (with their names), and what it
  /// raises.
  public func require(_ name: String) throws(ScriptError) -> LuaValue {
    try require(name, for: nil)
  }

  /// - Parameter requirer: the script that asks; nil for the host.
  private func require(_ name: String, for requirer: String?) throws(ScriptError) -> LuaValue {
    guard let script = try root.module(name) else {
      if let requirer { missing[name, default: []].insert(requirer) }
      let file = name.split(separator: ".").joined(separator: "/")
      throw ScriptError(
        "there is no module '\(name)' under \(root.path): neither \(file).lua nor \(file)/init.lua is there"
      )
    }
    return try load(script, as: name, for: requirer)
  }

  /// The locals of a script that have changed since it was loaded, as far as that can be told.
  package func changedLocals(of script: String) -> [String] {
    guard let value = loaded[script], let before = scripts[script]?.locals,
      let now = try? vm.locals(of: script, returning: value)
    else { return [] }
    return now.changed(since: before)
  }

  /// A script by its path, which may be outside of the root; the same as its module if it is one.
  public func load(file: String) throws(ScriptError) -> LuaValue {
    try load(root.file(file), as: nil, for: nil)
  }

  /// A script by its path, compiled and not run: a function of what `...` is in it. Each time anew, with
  /// globals of its own.
  public func chunk(file: String) throws(ScriptError) -> LuaFunction {
    let script = try root.file(file)
    return try chunk(script, try makeEnvironment(of: script))
  }

  /// The same for a script that may declare globals, which only itself sees.
  package func openChunk(_ script: ScriptRoot.Script) throws(ScriptError) -> LuaFunction {
    let environment = try makeEnvironment(of: script)
    try vm.open(environment)
    return try chunk(script, environment)
  }

  private func chunk(
    _ script: ScriptRoot.Script, _ environment: LuaTable
  ) throws(ScriptError) -> LuaFunction {
    let text = try read(script)
    scripts[script.name, default: LoadedScript(script)].text = text
    let chunk = try vm.load(text, name: script.name, environment: environment)
    try didCompile(script, chunk)
    return chunk
  }

  /// - Parameters:
  ///   - module: what it is required as; nil for a path.
  ///   - requirer: the script that requires it; nil for the host.
  private func load(
    _ script: ScriptRoot.Script, as module: String?, for requirer: String?
  ) throws(ScriptError) -> LuaValue {
    scripts[script.name, default: LoadedScript(script)].note(
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
    if notesLocals {
      scripts[script.name]?.locals = try vm.locals(of: script.name, returning: value)
    }
    return value
  }

  /// A module's globals: the sandbox's, and `require`.
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
