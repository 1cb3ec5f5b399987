import LuaBridge

/// A function of a script's effect while it runs: a coroutine, and what that waits for.
final class Body: Job {
  enum State {
    /// Waits for its turn to start.
    case fresh
    case running
    /// Waits for its turn to go on.
    case ready(BodyResumption)
    /// Computes, and lets others have their turn.
    indirect case suspended(BodyUse)
    /// On a clock that the store has or, if it is another one, the function that the coroutine is in.
    case sleeping(SchedulerClock)
    case calling(Call)
    case joining(Join)
    /// Waits for the next value of a stream, or for its turn to take it.
    case reading(TestStream)
    /// Waits until it is cancelled.
    case parked
    /// Swallowed its cancellation too often.
    case doomed
  }

  /// An asynchronous function of the host that it waits for.
  final class Call {
    let key: JobKey
    let name: String
    let task: Task<Void, Never>
    /// Who hears how it ends, in a store with a history.
    let noted: (recorder: DependencyRecorder, call: DependencyRecorder.Call)?

    init(
      key: JobKey, name: String, task: Task<Void, Never>,
      noted: (recorder: DependencyRecorder, call: DependencyRecorder.Call)?
    ) {
      (self.key, self.name, self.task, self.noted) = (key, name, task, noted)
    }
  }

  /// What it runs.
  enum Program {
    /// Until it starts; then the coroutine has them.
    case functions(BodyFunctions)
    case thread(BodyThread)
    case none
  }

  private(set) var program: Program
  /// Where its actions go; nil straight to the root.
  let route: Route?
  let owner: EffectOwner?
  /// Takes no arguments, as a part of another.
  let isPart: Bool
  let effects: StoreEffects
  /// In which its code is.
  let vm: LuaVM
  /// In microseconds of the store's clock.
  let started: Int64
  var state = State.fresh
  /// How often it went on after it was cancelled: to another wait, or to compute for another slice.
  var swallowed: UInt16 = 0
  /// Whether its wait lets a new burst begin.
  var isWaiting = false { didSet { if isWaiting { hasWaited = true } } }
  private(set) var hasWaited = false
  /// What it follows from, nil where it begins a burst.
  var burst: Burst?
  /// The number of the action that it follows from.
  let action: Int

  /// Stops being patient then.
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

  /// What its `send` knows it by; those that `effect.all` and the like start have that of the first.
  var serial: UInt64 {
    guard isPart, let join = parent as? Join else { return number }
    return join.waiter.serial
  }

  var thread: BodyThread? {
    if case .thread(let thread) = program { thread } else { nil }
  }

  /// From now on the thread has the functions; with nil it is over.
  func run(on thread: BodyThread?) { program = thread.map { .thread($0) } ?? .none }

  override func didEnd() {
    effects.count -= 1
    // A join and the body that waits for it retain each other.
    if case .joining = state { state = .doomed }
    // Cancelled before it has started.
    guard case .functions(let functions) = program else { return }
    if case .own(let own) = functions { vm.forget(own) }
    program = .none
  }

  override func endedAlone() { effects.ended(self, []) }

  var generation: UInt64 { owner?.generation ?? 0 }

  override func takeTurn(in runner: EffectRunner) { runner.run(self, in: effects) }

  /// Its time to sleep is over.
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
    // Goes on when all that it waits for have ended.
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

/// The parts of a body that `effect.all`, `effect.race` and the like run, and that it waits for.
final class Join: Scope {
  enum Mode {
    case all
    /// The first one to end ends the others.
    case race
  }

  let name: String
  private let mode: Mode
  fileprivate let waiter: Body
  /// How the wait ends.
  private var outcome: BodyResumption?
  /// Whether a part that counts has waited, and so the waiter has.
  private var hasWaited = false

  /// - Parameter id: by which they can be cancelled, if they can.
  init(_ name: String, _ mode: Mode, id: Value?, for waiter: Body) {
    self.name = name
    self.mode = mode
    self.waiter = waiter
    super.init(id, at: waiter.place, of: waiter.effects)
  }

  /// A part ended, raising this or, with nil, well.
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

/// A Swift effect while it runs.
final class SwiftBody: Job {
  let operation: SwiftOperation
  let route: Route?
  let owner: EffectOwner?
  let effects: StoreEffects
  /// By which its task knows it, once that has started.
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

  /// Its task is told; whatever it does until it hears of it reaches nobody.
  override func wasCancelled() {
    task?.cancel()
    end()
  }

  override func didEnd() {
    effects.count -= 1
    if let key { effects.runner.forget(key) }
  }
}

/// An effect that starts later.
final class Delayed: Job {
  private let effect: EffectNode
  let context: StartContext
  private let clock: SchedulerClock
  let effects: StoreEffects
  let started: Int64
  /// What its effect follows from where no time passes until then.
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

  /// Lets it begin to wait.
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

  /// Starts the effect beside itself, and then ends. What it starts may cancel it, and the group that both are in.
  override func fire() {
    guard let parent else { return end() }
    effects.inTurn(of: origin, in: burst, after: action) {
      parent.fill {
        effects.start(effect, context, in: parent)
        end()
      }
    }
  }

  /// On a clock that passes at once.
  override func takeTurn(in runner: EffectRunner) {
    if !hasEnded { fire() }
  }

  override func wasCancelled() {
    clock.remove(self)
    end()
  }
}

/// An interval of `throttle`: what it lets through and what it holds.
final class Throttle: Timed {
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

  /// Whether the action goes through; else it waits here for the interval's end, or is dropped.
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
    // An interval of no time may wait aside for the next time that passes.
    clock.remove(self)
    clock.add(self, at: SchedulerClock.time(clock.now, after: seconds))
    effects.runner.watchClock()
  }

  /// The interval has passed.
  override func fire() {
    guard let held else { return end() }
    begin(seconds)
    self.held = nil
    effects.inTurn(of: held.origin, in: held.burst, after: held.action) {
      effects.deliverOrWarn(held.message, held.route)
      held.end()
    }
  }

  fileprivate func drop(_ dropped: Held) {
    if held === dropped { held = nil }
  }

  /// It holds and remembers nothing any more.
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

/// An action that a throttle holds.
final class Held: Job {
  let message: Message
  let route: Route?
  private let throttle: Throttle
  /// What it follows from where the interval is no time.
  fileprivate var burst: Burst?
  fileprivate var action = 0

  var storeEffects: StoreEffects { throttle.storeEffects }
  /// For the functions on its way, or for the memory that it is in.
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
