import LuaBridge
@_exported import ScriptedStore

#if HTTP
extension Dependency {
  /// Requests to the allowed hosts, none if the list is empty. Scripts wait for them in
  /// `effect.run`. Needs the package trait `HTTP`, which is on by default.
  ///
  /// ```swift
  /// dependencies.register(
  ///   "http", live: try .http(allowing: ["api.example.com", "*.example.org", "localhost:8080"]))
  /// ```
  ///
  /// The functions in Lua are:
  ///
  /// - `http.get(url, options?)`, also `head`, `post`, `put`, `patch`, `delete`: the response.
  /// - `http.request { method = "GET", url = …, … }`: the same, with any method; the options are in
  ///   the same table.
  /// - `http.getJSON(url, options?)`: the value of the response's JSON; raises unless the status is
  ///   2xx.
  ///
  /// Options are `headers = { name = value or list }`, `query = { name = value or list }` (encoded
  /// and appended to the URL); one of `body = text`, `json = value`, `base64 = bytes in Base64`;
  /// `timeout` in seconds; `followRedirects = false`; `as`.
  ///
  /// A response, whatever its status, is
  /// `{ status = 200, headers = { ["content-type"] = … }, url = …, body = … }`, with the decoded
  /// `json` if its content type is JSON. `as = "text"` does not decode; `as = "json"` decodes
  /// whatever the type is, and leaves out `body`; `as = "base64"` returns the body's bytes in
  /// Base64, since Lua strings in state are UTF-8. Header names are in lower case, and `set-cookie`
  /// is a list.
  ///
  /// A fault of the script raises a message: an unknown option, a URL that is none, a header that
  /// the client sets itself. A failure that no script can avoid raises `{ code, message, url }`,
  /// where `code` is `notAllowed` (the list does not have the host of the URL or of a redirect),
  /// `timeout`, `connection`, `protocol` (not HTTP), `tooLarge`, `redirect`, `notText` (not UTF-8),
  /// `malformed` (not JSON) or, from `getJSON`, `status` (then with `status` and `body`).
  ///
  /// Redirects are followed, ten at most, if the list allows their host; only headers that say
  /// nothing about the sender, as `accept`, are sent to another origin. Certificates are checked.
  /// There are no cookies and no cache. Cancelling the effect that waits closes the connection.
  ///
  /// - Parameters:
  ///   - hosts: Names that URLs may have: `"example.com"`; `"*.example.com"`, all names below that
  ///     one, but not that one itself; `"127.0.0.1"`; `"[::1]"`; `"*"`. `":8080"` or `":*"`, any
  ///     port, may follow; without it only the scheme's port is allowed. Names are compared, not
  ///     addresses: the owner of a name decides which address it stands for.
  ///   - limit: The largest size of a response's body in bytes, after decompression; 10 MiB by
  ///     default. No more is read.
  ///   - timeout: The longest time of a request, redirects and body included. A script can ask for
  ///     less.
  /// - Throws: A ``ScriptError`` if a host is not a pattern, or the timeout is not greater than 0
  ///   and at most a day.
  public static func http(
    allowing hosts: [String], limit: Int = 10 << 20, timeout: Duration = .seconds(60)
  ) throws -> Dependency {
    try http(allowing: hosts, limit: limit, timeout: timeout) { host in
      "the host allows it with Dependency.http(allowing: [\"\(host)\"])"
    }
  }

  /// Makes the dependency with another sentence that tells scripts how a host gets allowed.
  package static func http(
    allowing hosts: [String], limit: Int = 10 << 20, timeout: Duration = .seconds(60),
    remedy: @escaping @Sendable (_ host: String) -> String
  ) throws -> Dependency {
    let timeout = timeout / .seconds(1)
    guard timeout > 0, timeout <= longestTimeout else {
      throw ScriptError("the timeout of http must be greater than 0 and at most a day")
    }
    let client = Client(
      allowing: try AllowedHosts(hosts), limit: max(0, limit), timeout: timeout, remedy: remedy)
    return http(answering: { call in
      switch call {
      case .request(let request):
        try await client.send(Request(request, within: timeout)).value()
      case .getJSON(let url, let options):
        try await client.send(Request(gettingJSONAt: url, options, within: timeout)).jsonOfSuccess()
      case .method(let name, let url, let options):
        try await client.send(
          Request(name.uppercased(), url, options, of: "http.\(name)", within: timeout)
        ).value()
      }
    })
  }

  private static let longestTimeout = 86_400.0
}
#endif
