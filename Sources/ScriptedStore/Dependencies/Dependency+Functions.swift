import LuaBridge
import ScriptValue

/// Functions that scripts can call.
///
/// The parameters are `Decodable`, and the result is `Encodable`; a ``Value`` is passed as it is.
/// An `Optional` parameter may be left out, and is also nil for `null`. A nil result is nil in Lua.
/// The arguments are checked before the body runs:
///
///     bad argument #2 'limit' to 'api.search' (integer expected, got string)
///
/// A function whose parameters have names can also be called with one table of named arguments.
/// Names that are unknown or missing are refused. If the first parameter takes a table itself, then
/// a table whose keys are not all names is that parameter.
///
/// An error that a body throws is an error in Lua at the line of the call, with
/// `String(describing:)` as its message. For a ``ScriptError`` with a ``ScriptError/value``, that
/// value is raised.
///
/// There must be as many names as parameters, or none.
extension Dependency {
  /// A function that returns at once. It runs inside the VM's lock: a slow function delays all
  /// stores of its worker.
  public static func function<
    each A: Decodable & SendableMetatype, R: Encodable & SendableMetatype
  >(
    _ names: String..., body: @escaping @Sendable (repeat each A) throws -> R
  ) -> Dependency {
    Dependency(
      .function(Signature(names, repeat (each A).self)) { values in
        var arguments = Arguments(values)
        return try Signature.result(try body(repeat try arguments.next((each A).self)))
      })
  }

  /// A function that returns at once, without a result.
  public static func function<each A: Decodable & SendableMetatype>(
    _ names: String..., body: @escaping @Sendable (repeat each A) throws -> Void
  ) -> Dependency {
    Dependency(
      .function(Signature(names, repeat (each A).self)) { values in
        var arguments = Arguments(values)
        try body(repeat try arguments.next((each A).self))
        return nil
      })
  }

  /// A function that scripts wait for, which only works in `effect.run`. Each call is one `Task`,
  /// which is cancelled with the effect that waits.
  public static func asyncFunction<
    each A: Decodable & SendableMetatype, R: Encodable & SendableMetatype
  >(
    _ names: String..., body: @escaping @Sendable (repeat each A) async throws -> R
  ) -> Dependency {
    Dependency(
      .asyncFunction(Signature(names, repeat (each A).self)) { values in
        var arguments = Arguments(values)
        return try Signature.result(try await body(repeat try arguments.next((each A).self)))
      })
  }

  /// A function that scripts wait for, without a result.
  public static func asyncFunction<each A: Decodable & SendableMetatype>(
    _ names: String..., body: @escaping @Sendable (repeat each A) async throws -> Void
  ) -> Dependency {
    Dependency(
      .asyncFunction(Signature(names, repeat (each A).self)) { values in
        var arguments = Arguments(values)
        try await body(repeat try arguments.next((each A).self))
        return nil
      })
  }

  /// A function that returns a sequence, which is an iterator in Lua.
  /// `for value in deps.location.updates() do … end` waits for each value. Each value is asked for
  /// when the script needs it, in a `Task` of its own, which is cancelled with the effect that
  /// waits. A nil element is `null`.
  public static func stream<each A: Decodable & SendableMetatype, S: AsyncSequence & Sendable>(
    _ names: String..., body: @escaping @Sendable (repeat each A) throws -> S
  ) -> Dependency where S.Element: Encodable {
    Dependency(
      .stream(Signature(names, repeat (each A).self)) { values in
        var arguments = Arguments(values)
        return DependencyStream(try body(repeat try arguments.next((each A).self)))
      })
  }
}
