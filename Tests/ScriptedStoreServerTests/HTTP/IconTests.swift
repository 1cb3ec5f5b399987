#if Server
import ScriptView
import ScriptedStore
import Testing

@testable import ScriptedStoreServer

@Suite("The icons that a page asks for")
struct IconTests {
  @Test("Each icon that views may name has a file, and no other one has")
  func names() { #expect(IconFiles.names == Set(ViewIcon.names)) }

  @Test("An icon comes when it is asked for, and stays in the cache for ever")
  func cached() async throws {
    try await TestServer.running(Scripts.counter) { (_, browser) async throws in
      let build = try #require(try browser.open().hello["build"].string)
      let answer = try browser.request("/icons/star.svg?\(build)")
      #expect(answer.status == 200)
      #expect(answer.headers["content-type"] == "image/svg+xml")
      #expect(answer.headers["cache-control"]?.contains("immutable") == true)
      #expect(answer.text.contains(#"<symbol id="i" viewBox="0 0 24 24"><path d="#))
      #expect(answer.text.contains("ISC"))
      // The address of another build may give another icon.
      let other = try browser.request("/icons/star.svg?other")
      #expect(other.headers["cache-control"] == "no-cache")
      let tag = try #require(answer.headers["etag"])
      #expect(try browser.request("/icons/star.svg", ["if-none-match": tag]).status == 304)
    }
  }

  @Test(
    "There are no other files beside the icons",
    arguments: [
      "/icons/", "/icons/stra.svg", "/icons/icons.txt", "/icons/../page.js", "/icons/.svg",
      "/icons/star", "/icons/star.svg/", "/icons/%73tar.svg",
    ])
  func others(_ path: String) async throws {
    try await TestServer.running(Scripts.counter) { (_, browser) async throws in
      #expect(try browser.request(path).status == 404)
    }
  }

  @Test("Without the cookie there are no icons")
  func stranger() async throws {
    try await TestServer.running(Scripts.counter) { (_, browser) async throws in
      #expect(try Browser(port: browser.port).request("/icons/star.svg").status == 403)
    }
  }
}
#endif
