import LuaBridge

/// What scripts make and send.
extension EffectRunner {
  /// What the `send` of a body does, which a script of this VM calls.
  func send(
    from serial: UInt64, _ arguments: inout EffectArguments, in vm: LuaVM
  ) throws(ScriptError) {
    if isOver(serial) { return }
    try vm.lending { (keep) throws(ScriptError) in
      let action = try EffectRunner.action(&arguments)
      if let refusal = send(action, kept: keep(), from: serial, in: vm) { throw refusal }
    }
  }

  /// The same with an effect that sends the same; why it is refused, if it is.
  func send(
    from serial: UInt64, _ effect: Unmanaged<BoxedEffect>, in vm: LuaVM
  ) -> ScriptError? {
    if isOver(serial) { return nil }
    let sent: (action: Action, kept: KeptMemory?)? = effect._withUnsafeGuaranteedRef {
      guard let node = EffectNode.of($0), case .send(let action) = node.operation else {
        return nil
      }
      return (action, node.kept)
    }
    guard let sent else { return nil }
    return send(sent.action, kept: sent.kept, from: serial, in: vm)
  }

  /// Whether it is the running body, and cancelled.
  private func isOver(_ serial: UInt64) -> Bool {
    withRunning { $0.isCancelled && $0.serial == serial } ?? false
  }

  /// Sends it, or warns; why it is refused, if it is.
  private func send(
    _ action: Action, kept: KeptMemory?, from serial: UInt64, in vm: LuaVM
  ) -> ScriptError? {
    let isItsOwn = withRunning { $0.serial == serial } ?? false
    guard isItsOwn, !vm.isHandling else {
      // A test that calls it hears of it at its line.
      if isOutside && refusesLateSends() { return ScriptError(message(ofLateSend: action)) }
      warn(ofLateSend: action, origin: vm.place ?? "?")
      return nil
    }
    // What a body sends may end others, but not itself while it runs.
    return withRunning { body in
      let message = Message(action, from: body.owner?.node, kept: kept, of: body.owner)
      return body.effects.deliver(message, body.route)
    } ?? nil
  }

  func warn(ofLateSend action: Action, origin: String) {
    report([
      RuntimeWarning(
        kind: .sendAfterEnd, message: message(ofLateSend: action), origin: origin, action: nil)
    ])
  }

  private func message(ofLateSend action: Action) -> String {
    """
    the `send` of an effect was used when its function had returned, or outside of it, so the action \
    "\(action.path)" is dropped; start another effect for what comes later
    """
  }

  static func action(_ arguments: inout EffectArguments) throws(ScriptError) -> Action {
    let (what, payload) = (try arguments.value(), try arguments.value())
    do throws(ActionError) {
      return try Action(what: what, payload: payload)
    } catch {
      throw ScriptError(error.message)
    }
  }

  /// What a function that transforms actions returned.
  static func action(returned value: LuaValue) throws(ScriptError) -> Action {
    do throws(ActionError) {
      return try Action(what: Value(value), payload: nil)
    } catch {
      throw ScriptError("the function of effect:map must return an action: \(error.message)")
    }
  }
}
