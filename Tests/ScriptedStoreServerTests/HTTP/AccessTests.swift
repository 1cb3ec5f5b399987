#if Server
import Dispatch
import ScriptedStore
import Testing

@testable import ScriptedStoreServer

/// Who may see the pages.
struct AccessTests {
  // MARK: The token

  @Test func thePrintedAddressGivesABrowserItsCookie() async throws {
    try await TestServer.running(Scripts.counter) { (server, browser) async throws in
      let path = "/" + (server.address.split(separator: "/").last ?? "")
      let response = try Browser(port: browser.port).request(path)
      #expect(response.status == 200)
      let cookie = try #require(response.headers["set-cookie"])
      #expect(cookie.contains("; HttpOnly; SameSite=Strict"))
      #expect(response.headers["cache-control"] == "no-store")
    }
  }

  @Test func oneAddressServesSeveralBrowsersAndOneOfThemAgain() async throws {
    try await TestServer.running(Scripts.counter) { (server, first) async throws in
      var second = try server.browser()
      #expect(first.cookie != second.cookie)
      let before = second.cookie
      try second.enter(server.address)
      #expect(second.cookie == before)
      for browser in [first, second] { #expect(try browser.request("/").status == 200) }
    }
  }

  @Test(arguments: ["/", "/page.js", "/page.css", "/?token=", "/?token=x", "/?a=b"])
  func withoutTheTokenThereIsNothing(_ path: String) async throws {
    try await TestServer.running(Scripts.counter) { (server, browser) async throws in
      let response = try Browser(port: browser.port).request(path)
      #expect(response.status == 403)
      #expect(response.headers["set-cookie"] == nil)
      #expect(response.text.contains("?token="))
    }
  }

  @Test func aCookieWithAnotherTokenIsNone() async throws {
    try await TestServer.running(Scripts.counter) { (server, browser) async throws in
      let name = try #require(browser.cookie?.split(separator: "=").first)
      for value in ["x", "x.", ".", "a.b", "x.\(String(repeating: "A", count: 22))"] {
        let stranger = Browser(port: browser.port, cookie: "\(name)=\(value)")
        #expect(try stranger.request("/").status == 403)
        #expect(throws: TestSocket.Failed.self) { try TestPage(stranger) }
      }
    }
  }

  @Test(arguments: ["a b", "50%", "a&token=b", "a;b,c=d", "ä👍", "%41", "a+b", "#\"\r\n"])
  func aTokenMayHaveAnyCharacters(_ token: String) async throws {
    let configuration = ViewServer.Configuration.with { $0.token = token }
    try await TestServer.running(Scripts.counter, configuration) { (server, browser) async throws in
      #expect(server.address.utf8.allSatisfy { $0 > 32 && $0 < 127 })
      #expect(try browser.request("/").status == 200)
      #expect(try Browser(port: browser.port).request("/?token=x").status == 403)
    }
  }

  @Test func aSignIsNoDigitOfAnEncodedCharacter() async throws {
    let configuration = ViewServer.Configuration.with { $0.token = "\0" }
    try await TestServer.running(Scripts.counter, configuration) { (server, browser) async throws in
      #expect(try Browser(port: browser.port).request("/?token=%00").status == 200)
      #expect(try Browser(port: browser.port).request("/?token=%-0").status == 403)
    }
  }

  @Test func aServerNeedsATokenThatIsNotEmpty() async throws {
    let server = try TestServer(Scripts.counter, .with { $0.token = "" }).server
    await #expect(throws: ViewServerError("the token is empty")) { try await server.start() }
    #expect(server.port == nil)
  }

  @Test func aServerThatIsStoppedWhileItStartsDoesNotListen() async throws {
    let server = try TestServer(Scripts.counter).server
    var stopped = 0
    for _ in 0..<50 {
      let first = Task { try await server.start() }
      await Task.yield()
      // Either of the two begins, and the other one fails at once: then the first one may not have ended.
      if (try? await server.start()) != nil { _ = await first.result }
      await server.stop()
      #expect(server.port == nil)
      do {
        #expect(try await first.value.hasPrefix("http://"))
      } catch let error as ViewServerError {
        if error.description == "the server was stopped while it started" { stopped += 1 }
      }
      #expect(server.port == nil)
    }
    #expect(stopped > 0)
  }

  @Test func aServerThatIsStartedTwiceListensOnce() async throws {
    try await TestServer.running(Scripts.counter) { (server, browser) async throws in
      let failures = await withTaskGroup(of: Bool.self) { group in
        for _ in 0..<8 {
          group.addTask { (try? await server.server.start()) == nil }
        }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(failures == 8)
      #expect(try browser.request("/").status == 200)
    }
    let server = try TestServer(Scripts.counter).server
    let addresses = await withTaskGroup(of: String?.self) { group in
      for _ in 0..<8 { group.addTask { try? await server.start() } }
      return await group.reduce(into: []) { $0 += [$1].compactMap { $0 } }
    }
    #expect(addresses.count == 1)
    await server.stop()
    _ = try await server.start()
    await server.stop()
  }

  @Test func aTokenMayBeGivenSoThatBrowsersKnowTheServerWhenItWasStartedAgain() async throws {
    let token = "0123456789abcdefghijkl"
    var cookie: String?
    var port = 0
    try await TestServer.running(Scripts.counter, .with { $0.token = token }) {
      (server, browser) async throws in
      #expect(server.address.hasSuffix("?token=\(token)"))
      (cookie, port) = (browser.cookie, browser.port)
    }
    try await TestServer.running(
      Scripts.counter,
      .with {
        $0.token = token
        $0.port = port
      }
    ) { (_, _) async throws in
      #expect(try Browser(port: port, cookie: cookie).request("/").status == 200)
    }
  }

  // MARK: Host and Origin

  @Test(arguments: [
    "evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1:1", "", "localhost.evil.example",
  ])
  func anotherHostIsRefused(_ host: String) async throws {
    try await TestServer.running(Scripts.counter) { (server, browser) async throws in
      #expect(try browser.request("/", ["host": host]).status == 403)
      #expect(try browser.request("/?token=x", ["host": host]).status == 403)
      #expect(throws: TestSocket.Failed.self) {
        try TestPage(browser, headers: ["host": host, "origin": "http://\(host)"])
      }
    }
  }

  @Test func theNamesOfThisMachineAreHostsAndThoseThatWereGiven() async throws {
    try await TestServer.running(Scripts.counter, .with { $0.names = ["todos.example.org"] }) {
      (server, browser) async throws in
      for host in [
        "localhost:\(browser.port)", "[::1]:\(browser.port)", "todos.example.org",
        "TODOS.example.org:443",
      ] {
        #expect(try browser.request("/", ["host": host]).status == 200)
      }
      let page = try TestPage(
        browser, headers: ["host": "todos.example.org", "origin": "https://todos.example.org"])
      #expect(page.response.status == 101)
    }
  }

  @Test(arguments: [nil, "null", "http://evil.example", "https://127.0.0.1:1", "http://127.0.0.1"])
  func aWebSocketIsForPagesOfThisServer(_ origin: String?) async throws {
    try await TestServer.running(Scripts.counter) { (server, browser) async throws in
      let error = #expect(throws: TestSocket.Failed.self) {
        try TestPage(browser, headers: ["origin": origin])
      }
      // Before the upgrade, as an answer.
      #expect(error?.description == "403")
    }
  }

