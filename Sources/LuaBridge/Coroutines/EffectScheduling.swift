import CLua
import ScriptValue

/// Makes effects for scripts, and does what their running bodies ask for.
package protocol EffectScheduling: AnyObject {
  /// Makes the effect that scripts ask for by a name.
  func makeEffect(
    _ name: String, _ arguments: inout EffectArguments
  ) throws(ScriptError) -> BoxedEffect

  /// Sends an action for a body's `send(action, payload?)`. `body` is the serial of the body.
  ///
  /// - Parameter waits: whether the body can wait.
  /// - Returns: whether it must wait, for the action to be durable.
  func send(
    from body: UInt64, _ arguments: inout EffectArguments, waits: Bool
  ) throws(ScriptError) -> Bool

  /// The same for the action of `effect` (+0), which was made for the same path.
  func send(
    from body: UInt64, _ effect: Unmanaged<BoxedEffect>, waits: Bool
  ) throws(ScriptError) -> Bool

  /// Suspends the running body on a clock, nil for the store's, for a number of seconds or until a
  /// time. Returns false if the body was cancelled.
  func sleep(_ seconds: Double, until: Bool, on clock: AnyObject?) -> Bool
}

/// The base class of Swift objects that scripts see as effects.
// `@unchecked`, because the conformance of a class that is not final cannot be checked. Proof: this
// class stores nothing; a subclass is responsible for what it adds.
open class BoxedEffect: @unchecked Sendable {
  public init() {}
}

/// Reads the arguments of which an effect is made, in the order in which `effects.c` has written them.
package struct EffectArguments {
  private var reader: TapeReader

  init(vm: LuaVM, items: UnsafePointer<sl_value>?) {
    reader = TapeReader(vm: vm, items: items)
  }

  /// The next argument as an effect; nil if it is something else.
  package mutating func effect() -> BoxedEffect? {
    guard let entry = reader.take(), Int32(entry.tag) == SL_TAG_BOX,
      Int32(entry.slot) == SL_BOX_EFFECT
    else { return nil }
    // Only the hook `effect` and ``TapeWriter`` make boxes of this kind, and only around a
    // `BoxedEffect`.
    return Unmanaged<BoxedEffect>.fromOpaque(entry.as.object).takeUnretainedValue()
  }

  /// The next argument as the result of `effect.run`, whose functions the caller takes over; nil if it is something else.
  package mutating func run() -> ScriptRun? { reader.nextRun() }

  /// The next argument as a function; nil if it is absent.
  package mutating func function() -> FunctionToken? {
    guard let entry = reader.take(), Int32(entry.tag) == SL_TAG_FUNCTION else { return nil }
    return reader.vm.token(of: Int32(entry.slot))
  }

  /// The next argument as a value of state; nil if it is absent.
  package mutating func value() throws(ScriptError) -> Value? {
    guard reader.at.map({ Int32($0.pointee.tag) }) != SL_TAG_ABSENT else {
      _ = reader.take()
      return nil
    }
    return try reader.nextValue()
  }

  /// The next argument as a boolean; false if it is something else.
  package mutating func flag() -> Bool {
    reader.take().map { Int32($0.tag) == SL_TAG_BOOLEAN && $0.as.integer != 0 } ?? false
  }

  /// The next argument, which C has checked to be a number.
  package mutating func number() -> Double {
    guard let entry = reader.take() else { return 0 }
    return Int32(entry.tag) == SL_TAG_INTEGER ? Double(entry.as.integer) : entry.as.number
  }

  /// Releases the functions among the arguments that have not been read.
  mutating func releaseRest() { reader.releaseRest() }
}
