import LuaBridge
import Synchronization

/// A clock for effects on which time passes only when it is told to: programs that wait run at once, and the same
/// each time. As TCA's `TestClock`.
///
/// ```swift
/// let clock = VirtualClock()
/// let host = try ScriptHost(root: "scripts", configuration: .init(clock: clock))
/// …
/// clock.advance(by: 1)
/// ```
///
/// As the `clock` of one store, or of a part of one, it is ``Dependency/clock(_:)``.
public final class VirtualClock: Sendable {
  private struct State: Sendable {
    /// In microseconds.
    var now: Int64 = 0
    /// How far time is to pass; what others wait for meanwhile adds up.
    var end: Int64 = 0
    var links = WorkerLinks()
  }

  private let state = Mutex(State())
  /// Tells it from all others.
  let number = SerialNumber.next()

  public init() {}

  /// Seconds since the clock was made; what goes on in an ``advance(by:)`` finds the time at which it is due.
  public var now: Double { Double(microseconds) / 1_000_000 }

  var microseconds: Int64 { state.withLock { $0.now } }

  func attach(_ link: WorkerLink) {
    state.withLock { $0.links.add(link) }
  }

  /// Lets so many seconds pass. Effects that wait go on in the order of time, those of one time in that in which
  /// they began to wait, and what is ready after each goes on until nothing is. Returns when all that was due has
  /// run; in a handler of the host's it is the same, while a reducer in Swift that calls this goes on first.
  ///
  /// One that sleeps for no time waits for the next call.
  public func advance(by seconds: Double = 0) {
    let (end, links) = begin(seconds)
    for link in links {
      link.perform { engine in
        engine.effects.pass(engine.effects.clock(of: self), to: end) { self.set($0) }
      }
    }
  }

  /// Lets time pass until no effect waits on it. Throws after 100,000 times at which somebody was due, as a timer goes
  /// on until it is cancelled; and in a reducer, whose effects cannot go on meanwhile.
  public func run() throws(ScriptError) {
    advance()
    for _ in 0..<EffectRunner.mostWakes {
      guard let next = try earliest() else { return }
      advance(by: Double(next - microseconds) / 1_000_000)
    }
    try each { (effects, clock) throws(ScriptError) in
      if clock.earliest < .max { throw effects.endless(clock) }
    }
  }

  /// Throws while an effect waits on it; the error names the feature, the line of the effect's function and until when
  /// it waits.
  public func checkSuspension() throws(ScriptError) {
    try each { (effects, clock) throws(ScriptError) in try effects.checkSuspension(on: clock) }
  }

  /// When the next is due, nil if nobody waits.
  private func earliest() throws(ScriptError) -> Int64? {
    let earliest = Mutex(Int64.max)
    try each { (_, clock) in earliest.withLock { $0 = min($0, clock.earliest) } }
    let found = earliest.withLock { $0 }
    return found < .max ? found : nil
  }

  /// Does something inside each worker, and throws what the first throws that does.
  private func each(
    _ body: @escaping @Sendable (EffectRunner, SchedulerClock) throws(ScriptError) -> Void
  ) throws(ScriptError) {
    for link in state.withLock({ $0.links.all }) {
      try link.performOutside { (engine) throws(ScriptError) in
        try body(engine.effects, engine.effects.clock(of: self))
      }
    }
  }

  /// The same as ``advance(by:)``, where the tasks of the host's that effects wait for take no time, as a program wants
  /// it that prints the same however fast the world is: whenever an effect is due, time stands still until they are
  /// done. Calls `waiter` at the end, or earlier where `isOver` says so between two steps.
  package func advance(
    by seconds: Double, unless isOver: @escaping @Sendable () -> Bool,
    _ waiter: @escaping @Sendable () -> Void
  ) {
    let (end, links) = begin(seconds)
    each(links[...], waiter) { engine, next in
      engine.advance(self, to: end, { self.set($0) }, unless: isOver, next)
    }
  }

  private func begin(_ seconds: Double) -> (end: Int64, links: [WorkerLink]) {
    state.withLock { state in
      state.end = SchedulerClock.time(state.end, after: max(0, seconds))
      state.now = state.end
      return (state.end, state.links.all)
    }
  }

  private func set(_ now: Int64) { state.withLock { $0.now = now } }

  /// Calls `waiter` when no effect can go on until time passes: none waits for its turn, or for a task of the
  /// host's. What has happened until then was told to observers before.
  package func whenSettled(_ waiter: @escaping @Sendable () -> Void) {
    each(state.withLock { $0.links.all }[...], waiter) { $0.whenSettled($1) }
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

/// What TCA calls it.
public typealias TestClock = VirtualClock
