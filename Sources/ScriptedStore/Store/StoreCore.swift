import LuaBridge
import Synchronization

/// The state of a store as everybody may read it.
final class SnapshotBox: Sendable {
  /// Owned (+1).
  private let slot = Mutex(Slot.null)

  deinit { slot.withLock { $0.release() } }

  var current: Value {
    let slot = slot.withLock { $0.retained() }
    return Value(owning: slot)
  }

  /// Takes a reference of its own (+0).
  @inline(__always)
  func publish(_ new: Slot) {
    new.retain()
    let old = slot.withLock { slot in
      defer { slot = new }
      return slot
    }
    old.release()
  }
}

/// A store inside its worker: the current state, the queue of what effects sent, and who listens.
final class StoreCore {
  /// What it runs.
  private(set) var domain: Domain
  /// The same, to be used without counting a reference.
  private var domainLink: Unmanaged<Domain>
  /// The committed state (+1).
  private(set) var root: Slot
  let indexes = ElementIndexes()
  /// What `deps` holds at the root, for actions that are not reduced yet.
  var dependencies: DependencyScope
  private let box: SnapshotBox
  /// What its scripts may use up; nil for what the host allows.
  let limits: TurnLimits?
  private var inspects: Bool
  /// Of the last action.
  private(set) var number = 0
  /// Actions that effects sent, first in first out.
  private var queue: [Message] = []
  /// What is in flight, from the first effect on that does more than to send at once.
  private(set) var effects: StoreEffects?
  /// The same, to be used without counting a reference.
  private var effectsLink: Unmanaged<StoreEffects>?
  var observers: ObserverTree?
  private var recorders: [(id: UInt64, handler: @Sendable (ActionRecord) -> Void)] = []
  /// Flags are read without asking who else is at the arrays.
  private(set) var hasQueue = false
  /// While the queue is being worked off.
  private var isBusy = false
  /// Whether what happens now belongs to a burst of which something is known; read without asking who else is at that.
  private(set) var isInBurst = false
  private var burst = CurrentBurst()
  /// Actions that effects may send in one burst.
  private var mostActions = Int.max
  /// What the actions that observers are to hear of next were sent with.
  private var transaction: Value?
  private var hasRecorders = false
  /// Keeps what happens, if somebody has asked for that.
  var history: HistoryRecorder? {
    didSet {
      hasHistory = history != nil
      updateHasRecorders()
    }
  }
  private var hasHistory = false
  /// Hears of each action as soon as it was reduced, and of what it raised instead of the host: that of a test.
  var journal: ((ActionRecord) -> Void)? { didSet { updateHasRecorders() } }
  /// Hears that a reducer which nothing presents asks to be dismissed: that of a test, which stands for what presents it.
  var onDismiss: ((ReducerNode?) -> Void)?

  /// What it was made of; nil for one that keeps its scripts.
  let source: StoreSource?

  init(
    domain: Domain, state: Value, dependencies: DependencyScope, limits: TurnLimits?,
    box: SnapshotBox, source: StoreSource?
  ) {
    self.source = source
    self.domain = domain
    self.limits = limits
    domainLink = .passUnretained(domain)
    self.dependencies = dependencies
    root = state.ownedSlot()
    self.box = box
    inspects = domain.root.inspects
    box.publish(root)
  }

  deinit { root.release() }

  /// The module or file that it is of; the reducer's name where there is none.
  var feature: String {
    if case .feature(let name)? = source?.reducing { name } else { domain.name }
  }

  /// The dependencies that it overrides.
  var overridden: [String] { source?.dependencies.keys.sorted() ?? [] }

  /// Looks at the initial state.
  func begin(_ engine: Engine) throws(ScriptError) {
    mostActions = (limits ?? engine.context.vm.turnLimits).actions
    let settles = domain.root.settles(engine.context)
    guard inspects || settles else { return }
    engine.context.begin(.absent, indexes, .passUnretained(dependencies))
    if settles, let new = try domain.root.settle(engine.context, old: .absent, new: root) {
      root.release()
      root = new
      box.publish(root)
    }
    indexes.stacks.keep()
    guard inspects else { return }
    domain.root.inspect(engine.context, old: .absent, new: root)
    engine.report(engine.context.takeWarnings())
  }

  var state: Value { Value(borrowing: root) }

  // MARK: Reloading

  /// What a walk makes of the state by other reducers (+1), nil if it stays.
  func walked(
    _ walk: StateWalk, by code: StoreCode
  ) throws(ScriptError) -> Slot? {
    walk.context.begin(.absent, indexes, .passUnretained(code.dependencies))
    return try code.domain.root.walk(walk, root)
  }

