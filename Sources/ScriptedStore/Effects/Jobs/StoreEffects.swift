import LuaBridge

/// The effects in flight for one store. It starts what reducers return, and delivers what effects
/// send. Used inside a worker.
///
/// How the operations of an effect are started:
///
/// ```
///   send, dismiss                   an action in the store's queue
///   cancel                          jobs with the id are cancelled
///   run, task                       Body, SwiftBody: wait for their turn
///   merge                           both parts, in the same group
///   concatenate                     Sequence: a group that starts the next effect when it is empty
///   cancellable, signpost           Scope, MeasuredGroup: a group of the inner effect's jobs
///   debounce                        Scope with a Delayed job on the clock
///   map, transaction, throttle      another stage of the inner effect's route
///   ran                             its parts, each with its own reducer and route
/// ```
///
/// 1. All that an action from outside starts, directly or through actions of its effects, is one
///    tree of jobs. Its root job is the first job; when a second one starts, ``adopt(_:)`` puts a
///    ``RootGroup`` around it.
/// 2. `origin` is the root job of the action or turn that is being processed; nil if it has started
///    no job yet.
/// 3. `origins` is the number of root jobs in flight. At 0 the store is idle.
/// 4. `count` is at most `most`: ``hasRoom(for:)`` is checked before an effect is started.
/// 5. `scopes` has no empty lists.
/// 6. After ``close()`` nothing reaches the store.
final class StoreEffects {
  let runner: EffectRunner
  /// The core that owns this, unowned; nil once the store is closed.
  private var core: Unmanaged<StoreCore>?
  // Proof: the engine owns the runner whose jobs refer to this, and ends them before it is
  // deallocated.
  unowned(unsafe) let engine: Engine
  /// The limits of the store's own; nil for those of the host.
  let limits: TurnLimits?
  /// Effects in flight, as ``Limits/effects`` counts them.
  var count = 0
  /// The largest `count`.
  private let most: Int
  /// The place at the root.
  let places = EffectPlace(root: ())
  /// The jobs in flight that have an id.
  private var scopes: [ScopeKey: ScopeList] = [:]
  /// The list that was found last and is not empty: an id that was replaced is often replaced
  /// again.
  private var recent: ScopeList?
  /// The root job of the action or turn that is being processed (invariant 2).
  private var origin: Job?
  /// The root job of the last action from outside, while its effects have their first turn.
  private var lastOrigin: Job?
  /// The number of root jobs in flight.
  private var origins = 0
  private var idleWaiters: [@Sendable () -> Void] = []
  /// Avoids the dynamic exclusivity check on `idleWaiters`.
  private var hasIdleWaiters = false
  /// Whether the feature at the root was dismissed. Its effects are then cancelled as soon as they
  /// start.
  private var isDismissed = false

  init(_ core: StoreCore, _ engine: Engine) {
    self.core = .passUnretained(core)
    self.engine = engine
    limits = core.limits
    most = (core.limits ?? engine.context.vm.turnLimits).effects
    runner = engine.effects
  }

  /// Called when the store is closed: what ends or sends from now on has no effect.
  func close() { core = nil }

  // MARK: Job trees

  /// Calls `body`. What it starts belongs to the tree of `origin`, or to a new tree if that is nil.
  @inline(__always)
  func asPart(of origin: Job?, _ body: () -> Void) {
    let outer = self.origin
    self.origin = origin
    body()
    self.origin = outer
  }

  /// Calls `body` as a part of the tree of `origin`, and then reduces the actions that it has
  /// queued.
  ///
  /// - Parameters:
  ///   - burst: the burst that goes on; nil for a new one.
  ///   - action: the number of the action that `body` follows from, if a burst goes on.
  func inTurn(
    of origin: Job?, in burst: Burst? = nil, after action: Int = 0, _ body: () -> Void
  ) {
    core?._withUnsafeGuaranteedRef { $0.goOn(in: burst, after: action) }
    finishing(origin, body)
    core?._withUnsafeGuaranteedRef { if $0.isInBurst { $0.endBurst() } }
  }

  /// Calls `turn` as a turn of `body`, which stays in its burst unless it has waited, and then
  /// reduces the queued actions.
  @inline(__always)
  func inTurn(of body: Body, _ turn: () -> Void) {
    core?._withUnsafeGuaranteedRef { $0.goOn(in: body.burst, after: body.action) }
    body.isWaiting = false
    finishing(body.origin, turn)
    core?._withUnsafeGuaranteedRef { core in
      if core.isInBurst {
        body.burst = body.isWaiting || body.hasEnded ? nil : core.restOfBurst()
        core.endBurst()
      }
    }
  }

