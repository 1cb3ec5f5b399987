import LuaBridge
import ScriptedStore

extension FeatureOptions {
  /// The configuration of the host for one run. `onWarning` receives every warning.
  func configuration(
    _ dependencies: DependencyOptions, _ limits: Limits, on clock: VirtualClock?,
    onWarning: @escaping @Sendable (RuntimeWarning) -> Void
  ) throws -> ScriptHost.Configuration {
    let offered = try exitingOnScriptError { try dependencies.registered(on: clock) }
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
    try exitingOnScriptError {
      let host = try ScriptHost(root: scriptRoot, configuration: configuration)
      let store = try host.store(
        feature, state: overrides, dependencies: try dependencies.replaced())
      return (host, store)
    }
  }
}
