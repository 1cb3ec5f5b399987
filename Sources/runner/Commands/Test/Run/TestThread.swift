import Platform

/// Starts threads with a stack that is large enough for Lua, which nests deeper than the stacks of
/// thread pools allow.
enum TestThread {
  private static let stackSize = 8 << 20

  private final class Start {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs `body` on a new thread. Returns false if the system cannot start one.
  static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, stackSize)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    let start = Unmanaged.passRetained(Start(body))
    #if canImport(Darwin)
    var thread: pthread_t?
    let status = pthread_create(&thread, &attributes, { TestThread.run($0) }, start.toOpaque())
    #else
    var thread = pthread_t()
    let status = pthread_create(&thread, &attributes, { TestThread.run($0) }, start.toOpaque())
    #endif
    if status != 0 { start.release() }
    return status == 0
  }

  private static func run(_ start: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let start { Unmanaged<Start>.fromOpaque(start).takeRetainedValue().body() }
    return nil
  }
}
