import LuaBridge

/// The dependencies of one VM in one context, without overrides: those of the host, those that
/// scripts have declared, and those that come with each store.
final class DependencyRegistry {
  let vm: LuaVM
  let context: DependencyContext
  private let registrations: [String: Dependencies.Registration]
  private let declarations: DependencyDeclarations
  private let modules: ScriptModules
  private var chunks: [String: LuaFunction] = [:]
  let scheduler: SchedulerLink
  /// The names for which the overrides of a store stand in: those of the host, or of the test store that was made last.
  var standIns: Set<String>
  /// Those that a reducer has asked for.
  private var standInsInUse: Set<String> = []
  private let standInRemedy: (@Sendable (_ name: String) -> String)?
  /// Whether stores find their clock in this context. In a test it is unimplemented, because the
  /// test says when time passes.
  var offersClock: Bool { context != .test }

  /// The names that a feature may read without declaring them.
  static let implicitNames: Set = ["dismiss", "isPresented"]
  /// The names that come with each store: the keys of ``ScriptModules/nativeDependencies``.
  static let nativeNames: Set = ["clock", "dismiss", "isPresented"]

  init(
    _ dependencies: Dependencies, _ declarations: DependencyDeclarations, _ modules: ScriptModules,
    context: DependencyContext, scheduler: SchedulerLink
  ) {
    vm = modules.vm
    self.context = context
    self.declarations = declarations
    self.modules = modules
    self.scheduler = scheduler
    registrations = dependencies.registrations
    standIns = dependencies.standIns
    standInRemedy = dependencies.standInRemedy
  }

  var prelude: ScriptedPrelude { modules.prelude }
  private var natives: [String: LuaValue] { modules.nativeDependencies }

  /// Whether the host offers its own `clock` in place of the store's.
  var replacesClock: Bool { registrations["clock"] != nil }

  // MARK: Names

  /// All names, sorted.
  var names: [String] {
    Set(registrations.keys).union(natives.keys).union(declarations.names).sorted()
  }

  func contains(_ name: String) -> Bool { hasValue(name) || isStandIn(name) }

  private func hasValue(_ name: String) -> Bool {
    registrations[name] != nil || natives[name] != nil || declarations[name] != nil
  }

  /// Whether the dependency has no value other than the store's override.
  func isStandIn(_ name: String) -> Bool {
    standIns.contains(name) && standInsInUse.contains(name) && !hasValue(name)
  }

  /// Whether the function at a path changes something outside, as the host or the script says that offers it. An override
  /// does not change that.
  func writes(_ path: [String]) -> Bool {
    if declarations.writing.contains(path[0]) { return true }
    var dependency = registrations[path[0]]?.live
    for member in path.dropFirst() where dependency?.writes == false {
      dependency = dependency?[member]
    }
    return dependency?.writes ?? false
  }

  /// Throws if a reducer asks for a dependency that neither the host nor a script offers, and that no override stands in for.
  func check(_ name: String, origin: String) throws(ScriptError) {
    if standIns.contains(name) { standInsInUse.insert(name) }
    if let error = missing(name, origin: origin) { throw error }
  }

  /// The error for a name that is no dependency, or a stand-in that no reducer asks for; else nil. It suggests the nearest name.
  func missing(_ name: String, origin: String) -> ScriptError? {
    guard !contains(name) else { return nil }
    return ScriptError("\(origin): there is no dependency '\(name)'\(hint(for: name))")
  }

  /// The end of a message about an unknown name.
  func hint(for name: String) -> String {
    let remedy =
      if standIns.contains(name) {
        "no script that is loaded declares it"
      } else {
        "if a script declares it, require that script; if a host in Swift does, "
          + (standInRemedy?(name) ?? "pass its `configuration:`")
      }
    return Suggestion.hint(
      for: name, in: standIns.union(names).subtracting([name]).sorted(),
      otherwise: "\(remedy). There are")
  }

  /// The names of the members of a client; nil for anything else. Nil also for a client that a
  /// script's function makes, because the function is not called here.
  func memberNames(of name: String, in scope: DependencyScope) -> [String]? {
    if case .function? = declarations[name]?.live { return nil }
    guard case .client(let members)? = try? resolve(name, in: scope).binding else { return nil }
    return members.keys.sorted()
  }

  /// The script at a path; compiled once.
  func chunk(_ path: String) throws(ScriptError) -> LuaFunction {
    if let known = chunks[path] { return known }
    let chunk = try modules.files.chunk(file: path)
    chunks[path] = chunk
    return chunk
  }

