import LuaBridge

/// Actions that scripts send from bodies.
extension EffectRunner {
  /// The `send` of a body, called by a script of this VM.
  func send(
    from serial: UInt64, _ arguments: inout EffectArguments, in vm: LuaVM
  ) throws(ScriptError) {
    if isOver(serial) { return }
    try vm.lending { (keep) throws(ScriptError) in
      let action = try EffectRunner.action(&arguments)
      if let refusal = send(action, kept: keep(), from: serial, in: vm) { throw refusal }
    }
  }

  /// Sends the action of an effect that only sends, instead of an action's table. Returns the
  /// reason for a refusal.
  func send(
    from serial: UInt64, _ effect: Unmanaged<BoxedEffect>, in vm: LuaVM
  ) -> ScriptError? {
    if isOver(serial) { return nil }
    let sent: (action: Action, kept: KeptMemory?)? = effect._withUnsafeGuaranteedRef {
      guard let node = $0 as? EffectNode, case .send(let action) = node.operation else {
        return nil
      }
      return (action, node.kept)
    }
    guard let sent else { return nil }
    return send(sent.action, kept: sent.kept, from: serial, in: vm)
  }

  /// Lets the running body wait if it has sent an action to a durable store. Returns whether it waits.
  @inline(__always)
  var holdsSend: Bool {
    withRunning { body in
      guard let gate = body.effects.gate, !body.isCancelled else { return false }
      return gate.holdSend(of: body)
    } ?? false
  }

  /// Whether the body with this serial is running and cancelled. Its sends then do nothing.
  private func isOver(_ serial: UInt64) -> Bool {
    withRunning { $0.isCancelled && $0.serial == serial } ?? false
  }

  /// Sends an action, or warns if the calling script is not the body. Returns the reason for a
  /// refusal.
  private func send(
    _ action: Action, kept: KeptMemory?, from serial: UInt64, in vm: LuaVM
  ) -> ScriptError? {
    let isItsOwn = withRunning { $0.serial == serial } ?? false
    guard isItsOwn, !vm.isHandling else {
      // A test that calls it gets the error at its own line.
      if isOutside && engine.tests?.refusesLateSends == true {
        return ScriptError(message(ofLateSend: action))
      }
      warn(ofLateSend: action, origin: vm.scriptLocation ?? "?")
      return nil
    }
    // The running body cannot end while it sends, so that borrowing it is safe.
    return withRunning { body in
      let message = Message(
        action, from: body.owner?.node, by: .effect(Int(body.serial)), kept: kept, of: body.owner)
      return body.effects.deliver(message, body.route)
    } ?? nil
  }

  func warn(ofLateSend action: Action, origin: String) {
    engine.report(
      RuntimeWarning(
        kind: .sendAfterEnd, message: "\(message(ofLateSend: action)) (\(origin))", origin: origin,
        action: nil))
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
      return try Action(fromScript: what, payload: payload)
    } catch {
      throw ScriptError(error.message)
    }
  }

  /// The action that a function of `effect:map` returned.
  static func action(returned value: LuaValue) throws(ScriptError) -> Action {
    do throws(ActionError) {
      return try Action(fromScript: Value(value), payload: nil)
    } catch {
      throw ScriptError("the function of effect:map must return an action: \(error.message)")
    }
  }
}