  @inline(__always)
  private func finishing(_ origin: Job?, _ body: () -> Void) {
    asPart(of: origin) {
      // Holds the group until the queued actions are reduced: what they start must become a part of
      // it, even if the last of its jobs has ended.
      if let group = origin?.asGroup {
        group.fill {
          body()
          drain()
        }
      } else {
        body()
        drain()
      }
    }
  }

  @inline(__always)
  private func drain() {
    core?._withUnsafeGuaranteedRef { core in
      if core.hasQueue { core.drainNow(engine) }
    }
  }

  /// What an effect that is started now follows from: ``StoreCore/follow()``.
  @inline(__always)
  func follow() -> (burst: Burst?, action: Int) {
    core?._withUnsafeGuaranteedRef { $0.follow() } ?? (nil, 0)
  }

  /// What an effect that shares its burst follows from: ``StoreCore/share()``.
  func share() -> (burst: Burst?, action: Int) {
    core?._withUnsafeGuaranteedRef { $0.share() } ?? (nil, 0)
  }

  /// Called when an action from outside is reduced: the next one begins a tree of its own.
  func endAction() {
    lastOrigin = origin
    origin = nil
  }

  /// The key of the last outside action's root job; nil if that has ended.
  func takeKey() -> JobKey? {
    guard let last = lastOrigin else { return nil }
    lastOrigin = nil
    return runner.key(of: last)
  }

  /// The group for the next job: that of the current tree, or of a new one. `origin` may have been
  /// put into a root group since it was set.
  func rootForNow() -> RootGroup {
    if let top = origin?.origin, !top.hasEnded { return top as? RootGroup ?? adopt(top) }
    let root = RootGroup(of: self)
    beginOrigin(root)
    return root
  }

  /// Begins the root job of the current action.
  private func beginOrigin(_ job: Job) {
    job.beginAlone()
    origins += 1
    origin = job
  }

  /// Puts a root group around a root job. The group takes over the job's key, and becomes the root
  /// of its tree.
  func adopt(_ job: Job) -> RootGroup {
    let root = RootGroup(of: self)
    root.beginAlone()
    job.becomePart(of: root)
    runner.hand(job, to: root)
    if origin === job { origin = root }
    if lastOrigin === job { lastOrigin = root }
    return root
  }

  /// Called when a root job has ended.
  func ended(_ origin: Job, _ waiters: [@Sendable () -> Void]) {
    if self.origin === origin { self.origin = nil }
    runner.forget(origin)
    origins -= 1
    for waiter in waiters { engine.deliver(waiter) }
    guard origins == 0 && hasIdleWaiters else { return }
    hasIdleWaiters = false
    for waiter in idleWaiters { engine.deliver(waiter) }
    idleWaiters = []
  }

  var isIdle: Bool { origins == 0 }

  /// Calls `waiter` when no effect of the store is in flight.
  func whenIdle(_ waiter: @escaping @Sendable () -> Void) {
    if origins == 0 { return engine.deliver(waiter) }
    idleWaiters.append(waiter)
    hasIdleWaiters = true
  }

  // MARK: Starting

  /// Starts what a reducer tree returned. `state` (+0) is the new state.
  func start(_ returned: ReturnedEffects, _ state: Slot) {
    start(returned, state, at: places, nil)
    if isDismissed { cancelAll() }
  }

  private func start(
    _ returned: ReturnedEffects, _ state: Slot, at place: EffectPlace, _ route: Route?
  ) {
    switch returned {
    case .none: break
    case .effect(let node, let reducer, let owner):
      start(
        node,
        StartContext(
          place: place, route: route, reducer: reducer.takeUnretainedValue(), owner: owner),
        in: nil)
    case .run(let index):
      guard let returned = engine.withContext({ $0.takeRun(index) }) else { break }
      start(returned, at: place, route)
    case .list(let effects):
      for effect in effects { start(effect, state, at: place, route) }
    case .nested(let inner, let child):
      // `withChild` does not call back for a child that no longer exists: its effects never start.
      child.node.takeUnretainedValue().withChild(child, in: state, engine.context) { childState in
        let place = place.makeChild(child.type, child.key, child.presentation)
        let route = Route(.nested(type: child.type, id: child.id), route)
        place.hold { start(inner, childState, at: place, route) }
      }
    }
  }

