#if HTTP
import AsyncHTTPClient
import LuaBridge
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOPosix
import Platform
import ScriptedStore

/// A request that a script described, after it was checked.
struct Request: Sendable {
  var method: String
  var target: Target
  var headers: HTTPHeaders
  var body: [UInt8]?
  /// How the body of the response is decoded; nil: as text, and as JSON too if the content type
  /// says so.
  var format: ContentFormat?
  /// Seconds until the whole response must have arrived.
  let timeout: Double
  let followsRedirects: Bool

  /// `GET https://example.com/`, for messages.
  var description: String { "\(method) \(target.text)" }
}

extension Request {
  private static let options = [
    "headers", "query", "body", "json", "base64", "timeout", "as", "followRedirects",
  ]

  /// The request of `function(url, options)`.
  init(
    _ method: String, _ url: String, _ options: Value?, of function: String, within timeout: Double
  ) throws(ScriptError) {
    let known = Request.options.filter { $0 != "as" || function != "http.getJSON" }
    let options = try FunctionOptions(options, of: function, known: known)
    try self.init(method, url, options, within: timeout)
  }

  /// The request of `http.getJSON(url, options)`.
  init(gettingJSONAt url: String, _ options: Value?, within timeout: Double) throws(ScriptError) {
    try self.init("GET", url, options, of: "http.getJSON", within: timeout)
    addUnlessGiven("accept", "application/json")
  }

  /// The request of `http.request { method = …, url = …, … }`.
  init(_ description: Value, within timeout: Double) throws(ScriptError) {
    let options = try FunctionOptions(
      description, of: "http.request", known: ["method", "url"] + Request.options)
    guard let url = try options.string("url") else {
      throw options.error("url", "string expected, got nothing")
    }
    try self.init(try options.string("method") ?? "GET", url, options, within: timeout)
  }

  private init(
    _ method: String, _ url: String, _ options: FunctionOptions, within longest: Double
  ) throws(ScriptError) {
    self.method = try Request.method(method, options)
    target = try Target(url, query: try Request.query(options))
    headers = try Request.headers(options)
    format = try options.format()
    followsRedirects = try options.boolean("followRedirects") ?? true
    timeout = try options.number("timeout") ?? longest
    guard timeout > 0 else { throw options.error("timeout", "seconds greater than 0 expected") }
    guard timeout <= longest else {
      throw options.error(
        "timeout", "the host allows \(Value.float(longest).json()) seconds at most")
    }
    try takeBody(options)
    addUnlessGiven("user-agent", "ScriptedStore")
    // The client decompresses it.
    addUnlessGiven("accept-encoding", "gzip")
  }

  /// Adds a header, unless the script has set it.
  mutating func addUnlessGiven(_ name: String, _ value: String) {
    if !headers.contains(name: name) { headers.add(name: name, value: value) }
  }

  /// Converts the method to upper case: methods are case-sensitive, and no server has a method
  /// `get`.
  private static func method(_ text: String, _ options: FunctionOptions) throws(ScriptError)
    -> String
  {
    let method = text.uppercased()
    guard !method.isEmpty, method.utf8.allSatisfy(isTokenByte) else {
      throw options.error("method", "'\(text)' is no method")
    }
    // These methods control connections, which the client manages itself.
    guard method != "CONNECT", method != "TRACE" else {
      throw options.error("method", "\(method) cannot be sent")
    }
    return method
  }

  private static func query(
    _ options: FunctionOptions
  ) throws(ScriptError) -> [(name: String, value: String)] {
    var pairs: [(name: String, value: String)] = []
    for (name, value) in try options.table("query") ?? [:] {
      for text in try texts(of: value, named: name, in: "query", options) {
        pairs.append((name, text))
      }
    }
    return pairs
  }

  /// Headers that only the client sets, since they define where the message goes and where it ends.
  private static let ownHeaders: Set = [
    "host", "content-length", "transfer-encoding", "connection", "keep-alive", "upgrade", "te",
    "trailer", "expect", "proxy-authorization", "proxy-connection",
  ]

