import LuaBridge

/// Starting the effects that an action returned.
extension StoreEffects {
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
    case .run(let returned):
      if let run = returned.take() { start(run, of: returned.owner, at: place, route) }
    case .list(let effects):
      for effect in effects { start(effect, state, at: place, route) }
    case .nested(let inner, let child):
      // There is no call back for a child that no longer exists: its effects never start.
      let node = child.nodeChild.takeUnretainedValue()
      node.withState(of: child, in: state, engine.context) { childState in
        let place = place.makeChild(child.type, child.key, child.presentation)
        let route = Route(.nested(child.step), route)
        place.hold { start(inner, childState, at: place, route) }
      }
    }
  }

  /// Starts a script's `effect.run`. Takes over its functions.
  private func start(
    _ run: ScriptRun, of owner: EffectOwner, at place: EffectPlace, _ route: Route?
  ) {
    guard hasRoom() else {
      owner.vm.takeUnretainedValue().release(run.functions)
      return refuse(owner)
    }
    if let id = run.id, run.cancelInFlight { cancelReplaced(id, at: place) }
    let body = Body(.own(run.functions), id: run.id, at: place, route, owner, of: self)
    begin(body, in: nil)
    runner.begin(body)
  }

  /// Starts an effect in a group, or as a root job if `group` is nil. Does nothing if the group is
  /// not open: an effect that was started before in the group may have cancelled it.
  func start(_ node: EffectNode, _ context: StartContext, in group: JobGroup?) {
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
      runner.begin(body)
    case .task(let operation):
      guard hasRoom() else { return refuse(context.owner) }
      let body = SwiftBody(operation, context, of: self)
      (group ?? rootForNow()).add(body)
      runner.begin(body)
    case .both(let first, let second):
      start(first, context, in: group)
      start(second, context, in: group)
    case .sequence:
      startSequence(node, context, in: group ?? rootForNow())
    case .cancel(let id, let path):
      check(path, from: context.place, of: context.reducer)
      cancel(id, at: path, from: context.place, during: group)
    case .cancellable(let inner, let id, let cancelInFlight):
      startCancellable(id, context, in: group, replacing: cancelInFlight) { group in
        start(inner, context, in: group)
      }
    case .debounce(let inner, let id, let seconds):
      guard let clock = clock(for: "debounce", context) else { break }
      guard hasRoom() else { return refuse(context.owner) }
      startCancellable(id, context, in: group, replacing: true) { group in
        let debounced = DebouncedEffect(inner, context, on: clock, of: self)
        group.add(debounced)
        debounced.wait(seconds)
      }
    case .throttle(let inner, let id, let seconds, let latest):
      guard let clock = clock(for: "throttle", context) else { break }
      guard hasRoom() || context.place.throttles?[id] != nil else { return refuse(context.owner) }
      // On such a clock each interval has already passed.
      if clock.passesAtOnce { return start(inner, context, in: group) }
      let stage = Route.Stage.throttle(
        context.place, id: id, seconds: seconds, latest: latest, on: clock)
      start(inner, context.via(stage), in: group)
    case .map(let inner, let transform):
      start(inner, context.via(.map(transform, context.owner)), in: group)
    case .transaction(let inner, let transaction):
      start(inner, context.via(.transaction(transaction)), in: group)
    case .dismiss:
      dismiss(from: context.place, context.reducer, context.route) { message in
        core?._withUnsafeGuaranteedRef { $0.enqueue(message, engine) }
      }
    case .alarm(let request): start(request, context)
    case .cancelAlarm(let id): context.place.alarms?[id]?.remove()
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
    let inFlight = count == 1 ? "1 effect of this store is" : "\(count) effects of this store are"
    var error = ScriptError(
      """
      it is not started, because \(inFlight) in flight. Cancel those that are not needed any \
      more (effect:cancellable with cancelInFlight), start fewer at once, or allow more (Limits.effects, --max-effects)
      """, kind: .effects)
    error.exceeded = ExceededLimit(allowed: Double(most), reached: Double(count) + 1)
    return error
  }

  private func refuse(_ owner: EffectOwner?) { warn(of: refusal, in: nil, owner) }

  /// The clock for the wait of an operator. nil if it is unimplemented, which is reported.
  func clock(for use: String, _ context: StartContext) -> SchedulerClock? {
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
  private func begin(_ job: Job, in group: JobGroup?) {
    if group == nil && turn.rootJob == nil {
      beginRoot(job)
    } else {
      (group ?? rootForNow()).add(job)
    }
  }

  /// Begins a group with this id, and calls `fill`, which starts its jobs.
  @inline(__always)
  private func startCancellable(
    _ id: Value, _ context: StartContext, in group: JobGroup?, replacing: Bool,
    _ fill: (JobGroup) -> Void
  ) {
    if replacing { cancelReplaced(id, at: context.place, during: group) }
    // The jobs that were replaced may have started something that cancelled the group.
    if let group, !group.isOpen { return }
    let cancellable = JobGroup(at: context.place, id: id, of: self)
    begin(cancellable, in: group)
    cancellable.fill { fill(cancellable) }
  }

  private func startSequence(_ node: EffectNode, _ context: StartContext, in parent: JobGroup) {
    var effects: [EffectNode] = []
    func flatten(_ node: EffectNode) {
      guard case .sequence(let first, let second) = node.operation else {
        return effects.append(node)
      }
      flatten(first)
      flatten(second)
    }
    flatten(node)
    let sequence = JobSequence(effects, context, of: self)
    parent.add(sequence)
    sequence.startRest()
  }
}

/// Where an effect starts, and what it belongs to.
struct StartContext {
  var place: EffectPlace
  var route: Route?
  /// The reducer that returned the effect.
  var reducer: ReducerNode?
  /// nil if the effect has no code.
  var owner: EffectOwner?

  /// The link of the generation whose scripts the effect needs; nil if it needs none.
  var code: SchedulerLink? { owner?.code ?? route?.code }

  /// The same with another stage on the route of the actions.
  func via(_ stage: Route.Stage) -> StartContext {
    var context = self
    context.route = Route(stage, route)
    return context
  }
}
