import LuaBridge

/// Sending the actions of effects to the root reducer.
extension StoreEffects {
  /// Reduces an action that a running effect sends, and all that follows from it at once.
  ///
  /// - Returns: the reason for a refusal, nil if the action was sent or held back.
  func deliver(_ message: consuming Message, _ route: Route?) -> ScriptError? {
    guard pass(&message, route) else { return nil }
    return core?._withUnsafeGuaranteedRef { $0.reduceNow(message, engine) } ?? nil
  }

  /// Like ``deliver(_:_:)``, but warns of a refusal, because no script runs that could get it.
  func deliverOrWarn(_ message: consuming Message, _ route: Route?) {
    if let refusal = deliver(message, route) { warn(of: refusal, in: nil) }
  }

  /// Queues an action that an effect sends while it is being started.
  func queue(_ message: consuming Message, _ route: Route?) {
    guard pass(&message, route) else { return }
    core?._withUnsafeGuaranteedRef { $0.enqueue(message, engine) }
  }

  /// Takes an action along its route, so that it becomes what the root gets. Returns false if it is held back
  /// or dropped.
  private func pass(_ message: inout Message, _ route: Route?) -> Bool {
    var next = route
    while let route = next {
      switch route.stage {
      case .nested(let step):
        guard let value = Value.nesting(message.action.value, type: step.type, id: step.id) else {
          warn(
            of: ScriptError("an effect sends \(ActionError(tooDeep: message.action.path))"), in: nil
          )
          return false
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
          message.keep(vm.keep([.state(message.action.value)]), of: owner)
        } catch {
          warn(of: error, in: nil, owner)
          return false
        }
      case .transaction(let transaction):
        message.transaction = transaction
      case .throttle(let place, let id, let seconds, let latest, let clock):
        guard
          throttle(id, at: place, on: clock)
            .passes(message, route.outer, seconds: seconds, latest: latest)
        else { return false }
      }
      next = route.outer
    }
    return true
  }
}

/// Dismissing a child on behalf of its effects.
extension StoreEffects {
  /// Dismisses the nearest presented child around a running effect.
  func dismiss(from body: Body) throws(ScriptError) {
    if body.isCancelled { return }
    var refusal: ScriptError?
    let cause = ActionSender.effect(Int(body.serial))
    dismiss(from: body.place, body.owner?.node, body.route, by: cause) { message in
      refusal = core?._withUnsafeGuaranteedRef { $0.reduceNow(message, engine) } ?? nil
    }
    if let refusal { throw refusal }
  }

  /// Dismisses the nearest presented child around a place, by an action that is passed to `send`.
  func dismiss(
    from place: EffectPlace, _ reducer: ReducerNode?, _ route: Route?, by cause: ActionSender,
    _ send: (Message) -> Void
  ) {
    guard let action = place.dismissal else { return notPresented(reducer) }
    var message = Message(Action(trusted: action), from: reducer, by: cause)
    var stage = route
    while let current = stage {
      if case .transaction(let transaction) = current.stage { message.transaction = transaction }
      stage = current.outer
    }
    send(message)
  }

  private func notPresented(_ reducer: ReducerNode?) {
    let listeners = core?._withUnsafeGuaranteedRef { $0.audience.listeners } ?? []
    if listeners.contains(where: { $0.takesDismissal(by: reducer) }) {
      return cancelAllForGood()
    }
    let origin = reducer?.origin ?? "?"
    let name = reducer?.feature ?? "a reducer"
    engine.report(
      RuntimeWarning(
        kind: .notPresented,
        message: "\(name) asks to be dismissed, but nothing presents it (\(origin))",
        origin: origin, action: nil),
      of: core?.takeUnretainedValue())
  }
}
