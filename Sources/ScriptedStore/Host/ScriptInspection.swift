import LuaBridge

/// Loads one script in its own VM and composes the feature that the script returns, so that a tool
/// can ask about it. No action and no effect runs.
package final class ScriptInspection {
  /// How a script is loaded.
  package enum Role: Sendable {
    case module
    /// The script is a test file, or a module that only test files require: it sees the globals of
    /// the test framework.
    case test
    /// The script is only compiled: it computes a dependency from the arguments in `...`, which are
    /// not available here.
    case stub
  }

  package enum Step: Sendable {
    case loading
    /// Compiling the reducers that the script described.
    case composing
    /// Making a store with the feature's initial state.
    case makingStore
  }

  /// The first error, and the step that raised it.
  package private(set) var failure: (step: Step, error: ScriptError)?
  private let engine: Engine
  /// The features of the reducers that the script returns.
  private var walk = FeatureWalk([])
  /// The domains that contain a feature, by the script line of the feature.
  private var domains: [String: [Domain]] = [:]

  /// Loads a script and calls `body` with the result. An error of the script is no reason to throw:
  /// it is in ``failure``.
  ///
  /// - Parameter seconds: The time limit for loading.
  /// - Throws: An error if no VM can be made.
  package static func inspect<R>(
    _ path: String, as role: Role, root: ScriptRoot, dependencies: Dependencies, seconds: Double,
    _ body: (ScriptInspection) -> R
  ) throws(ScriptError) -> R {
    let time = Duration(clampingSeconds: seconds)
    let owned = try OwnedWorker(
      root: root,
      configuration: HostConfiguration(
        limits: Limits(loadTime: time, memory: 1 << 30),
        dependencies: dependencies,
        context: role == .test ? .test : .live, clock: VirtualClock(), onWarning: nil, onError: nil),
      TestSupport.additions)
    let watch = try TimeoutWatch(time: time)
    return try owned.worker.performHere { (engine) throws(ScriptError) in
      engine.context.vm.collectOutput()
      let inspection = ScriptInspection(engine)
      inspection.load(path, as: role, watch)
      return body(inspection)
    }
  }

  private init(_ engine: Engine) { self.engine = engine }

  private var vm: LuaVM { engine.context.vm }

  // MARK: Loading

  private func load(_ path: String, as role: Role, _ watch: TimeoutWatch) {
    var step = Step.loading
    do throws(ScriptError) {
      switch role {
      case .stub: _ = try engine.modules.files.chunk(file: path)
      case .test: try engine.loadTestFile(path, watch)
      case .module:
        try vm.loading { () throws(ScriptError) in
          let value = try engine.modules.files.load(file: path)
          step = .composing
          try compose(try reducers(in: value))
          if failure == nil {
            step = .makingStore
            try makeStore(of: value, at: path)
          }
        }
      }
    } catch {
      failure = (step, error)
    }
  }

  /// The module's value if it is a reducer, or else the reducers in the table that the module
  /// returns.
  private func reducers(in value: LuaValue) throws(ScriptError) -> [LuaValue] {
    if try engine.modules.prelude.describe(value) != nil { return [value] }
    guard case .table(let table) = value else { return [] }
    var reducers: [LuaValue] = []
    for (_, member) in try table.entries() where try engine.modules.prelude.describe(member) != nil
    {
      reducers.append(member)
    }
    return reducers
  }

  /// Compiles reducers up to the first that is wrong, also their children that are given as functions.
  private func compose(_ reducers: [LuaValue]) throws(ScriptError) {
    var roots: [Domain] = []
    defer {
      walk = FeatureWalk(roots)
      for (feature, domain) in walk.features { domains[feature.line, default: []].append(domain) }
      if let error = walk.failure { failure = (.composing, error) }
    }
    for reducer in reducers { roots.append(try engine.current.compiler.domain(of: reducer)) }
  }

  /// Makes a store of a feature that has an initial state. A feature without one may be a child
  /// whose state comes from its parent, so no store is made of it.
  private func makeStore(of value: LuaValue, at path: String) throws(ScriptError) {
    guard let description = try engine.modules.prelude.describe(value),
      let initial = try description.function("initial"),
      let state = Value(try initial.call([], tablesAsValues: true).at(0)),
      state.object?.isEmpty == false
    else { return }
    let slot = try engine.makeStore(
      of: .feature(path), state: nil, dependencies: [:], snapshot: StateSnapshot())
    engine.close(slot)
  }

  // MARK: Queries

  /// The origins of all features that were composed, as `todos.lua:18`.
  package var featureOrigins: [String] { Array(domains.keys) }

  /// The first segment of an action's path that no domain handles in which one of the features at
  /// `origins` was composed, and the most similar name there. Nil if one of them handles the whole
  /// path.
  ///
  /// - Throws: An error if `path` is malformed.
  package func unhandled(
    _ path: String, byFeatureAt origins: [String]
  ) throws(ScriptError) -> (name: String, nearest: String?)? {
    let segments: [ActionPath.Segment]
    do throws(ActionError) {
      segments = try ActionPath(path).segments
    } catch {
      throw ScriptError(error.message)
    }
    var missing: ActionVocabulary.Unknown?
    for domain in origins.flatMap({ domains[$0] ?? [] }) {
      guard let unhandled = domain.vocabulary.unhandled(segments[...]) else { return nil }
      missing = missing ?? unhandled
    }
    return missing.map { ($0.name, $0.nearest) }
  }

  /// Why no domain in which one of the features at `origins` was composed lets its view place a
  /// child, given by the path of its actions; nil if one of them does.
  package func placementFailure(
    _ placement: ViewPlacement, at path: String, byFeatureAt origins: [String]
  ) -> PlacementFailure? {
    var first: PlacementFailure?
    for domain in origins.flatMap({ domains[$0] ?? [] }) {
      // A child that cannot be composed is reported as such.
      guard let failure = try? domain.placementFailure(placement, at: path) else { return nil }
      first = first ?? failure
    }
    return first
  }

  /// The error that reading `Feature.actions.<name>` raises; nil if it raises none, or if the
  /// module does not return a feature.
  package func failure(ofAction name: String, of module: String) -> ScriptError? {
    guard let reducer = try? engine.modules.require(module),
      (try? engine.modules.prelude.describe(reducer)) != nil, case .table(let table) = reducer,
      case .table(let actions)? = try? table.get("actions")
    else { return nil }
    return Self.error { () throws(ScriptError) in _ = try actions.get(.string(name)) }
  }

  /// What `body` throws; nil if it throws nothing.
  private static func error(_ body: () throws(ScriptError) -> Void) -> ScriptError? {
    do throws(ScriptError) {
      try body()
      return nil
    } catch {
      return error
    }
  }

  /// The names of all dependencies that a feature can reach, declared or not.
  package var dependencies: [String] { engine.current.dependencies.registry.names }

  /// The names of dependencies that a feature need not declare.
  package static var undeclaredDependencies: Set<String> { DependencyRegistry.implicitNames }

  /// The names of a client's members, for a dependency of the host or of a script. Nil if a
  /// function of the script computes the dependency, because its members are unknown before it is
  /// used, and nil if the dependency is not a client.
  package func members(of dependency: String) -> [String]? {
    let scope = engine.current.dependencies
    return scope.registry.memberNames(of: dependency, in: scope)
  }

  /// The globals that this script sees. The value has the field names of a library; it is empty for
  /// other globals.
  package var globals: [String: [String]] {
    guard let entries = try? vm.makeEnvironment().entries() else { return [:] }
    var globals: [String: [String]] = ["require": []]
    for (key, value) in entries {
      guard let name = key.string else { continue }
      globals[name] = ScriptInspection.libraries.contains(name) ? names(in: value) : []
    }
    return globals
  }

  private static let libraries: Set = ["math", "os", "string", "table", "utf8"]

  /// The functions of libraries that only raise an error.
  private static let raising: [String: [String]] = [
    "math": ["random", "randomseed"], "os": ["clock"],
  ]

  /// The functions of `os` that raise where they would return the present time, so without the
  /// argument that says which time is meant.
  private static let raisingForNow = ["time", "date"]

  /// Messages about the functions of Lua's libraries that scripts may not call, by name:
  /// `os.getenv`. Of a function that only raises without arguments, by its call: `os.time()`.
  package var refusals: [String: String] {
    var refusals = AbsentFunctions.messages
    guard let environment = try? vm.makeEnvironment() else { return refusals }
    for (library, names) in Self.raising {
      for name in names {
        refusals["\(library).\(name)"] = refusal(of: name, in: library, environment)
      }
    }
    for name in Self.raisingForNow {
      refusals["os.\(name)()"] = refusal(of: name, in: "os", environment)
    }
    return refusals
  }

  /// The message of the error that a call of a library's function without arguments raises.
  private func refusal(
    of name: String, in library: String, _ environment: LuaTable
  ) -> String? {
    guard case .table(let table)? = try? environment.get(.string(library)),
      let function = try? table.function(.string(name))
    else { return nil }
    return Self.error { () throws(ScriptError) in _ = try function.call([]) }?.message
  }

  /// The message of the error that reading an undefined global raises; empty if the global is
  /// defined.
  package func reason(forGlobal name: String) -> String {
    let error = Self.error { () throws(ScriptError) in
      _ = try vm.makeEnvironment().get(.string(name))
    }
    return error?.message ?? ""
  }

  /// The field names of `scripted`, of `scripted.effect`, `scripted.list` and `scripted.json`, and,
  /// if the script is a test, of `scripted.test`; by module path.
  package var modules: [String: [String]] {
    var modules: [String: [String]] = [:]
    guard let scripted = try? engine.modules.scripted(for: -1) else { return [:] }
    modules["scripted"] = names(in: scripted)
    if case .table(let table) = scripted {
      for name in ["effect", "list", "json"] {
        if let part = try? table.get(.string(name)) {
          modules["scripted.\(name)"] = names(in: part)
        }
      }
    }
    if let test = try? engine.modules.provided("scripted.test", for: -1) {
      modules["scripted.test"] = names(in: test)
    }
    return modules
  }

  private func names(in value: LuaValue) -> [String] {
    guard case .table(let table) = value, let entries = try? table.entries() else { return [] }
    return entries.compactMap(\.key.string)
  }

  /// Whether a name can be required although it is not a file under the script root.
  package func provides(_ module: String) -> Bool {
    if engine.modules.files.provided.contains(module) { return true }
    return ((try? engine.modules.provided(module, for: -1)) ?? nil) != nil
  }
}

/// What the features of a script share.
extension ScriptInspection {
  /// The key behind a shared field of a feature.
  package struct SharedDeclaration: Sendable {
    /// `inMemory`, `fileStorage`, `appStorage`, `database` or `custom`.
    package let kind: String
    package let name: String
    /// The version of a stored value's shape.
    package let version: Int
    /// The type of the default; nil if there is none, or if a function makes it.
    package let defaultType: String?
    /// The script line of the key, as `keys.lua:4`.
    package let origin: String
    package let isStored: Bool

    /// Equal for names of keys that a host cannot tell apart.
    package var foldedName: String { SharedNames.folded(name, isStored: isStored) }
  }

  /// The keys that the composed features share, also those of features that a function makes on its
  /// first use.
  package var sharedDeclarations: [SharedDeclaration] {
    walk.keys.filter { $0.kind.hasStatus || $0.kind == .inMemory }.map { key in
      SharedDeclaration(
        kind: key.kind.rawValue, name: key.name, version: key.version,
        defaultType: (try? key.plainDefault()).flatMap { $0 }.map { LuaValue($0).typeName },
        origin: key.origin, isStored: key.isStored)
    }
  }

  package var nestedSharing: Set<FeatureWalk.NestedSharing> { walk.nested }
}