  /// Runs other code from now on, between two actions.
  ///
  /// - Parameter new: the state that the new code wants (+1), nil for the one that it has.
  func adopt(_ code: StoreCode, state new: Slot?, _ engine: Engine) {
    domain = code.domain
    domainLink = .passUnretained(domain)
    inspects = domain.root.inspects
    dependencies =
      history.map { code.dependencies.noting(by: $0.dependencies) } ?? code.dependencies
    indexes.forgetPlaces()
    if let new {
      replaceState(by: new, warns: true, engine)
      new.release()
    }
    history?.reloaded(to: engine.current.number, migrated: new == nil ? .none : state)
  }

  /// The value of a place now, null if it is not there.
  func value(at place: Place) -> Value {
    var hints = place.noHints
    return Value(borrowing: place.look(at: root, hints: &hints))
  }

  func addRecorder(_ id: UInt64, _ handler: @escaping @Sendable (ActionRecord) -> Void) {
    recorders.append((id, handler))
    updateHasRecorders()
  }

  func removeRecorder(_ id: UInt64) {
    recorders.removeAll { $0.id == id }
    updateHasRecorders()
  }

  private func updateHasRecorders() {
    hasRecorders = !recorders.isEmpty || journal != nil || hasHistory
  }

  /// Reduces an action from outside and all that its effects send at once; then those who watch a place that
  /// changed hear of it, once. What it started goes on when it is its turn.
  @inline(__always)
  func process(_ action: borrowing Action, _ engine: Engine) {
    reduceAll(action, nil, .input, engine)
    if isInBurst { endBurst() }
  }

  /// The same for an action that a running effect sends; one that is sent while another is reduced, by a function
  /// that transforms actions, waits its turn.
  ///
  /// - Returns: why it may not be sent, nil if it may.
  func reduceNow(_ message: Message, _ engine: Engine) -> ScriptError? {
    if isBusy {
      enqueue(message, engine)
      return nil
    }
    isInBurst = true
    guard burst.add(message, most: mostActions) else {
      return burst.refuse(message, most: mostActions)
    }
    note(message)
    burst.note(message.action, number: number + 1, most: mostActions)
    let sender = burst.action
    reduceAll(message.action, message, .effect, engine)
    burst.action = sender
    return nil
  }

  @inline(__always)
  private func reduceAll(
    _ action: borrowing Action, _ message: Message?, _ source: ActionRecord.Source, _ engine: Engine
  ) {
    isBusy = true
    guard let observers else {
      beginTurn(engine)
      var changed = reduce(action, message, source, engine)
      if hasQueue { changed = drain(engine) || changed }
      endTurn(engine)
      isBusy = false
      if changed { box.publish(root) }
      return
    }
    let before = root.retained()
    beginTurn(engine)
    reduce(action, message, source, engine)
    if hasQueue { drain(engine) }
    endTurn(engine)
    isBusy = false
    tell(observers, before, engine)
  }

  /// What one action and all that its effects send at once may use up is counted together, as they may go on sending.
  @inline(__always)
  private func beginTurn(_ engine: Engine) { engine.withContext { $0.vm.beginTurn(limits) } }

  @inline(__always)
  private func endTurn(_ engine: Engine) { engine.withContext { $0.vm.endTurn(limits) } }

  /// Publishes what changed since a state (+1), and hands it to those who watch.
  private func tell(_ observers: ObserverTree, _ before: Slot, _ engine: Engine) {
    let transaction = transaction
    self.transaction = nil
    defer { before.release() }
    guard !root.isIdentical(to: before) else { return }
    box.publish(root)
    observers.notify(from: before, to: root, transaction, engine)
  }

  /// Reduces what was queued while no action was reduced.
  func drainNow(_ engine: Engine) {
    guard hasQueue && !isBusy else { return }
    isBusy = true
    guard let observers else {
      beginTurn(engine)
      let changed = drain(engine)
      endTurn(engine)
      isBusy = false
      if changed { box.publish(root) }
      return
    }
    let before = root.retained()
    beginTurn(engine)
    drain(engine)
    endTurn(engine)
    isBusy = false
    tell(observers, before, engine)
  }

  /// Keeps an action's transaction for those who observe: what nobody hears of now is not for who comes later.
  private func note(_ message: Message) {
    if observers != nil, let new = message.transaction { transaction = new }
  }

