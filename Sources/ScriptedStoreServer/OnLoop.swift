#if Server
import NIOCore

/// Objects of the event loop, for work on other threads that goes on there.
struct OnLoop<Objects>: Sendable {
  private let objects: NIOLoopBound<Objects>
  private let loop: any EventLoop

  /// - Parameter loop: the event loop, on which this is called.
  init(_ objects: Objects, _ loop: any EventLoop) {
    self.objects = NIOLoopBound(objects, eventLoop: loop)
    self.loop = loop
  }

  /// Calls `body` with the objects on the event loop. May be called from any thread.
  func callAsFunction(_ body: @escaping @Sendable (Objects) -> Void) {
    loop.execute { [objects] in body(objects.value) }
  }

  /// Calls `body` with the objects on the event loop, after a time.
  func after(_ time: TimeAmount, _ body: @escaping @Sendable (Objects) -> Void) {
    loop.scheduleTask(in: time) { [objects] in body(objects.value) }
  }
}
#endif
