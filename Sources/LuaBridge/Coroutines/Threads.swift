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
        if let data { Unmanaged<Work>.fromOpaque(data).takeRetainedValue().body() }
        return nil
      }, work.toOpaque())
    guard !hasStarted else { return }
    work.release()
    throw ScriptError("cannot start a thread")
  }
}

/// Variables of the calling thread, for objects of ScriptedStore. They are in C, because Swift has
/// no thread-local variable that can be read in a nanosecond.
// `@usableFromInline`, as other modules inline the members of a package type only then.
@usableFromInline
package enum ThreadLocals {
  /// The worker that the thread is inside of (+0); nil if it is inside none. A thread inside one
  /// worker must not enter another one: two threads could wait for each other forever.
  @inlinable @inline(__always)
  package static var worker: UnsafeMutableRawPointer? {
    get { sl_current_worker() }
    set { sl_set_current_worker(newValue) }
  }

  /// The context of the Swift reducer that runs on the thread (+0); nil if none runs.
  @inlinable @inline(__always)
  package static var reduceContext: UnsafeMutableRawPointer? {
    get { sl_current_reduce_context() }
    set { sl_set_reduce_context(newValue) }
  }
}
