import LuaBridge

/// One function of a script's effect in flight: a coroutine, and what it waits for.
///
/// ```
///   fresh --turn--> running --returns or raises--> ended
///                   |     ^
///       waits, or   |     | turn
///    its slice ends v     |
///       waiting --wake--> ready
/// ```
///
/// `waiting` stands for `sleeping`, `calling`, `joining`, `reading`, `parked` and `suspended`.
/// `effect.yield` leads straight to `ready`.
///
/// 1. A cancelled body in a waiting state becomes `ready(.cancel)`: its wait raises
///    `effect.cancelled`. One in `joining` first waits for its parts to end. One in `fresh` ends at
///    once; one in `running` gets the error at its next wait.
/// 2. A cancelled body that goes on to `mostSwallowed` more waits or slices is stopped. At such a
///    wait it becomes `doomed` first.
/// 3. `Limits.effects` counts a body from `init` to `didEnd()`.
final class Body: Job {
  enum State {
    /// In the ready queue for its first turn.
    case fresh
    case running
    /// In the ready queue, to go on as the resumption says.
    case ready(BodyResumption)
    /// Has used up its slice, and waits for its turn to compute on.
    indirect case suspended(BodyUse)
    /// Sleeps on the store's clock, or on another one.
    case sleeping(SchedulerClock)
    /// Waits for an asynchronous host function.
    case calling(Call)
    /// Waits for its parts.
    case joining(Join)
    /// Waits for the next value of a stream, or for its turn to take it.
    case reading(TestStream)
    /// Waits until it is cancelled.
    case parked
    /// Has swallowed its cancellation too often, and is about to be stopped.
    case doomed
  }

  /// An asynchronous host function that a body waits for.
  final class Call {
    let key: JobKey
    let name: String
    let task: Task<Void, Never>
    /// The recorder that gets the result, in a store with a history.
    let noted: (recorder: DependencyRecorder, call: DependencyRecorder.Call)?

    init(
      key: JobKey, name: String, task: Task<Void, Never>,
      noted: (recorder: DependencyRecorder, call: DependencyRecorder.Call)?
    ) {
      (self.key, self.name, self.task, self.noted) = (key, name, task, noted)
    }
  }

  /// What the body runs.
  enum Program {
    /// Until it starts. From then on the coroutine holds the functions.
    case functions(BodyFunctions)
    case thread(BodyThread)
    case none
  }

  private(set) var program: Program
  /// The route of its actions; nil for straight to the root.
  let route: Route?
  let owner: EffectOwner?
  /// Whether it is a part of another body. Its function gets no arguments.
  let isPart: Bool
  let effects: StoreEffects
  /// The VM of its functions.
  let vm: LuaVM
  /// In microseconds of the store's clock.
  let started: Int64
  var state = State.fresh
  /// How often it went on after it was cancelled: to another wait, or to compute for another slice.
  var swallowed: UInt16 = 0
  /// Whether the wait of this turn lets a new burst begin.
  var isWaiting = false { didSet { if isWaiting { hasWaited = true } } }
  /// Whether any turn had such a wait.
  private(set) var hasWaited = false
  /// The burst that it follows from; nil if it begins one.
  var burst: Burst?
  /// The number of the action that it follows from.
  let action: Int

  /// The number of swallowed cancellations after which a body is stopped.
  static let mostSwallowed = 100

  init(
    _ functions: BodyFunctions, id: Value?, at place: EffectPlace, _ route: Route?,
    _ owner: EffectOwner?, of effects: StoreEffects
  ) {
    program = .functions(functions)
    self.route = route
    self.owner = owner
    isPart = false
    self.effects = effects
    vm = owner?.vm.takeUnretainedValue() ?? effects.engine.context.vm
    started = effects.runner.clock.roughlyNow
    effects.count += 1
    (burst, action) = effects.follow()
    super.init(at: place, id: id, effects.runner.makeSerial())
  }

  /// A part of another body: a function of `effect.all`, `effect.race` and the like.
  init(_ function: FunctionToken, partOf whole: Body) {
    program = .functions(.shared(function, catching: nil))
    route = whole.route
    owner = whole.owner
    isPart = true
    let (effects, runner) = (whole.effects, whole.effects.runner)
    self.effects = effects
    vm = whole.vm
    started = runner.clock.roughlyNow
    effects.count += 1
    (burst, action) = effects.share()
    super.init(at: whole.place, runner.makeSerial())
  }

  override var code: SchedulerLink? { owner?.code ?? route?.code }

  /// The number by which its `send` refers to it. A part has that of the outermost body, because it
  /// calls that one's `send`.
  var serial: UInt64 {
    guard isPart, let join = parent as? Join else { return number }
    return join.waiter.serial
  }

  var thread: BodyThread? {
    if case .thread(let thread) = program { thread } else { nil }
  }