  /// Starts a script's `effect.run`. Takes over its owner (+1) and its functions.
  private func start(_ returned: ReturnedRun, at place: EffectPlace, _ route: Route?) {
    let run = returned.run
    guard hasRoom() else {
      let owner = returned.owner.takeRetainedValue()
      owner.vm.takeUnretainedValue().forget(run.functions)
      return refuse(owner)
    }
    var list: ScopeList?
    if let id = run.id { list = self.list(under: id, place, replacing: run.cancelInFlight) }
    let body = Body(
      .own(run.functions), id: run.id, at: place, route, returned.owner.takeRetainedValue(),
      of: self)
    begin(body, in: nil)
    if let list { register(body, in: list) }
    runner.enqueue(body)
  }

  /// Starts an effect in a group, or as a root job if `group` is nil. Does nothing if the group is
  /// not open: an effect that was started before in the group may have cancelled it.
  func start(_ node: EffectNode, _ context: StartContext, in group: Group?) {
    if let group, !group.isOpen { return }
    switch node.operation {
    case .none: break
    case .send(let action):
      queue(
        Message(action, from: context.reducer, kept: node.kept, of: context.owner), context.route)
    case .run(let function, let catching):
      guard hasRoom() else { return refuse(context.owner) }
      let body = Body(
        .shared(function, catching: catching), id: nil, at: context.place, context.route,
        context.owner, of: self)
      begin(body, in: group)
      runner.enqueue(body)
    case .task(let operation):
      guard hasRoom() else { return refuse(context.owner) }
      let body = SwiftBody(operation, context, of: self)
      (group ?? rootForNow()).add(body)
      runner.enqueue(body)
    case .both(let first, let second):
      start(first, context, in: group)
      start(second, context, in: group)
    case .sequence:
      startSequence(node, context, in: group ?? rootForNow())
    case .cancel(let id, let path):
      cancel(id, at: path, from: context.place, during: group)
    case .cancellable(let inner, let id, let cancelInFlight):
      startScope(id, context, in: group, replacing: cancelInFlight) { scope in
        start(inner, context, in: scope)
      }
    case .debounce(let inner, let id, let seconds):
      guard let clock = clock(for: "debounce", context) else { break }
      guard hasRoom() else { return refuse(context.owner) }
      startScope(id, context, in: group, replacing: true) { scope in
        let delayed = Delayed(inner, context, on: clock, of: self)
        scope.add(delayed)
        delayed.wait(seconds)
      }
    case .throttle(let inner, let id, let seconds, let latest):
      guard let clock = clock(for: "throttle", context) else { break }
      guard hasRoom() || context.place.throttles?[id] != nil else { return refuse(context.owner) }
      // On such a clock each interval has already passed.
      if clock.passesAtOnce { return start(inner, context, in: group) }
      var context = context
      context.route = Route(
        .throttle(context.place, id: id, seconds: seconds, latest: latest, on: clock),
        context.route)
      start(inner, context, in: group)
    case .map(let inner, let transform):
      var context = context
      context.route = Route(.map(transform, context.owner), context.route)
      start(inner, context, in: group)
    case .transaction(let inner, let transaction):
      var context = context
      context.route = Route(.transaction(transaction), context.route)
      start(inner, context, in: group)
    case .dismiss:
      dismiss(from: context.place, context.reducer, context.route) { message in
        core?._withUnsafeGuaranteedRef { $0.enqueue(message, engine) }
      }
    case .measured(let inner, let measurement):
      let measured = MeasuredGroup(measurement, at: context.place, of: self)
      begin(measured, in: group)
      measured.fill { start(inner, context, in: measured) }
    case .ran(let effects):
      // An effect without code may be started in any VM.
      guard !node.hasCode || effects.isOf(context.owner?.vm.takeUnretainedValue()) else {
        warn(of: ScriptError("an effect of `Reducer.run` was returned in another VM"), in: nil)
        break
      }
      for part in effects.parts { start(part.node, part.context(context), in: group) }
    }
  }

  /// Whether this many more effects may be in flight.
  @inline(__always)
  func hasRoom(for new: Int = 1) -> Bool { new <= most - count }

  /// The error for an effect that is one too many.
  var refusal: ScriptError {
    var error = ScriptError(
      """
      it is not started, because \(count) effects of this store are in flight. Cancel those that are not needed any \
      more (effect:cancellable with cancelInFlight), start fewer at once, or allow more (Limits.effects, --max-effects)
      """, kind: .effects)
    error.exceeded = ExceededLimit(allowed: Double(most), reached: Double(count) + 1)
    return error
  }

  private func refuse(_ owner: EffectOwner?) { warn(of: refusal, in: nil, owner) }

  /// The clock for the wait of an operator. nil if it is unimplemented, which is reported.
  private func clock(for use: String, _ context: StartContext) -> SchedulerClock? {
    let owner = context.owner
    do throws(ScriptError) {
      return try runner.clock(of: owner, for: use, at: owner?.origin)
    } catch {
      warn(of: error, in: nil, owner)
      return nil
    }
  }

