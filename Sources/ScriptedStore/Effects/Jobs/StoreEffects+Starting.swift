import LuaBridge

/// Starting the effects that an action returned.
extension StoreEffects {
  /// Starts what a reducer tree returned. `state` (+0) is the new state.
  func start(_ returned: ReturnedEffects, _ state: Slot) {
    start(returned, state, at: places, nil)
    if isOver { cancelAll() }
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

  func refuse(_ owner: EffectOwner?) { warn(of: refusal, in: nil, owner) }

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
  func begin(_ job: Job, in group: JobGroup?) {
    if group == nil && turn.rootJob == nil {
      beginRoot(job)
    } else {
      (group ?? rootForNow()).add(job)
    }
  }

  /// Begins a group with this id, and calls `fill`, which starts its jobs.
  @inline(__always)
  func startCancellable(
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

  func startSequence(_ node: EffectNode, _ context: StartContext, in parent: JobGroup) {
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
  /// What it follows.
  var cause = ActionSender.handler

  /// The link of the generation whose scripts the effect needs; nil if it needs none.
  var code: SchedulerLink? { owner?.code ?? route?.code }

  /// The same with another stage on the route of the actions.
  func via(_ stage: Route.Stage) -> StartContext {
    var context = self
    context.route = Route(stage, route)
    return context
  }
}
