import LuaBridge

extension ScriptHost {
  /// How often the scripts were replaced by a reload; 0 at first.
  public var generation: Int { reloader.generation }

  /// Loads the scripts that have changed on the disk and all scripts that require them. Every store
  /// of the host then runs the new code on its current state. The stores switch between two
  /// actions: all of them, or none if anything is wrong.
  ///
  /// Scripts are compared by text, so a script that was only touched has not changed. If none has
  /// changed, the report is empty. If a feature has another `version` than before, its states are
  /// passed through its `migrate`. Effects in flight end on the old code, and the actions that they
  /// send reach the new code. The effects of features with `reload = "cancel"` are cancelled. The
  /// memory of the old code is freed when its last effect has ended.
  ///
  /// Blocks until the reload is complete. Actions continue meanwhile, except for the moment in
  /// which the code is exchanged.
  ///
  /// ```swift
  /// print(try host.reload())  // reloaded todo.lua, todos.lua in 3.1 ms (3 stores)
  /// ```
  ///
  /// - Returns: what the reload did.
  /// - Throws: ``ReloadError`` with the errors in the scripts; the old scripts then continue. Also
  ///   throws if it is called inside a reducer, or inside a function that an effect calls without
  ///   waiting for it.
  @discardableResult
  public func reload() throws(ReloadError) -> ReloadReport {
    try reloader.reload(since: .now)
  }

  /// ``reload()`` without blocking the thread, so that functions that effects wait for may call it.
  ///
  /// - Returns: what the reload did.
  /// - Throws: ``ReloadError`` as the blocking method does.
  @discardableResult
  public func reload() async throws(ReloadError) -> ReloadReport {
    let (reloader, start) = (reloader, ContinuousClock.now)
    let result: Result<ReloadReport, ReloadError> = await withCheckedContinuation { continuation in
      do throws(ScriptError) {
        try BlockingThread.run {
          continuation.resume(
            returning: Result { () throws(ReloadError) in try reloader.reload(since: start) })
        }
      } catch {
        continuation.resume(returning: .failure(ReloadError([error])))
      }
    }
    return try result.get()
  }
}
