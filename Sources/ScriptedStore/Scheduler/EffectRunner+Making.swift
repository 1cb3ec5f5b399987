import CLua
import LuaBridge

/// What scripts make and send.
extension EffectRunner {
  func send(from serial: UInt64, _ arguments: inout EffectArguments) throws(ScriptError) {
    if isOver(serial) { return }
    send(try EffectRunner.action(&arguments), from: serial)
  }

  func send(from serial: UInt64, _ effect: Unmanaged<BoxedEffect>) {
    if isOver(serial) { return }
    let action: Action? = effect._withUnsafeGuaranteedRef {
      if case .send(let action)? = EffectNode.of($0)?.operation { action } else { nil }
    }
    if let action { send(action, from: serial) }
  }

  /// Whether it is the running body, and cancelled.
  private func isOver(_ serial: UInt64) -> Bool {
    withRunning { $0.isCancelled && $0.serial == serial } ?? false
  }

  private func send(_ action: Action, from serial: UInt64) {
    let isItsOwn = withRunning { $0.serial == serial } ?? false
    guard isItsOwn, !vm.isHandling else {
      return warn(ofLateSend: action, origin: vm.place ?? "?")
    }
    // What a body sends may end others, but not itself while it runs.
    withRunning { body in
      let message = Message(action, from: body.owner?.node)
      body.withEffects { $0.deliver(message, body.route) }
    }
  }

  func warn(ofLateSend action: Action, origin: String) {
    report([
      RuntimeWarning(
        kind: .sendAfterEnd,
        message: """
          the `send` of an effect was used when its function had returned, or outside of it, so the action \
          "\(action.path)" is dropped; start another effect for what comes later
          """,
        origin: origin, action: nil)
    ])
  }

  private static func action(_ arguments: inout EffectArguments) throws(ScriptError) -> Action {
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

  func makeEffect(
    _ operation: Int32, _ arguments: inout EffectArguments
  ) throws(ScriptError) -> BoxedEffect {
    let node = try makeNode(operation, &arguments)
    try node.checkDepth()
    return node
  }

  private func makeNode(
    _ operation: Int32, _ arguments: inout EffectArguments
  ) throws(ScriptError) -> EffectNode {
    if operation == SL_EFFECT_SEND {
      return EffectNode(.send(try EffectRunner.action(&arguments)))
    }
    if operation == SL_EFFECT_RUN {
      guard let (function, catching, id, cancelInFlight) = arguments.run() else {
        return EffectNode(.none)
      }
      let run = EffectNode(.run(function, catching: catching))
      guard let id else { return run }
      return EffectNode(.cancellable(run, id: id, cancelInFlight: cancelInFlight))
    }
    if operation == SL_EFFECT_DISMISS { return EffectNode(.dismiss) }
    if operation == SL_EFFECT_CANCEL {
      return try makeCancel(try arguments.value() ?? .null, at: try arguments.value()?.string)
    }
    guard let inner = arguments.effect().flatMap({ EffectNode.of($0) }) else {
      throw ScriptError("an effect of another kind cannot be used here")
    }
    if inner.isNone { return inner }
    switch operation {
    case SL_EFFECT_CANCELLABLE:
      return EffectNode(
        .cancellable(inner, id: try arguments.value() ?? .null, cancelInFlight: arguments.flag()))
    case SL_EFFECT_DEBOUNCE:
      return EffectNode(
        .debounce(inner, id: try arguments.value() ?? .null, seconds: arguments.number()))
    case SL_EFFECT_THROTTLE:
      return EffectNode(
        .throttle(
          inner, id: try arguments.value() ?? .null, seconds: arguments.number(),
          latest: arguments.flag()))
    case SL_EFFECT_MAP:
      guard let function = arguments.function() else { return inner }
      return EffectNode(.map(inner, .script(function)))
    case SL_EFFECT_TRANSACTION:
      return EffectNode(.transaction(inner, try arguments.value() ?? .null))
    default:
      return EffectNode(.transaction(inner, ["animation": try arguments.value() ?? .null]))
    }
  }

  /// In the function of an effect it acts at once.
  private func makeCancel(_ id: Value, at path: String?) throws(ScriptError) -> EffectNode {
    var parsed: ActionPath?
    do throws(ActionError) {
      if let path { parsed = try ActionPath(path) }
    } catch {
      throw ScriptError(error.message)
    }
    if let running, !vm.isHandling {
      running.effects.cancel(id, at: parsed, from: running.place)
    }
    return EffectNode(.cancel(id: id, at: parsed))
  }
}
