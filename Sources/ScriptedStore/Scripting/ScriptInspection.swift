import LuaBridge

/// What tools learn of a script by loading it in a VM of its own and composing the feature that it returns. No action
/// and no effect runs.
package final class ScriptInspection {
  /// How a script is loaded.
  package enum Role: Sendable {
    case module
    /// As a file of tests, or what only such files require: it sees their globals.
    case test
    /// Not at all: it is a function of what it is given.
    case stub
  }

  package enum Step: Sendable {
    case loading
    /// Making reducers of what the script described.
    case composing
    /// Making a store of the initial state.
    case beginning
  }

  /// The first thing that went wrong.
  package private(set) var failure: (step: Step, error: ScriptError)?
  private let engine: Engine
  /// The domains that each feature is part of, by the line that made it.
  private var domains: [String: [Domain]] = [:]

  /// Loads a script and calls `body` with what came of it. Throws where there can be no VM.
  ///
  /// - Parameter seconds: what loading may take.
  package static func inspect<R>(
    _ path: String, as role: Role, root: ScriptRoot, dependencies: Dependencies, seconds: Double,
    _ body: (ScriptInspection) -> R
  ) throws(ScriptError) -> R {
    let owned = try OwnedWorker(
      root: root,
      configuration: ScriptHost.Configuration(
        limits: Limits(loadTime: seconds, memory: 1 << 30), dependencies: dependencies,
        context: role == .test ? .test : .live, clock: VirtualClock(), onWarning: nil, onError: nil)
    )
    let watch = try Watch(seconds: seconds)
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

  private func load(_ path: String, as role: Role, _ watch: Watch) {
    var step = Step.loading
    do throws(ScriptError) {
      switch role {
      case .stub: _ = try engine.modules.chunk(file: path)
      case .test:
        let context = try TestContext(
          engine, watch: watch, snapshots: SnapshotFile(beside: path, .never), coverage: nil)
        engine.tests = context
        _ = try context.load(path, seed: nil)
      case .module:
        try vm.loading { () throws(ScriptError) in
          let value = try engine.modules.load(file: path)
          step = .composing
          for reducer in try reducers(in: value) {
            note(try engine.current.compiler.domain(of: reducer), inside: [])
          }
          if failure == nil {
            step = .beginning
            try begin(value, path)
          }
        }
      }
    } catch {
      failure = (step, error)
    }
  }

  /// A module's reducer, or those in the table that it returns.
  private func reducers(in value: LuaValue) throws(ScriptError) -> [LuaValue] {
    if try engine.modules.describe(value) != nil { return [value] }
    guard case .table(let table) = value else { return [] }
    var reducers: [LuaValue] = []
    for (_, member) in try table.entries() where try engine.modules.describe(member) != nil {
      reducers.append(member)
    }
    return reducers
  }

  /// Finds the features of a domain and of those below it. Makes domains that are given as functions.
  private func note(_ domain: Domain, inside above: [String]) {
    let identity = domain.root.firstFeature?.origin ?? domain.root.origin
    guard !above.contains(identity) else { return }
    note(domain.root, of: domain, inside: above + [identity])
  }

  private func note(_ node: ReducerNode, of domain: Domain, inside above: [String]) {
    if node is FeatureNode { domains[ScriptInspection.place(of: node), default: []].append(domain) }
    let outline = node.outline
    for part in outline.parts { note(part, of: domain, inside: above) }
    for (_, child) in outline.children {
      do throws(ScriptError) {
        note(try child.domain(), inside: above)
      } catch {
        if failure == nil { failure = (.composing, error) }
      }
    }
  }

  /// `todos.lua:18` of `feature at todos.lua:18`.
  private static func place(of node: ReducerNode) -> String {
    String(node.origin.split(separator: " ").last ?? "")
  }

  /// Makes a store of a feature that has an initial state; one without may be a child that its parent gives one.
  private func begin(_ value: LuaValue, _ path: String) throws(ScriptError) {
    guard let description = try engine.modules.describe(value),
      case .function(let initial) = try description.get("initial"),
      let state = Value(try initial.call([], tablesAsValues: true).at(0)),
      state.object?.isEmpty == false
    else { return }
    let slot = try engine.makeStore(
      of: path, overrides: nil, dependencies: [:], box: SnapshotBox())
    engine.close(slot)
  }

  // MARK: Questions

  /// The lines that made the features which were composed.
  package var places: [String] { Array(domains.keys) }

  /// Whether a feature that is made at one of these places is in a domain; then the first name of the action that none
  /// of its domains handles, with the nearest, or nil. Throws for a malformed path.
  package func unhandled(
    _ path: String, byFeatureAt places: [String]
  ) throws(ScriptError) -> (isKnown: Bool, name: String?, nearest: String?) {
    let domains = places.flatMap { self.domains[$0] ?? [] }
    if domains.isEmpty { return (false, nil, nil) }
    let segments: [ActionPath.Segment]
    do throws(ActionError) {
      segments = try ActionPath(path).segments
    } catch {
      throw ScriptError(error.message)
    }
    var missing: (name: String, nearest: String?)?
    for domain in domains {
      guard let unhandled = domain.unhandled(segments[...]) else { return (true, nil, nil) }
      missing = missing ?? unhandled
    }
    return (true, missing?.name, missing?.nearest)
  }

  /// What `Feature.actions.<name>` raises, where a module returns the feature; nil if it does not.
  package func failure(ofAction name: String, of module: String) -> ScriptError? {
    guard let reducer = try? engine.modules.require(module),
      (try? engine.modules.describe(reducer)) != nil, case .table(let table) = reducer,
      case .table(let actions)? = try? table.get("actions")
    else { return nil }
    do throws(ScriptError) {
      _ = try actions.get(.string(name))
      return nil
    } catch {
      return error
    }
  }

  /// What features may declare, and what needs no declaration.
  package var dependencies: [String] { engine.current.dependencies.registry.names }

  /// Dependencies that need no declaration.
  package static var undeclaredDependencies: Set<String> { DependencyRegistry.undeclared }

  /// What is in a dependency of the host's; nil where that is unknown before it is used, and for what is no client.
  package func members(of dependency: String) -> [String]? {
    let scope = engine.current.dependencies
    return scope.registry.memberNames(of: dependency, in: scope)
  }

  /// The globals of scripts as this one is, with the fields of those that are libraries.
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

  /// What reading a global raises that is not there.
  package func reason(forGlobal name: String) -> String {
    do throws(ScriptError) {
      _ = try vm.makeEnvironment().get(.string(name))
      return ""
    } catch {
      return error.message
    }
  }

  /// The functions of `scripted` and of the tables in it, by path; those of `scripted.test` too where there are tests.
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
    if engine.tests != nil, let test = try? engine.modules.testing().module {
      modules["scripted.test"] = names(in: test)
    }
    return modules
  }

  private func names(in value: LuaValue) -> [String] {
    guard case .table(let table) = value, let entries = try? table.entries() else { return [] }
    return entries.compactMap(\.key.string)
  }

  /// Whether a module is there that is no file.
  package func provides(_ module: String) -> Bool {
    if module == "scripted" || module == "scripted.test" { return true }
    return ((try? engine.modules.provide(module, -1)) ?? nil) != nil
  }
}