  /// Queues what an effect sends; an action of which its burst has too many is refused.
  func enqueue(_ message: Message, _ engine: Engine) {
    isInBurst = true
    guard burst.add(message, most: mostActions) else {
      if let warning = burst.warning(of: message, most: mostActions) { engine.report([warning]) }
      return
    }
    queue.append(message)
    hasQueue = true
  }

  // MARK: Bursts

  /// What an effect follows from that is started now: its burst, nil for one of its own, and an action.
  @inline(__always)
  func follow() -> (burst: Burst?, action: Int) {
    isInBurst = true
    return (burst.follow(), burst.action)
  }

  /// The same for what shares the burst of the effect that goes on after it.
  func share() -> (burst: Burst?, action: Int) {
    isInBurst = true
    return (burst.share(), burst.action)
  }

  /// Something goes on that follows from an action.
  @inline(__always)
  func goOn(in burst: Burst?, after action: Int) {
    self.burst.action = action
    guard let burst else { return }
    isInBurst = true
    self.burst.goOn(burst)
  }

  /// The burst, for what goes on later without a wait.
  func restOfBurst() -> Burst? { isInBurst ? burst.rest() : nil }

  /// What happens from now on follows from something else.
  func endBurst() {
    isInBurst = false
    burst.end()
  }

  /// Reduces what effects sent; whether that changed the state.
  @discardableResult
  private func drain(_ engine: Engine) -> Bool {
    var next = 0
    var changed = false
    while next < queue.count {
      let message = queue[next]
      note(message)
      burst.note(message.action, number: number + 1, most: mostActions)
      changed = reduce(message.action, message, .effect, engine) || changed
      next += 1
      // Forget what is done once it is most of the queue: O(1) an action.
      if next >= 1024 && next * 2 >= queue.count {
        queue.removeFirst(next)
        next = 0
      }
    }
    queue.removeAll(keepingCapacity: queue.capacity <= 1024)
    hasQueue = false
    return changed
  }

  /// Reduces one action; whether that changed the state.
  @discardableResult
  @inline(__always)
  private func reduce(
    _ action: borrowing Action, _ message: Message?, _ source: ActionRecord.Source,
    _ engine: Engine
  ) -> Bool {
    if hasHistory, let history, !history.begin(action, message) { return false }
    return engine.withContext { context in
      domainLink._withUnsafeGuaranteedRef { domain in
        reduce(action, message, source, domain, context, engine)
      }
    }
  }

  @inline(__always)
  private func reduce(
    _ action: borrowing Action, _ message: Message?, _ source: ActionRecord.Source,
    _ domain: Domain, _ context: ReduceContext, _ engine: Engine
  ) -> Bool {
    let arena = context.arena
    context.begin(action.slot, indexes, .passUnretained(dependencies))
    number += 1
    var failure: ScriptError?
    var new = Slot.absent
    var returned = ReturnedEffects.none
    // Whether children may have come or gone.
    var isAffected = false
    arena.pointee.begin(root)
    do throws(ScriptError) {
      returned = try domain.reduce(context, 0, action.slot)
      isAffected =
        arena.pointee.isReshapedAnywhere(0) && domain.root.isAffected(context, 0)
        || context.lazyReducers.hasFunctions && hasChildEffects
      new = try commit(arena)
      if isAffected && domain.root.settles(context) {
        try settle(&new, from: root, indexes, domain, context)
      }
    } catch {
      failure = error
      failure?.feature = context.current?.takeUnretainedValue().feature
      returned = .none
      indexes.stacks.forget()
    }
    arena.pointee.reset()
    let changed = finish(new, failure, isAffected, action, message, source, context, engine)
    if !returned.isNone { start(returned, engine) }
    context.endRuns()
    if hasHistory { history?.tell() }
    return changed
  }

  /// Puts what an action leaves (+1) in order; that is absent afterwards if it was refused.
  func settle(
    _ new: inout Slot, from old: Slot, _ indexes: ElementIndexes, _ domain: Domain,
    _ context: ReduceContext
  ) throws(ScriptError) {
    guard !new.isIdentical(to: old) else { return indexes.stacks.keep() }
    do throws(ScriptError) {
      if let settled = try domain.root.settle(context, old: old, new: new) {
        new.release()
        new = settled
      }
    } catch {
      new.release()
      new = .absent
      throw error
    }
    indexes.stacks.keep()
  }

  private func start(_ returned: ReturnedEffects, _ engine: Engine) {
    burst.action = number
    // What only sends needs no more than the queue.
    if case .effect(let node, let reducer, nil) = returned, case .send(let action) = node.operation
    {
      enqueue(
        Message(action, from: reducer.takeUnretainedValue(), kept: node.kept, of: nil), engine)
    } else if let effectsLink {
      effectsLink._withUnsafeGuaranteedRef { $0.start(returned, root) }
    } else {
      inFlight(engine).start(returned, root)
    }
  }

