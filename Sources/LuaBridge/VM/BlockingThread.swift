import CLua

/// Runs a closure on a new thread, which may block. The thread has a stack that is large enough for
/// Lua, which nests deeper than the stacks of thread pools allow.
package enum BlockingThread {
  private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Throws if no thread can be started.
  package static func run(_ body: @escaping @Sendable () -> Void) throws(ScriptError) {
    let work = Unmanaged.passRetained(Work(body))
    let hasStarted = sl_start_thread(
      { data in
        guard let data else { return }
        Unmanaged<Work>.fromOpaque(data).takeRetainedValue().body()
      }, work.toOpaque())
    guard !hasStarted else { return }
    work.release()
    throw ScriptError("no thread can be had")
  }
}
