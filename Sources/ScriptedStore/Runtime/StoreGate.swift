import DequeModule
import LuaBridge

/// Holds back what a durable store shows and starts, until the record of the action that led to it is on the disk.
///
/// ```
///   record made: last = n ──▶ what follows from it is held at n ──▶ open(upTo: n): done, in order
/// ```
///
/// 1. `durable <= last`: the numbers of the last record that is on the disk, and of the last one that was made.
/// 2. `held` is in the order of the numbers. While it is not empty, all that follows goes to its end, so that nothing
///    overtakes.
/// 3. `shown` is the state of the record `durable`, or of a later step that made no record. After a failed commit this holds again
///    when the store has come back.
/// 4. `code` is the code that has made `shown`. A reload changes it with the first state that the new code makes, when that state is
///    shown. Until then screens run their former code, because the new views may not know a state of the old version.
///
/// Actions are reduced meanwhile, on states that are not durable yet. The gate of a store in a lazy journal holds nothing back.
final class StoreGate {
  private enum Held {
    case state(HeldState)
    /// A job whose first turn has come.
    case job(Job)
    /// A body that waits for its `send`.
    case send(Body)
    /// A call of a handler of the host.
    case call(Outbox?, TaskLocals, @Sendable () -> Void)
    /// A closure that waits for the record itself. It is also called if the record will never be.
    case waiter(Outbox?, Waiting)
  }

  /// A state that a drain ended with, and what is shown with it.
  private struct HeldState {
    /// Owned (+1).
    let slot: Slot
    /// For the observers of its changes.
    var transaction: Value?
    /// That of the drain. The nodes belong to it that appear by the state.
    let burst: Burst?
    /// Those of the sender, for observers and screens; nil if there are none of these.
    let locals: TaskLocals?
    /// The code that has made the state; nil if it is ``StoreGate/code``.
    let code: ScreenCode?
  }

  /// Gets the receipt of the record inside the worker, and returns what is called outside.
  typealias Waiting = (Result<Receipt, JournalError>) -> @Sendable () -> Void

  /// The state that others may see, owned (+1).
  private(set) var shown: Slot
  /// The indexes of the lists of ``shown``; made for the first screen.
  var shownIndexes: ElementIndexes {
    if let madeIndexes { return madeIndexes }
    let new = ElementIndexes()
    madeIndexes = new
    return new
  }
  private var madeIndexes: ElementIndexes?
  /// The code of the screens of ``shown`` (4).
  private(set) var code: ScreenCode
  private(set) var durable: Int
  /// Set when a record is made.
  var last: Int
  /// The receipt of the record ``durable``.
  private(set) var receipt: Receipt
  private var held: Deque<(number: Int, what: Held)> = []
  /// Whether something is held: then the worker waits for the disk as it waits for a task.
  private var isWaiting = false
  /// Whether the journal is lazy: then nothing is held.
  private let isLazy: Bool
  /// Why nothing is written any more; nil as long as the store has not ended.
  private(set) var ending: JournalError?
  // Proof: the engine owns the core that owns this.
  private unowned(unsafe) let core: StoreCore
  private unowned(unsafe) let engine: Engine

  init(_ core: StoreCore, _ engine: Engine, receipt: Receipt, isLazy: Bool) {
    (self.core, self.engine, self.receipt, self.isLazy) = (core, engine, receipt, isLazy)
    shown = core.root.retained()
    code = core.code(engine)
    (durable, last) = (core.number, core.number)
  }

  deinit {
    shown.release()
    for case (_, .state(let state)) in held { state.slot.release() }
  }

  /// Whether all records are durable, and nothing waits.
  var isSettled: Bool { durable == last && held.isEmpty }

  private var isOpen: Bool { isLazy || isSettled }

  private func hold(_ what: Held) {
    if let ending {
      switch what {
      case .state, .call, .waiter: return drop(what, ending)
      // Its effect is being started, or runs, and is cancelled (``end(_:)``).
      case .job, .send: return
      }
    }
    if !isWaiting {
      isWaiting = true
      engine.effects.tasks += 1
    }
    held.append((last, what))
  }

  /// Ends the wait if nothing is held any more.
  private func didRelease() {
    guard isWaiting, held.isEmpty else { return }
    isWaiting = false
    // Most stores wait for nothing most of the time, and would keep room for what they once held.
    held = []
    engine.effects.tasks -= 1
    engine.effects.watchClock()
  }

  // MARK: What has to wait

  /// Shows the store's state of now, as soon as its record is durable; nothing more once the store has ended.
  func show(transaction: Value?) {
    if ending != nil { return }
    let newCode = core.domain === code.domain ? nil : core.code(engine)
    if isOpen { return show(core.root, transaction, newCode) }
    hold(
      .state(
        HeldState(
          slot: core.root.retained(), transaction: transaction, burst: core.turn.rest(),
          locals: core.audience.isObserved ? TaskLocals() : nil, code: newCode)))
  }

