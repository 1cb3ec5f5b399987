import Synchronization

/// A clock for effects on which time passes only when it is told to: programs that wait run at once, and the same
/// each time.
///
/// ```swift
/// let clock = VirtualClock()
/// let host = try ScriptHost(root: "scripts", configuration: .init(clock: clock))
/// …
/// clock.advance(by: 1)
/// ```
public final class VirtualClock: Sendable {
  private struct State: Sendable {
    var now = 0.0
    var links: [WorkerLink] = []
  }

  private let state = Mutex(State())

  public init() {}

  /// Seconds since the clock was made; what goes on in an ``advance(by:)`` finds the time at which it is due.
  public var now: Double { state.withLock { $0.now } }

  func attach(_ link: WorkerLink) { state.withLock { $0.links.append(link) } }

  /// Lets so many seconds pass. Effects that wait go on in the order of time, those of one time in that in which
  /// they began to wait, and what is ready after each goes on until nothing is. Returns when all that was due has
  /// run; in a handler of the host's it is the same, while a reducer in Swift that calls this goes on first.
  ///
  /// One that sleeps for no time waits for the next call.
  public func advance(by seconds: Double = 0) {
    let seconds = max(0, seconds)
    let (start, links) = state.withLock { state in
      defer { state.now += seconds }
      return (state.now, state.links)
    }
    for link in links {
      link.perform { engine in
        engine.advance(by: seconds) { elapsed in self.set(start + elapsed) }
        self.set(start + seconds)
      }
    }
  }

  private func set(_ now: Double) { state.withLock { $0.now = now } }

  /// Calls `waiter` when no effect can go on until time passes: none waits for its turn, or for a task of the
  /// host's. What has happened until then was told to observers before.
  package func whenSettled(_ waiter: @escaping @Sendable () -> Void) {
    whenSettled(state.withLock { $0.links }[...], waiter)
  }

  private func whenSettled(
    _ links: ArraySlice<WorkerLink>, _ waiter: @escaping @Sendable () -> Void
  ) {
    guard let link = links.first else { return waiter() }
    let rest = links.dropFirst()
    let isThere = link.submit { $0.whenSettled { self.whenSettled(rest, waiter) } }
    if !isThere { whenSettled(rest, waiter) }
  }
}
