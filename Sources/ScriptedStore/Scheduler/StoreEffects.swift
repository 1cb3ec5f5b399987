import LuaBridge

/// What is in flight for one store. Inside a worker.
final class StoreEffects {
  let runner: EffectRunner
  /// The store's core, without a reference, as it has this; nil once the store is closed.
  private var core: Unmanaged<StoreCore>?
  // Proof: the engine has the runner whose jobs have this, and ends with them.
  unowned(unsafe) let engine: Engine
  /// Of the store; nil for those of the host.
  let limits: TurnLimits?
  /// Effects in flight, in the sense of ``Limits/effects``, and how many there may be.
  var count = 0
  private let most: Int
  let places = EffectPlace(root: ())
  private var scopes: [ScopeKey: ScopeList] = [:]
  /// The list that was asked for last and is not empty: what is replaced is often replaced again.
  private var recent: ScopeList?
  /// All that the action which is being processed has started.
  private var origin: Job?
  /// The same of the one from outside before, while what it started has its first turn.
  private var lastOrigin: Job?
  /// Actions that have started something which has not ended.
  private var origins = 0
  private var idleWaiters: [@Sendable () -> Void] = []
  /// A flag is read without asking who else is at the array.
  private var hasIdleWaiters = false
  /// Whether the feature at the root was dismissed, so that none of its effects has a turn any more.
  private var isDismissed = false

  init(_ core: StoreCore, _ engine: Engine) {
    self.core = .passUnretained(core)
    self.engine = engine
    limits = core.limits
    most = (core.limits ?? engine.context.vm.turnLimits).effects
    runner = engine.effects
  }

  /// The store goes: what still ends in its effects reaches nobody.
  func close() { core = nil }

  // MARK: What belongs to which action

  /// What `body` starts belongs to what an action started before, or to nothing yet.
  @inline(__always)
  func asPart(of origin: Job?, _ body: () -> Void) {
    let outer = self.origin
    self.origin = origin
    body()
    self.origin = outer
  }

  /// The same, with the actions that it queues reduced at the end.
  ///
  /// - Parameters:
  ///   - burst: that goes on; nil for a new one.
  ///   - action: the number of the one that it follows from, if it goes on.
  func inTurn(
    of origin: Job?, in burst: Burst? = nil, after action: Int = 0, _ body: () -> Void
  ) {
    core?._withUnsafeGuaranteedRef { $0.goOn(in: burst, after: action) }
    finishing(origin, body)
    core?._withUnsafeGuaranteedRef { if $0.isInBurst { $0.endBurst() } }
  }

  /// The same for a body, which may go on in its burst.
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
      // The group stays open until the queued actions are reduced, so that what they start becomes a part of it, even if
      // the last of its jobs has ended.
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

  /// What is started now follows from this.
  @inline(__always)
  func follow() -> (burst: Burst?, action: Int) {
    core?._withUnsafeGuaranteedRef { $0.follow() } ?? (nil, 0)
  }

  /// What is started now, and the running effect after it, follow from this.
  func share() -> (burst: Burst?, action: Int) {
    core?._withUnsafeGuaranteedRef { $0.share() } ?? (nil, 0)
  }

  /// The action from outside is reduced: what the next one starts is on its own.
  func endAction() {
    lastOrigin = origin
    origin = nil
  }

  /// The key of all that the last action from outside started, if it has not ended.
  func takeKey() -> JobKey? {
    guard let last = lastOrigin else { return nil }
    lastOrigin = nil
    return runner.key(of: last)
  }

  /// Where what is started next belongs to.
  func rootForNow() -> RootGroup {
    if let top = origin?.origin, !top.hasEnded { return top as? RootGroup ?? adopt(top) }
    let root = RootGroup(of: self)
    beginOrigin(root)
    return root
  }

  /// Begins all that an action has started so far.
  private func beginOrigin(_ job: Job) {
    job.beginAlone()
    origins += 1
    origin = job
  }

  /// The group of a job that was all that its action had started.
  func adopt(_ job: Job) -> RootGroup {
    let root = RootGroup(of: self)
    root.beginAlone()
    job.becomePart(of: root)
    runner.hand(job, to: root)
    if origin === job { origin = root }
    if lastOrigin === job { lastOrigin = root }
    return root
  }

  /// All that an action started is over.
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

  /// Calls `waiter` when nothing is in flight.
  func whenIdle(_ waiter: @escaping @Sendable () -> Void) {
    if origins == 0 { return engine.deliver(waiter) }
    idleWaiters.append(waiter)
    hasIdleWaiters = true
  }

  // MARK: Starting

