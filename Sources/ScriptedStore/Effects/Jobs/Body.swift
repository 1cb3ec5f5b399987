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
/// `waiting` stands for `sleeping`, `calling`, `joining`, `reading`, `committing`, `parked` and `suspended`.
/// `effect.yield` leads straight to `ready`.
///
/// 1. A cancelled body in a waiting state becomes `ready(.cancel)`: its wait raises
///    `effect.cancelled`. One in `joining` first waits for its parts to end. One in `fresh` ends at
///    once; one in `running` gets the error at its next wait.
/// 2. A cancelled body that goes on to `mostSwallowed` more waits or slices is stopped. At such a
///    wait it becomes `doomed` first.
/// 3. A body in `joining` waits for a ``Join`` in flight whose `waiter` it is. A join in flight has a
///    waiter in flight.
final class Body: EffectJob {
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
    indirect case calling(Call)
    /// Waits for its parts.
    case joining(Join)
    /// Waits for the next value of a stream, or for its turn to take it.
    indirect case reading(any BufferedStream)
    /// Waits for the record with this number, because it has sent an action to a durable store.
    case committing(Int)
    /// Waits until it is cancelled; with the name of the wait in messages.
    indirect case parked(String)
    /// Has swallowed its cancellation too often, and is about to be stopped.
    case doomed
  }

  /// An asynchronous host function that a body waits for.
  struct Call {
    let key: JobKey
    let name: String
    let task: Task<Void, Never>
    /// The recorder that gets the result, in a store with a history.
    let noted: (recorder: DependencyRecorder, call: DependencyRecorder.Call)?
  }

  /// What the body runs.
  enum Program {
    /// Until it starts. From then on the coroutine holds the functions.
    case functions(BodyFunctions)
    case thread(BodyThread)
    case none
  }

  private(set) var program: Program
  /// Whether it is a part of another body. Its function gets no arguments.
  let isPart: Bool
  /// The VM of its functions.
  let vm: LuaVM
  var state = State.fresh
  /// How often it went on after it was cancelled: to another wait, or to compute for another slice.
  var swallowed: UInt16 = 0
  /// Whether the wait of this turn lets a new burst begin.
  var isWaiting = false { didSet { if isWaiting { hasWaited = true } } }
  /// Whether any turn had such a wait, or its parts had one.
  private(set) var hasWaited = false
  /// The action that it follows from, and the burst, unless its next turn begins one.
  var cause: StoreTurn.Cause

  /// The number of swallowed cancellations after which a body is stopped.
  static let mostSwallowed = 100

  init(
    _ functions: BodyFunctions, id: Value?, at place: EffectPlace, _ route: Route?,
    _ owner: EffectOwner?, of effects: StoreEffects
  ) {
    program = .functions(functions)
    isPart = false
    vm = owner?.vm.takeUnretainedValue() ?? effects.engine.context.vm
    cause = effects.turn.share()
    super.init(owner, route, id: id, at: place, of: effects)
  }

  /// A part of another body: a function of `effect.all`, `effect.race` and the like.
  init(_ function: FunctionToken, partOf whole: Body) {
    program = .functions(.shared(function, catching: nil))
    isPart = true
    vm = whole.vm
    cause = whole.effects.turn.share()
    super.init(whole.owner, whole.route, at: whole.place, of: whole.effects)
  }

  /// The number by which its `send` refers to it. A part has that of the outermost body, because it
  /// calls that one's `send`.
  var serial: UInt64 {
    guard isPart, let join = parent as? Join else { return number }
    return join.waiter.serial
  }

  /// Called when parts for which it waited have waited: then it has, too, also for a join that it is a part of.
  func partsHaveWaited() {
    cause.burst = nil
    hasWaited = true
  }

  var thread: BodyThread? {
    if case .thread(let thread) = program { thread } else { nil }
  }

  /// Sets the thread that holds the functions from now on; nil when it is done.
  func run(on thread: BodyThread?) { program = thread.map { .thread($0) } ?? .none }

  override func didEnd() {
    super.didEnd()
    // A join and the body that waits for it retain each other; this breaks the cycle.
    if case .joining = state { state = .doomed }
    // It was cancelled before it started, so it still has the functions.
    guard case .functions(let functions) = program else { return }
    if case .own(let own) = functions { vm.release(own) }
    program = .none
  }

  var generation: UInt64 { owner?.generation ?? 0 }

  override func proceed(in runner: EffectRunner) { runner.turn(self) }

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
    case .parked, .committing: effects.runner.wake(self, with: .cancel)
    }
  }

  override var origin: String? {
    let code =
      switch program {
      case .functions(let functions): vm.definition(of: functions)
      case .thread(let thread): vm.definition(of: thread)
      case .none: nil as (script: String, line: Int)?
      }
    return code.map { "\($0.script):\($0.line)" } ?? super.origin
  }

  override func description(at now: Int64) -> EffectDescription? {
    isPart ? nil : super.description(at: now)
  }

  override var waitingOn: String {
    switch state {
    case .running: "nothing"
    case .fresh, .ready, .suspended, .doomed: "its turn"
    case .sleeping: "clock.sleep"
    case .calling(let call): call.name
    case .joining(let join): join.name
    case .reading(let stream): stream.name
    case .committing: "send"
    case .parked(let name): name
    }
  }
}
