import ArgumentParser
import LuaBridge
import ScriptedStore

/// The feature that the command line names, by module name or path.
struct FeatureArgument {
  let name: String
  let root: String

  init(_ name: String, root: String?) {
    self.name = name
    self.root = root ?? (name.hasSuffix(".lua") ? Self.folder(of: name) : "scripts")
  }

  /// A store of it; the keys of `overrides` replace those of the feature's initial state.
  func store(
    overriding overrides: Value?, _ dependencies: DependencyOptions, _ limits: Limits,
    on clock: VirtualClock?, reportingTo report: SharedReport
  ) throws -> Store {
    do {
      var configuration = ScriptHost.Configuration(
        limits: limits, dependencies: try dependencies.registered(on: clock), clock: clock,
        onWarning: { warning in report.add(warning) },
        // Actions bring their errors with them.
        onError: nil)
      // How many there are in a second would differ from run to run.
      configuration.warningLimit = nil
      return try ScriptHost(root: root, configuration: configuration)
        .store(name, state: overrides, dependencies: try dependencies.replaced())
    } catch let error as ScriptError {
      throw fail(.noInput, describe(error))
    }
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}

/// What happened, where, and the calls that led there.
func describe(_ error: ScriptError) -> String {
  guard let traceback = error.traceback else { return "\(error)" }
  return "\(error)\n\(traceback)"
}
