import Dispatch
import LuaBridge

extension ScriptHost {
  /// Reloads whenever a script is saved, from now on until the watch is stopped or let go of.
  ///
  /// Acts when a file that was written is closed, or is moved to its place, as editors save: at once, as the system
  /// says so (inotify; kqueue on Apple's systems, where a file is seen while it is written). Saves that come while one
  /// is loaded are one.
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
  /// - Parameter onReload: hears, on the watch's thread, of each reload that has changed something, and of what is wrong
  ///   with scripts, once for the same texts. When scripts that were wrong are again those that run, it gets a report
  ///   without changes.
  /// - Returns: the watch, which keeps the host's scripts. Throws where the system cannot watch.
  public func watch(
    _ onReload: @escaping @Sendable (Result<ReloadReport, ReloadError>) -> Void
  ) throws(ScriptError) -> ScriptWatch {
    try ScriptWatch(reloader, onReload)
  }
}

/// Reloads scripts when they are saved, as long as it is there.
public final class ScriptWatch: Sendable {
  private let folders: FolderWatch

  init(
    _ reloader: Reloader,
    _ onReload: @escaping @Sendable (Result<ReloadReport, ReloadError>) -> Void
  ) throws(ScriptError) {
    guard !Worker.isInsideOne else {
      throw ScriptError("a reducer cannot begin to watch; do that in an observer, or a Task")
    }
    let folders = try FolderWatch(reloader.root.real)
    self.folders = folders
    let hasBegun = DispatchSemaphore(value: 0)
    try OwnThread.run {
      // Somebody may have saved before the system was asked.
      let first = ScriptWatch.reload(reloader, folders)
      hasBegun.signal()
      var last: ReloadError?
      if let first { ScriptWatch.tell(first, &last, onReload) }
      ScriptWatch.addOthers(of: reloader, to: folders)
      while folders.wait() {
        guard let result = ScriptWatch.reload(reloader, folders) else { continue }
        // Somebody writes: what was wrong may have been half of it.
        if case .failure = result, folders.hasNews(patiently: false) { continue }
        ScriptWatch.tell(result, &last, onReload)
        ScriptWatch.addOthers(of: reloader, to: folders)
      }
    }
    hasBegun.wait()
  }

  private static func addOthers(of reloader: Reloader, to folders: FolderWatch) {
    let others = reloader.others
    for folder in others.folders { folders.add(folder) }
    for path in others.scripts { folders.add(script: path) }
  }

  /// What a reload does; nil if the scripts are about to be written.
  private static func reload(
    _ reloader: Reloader, _ folders: FolderWatch
  ) -> Result<ReloadReport, ReloadError>? {
    let start = ContinuousClock.now
    do throws(ReloadError) {
      if let report = try reloader.reload(since: start, takesEmptyTexts: false) {
        return .success(report)
      }
      // The system may be in the middle of emptying a file, which it tells when that is done.
      if folders.hasNews(patiently: true) { return nil }
      return .success(try reloader.reload(since: start))
    } catch {
      return .failure(error)
    }
  }

  /// - Parameter last: what was wrong the last time.
  private static func tell(
    _ result: Result<ReloadReport, ReloadError>, _ last: inout ReloadError?,
    _ onReload: @Sendable (Result<ReloadReport, ReloadError>) -> Void
  ) {
    switch result {
    case .success(let report):
      if report.hasChanges || last != nil { onReload(result) }
      last = nil
    case .failure(let error):
      if error.attempt != last?.attempt || error.message != last?.message { onReload(result) }
      last = error
    }
  }

  deinit { stop() }

  /// No reload begins any more; one that has begun may still be told.
  public func stop() { folders.stop() }
}
