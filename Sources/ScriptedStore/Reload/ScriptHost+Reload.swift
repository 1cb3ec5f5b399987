import LuaBridge

extension ScriptHost {
  /// How often the scripts were replaced by others; 0 at first.
  public var generation: Int { reloader.generation }

  /// Loads the scripts that have changed on the disk, with all that require them, and lets every store of the host run
  /// the new code on the state that it has, between two actions: all of them, or none if anything is wrong.
  ///
  /// What scripts are is compared by their text, so that one which was only touched is no change; without any the
  /// report is empty. A feature with another `version` than before gets its states through `migrate`. Effects in flight
  /// end on the old code, and what they send reaches the new one; those of features with `reload = "cancel"` are
  /// cancelled. The old code's memory is given back when its last effect has ended.
  ///
  /// Blocks until it is done; actions go on meanwhile, but for the moment in which the code is exchanged. Throws what is
  /// wrong with the scripts, the old ones run on then; inside of a reducer, or in a function that an effect calls
  /// without waiting for it, that it cannot be done there.
  ///
  /// ```swift
  /// print(try host.reload())  // reloaded todo.lua, todos.lua in 3.1 ms (3 stores)
  /// ```
  @discardableResult
  public func reload() throws(ReloadError) -> ReloadReport {
    try reloader.reload(since: .now)
  }

  /// The same without blocking the thread, so that functions which effects wait for may call it.
  @discardableResult
  public func reload() async throws(ReloadError) -> ReloadReport {
    let (reloader, start) = (reloader, ContinuousClock.now)
    let result: Result<ReloadReport, ReloadError> = await withCheckedContinuation { continuation in
      do throws(ScriptError) {
        try OwnThread.run {
          do throws(ReloadError) {
            continuation.resume(returning: .success(try reloader.reload(since: start)))
          } catch {
            continuation.resume(returning: .failure(error))
          }
        }
      } catch {
        continuation.resume(returning: .failure(ReloadError([error])))
      }
    }
    return try result.get()
  }
}
