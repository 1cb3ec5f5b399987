import LuaBridge

/// Makes effects that nothing runs.
final class EffectMaker: EffectScheduling {
  // Proof: its only property is a constant, and a `FunctionToken` is `Sendable`.
  private final class Made: BoxedEffect, @unchecked Sendable {
    let function: FunctionToken?
    init(_ function: FunctionToken?) { self.function = function }
  }

  /// What becomes of the arguments.
  enum Use {
    case kept, ignored, refused
  }

  var use = Use.kept
  private unowned let vm: LuaVM

  /// - Parameter vm: that of the scripts whose effects it makes.
  init(_ vm: LuaVM) { self.vm = vm }

  func makeEffect(
    _ name: String, _ arguments: inout EffectArguments
  ) throws(ScriptError) -> BoxedEffect {
    switch use {
    case .kept: break
    case .ignored: return BoxedEffect()
    case .refused: throw ScriptError("no effect is made")
    }
    if name == "run" {
      return Made(arguments.run().map { vm.tokens(of: $0.functions).function })
    }
    _ = arguments.effect()
    return Made(arguments.function())
  }

  func send(
    from body: UInt64, _ arguments: inout EffectArguments, waits: Bool
  ) throws(ScriptError) -> Bool { false }
  func send(
    from body: UInt64, _ effect: Unmanaged<BoxedEffect>, waits: Bool
  ) throws(ScriptError) -> Bool { false }
  func sleep(_ seconds: Double, until: Bool, on clock: AnyObject?) -> Bool { false }
}