  /// Begins a job in a group. Without one, it becomes the root job, or a part of the root group if
  /// there is a root job already.
  @inline(__always)
  private func begin(_ job: Job, in group: Group?) {
    if group == nil && origin == nil {
      beginOrigin(job)
    } else {
      (group ?? rootForNow()).add(job)
    }
  }

  @inline(__always)
  /// Begins a scope with this id, and calls `fill`, which starts its jobs.
  private func startScope(
    _ id: Value, _ context: StartContext, in group: Group?, replacing: Bool, _ fill: (Scope) -> Void
  ) {
    let list = list(under: id, context.place, replacing: replacing, during: group)
    // The jobs that were replaced may have started something that cancelled the group.
    if let group, !group.isOpen { return }
    let scope = Scope(id, at: context.place, of: self)
    begin(scope, in: group)
    register(scope, in: list)
    scope.fill { fill(scope) }
  }

  private func startSequence(_ node: EffectNode, _ context: StartContext, in parent: Group) {
    var effects: [EffectNode] = []
    func flatten(_ node: EffectNode) {
      guard case .sequence(let first, let second) = node.operation else {
        return effects.append(node)
      }
      flatten(first)
      flatten(second)
    }
    flatten(node)
    let sequence = Sequence(effects, context, of: self)
    parent.add(sequence)
    sequence.startRest()
  }

  // MARK: Ids

  /// The list of the jobs in flight with an id at a place. An empty list is new and not in
  /// `scopes`.
  private func scopes(under id: Value, at place: EffectPlace) -> ScopeList {
    if let recent, recent.key.isFor(id, at: place) { return recent }
    let key = ScopeKey(place, id)
    guard let list = scopes[key] else { return ScopeList(key, of: self) }
    recent = list
    return list
  }

  /// The list for a job that is to be started with this id. If it replaces others, they are
  /// cancelled first, except the groups that the new job will be in, such as the debounce that has
  /// delayed it.
  private func list(
    under id: Value, _ place: EffectPlace, replacing: Bool, during group: Group? = nil
  ) -> ScopeList {
    let list = scopes(under: id, at: place)
    guard replacing else { return list }
    cancelQueued(id, at: place, during: group)
    list.cancelAll(around: group)
    // Jobs that ended may have started others with the id, which are in a new list.
    return list.isEmpty ? scopes(under: id, at: place) : list
  }

  func register(_ scope: Scope) {
    guard let id = scope.id else { return }
    register(scope, in: scopes(under: id, at: scope.place))
  }

  /// Adds a job to a list, and the list to `scopes` if it was empty.
  private func register(_ job: Job, in list: ScopeList) {
    if list.isEmpty { scopes[list.key] = list }
    list.add(job)
  }

  /// Removes a list that has become empty.
  func remove(_ list: ScopeList) {
    if recent === list { recent = nil }
    scopes[list.key] = nil
  }

  /// Cancels the jobs with an id at a place, and effects of sequences there that have not started;
  /// but not those of a sequence that contains `group`, because that sequence is being started.
  func cancel(_ id: Value, at place: EffectPlace, during group: Group? = nil) {
    cancelQueued(id, at: place, during: group)
    scopes[ScopeKey(place, id)]?.cancelAll()
  }

  private func cancelQueued(_ id: Value, at place: EffectPlace, during group: Group?) {
    guard !place.queues.isEmpty else { return }
    for queue in place.queues {
      if !queue.contains(group) { queue.cancelQueued(id) }
    }
  }

  /// Cancels an id at the places that a path names, seen from `place`; without a path, at `place`.
  func cancel(
    _ id: Value, at path: ActionPath?, from place: EffectPlace, during group: Group? = nil
  ) {
    guard let path else { return cancel(id, at: place, during: group) }
    var places = [place]
    for segment in path.segments {
      places = places.flatMap { place in
        switch segment.id {
        case nil: [place.child(segment.name, nil)].compactMap { $0 }
        case .any?: Array(place.places(segment.name).values)
        case .value(let id)?:
          [place.child(segment.name, id) ?? place.child(segment.name, ForEachNode.key(of: id))]
            .compactMap { $0 }
        }
      }
    }
    for place in places { cancelQueued(id, at: place, during: group) }
    let found = places.flatMap { scopes[ScopeKey($0, id)]?.jobs ?? [] }
    for job in found.sorted(by: { $0.number < $1.number }) { job.cancel() }
  }

  /// Cancels all jobs of the store.
  func cancelAll() { places.cancelAll() }

  // MARK: Sending