  // MARK: Values

  /// Resolves a name in this context. The result differs between scopes only if a script computes
  /// it.
  func resolve(
    _ name: String, in scope: DependencyScope
  ) throws(ScriptError) -> OverrideChain.Resolved {
    if let registration = registrations[name] {
      return try resolve(registration, completes: true) { (dependency) throws(ScriptError) in
        (try DependencyBinding(dependency, named: name, in: scope), dependency.files.isEmpty)
      }
    }
    if let declaration = declarations[name] {
      // A function that makes the live value may call what this context does not have.
      let completes = if case .function = declaration.live { false } else { true }
      return try resolve(declaration, completes: completes) { (value) throws(ScriptError) in
        guard case .function(let make) = value else {
          return (try DependencyBinding(value, named: name, in: vm), true)
        }
        return (try scope.evaluate(name, with: make), false)
      }
    }
    guard let native = natives[name] else {
      if standInsInUse.contains(name) { return (.value(.object(Value.Object())), true) }
      throw ScriptError("there is no dependency '\(name)'\(hint(for: name))")
    }
    let binding = try DependencyBinding(native, named: name, in: vm)
    return (name == "clock" && !offersClock ? binding.withoutImplementation : binding, true)
  }

  /// Resolves the value for this context. Members that a client does not name are as they are without it.
  ///
  /// - Parameter completes: whether that holds.
  private func resolve<Content>(
    _ values: ContextValues<Content>, completes: Bool,
    _ resolve: (Content) throws(ScriptError) -> OverrideChain.Resolved
  ) throws(ScriptError) -> OverrideChain.Resolved {
    let own: Content? =
      switch context {
      case .live: nil
      case .preview: values.preview
      case .test: values.test
      }
    guard let own else { return withoutOwn(try resolve(values.live)) }
    let resolved = try resolve(own)
    guard completes, case .client = resolved.binding else { return resolved }
    // A live value that cannot be made has no members, because the client may be all that is needed.
    guard let live = try? resolve(values.live) else { return (resolved.binding, false) }
    let base = withoutOwn(live)
    return (
      base.binding.overridden(by: resolved.binding),
      base.isScopeIndependent && resolved.isScopeIndependent
    )
  }

  /// The live value where this context has no value of its own. In a test it stands in without its functions.
  private func withoutOwn(_ live: OverrideChain.Resolved) -> OverrideChain.Resolved {
    guard context == .test else { return live }
    return (live.binding.withoutImplementation, live.isScopeIndependent)
  }
}

/// The dependencies that the scripts of one VM have declared with `scripted.dependency`.
final class DependencyDeclarations {
  typealias Declaration = ContextValues<LuaValue>

  private var declarations: [String: Declaration] = [:]
  /// The names of those whose functions change something outside.
  private(set) var writing: Set<String> = []
  private let taken: Set<String>

  /// - Parameter taken: the names of the host's dependencies, which scripts cannot declare.
  init(taken: Set<String>) { self.taken = taken }

  var names: [String] { Array(declarations.keys) }

  subscript(name: String) -> Declaration? { declarations[name] }

  /// Adds the function behind `scripted.dependency` to the natives, which the prelude uses.
  func addDeclaring(to natives: LuaTable) throws(ScriptError) {
    try natives.define("declareDependency", as: "scripted.dependency") { [weak self] arguments in
      if case .string(let name) = arguments.at(0), case .table(let definition) = arguments.at(1) {
        try self?.declare(name, definition)
      }
      return .values([])
    }
  }

  /// Adds or replaces a declaration. `definition` is the table from a script; the prelude has
  /// checked it.
  private func declare(_ name: String, _ definition: LuaTable) throws(ScriptError) {
    guard !taken.contains(name) else {
      throw ScriptError(
        "the host has a dependency '\(name)' already; override that with :dependency(\"\(name)\", …)"
      )
    }
    func value(_ key: LuaValue) throws(ScriptError) -> LuaValue? {
      let value = try definition.get(key)
      return value.isNil ? .none : .some(value)
    }
    guard let live = try value("live") else {
      throw ScriptError("the dependency '\(name)' has no live value")
    }
    declarations[name] = Declaration(
      live: live, preview: try value("preview"), test: try value("test"))
    if try value("writes")?.bool == true { writing.insert(name) } else { writing.remove(name) }
  }
}
