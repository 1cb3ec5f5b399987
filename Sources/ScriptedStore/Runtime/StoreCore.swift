import LuaBridge

/// The part of a store that is inside its worker: the state, the turn that changes it, and the audience of the changes.
///
/// ```
///   action --> reduce --> commit --> settle --> inspect --> report --> start effects
///                ^                                                           |
///                +------------------ queue <------- what effects send -------+
/// ```
///
/// 1. `root` is the committed state, owned (+1). If an action raises, `root` stays, and the
///    action's effects are not started.
/// 2. What is being processed now is in `turn`: the queue, the burst, the root job, the transaction.
/// 3. An action from outside or from a running effect, and all that its effects send at once, are
///    one drain within one turn of the VM. After a drain the state is published, and each observer
///    of a changed path is notified once. Listeners hear of each action.
/// 4. Handlers of the host are called by deliveries, after the thread has left.
final class StoreCore {
  /// The compiled reducer that the store runs on.
  var domain: Domain { didSet { domainLink = .passUnretained(domain) } }
  /// `domain`, unowned, so that an action counts no reference to it.
  private(set) var domainLink: Unmanaged<Domain>
  /// The committed state, owned (+1).
  var root: Slot
  let indexes = ElementIndexes()
  /// The `deps` at the root. A change applies to the actions that are reduced from then on.
  var dependencies: DependencyScope
  /// The state that other threads read.
  let snapshot: StateSnapshot
  let origin: StoreOrigin
  /// The number of the last action; 0 before the first. It is lower again when the store has gone back to an earlier one.
  var number = 0
  let turn: StoreTurn
  /// The effects in flight. Made by the first effect that does more than send.
  private(set) var effects: StoreEffects? {
    didSet { effectsLink = effects.map { .passUnretained($0) } }
  }
  /// `effects`, unowned, as `domainLink`.
  private(set) var effectsLink: Unmanaged<StoreEffects>?
  /// What the store shares with others; nil if it shares nothing.
  private(set) var sharing: StoreSharing?
  /// Holds back what others would see before it is durable; nil in a store without a journal.
  var gate: StoreGate?
  let audience = StoreAudience()

  init(
    _ code: StoreCode, state: Value, snapshot: StateSnapshot, origin: StoreOrigin, _ engine: Engine
  ) {
    domain = code.domain
    domainLink = .passUnretained(code.domain)
    dependencies = code.dependencies
    self.snapshot = snapshot
    self.origin = origin
    turn = StoreTurn(mostActions: origin.allLimits(engine).actions ?? .max)
    root = state.ownedSlot()
    snapshot.publish(root)
  }

  deinit { root.release() }

  /// The limits of its turns; nil for those of the VM.
  var limits: TurnLimits? { origin.limits?.turns }

  /// The module or file of the store's feature; the reducer's name if there is none.
  var feature: String {
    if case .feature(let name)? = origin.source?.reducing { name } else { domain.name }
  }

  /// The names of the dependencies that the store overrides.
  var overridden: [String] { origin.source?.dependencies.keys.sorted() ?? [] }

  /// A state to begin with in its final form, owned (+1).
  func settled(_ state: Value, _ engine: Engine) throws(ScriptError) -> Slot {
    let initial = try grafted(state, engine)
    guard domain.root.settles else { return initial }
    defer { initial.release() }
    engine.context.begin(.absent, indexes, .passUnretained(dependencies))
    return try domain.root.settle(engine.context, old: .absent, new: initial)
      ?? initial.retained()
  }

  /// Settles and inspects the initial state.
  ///
  /// - Parameter recorded: the features that have made the state, as a journal has them; nil for those of now. If the code of now
  ///   cannot hold a state of others, it stays as it is, because it is yet to be migrated.
  func begin(
    _ engine: Engine, isRecovered: Bool = false, madeBy recorded: Value? = nil
  ) throws(ScriptError) {
    try beginSharing(engine, isRecovered: isRecovered)
    let settles = domain.root.settles
    guard domain.root.inspects || settles else { return }
    engine.context.begin(.absent, indexes, .passUnretained(dependencies))
    if settles {
      do throws(ScriptError) {
        if let new = try domain.root.settle(engine.context, old: .absent, new: root) {
          root.release()
          root = new
          snapshot.publish(root)
        }
      } catch {
        indexes.stacks.rollBack()
        if let recorded, try !engine.changes(since: recorded, in: domain).isEmpty { return }
        throw error
      }
    }
    indexes.stacks.commit()
    guard domain.root.inspects else { return }
    domain.root.inspect(engine.context, old: .absent, new: root)
    engine.report(engine.context.takeWarnings(), of: self)
  }

  /// Shares what the domain shares from now on; nil to share nothing.
  func share(_ new: StoreSharing?) {
    let heard = hears ? sharing?.worker : nil
    sharing = new
    (heard ?? (hears ? new?.worker : nil))?.hearingMayDiffer()
  }

  var state: Value { Value(borrowing: root) }

  /// The value at a path of the state that others may see; null if there is none.
  func value(at path: StatePath) -> Value {
    var hints = path.noHints
    return Value(borrowing: path.look(at: shown, hints: &hints))
  }

  // MARK: Actions

  /// Records the transaction of an action. Without observers it is dropped, because one that registers later must not get
  /// it.
  private func recordTransaction(of message: Message) {
    if let new = message.transaction, audience.observers != nil { turn.transaction = new }
  }

