#if Server
import ScriptedStore
import Testing

@testable import ScriptedStoreServer

@Suite("The files of the page")
struct PageFileTests {
  @Test("Compressed, the page and the first frame of a screen have at most 16 KB")
  func sizes() async throws {
    let files = PageFiles(isProduction: true, hasStyle: false)
    let all = ["/", "/page.js", "/page.css"].compactMap { files[$0]?.compressed.count }
    #expect(all.count == 3)
    try await TestServer.running(Scripts.counter) { (_, browser) async throws in
      #expect(all.reduce(0, +) + (try browser.open().bytes) <= 16 << 10)
    }
  }

  @Test("What is served in production says nothing of the bar")
  func production() throws {
    let page = try #require(PageFiles(isProduction: true, hasStyle: false)["/"])
    let text = String(decoding: page.bytes, as: UTF8.self)
    #expect(
      !text.contains("<!--css-->") && !text.contains("<!--dev-->") && !text.contains("dev.js"))
    #expect(
      PageFiles(isProduction: false, hasStyle: true).build
        != PageFiles(isProduction: true, hasStyle: true).build)
  }
}
#endif