  /// Reduces an action that a running effect sends, and all that follows from it at once.
  ///
  /// - Returns: the reason for a refusal, nil if the action was sent or held back.
  func deliver(_ message: Message, _ route: Route?) -> ScriptError? {
    // Two branches, so that an action without a route is not copied.
    if let route {
      guard let message = pass(message, route) else { return nil }
      return core?._withUnsafeGuaranteedRef { $0.reduceNow(message, engine) } ?? nil
    }
    return core?._withUnsafeGuaranteedRef { $0.reduceNow(message, engine) } ?? nil
  }

  /// Like ``deliver(_:_:)``, but warns of a refusal, because no script runs that could get it.
  func deliverOrWarn(_ message: Message, _ route: Route?) {
    if let refusal = deliver(message, route) { warn(of: refusal, in: nil) }
  }

  /// Queues an action that an effect sends while it is being started.
  private func queue(_ message: Message, _ route: Route?) {
    if let route {
      guard let message = pass(message, route) else { return }
      core?._withUnsafeGuaranteedRef { $0.enqueue(message, engine) }
    } else {
      core?._withUnsafeGuaranteedRef { $0.enqueue(message, engine) }
    }
  }

  /// Takes an action along its route. Returns it as the root gets it; nil if it is held back or
  /// dropped.
  private func pass(_ message: Message, _ route: Route) -> Message? {
    var route = route
    var message = message
    while true {
      switch route.stage {
      case .nested(let type, let id):
        guard let value = Value.nesting(message.action.value, type: type, id: id) else {
          warn(
            of: ScriptError("an effect sends \(ActionError(tooDeep: message.action.path))"), in: nil
          )
          return nil
        }
        message.action = Action(trusted: value)
      case .map(.swift(let transform), _):
        message.action = transform(message.action)
      case .map(.script(let function), let owner):
        do throws(ScriptError) {
          let outer = runner.isTransforming
          runner.isTransforming = true
          defer { runner.isTransforming = outer }
          let vm = owner?.vm.takeUnretainedValue() ?? engine.context.vm
          let returned = try vm.turn(limits) { () throws(ScriptError) in
            try vm.call(function, message.action.value, generation: owner?.generation ?? 0)
          }
          message.action = try EffectRunner.action(returned: returned)
          message.keep(vm.keep([message.action.value]), of: owner)
        } catch {
          warn(of: error, in: nil, owner)
          return nil
        }
      case .transaction(let transaction):
        message.transaction = transaction
      case .throttle(let place, let id, let seconds, let latest, let clock):
        guard
          throttle(id, at: place, on: clock)
            .passes(message, route.outer, seconds: seconds, latest: latest)
        else { return nil }
      }
      guard let outer = route.outer else { return message }
      route = outer
    }
  }

  /// The interval of `throttle` with this id, made and counted if it does not exist.
  private func throttle(_ id: Value, at place: EffectPlace, on clock: SchedulerClock) -> Throttle {
    if let known = place.throttles?[id] { return known }
    let new = Throttle(id, at: place, on: clock, of: self)
    count += 1
    place.throttles = place.throttles ?? [:]
    place.throttles?[id] = new
    return new
  }

  // MARK: Dismissing

  /// Dismisses the nearest presented child around a running effect.
  func dismiss(from body: Body) throws(ScriptError) {
    if body.isCancelled { return }
    var refusal: ScriptError?
    dismiss(from: body.place, body.owner?.node, body.route) { message in
      refusal = core?._withUnsafeGuaranteedRef { $0.reduceNow(message, engine) } ?? nil
    }
    if let refusal { throw refusal }
  }

  /// Dismisses the nearest presented child around a place, by an action that is passed to `send`.
  private func dismiss(
    from place: EffectPlace, _ reducer: ReducerNode?, _ route: Route?, _ send: (Message) -> Void
  ) {
    guard let action = place.dismissal else { return notPresented(reducer) }
    var message = Message(Action(trusted: action), from: reducer)
    var stage = route
    while let current = stage {
      if case .transaction(let transaction) = current.stage { message.transaction = transaction }
      stage = current.outer
    }
    send(message)
  }

  private func notPresented(_ reducer: ReducerNode?) {
    if let onDismiss = core?._withUnsafeGuaranteedRef({ $0.onDismiss }) {
      isDismissed = true
      cancelAll()
      return onDismiss(reducer)
    }
    engine.report([
      RuntimeWarning(
        kind: .notPresented,
        message: "\(reducer?.feature ?? "a reducer") asks to be dismissed, but nothing presents it",
        origin: reducer?.origin ?? "?", action: nil)
    ])
  }
}
