#if Server
import ScriptView
import ScriptedStore
import Testing

@testable import ScriptedStoreServer

/// The icons that a page asks for.
struct IconTests {
  @Test func eachIconThatViewsMayNameHasAFileAndNoOtherOneHas() {
    #expect(IconFiles.names == Set(ViewIcon.names))
  }

  @Test func anIconComesWhenItIsAskedForAndStaysInTheCacheForEver() async throws {
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

  @Test(arguments: [
    "/icons/", "/icons/stra.svg", "/icons/icons.txt", "/icons/../page.js", "/icons/.svg",
    "/icons/star", "/icons/star.svg/", "/icons/%73tar.svg",
  ])
  func thereAreNoOtherFilesBesideTheIcons(_ path: String) async throws {
    try await TestServer.running(Scripts.counter) { (_, browser) async throws in
      #expect(try browser.request(path).status == 404)
    }
  }

  @Test func withoutTheCookieThereAreNoIcons() async throws {
    try await TestServer.running(Scripts.counter) { (_, browser) async throws in
      #expect(try Browser(port: browser.port).request("/icons/star.svg").status == 403)
    }
  }
}
#endif