  /// Sets the thread that holds the functions from now on; nil when it is done.
  func run(on thread: BodyThread?) { program = thread.map { .thread($0) } ?? .none }

  override func didEnd() {
    effects.count -= 1
    // A join and the body that waits for it retain each other; this breaks the cycle.
    if case .joining = state { state = .doomed }
    // It was cancelled before it started, so it still has the functions.
    guard case .functions(let functions) = program else { return }
    if case .own(let own) = functions { vm.forget(own) }
    program = .none
  }

  override func endedAlone() { effects.ended(self, []) }

  var generation: UInt64 { owner?.generation ?? 0 }

  override func takeTurn(in runner: EffectRunner) { runner.run(self, in: effects) }

  /// Called when its sleep is over.
  override func fire() { effects.runner.wake(self, with: .values([])) }

  override func wasCancelled() {
    switch state {
    case .fresh: end()
    case .running, .doomed: break
    case .ready: state = .ready(.cancel)
    case .suspended:
      effects.runner.removeSuspended(self)
      effects.runner.wake(self, with: .cancel)
    case .sleeping(let clock):
      clock.remove(self)
      effects.runner.wake(self, with: .cancel)
    case .calling(let call):
      call.task.cancel()
      effects.runner.forget(call.key)
      effects.runner.wake(self, with: .cancel)
    // Goes on when all of its parts have ended.
    case .joining(let join): join.cancel()
    case .reading(let stream): effects.runner.stopReading(self, of: stream)
    case .parked: effects.runner.wake(self, with: .cancel)
    }
  }

  /// What it waits for, in words.
  var waitingOn: String {
    switch state {
    case .fresh: "its turn"
    case .running: "nothing"
    case .ready, .suspended, .doomed: "its turn"
    case .sleeping: "clock.sleep"
    case .calling(let call): call.name
    case .joining(let join): join.name
    case .reading: "test.stream"
    case .parked: "test.never"
    }
  }
}

/// The parts of a body, run by `effect.all`, `effect.race` and the like. The body waits for them.
final class Join: Scope {
  enum Mode {
    case all
    /// The first part to end ends the others.
    case race
  }

  let name: String
  private let mode: Mode
  /// The body that waits. It retains the join in turn, until `Body.didEnd()`.
  fileprivate let waiter: Body
  /// How the wait ends; nil while that is open.
  private var outcome: BodyResumption?
  /// Whether a part waited that ended before `outcome` was decided. The waiter has then waited,
  /// too.
  private var hasWaited = false

  /// - Parameter id: by which the parts can be cancelled; nil if they cannot.
  init(_ name: String, _ mode: Mode, id: Value?, for waiter: Body) {
    self.name = name
    self.mode = mode
    self.waiter = waiter
    super.init(id, at: waiter.place, of: waiter.effects)
  }

  /// Called when a part has ended.
  ///
  /// - Parameter failure: how the wait is to end because of what the part raised; nil if it raised
  ///   nothing.
  func partEnded(_ part: Body, _ failure: BodyResumption?) {
    guard outcome == nil && !isCancelled else { return }
    if part.hasWaited { hasWaited = true }
    if let failure {
      outcome = failure
    } else if mode == .race {
      outcome = .values([])
    } else {
      return
    }
    cancelParts()
  }

  override func becameEmpty() {
    let outcome: BodyResumption =
      isCancelled || waiter.isCancelled ? .cancel : self.outcome ?? .values([])
    let waiter = waiter
    if hasWaited { waiter.burst = nil }
    end()
    waiter.effects.runner.wake(waiter, with: outcome)
  }
}

/// A Swift effect in flight: a task.
final class SwiftBody: Job {
  let operation: SwiftOperation
  let route: Route?
  let owner: EffectOwner?
  let effects: StoreEffects
  /// The key by which its task refers to it; nil until the task has started.
  var key: JobKey?
  let started: Int64
  var task: Task<Void, Never>?

  init(
    _ operation: SwiftOperation, _ context: StartContext, of effects: StoreEffects
  ) {
    self.operation = operation
    route = context.route
    owner = context.owner
    self.effects = effects
    started = effects.runner.clock.roughlyNow
    effects.count += 1
    super.init(at: context.place, effects.runner.makeSerial())
  }

  override var code: SchedulerLink? { owner?.code ?? route?.code }

  override func takeTurn(in runner: EffectRunner) { runner.run(self) }

  /// Cancels the task and ends. What the task still does has no effect.
  override func wasCancelled() {
    task?.cancel()
    end()
  }

  override func didEnd() {
    effects.count -= 1
    if let key { effects.runner.forget(key) }
  }
}

/// A debounced effect until it starts.
final class Delayed: Job {
  private let effect: EffectNode
  let context: StartContext
  private let clock: SchedulerClock
  let effects: StoreEffects
  let started: Int64
  /// The burst and the action that the effect follows from, if no time passes until it starts.
  private var burst: Burst?
  private var action = 0

