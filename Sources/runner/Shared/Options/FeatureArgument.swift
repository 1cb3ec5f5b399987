import ArgumentParser
import LuaBridge
import ScriptedStore

/// The arguments that select a feature.
struct FeatureOptions: ParsableArguments {
  @Argument(help: "A module name under the root (todos, shop.cart), or the path of a .lua file.")
  var feature: String

  @Option(
    help: """
      The folder that `require` is confined to. (default: scripts; for a .lua path, the folder \
      that it is in)
      """)
  var root: String?

  var argument: FeatureArgument { FeatureArgument(feature, root: root) }
}

/// A feature that the command line names by a module name or a file path.
struct FeatureArgument {
  let name: String
  let root: String

  init(_ name: String, root: String?) {
    self.name = name
    self.root = root ?? (name.hasSuffix(".lua") ? Self.folder(of: name) : "scripts")
  }

  /// Makes a store of the feature. The keys of `overrides` replace those of the feature's initial
  /// state.
  func store(
    overriding overrides: Value?, _ dependencies: DependencyOptions, _ limits: Limits,
    on clock: VirtualClock?, reportingTo report: SharedReport
  ) throws -> Store {
    let configuration = try configuration(dependencies, limits, on: clock) { report.add($0) }
    return try open(configuration, overriding: overrides, dependencies).store
  }

  /// The configuration of the host for one run. `onWarning` receives every warning.
  func configuration(
    _ dependencies: DependencyOptions, _ limits: Limits, on clock: VirtualClock?,
    onWarning: @escaping @Sendable (RuntimeWarning) -> Void
  ) throws -> ScriptHost.Configuration {
    let offered = try failing { try dependencies.registered(on: clock) }
    var configuration = ScriptHost.Configuration(
      limits: limits, dependencies: offered, clock: clock, onWarning: onWarning,
      // The records of actions have their errors.
      onError: nil)
    // The number of warnings in a second would differ from run to run, so there is no limit.
    configuration.warningLimit = nil
    configuration.onPrint = { StandardStreams.error("\($0)") }
    return configuration
  }

  /// Makes a host for the root, and a store of the feature.
  func open(
    _ configuration: ScriptHost.Configuration, overriding overrides: Value?,
    _ dependencies: DependencyOptions
  ) throws -> (host: ScriptHost, store: Store) {
    try failing {
      let host = try ScriptHost(root: root, configuration: configuration)
      let store = try host.store(
        name, state: overrides, dependencies: try dependencies.replaced())
      return (host, store)
    }
  }

  /// Prints a `ScriptError` from `body`, and throws the exit status for it.
  private func failing<R>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let error as ScriptError {
      throw fail(.noInput, "\(describe(error))")
    }
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}

/// The error's message and source line, followed by the traceback if there is one.
func describe(_ error: ScriptError) -> String {
  guard let traceback = error.traceback else { return "\(error)" }
  return "\(error)\n\(traceback)"
}