  /// Gives a job its first turn.
  func begin(_ job: Job) {
    if isOpen { return engine.effects.enqueue(job) }
    hold(.job(job))
  }

  /// Lets the running body, which has sent an action, go on. Returns false if it need not wait.
  func holdSend(of body: Body) -> Bool {
    if isOpen { return false }
    body.state = .committing(last)
    hold(.send(body))
    return true
  }

  /// Makes a call of a handler of the host.
  func deliver(to outbox: Outbox?, _ call: @escaping @Sendable () -> Void) {
    if isOpen { return engine.deliver(to: outbox, call) }
    hold(.call(outbox, TaskLocals(), call))
  }

  /// Calls `waiter` with the receipt of the last record when that is durable, or with the reason why it will not be.
  ///
  /// - Parameter outbox: that in which `waiter` makes its call.
  func whenDurable(in outbox: Outbox? = nil, _ waiter: @escaping Waiting) {
    if isOpen { return release(.waiter(outbox, waiter)) }
    hold(.waiter(outbox, waiter))
  }

  // MARK: Opening

  /// The records up to this number are durable.
  func open(upTo number: Int, _ receipt: Receipt) {
    guard number > durable else { return }
    (durable, self.receipt) = (number, receipt)
    defer { didRelease() }
    while let first = held.first, first.number <= number {
      held.removeFirst()
      // Only the last of several states is shown.
      if case .state(let state) = first.what, let next = held.first, next.number <= number,
        case .state(var later) = next.what
      {
        state.slot.release()
        later.transaction = later.transaction ?? state.transaction
        held[0].what = .state(later)
      } else {
        release(first.what)
      }
    }
  }

  private func release(_ what: Held) {
    switch what {
    case .state(let state):
      core.turn.goOn(after: StoreTurn.Cause(burst: state.burst))
      if let locals = state.locals {
        engine.locals.with(locals) { show(state.slot, state.transaction, state.code) }
      } else {
        show(state.slot, state.transaction, state.code)
      }
      core.turn.end()
      state.slot.release()
    case .job(let job):
      if !job.hasEnded { engine.effects.enqueue(job) }
    case .send(let body):
      if case .committing(let number) = body.state, number <= durable {
        engine.effects.wake(body, with: .values([]))
      }
    case .call(let outbox, let locals, let call):
      engine.locals.with(locals) { engine.deliver(to: outbox, call) }
    case .waiter(let outbox, let waiter): engine.deliver(to: outbox, waiter(.success(receipt)))
    }
  }

  /// Publishes a state (+0), and tells observers and screens what has changed.
  ///
  /// - Parameter maker: the code that has made the state; nil if it is ``code``.
  private func show(_ new: Slot, _ transaction: Value?, _ maker: ScreenCode?) {
    // A state that was held with this one may have brought the code already.
    let newCode = maker?.domain === code.domain ? nil : maker
    guard newCode != nil || !new.isIdentical(to: shown) else { return }
    let (before, oldCode) = (shown, newCode == nil ? nil : code)
    shown = new.retained()
    if let newCode { code = newCode }
    madeIndexes?.dropIndexes()
    core.tellChanges(from: before, transaction, engine)
    if newCode != nil { core.audience.views?.adopt(core, engine) }
    before.release()
    // The old screens have ended only now, and need their VM until then.
    withExtendedLifetime(oldCode) {}
  }

  /// The store was taken from the journal again: what is not durable never happened. ``show(transaction:)`` follows as soon as the
  /// code of now has migrated the state.
  ///
  /// - Parameter error: what those get who wait.
  func reset(to number: Int, _ receipt: Receipt, _ error: JournalError) {
    (durable, last, self.receipt) = (number, number, receipt)
    fail(error)
  }

  /// Drops all that is held, with this error: the store is closed, has gone back to the journal's state, or does not know what
  /// is durable. What follows is held again.
  func fail(_ error: JournalError) {
    let dropped = held
    held = []
    didRelease()
    for (_, what) in dropped { drop(what, error) }
  }

  private func drop(_ what: Held, _ error: JournalError) {
    switch what {
    case .state(let state): state.slot.release()
    case .job(let job): job.cancel()
    case .send(let body): body.cancel()
    case .call: break
    case .waiter(let outbox, let waiter): engine.deliver(to: outbox, waiter(.failure(error)))
    }
  }

  /// No record is written any more. This drops what is held, and what would be held from now on, with this error. All effects are
  /// cancelled, and later ones as soon as they start. Streams of the store end.
  func end(_ error: JournalError) {
    ending = error
    core.inFlight(engine).cancelAllForGood()
    fail(error)
    core.endTelling()
  }
}
