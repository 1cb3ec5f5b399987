import ArgumentParser
import LuaBridge
import Platform
import ScriptedStore
import ScriptedStoreFiles

/// The arguments of a command that makes a store of a feature.
package struct StoreOptions: ParsableArguments {
  @OptionGroup
  package var feature: FeatureOptions

  @OptionGroup(title: "Dependencies")
  package var dependencies: DependencyOptions

  @OptionGroup(title: "Limits")
  var limits: LimitOptions

  package init() {}
}

extension StoreOptions {
  /// The configuration of the host for one run. `onWarning` receives every warning.
  package func configuration(
    on clock: VirtualClock?, onWarning: @escaping @Sendable (RuntimeWarning) -> Void
  ) throws -> ScriptHost.Configuration {
    let offered = try exitingOnScriptError { try dependencies.registered(on: clock) }
    var configuration = ScriptHost.Configuration(
      limits: limits.limits(over: .standard), dependencies: offered, clock: clock,
      shared: try storage(),
      onWarning: onWarning,
      // The records of actions have their errors.
      onError: nil)
    // The number of warnings in a second would differ from run to run, so there is no limit.
    configuration.warningLimit = nil
    configuration.database = try database()
    configuration.onPrint = { StandardStreams.error("\($0)") }
    return configuration
  }

  private func storage() throws -> any SharedStorage {
    guard let folder = dependencies.shared else { return .memory }
    return try refusingShared {
      // Only the folder itself: a path that is misspelt is not to become a tree of folders.
      if mkdir(folder, 0o700) != 0 {
        let reason = errorText(errno)
        if access(folder, F_OK) != 0, errno == ENOENT {
          throw ScriptError(
            "the folder of shared values, \(folder), is not there and cannot be made: \(reason)")
        }
      }
      return try FolderStorage(folder)
    }
  }

  /// Nil for a folder, if the runner was built without SQLite.
  private func database() throws -> (any SharedDatabase)? {
    guard let folder = dependencies.shared else { return .memory }
    guard let openDatabase = RunnerParts.ofProgram.database else { return nil }
    return try refusingShared { try openDatabase(folder) }
  }

  /// Prints an error of `body`, and throws the exit status for it.
  private func refusingShared<Result>(_ body: () throws -> Result) throws(ExitCode) -> Result {
    do {
      return try body()
    } catch {
      throw fail(.noInput, ScriptError("--shared: \(error)"))
    }
  }

  /// Makes a host for the root, and a store of the feature. Prints an error of a script, and throws
  /// the exit status for it.
  ///
  /// - Parameter durable: the key of a durable store, and the function that gets its actions; nil for a store that is not durable.
  package func open(
    _ configuration: ScriptHost.Configuration, overriding overrides: Value?,
    durable: DurableWatch? = nil
  ) throws -> (host: ScriptHost, store: Store) {
    try exitingOnScriptError { try load(configuration, overriding: overrides, durable: durable) }
  }

  /// The same, but throws an error of a script as it is.
  func load(
    _ configuration: ScriptHost.Configuration, overriding overrides: Value?,
    durable: DurableWatch?
  ) throws -> (host: ScriptHost, store: Store) {
    let location = feature.location
    ScriptPaths.use(root: location.root)
    if let durable { return try loadDurable(configuration, durable, overriding: overrides) }
    let host = try ScriptHost(root: location.root, configuration: configuration)
    let store = try host.store(
      location.feature, state: overrides, dependencies: try dependencies.replaced())
    return (host, store)
  }
}

extension StoreOptions {
  private func loadDurable(
    _ configuration: ScriptHost.Configuration, _ watch: DurableWatch, overriding overrides: Value?
  ) throws -> (host: ScriptHost, store: Store) {
    let location = feature.location
    guard overrides == nil else {
      throw fail(
        .usage,
        "--state begins a store, and one of a journal begins with the state of its feature; leave one of --state and --journal out"
      )
    }
    let module = ScriptHost.module(of: location.feature, in: location.root)
    var configuration = configuration
    var feature = DurableFeature(dependencies: try dependencies.replaced())
    feature.watch = watch
    configuration.durable[module] = feature
    let host = try ScriptHost(root: location.root, configuration: configuration)
    let durable = host.durable(module, key: watch.key)
    do {
      return (host, try Awaited { try await durable.open() }.wait())
    } catch let error as JournalError {
      throw ScriptError(error.message, cause: error)
    }
  }
}

/// The arguments that select a feature.
package struct FeatureOptions: ParsableArguments {
  @Argument(help: "A module name under the root (todos, shop.cart), or the path of its file.")
  package var feature: String

  @Option(
    help: """
      The folder that `require` is confined to. (default: scripts; for a path, the nearest folder \
      scripts around it, or the one in which its requires are found)
      """)
  package var root: String?

  package init() {}

  /// The feature's script and root. Reads the script if its root has to be found.
  package var location: ScriptLocation { ScriptLocation(feature, root: root) }

  /// Prints why the feature has no screen, and throws the exit status for it, if it has none.
  package func requireView(of store: Store, _ host: ScriptHost) throws {
    guard !store.hasView else { return }
    let tree = try exitingOnScriptError { try host.tree(of: location.feature) }
    throw fail(.noInput, "\(missingView(tree))")
  }
}

/// The arguments of a command whose store may be a durable one.
package struct JournalOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Keep the store in this journal, so that it goes on where the last run ended.",
      valueName: "file"))
  package var journal: String?

  @Option(help: "The key of the store in the journal. (default: main)")
  package var key: String?

  package init() {}

  package func validate() throws {
    guard let key else { return }
    guard journal != nil else {
      throw ValidationError("--key names a store in a journal: name that with --journal FILE")
    }
    do throws(JournalError) {
      _ = try StoreName(feature: "feature", key: key)
    } catch {
      throw ValidationError("--key: \(error.message)")
    }
  }

  /// Lets the host have the journal. Throws the exit status if the runner was built without that.
  package func add(to configuration: inout ScriptHost.Configuration) throws {
    guard let journal else { return }
    configuration.journal = try RunnerParts.Journals.ofOption().journal(journal)
  }

  /// The key of the durable store, and the function that gets all its actions, also those of its return from the journal; nil for a
  /// store that is not durable.
  package func watch(
    historyLimit: Int, onAction: @escaping @Sendable (ActionRecord) -> Void
  ) -> DurableWatch? {
    guard journal != nil else { return nil }
    return DurableWatch(key: key ?? "main", historyLimit: historyLimit, onAction: onAction)
  }
}
