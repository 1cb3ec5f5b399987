import CLua
import ScriptValue

/// Reads the arguments of an effect operation one after the other.
package struct EffectArguments {
  private var reader: TapeReader

  init(vm: LuaVM, items: UnsafePointer<sl_value>?) {
    reader = TapeReader(vm: vm, items: items)
  }

  /// The next argument as an effect; nil if it is something else.
  package mutating func effect() -> BoxedEffect? { reader.nextEffect() }

  /// The next argument as the result of `effect.run`; nil if it is something else.
  package mutating func run() -> (
    function: FunctionToken, catching: FunctionToken?, id: Value?, cancelInFlight: Bool
  )? {
    guard let run = reader.nextRun() else { return nil }
    let (function, catching) = (run.functions.function, run.functions.catching)
    return (
      reader.vm.token(of: function), catching == LUA_NOREF ? nil : reader.vm.token(of: catching),
      run.id, run.cancelInFlight
    )
  }

  /// The next argument as a function; nil if it is absent.
  package mutating func function() -> FunctionToken? { reader.nextFunction() }

  /// The next argument as a value of state; nil if it is absent.
  package mutating func value() throws(ScriptError) -> Value? {
    if reader.skipsAbsent() { return nil }
    return try reader.nextValue()
  }

  package mutating func flag() -> Bool { reader.nextFlag() }
  package mutating func number() -> Double { reader.nextNumber() }
}
