import ArgumentParser
import LuaBridge
import ScriptChecks
import ScriptedStore

extension StoreOptions {
  /// Opens the host and the store, and begins to handle signals.
  ///
  /// - Parameters:
  ///   - durable: the key of a durable store, and the function that gets its actions; nil for a store that is not durable.
  ///   - program: what starts, in messages: `"the console"`.
  ///   - events: gets what scripts print while they are loaded.
  ///   - readsKeys: whether the end of the input, Ctrl-D, ends the wait.
  ///   - waits: whether a script that is there, and does not load, is waited for.
  package func openWaiting(
    _ configuration: ScriptHost.Configuration, overriding overrides: Value?,
    durable: DurableWatch? = nil, as program: String, events: ConsoleEvents = ConsoleEvents(),
    readsKeys: Bool, waits: Bool
  ) throws -> (host: ScriptHost, store: Store) {
    let start = StartWatch(
      options: self, configuration: configuration, overrides: overrides, durable: durable,
      program: program, events: events, readsKeys: readsKeys)
    return try start.open(waits: waits)
  }
}

/// The start of a console, a screen or a server. If the scripts do not load, it waits until a change of
/// them mends that.
private struct StartWatch {
  let options: StoreOptions
  let configuration: ScriptHost.Configuration
  let overrides: Value?
  let durable: DurableWatch?
  let program: String
  let events: ConsoleEvents
  let readsKeys: Bool

  func open(waits: Bool) throws -> (host: ScriptHost, store: Store) {
    do {
      let opened = try load()
      try Interruption.install()
      return opened
    } catch let failure as ScriptError {
      guard waits, isBroken else { throw fail(.noInput, failure) }
      try Interruption.install()
      return try wait(after: failure)
    }
  }

  private func load() throws -> (host: ScriptHost, store: Store) {
    try options.load(configuration, overriding: overrides, durable: durable)
  }

  /// Whether the script of the feature is there, so that a change of it can mend the error.
  private var isBroken: Bool {
    let location = options.feature.location
    guard let root = try? ScriptRoot(location.root), root.script(of: location.feature) != nil else {
      return false
    }
    guard overrides != nil || !options.dependencies.replacements.isEmpty else { return true }
    // The error may be that of an option, so that a store is made without them.
    var configuration = configuration
    configuration.onWarning = nil
    configuration.onPrint = nil
    do {
      _ = try ScriptHost(root: location.root, configuration: configuration).store(location.feature)
      return false
    } catch {
      return true
    }
  }

  private func wait(after failure: ScriptError) throws -> (host: ScriptHost, store: Store) {
    report(failure)
    let location = options.feature.location
    let file = location.feature.hasSuffix(".lua") ? [location.feature] : []
    var files = FileScanner([location.root] + file)
    let keys = TerminalKeys(readsLines: true)
    // The first attempt is for what was saved before the scan. Its error is not told: it is the same,
    // or that of a script that is half written, which the scanner waits for.
    var isFirst = true
    while !Interruption.isRequested {
      do {
        return try load()
      } catch let error as ScriptError {
        if isFirst {
          _ = events.take()
          // From here on each change is seen, and its error told.
          StandardStreams.error("note: \(program) starts when a saved change loads; Ctrl-C ends")
        } else {
          report(error)
        }
        isFirst = false
      }
      while files.changes().isEmpty && !Interruption.isRequested {
        if readsKeys {
          while keys.character() != nil {}
          if keys.hasEnded { throw ExitCode.noInput }
        }
        Interruption.wait(
          for: files.descriptor, readsKeys ? keys.descriptor : -1, atMost: files.interval)
      }
    }
    throw Interruption.signalStatus ?? .noInput
  }

  /// Prints an error, below what the scripts have printed.
  private func report(_ error: ScriptError) {
    for case .printed(let line) in events.take() { StandardStreams.error("\(line)") }
    StandardStreams.error(TerminalText(error))
  }
}
