import LuaBridge
import Synchronization

/// A clock for effects whose time passes only by ``advance(by:)`` and ``run()``: programs that wait
/// run at once, and do the same each time. As TCA's `TestClock`.
///
/// ```swift
/// let clock = VirtualClock()
/// let host = try ScriptHost(root: "scripts", configuration: .init(clock: clock))
/// …
/// clock.advance(by: .seconds(1))
/// ```
///
/// To use it as the `clock` of one store, or of a part of one, see ``Dependency/clock(_:)``.
public final class VirtualClock: Sendable {
  private struct State: Sendable {
    var now = ClockInstant()
    /// The time that all calls of ``VirtualClock/advance(by:)`` so far lead to. It differs from `now`
    /// during a call; the seconds of calls at the same time add up.
    var end = ClockInstant()
    var links = WorkerLinks()
  }

  private let state = Mutex(State())
  /// Identifies the clock in this process.
  let number = SerialNumber.next()

  public init() {}

  /// The time since the clock was made. During ``advance(by:)`` an effect sees the time at which it
  /// is due.
  public var now: Duration { .microseconds(instant.microseconds) }

  /// ``now``, as exactly as it is known.
  var instant: ClockInstant { state.withLock { $0.now } }

  func attach(_ link: WorkerLink) {
    state.withLock { $0.links.add(link) }
  }

  /// Lets so much time pass. Times are compared to the microsecond, but their sums are not rounded: three
  /// times a third of a second is a second. Waiting effects go on in the order of their times, and those of
  /// one time in the order in which they began to wait. After each of them, effects that are ready
  /// run until none is.
  ///
  /// Returns when all that was due has run, also in a handler of the host. A call inside the VM, as
  /// by a reducer in Swift, returns before. An effect that sleeps for no time meanwhile waits for
  /// the next call.
  public func advance(by duration: Duration = .zero) {
    let (end, links) = begin(duration / .seconds(1))
    for link in links {
      link.perform { engine in
        engine.effects.pass(engine.effects.clock(of: self), to: end) { self.set($0) }
      }
    }
  }

  /// Lets time pass until no effect waits on the clock. Throws after 100,000 times at which an
  /// effect was due, because a timer goes on until it is cancelled. Throws in a reducer, whose
  /// effects cannot go on meanwhile.
  public func run() throws(ScriptError) {
    advance()
    let bound = EndlessWaits.bound
    for _ in 0..<bound {
      guard let next = try earliest() else { return }
      advance(by: .microseconds(next - instant.microseconds))
    }
    try each { (effects, clock) throws(ScriptError) in
      if clock.earliest < .max { throw effects.endless(clock, after: bound) }
    }
  }

  /// Throws if an effect waits on the clock. The error names the feature, the source line of the
  /// effect's function, and the time until which it waits. Throws in a reducer, too.
  public func checkSuspension() throws(ScriptError) {
    try each { (effects, clock) throws(ScriptError) in try effects.checkSuspension(on: clock) }
  }

  /// The time at which the next effect is due; nil if none waits.
  private func earliest() throws(ScriptError) -> Int64? {
    let earliest = Mutex(Int64.max)
    try each { (_, clock) in earliest.withLock { $0 = min($0, clock.earliest) } }
    let found = earliest.withLock { $0 }
    return found < .max ? found : nil
  }

  /// Calls `body` inside each worker, and stops at the first error.
  private func each(
    _ body: @escaping @Sendable (EffectRunner, SchedulerClock) throws(ScriptError) -> Void
  ) throws(ScriptError) {
    for link in state.withLock({ $0.links.all }) {
      try link.performOutside { (engine) throws(ScriptError) in
        try body(engine.effects, engine.effects.clock(of: self))
      }
    }
  }

  /// Like ``advance(by:)``, as if the tasks that effects wait for took no time: whenever an effect
  /// is due, time stands still until these tasks have ended. So a program prints the same, however
  /// fast the world is. Calls `waiter` at the end, or earlier if `isOver` returns true between two
  /// steps.
  package func advance(
    by seconds: Double, unless isOver: @escaping @Sendable () -> Bool,
    _ waiter: @escaping @Sendable () -> Void
  ) {
    let (end, links) = begin(seconds)
    each(links[...], waiter) { engine, next in
      engine.advance(self, to: end, { self.set($0) }, unless: isOver, next)
    }
  }

  private func begin(_ seconds: Double) -> (end: ClockInstant, links: [WorkerLink]) {
    state.withLock { state in
      state.end = state.end.after(seconds)
      state.now = state.end
      return (state.end, state.links.all)
    }
  }

  private func set(_ now: ClockInstant) { state.withLock { $0.now = now } }

  /// Calls `waiter` when no effect can go on until time passes: none is ready, and none waits for a
  /// task. Observers have been notified by then of all that happened before.
  package func whenSettled(_ waiter: @escaping @Sendable () -> Void) {
    each(state.withLock { $0.links.all }[...], waiter) { $0.whenSettled($1) }
  }

  /// Calls `body` inside each worker, one after the other: the next one follows when `body` calls
  /// `next`. Calls `waiter` at the end.
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

/// TCA's name of this clock.
public typealias TestClock = VirtualClock
