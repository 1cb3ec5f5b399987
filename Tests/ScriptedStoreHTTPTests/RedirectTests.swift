#if HTTP
import ScriptedStore
import ScriptedStoreHTTP
import Testing

struct RedirectTests {
  /// `/<status>/<location>` redirects; anything else is answered with what was heard.
  private static let redirecting: Server.Answer = { request, connection in
    let parts = request.line.split(separator: " ")[1].split(separator: "/", maxSplits: 1)
    if parts.count == 2, let status = Int(parts[0]), (300..<400).contains(status) {
      try connection.respond("\(status) There", ["Location": String(parts[1])], "moved")
    } else {
      try connection.respond("200 OK", [:], "\(request.line)|\(request.body)")
    }
  }

  @Test(arguments: [
    (301, "POST", "GET", ""), (302, "POST", "GET", ""), (303, "POST", "GET", ""),
    (303, "PUT", "GET", ""), (301, "PUT", "PUT", "text"), (302, "DELETE", "DELETE", "text"),
    (307, "POST", "POST", "text"), (308, "POST", "POST", "text"),
  ])
  func methodsChangeAsInBrowsers(
    status: Int, method: String, next: String, body: String
  ) async throws {
    try await Server.answering(RedirectTests.redirecting) { server in
      let response = try await client(of: server).call(
        "request",
        [
          "method": Value(method), "url": Value("\(server.url)/\(status)//end?q"), "body": "text",
          "headers": ["Content-Type": "text/plain"],
        ])
      #expect(response["status"] == 200)
      #expect(response["url"] == Value("\(server.url)/end?q"))
      #expect(response["body"] == Value("\(next) /end?q HTTP/1.1|\(body)"))
      #expect((server.heard[1].headers["content-type"] == nil) == body.isEmpty)
    }
  }

  @Test func locationsMayBeRelative() async throws {
    try await Server.answering(RedirectTests.redirecting) { server in
      let http = try client(of: server)
      let response = try await http.get(server.url + "/302/../end?ü")
      #expect(response["url"] == Value(server.url + "/end?%C3%BC"))
    }
  }

  @Test func redirectsAreReturnedIfTheScriptWantsThem() async throws {
    try await Server.answering(RedirectTests.redirecting) { server in
      let response = try await client(of: server).get(
        server.url + "/302//end", ["followRedirects": false])
      #expect(response["status"] == 302)
      #expect(response["headers"]["location"] == "/end")
      #expect(server.heard.count == 1)
    }
  }

  @Test func aHostThatIsNotAllowedIsNotReachedThroughARedirect() async throws {
    try await Server.answering(RedirectTests.redirecting) { other in
      try await Server.answering(RedirectTests.redirecting) { server in
        let http = try client(of: server)
        for location in ["\(other.url)/", "//\(other.host)/", "http://localhost:\(server.port)/"] {
          let failure = await http.failure(getting: "\(server.url)/302/\(location)")
          #expect(failure["code"] == "notAllowed")
          let message = failure["message"].string ?? ""
          #expect(message.contains("it was redirected; http may not reach "))
          #expect(message.contains("Dependency.http(allowing: "))
        }
        #expect(server.heard.count == 3)
      }
      #expect(other.heard.isEmpty)
    }
  }

  @Test func otherSchemesAreNotFollowed() async throws {
    try await Server.answering(RedirectTests.redirecting) { server in
      let http = try client(of: server)
      for location in ["file:///etc/passwd", "ftp://a.example/", "http://u:p@\(server.host)/"] {
        let failure = await http.failure(getting: "\(server.url)/302/\(location)")
        #expect(failure["code"] == "redirect")
      }
    }
  }

  @Test func aCircleEnds() async throws {
    let answer: Server.Answer = { _, connection in
      try connection.respond("302 Again", ["Location": "/again"])
    }
    try await Server.answering(answer) { server in
      let failure = await (try client(of: server, timeout: .seconds(600))).failure(
        getting: server.url)
      #expect(failure["code"] == "redirect")
      #expect(
        failure["message"].string?.hasSuffix("it was redirected more than 10 times") == true)
      #expect(server.heard.count == 11)
    }
  }

  @Test func credentialsDoNotGoToAnotherOrigin() async throws {
    try await Server.answering(RedirectTests.redirecting) { other in
      try await Server.answering(RedirectTests.redirecting) { server in
        let http = try Dependency.http(allowing: [server.host, other.host])
        let options: Value = [
          "headers": [
            "Authorization": "a", "Cookie": "b", "X-Api-Key": "c", "Accept-Language": "de",
          ]
        ]
        _ = try await http.get("\(server.url)/302/\(other.url)/", options)
        _ = try await http.get("\(server.url)/302//end", options)
        #expect(other.heard[0].headers["authorization"] == nil)
        #expect(other.heard[0].headers["cookie"] == nil)
        #expect(other.heard[0].headers["x-api-key"] == nil)
        #expect(other.heard[0].headers["accept-language"] == "de")
        #expect(server.heard[2].headers["x-api-key"] == "c")
        #expect(server.heard[2].headers["authorization"] == "a")
      }
    }
  }
}
#endif