  /// Starts what a reducer tree returned, of which `state` (+0) is the new state.
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
      // What a child returned that is gone by now never starts.
      child.node.takeUnretainedValue().withChild(child, in: state, engine.context) { childState in
        let place = place.makeChild(child.type, child.key, child.presentation)
        let route = Route(.nested(type: child.type, id: child.id), route)
        place.hold { start(inner, childState, at: place, route) }
      }
    }
  }

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

  /// Starts an effect as a part of a group, nil for what the action started as a whole. Nothing starts in a group that
  /// was cancelled, as what an effect starts first may cancel the group of the rest.
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
      // Every interval has passed.
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
      // What only sends may come from anywhere.
      guard !node.hasCode || effects.isOf(context.owner?.vm.takeUnretainedValue()) else {
        warn(of: ScriptError("an effect of `Reducer.run` was returned in another VM"), in: nil)
        break
      }
      for part in effects.parts { start(part.node, part.context(context), in: group) }
    }
  }

  /// Whether so many effects may be started.
  @inline(__always)
  func hasRoom(for new: Int = 1) -> Bool { new <= most - count }

  /// Why one more is not.
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

  /// What an effect that waits by itself waits on; nil if that cannot be told, which is reported.
  private func clock(for use: String, _ context: StartContext) -> SchedulerClock? {
    let owner = context.owner
    do throws(ScriptError) {
      return try runner.clock(of: owner, for: use, at: owner?.origin)
    } catch {
      warn(of: error, in: nil, owner)
      return nil
    }
  }

  /// Begins a job in a group, or as what the action has started, or as a part of that if there is more.
  @inline(__always)
  private func begin(_ job: Job, in group: Group?) {
    if group == nil && origin == nil {
      beginOrigin(job)
    } else {
      (group ?? rootForNow()).add(job)
    }
  }

  @inline(__always)
  private func startScope(
    _ id: Value, _ context: StartContext, in group: Group?, replacing: Bool, _ fill: (Scope) -> Void
  ) {
    let list = list(under: id, context.place, replacing: replacing, during: group)
    // What made way for it may have started something that cancels the group.
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

  /// What is in flight under an id at a place. A list that is empty is nobody else's.
  private func scopes(under id: Value, at place: EffectPlace) -> ScopeList {
    if let recent, recent.key.isFor(id, at: place) { return recent }
    let key = ScopeKey(place, id)
    guard let list = scopes[key] else { return ScopeList(key, of: self) }
    recent = list
    return list
  }

  /// The same, for something to be started under the id, with what is in flight cancelled if that is to be replaced. An
  /// effect does not replace what it is itself a part of, such as the debounce that has held it.
  private func list(
    under id: Value, _ place: EffectPlace, replacing: Bool, during group: Group? = nil
  ) -> ScopeList {
    let list = scopes(under: id, at: place)
    guard replacing else { return list }
    cancelQueued(id, at: place, during: group)
    list.cancelAll(around: group)
    // What ended by that may have made way for others of the id.
    return list.isEmpty ? scopes(under: id, at: place) : list
  }

  func register(_ scope: Scope) {
    guard let id = scope.id else { return }
    register(scope, in: scopes(under: id, at: scope.place))
  }

  private func register(_ job: Job, in list: ScopeList) {
    if list.isEmpty { scopes[list.key] = list }
    list.add(job)
  }

  /// Forgets a list that is empty.
  func remove(_ list: ScopeList) {
    if recent === list { recent = nil }
    scopes[list.key] = nil
  }

  /// Cancels what is in flight under an id at a place, and what waits there behind others to be started; but not
  /// what follows in a list that is being started.
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

  /// The same at the places that a path names from there, or there.
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

  /// Cancels everything.
  func cancelAll() { places.cancelAll() }

  // MARK: Sending

  /// Reduces what a running effect sends, and all that this sends in turn.
  ///
  /// - Returns: why it may not send that, nil if it may.
  func deliver(_ message: Message, _ route: Route?) -> ScriptError? {
    // Straight to the root; an action is moved about no more than it has to be.
    if let route {
      guard let message = pass(message, route) else { return nil }
      return core?._withUnsafeGuaranteedRef { $0.reduceNow(message, engine) } ?? nil
    }
    return core?._withUnsafeGuaranteedRef { $0.reduceNow(message, engine) } ?? nil
  }

  /// The same, where no script hears of it.
  func deliverOrWarn(_ message: Message, _ route: Route?) {
    if let refusal = deliver(message, route) { warn(of: refusal, in: nil) }
  }

  /// Queues what an effect sends when it is started.
  private func queue(_ message: Message, _ route: Route?) {
    if let route {
      guard let message = pass(message, route) else { return }
      core?._withUnsafeGuaranteedRef { $0.enqueue(message, engine) }
    } else {
      core?._withUnsafeGuaranteedRef { $0.enqueue(message, engine) }
    }
  }

  /// An action as the root gets it; nil if it is held back on its way.
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

  private func throttle(_ id: Value, at place: EffectPlace, on clock: SchedulerClock) -> Throttle {
    if let known = place.throttles?[id] { return known }
    let new = Throttle(id, at: place, on: clock, of: self)
    count += 1
    place.throttles = place.throttles ?? [:]
    place.throttles?[id] = new
    return new
  }

  // MARK: Dismissing

  /// Asks the nearest presentation around a running effect to let go of its child.
  func dismiss(from body: Body) throws(ScriptError) {
    if body.isCancelled { return }
    var refusal: ScriptError?
    dismiss(from: body.place, body.owner?.node, body.route) { message in
      refusal = core?._withUnsafeGuaranteedRef { $0.reduceNow(message, engine) } ?? nil
    }
    if let refusal { throw refusal }
  }

  /// The same around a place, by an action that is handed to `send`.
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