  @Test func aWebSocketNeedsTheCookie() async throws {
    try await TestServer.running(Scripts.counter) { (server, browser) async throws in
      let error = #expect(throws: TestSocket.Failed.self) {
        try TestPage(Browser(port: browser.port))
      }
      #expect(error?.description == "403")
      #expect(server.stores.withLock { $0.isEmpty })
    }
  }

  @Test(arguments: ["POST", "PUT", "HEAD"])
  func aRequestThatIsNoGETOpensNoWebSocket(_ method: String) async throws {
    try await TestServer.running(Scripts.counter) { (server, browser) async throws in
      let response = try browser.request(
        "/live", method: method,
        [
          "origin": "http://\(browser.host)", "upgrade": "websocket", "connection": "Upgrade",
          "sec-websocket-version": "13", "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
        ])
      #expect(response.status == (method == "HEAD" ? 403 : 405))
      #expect(server.stores.withLock { $0.isEmpty })
    }
  }

  // MARK: What is served

  @Test func allThatIsServedHasTheHeadersOfSecurity() async throws {
    try await TestServer.running(Scripts.counter) { (server, browser) async throws in
      for path in ["/", "/page.js", "/page.css", "/nothing", "/live"] {
        let headers = try browser.request(path).headers
        let policy = try #require(headers["content-security-policy"])
        #expect(policy.hasPrefix("default-src 'none'; script-src 'self';"))
        #expect(policy.contains("require-trusted-types-for 'script'"))
        #expect(!policy.contains("unsafe"))
        #expect(headers["x-content-type-options"] == "nosniff")
        #expect(headers["referrer-policy"] == "no-referrer")
        #expect(headers["x-frame-options"] == "DENY")
      }
    }
  }

  @Test(arguments: ["POST", "PUT", "DELETE", "OPTIONS"])
  func aRequestChangesNothingWhateverItsMethodIs(_ method: String) async throws {
    try await TestServer.running(Scripts.counter) { (server, browser) async throws in
      #expect(try browser.request("/", method: method).status == 405)
    }
  }

  @Test func aBrowserThatHasThePageIsToldSo() async throws {
    try await TestServer.running(Scripts.counter) { (server, browser) async throws in
      for encoding in ["gzip, br", "br, GZIP;q=0.5", "identity", "gzip;q=0", "br, gzip; q=0.000"] {
        let first = try browser.request("/page.js", ["accept-encoding": encoding])
        #expect(first.status == 200)
        let isCompressed = ["gzip, br", "br, GZIP;q=0.5"].contains(encoding)
        #expect((first.headers["content-encoding"] == "gzip") == isCompressed)
        let tag = try #require(first.headers["etag"])
        let second = try browser.request(
          "/page.js", ["accept-encoding": encoding, "if-none-match": tag])
        #expect(second.status == 304)
        #expect(second.body.isEmpty)
      }
      #expect(try browser.request("/page.js", method: "HEAD").status == 200)
    }
  }

  @Test func theAuthorsStyleSheetIsReadAnewForEachPage() async throws {
    let style = Counter()
    try await TestServer.running(
      Scripts.counter, .with { $0.css = { "p { order: \(style.next()) }" } }
    ) {
      (server, browser) async throws in
      #expect(try browser.request("/").text.contains("app.css"))
      #expect(try browser.request("/app.css").text == "p { order: 1 }")
      #expect(try browser.request("/app.css").text == "p { order: 2 }")
    }
  }

  @Test func aStyleSheetThatTakesLongKeepsNoOtherRequestWaiting() async throws {
    let (asked, may) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    try await TestServer.running(
      Scripts.counter,
      .with {
        $0.css = {
          asked.signal()
          may.wait()
          return "p { order: 1 }"
        }
      }
    ) { (server, browser) async throws in
      async let style = withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          continuation.resume(returning: try? browser.request("/app.css").text)
        }
      }
      await wait(for: asked)
      #expect(try browser.request("/page.css").status == 200)
      may.signal()
      #expect(await style == "p { order: 1 }")
    }
  }

  private func wait(for semaphore: DispatchSemaphore) async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        semaphore.wait()
        continuation.resume()
      }
    }
  }

  @Test func theIconThatBrowsersAskForByThemselvesIsNoErrorAlsoWithoutTheCookie() async throws {
    try await TestServer.running(Scripts.counter) { (server, browser) async throws in
      let answer = try Browser(port: browser.port).request("/favicon.ico")
      #expect(answer.status == 204)
      #expect(answer.headers["content-length"] == nil)
      #expect(answer.body.isEmpty)
    }
  }

  @Test func withProductionThereIsNoBar() async throws {
    try await TestServer.running(Scripts.counter, .with { $0.isProduction = true }) {
      (server, browser) async throws in
      #expect(try browser.request("/dev.js").status == 404)
      #expect(!(try browser.request("/").text.contains("dev.js")))
      let page = try browser.open()
      #expect(page.hello["dev"].isNull)
      try page.send(["dev": "open"])
      try page.send(["dev": "go", "to": 0])
      try page.perform(.tap, at: [2])
      #expect(page.development.isEmpty)
      #expect(server.store.state["count"] == 1)
    }
  }

  @Test func aPortThatIsTakenIsAnErrorThatSaysSo() async throws {
    try await TestServer.running(Scripts.counter) { (server, browser) async throws in
      let second = try TestServer(Scripts.counter, .with { $0.port = browser.port })
      let error = await #expect(throws: ViewServerError.self) { try await second.server.start() }
      #expect(error?.isPortTaken == true)
      #expect(error?.description == "port \(browser.port) is taken by another program")
      // The first one goes on.
      #expect(try browser.request("/").status == 200)
    }
  }
}
#endif
