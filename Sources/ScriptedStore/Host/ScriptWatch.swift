import Dispatch
import LuaBridge

extension ScriptHost {
  /// Reloads whenever a script is saved, until the watch is stopped or deallocated.
  ///
  /// A script counts as saved when a file that was written is closed or moved to its path, as
  /// editors do. The system reports this without delay: through inotify on Linux, and through
  /// kqueue on Apple's systems, where a file is also seen while it is being written. Several saves
  /// during a reload cause one further reload.
  ///
  /// ```swift
  /// let watch = try host.watch { result in
  ///   switch result {
  ///   case .success(let report): print(report)
  ///   case .failure(let error): print(error)
  ///   }
  /// }
  /// ```
  ///
  /// - Parameter onReload: called on the watch's thread with each reload that changed something,
  ///   and with errors in scripts, once for the same texts. When scripts with errors are changed
  ///   back to the ones that run, it is called with a report without changes.
  /// - Returns: the watch, which retains the host's scripts.
  /// - Throws: if the system cannot watch files, or if it is called inside a reducer.
  public func watch(
    _ onReload: @escaping @Sendable (Result<ReloadReport, ReloadError>) -> Void
  ) throws(ScriptError) -> ScriptWatch {
    try ScriptWatch(reloader, onReload)
  }
}

/// Reloads scripts when they are saved, until it is stopped or deallocated.
public final class ScriptWatch: Sendable {
  private let folders: FolderWatch

  init(
    _ reloader: Reloader,
    _ onReload: @escaping @Sendable (Result<ReloadReport, ReloadError>) -> Void
  ) throws(ScriptError) {
    guard !Worker.isInsideOne else {
      throw ScriptError("a reducer cannot begin to watch; do that in an observer, or a Task")
    }
    let folders = try FolderWatch(reloader.root.resolvedPath)
    self.folders = folders
    let hasBegun = DispatchSemaphore(value: 0)
    try BlockingThread.run {
      // Finds scripts that were saved after they were loaded and before the watch began.
      let first = ScriptWatch.reload(reloader, folders)
      hasBegun.signal()
      var last: ReloadError?
      if let first { ScriptWatch.report(first, &last, onReload) }
      ScriptWatch.addExtraWatches(of: reloader, to: folders)
      while folders.wait() {
        guard let result = ScriptWatch.reload(reloader, folders) else { continue }
        // More events have come, so the failure may be from a script that is half written. The next
        // round reloads again.
        if case .failure = result, folders.hasNews(patiently: false) { continue }
        ScriptWatch.report(result, &last, onReload)
        ScriptWatch.addExtraWatches(of: reloader, to: folders)
      }
    }
    hasBegun.wait()
  }

  private static func addExtraWatches(of reloader: Reloader, to folders: FolderWatch) {
    let extra = reloader.extraWatches
    for folder in extra.folders { folders.add(folder) }
    for path in extra.scripts { folders.add(script: path) }
  }

  /// Reloads once; nil if a script seems to be about to be written.
  private static func reload(
    _ reloader: Reloader, _ folders: FolderWatch
  ) -> Result<ReloadReport, ReloadError>? {
    let start = ContinuousClock.now
    do throws(ReloadError) {
      if let report = try reloader.reload(since: start, takesEmptyTexts: false) {
        return .success(report)
      }
      // An editor may have emptied the file to write it again. The system then reports an event
      // soon.
      if folders.hasNews(patiently: true) { return nil }
      return .success(try reloader.reload(since: start))
    } catch {
      return .failure(error)
    }
  }

  /// Reports a result to the host, unless it is the same as before.
  ///
  /// - Parameter last: the last error; nil if the last reload succeeded.
  private static func report(
    _ result: Result<ReloadReport, ReloadError>, _ last: inout ReloadError?,
    _ onReload: @Sendable (Result<ReloadReport, ReloadError>) -> Void
  ) {
    switch result {
    case .success(let report):
      if report.hasChanges || last != nil { onReload(result) }
      last = nil
    case .failure(let error):
      if error.textsHash != last?.textsHash || error.message != last?.message { onReload(result) }
      last = error
    }
  }

  deinit { stop() }

  /// Begins no further reload. A reload that has begun may still be reported.
  public func stop() { folders.stop() }
}
