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
/// In Lua: `deps.api.search("milk", 3)`, or with names: `deps.api.search { query = "milk", limit = 3 }`.
public struct Dependency: Sendable {
  package indirect enum Kind: Sendable {
    case value(Value)
    case function(Signature, @Sendable (_ arguments: [Value?]) throws -> Value?)
    case asyncFunction(Signature, @Sendable (_ arguments: [Value?]) async throws -> Value?)
    case stream(Signature, @Sendable (_ arguments: [Value?]) throws -> DependencyStream)
    case client([String: Dependency])
    /// What is made anew inside each VM.
    case made(Maker)
    /// A function that raises: what it is called in messages.
    case unimplemented(String)
    /// What the script at a path returns.
    case file(String)
    /// What a script gave, while a Swift closure transforms it: a number of that call's.
    case script(UInt64)
  }

  /// Makes a dependency inside of a VM.
  package struct Maker: Sendable {
    let make: @Sendable (DependencyRegistry, _ name: String) throws(ScriptError) -> LuaValue
  }

  package var kind: Kind

  package init(_ kind: Kind) { self.kind = kind }

  /// A value of state. Scripts that read an array or object get a table of their own each time, in O(n): for a
  /// large one let a function return what is asked for.
  public static func value(_ value: Value) -> Dependency { Dependency(.value(value)) }

  /// What `value` encodes as. Throws what encoding it does, and for a number that is not finite.
  @_disfavoredOverload  // literals are values
  public static func value(_ value: some Encodable & Sendable) throws -> Dependency {
    Dependency(.value(try Value(encoding: value)))
  }

  /// Functions, values and further clients under one name, as TCA's structs of closures. An override that is
  /// a client replaces only the members that it names.
  public static func client(_ members: [String: Dependency]) -> Dependency {
    Dependency(.client(members))
  }

  /// What the script at a path returns, which may be outside of the host's root: a value, a function or a table of
  /// these. It gets `deps` with everything in it: `local deps = ...`. A file that is missing or does not compile is
  /// an error when a store is made; it runs when its value is first read.
  public static func script(file: String) -> Dependency { Dependency(.file(file)) }

  /// The member of a client, nil where there is none or this is no client. Setting one makes anything
  /// else a client; setting nil takes it out.
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

  /// The paths of the scripts in it.
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
