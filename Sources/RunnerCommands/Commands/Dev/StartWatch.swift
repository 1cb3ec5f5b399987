import ArgumentParser
import LuaBridge
import ScriptedStore

/// The start of a console or server. If the scripts do not load, it waits until a change of them mends that.
struct StartWatch {
  private let feature: FeatureOptions
  private let program: String
  private let events: ConsoleEvents
  private let readsKeys: Bool
  private let waits: () -> Bool

  /// - Parameters:
  ///   - program: what starts, in messages: `"the console"`.
  ///   - events: gets what scripts print while they are loaded.
  ///   - readsKeys: whether the end of the input, Ctrl-D, ends the wait.
  ///   - waits: called after the first error; if it returns false, the error ends the program.
  init(
    _ feature: FeatureOptions, _ program: String, _ events: ConsoleEvents, readsKeys: Bool,
    waits: @escaping () -> Bool
  ) {
    self.feature = feature
    self.program = program
    self.events = events
    self.readsKeys = readsKeys
    self.waits = waits
  }

  /// The result of `open`, which throws a `ScriptError` for scripts that do not load. Begins to
  /// handle signals.
  func opened<Opened>(by open: () throws -> Opened) throws -> Opened {
    let failure: ScriptError
    do {
      let opened = try open()
      try Interruption.install()
      return opened
    } catch let error as ScriptError {
      failure = error
    }
    guard waits() else { throw fail(.noInput, failure) }
    try Interruption.install()
    return try wait(after: failure, open)
  }

  private func wait<Opened>(
    after failure: ScriptError, _ open: () throws -> Opened
  ) throws -> Opened {
    report(failure)
    let location = feature.location
    let file = location.feature.hasSuffix(".lua") ? [location.feature] : []
    var files = FileScanner([location.root] + file)
    let keys = TerminalKeys(readsLines: true)
    // The first attempt is for what was saved before the scan. Its error is not told: it is the same,
    // or that of a script that is half written, which the scanner waits for.
    var isFirst = true
    while !Interruption.isRequested {
      do {
        return try open()
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
    throw ExitCode(Interruption.signalStatus ?? ExitCode.noInput.rawValue)
  }

  /// Prints an error, below what the scripts have printed.
  private func report(_ error: ScriptError) {
    for case .printed(let line) in events.take() { StandardStreams.error("\(line)") }
    StandardStreams.error(TerminalText(error))
  }
}