  private static func headers(_ options: FunctionOptions) throws(ScriptError) -> HTTPHeaders {
    var headers = HTTPHeaders()
    for (name, value) in try options.table("headers") ?? [:] {
      guard !name.isEmpty, name.utf8.allSatisfy(isTokenByte) else {
        throw options.error("headers", "'\(name)' is no name of a header")
      }
      guard !ownHeaders.contains(name.lowercased()) else {
        throw options.error("headers", "'\(name)' is set by the client itself")
      }
      for text in try texts(of: value, named: name, in: "headers", options) {
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") }) else {
          throw options.error("headers", "'\(name)' has a line break or a control character in it")
        }
        headers.add(name: name, value: text)
      }
    }
    return headers
  }

  /// A string, number or boolean as text, or each item of a list.
  private static func texts(
    of value: Value, named name: String, in option: String, _ options: FunctionOptions
  ) throws(ScriptError) -> [String] {
    var texts: [String] = []
    for item in value.array.map({ Array($0) }) ?? [value] {
      switch item {
      case .string(let text): texts.append(text)
      case .integer, .float, .boolean: texts.append(item.json())
      case .null, .array, .object:
        throw options.error(
          option, "'\(name)': a string or number expected, got \(LuaValue(item).typeName)")
      }
    }
    return texts
  }

  private mutating func takeBody(_ options: FunctionOptions) throws(ScriptError) {
    let given = ["body", "json", "base64"].filter { options[$0] != nil }
    guard given.count <= 1 else {
      throw options.error(given[1], "'\(given[0])' is the body already")
    }
    switch given.first {
    case "body": body = try options.string("body").map { Array($0.utf8) }
    case "base64":
      let text = try options.string("base64") ?? ""
      guard let bytes = ContentFormat.base64.bytes(of: .string(text)) else {
        throw options.error("base64", "it is not Base64")
      }
      body = bytes
    case "json":
      body = options["json"].flatMap { ContentFormat.json.bytes(of: $0) }
      addUnlessGiven("content-type", "application/json")
    default: break
    }
  }

  /// The bytes that RFC 9110 allows in a method and in a header's name.
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    byte.isASCIILetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains(byte)
  }
}

// MARK: Redirects

extension Request {
  /// The request that follows a redirect with this status, changed as browsers do it.
  func redirected(to target: Target, status: Int) -> Request {
    var next = self
    next.target = target
    if status == 303 && method != "HEAD" || (status == 301 || status == 302) && method == "POST" {
      next.method = "GET"
      next.body = nil
      for name in ["content-type", "content-encoding", "content-language"] {
        next.headers.remove(name: name)
      }
    }
    let isSameOrigin =
      (target.host, target.port, target.isSecure)
      == (self.target.host, self.target.port, self.target.isSecure)
    if !isSameOrigin {
      // Any other header may be a secret of the first server.
      next.headers = HTTPHeaders(
        next.headers.filter { Request.plainHeaders.contains($0.name.lowercased()) })
    }
    return next
  }

  /// The headers that say nothing about who sends a request.
  private static let plainHeaders: Set = [
    "accept", "accept-encoding", "accept-language", "cache-control", "content-encoding",
    "content-language", "content-type", "if-match", "if-modified-since", "if-none-match",
    "if-unmodified-since", "range", "user-agent",
  ]
}

// MARK: Failures

extension Request {
  /// The error that a script gets for a failure of this request that no script could have avoided.
  func failure(_ code: String, _ problem: String, _ details: Value.Object = [:]) -> ScriptError {
    var details = details
    details["url"] = .string(target.text)
    return .failure(code, "\(description): \(problem)", details)
  }

  func tooLarge(_ limit: Int) -> ScriptError {
    failure("tooLarge", "the response has more than the \(limit) bytes that the host allows")
  }

  var timedOut: ScriptError {
    failure("timeout", "there was no whole response within \(Value.float(timeout).json()) seconds")
  }

  private var closed: ScriptError {
    failure("connection", "the server closed the connection before the response was whole")
  }

  /// Converts an error of the client to an error for scripts. Errors for scripts and cancellation
  /// stay as they are.
  func failure(_ error: any Error, limit: Int) -> any Error {
    switch error {
    case is ScriptError, is CancellationError: return error
    case let error as HTTPClientError: return failure(error)
    case let error as NIOConnectionError:
      guard let problem = error.connectionErrors.first?.error else {
        return failure("connection", "no address was found for \(error.host)")
      }
      return failure(problem, limit: limit)
    case let error as IOError:
      return failure("connection", String(cString: strerror(error.errnoCode)))
    case is ChannelError, HTTPParserError.invalidEOFState: return closed
    case let error as HTTPParserError:
      return failure("protocol", "the response is not HTTP (\(error))")
    case NIOHTTPDecompression.DecompressionError.limit: return tooLarge(limit)
    case is NIOHTTPDecompression.DecompressionError:
      return failure("protocol", "the response is not compressed as it says")
    default: return failure("connection", "\(error)")
    }
  }

  private func failure(_ error: HTTPClientError) -> any Error {
    switch error {
    case .cancelled: CancellationError()
    case .deadlineExceeded, .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout:
      timedOut
    case .remoteConnectionClosed: closed
    default: failure("connection", error.shortDescription)
    }
  }
}
#endif
