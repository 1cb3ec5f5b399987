import LuaBridge
@_exported import ScriptedStore

extension Dependency {
  /// Requests to the hosts that are allowed, none if the list is empty, for scripts to wait for in `effect.run`.
  ///
  /// ```swift
  /// dependencies.register(
  ///   "http", live: try .http(allowing: ["api.example.com", "*.example.org", "localhost:8080"]))
  /// ```
  ///
  /// | in Lua | |
  /// | --- | --- |
  /// | `http.get(url, options?)`, also `head`, `post`, `put`, `patch`, `delete` | the response |
  /// | `http.request { method = "GET", url = …, … }` | the same, with any method; options are in the same table |
  /// | `http.getJSON(url, options?)` | the value of the response's JSON; raises unless the status is 2xx |
  ///
  /// Options are `headers = { name = value or list }`, `query = { name = value or list }` (encoded and put behind
  /// the URL), one of `body = text`, `json = value`, `base64 = bytes in Base64`; `timeout` in seconds;
  /// `followRedirects = false`; `as`.
  ///
  /// A response, whatever its status, is `{ status = 200, headers = { ["content-type"] = … }, url = …, body = … }`,
  /// and has the decoded `json` if its content type is JSON. `as = "text"` leaves the decoding out; `as = "json"`
  /// decodes whatever the type, and leaves `body` out; `as = "base64"` has the body's bytes in Base64, since
  /// Lua strings in state are UTF-8. Header names are in lower case, and `set-cookie` is a list.
  ///
  /// What the script did wrong raises a message: an unknown option, a host that is not allowed, a header
  /// that the client sets itself. What the world did raises `{ code, message, url }`, where `code` is `timeout`,
  /// `connection`, `protocol` (no HTTP), `tooLarge`, `notAllowed` (a redirect), `redirect`, `notText` (not UTF-8),
  /// `malformed` (not JSON) or, from `getJSON`, `status` (then with `status` and `body`).
  ///
  /// Redirects are followed, ten at most, if the list allows their host; `authorization` and `cookie` do
  /// not go along to another origin. Certificates are checked. There are no cookies and no cache. Cancelling the effect
  /// that waits closes the connection.
  ///
  /// - Parameters:
  ///   - hosts: Names that URLs may have: `"example.com"`; `"*.example.com"`, all names below that one, which is
  ///     not among them; `"127.0.0.1"`; `"[::1]"`; `"*"`. Without a port the scheme's is meant; `":8080"` and `":*"`, any port,
  ///     go behind. Names are compared, not addresses: what a name stands for is up to the name's owner.
  ///   - limit: How many bytes the body of a response may have, unpacked; 10 MiB if left out. No more is read.
  ///   - timeout: How many seconds a request may take, redirects and body included; a script can ask for less.
  /// - Throws: A ``ScriptError`` if a host is no host, or the timeout is not greater than 0.
  public static func http(
    allowing hosts: [String], limit: Int = 10 << 20, timeout: Double = 60
  ) throws -> Dependency {
    try http(allowing: hosts, limit: limit, timeout: timeout) { host in
      "the host allows it with Dependency.http(allowing: [\"\(host)\"])"
    }
  }

  /// The same, with what a script is told about how a host gets allowed.
  package static func http(
    allowing hosts: [String], limit: Int = 10 << 20, timeout: Double = 60,
    remedy: @escaping @Sendable (_ host: String) -> String
  ) throws -> Dependency {
    guard timeout > 0, timeout <= longestTimeout else {
      throw ScriptError("the timeout of http must be greater than 0 and at most a day, in seconds")
    }
    let client = Client(
      allowing: try AllowedHosts(hosts), limit: max(0, limit), timeout: timeout, remedy: remedy)
    var members: [String: Dependency] = [
      "request": .asyncFunction("request") { (request: Value) -> Value in
        try await client.send(Request(request, within: timeout)).value()
      },
      "getJSON": .asyncFunction("url", "options") { (url: String, options: Value?) -> Value in
        var request = try Request("GET", url, options, of: "http.getJSON", within: timeout)
        request.addUnlessGiven("accept", "application/json")
        return try await client.send(request).jsonOfSuccess()
      },
    ]
    for name in ["get", "head", "post", "put", "patch", "delete"] {
      members[name] = .asyncFunction("url", "options") { (url: String, options: Value?) -> Value in
        let request = try Request(
          name.uppercased(), url, options, of: "http.\(name)", within: timeout)
        return try await client.send(request).value()
      }
    }
    return .client(members)
  }

  private static let longestTimeout = 86_400.0
}
