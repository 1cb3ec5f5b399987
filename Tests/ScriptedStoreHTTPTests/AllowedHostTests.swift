#if HTTP
import LuaBridge
import ScriptedStore
import Testing

// `@testable`, because reaching a name other than localhost would leave the machine.
@testable import ScriptedStoreHTTP

struct AllowedHostTests {
  @Test(arguments: [
    ("example.com", "https://example.com/a"), ("example.com", "http://EXAMPLE.com"),
    ("Example.COM", "http://example.com:80/"), ("example.com", "https://example.com.:443/"),
    ("*.example.com", "https://a.b.example.com"), ("*", "http://anything.example"),
    ("localhost:8080", "http://localhost:8080"), ("example.com:*", "https://example.com:1"),
    ("*:*", "http://anything.example:99"), ("[::1]:8080", "http://[::1]:8080/"),
    ("127.0.0.1", "http://127.0.0.1/"), ("a_b.example", "http://a_b.example"),
    ("example.com:443", "https://example.com"),
    ("xn--bcher-kva.example", "http://xn--bcher-kva.example"),
  ])
  func anAllowedHostIsReached(pattern: String, url: String) throws {
    let target = try Target(url)
    #expect(try AllowedHosts([pattern]).contain(target))
  }

  @Test(arguments: [
    ("example.com", "https://example.com:8443"), ("example.com", "http://example.com:443"),
    ("example.com", "https://a.example.com"), ("example.com", "https://evil-example.com"),
    ("example.com", "https://example.com.evil.example"), ("*.example.com", "https://example.com"),
    ("*.example.com", "https://evilexample.com"), ("*", "http://anything.example:8080"),
    ("localhost:8080", "http://localhost"), ("localhost:8080", "http://localhost:80800/"),
    ("127.0.0.1", "http://127.1"), ("127.0.0.1", "http://2130706433/"),
    ("127.0.0.1", "http://0x7f.0.0.1/"), ("[::1]", "http://[0:0:0:0:0:0:0:1]/"),
    ("example.com", "https://evil.example/?@example.com"),
    ("example.com", "https://evil.example#example.com"),
    ("example.com", "https://evil.example\\@example.com"),
    ("example.com", "https:example.com"), ("example.com", "https:///example.com"),
    ("example.com", "https://ex%61mple.com"), ("example.com", "https://example.com%2eevil.example"),
    ("*", "http://ex ample.com"), ("*", "http://[::1%25eth0]/"), ("*", "http://.example"),
    ("*", "http://bücher.example"), ("*", "http://"), ("*", "http:///a"), ("*", ""),
  ])
  func anyOtherHostIsNot(pattern: String, url: String) throws {
    let allowed = try AllowedHosts([pattern])
    #expect((try? Target(url)).map { allowed.contain($0) } != true)
  }

  @Test(arguments: [
    "", "https://example.com", "example.com/path", "exa mple.com", "a.*.example.com",
    "*example.com",
    "example.com:", "example.com:0", "example.com:65536", "example.com:a", "::1", "[::1",
    "user@a.example",
    "*.", ".example.com", "bücher.example",
  ])
  func textThatIsNoHostIsRefused(text: String) throws {
    let error = #expect(throws: ScriptError.self) { try Dependency.http(allowing: [text]) }
    #expect(error?.message.hasPrefix("'\(text)' is no host that can be allowed: ") == true)
  }

  @Test func noHostIsAllowedUnlessTheListHasIt() async throws {
    let answer: Server.Answer = { _, connection in try connection.respond() }
    try await Server.answering(answer) { server in
      let refusal: Value = [
        "code": "notAllowed", "url": Value(server.url),
        "message": Value(
          "GET \(server.url): http may not reach \(server.host); the host allows it with "
            + "Dependency.http(allowing: [\"\(server.host)\"])"),
      ]
      for hosts in [[], ["example.com"], ["127.0.0.1"], ["localhost:\(server.port)"]] {
        let http = try Dependency.http(allowing: hosts)
        #expect(await http.failure(getting: server.url) == refusal)
      }
      #expect(server.heard.isEmpty)
    }
  }

  @Test(arguments: [
    ("ftp://a.example/", "'ftp://a.example/' has the scheme 'ftp'; http knows https and http"),
    ("file:///etc/passwd", "'file:///etc/passwd' has the scheme 'file'; http knows https and http"),
    (
      "http+unix://%2Ftmp%2Fsocket/",
      "'http+unix://%2Ftmp%2Fsocket/' has the scheme 'http+unix'; http knows https and http"
    ),
    ("/path", "'/path' has no scheme; it must begin with https:// or http://"),
    (
      "https://user:password@a.example/",
      "a URL may not have a user or a password in it; send them as headers = { authorization = … }"
    ),
    ("https://a.example:99999/", "'https://a.example:99999/' has no valid port"),
    ("https://[/", "'https://[/' is not a URL"),
  ])
  func otherURLsAreRefused(url: String, message: String) async throws {
    let http = try Dependency.http(allowing: ["*:*"])
    #expect(await http.failure(getting: url) == ["message": Value(message)])
  }

  @Test(arguments: [.zero, .seconds(-1), .seconds(1e9)] as [Duration])
  func aTimeoutIsATime(timeout: Duration) {
    #expect(throws: ScriptError.self) { try Dependency.http(allowing: [], timeout: timeout) }
  }
}
#endif
