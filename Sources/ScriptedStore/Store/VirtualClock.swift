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
    let (seconds, start, links) = begin(seconds)
    for link in links {
      link.perform { engine in engine.advance(by: seconds) { self.set(start + $0) } }
    }
  }

  /// The same, where the tasks of the host's that effects wait for take no time, as a program wants it that prints
  /// the same however fast the world is: whenever an effect is due, time stands still until they are done. Calls
  /// `waiter` at the end, or earlier where `isOver` says so between two steps.
  package func advance(
    by seconds: Double, unless isOver: @escaping @Sendable () -> Bool,
    _ waiter: @escaping @Sendable () -> Void
  ) {
    let (seconds, start, links) = begin(seconds)
    each(links[...], waiter) { engine, next in
      engine.advance(by: seconds, { self.set(start + $0) }, unless: isOver, next)
    }
  }

  private func begin(_ seconds: Double) -> (seconds: Double, start: Double, links: [WorkerLink]) {
    let seconds = max(0, seconds)
    return state.withLock { state in
      defer { state.now += seconds }
      return (seconds, state.now, state.links)
    }
  }

  private func set(_ now: Double) { state.withLock { $0.now = now } }

  /// Calls `waiter` when no effect can go on until time passes: none waits for its turn, or for a task of the
  /// host's. What has happened until then was told to observers before.
  package func whenSettled(_ waiter: @escaping @Sendable () -> Void) {
    each(state.withLock { $0.links }[...], waiter) { $0.whenSettled($1) }
  }

  /// Does something inside each worker in turn, the next when the former calls back, and then calls `waiter`.
  private func each(
    _ links: ArraySlice<WorkerLink>, _ waiter: @escaping @Sendable () -> Void,
    _ body: @escaping @Sendable (Engine, _ next: @escaping @Sendable () -> Void) -> Void
  ) {
    guard let link = links.first else { return waiter() }
    let rest = links.dropFirst()
    let isThere = link.submit { body($0) { self.each(rest, waiter, body) } }
    if !isThere { each(rest, waiter, body) }
  }
}
