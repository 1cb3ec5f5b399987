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
    _ reloader: Reloader, _ onReload: @escaping @Sendable (Result<ReloadReport, ReloadError>) -> Void
  ) throws(ScriptError) {
    let folders = try FolderWatch([reloader.root.real])
    self.folders = folders
    try OwnThread.run {
      var last: ReloadError?
      // Somebody may have saved before the system was asked.
      repeat {
        let start = ContinuousClock.now
        do throws(ReloadError) {
          let report = try reloader.reload(since: start)
          if report.hasChanges || last != nil { onReload(.success(report)) }
          last = nil
        } catch {
          if error.attempt != last?.attempt || error.message != last?.message {
            onReload(.failure(error))
          }
          last = error
        }
        for folder in reloader.foldersOutside { folders.add(folder) }
      } while folders.wait()
    }
  }

  deinit { stop() }

  /// No reload begins any more; one that has begun may still be told.
  public func stop() { folders.stop() }
}
