import LuaBridge

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
  package indirect enum Kind: Sendable {
    case value(Value)
    case function(Signature, @Sendable (_ arguments: [HostValue?]) throws -> HostValue?)
    case asyncFunction(
      Signature, @Sendable (_ arguments: [HostValue?]) async throws -> HostValue?)
    case stream(Signature, @Sendable (_ arguments: [HostValue?]) throws -> DependencyStream)
    case client([String: Dependency])
    /// A value that each VM makes for itself.
    case made(Maker)
    /// A function that raises. The string is its name in messages.
    case unimplemented(String)
    /// The value that the script at this path returns.
    case file(String)
    /// A dependency that only its VM can use, while a Swift closure transforms it. The number
    /// stands for its ``DependencyBinding`` during that call.
    case script(UInt64)
  }

  /// Makes a dependency inside a VM.
  package struct Maker: Sendable {
    let make: @Sendable (DependencyRegistry, _ name: String) throws(ScriptError) -> LuaValue
  }

  package var kind: Kind

  package init(_ kind: Kind) { self.kind = kind }

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
      return members[member]
    }
    set {
      guard case .client(var members) = kind else {
        if let newValue { self = .client([member: newValue]) }
        return
      }
      members[member] = newValue
      self = .client(members)
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