  /// What is in flight, without counting a reference; nil if nothing ever was.
  @inline(__always)
  func withEffects<R>(_ body: (StoreEffects) -> R) -> R? {
    effectsLink?._withUnsafeGuaranteedRef(body)
  }

  /// What is in flight, made if nothing was before.
  func inFlight(_ engine: Engine) -> StoreEffects {
    if let effects { return effects }
    let new = StoreEffects(self, engine)
    effects = new
    effectsLink = .passUnretained(new)
    history?.watch(new)
    return new
  }

  /// A tool has set the state: those hear of it who hear of actions. The next action has the number after this one's.
  func noteEdit(_ action: Action, from before: Value, _ engine: Engine) {
    number += 1
    let record = ActionRecord(
      number: number, source: .edit, feature: nil, action: action, transaction: nil,
      before: before, after: state, warnings: [], error: nil)
    history?.add(record)
    journal?(record)
    for (_, handler) in recorders { engine.deliver { handler(record) } }
    history?.tell()
  }

  /// The next action has the number after this one: the store went back to it.
  func count(from number: Int) { self.number = number }

  /// Takes another state (+0) than an action made: tells those who watch, and cancels effects of children that went
  /// with the old one.
  ///
  /// - Parameter warns: whether nobody was told yet of what is wrong with it.
  func replaceState(by new: Slot, warns: Bool = false, _ engine: Engine) {
    guard !new.isIdentical(to: root) else { return }
    let before = root
    root = new.retained()
    indexes.forgetLists()
    if hasChildEffects || warns && inspects {
      engine.context.begin(.absent, indexes, .passUnretained(dependencies))
      inspect(before, engine)
      let warnings = engine.context.takeWarnings()
      if warns { engine.report(warnings) }
    }
    guard let observers else {
      before.release()
      return box.publish(root)
    }
    tell(observers, before, engine)
  }

  @inline(__always)
  func commit(_ arena: UnsafeMutablePointer<DraftArena>) throws(ScriptError) -> Slot {
    do throws(DraftError) {
      return try arena.pointee.commit()
    } catch {
      throw ScriptError(error.message)
    }
  }

  /// Takes over the new state (+1), which is absent after a failure.
  ///
  /// - Parameter isAffected: whether children may have come or gone.
  @inline(__always)
  private func finish(
    _ new: Slot, _ failure: ScriptError?, _ isAffected: Bool, _ action: borrowing Action,
    _ message: Message?, _ source: ActionRecord.Source, _ context: ReduceContext, _ engine: Engine
  ) -> Bool {
    let old = root
    let changed = !new.isAbsent && !new.isIdentical(to: old)
    if !new.isAbsent {
      root = new
    } else {
      old.retain()
    }
    if isAffected && changed && (inspects || hasChildEffects) { inspect(old, engine) }
    let warnings = context.takeWarnings()
    if failure != nil || !warnings.isEmpty || hasRecorders {
      report(old, failure, warnings, action, message, source, engine)
    }
    old.release()
    return changed
  }

  /// Whether effects of children are in flight, which may have gone.
  private var hasChildEffects: Bool {
    effectsLink.map { $0._withUnsafeGuaranteedRef { $0.places.hasChildren } } ?? false
  }

  /// Looks for what is wrong with the new state, and for children that went with effects in flight.
  private func inspect(_ old: Slot, _ engine: Engine) {
    let places = effects?.places
    engine.context.effects = places?.hasChildren == true ? places : nil
    domain.root.inspect(engine.context, old: old, new: root)
    engine.context.effects = nil
  }

  private func report(
    _ old: Slot, _ failure: ScriptError?, _ warnings: [RuntimeWarning], _ action: borrowing Action,
    _ message: Message?, _ source: ActionRecord.Source, _ engine: Engine
  ) {
    let action = copy action
    if hasHistory { engine.context.recorder = nil }
    engine.report(warnings)
    if let failure, journal == nil { engine.report(failure, action) }
    guard hasRecorders else { return }
    let record = ActionRecord(
      number: number, source: source, feature: message?.sender?.feature, action: action,
      transaction: message?.transaction, before: Value(borrowing: old),
      after: Value(borrowing: root), warnings: warnings, error: failure)
    history?.add(record)
    journal?(record)
    for (_, handler) in recorders { engine.deliver { handler(record) } }
  }
}