  init(
    _ effect: EffectNode, _ context: StartContext, on clock: SchedulerClock,
    of effects: StoreEffects
  ) {
    self.effect = effect
    self.context = context
    self.clock = clock
    self.effects = effects
    started = effects.runner.clock.roughlyNow
    effects.count += 1
    super.init(at: context.place, effects.runner.makeSerial())
  }

  override var code: SchedulerLink? { context.code }

  override func didEnd() { effects.count -= 1 }

  /// Begins to wait.
  func wait(_ seconds: Double) {
    let deadline = SchedulerClock.time(clock.now, after: seconds)
    if clock.passesAtOnce || !SchedulerClock.isTime(seconds) { (burst, action) = effects.share() }
    if clock.passesAtOnce {
      clock.advance(to: deadline)
      effects.runner.enqueue(self)
    } else {
      clock.add(self, at: deadline)
      effects.runner.watchClock()
    }
  }

  /// Starts the effect in the group that this job is in, and then ends. What it starts may cancel
  /// this job and that group.
  override func fire() {
    guard let parent else { return end() }
    effects.inTurn(of: origin, in: burst, after: action) {
      parent.fill {
        effects.start(effect, context, in: parent)
        end()
      }
    }
  }

  /// Called on a clock that passes at once.
  override func takeTurn(in runner: EffectRunner) {
    if !hasEnded { fire() }
  }

  override func wasCancelled() {
    clock.remove(self)
    end()
  }
}

/// An interval of `throttle`: it passes the first action, and may hold a later one until it ends.
///
/// ```
///   (none) --action passes--> running --no action held--> end()
///                              |   ^
///                 action held  v   |  passed at the end; a new interval begins
///                             holding
/// ```
///
/// Its place retains it, and it retains its place; `end()` breaks the cycle.
final class Throttle: TimerEntry {
  private let id: Value
  private let place: EffectPlace
  private let clock: SchedulerClock
  private let effects: StoreEffects
  fileprivate var storeEffects: StoreEffects { effects }
  private var seconds = 0.0
  private(set) var held: Held?

  init(
    _ id: Value, at place: EffectPlace, on clock: SchedulerClock, of effects: StoreEffects
  ) {
    self.id = id
    self.place = place
    self.clock = clock
    self.effects = effects
  }

  /// Whether the action passes. Otherwise it is held until the end of the interval, or dropped.
  func passes(
    _ message: Message, _ route: Route?, seconds: Double, latest: Bool
  ) -> Bool {
    guard isPending else {
      begin(seconds)
      return true
    }
    guard latest || held == nil else { return false }
    let former = held
    let root = effects.rootForNow()
    let scope = Scope(id, at: place, of: effects)
    root.add(scope)
    effects.register(scope)
    self.seconds = seconds
    scope.fill {
      let new = Held(message, route, in: self, at: place, effects.runner.makeSerial())
      if !SchedulerClock.isTime(seconds) { (new.burst, new.action) = effects.share() }
      held = new
      scope.add(new)
    }
    former?.end()
    return false
  }

  private func begin(_ seconds: Double) {
    self.seconds = seconds
    // An interval of no time may be in the clock's `parked`, although `isPending` is false.
    clock.remove(self)
    clock.add(self, at: SchedulerClock.time(clock.now, after: seconds))
    effects.runner.watchClock()
  }

  /// Called at the end of the interval.
  override func fire() {
    guard let held else { return end() }
    begin(seconds)
    self.held = nil
    effects.inTurn(of: held.origin, in: held.burst, after: held.action) {
      effects.deliverOrWarn(held.message, held.route)
      held.end()
    }
  }

  /// Called when a held action is cancelled.
  fileprivate func drop(_ dropped: Held) {
    if held === dropped { held = nil }
  }

  /// Ends the interval, and drops the action that it holds.
  func end() {
    withExtendedLifetime(self) {
      clock.remove(self)
      held?.cancel()
      if place.throttles?.removeValue(forKey: id) != nil { effects.count -= 1 }
      if place.throttles?.isEmpty == true { place.throttles = nil }
      place.removeIfEmpty()
    }
  }
}

/// An action that an interval of `throttle` holds.
final class Held: Job {
  let message: Message
  let route: Route?
  private let throttle: Throttle
  /// The burst and the action that it follows from, if the interval lasts no time.
  fileprivate var burst: Burst?
  fileprivate var action = 0

  var storeEffects: StoreEffects { throttle.storeEffects }
  /// For the functions that map it on its route, or for its counted memory.
  override var code: SchedulerLink? { route?.code ?? message.keeper }

  init(
    _ message: Message, _ route: Route?, in throttle: Throttle, at place: EffectPlace,
    _ number: UInt64
  ) {
    self.message = message
    self.route = route
    self.throttle = throttle
    super.init(at: place, number)
  }

  override func wasCancelled() {
    throttle.drop(self)
    end()
  }
}
