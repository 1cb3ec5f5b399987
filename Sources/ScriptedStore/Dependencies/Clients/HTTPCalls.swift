import LuaBridge

extension Dependency {
  /// The client `http` with all of its functions, which raise `error`: for a program without an
  /// HTTP client.
  package static func http(raising error: ScriptError) -> Dependency {
    http(answering: { _ in throw error })
  }

  /// A call of one of the client's functions by a script.
  package enum HTTPCall {
    case request(Value)
    case getJSON(url: String, options: Value?)
    /// `name` is the function's name: `get`, `post` and so on.
    case method(_ name: String, url: String, options: Value?)
  }

  /// The client `http`, whose functions return what `answer` does.
  package static func http(
    answering answer: @escaping @Sendable (HTTPCall) async throws -> Value
  ) -> Dependency {
    var members: [String: Dependency] = [
      "request": .asyncFunction("request") { (request: Value) -> Value in
        try await answer(.request(request))
      },
      "getJSON": .asyncFunction("url", "options") { (url: String, options: Value?) -> Value in
        try await answer(.getJSON(url: url, options: options))
      },
    ]
    for name in ["get", "head", "post", "put", "patch", "delete"] {
      members[name] = .asyncFunction("url", "options") { (url: String, options: Value?) -> Value in
        try await answer(.method(name, url: url, options: options))
      }
    }
    return .client(members)
  }
}