  /// Reduces an action from outside and all actions that its effects send at once. Then each
  /// observer of a changed path is notified once, with the transaction of the action. Effects that do
  /// more than send get their turn later.
  @inline(__always)
  func process(_ action: borrowing Action, transaction: Value? = nil, _ engine: Engine) {
    if let transaction {
      let message = Message(copy action, from: nil, transaction: transaction)
      recordTransaction(of: message)
      reduceAll(action, message, .input, engine)
    } else {
      reduceAll(action, nil, .input, engine)
    }
    turn.end()
  }

  /// Reduces the action of a node that has appeared, as part of the burst because of which it did. It is refused if
  /// that has too many.
  func process(_ appeared: AppearedTasks.Appearance, _ engine: Engine) {
    turn.goOn(after: appeared.cause)
    defer { turn.end() }
    let message = Message(appeared.action, from: nil, transaction: appeared.transaction)
    guard turn.add(appearance: message) else {
      let warning = turn.warning(of: message, from: domain.viewSite)
      if let warning { engine.report(warning, of: self) }
      return
    }
    recordTransaction(of: message)
    turn.note(message.action, number: number + 1)
    reduceAll(message.action, appeared.transaction == nil ? nil : message, .input, engine)
  }

  /// Reduces an action that a running effect sends, and all that follows from it at once. If
  /// another action is being reduced, because a function that maps actions sends this one, it is
  /// queued.
  ///
  /// - Returns: the reason for a refusal, nil if the action was sent.
  func reduceNow(_ message: Message, _ engine: Engine) -> ScriptError? {
    if turn.isReducing {
      enqueue(message, engine)
      return nil
    }
    guard turn.add(message) else { return turn.refuse(message) }
    recordTransaction(of: message)
    turn.note(message.action, number: number + 1)
    let sender = turn.action
    reduceAll(message.action, message, .effect, engine)
    turn.action = sender
    return nil
  }

  @inline(__always)
  private func reduceAll(
    _ action: borrowing Action, _ message: Message?, _ source: ActionRecord.Source, _ engine: Engine
  ) {
    inDrain(engine) {
      let changed = reduce(action, message, source, engine)
      return turn.hasQueue ? drain(engine) || changed : changed
    }
  }

  /// Runs `body`, which reduces actions and returns whether the state changed, in a turn of the VM.
  /// Then publishes the state and notifies the observers of what changed, once.
  @inline(__always)
  func inDrain(_ engine: Engine, _ body: () -> Bool) {
    turn.isReducing = true
    let before = audience.isObserved ? root.retained() : nil
    // Limits count an action together with all that its effects send at once, because these actions
    // may go on without end.
    engine.withContext { $0.vm.beginTurn(limits) }
    let changed = engine.withReducing(self, body)
    engine.withContext { $0.vm.endTurn(limits) }
    turn.isReducing = false
    if gate != nil {
      before?.release()
      endDrain()
    } else if let before {
      publishAndNotify(before, engine)
    } else if changed {
      snapshot.publish(root)
    }
  }

  /// Publishes the state and notifies the observers of what changed since `before` (+1). In a durable store a record
  /// of the change must follow, which does that.
  func publishAndNotify(_ before: Slot, _ engine: Engine) {
    defer { before.release() }
    guard gate == nil else { return }
    let isSame = root.isIdentical(to: before)
    if !isSame { snapshot.publish(root) }
    guard audience.isObserved else { return }
    let transaction = turn.takeTransaction()
    if isSame { return }
    notify(from: before, transaction, engine)
  }

  /// In a durable store: hands the records of the drain over, and shows the state as soon as they are durable.
  func endDrain() {
    guard let gate else { return }
    for listener in audience.listeners { listener.didEndDrain() }
    gate.show(transaction: turn.takeTransaction())
  }

  /// Publishes the shown state of a durable store, and notifies the observers of what changed since `before` (+0).
  func tellChanges(from before: Slot, _ transaction: Value?, _ engine: Engine) {
    snapshot.publish(shown)
    if audience.isObserved { notify(from: before, transaction, engine) }
  }

  /// The state that others may see (+0), the indexes of its lists, and the code that has made it.
  var shown: Slot { gate?.shown ?? root }
  var shownIndexes: ElementIndexes { gate?.shownIndexes ?? indexes }
  func shownCode(_ engine: Engine) -> ScreenCode { gate?.code ?? code(engine) }

  /// The code that the store runs on.
  func code(_ engine: Engine) -> ScreenCode {
    ScreenCode(domain: domain, generation: engine.current)
  }

  /// Reduces the actions that were queued while no action was being reduced.
  func drainNow(_ engine: Engine) {
    guard turn.hasQueue && !turn.isReducing else { return }
    inDrain(engine) { drain(engine) }
  }

  /// Queues an action that an effect sends. It is refused if its burst has too many.
  func enqueue(_ message: Message, _ engine: Engine) {
    guard turn.add(message) else {
      if let warning = turn.warning(of: message) { engine.report(warning, of: self) }
      return
    }
    turn.append(message)
  }

  /// Reduces the queued actions, and those that they cause. Returns whether the state changed.
  @discardableResult
  func drain(_ engine: Engine) -> Bool {
    var changed = false
    while let message = turn.takeNext() {
      recordTransaction(of: message)
      turn.note(message.action, number: number + 1)
      changed = reduce(message.action, message, .effect, engine) || changed
    }
    return changed
  }

  /// Calls `body` with the effects in flight without counting a reference; nil if there never were
  /// any.
  @inline(__always)
  func withEffects<R>(_ body: (StoreEffects) -> R) -> R? {
    effectsLink?._withUnsafeGuaranteedRef(body)
  }

  /// The effects in flight. Made if there never were any.
  func inFlight(_ engine: Engine) -> StoreEffects {
    if let effects { return effects }
    let new = StoreEffects(self, engine)
    effects = new
    for listener in audience.listeners { listener.didMake(new) }
    return new
  }
}
