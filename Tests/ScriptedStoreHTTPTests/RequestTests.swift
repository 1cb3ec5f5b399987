#if HTTP
import ScriptedStore
import ScriptedStoreHTTP
import Testing

struct RequestTests {
  /// Answers with nothing, so that a test looks at what was heard.
  private static let silent: Server.Answer = { _, connection in try connection.respond() }

  @Test func eachMethodIsSentAsItself() async throws {
    try await Server.answering(RequestTests.silent) { server in
      let http = try client(of: server)
      for method in ["get", "head", "post", "put", "patch", "delete"] {
        #expect(try await http.call(method, .string(server.url + "/a"), nil)["status"] == 200)
      }
      let url = Value(server.url + "/a")
      _ = try await http.call("request", ["method": "report", "url": url])
      _ = try await http.call("request", ["url": url])
      #expect(
        server.heard.map(\.line)
          == ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "REPORT", "GET"].map {
            "\($0) /a HTTP/1.1"
          })
    }
  }

  @Test func bodiesAreTextJSONOrBytes() async throws {
    try await Server.answering(RequestTests.silent) { server in
      let http = try client(of: server)
      let url = Value(server.url)
      _ = try await http.call("post", url, ["body": "Grüße"])
      _ = try await http.call("post", url, ["json": ["b": 1, "a": [1.0, nil]]])
      _ = try await http.call(
        "post", url,
        ["json": true, "headers": ["Content-Type": "application/vnd.api+json"]])
      _ = try await http.call("put", url, ["base64": "YWI="])
      _ = try await http.call("post", url, nil)
      let heard = server.heard
      #expect(heard.map(\.body) == ["Grüße", #"{"b":1,"a":[1.0,null]}"#, "true", "ab", ""])
      #expect(
        heard.map { $0.headers["content-type"] } == [
          nil, "application/json", "application/vnd.api+json", nil, nil,
        ])
      #expect(heard.map { $0.headers["content-length"] } == ["7", "22", "4", "2", "0"])
    }
  }

  @Test func headersAreSentOnceForEachValue() async throws {
    try await Server.answering(RequestTests.silent) { server in
      let http = try client(of: server)
      _ = try await http.get(
        server.url, ["headers": ["X-Number": 3, "X-Float": 1.0, "X-Text": "a: b"]])
      _ = try await http.get(server.url, ["headers": ["User-Agent": "me", "Accept": ["a", "b"]]])
      let heard = server.heard
      #expect(heard[0].headers["x-number"] == "3")
      #expect(heard[0].headers["x-float"] == "1.0")
      #expect(heard[0].headers["x-text"] == "a: b")
      #expect(heard[0].headers["user-agent"] == "ScriptedStore")
      #expect(heard[0].headers["accept-encoding"] == "gzip")
      #expect(heard[0].headers["host"] == server.host)
      #expect(heard[1].headers["user-agent"] == "me")
    }
  }

  @Test func queriesAreEncodedAndPutBehindTheURL() async throws {
    try await Server.answering(RequestTests.silent) { server in
      let http = try client(of: server)
      _ = try await http.get(
        server.url + "/search", ["query": ["q": "a b&c=ü/?", "n": 3, "tag": ["x", true]]])
      _ = try await http.get(server.url + "/search?a=1#part", ["query": ["b": "2"]])
      _ = try await http.get(server.url + "/search", ["query": [:]])
      _ = try await http.get(server.url, ["query": ["ä": ""]])
      #expect(
        server.heard.map(\.line) == [
          "GET /search?q=a%20b%26c%3D%C3%BC%2F%3F&n=3&tag=x&tag=true HTTP/1.1",
          "GET /search?a=1&b=2 HTTP/1.1", "GET /search HTTP/1.1", "GET /?%C3%A4= HTTP/1.1",
        ])
    }
  }

  @Test func pathsThatAreNotASCIIAreEncoded() async throws {
    try await Server.answering(RequestTests.silent) { server in
      let http = try client(of: server)
      _ = try await http.get(server.url + "/Käse und Brot/100%25")
      #expect(server.heard.map(\.line) == ["GET /K%C3%A4se%20und%20Brot/100%25 HTTP/1.1"])
    }
  }

  @Test(
    arguments: [
      (
        ["url": "http://a.example", "methd": "GET"],
        "'http.request' has no option 'methd'; did you mean 'method'?"
      ),
      ([:], "bad option 'url' to 'http.request' (string expected, got nothing)"),
      (["url": 3], "bad option 'url' to 'http.request' (string expected, got number)"),
      (["method": "GE T"], "bad option 'method' to 'http.request' ('GE T' is no method)"),
      (["method": ""], "bad option 'method' to 'http.request' ('' is no method)"),
      (["method": "GET / HTTP/1.1\r\nx: y"], nil),
      (["method": "connect"], "bad option 'method' to 'http.request' (CONNECT cannot be sent)"),
      (
        ["headers": "x"],
        "bad option 'headers' to 'http.request' (table of names expected, got string)"
      ),
      (
        ["headers": ["a b": "c"]],
        "bad option 'headers' to 'http.request' ('a b' is no name of a header)"
      ),
      (
        ["headers": ["": "c"]], "bad option 'headers' to 'http.request' ('' is no name of a header)"
      ),
      (
        ["headers": ["a": "b\r\nc: d"]],
        "bad option 'headers' to 'http.request' ('a' has a line break or a control character in it)"
      ),
      (
        ["headers": ["a": "\0"]],
        "bad option 'headers' to 'http.request' ('a' has a line break or a control character in it)"
      ),
      (
        ["headers": ["a": ["b": "c"]]],
        "bad option 'headers' to 'http.request' ('a': a string or number expected, got table)"
      ),
      (
        ["headers": ["Host": "b"]],
        "bad option 'headers' to 'http.request' ('Host' is set by the client itself)"
      ),
      (
        ["headers": ["content-length": 3]],
        "bad option 'headers' to 'http.request' ('content-length' is set by the client itself)"
      ),
      (["headers": ["Transfer-Encoding": "chunked"]], nil),
      (
        ["query": [["a"]]],
        "bad option 'query' to 'http.request' (table of names expected, got table)"
      ),
      (["body": 3], "bad option 'body' to 'http.request' (string expected, got number)"),
      (
        ["body": "a", "json": 1], "bad option 'json' to 'http.request' ('body' is the body already)"
      ),
      (["base64": "?"], "bad option 'base64' to 'http.request' (it is not Base64)"),
      (["timeout": 0], "bad option 'timeout' to 'http.request' (seconds greater than 0 expected)"),
      (["timeout": -1], nil),
      (
        ["timeout": 61],
        "bad option 'timeout' to 'http.request' (the host allows 60.0 seconds at most)"
      ),
      (["timeout": "1"], "bad option 'timeout' to 'http.request' (number expected, got string)"),
      (
        ["followRedirects": 3],
        "bad option 'followRedirects' to 'http.request' (boolean expected, got number)"
      ),
      (["as": "xml"], nil),
    ] as [(Value.Object, String?)])
  func wrongRequestsAreRefused(options: Value.Object, message: String?) async throws {
    try await Server.answering(RequestTests.silent) { server in
      let http = try client(of: server)
      var request = options
      if !options.isEmpty, options["url"] == nil { request["url"] = Value(server.url) }
      let failure = await http.failure("request", .object(request))
      #expect(failure["returned"] == .null)
      if let message { #expect(failure["message"] == Value(message)) }
      #expect(server.heard.isEmpty)
    }
  }
}
#endif
