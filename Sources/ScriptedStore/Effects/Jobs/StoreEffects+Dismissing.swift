import LuaBridge

/// Dismissing a child on behalf of its effects.
extension StoreEffects {
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
  func dismiss(
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
    let listeners = core?._withUnsafeGuaranteedRef { $0.listeners } ?? []
    if listeners.contains(where: { $0.takesDismissal(by: reducer) }) {
      isDismissed = true
      return cancelAll()
    }
    let origin = reducer?.origin ?? "?"
    let name = reducer?.feature ?? "a reducer"
    engine.report(
      [
        RuntimeWarning(
          kind: .notPresented,
          message: "\(name) asks to be dismissed, but nothing presents it (\(origin))",
          origin: origin, action: nil)
      ], of: core?.takeUnretainedValue())
  }
}
