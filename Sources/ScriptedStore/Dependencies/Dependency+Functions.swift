import LuaBridge

/// Functions that scripts can call.
///
/// Their parameters are `Decodable`, their result `Encodable`; ``Value`` passes as it is. An `Optional` parameter
/// may be left out, and is nil for `null` too; a nil result is nil in Lua. Arguments are checked before the body runs:
///
///     bad argument #2 'limit' to 'api.search' (integer expected, got string)
///
/// With names, a function can also be called with one table of named arguments; unknown and missing names are
/// refused. (Where the first parameter takes a table itself, a table whose keys are not all names is
/// that parameter.) What a body throws is an error in Lua at the line of the call, with `String(describing:)` as its
/// message; of a ``ScriptError`` with a ``ScriptError/value`` that value is raised.
///
/// The number of names must be that of the parameters, or none.
extension Dependency {
  /// A function that returns at once. It runs inside the VM's lock: one that takes time holds up all stores
  /// of its worker.
  public static func function<
    each A: Decodable & SendableMetatype, R: Encodable & SendableMetatype
  >(
    _ names: String..., body: @escaping @Sendable (repeat each A) throws -> R
  ) -> Dependency {
    Dependency(
      .function(Signature(names, repeat (each A).self)) { values in
        var arguments = Arguments(values)
        return try Dependency.result(try body(repeat try arguments.next((each A).self)))
      })
  }

  /// A function without a result.
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

  /// A function that scripts wait for, in `effect.run` and nowhere else. Each call is one `Task`, which is
  /// cancelled with the effect that waits.
  public static func asyncFunction<
    each A: Decodable & SendableMetatype, R: Encodable & SendableMetatype
  >(
    _ names: String..., body: @escaping @Sendable (repeat each A) async throws -> R
  ) -> Dependency {
    Dependency(
      .asyncFunction(Signature(names, repeat (each A).self)) { values in
        var arguments = Arguments(values)
        return try Dependency.result(try await body(repeat try arguments.next((each A).self)))
      })
  }

  /// An asynchronous function without a result.
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

  /// A function that returns a sequence, which is an iterator in Lua: `for value in deps.location.updates() do … end`
  /// waits for each value. A value is asked for when the script does, in a `Task` of its own, which is cancelled
  /// with the effect that waits. A nil element is `null`.
  public static func stream<each A: Decodable & SendableMetatype, S: AsyncSequence & Sendable>(
    _ names: String..., body: @escaping @Sendable (repeat each A) throws -> S
  ) -> Dependency where S.Element: Encodable {
    Dependency(
      .stream(Signature(names, repeat (each A).self)) { values in
        var arguments = Arguments(values)
        return DependencyStream(try body(repeat try arguments.next((each A).self)))
      })
  }

  /// What Lua gets: nil for an optional without a value.
  private static func result<R: Encodable & SendableMetatype>(_ result: R) throws -> Value? {
    if let value = result as? Value { return value }
    if let optional = result as? any OptionalType, optional.isNil { return nil }
    return try Value(encoding: result)
  }
}
