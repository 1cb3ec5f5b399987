import LuaBridge
import ScriptValue

/// What scripts find under one name of `deps`: a value, a function, a stream, or a table of these.
///
/// ```swift
/// let api = Dependency.client([
///   "baseURL": try .value("https://example.com"),
///   "search": .asyncFunction("query", "limit") { (query: String, limit: Int?) in
///     try await api.search(query, limit: limit ?? 20)
///   },
/// ])
/// ```
///
/// In Lua: `deps.api.search("milk", 3)`, or with names:
/// `deps.api.search { query = "milk", limit = 3 }`.
public struct Dependency: Sendable {
  indirect enum Kind: Sendable {
    case value(Value)
    case function(Signature, @Sendable (_ arguments: [HostValue?]) throws -> HostValue?)
    case asyncFunction(
      Signature, @Sendable (_ arguments: [HostValue?]) async throws -> HostValue?)
    case stream(Signature, @Sendable (_ arguments: [HostValue?]) throws -> DependencyStream)
    case client([String: Dependency])
    /// A value that each VM makes for itself.
    case made(@Sendable (DependencyRegistry, _ name: String) throws(ScriptError) -> LuaValue)
    /// A function that raises. The string is its name in messages.
    case unimplemented(String)
    /// The value that the script at this path returns.
    case file(String)
    /// A dependency that only its VM can use, while a Swift closure transforms it. The number
    /// stands for its ``DependencyBinding`` during that call.
    case script(UInt64)
  }

  let kind: Kind
  /// Whether its functions change something outside of the store (``writing()``).
  private(set) var writes = false

  init(_ kind: Kind) { self.kind = kind }

  /// The same dependency, whose functions change something outside of the store: a file, a database, another service.
  ///
  /// Handlers of durable stores cannot call them, because what they write would be there before the record of the action,
  /// which a crash may lose. Effects can. What overrides the dependency of a host writes as well.
  public func writing() -> Dependency {
    var dependency = self
    dependency.writes = true
    return dependency
  }

  /// A value of state. Scripts that read an array or object get a new table each time, in O(n). For
  /// a large value, offer a function that returns what is asked for.
  public static func value(_ value: Value) -> Dependency { Dependency(.value(value)) }

  /// The value that `value` encodes as.
  ///
  /// - Throws: the errors of the encoding, and an error for a number that is not finite.
  @_disfavoredOverload  // literals are values
  public static func value(_ value: some Encodable & Sendable) throws -> Dependency {
    Dependency(.value(try Value(encoding: value)))
  }

  /// Functions, values and further clients under one name, as TCA's structs of closures. If an
  /// override is a client, it replaces only the members that it names.
  public static func client(_ members: [String: Dependency]) -> Dependency {
    Dependency(.client(members))
  }

  /// The value that the script at a path returns: a value, a function or a table of these. The path
  /// may be outside of the host's root. The script gets `deps` with all dependencies:
  /// `local deps = ...`. Making a store throws if the file is missing or does not compile. The
  /// script runs when its value is first read.
  public static func script(file: String) -> Dependency { Dependency(.file(file)) }

  /// The member of a client; nil if there is no such member, or if this is no client. Setting a
  /// member turns anything else into a client. Setting nil removes the member.
  public subscript(member: String) -> Dependency? {
    get {
      guard case .client(let members) = kind else { return nil }
      return writes ? members[member]?.writing() : members[member]
    }
    set {
      guard case .client(var members) = kind else {
        if let newValue { self = .client([member: newValue]) }
        return
      }
      members[member] = newValue
      let writes = writes
      self = .client(members)
      self.writes = writes
    }
  }

  /// The paths of the scripts in this dependency and its members.
  var files: [String] {
    switch kind {
    case .file(let path): [path]
    case .client(let members): members.values.flatMap(\.files)
    default: []
    }
  }

  /// The names of a client's members, sorted; empty for anything else.
  public var members: [String] {
    guard case .client(let members) = kind else { return [] }
    return members.keys.sorted()
  }
}

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
